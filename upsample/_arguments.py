"""Checks of arguments: what is wrong, with which value, and what is allowed."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from upsample._filters import Filter

_MAX_ELEMENTS = np.iinfo(np.intp).max


def index(argument: str, value: object) -> int:
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{argument} must be an integer, got {value!r}") from None


def is_sequence(value: object) -> bool:
    """A list, tuple or one-dimensional array, but not a string or a number."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def axis_count(rank: int | None, **given: object) -> int:
    """How many axes the sequences among `given` agree on; without any the mode's rank, or 1."""
    lengths = {k: len(v) for k, v in given.items() if is_sequence(v)}  # type: ignore[arg-type]
    if not lengths:
        return rank or 1
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name}={given[name]!r}" for name in lengths)
        raise ValueError(f"arguments speak of different numbers of axes: {words}")
    count = next(iter(lengths.values()))
    if count == 0:
        name = next(iter(lengths))
        raise ValueError(f"{name} must name at least one axis, got {given[name]!r}")
    return count


def check_rank(mode: str | Filter, rank: int | None, count: int) -> None:
    if rank is not None and rank != count:
        general = {"bi": "linear", "tr": "linear"}
        name = "cubic" if "cubic" in str(mode) else general[str(mode)[:2]]
        raise ValueError(
            f"mode {mode!r} resamples {rank} axes, but {count} are given; {name!r} takes any number"
        )


def check_sizes(argument: str, size: object, scale_factor: object, recompute: object) -> None:
    """Exactly one of the two that tell the output size; `argument` is the name of the first."""
    if size is None and scale_factor is None:
        raise ValueError(f"one of {argument} and scale_factor must be given, got neither")
    if size is not None and scale_factor is not None:
        raise ValueError(
            f"only one of {argument} and scale_factor may be given, "
            f"got {argument}={size!r} and scale_factor={scale_factor!r}"
        )
    if size is not None and recompute:
        raise ValueError(
            f"recompute_scale_factor={recompute!r} has no meaning with {argument}={size!r}"
        )


def check_addressable(what: str, shape: Sequence[int]) -> None:
    """Stop before anything is made of a shape that no memory can hold."""
    if math.prod(shape) > _MAX_ELEMENTS // 16:
        raise ValueError(
            f"{what} is too large: an array of {math.prod(shape)} elements cannot be addressed"
        )


def sizes(argument: str, value: object, count: int) -> tuple[int, ...]:
    """Lengths of `count` axes, each at least 1; a single number stands for all."""
    items = tuple(value) if is_sequence(value) else (value,) * count  # type: ignore[arg-type]
    if len(items) != count:
        raise ValueError(f"{argument} must have {count} entries, one for each axis, got {value!r}")
    result = tuple(index(argument, item) for item in items)
    if any(n < 1 for n in result):
        raise ValueError(f"{argument} must be at least 1 along each resampled axis, got {value!r}")
    if any(n > _MAX_ELEMENTS // 16 for n in result):
        raise ValueError(f"{argument}={value!r} is too large to be addressed")
    return result


def scale_factors(value: object, count: int) -> tuple[float, ...]:
    """Factors of `count` axes, finite and positive; a single number stands for all."""
    items = tuple(value) if is_sequence(value) else (value,) * count  # type: ignore[arg-type]
    if len(items) != count:
        raise ValueError(
            f"scale_factor must have {count} entries, one for each axis, got {value!r}"
        )
    try:
        if any(isinstance(item, bool | np.bool_ | str) for item in items):
            raise TypeError
        result = tuple(float(item) for item in items)  # type: ignore[arg-type]
    except OverflowError:
        raise ValueError(f"scale_factor must be finite, got {value!r}") from None
    except (TypeError, ValueError):
        raise TypeError(f"scale_factor must be a number or numbers, got {value!r}") from None
    if not all(math.isfinite(f) and f > 0 for f in result):
        raise ValueError(f"scale_factor must be finite and greater than 0, got {value!r}")
    return result


def scaled_size(n: int, factor: float) -> int:
    """floor(n·factor) of the float64 product."""
    product = n * factor
    if not product < _MAX_ELEMENTS // 16:
        raise ValueError(f"scale_factor={factor!r} makes {n} samples too many to be addressed")
    if product < 1:
        raise ValueError(
            f"scale_factor={factor!r} leaves nothing of {n} samples: floor({product!r}) is 0, "
            f"and at least 1 is needed"
        )
    return math.floor(product)


def normalise_axes(axes: object, ndim: int, count: int | None = None) -> tuple[int, ...]:
    """Axes as non-negative numbers, all different."""
    items = tuple(axes) if is_sequence(axes) else (axes,)  # type: ignore[arg-type]
    result = []
    for item in items:
        axis = index("axes", item)
        if not -ndim <= axis < ndim:
            allowed = f"allowed are {-ndim} to {ndim - 1}" if ndim else "it has no axis"
            raise ValueError(
                f"axes={axes!r} is out of range for an array of {ndim} dimensions: {allowed}"
            )
        result.append(axis % ndim)
    if len(set(result)) < len(result):
        raise ValueError(f"axes={axes!r} names an axis twice")
    if count is not None and len(result) != count:
        raise ValueError(f"axes must name {count} axes, one for each length, got {axes!r}")
    return tuple(result)


def check_out(out: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an ndarray, got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out must have shape {shape}, got {out.shape}")
    if out.dtype != dtype:
        raise TypeError(f"out must have dtype {dtype}, got {out.dtype}")
    if out.size and any(s == 0 and n > 1 for s, n in zip(out.strides, shape, strict=True)):
        raise ValueError(f"out must not hold an element twice, got strides {out.strides}")
    if not out.flags.writeable:
        raise ValueError("out must be writeable, got a read-only array")
