"""Resampler: the tables of every axis, and what they are applied to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from upsample import _modes, _sampling, _threads
from upsample._arguments import (
    axis_count,
    check_addressable,
    check_out,
    check_rank,
    check_sizes,
    index,
    normalise_axes,
    scale_factors,
    scaled_size,
    sizes,
)
from upsample._dtypes import arithmetic, check_differentiable, check_gradient, no_kernel
from upsample._filters import Filter
from upsample._modes import Method
from upsample._passes import Pass, make_table, run
from upsample._taps import Taps
from upsample._typing import Array, Factors, Sizes

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator

    from upsample import _kernels


class Resampler:
    """Resampling between two fixed sizes: W, and its adjoint Wᵀ, ready to be applied.

    A Resampler is immutable; building it makes the tables of weights, so that calls cost no
    more than the arithmetic.  It can be shared by threads, compared, hashed and pickled.

    Parameters
    ----------
    input_size : int or sequence of int
        Lengths of the axes to be resampled, each at least 1.  Where all sizes and factors are
        single numbers, they are of one axis, or of the two or three that the mode's name says.
    output_size : int or sequence of int, optional
        Lengths after resampling.  Exactly one of `output_size` and `scale_factor` is given.
    scale_factor : float or sequence of float, optional
        Output samples per input sample; the output size is ``floor(n * scale_factor)``, and the
        coordinates are computed with the given factor unless `recompute_scale_factor`.
    mode : str or Filter, optional
        A name in `MODES`, or a kernel of the caller's own.
    align_corners : bool, optional
        Let the centres of the corner samples coincide.  None means False.  Not allowed where
        it has no meaning (``nearest``, ``nearest-exact``, ``area``, ``box``, `antialias`).
    recompute_scale_factor : bool, optional
        Use the ratio of the sizes in place of the given factor.
    antialias : bool, optional
        Widen the kernel when shrinking.
    cubic_coeff : float, optional
        The parameter a of the cubic modes.
    border : {'edge', 'renormalize', 'zero', 'reflect', 'mirror'}, optional
        What stands for samples outside the array; the default is the mode's own.

    Attributes
    ----------
    input_size, output_size : tuple of int
    scale_factor : tuple of float or None
        The given factors, with None for axes whose sizes decide the coordinates; None if the
        sizes decide for all.
    mode, align_corners, antialias, cubic_coeff, border
        As given.

    Raises
    ------
    ValueError
        For sizes or factors out of range, and options that do not go together.
    TypeError
        For arguments of a wrong type.

    See Also
    --------
    interpolate, interpolate_backward : The same for a single call.

    Examples
    --------
    >>> import numpy as np
    >>> import upsample
    >>> r = upsample.Resampler((2, 3), (4, 6), mode="bilinear")
    >>> r
    Resampler(input_size=(2, 3), output_size=(4, 6), mode='bilinear')
    >>> x = np.arange(12.0).reshape(2, 2, 3)
    >>> r.forward(x).shape
    (2, 4, 6)
    >>> r.adjoint(np.ones((2, 4, 6)))[0]
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """

    __slots__ = (
        "__weakref__",
        "_align_corners",
        "_antialias",
        "_border",
        "_cubic_coeff",
        "_factors",
        "_input_size",
        "_mode",
        "_output_size",
        "_replay_adjoint",
        "_replay_forward",
        "_tables",
        "_taps",
    )

    _input_size: tuple[int, ...]
    _output_size: tuple[int, ...]
    _factors: tuple[float | None, ...]

    def __init__(
        self,
        input_size: Sizes,
        output_size: Sizes | None = None,
        scale_factor: Factors | None = None,
        mode: str | Filter = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
        antialias: bool = False,
        *,
        cubic_coeff: float | None = None,
        border: str | None = None,
    ) -> None:
        method = _modes.resolve(mode, align_corners, antialias, cubic_coeff, border)
        _modes.check_flag("recompute_scale_factor", recompute_scale_factor, none=True)
        check_sizes("output_size", output_size, scale_factor, recompute_scale_factor)
        rank = axis_count(
            method.rank,
            input_size=input_size,
            output_size=output_size,
            scale_factor=scale_factor,
        )
        check_rank(mode, method.rank, rank)
        self._input_size = sizes("input_size", input_size, rank)
        factors: tuple[float | None, ...] = (None,) * rank
        if output_size is not None:
            self._output_size = sizes("output_size", output_size, rank)
        else:
            given = scale_factors(scale_factor, rank)
            self._output_size = tuple(
                scaled_size(n, f) for n, f in zip(self._input_size, given, strict=True)
            )
            if not recompute_scale_factor and method.uses_factor:
                factors = tuple(
                    None if 1 / Fraction(f) == Fraction(n, m) else f
                    for n, m, f in zip(self._input_size, self._output_size, given, strict=True)
                )
        self._factors = factors
        self._mode = mode
        self._align_corners = align_corners
        self._antialias = bool(antialias)
        self._cubic_coeff = None if cubic_coeff is None else float(cubic_coeff)
        self._border = border
        check_addressable(f"input_size={input_size!r}", self._input_size)
        check_addressable(f"output_size={self._output_size}", self._output_size)
        self._make_tables(method)

    def _make_tables(self, method: Method) -> None:
        self._taps = tuple(
            _build(method, n, m, f)
            for n, m, f in zip(self._input_size, self._output_size, self._factors, strict=True)
        )
        # Made when they are needed; what is put here never changes, so threads may race.
        self._tables: dict[tuple[bool, str], tuple[_kernels.Table | None, ...]] = {}
        self._replay_forward: _kernels.Replay | None = None
        self._replay_adjoint: _kernels.Replay | None = None

    @property
    def _nbytes(self) -> int:
        """What the tables take in float64, without those made of them."""
        return sum(t.nbytes for t in self._taps)

    @property
    def input_size(self) -> tuple[int, ...]:
        return self._input_size

    @property
    def output_size(self) -> tuple[int, ...]:
        return self._output_size

    @property
    def scale_factor(self) -> tuple[float | None, ...] | None:
        return None if all(f is None for f in self._factors) else self._factors

    @property
    def mode(self) -> str | Filter:
        return self._mode

    @property
    def align_corners(self) -> bool | None:
        return self._align_corners

    @property
    def antialias(self) -> bool:
        return self._antialias

    @property
    def cubic_coeff(self) -> float | None:
        return self._cubic_coeff

    @property
    def border(self) -> str | None:
        return self._border

    def _key(self) -> tuple[object, ...]:
        return (
            self._input_size,
            self._output_size,
            self._factors,
            self._mode,
            bool(self._align_corners),
            self._antialias,
            self._cubic_coeff,
            self._border,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Resampler):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        parts = [f"input_size={self._input_size}", f"output_size={self._output_size}"]
        if self.scale_factor is not None:
            parts.append(f"scale_factor={self.scale_factor}")
        parts.append(f"mode={self._mode!r}")
        for name, default in (
            ("align_corners", None),
            ("antialias", False),
            ("cubic_coeff", None),
            ("border", None),
        ):
            value = getattr(self, name)
            if value != default:
                parts.append(f"{name}={value!r}")
        return f"Resampler({', '.join(parts)})"

    def __getstate__(self) -> dict[str, object]:
        # Tables are made again: they are larger than what makes them, and hold addresses.
        return {
            name: getattr(self, name)
            for name in self.__slots__
            if name not in ("__weakref__", "_replay_adjoint", "_replay_forward", "_tables", "_taps")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        method = _modes.resolve(
            self._mode, self._align_corners, self._antialias, self._cubic_coeff, self._border
        )
        self._make_tables(method)

    def __call__(
        self,
        x: npt.ArrayLike,
        *,
        axes: Sizes | None = None,
        out: Array | None = None,
        num_threads: int | None = None,
    ) -> Array:
        """The same as `forward`."""
        return self.forward(x, axes=axes, out=out, num_threads=num_threads)

    def forward(
        self,
        x: npt.ArrayLike,
        *,
        axes: Sizes | None = None,
        out: Array | None = None,
        num_threads: int | None = None,
    ) -> Array:
        """Apply W along the resampled axes.

        Parameters
        ----------
        x : array_like
            Array of any rank and layout, of a dtype in the table of `interpolate`; of any dtype
            if the mode only copies samples (``nearest``, ``nearest-exact``).
        axes : int or sequence of int, optional
            The axes that `input_size` refers to, in its order; the last ones by default.
        out : ndarray, optional
            Where to put the result: of the right shape and dtype, any layout.
        num_threads : int, optional
            Threads for this call, at least 1.

        Returns
        -------
        ndarray
            Of the dtype of `x`, with its axes in the same order in memory; `out` if given.

        Raises
        ------
        ValueError
            If lengths of `x` are not `input_size`, or `axes` or `out` do not fit.
        TypeError
            If the dtype is not supported by the mode.

        Examples
        --------
        >>> import numpy as np
        >>> import upsample
        >>> r = upsample.Resampler(3, 6, mode="linear")
        >>> r.forward(np.array([0.0, 1.0, 2.0]))
        array([0.  , 0.25, 0.75, 1.25, 1.75, 2.  ])
        """
        replay = self._replay_forward  # read once: another thread may replace it
        if replay is not None:
            y = replay(x, axes, out, num_threads)
            if y is not None:
                return y
        return self._apply("x", x, False, axes, out, num_threads)

    def adjoint(
        self,
        g: npt.ArrayLike,
        *,
        axes: Sizes | None = None,
        out: Array | None = None,
        num_threads: int | None = None,
    ) -> Array:
        """Apply the transpose of W: the gradient of a loss with respect to the forward's input.

        Parameters
        ----------
        g : array_like
            Gradient with respect to the forward's output: floating or complex, its lengths along
            the resampled axes are `output_size`.
        axes, out, num_threads
            As in `forward`.

        Returns
        -------
        ndarray
            Of the dtype of `g`; `out` if given.

        Raises
        ------
        ValueError
            If lengths of `g` are not `output_size`, or `axes` or `out` do not fit.
        TypeError
            If `g` is neither floating nor complex.

        Examples
        --------
        >>> import numpy as np
        >>> import upsample
        >>> r = upsample.Resampler(3, 6, mode="linear")
        >>> r.adjoint(np.ones(6))
        array([2., 2., 2.])
        """
        replay = self._replay_adjoint
        if replay is not None:
            x = replay(g, axes, out, num_threads)
            if x is not None:
                return x
        return self._apply("g", g, True, axes, out, num_threads)

    def matrix(self, i: int) -> csr_array:
        """W of the i-th resampled axis as a sparse matrix.

        Parameters
        ----------
        i : int
            Index into `input_size`; negative counts from the end.

        Returns
        -------
        scipy.sparse.csr_array
            Of shape (output_size[i], input_size[i]) and dtype float64, without stored zeros.

        Raises
        ------
        IndexError
            If there is no such axis.

        Examples
        --------
        >>> import upsample
        >>> upsample.Resampler(2, 4, mode="linear").matrix(0).toarray()
        array([[1.  , 0.  ],
               [0.75, 0.25],
               [0.25, 0.75],
               [0.  , 1.  ]])
        """
        from upsample import _operator

        rank = len(self._taps)
        which = index("i", i)
        if not -rank <= which < rank:
            raise IndexError(f"i must be between {-rank} and {rank - 1}, got {i!r}")
        return _operator.matrix(self._taps[which])

    def as_linear_operator(
        self, shape: Sizes, dtype: npt.DTypeLike = float, axes: Sizes | None = None
    ) -> LinearOperator:
        """W on flattened arrays, for the solvers of `scipy.sparse.linalg`.

        Parameters
        ----------
        shape : int or sequence of int
            Shape of the forward's input.
        dtype : dtype, optional
            Of the operator: floating or complex.
        axes : int or sequence of int, optional
            As in `forward`.

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            With ``matvec`` (forward), ``rmatvec`` (adjoint) and both for matrices.

        Raises
        ------
        ValueError
            If `shape` does not fit `input_size`.
        TypeError
            If `dtype` is not supported.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy.sparse.linalg import lsqr
        >>> import upsample
        >>> op = upsample.Resampler(9, 5, mode="linear").as_linear_operator((9,))
        >>> x = lsqr(op, np.arange(5.0))[0]
        >>> np.allclose(op @ x, np.arange(5.0))
        True
        """
        from upsample import _operator

        dtype = np.dtype(dtype)
        check_differentiable("dtype", dtype)
        full = (shape,) if not isinstance(shape, Sequence) else shape
        full = tuple(index("shape", n) for n in full)
        where = self._axes(axes, len(full))
        self._check_shape("shape", full, where, self._input_size)
        return _operator.ResampleOperator(self, full, dtype, where)

    def _axes(self, axes: Sizes | None, ndim: int) -> tuple[int, ...]:
        count = len(self._input_size)
        if axes is None:
            if ndim < count:
                raise ValueError(
                    f"an array of {ndim} dimensions does not have the {count} axes of "
                    f"input_size={self._input_size}"
                )
            return tuple(range(ndim - count, ndim))
        return normalise_axes(axes, ndim, count)

    @staticmethod
    def _check_shape(
        argument: str, shape: tuple[int, ...], axes: tuple[int, ...], size: tuple[int, ...]
    ) -> None:
        found = tuple(shape[axis] for axis in axes)
        if found != size:
            raise ValueError(
                f"{argument} of shape {shape} has lengths {found} along axes {axes}; "
                f"this Resampler needs {size}"
            )

    def _apply(
        self,
        argument: str,
        x: npt.ArrayLike,
        adjoint: bool,
        axes: Sizes | None,
        out: Array | None,
        num_threads: int | None,
    ) -> Array:
        x = np.asarray(x)
        where = self._axes(axes, x.ndim)
        old, new = self._input_size, self._output_size
        if adjoint:
            old, new = new, old
        self._check_shape(argument, x.shape, where, old)
        tables = self._tables_for(argument, x.dtype, adjoint)
        shape = list(x.shape)
        for axis, m in zip(where, new, strict=True):
            shape[axis] = m
        check_addressable(f"{argument} of shape {x.shape}", shape)
        threads = _threads.effective(num_threads)
        if out is not None:
            check_out(out, tuple(shape), x.dtype)
        passes = [Pass(a, t) for a, t in zip(where, tables, strict=True) if t is not None]
        y, replay = run(x, tuple(shape), passes, out, threads, axes, num_threads is None)
        if adjoint:
            self._replay_adjoint = replay
        else:
            self._replay_forward = replay
        return y

    def _tables_for(
        self, argument: str, dtype: np.dtype[Any], adjoint: bool
    ) -> tuple[_kernels.Table | None, ...]:
        """Tables in the type of the arithmetic; None for an axis that stays as it is."""
        if dtype.itemsize == 0:
            raise TypeError(f"{argument} has dtype {dtype}, whose elements have no size")
        if adjoint:
            check_gradient(argument, dtype)
        computed = arithmetic(dtype)
        if computed is None:
            # By mode, not by table: else the sizes would decide whether a dtype is taken.
            if _modes.lookup(self._mode).sampling != "selection":
                raise TypeError(no_kernel(argument, dtype, self._mode))
            computed = np.dtype(np.float64)
        key = (adjoint, computed.char)
        found = self._tables.get(key)
        if found is None:
            # Two threads may do this at once, with equal results.
            found = tuple(make_table(t, computed, adjoint) for t in self._taps)
            self._tables[key] = found
        return found


def _build(method: Method, n: int, m: int, factor: float | None) -> Taps:
    """The table of one axis."""
    if method.sampling == "average":
        return _sampling.average(n, m)
    grid = method.grid(n, m, factor)
    if method.sampling == "selection":
        return _sampling.selection(grid)
    if method.sampling == "overlap":
        return _sampling.overlap(grid)
    assert method.filter is not None
    assert method.border is not None
    return _sampling.filtered(grid, method.filter, method.widen, method.border)
