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
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from upsample._typing import FloatArray, IntArray

# Rows of a table are made in slices, so that temporaries stay small on long axes.
SLICE_ELEMENTS = 1 << 18


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
        for part in row_slices(n, run):
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
        add_to_largest(rounded, error.astype(dtype))
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


def row_slices(rows: int, width: int) -> Iterator[slice]:
    size = max(SLICE_ELEMENTS // max(width, 1), 1)
    for begin in range(0, rows, size):
        yield slice(begin, min(begin + size, rows))


def add_to_largest(weights: FloatArray, amount: npt.NDArray[np.floating[Any]]) -> None:
    largest = np.argmax(np.abs(weights), axis=1)
    weights[np.arange(weights.shape[0]), largest] += amount
