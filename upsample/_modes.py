"""The registry: a mode is a row of grid rule, sampling rule, filter and border rule.

To add a mode, add its filter to `_filters` and its row here; forward, adjoint, tests over
all modes and ``python -m upsample`` pick it up.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from upsample import _filters, _grid
from upsample._filters import Filter
from upsample._grid import Grid

GridRule = Callable[[int, int, float | None], Grid]
Sampling = Literal["selection", "average", "overlap", "filter"]

BORDERS = ("edge", "renormalize", "zero", "reflect", "mirror")


@dataclass(frozen=True, slots=True)
class Mode:
    """One built-in mode, before any option is applied."""

    description: str
    sampling: Sampling = "filter"
    grid: GridRule = _grid.half_pixel
    filter: Filter | None = None
    border: str = "renormalize"
    antialias_filter: Filter | None = None  # where it differs from `filter`
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """What is left of mode and options when every choice is made: how to make a table."""

    sampling: Sampling
    grid: GridRule
    filter: Filter | None = None
    widen: bool = False
    border: str | None = None
    rank: int | None = None

    @property
    def uses_factor(self) -> bool:
        """Whether a given scale factor has a say beyond the output size."""
        return self.sampling != "average" and self.grid is not _grid.align_corners


def _linear(rank: int | None, words: str) -> Mode:
    return Mode(words, filter=_filters.TRIANGLE, border="edge", rank=rank)


def _cubic(rank: int | None, words: str) -> Mode:
    return Mode(
        words,
        filter=_filters.keys(-0.75),
        border="edge",
        antialias_filter=_filters.keys(-0.5),
        rank=rank,
    )


def _lanczos(lobes: int) -> Mode:
    words = f"sinc windowed by a sinc, {lobes} samples each side"
    return Mode(words, filter=_filters.lanczos(lobes))


_MODES: dict[str, Mode] = {
    "nearest": Mode("the sample at or before i·n/m", "selection", _grid.asymmetric),
    "nearest-exact": Mode(
        "the sample whose cell holds the output's centre", "selection", _grid.cell_centre
    ),
    "linear": _linear(None, "linear interpolation, any number of axes"),
    "bilinear": _linear(2, "linear over two axes"),
    "trilinear": _linear(3, "linear over three axes"),
    "cubic": _cubic(None, "Keys cubic convolution, a = -0.75 (antialias: -0.5)"),
    "bicubic": _cubic(2, "cubic over two axes"),
    "tricubic": _cubic(3, "cubic over three axes"),
    "lanczos2": _lanczos(2),
    "lanczos3": _lanczos(3),
    "lanczos4": _lanczos(4),
    "lanczos5": _lanczos(5),
    "area": Mode("adaptive average: equal weights over all samples touched", "average"),
    "box": Mode("true area: weights by length of overlap", "overlap", _grid.asymmetric),
    "hamming": Mode("sinc in a Hamming window, 1 sample each side", filter=_filters.HAMMING),
    "mitchell": Mode("Mitchell-Netravali cubic, B = C = 1/3", filter=_filters.MITCHELL),
    "catmull-rom": Mode("Catmull-Rom cubic (Keys, a = -0.5)", filter=_filters.CATMULL_ROM),
    "gaussian": Mode("Gaussian, sigma 1/2, cut at 1.5", filter=_filters.GAUSSIAN),
    "magic": Mode("Magic Kernel Sharp 2013", filter=_filters.MAGIC),
}

#: Names of all built-in modes with a description of one line each.
MODES: Mapping[str, str] = MappingProxyType({n: row.description for n, row in _MODES.items()})


def lookup(mode: str | Filter) -> Mode:
    """The row of a mode's name, or one made of a caller's filter."""
    if isinstance(mode, Filter):
        return Mode(mode.name, filter=mode)
    if not isinstance(mode, str):
        raise TypeError(f"mode must be a name in upsample.MODES or a Filter, got {mode!r}")
    try:
        return _MODES[mode]
    except KeyError:
        pass
    close = difflib.get_close_matches(mode.lower().replace("_", "-"), _MODES, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"unknown mode {mode!r}; {hint}known modes: {', '.join(_MODES)}, or a Filter")


def resolve(
    mode: str | Filter,
    align_corners: bool | None = None,
    antialias: bool = False,
    cubic_coeff: float | None = None,
    border: str | None = None,
) -> Method:
    """Apply the options to a mode's row; every combination that has no meaning is an error."""
    row = lookup(mode)
    name = mode.name if isinstance(mode, Filter) else mode
    check_flag("align_corners", align_corners, none=True)
    check_flag("antialias", antialias)

    if row.sampling != "filter":
        _check_plain(row, name, align_corners, antialias, border)
    if cubic_coeff is not None and row.antialias_filter is None:
        raise ValueError(
            f"cubic_coeff={cubic_coeff!r} has no meaning with mode {name!r}; "
            f"it is allowed with 'cubic', 'bicubic' and 'tricubic'"
        )
    if row.filter is None:
        return Method(row.sampling, row.grid)

    if antialias and align_corners is not None:
        raise ValueError(
            f"align_corners={align_corners!r} is not allowed with antialias=True: "
            f"leave align_corners out (None) or antialias=False"
        )
    if border is not None and border not in BORDERS:
        raise ValueError(f"border must be one of {', '.join(BORDERS)}, got {border!r}")
    kernel = row.filter
    if antialias and row.antialias_filter is not None:
        kernel = row.antialias_filter
    if cubic_coeff is not None:
        kernel = _filters.keys(_coefficient(cubic_coeff))
    rule = "renormalize" if antialias else row.border
    return Method(
        "filter",
        _grid.align_corners if align_corners else _grid.half_pixel,
        kernel,
        widen=bool(antialias),
        border=rule if border is None else border,
        rank=row.rank,
    )


def _check_plain(
    row: Mode, name: str, align_corners: bool | None, antialias: bool, border: str | None
) -> None:
    """Options that mean nothing where no filter is sampled."""
    if align_corners is not None:
        raise ValueError(
            f"align_corners={align_corners!r} has no meaning with mode {name!r}: leave it None"
        )
    if antialias and row.sampling != "overlap":
        raise ValueError(
            f"antialias=True has no meaning with mode {name!r}; for shrinking without aliases "
            f"use 'box', or a filter mode such as 'linear' with antialias=True"
        )
    if border is not None:
        raise ValueError(
            f"border={border!r} has no meaning with mode {name!r}, "
            f"which never reads outside the array: leave it None"
        )


def check_flag(argument: str, value: object, none: bool = False) -> None:
    if isinstance(value, bool | np.bool_) or (none and value is None):
        return
    allowed = "True, False or None" if none else "True or False"
    raise TypeError(f"{argument} must be {allowed}, got {value!r}")


def _coefficient(value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"cubic_coeff must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"cubic_coeff must be finite, got {value!r}")
    return number
