"""Sphinx configuration; build with ``sphinx-build -W docs docs/_build/html``."""

import upsample

project = "upsample"
author = "the upsample developers"
copyright = f"2026, {author}"
version = release = upsample.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build"]

html_theme = "pydata_sphinx_theme"
html_title = f"upsample {version}"
html_theme_options = {"navigation_with_keys": False, "show_toc_level": 2}
html_sidebars = {"**": ["sidebar-nav-bs"]}

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
