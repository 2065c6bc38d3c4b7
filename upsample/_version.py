"""The version, in this one place; the build reads it without importing the package."""

__version__ = "0.1.0.dev0"
