"""Running a plan on arrays: passes, stages, and the arrays between them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from upsample import _kernels, _threads
from upsample._dtypes import between
from upsample._packed import pack, windows
from upsample._taps import Taps
from upsample._typing import Array, Sizes


class Pass(NamedTuple):
    """One axis that changes: where it is, and its table."""

    axis: int
    table: _kernels.Table


def make_table(taps: Taps, dtype: np.dtype[Any], adjoint: bool) -> _kernels.Table | None:
    if taps.is_identity:
        return None
    # Rounded before it is transposed, so that forward and adjoint use the same weights.
    taps = taps.astype(dtype)
    p = pack(taps.transpose() if adjoint else taps)
    return _kernels.Table(
        p.n,
        p.first,
        p.count,
        p.weights,
        p.holes,
        p.selection,
        p.hints,
        tuple(
            windows(p, _kernels.VECTOR_BYTES // item)
            if p.selection or item == p.weights.itemsize
            else None
            for item in (4, 8)
        ),
    )


def run(
    x: Array,
    shape: tuple[int, ...],
    passes: list[Pass],
    out: Array | None,
    threads: int,
    axes: Sizes | None = None,
    keep: bool = False,
) -> tuple[Array, _kernels.Replay | None]:
    """Apply the passes; the result, and what repeats the call if it was a single one."""
    if x.dtype.hasobject:
        return _put(_take(x, passes), out), None
    if out is not None and np.may_share_memory(x, out):
        return _put(run(x, shape, passes, None, threads)[0], out), None
    stages = _stages(passes)
    if not stages:
        return (x.copy(order="K") if out is None else _put(x, out)), None
    replay = None
    dtype = x.dtype
    middle = dtype if all(p.table.selection for p in passes) else between(dtype)
    for number, stage in enumerate(stages):
        size = list(x.shape)
        for p in stage:
            size[p.axis] = shape[p.axis]
        last = number == len(stages) - 1
        if last and out is not None:
            y = out
        else:
            y = _kernels.empty_like(x, tuple(size), dtype if last else middle)
        first, second = stage[0], stage[1] if len(stage) > 1 else None
        replay = _kernels.resample(
            x,
            y,
            first.table,
            first.axis,
            None if second is None else second.table,
            -1 if second is None else second.axis,
            threads,
            _threads.GRAIN,
            axes,
            _threads.effective if keep and len(stages) == 1 and _fixed(axes) else None,
            y is not out,
        )
        x = y
    return x, replay


def _fixed(axes: object) -> bool:
    """Whether `axes` cannot be changed behind the back of what remembers it."""
    return axes is None or isinstance(axes, int) or type(axes) is tuple


def _put(result: Array, out: Array | None) -> Array:
    if out is None:
        return result
    out[...] = result
    return out


def _take(x: Array, passes: list[Pass]) -> Array:
    """Selection from arrays of objects, whose references must be counted."""
    for p in passes:
        x = np.take(x, p.table.index, axis=p.axis)
    return x if passes else x.copy()


def _stages(passes: list[Pass]) -> list[list[Pass]]:
    """One or two axes at a time: two are done as one, without an array between them.

    Stages that shrink come first and those that enlarge last, so that what lies between is
    small.  The layout of the array has no say: the order of the passes decides how sums are
    rounded.
    """
    left = sorted(passes, key=lambda p: p.axis)
    if len(left) <= 2:
        return [left] if left else []
    stages = []
    while left:
        stages.append(left[-2:])
        del left[-2:]

    def growth(stage: list[Pass]) -> Fraction:
        return math.prod((Fraction(*p.table.shape) for p in stage), start=Fraction(1))

    return sorted(stages, key=growth)
