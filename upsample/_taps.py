"""The table of one axis: W as a run of weights for every output sample.

::

    input sample     0   1   2   3   4   5   6   7          n = 8
    row 0           [w   w] .   .   .   .   .   .           start 0
    row 1            .   . [w   w]  .   .   .   .           start 2
    row 2            .   .   .   .   . [w   w]  .           start 5     width 2

`start` never decreases, so a column of W is a run of rows: the table of Wᵀ has the same
form, and the adjoint runs through the same kernels.  Border rules are folded in here; the
kernels know of none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from upsample._filters import Filter
from upsample._grid import Grid, Numerator

# Rows of a table are made in slices, so that temporaries stay small on long axes.
_SLICE_ELEMENTS = 1 << 18

# Longer axes do without windows, which take as much memory as the table once more.
_MOST_WINDOWED = 1 << 22

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]


class Windows(NamedTuple):
    """Rows of a table in groups of `size`, for registers of `lanes` samples.

    ::

        x    base           base + lanes
              │ a  b  c  d  e  f  g  h │          tap 0: the `numbers` of these
                 │ b  c  d  e  f  g  h  i │       tap 1: the same numbers, one sample on

    Group q makes outputs ``q·size …``, tap k of which reads sample ``base[q] + k + numbers[q, i]``
    with weight ``weights[q, k, i]``.  Where `base` is -1 the rows of a group are too far apart.
    `numbers` are of parts of four bytes.  The registers of later taps may end behind the array;
    the kernel reads what is there.
    """

    size: int
    lanes: int
    base: IntArray
    numbers: npt.NDArray[np.uint8]
    weights: FloatArray
    full: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Packed:
    """What the kernels read: rows without their leading and trailing zeros.

    Row i is ``weights[i, :count[i]]`` on samples ``first[i] …``.  Rows ``lo … hi-1`` repeat:
    row i + period is row i moved by `step` samples, and one period reads `span` samples.
    ``holes`` tells of zeros inside a row.  ``even`` is a stretch of rows of equal count: begin,
    end, count.  No row before `tail` reads the last sample.
    """

    n: int
    first: IntArray
    count: npt.NDArray[np.int32]
    weights: FloatArray
    holes: bool
    selection: bool
    period: int
    step: int
    lo: int
    hi: int
    span: int
    even: tuple[int, int, int]
    tail: int

    @property
    def hints(self) -> tuple[int, ...]:
        """What the kernels need not find out for themselves."""
        return (self.period, self.step, self.lo, self.hi, self.span, *self.even, self.tail)

    def windows(self, lanes: int) -> Windows | None:
        """The rows in groups, each of which reads `lanes` neighbours for every tap; see `Windows`.

        None if rows have zeros inside, or read too far apart.
        """
        width = self.weights.shape[1]
        last = self.n - lanes
        if lanes == 0 or self.holes or last < 0 or len(self.first) > _MOST_WINDOWED:
            return None
        for size in (lanes, lanes // 2):
            groups = len(self.first) // size
            if groups == 0:
                continue
            first = self.first[: groups * size].reshape(groups, size)
            base = np.minimum(first.min(axis=1), last)
            index = first - base[:, None]
            fits = (index < lanes).all(axis=1) & (self.count[: groups * size] > 0).reshape(
                groups, size
            ).all(axis=1)
            if 4 * np.count_nonzero(fits) >= 3 * groups:
                break
        else:
            return None
        index[~fits] = 0
        weights = self.weights[: groups * size].reshape(groups, size, width).transpose(0, 2, 1)
        # Numbers of four-byte parts: a sample is one of eight of them, or two.
        parts = 8 // lanes
        numbers = np.zeros((groups, 8), dtype=np.uint8)
        for part in range(parts):
            numbers[:, part : size * parts : parts] = index * parts + part
        return Windows(
            size=size,
            lanes=lanes,
            base=np.where(fits, base, -1),
            numbers=numbers,
            weights=np.ascontiguousarray(weights),
            full=(weights != 0).all(axis=(1, 2)).astype(np.uint8),
        )


@dataclass(frozen=True, eq=False)
class Taps:
    """A sparse matrix of shape (m, n) whose rows are runs; immutable.

    Parameters
    ----------
    n : int
        Number of columns (samples of the input).
    start : ndarray of int64, shape (m,)
        First sample of each run, never decreasing, ``0 <= start <= n - width``.
    weights : ndarray of float64 or float32, shape (m, width)
    period : tuple of int, optional
        (M, N): a hint that row i + M is row i moved by N samples, away from the borders.
    """

    n: int
    start: IntArray
    weights: FloatArray
    period: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if np.any(np.diff(self.start) < 0):
            raise AssertionError("start must not decrease")
        self.start.flags.writeable = False
        self.weights.flags.writeable = False

    @property
    def m(self) -> int:
        return int(self.start.shape[0])

    @property
    def width(self) -> int:
        return int(self.weights.shape[1])

    @property
    def nbytes(self) -> int:
        return self.start.nbytes + self.weights.nbytes

    @cached_property
    def is_selection(self) -> bool:
        """Each row is a single weight 1: samples are copied, whatever their type."""
        return bool(
            np.all(np.count_nonzero(self.weights, axis=1) == 1)
            and np.all(self.weights.sum(axis=1) == 1)
        )

    @cached_property
    def is_identity(self) -> bool:
        return (
            self.m == self.n and self.is_selection and bool(np.all(self.index == np.arange(self.n)))
        )

    @property
    def index(self) -> IntArray:
        """The sample with the first non-zero weight of each row."""
        index: IntArray = self.start + np.argmax(self.weights != 0, axis=1)
        return index

    def transpose(self) -> Taps:
        """The table of Wᵀ: row j holds the weights of sample j in every output."""
        m, n, width = self.m, self.n, self.width
        samples = np.arange(n, dtype=np.int64)
        begin = np.searchsorted(self.start, samples - (width - 1), side="left")
        end = np.searchsorted(self.start, samples, side="right")
        run = max(int((end - begin).max()), 1)
        start = np.minimum(begin, m - run).astype(np.int64)
        weights = np.zeros((n, run), dtype=self.weights.dtype)
        for part in _slices(n, run):
            rows = start[part, None] + np.arange(run)
            column = samples[part, None] - self.start[rows]
            valid = (column >= 0) & (column < width)
            np.copyto(
                weights[part],
                self.weights[rows, np.where(valid, column, 0)],
                where=valid,
            )
        period = None if self.period is None else (self.period[1], self.period[0])
        return Taps(n=m, start=start, weights=weights, period=period)

    def astype(self, dtype: npt.DTypeLike) -> Taps:
        """The same table with weights rounded so that each row keeps its sum.

        The rounding errors of a row are put on its largest weight, and a weight that is not
        zero stays so: which samples an output depends on does not change with the type.
        """
        dtype = np.dtype(dtype)
        if dtype == self.weights.dtype:
            return self
        rounded = self.weights.astype(dtype)
        tiny = np.finfo(dtype).smallest_subnormal
        lost = (rounded == 0) & (self.weights != 0)
        rounded[lost] = np.copysign(tiny, self.weights[lost])
        error = (self.weights - rounded).sum(axis=1)
        _add_to_largest(rounded, error.astype(dtype))
        return Taps(self.n, self.start, rounded, self.period)

    def dense(self) -> FloatArray:
        """W as an (m, n) array."""
        full = np.zeros((self.m, self.n), dtype=self.weights.dtype)
        columns = self.start[:, None] + np.arange(self.width)
        full[np.arange(self.m)[:, None], columns] = self.weights
        return full

    def coordinates(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Rows, columns and values of the weights that are not zero, in order of rows."""
        row, k = np.nonzero(self.weights)
        return row.astype(np.int64), self.start[row] + k, self.weights[row, k]

    def packed(self) -> Packed:
        m, width = self.m, self.width
        first = self.start.copy()
        count = np.zeros(m, dtype=np.int32)
        lead = np.zeros(m, dtype=np.int64)
        holes = False
        for part in _slices(m, width):
            used = self.weights[part] != 0
            any_used = used.any(axis=1)
            lead[part] = np.argmax(used, axis=1)
            last = width - 1 - np.argmax(used[:, ::-1], axis=1)
            count[part] = np.where(any_used, last - lead[part] + 1, 0)
            holes |= bool(np.any(used.sum(axis=1) != count[part]))
        first += lead
        weights = np.zeros((m, max(int(count.max()), 1)), dtype=self.weights.dtype)
        k = np.arange(weights.shape[1])
        for part in _slices(m, width):
            source = lead[part, None] + k
            inside = k < count[part, None]
            taken = np.take_along_axis(self.weights[part], np.where(inside, source, 0), axis=1)
            np.copyto(weights[part], taken, where=inside)
        period, step, lo, hi = self._repeating(first, count, weights)
        rows = slice(lo, lo + period)
        end = first + count
        usual = int(np.bincount(count).argmax())
        begin, stop = _longest(count == usual)
        for array in (first, count, weights):
            array.flags.writeable = False
        return Packed(
            n=self.n,
            first=first,
            count=count,
            weights=weights,
            holes=holes,
            selection=self.is_selection,
            period=period,
            step=step,
            lo=lo,
            hi=hi,
            span=int(end[rows].max() - first[rows].min()) if period else 0,
            even=(begin, stop, usual),
            tail=int(np.argmax(end >= self.n)) if np.any(end >= self.n) else m,
        )

    def _repeating(
        self, first: IntArray, count: npt.NDArray[np.int32], weights: FloatArray
    ) -> tuple[int, int, int, int]:
        """Check the hint on the weights themselves; the longest stretch of rows that repeat."""
        if self.period is None or self.period[0] >= self.m:
            return 0, 0, 0, 0
        period, step = self.period
        same = (first[period:] == first[:-period] + step) & (count[period:] == count[:-period])
        for part in _slices(self.m - period, weights.shape[1]):
            later = slice(part.start + period, part.stop + period)
            same[part] &= (weights[later] == weights[part]).all(axis=1)
        begin, end = _longest(same)
        return (period, step, begin, end + period) if end > begin else (0, 0, 0, 0)


def _longest(true: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Begin and end of the longest stretch of True."""
    edges = np.flatnonzero(np.diff(true, prepend=False, append=False))
    if edges.size == 0:
        return 0, 0
    begin, end = edges[0::2], edges[1::2]
    longest = int(np.argmax(end - begin))
    return int(begin[longest]), int(end[longest])


def _slices(rows: int, width: int) -> Iterator[slice]:
    size = max(_SLICE_ELEMENTS // max(width, 1), 1)
    for begin in range(0, rows, size):
        yield slice(begin, min(begin + size, rows))


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
    for part in _slices(m, width):
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
    for part in _slices(m, width):
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
    repeats = period * span <= min(_SLICE_ELEMENTS, m * span // 2)
    phases = raw_weights(np.arange(period, dtype=np.int64)) if repeats else None
    for part in _slices(m, span):
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
    _add_to_largest(weights, np.where(whole, missing, 0.0))


def _add_to_largest(weights: FloatArray, amount: npt.NDArray[np.floating[Any]]) -> None:
    largest = np.argmax(np.abs(weights), axis=1)
    weights[np.arange(weights.shape[0]), largest] += amount
