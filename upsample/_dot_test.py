"""The dot test: is the adjoint the adjoint?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from upsample._dtypes import check_differentiable
from upsample._resampler import Resampler
from upsample._typing import Array


def dot_test(
    resampler: Resampler,
    shape: Sequence[int],
    dtype: npt.DTypeLike = np.float64,
    axes: int | Sequence[int] | None = None,
    rng: np.random.Generator | int | None = None,
) -> float:
    """How far forward and adjoint are from being adjoint to each other.

    For random x and y, ``|⟨Wx, y⟩ − ⟨x, Wᵀy⟩| / (‖Wx‖ ‖y‖)``, with the inner products and
    norms taken in double precision.

    Parameters
    ----------
    resampler : Resampler
    shape : sequence of int
        Shape of the forward input, resampled axes included.
    dtype : dtype, optional
        A floating or complex dtype.
    axes : int or sequence of int, optional
        As in `Resampler.forward`.
    rng : numpy.random.Generator or int, optional
        Source of the random arrays, or a seed.

    Returns
    -------
    float
        About the rounding unit of `dtype` (float64: below 1e-15) if all is right.

    Examples
    --------
    >>> import upsample
    >>> r = upsample.Resampler((20, 30), (31, 17), mode="bicubic")
    >>> upsample.dot_test(r, (3, 20, 30), rng=0) < 1e-14
    True
    """
    rng = np.random.default_rng(rng)
    dtype = np.dtype(dtype)
    check_differentiable("dtype", dtype)

    def draw(size: tuple[int, ...]) -> Array:
        values = rng.standard_normal(size)
        if dtype.kind == "c":
            values = values + 1j * rng.standard_normal(size)
        return values.astype(dtype)

    x = draw(tuple(shape))
    forward = resampler.forward(x, axes=axes)
    y = draw(forward.shape)
    adjoint = resampler.adjoint(y, axes=axes)
    wide = np.promote_types(dtype, np.float64)
    forward, y = forward.astype(wide), y.astype(wide)
    left = np.vdot(forward, y)
    right = np.vdot(x.astype(wide), adjoint.astype(wide))
    norm = np.linalg.norm(forward.ravel()) * np.linalg.norm(y.ravel())
    mismatch = float(abs(left - right))
    return mismatch / float(norm) if norm else mismatch
