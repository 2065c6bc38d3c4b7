"""Resampling of NumPy arrays: every interpolation mode, forward and exact adjoint."""

from upsample._api import interpolate, interpolate_backward
from upsample._config import show_config
from upsample._dot_test import dot_test
from upsample._filters import Filter
from upsample._modes import MODES
from upsample._resampler import Resampler
from upsample._threads import get_num_threads, set_num_threads, threads
from upsample._version import __version__

__all__ = [
    "MODES",
    "Filter",
    "Resampler",
    "__version__",
    "dot_test",
    "get_num_threads",
    "interpolate",
    "interpolate_backward",
    "set_num_threads",
    "show_config",
    "threads",
]
