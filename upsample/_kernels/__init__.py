"""The compiled kernels: one source, built for several instruction sets; the best is imported.

The choice is made before the import, because a module built for another processor may stop
the interpreter while it is being loaded.  All levels give the same bits.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import TYPE_CHECKING

_MODULES = {"baseline": "_core", "x86_v3": "_core_x86_v3"}


def _available() -> list[str]:
    """Levels that were built and that this processor runs, the best one last."""
    from upsample._kernels import _cpu

    return [
        level
        for level in _cpu.levels()
        if importlib.util.find_spec(f"{__name__}.{_MODULES[level]}") is not None
    ]


def _choose(levels: list[str]) -> str:
    wanted = os.environ.get("UPSAMPLE_SIMD", "").strip()
    if not wanted:
        return levels[-1]
    if wanted not in levels:
        raise ImportError(
            f"UPSAMPLE_SIMD={wanted!r} is not available here; allowed are {', '.join(levels)}"
        )
    return wanted


if TYPE_CHECKING:
    from upsample._kernels import _core as _loaded

    KEPT_BYTES: int
    LEVELS: list[str]
    LEVEL: str
else:
    try:
        from upsample._kernels import _memory

        KEPT_BYTES = _memory.LIMIT
        LEVELS = _available()
        LEVEL = _choose(LEVELS)
        _loaded = importlib.import_module(f"{__name__}.{_MODULES[LEVEL]}")
    except ImportError as error:
        if "UPSAMPLE_SIMD" in str(error):
            raise
        raise ImportError(
            "upsample's compiled modules are missing or do not fit this Python. In a source tree, "
            "install in editable mode (pip install -e .), since the folder upsample/ hides an "
            f"installed copy when Python is started beside it. ({error})"
        ) from error

HAS_OPENMP = _loaded.HAS_OPENMP
VECTOR_BYTES = _loaded.VECTOR_BYTES
Replay = _loaded.Replay
Table = _loaded.Table
empty_like = _loaded.empty_like
max_threads = _loaded.max_threads
resample = _loaded.resample

__all__ = [
    "HAS_OPENMP",
    "KEPT_BYTES",
    "LEVEL",
    "LEVELS",
    "VECTOR_BYTES",
    "Replay",
    "Table",
    "empty_like",
    "max_threads",
    "resample",
]
