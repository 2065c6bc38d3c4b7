"""What this build is and what it runs on."""

from __future__ import annotations

import os
import platform
from typing import Any, Literal, overload

import numpy as np

from upsample import _kernels, _threads
from upsample._version import __version__


@overload
def show_config(mode: Literal["print"] = "print") -> None: ...
@overload
def show_config(mode: Literal["dict"]) -> dict[str, Any]: ...
def show_config(mode: Literal["print", "dict"] = "print") -> dict[str, Any] | None:
    """Print or return versions, build and thread settings; please add it to a bug report.

    Parameters
    ----------
    mode : {'print', 'dict'}, optional

    Returns
    -------
    dict or None
        With ``mode="dict"``: names and values of what would be printed.

    Raises
    ------
    ValueError
        If `mode` is neither.

    Examples
    --------
    >>> import upsample
    >>> sorted(upsample.show_config("dict"))[:3]
    ['OMP_NUM_THREADS', 'cpu_quota', 'cpus']
    """
    if mode not in ("print", "dict"):
        raise ValueError(f"mode must be 'print' or 'dict', got {mode!r}")
    config = {
        "upsample": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "simd": _kernels.LEVEL,
        "simd_levels": ", ".join(_kernels.LEVELS),
        "openmp": _kernels.HAS_OPENMP,
        "kept_memory": f"{_kernels.KEPT_BYTES >> 20} MiB",
        "threads": _threads.effective(),
        "cpus": _available_cpus(),
        "cpu_quota": _threads.cpu_quota(),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
    }
    if mode == "dict":
        return config
    for name, value in config.items():
        print(f"{name:>16}: {value}")
    return None


def _available_cpus() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()
