"""Where an output sample lies in the input: s(i) = (i + shift) · ratio + offset.

Sample j of the input sits at coordinate j and fills the cell [j − ½, j + ½].  The ratio is
a Fraction when sizes give it, and then every coordinate is an exact rational number: an
integer part and a remainder over a common denominator.  A ratio that comes from a given
scale factor is a float64, and so are its coordinates.

::

    half_pixel     cells of both grids cover the same length     s = (i + ½)·r − ½
    align_corners  first and last samples coincide               s = i·(n−1)/(m−1)
    asymmetric     first edges coincide, no half-sample shift    s = i·r
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Ratio = Fraction | float
IntArray = npt.NDArray[np.int64]
Numerator = npt.NDArray[np.int64] | npt.NDArray[np.float64]

_HALF = Fraction(1, 2)
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Grid:
    """An affine map from `m` output indices to coordinates on `n` input samples."""

    n: int
    m: int
    ratio: Ratio
    shift: Fraction = _ZERO
    offset: Fraction = _ZERO

    @property
    def exact(self) -> bool:
        return isinstance(self.ratio, Fraction)

    @property
    def period(self) -> tuple[int, int] | None:
        """(M, N) such that s(i + M) = s(i) + N exactly, or None."""
        if not isinstance(self.ratio, Fraction) or self.ratio == 0:
            return None
        return self.ratio.denominator, self.ratio.numerator

    def locate(self, rows: IntArray) -> tuple[IntArray, Numerator, int]:
        """Split s(i) into floor and remainder: s = base + numerator / denominator.

        Returns
        -------
        base : ndarray of int64
        numerator : ndarray of int64 (exact grids) or float64
        denominator : int
            1 for inexact grids.
        """
        if isinstance(self.ratio, Fraction):
            step, constant, denominator = self._integers(self.ratio)
            limit = abs(step) * int(self.m) + abs(constant) + denominator
            if limit < 2**62:
                scaled = rows * np.int64(step) + np.int64(constant)
                base, numerator = np.divmod(scaled, np.int64(denominator))
                return base, numerator, denominator
            # Axes of more than 2**30 samples: Python's integers, slow and right.
            pairs = [divmod(int(i) * step + constant, denominator) for i in rows]
            base = np.array([p[0] for p in pairs], dtype=np.int64)
            return base, np.array([p[1] for p in pairs], dtype=np.int64), denominator
        s = (rows + float(self.shift)) * self.ratio + float(self.offset)
        floor = np.floor(s)
        return floor.astype(np.int64), s - floor, 1

    def _integers(self, ratio: Fraction) -> tuple[int, int, int]:
        """s(i) = (step·i + constant) / denominator in integers."""
        constant = self.shift * ratio + self.offset
        denominator = math.lcm(ratio.denominator, constant.denominator)
        return int(ratio * denominator), int(constant * denominator), denominator

    def nearest(self, rows: IntArray) -> IntArray:
        """floor(s), kept inside the array."""
        return np.clip(self.locate(rows)[0], 0, self.n - 1)


def ratio(n: int, m: int, factor: float | None) -> Ratio:
    """Input step per output step: n/m, or 1/factor where a scale factor was given."""
    if factor is None:
        return Fraction(n, m)
    step = 1.0 / factor
    exact = Fraction(step)
    # Where every float64 product i·step is exact, say so: coordinates then repeat exactly.
    if exact.numerator * 2 * (m + 1) < 2**53 and exact.denominator < 2**20:
        return exact
    return step


def half_pixel(n: int, m: int, factor: float | None = None) -> Grid:
    return Grid(n, m, ratio(n, m, factor), _HALF, -_HALF)


def align_corners(n: int, m: int, factor: float | None = None) -> Grid:
    """Corner samples coincide; the factor has no influence beyond the sizes."""
    return Grid(n, m, Fraction(n - 1, m - 1) if m > 1 else _ZERO)


def asymmetric(n: int, m: int, factor: float | None = None) -> Grid:
    """Used by ``nearest``: the sample at or before i·r; also the first edge of cell i."""
    return Grid(n, m, ratio(n, m, factor))


def cell_centre(n: int, m: int, factor: float | None = None) -> Grid:
    """Used by ``nearest-exact``: floor((i + ½)·r) is the cell that holds the centre of output i."""
    return Grid(n, m, ratio(n, m, factor), _HALF)
