"""How W is made: selection, average, overlap, weights of a filter."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from upsample._filters import Filter
from upsample._grid import Grid, Numerator
from upsample._taps import SLICE_ELEMENTS, Taps, add_to_largest, row_slices
from upsample._typing import FloatArray, IntArray


def selection(grid: Grid) -> Taps:
    """One sample for each output: floor of the coordinate."""
    start = grid.nearest(np.arange(grid.m, dtype=np.int64))
    return Taps(grid.n, start, np.ones((grid.m, 1)), grid.period)


def average(n: int, m: int) -> Taps:
    """Equal weights over every sample that cell i touches (torch's adaptive average)."""
    i = np.arange(m, dtype=np.int64)
    a, b = n // m, n % m  # i·n/m = i·a + i·b/m, without overflow
    begin = i * a + (i * b) // m
    end = (i + 1) * a - (-((i + 1) * b) // m)
    length = end - begin
    width = int(length.max())
    start = np.minimum(begin, n - width)
    weights = np.zeros((m, width))
    for part in row_slices(m, width):
        k = start[part, None] + np.arange(width)
        inside = (k >= begin[part, None]) & (k < end[part, None])
        weights[part] = inside / length[part, None]
    ratio = Fraction(n, m)
    return Taps(n, start, weights, (ratio.denominator, ratio.numerator))


def overlap(grid: Grid) -> Taps:
    """Weights by the length that [i·r, (i+1)·r] shares with each sample's cell [j, j+1]."""
    n, m = grid.n, grid.m
    rows = np.arange(m + 1, dtype=np.int64)
    base, numerator, denominator = grid.locate(rows)
    if grid.exact:
        # Rows of a float64 grid may end an ulp beyond the array; exact ones do not.
        last = base[1:] - (numerator[1:] == 0)
    else:
        last = np.clip(base[1:] - (numerator[1:] == 0), 0, n - 1)
    begin = np.clip(base[:-1], 0, n - 1)
    width = min(int((last - begin).max()) + 1, n)
    start = np.minimum(begin, n - width)
    weights = np.zeros((m, width))
    for part in row_slices(m, width):
        after = slice(part.start + 1, part.stop + 1)
        j = start[part, None] + np.arange(width)
        # Lengths in units of 1/denominator: whole numbers for an exact grid.
        left = np.maximum((j - base[part, None]) * denominator, numerator[part, None])
        right = np.minimum(
            (j + 1 - base[part, None]) * denominator,
            (base[after, None] - base[part, None]) * denominator + numerator[after, None],
        )
        length = np.maximum(right - left, 0).astype(np.float64)
        weights[part] = length / length.sum(axis=1, keepdims=True)
    _close_sum(weights, np.ones(m, dtype=bool))
    return Taps(n, start, weights, grid.period)


def filtered(grid: Grid, kernel: Filter, widen: bool, border: str) -> Taps:
    """Weights K(distance), for distances in samples of the coarser grid if `widen`.

    Parameters
    ----------
    grid : Grid
    kernel : Filter
    widen : bool
        Divide distances by max(ratio, 1), so that shrinking averages (antialias).
    border : {'edge', 'renormalize', 'zero', 'reflect', 'mirror'}
    """
    n, m = grid.n, grid.m
    widening = max(grid.ratio, Fraction(1)) if widen else Fraction(1)
    reach = int(np.ceil(kernel.support * float(widening)))
    span = 2 * reach
    width = min(span, n)
    k = np.arange(1 - reach, reach + 1, dtype=np.int64)

    def raw_weights(rows: IntArray) -> FloatArray:
        _, numerator, denominator = grid.locate(rows)
        raw = kernel(_distance(k, numerator, denominator, widening))
        return raw if border == "renormalize" else _normalised(raw, rows, kernel, border)

    start = np.empty(m, dtype=np.int64)
    weights = np.zeros((m, width))
    whole = np.ones(m, dtype=bool)
    # An exact grid repeats, and then the kernel is evaluated for one period only.
    period = grid.period[0] if grid.period is not None else m
    repeats = period * span <= min(SLICE_ELEMENTS, m * span // 2)
    phases = raw_weights(np.arange(period, dtype=np.int64)) if repeats else None
    for part in row_slices(m, span):
        rows = np.arange(part.start, part.stop, dtype=np.int64)
        raw = raw_weights(rows) if phases is None else phases[rows % period]
        window = grid.locate(rows)[0] + (1 - reach)
        start[part] = np.clip(window, 0, n - width)
        outer = (window < 0) | (window + span > n)
        if not outer.all():
            inner = raw[~outer]
            if border == "renormalize":
                inner = _normalised(inner, rows[~outer], kernel, border)
            weights[rows[~outer]] = inner
        if outer.any():
            edge_rows = rows[outer]
            samples = window[outer, None] + np.arange(span)
            value = raw[outer]
            if border in ("renormalize", "zero"):
                inside = (samples >= 0) & (samples < n)
                if border == "zero":
                    whole[edge_rows] = ~np.any((value != 0) & ~inside, axis=1)
                value = np.where(inside, value, 0.0)
            if border == "renormalize":
                value = _normalised(value, edge_rows, kernel, border)
            target = _fold(samples, n, border) - start[edge_rows, None]
            used = value != 0
            row_of = np.broadcast_to(edge_rows[:, None], used.shape)
            np.add.at(weights, (row_of[used], target[used]), value[used])
    _close_sum(weights, whole)
    return Taps(n, start, weights, grid.period)


def _distance(
    k: IntArray, numerator: Numerator, denominator: int, widening: Fraction | float
) -> FloatArray:
    """|k − remainder| / widening, for every remainder and every k, rounded once if exact."""
    length: FloatArray = np.abs(k * denominator - numerator[:, None])
    if isinstance(widening, Fraction):
        unit = 1 / (widening * denominator)
        if unit.numerator < 2**20 and denominator * (abs(int(k[0])) + 1) < 2**42:
            length = (length * unit.numerator) / float(unit.denominator)
        else:
            length = length * float(unit)
    else:
        length = length / (float(widening) * denominator)
    return length


def _fold(samples: IntArray, n: int, border: str) -> IntArray:
    """Samples outside the array stand for one inside."""
    if border not in ("reflect", "mirror") or n == 1:
        return np.clip(samples, 0, n - 1)
    if border == "reflect":  # d c b a | a b c d | d c b a
        samples = np.mod(samples, 2 * n)
        return np.where(samples < n, samples, 2 * n - 1 - samples)
    samples = np.mod(samples, 2 * n - 2)  # d c b | a b c d | c b a
    return np.where(samples < n, samples, 2 * n - 2 - samples)


def _normalised(raw: FloatArray, rows: IntArray, kernel: Filter, border: str) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        total = raw.sum(axis=1, keepdims=True)
        scale = np.abs(raw).sum(axis=1, keepdims=True)
    if not np.isfinite(scale).all():
        raise ValueError(f"mode {kernel.name!r}: the sum of the weights overflows float64")
    # A sum that is nothing but cancellation cannot be divided by.
    bad = np.abs(total) <= 1e-12 * scale
    if bad.any():
        row = rows[np.flatnonzero(bad)[0]]
        raise ValueError(
            f"mode {kernel.name!r} with border {border!r}: the weights of output sample {row} "
            f"sum to 0, so they cannot be normalised; use a filter with a wider support "
            f"(it is {kernel.support:g}) or another border"
        )
    weights: FloatArray = raw / total
    return weights


def _close_sum(weights: FloatArray, whole: npt.NDArray[np.bool_]) -> None:
    """Put what is missing to a sum of exactly 1 on the largest weight of each row."""
    total = np.zeros(weights.shape[0])
    lost = np.zeros(weights.shape[0])
    for column in weights.T:  # two-sum: the error of each addition is kept
        new = total + column
        part = new - total
        lost += (total - (new - part)) + (column - part)
        total = new
    missing = (1.0 - total) - lost
    add_to_largest(weights, np.where(whole, missing, 0.0))
