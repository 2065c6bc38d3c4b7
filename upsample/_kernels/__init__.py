"""The compiled kernels, or advice if they have not been built."""

try:
    from upsample._kernels._core import HAS_OPENMP, TILES, Table, max_threads, resample
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "upsample's compiled modules are missing or do not fit this Python. In a source tree, "
        "install in editable mode (pip install -e .), since the folder upsample/ hides an "
        f"installed copy when Python is started beside it. ({error})"
    ) from error

__all__ = ["HAS_OPENMP", "TILES", "Table", "max_threads", "resample"]
