"""interpolate and interpolate_backward: argument rules, then a cached Resampler."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from upsample import _modes
from upsample._arguments import (
    axis_count,
    check_addressable,
    check_rank,
    check_sizes,
    index,
    is_sequence,
    normalise_axes,
    scale_factors,
    sizes,
)
from upsample._dtypes import check_gradient
from upsample._filters import Filter
from upsample._resampler import Resampler
from upsample._typing import Array, Factors, Shape, Sizes

# Larger tables are made anew: they cost little beside the arrays, and would fill the memory.
_CACHED_BYTES = 1 << 20


def interpolate(
    x: npt.ArrayLike,
    size: Sizes | None = None,
    scale_factor: Factors | None = None,
    mode: str | Filter = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
    *,
    axes: Sizes | None = None,
    cubic_coeff: float | None = None,
    border: str | None = None,
    out: Array | None = None,
    num_threads: int | None = None,
) -> Array:
    """Resample an array along some of its axes.

    The first arguments are those of ``torch.nn.functional.interpolate``, in its order.

    Parameters
    ----------
    x : array_like
        Array of any rank and layout, of a dtype in the table below; of any dtype in the modes
        that copy samples (``nearest``, ``nearest-exact``).
    size : int or sequence of int, optional
        Output lengths along the resampled axes.  Exactly one of `size` and `scale_factor` is given.
    scale_factor : float or sequence of float, optional
        Output samples per input sample.  The output length is ``floor(n * scale_factor)``, and the
        given factor, not the ratio of the lengths, decides the coordinates.
    mode : str or Filter, optional
        A name in `MODES`, or a kernel of the caller's own.
    align_corners : bool, optional
        Let the centres of the corner samples coincide.  None means False; it must stay None (False
        is an error, too) with ``nearest``, ``nearest-exact``, ``area``, ``box`` and `antialias`.
    recompute_scale_factor : bool, optional
        Let the ratio of the lengths decide the coordinates although a factor is given.
    antialias : bool, optional
        Widen the kernel when shrinking, so that every sample counts.
    axes : int or sequence of int, optional
        The axes to resample, which `size` and `scale_factor` follow in order.  By default the last
        d axes for sequences of length d; for single numbers the last two or three for a mode whose
        name says so, else all axes after the first two, or all axes of 1-D and 2-D arrays.
    cubic_coeff : float, optional
        The parameter a of the cubic modes, -0.75 by default (-0.5 with `antialias`).
    border : {'edge', 'renormalize', 'zero', 'reflect', 'mirror'}, optional
        What stands for samples outside the array.  By default ``edge`` for linear and cubic,
        ``renormalize`` for the other kernels and with `antialias`.
    out : ndarray, optional
        Where to put the result: of its shape and dtype, in any layout.  It may share memory with
        the input.
    num_threads : int, optional
        Threads for this call, at least 1.

    Returns
    -------
    ndarray
        Of the dtype of `x`, its axes in the same order in memory; `out` if given.

    Raises
    ------
    ValueError
        For sizes, factors and axes out of range, an unknown mode, options that do not go together.
    TypeError
        For arguments of a wrong type, or a dtype that the mode does not take.

    See Also
    --------
    interpolate_backward : The gradient.
    Resampler : The same with the tables made once.

    Notes
    -----
    Along each axis the result is W x with a sparse matrix W.  With ``r = n / m`` (or
    ``1 / scale_factor``), output i of a kernel mode lies at input coordinate
    ``(i + 1/2) r - 1/2``, or at ``i (n - 1) / (m - 1)`` with `align_corners`; coordinates are exact
    rationals or float64 whatever the dtype.  The result is rounded once, at the end, and integers
    half to even and saturated:

    ================================  ===========  ========
    dtype                             computed in  gradient
    ================================  ===========  ========
    float16, bfloat16 (ml_dtypes)     float32      yes
    float32, complex64                float32      yes
    float64, complex128               float64      yes
    int8, uint8, int16, uint16        float32      no
    int32, uint32                     float64      no
    all others, in the nearest modes  (copied)     no
    ================================  ===========  ========

    Cubic convolution is Keys' [1]_, Lanczos kernels are
    Duchon's [2]_.

    References
    ----------
    .. [1] R. Keys, "Cubic convolution interpolation for digital image processing", IEEE
       Transactions on Acoustics, Speech, and Signal Processing 29(6), 1981.
    .. [2] C. Duchon, "Lanczos filtering in one and two dimensions", Journal of Applied
       Meteorology 18(8), 1979.

    Examples
    --------
    >>> import numpy as np
    >>> import upsample
    >>> upsample.interpolate(np.array([0.0, 1.0, 2.0]), size=6, mode="linear")
    array([0.  , 0.25, 0.75, 1.25, 1.75, 2.  ])
    >>> image = np.zeros((1, 3, 32, 48), np.float32)
    >>> upsample.interpolate(image, scale_factor=2, mode="bicubic").shape
    (1, 3, 64, 96)
    """
    if type(x) is not np.ndarray:
        x = np.asarray(x)
    arguments = (
        x.shape,
        _integers("size", size),
        _numbers(scale_factor),
        _integers("axes", axes),
        mode,
        align_corners,
        recompute_scale_factor,
        antialias,
        cubic_coeff,
        border,
    )
    try:
        resampler, where = _cached_forward(*arguments)
    except (_TooLargeToKeep, TypeError) as problem:
        resampler, where = _uncached(problem, _plan_forward, arguments)
    return resampler.forward(x, axes=where, out=out, num_threads=num_threads)


def interpolate_backward(
    grad_output: npt.ArrayLike,
    input_size: Sizes,
    scale_factor: Factors | None = None,
    mode: str | Filter = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
    *,
    axes: Sizes | None = None,
    cubic_coeff: float | None = None,
    border: str | None = None,
    out: Array | None = None,
    num_threads: int | None = None,
) -> Array:
    """Gradient of `interpolate` with respect to its input: the exact adjoint.

    Parameters
    ----------
    grad_output : array_like
        Gradient with respect to the output of `interpolate`, floating or complex, of its shape.
    input_size : int or sequence of int
        Lengths of the forward's input along the resampled axes, which are found by the rules of
        `interpolate` with `input_size` in place of `size`.
    scale_factor : float or sequence of float, optional
        As given to the forward, if it was (and was not recomputed).
    mode, align_corners, recompute_scale_factor, antialias, axes, cubic_coeff, border
        As given to the forward.
    out : ndarray, optional
        Where to put the result: of its shape and dtype, in any layout.
    num_threads : int, optional
        Threads for this call, at least 1.

    Returns
    -------
    ndarray
        Of the dtype of `grad_output` and the shape of the forward's input; `out` if given.

    Raises
    ------
    ValueError
        As `interpolate`; also if the lengths of `grad_output` are not those that the forward makes
        of `input_size` with `scale_factor`.
    TypeError
        If `grad_output` is neither floating nor complex, or an argument has a wrong type.

    See Also
    --------
    interpolate : The forward.

    Notes
    -----
    The gradient is ``W.T @ g`` along each axis, computed by the kernels of the forward on the
    transposed table.  Since the forward is linear, the derivative of this function with respect to
    `grad_output` is the forward again.

    Examples
    --------
    >>> import numpy as np
    >>> import upsample
    >>> upsample.interpolate_backward(np.ones(6), input_size=3, mode="linear")
    array([2., 2., 2.])
    """
    g = grad_output if type(grad_output) is np.ndarray else np.asarray(grad_output)
    arguments = (
        g.shape,
        _integers("input_size", input_size),
        _numbers(scale_factor),
        _integers("axes", axes),
        mode,
        align_corners,
        recompute_scale_factor,
        antialias,
        cubic_coeff,
        border,
    )
    if g.dtype.char not in "efdFD":  # the others take longer to look up
        check_gradient("grad_output", g.dtype)
    try:
        resampler, where = _cached_backward(*arguments)
    except (_TooLargeToKeep, TypeError) as problem:
        resampler, where = _uncached(problem, _plan_backward, arguments)
    return resampler.adjoint(g, axes=where, out=out, num_threads=num_threads)


# What follows depends on the shape of the array and the other arguments alone, and is kept for
# the next call with the same ones.

Plan = tuple[Resampler, tuple[int, ...]]


def _integers(argument: str, value: Any) -> Any:
    """None, an int or a tuple of ints: a key for the cache that is equal to no other type's."""
    if value is None or type(value) is int:
        return value
    if type(value) is tuple:
        for item in value:  # a loop takes a third of the time of any() or a set
            if type(item) is not int:
                break
        else:
            return value
    if is_sequence(value):
        return tuple(index(argument, item) for item in value)
    return index(argument, value)


def _numbers(value: Any) -> Any:
    """The same for factors."""
    if value is None or type(value) is float or type(value) is int:
        return value
    if type(value) is tuple:
        for item in value:
            if type(item) is not float and type(item) is not int:
                break
        else:
            return value
    if is_sequence(value):
        return scale_factors(value, len(value))
    return scale_factors(value, 1)[0]


class _TooLargeToKeep(Exception):
    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan


def _uncached(problem: Exception, plan: Callable[..., Plan], arguments: Any) -> Plan:
    """What the cache could not give: tables too large for it, or arguments that are no key."""
    if isinstance(problem, _TooLargeToKeep):
        return problem.plan
    return plan(*arguments)  # for a list; with a wrong type, the error comes from here


def _bounded(plan: Plan) -> Plan:
    """Tables of long axes would fill the memory, and cost little beside the arrays."""
    if plan[0]._nbytes > _CACHED_BYTES:
        raise _TooLargeToKeep(plan)
    return plan


def _plan_forward(
    shape: Shape,
    size: Sizes | None,
    scale_factor: Factors | None,
    axes: Sizes | None,
    mode: str | Filter,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    *options: Any,
) -> Plan:
    check_sizes("size", size, scale_factor, recompute_scale_factor)
    where = _which_axes(shape, mode, axes, size=size, scale_factor=scale_factor)
    input_size = _lengths(shape, where)
    if size is not None:
        size = sizes("size", size, len(where))
        result = list(shape)
        for axis, m in zip(where, size, strict=True):
            result[axis] = m
        check_addressable(f"size={size!r} for an array of shape {shape}", result)
    first = (input_size, size, scale_factor, mode, align_corners, recompute_scale_factor)
    return _make(*first, *options), where


def _plan_backward(
    shape: Shape,
    input_size: Sizes,
    scale_factor: Factors | None,
    axes: Sizes | None,
    mode: str | Filter,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    *options: Any,
) -> Plan:
    where = _which_axes(shape, mode, axes, input_size=input_size, scale_factor=scale_factor)
    output_size = _lengths(shape, where)
    before = sizes("input_size", input_size, len(where))
    if scale_factor is None and recompute_scale_factor is True:
        recompute_scale_factor = None  # the ratio of the sizes, as without a factor
    size = output_size if scale_factor is None else None
    first = (before, size, scale_factor, mode, align_corners, recompute_scale_factor)
    resampler = _make(*first, *options)
    if resampler.output_size != output_size:
        raise ValueError(
            f"grad_output has lengths {output_size} along axes {where}, but input_size="
            f"{input_size!r} with scale_factor={scale_factor!r} makes {resampler.output_size}"
        )
    return resampler, where


def _lengths(shape: Shape, where: tuple[int, ...]) -> tuple[int, ...]:
    lengths = tuple(shape[axis] for axis in where)
    if 0 in lengths:
        raise ValueError(
            f"the axes to resample must not be empty, got lengths {lengths} along axes {where}"
        )
    return lengths


def _make(*arguments: Any) -> Resampler:
    *first, cubic_coeff, border = arguments
    return Resampler(*first, cubic_coeff=cubic_coeff, border=border)


_cached_forward = functools.lru_cache(maxsize=64, typed=True)(
    lambda *arguments: _bounded(_plan_forward(*arguments))
)
_cached_backward = functools.lru_cache(maxsize=64, typed=True)(
    lambda *arguments: _bounded(_plan_backward(*arguments))
)


def _which_axes(
    shape: Shape, mode: str | Filter, axes: Sizes | None, **given: object
) -> tuple[int, ...]:
    """The axes to be resampled, by what the caller said."""
    rank = _modes.lookup(mode).rank
    if axes is not None:
        where = normalise_axes(axes, len(shape))
        if not where:
            raise ValueError(f"axes must name at least one axis, got {axes!r}")
        for name, value in given.items():
            if is_sequence(value) and len(value) != len(where):  # type: ignore[arg-type]
                raise ValueError(
                    f"{name} must have {len(where)} entries, one for each of axes={axes!r}, "
                    f"got {value!r}"
                )
    elif any(is_sequence(value) for value in given.values()):
        where = _last_axes(shape, axis_count(rank, **given), mode, given)
    elif rank is not None:
        where = _last_axes(shape, rank, mode, given)
    else:
        where = tuple(range(2 if len(shape) >= 3 else 0, len(shape)))
        if not where:
            raise ValueError("an array without dimensions has no axis to resample")
    check_rank(mode, rank, len(where))
    return where


def _last_axes(
    shape: Shape, count: int, mode: str | Filter, given: dict[str, object]
) -> tuple[int, ...]:
    if len(shape) < count:
        words = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        raise ValueError(
            f"an array of shape {shape} does not have the {count} axes to resample that "
            f"mode={mode!r} with {words} needs"
        )
    return tuple(range(len(shape) - count, len(shape)))
