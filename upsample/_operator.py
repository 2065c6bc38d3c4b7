"""A Resampler for scipy: a LinearOperator, and the matrix of one axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator

if TYPE_CHECKING:
    from upsample._resampler import Resampler
    from upsample._taps import Taps

Array = npt.NDArray[Any]


class ResampleOperator(LinearOperator):  # type: ignore[misc]
    """W on flattened arrays of one shape: ``op @ x.ravel()`` is ``forward(x).ravel()``.

    `_matmat` hands all columns to the kernels at once, as elements behind the last axis.
    """

    def __init__(
        self,
        resampler: Resampler,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        axes: tuple[int, ...],
    ) -> None:
        out = list(shape)
        for axis, m in zip(axes, resampler.output_size, strict=True):
            out[axis] = m
        self.resampler = resampler
        self.axes = axes
        self.input_shape = shape
        self.output_shape = tuple(out)
        super().__init__(np.dtype(dtype), (math.prod(out), math.prod(shape)))

    def _columns(self, x: Array, shape: tuple[int, ...]) -> Array:
        x = np.asarray(x)
        kind = np.result_type(x.dtype, self.dtype)
        return np.ascontiguousarray(x, dtype=kind).reshape(*shape, -1)

    def _matmat(self, x: Array) -> Array:
        y = self.resampler.forward(self._columns(x, self.input_shape), axes=self.axes)
        return y.reshape(self.shape[0], -1)

    def _rmatmat(self, y: Array) -> Array:
        x = self.resampler.adjoint(self._columns(y, self.output_shape), axes=self.axes)
        return x.reshape(self.shape[1], -1)

    def _matvec(self, x: Array) -> Array:
        return self._matmat(x).reshape(-1)

    def _rmatvec(self, y: Array) -> Array:
        return self._rmatmat(y).reshape(-1)


def matrix(taps: Taps) -> csr_array:
    """W of one axis with its non-zero weights, shape (m, n)."""
    row, column, value = taps.coordinates()
    return csr_array((value, (row, column)), shape=(taps.m, taps.n))
