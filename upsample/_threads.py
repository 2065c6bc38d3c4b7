"""How many threads a call uses.

The default is OpenMP's own (``OMP_NUM_THREADS``, affinity, threadpoolctl), but no more than
the CPU quota of the container.  A process that was forked runs serially: the threads of its
parent do not exist there, and OpenMP runtimes wait for them for ever.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import operator
import os
from collections.abc import Iterator
from pathlib import Path

from upsample import _kernels

#: Multiplications below which one more thread costs more than it saves (measured).
GRAIN = 1 << 17

_chosen: int | None = None
_local: contextvars.ContextVar[int | None] = contextvars.ContextVar("threads", default=None)
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@functools.cache
def cpu_quota() -> int | None:
    """CPUs that the control group grants, rounded up, or None without a limit."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()[:2]
        return None if quota == "max" else max(1, math.ceil(int(quota) / int(period)))
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup/cpu")
        limit = int((group / "cpu.cfs_quota_us").read_text())
        each = int((group / "cpu.cfs_period_us").read_text())
        return None if limit <= 0 else max(1, math.ceil(limit / each))
    return None


def check(argument: str, value: object) -> int:
    """A number of threads as an int of at least 1."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{argument} must be an integer, got {value!r}") from None
    if number < 1 or isinstance(value, bool):
        raise ValueError(f"{argument} must be at least 1, got {value!r}")
    return min(number, 1024)


def effective(num_threads: int | None = None) -> int:
    """Threads for one call: the first of its argument, `threads`, `set_num_threads`, default."""
    if _forked or not _kernels.HAS_OPENMP:
        if num_threads is not None:
            check("num_threads", num_threads)
        return 1
    if num_threads is not None:
        return check("num_threads", num_threads)
    number = _local.get()
    if number is None:
        number = _chosen
    if number is not None:
        return number
    quota = cpu_quota()
    number = _kernels.max_threads()
    return number if quota is None else min(number, quota)


def get_num_threads() -> int:
    """Threads that a call uses at most, if it is not told otherwise.

    Returns
    -------
    int
        At least 1; 1 in a build without OpenMP and in a forked child process.

    Examples
    --------
    >>> import upsample
    >>> with upsample.threads(1):
    ...     upsample.get_num_threads()
    1
    """
    return effective()


def set_num_threads(n: int | None) -> None:
    """Set the number of threads of all later calls in this process.

    Parameters
    ----------
    n : int or None
        At least 1; None returns to the default (OpenMP's, within the container's CPU quota).

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is less than 1.

    Examples
    --------
    >>> import upsample
    >>> upsample.set_num_threads(1)
    >>> upsample.get_num_threads()
    1
    >>> upsample.set_num_threads(None)
    """
    global _chosen
    _chosen = None if n is None else check("n", n)


@contextlib.contextmanager
def threads(n: int) -> Iterator[None]:
    """Use `n` threads inside a ``with`` block, in this thread (or task) of the program only.

    Parameters
    ----------
    n : int
        At least 1.

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> import upsample
    >>> with upsample.threads(1):
    ...     y = upsample.interpolate(np.zeros((8, 8)), size=16)
    """
    token = _local.set(check("n", n))
    try:
        yield
    finally:
        _local.reset(token)
