"""What the kernels read: rows without zeros at their ends, what repeats, groups for registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from upsample._taps import Taps, row_slices
from upsample._typing import FloatArray, IntArray

# Longer axes do without windows, which take as much memory as the table once more.
_MOST_WINDOWED = 1 << 22


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


def windows(packed: Packed, lanes: int) -> Windows | None:
    """The rows in groups, each of which reads `lanes` neighbours for every tap; see `Windows`.

    None if rows have zeros inside, or read too far apart.
    """
    width = packed.weights.shape[1]
    last = packed.n - lanes
    if lanes == 0 or packed.holes or last < 0 or len(packed.first) > _MOST_WINDOWED:
        return None
    for size in (lanes, lanes // 2):
        groups = len(packed.first) // size
        if groups == 0:
            continue
        first = packed.first[: groups * size].reshape(groups, size)
        base = np.minimum(first.min(axis=1), last)
        index = first - base[:, None]
        fits = (index < lanes).all(axis=1) & (packed.count[: groups * size] > 0).reshape(
            groups, size
        ).all(axis=1)
        if 4 * np.count_nonzero(fits) >= 3 * groups:
            break
    else:
        return None
    index[~fits] = 0
    weights = packed.weights[: groups * size].reshape(groups, size, width).transpose(0, 2, 1)
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


def pack(taps: Taps) -> Packed:
    m, width = taps.m, taps.width
    first = taps.start.copy()
    count = np.zeros(m, dtype=np.int32)
    lead = np.zeros(m, dtype=np.int64)
    holes = False
    for part in row_slices(m, width):
        used = taps.weights[part] != 0
        any_used = used.any(axis=1)
        lead[part] = np.argmax(used, axis=1)
        last = width - 1 - np.argmax(used[:, ::-1], axis=1)
        count[part] = np.where(any_used, last - lead[part] + 1, 0)
        holes |= bool(np.any(used.sum(axis=1) != count[part]))
    first += lead
    weights = np.zeros((m, max(int(count.max()), 1)), dtype=taps.weights.dtype)
    k = np.arange(weights.shape[1])
    for part in row_slices(m, width):
        source = lead[part, None] + k
        inside = k < count[part, None]
        taken = np.take_along_axis(taps.weights[part], np.where(inside, source, 0), axis=1)
        np.copyto(weights[part], taken, where=inside)
    period, step, lo, hi = _repeating(taps, first, count, weights)
    rows = slice(lo, lo + period)
    end = first + count
    usual = int(np.bincount(count).argmax())
    begin, stop = _longest(count == usual)
    for array in (first, count, weights):
        array.flags.writeable = False
    return Packed(
        n=taps.n,
        first=first,
        count=count,
        weights=weights,
        holes=holes,
        selection=taps.is_selection,
        period=period,
        step=step,
        lo=lo,
        hi=hi,
        span=int(end[rows].max() - first[rows].min()) if period else 0,
        even=(begin, stop, usual),
        tail=int(np.argmax(end >= taps.n)) if np.any(end >= taps.n) else m,
    )


def _repeating(
    taps: Taps, first: IntArray, count: npt.NDArray[np.int32], weights: FloatArray
) -> tuple[int, int, int, int]:
    """Check the hint on the weights themselves; the longest stretch of rows that repeat."""
    if taps.period is None or taps.period[0] >= taps.m:
        return 0, 0, 0, 0
    period, step = taps.period
    same = (first[period:] == first[:-period] + step) & (count[period:] == count[:-period])
    for part in row_slices(taps.m - period, weights.shape[1]):
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
