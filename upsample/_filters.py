"""Interpolation kernels as small values: a name, a support and a function.

A filter knows nothing of grids, borders or arrays.  The formulas are written in
factored form wherever a kernel has zeros, so that a zero is exactly zero: a sample
with a zero weight is not part of an output, which matters for NaN and infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

MAX_SUPPORT = 10_000  # a table has rows twice as long, whatever the array's length


@dataclass(frozen=True, slots=True)
class Filter:
    """An interpolation kernel K(t), even in t, to be given as ``mode``.

    Parameters
    ----------
    name : str
        A name for messages and ``repr``.
    support : float
        K(t) is zero for ``|t| >= support``; in samples of the input, greater than 0 and at most
        10000.
    function : callable
        Maps a float64 array of distances t (``0 <= t < support``) to K(t), elementwise.
        It is never called with other distances.  It need not be normalised: every row
        of weights is divided by its sum.

    Raises
    ------
    TypeError
        If `name` is not a string or `function` is not callable.
    ValueError
        If `support` is not a positive number of at most 10000.

    Notes
    -----
    Two filters are equal when all three fields are; a ``lambda`` equals only itself, and
    a `Resampler` can be pickled only if the function can.

    Examples
    --------
    A quadratic B-spline used as a smoothing kernel:

    >>> import numpy as np
    >>> import upsample
    >>> def spline2(t):
    ...     return np.where(t < 0.5, 0.75 - t**2, 0.5 * (1.5 - t) ** 2)
    >>> smooth = upsample.Filter("spline2", 1.5, spline2)
    >>> upsample.interpolate(np.array([0.0, 1.0, 0.0]), size=6, mode=smooth).round(3)
    array([0.043, 0.29 , 0.688, 0.688, 0.29 , 0.043])
    """

    name: str
    support: float
    function: Callable[[FloatArray], npt.ArrayLike]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string, got {self.name!r}")
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}")
        try:
            support = float(self.support)
        except (TypeError, ValueError):
            raise TypeError(f"support must be a number, got {self.support!r}") from None
        if not (math.isfinite(support) and support > 0):
            raise ValueError(f"support must be finite and greater than 0, got {self.support!r}")
        if support > MAX_SUPPORT:
            raise ValueError(f"support must be at most {MAX_SUPPORT} samples, got {self.support!r}")
        object.__setattr__(self, "support", support)

    def __call__(self, t: npt.ArrayLike) -> FloatArray:
        """K(t) for any real t, zero at and beyond the support."""
        distance = np.abs(np.asarray(t, dtype=np.float64))
        value = np.zeros(distance.shape)
        inside = distance < self.support
        if inside.any():
            found = np.asarray(self.function(distance[inside]))
            if found.dtype.kind not in "biuf":
                raise TypeError(
                    f"the function of {self.name!r} must return real numbers, got {found.dtype}"
                )
            found = found.astype(np.float64)
            if found.shape not in ((), (int(inside.sum()),)):
                raise ValueError(
                    f"the function of {self.name!r} must return one value for each distance: "
                    f"given shape ({int(inside.sum())},), it returned {found.shape}"
                )
            if not np.isfinite(found).all():
                raise ValueError(
                    f"the function of {self.name!r} returned a value that is not finite"
                )
            value[inside] = found
        return value


def sinc(t: FloatArray) -> FloatArray:
    """sin(πt)/(πt), exactly 1 at 0 and exactly 0 at all other integers."""
    nearest = np.rint(t)
    # sin(πt) = ±sin(π(t − rint t)): the argument stays small, and 0 at integers.
    sign = 1.0 - 2.0 * np.mod(nearest, 2.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = sign * np.sin(np.pi * (t - nearest)) / (np.pi * t)
    return np.where(t == 0, 1.0, value)


def _triangle(t: FloatArray) -> FloatArray:
    return 1.0 - t


def keys(a: float) -> Filter:
    """Keys' cubic convolution (Keys 1981) with free parameter `a`."""
    return Filter(f"keys({a:g})", 2.0, _Keys(float(a)))


@dataclass(frozen=True, slots=True)
class _Keys:
    a: float

    def __call__(self, t: FloatArray) -> FloatArray:
        # Factored: exactly 0 at t = 1 (and towards 2) for every a.
        inner = (1.0 - t) * (1.0 + t - (self.a + 2.0) * t * t)
        outer = self.a * (t - 1.0) * (t - 2.0) ** 2
        return np.where(t <= 1.0, inner, outer)


@dataclass(frozen=True, slots=True)
class _BCSpline:
    """The two-parameter family of Mitchell & Netravali (1988)."""

    b: float
    c: float

    def __call__(self, t: FloatArray) -> FloatArray:
        b, c = self.b, self.c
        inner = ((12 - 9 * b - 6 * c) * t + (-18 + 12 * b + 6 * c)) * t * t + (6 - 2 * b)
        outer = (((-b - 6 * c) * t + (6 * b + 30 * c)) * t + (-12 * b - 48 * c)) * t + (
            8 * b + 24 * c
        )
        return np.where(t < 1.0, inner, outer) / 6.0


@dataclass(frozen=True, slots=True)
class _Lanczos:
    """Sinc windowed by the main lobe of a wider sinc (Duchon 1979)."""

    lobes: int

    def __call__(self, t: FloatArray) -> FloatArray:
        return sinc(t) * sinc(t / self.lobes)


def lanczos(lobes: int) -> Filter:
    return Filter(f"lanczos{lobes}", float(lobes), _Lanczos(lobes))


def _hamming(t: FloatArray) -> FloatArray:
    return sinc(t) * (0.54 + 0.46 * np.cos(np.pi * t))


def _gaussian(t: FloatArray) -> FloatArray:
    return np.exp(-2.0 * t * t)  # σ = ½


def _magic(t: FloatArray) -> FloatArray:
    """Magic Kernel Sharp 2013 (Costella)."""
    centre = 17.0 / 16.0 - 1.75 * t * t
    shoulder = (1.0 - t) * (1.75 - t)
    tail = -0.125 * (t - 2.5) ** 2
    return np.where(t <= 0.5, centre, np.where(t <= 1.5, shoulder, tail))


TRIANGLE = Filter("triangle", 1.0, _triangle)
CATMULL_ROM = Filter("catmull-rom", 2.0, _Keys(-0.5))
MITCHELL = Filter("mitchell", 2.0, _BCSpline(1 / 3, 1 / 3))
HAMMING = Filter("hamming", 1.0, _hamming)
GAUSSIAN = Filter("gaussian", 1.5, _gaussian)
MAGIC = Filter("magic", 2.5, _magic)
