"""Resampler: the tables of every axis, and what they are applied to."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from upsample import _kernels, _modes, _taps, _threads
from upsample._filters import Filter
from upsample._modes import Method
from upsample._taps import Taps

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator

Array = npt.NDArray[Any]
Sizes = int | Sequence[int]
Factors = float | Sequence[float]

#: Type of the arithmetic, and so of the weights, for each type of array; beside these bfloat16,
#: which NumPy knows only when ml_dtypes has been imported.
_COMPUTED: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(array): np.dtype(arithmetic)
    for array, arithmetic in {
        np.float16: np.float32,
        np.float32: np.float32,
        np.float64: np.float64,
        np.complex64: np.float32,
        np.complex128: np.float64,
        np.int8: np.float32,
        np.uint8: np.float32,
        np.int16: np.float32,
        np.uint16: np.float32,
        np.int32: np.float64,
        np.uint32: np.float64,
    }.items()
}

_MAX_ELEMENTS = np.iinfo(np.intp).max


class _Pass(NamedTuple):
    """One axis that changes: where it is, and its table."""

    axis: int
    table: _kernels.Table


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
            _check_out(out, tuple(shape), x.dtype)
        passes = [_Pass(a, t) for a, t in zip(where, tables, strict=True) if t is not None]
        y, replay = _run(x, tuple(shape), passes, out, threads, axes, num_threads is None)
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
        computed = _arithmetic(dtype)
        if computed is None:
            # By mode, not by table: else the sizes would decide whether a dtype is taken.
            if _modes.lookup(self._mode).sampling != "selection":
                raise TypeError(_no_kernel(argument, dtype, self._mode))
            computed = np.dtype(np.float64)
        key = (adjoint, computed.char)
        found = self._tables.get(key)
        if found is None:
            # Two threads may do this at once, with equal results.
            found = tuple(_table(t, computed, adjoint) for t in self._taps)
            self._tables[key] = found
        return found


def _build(method: Method, n: int, m: int, factor: float | None) -> Taps:
    """The table of one axis."""
    if method.sampling == "average":
        return _taps.average(n, m)
    grid = method.grid(n, m, factor)
    if method.sampling == "selection":
        return _taps.selection(grid)
    if method.sampling == "overlap":
        return _taps.overlap(grid)
    assert method.filter is not None
    assert method.border is not None
    return _taps.filtered(grid, method.filter, method.widen, method.border)


def _table(taps: Taps, dtype: np.dtype[Any], adjoint: bool) -> _kernels.Table | None:
    if taps.is_identity:
        return None
    # Rounded before it is transposed, so that forward and adjoint use the same weights.
    taps = taps.astype(dtype)
    p = (taps.transpose() if adjoint else taps).packed()
    return _kernels.Table(
        p.n,
        p.first,
        p.count,
        p.weights,
        p.holes,
        p.selection,
        p.hints,
        tuple(
            p.windows(_kernels.VECTOR_BYTES // item)
            if p.selection or item == p.weights.itemsize
            else None
            for item in (4, 8)
        ),
    )


def _run(
    x: Array,
    shape: tuple[int, ...],
    passes: list[_Pass],
    out: Array | None,
    threads: int,
    axes: Sizes | None = None,
    keep: bool = False,
) -> tuple[Array, _kernels.Replay | None]:
    """Apply the passes; the result, and what repeats the call if it was a single one."""
    if x.dtype.hasobject:
        return _put(_take(x, passes), out), None
    if out is not None and np.may_share_memory(x, out):
        return _put(_run(x, shape, passes, None, threads)[0], out), None
    stages = _stages(passes)
    if not stages:
        return (x.copy(order="K") if out is None else _put(x, out)), None
    replay = None
    dtype = x.dtype
    between = dtype if all(p.table.selection for p in passes) else _between(dtype)
    for number, stage in enumerate(stages):
        size = list(x.shape)
        for p in stage:
            size[p.axis] = shape[p.axis]
        last = number == len(stages) - 1
        if last and out is not None:
            y = out
        else:
            y = _kernels.empty_like(x, tuple(size), dtype if last else between)
        first, second = stage[0], stage[1] if len(stage) > 1 else None
        replay = _kernels.resample(
            x,
            y,
            first.table,
            first.axis,
            None if second is None else second.table,
            -1 if second is None else second.axis,
            threads,
            _threads.GRAIN,
            axes,
            _threads.effective if keep and len(stages) == 1 and _fixed(axes) else None,
            y is not out,
        )
        x = y
    return x, replay


def _fixed(axes: object) -> bool:
    """Whether `axes` cannot be changed behind the back of what remembers it."""
    return axes is None or isinstance(axes, int) or type(axes) is tuple


def _put(result: Array, out: Array | None) -> Array:
    if out is None:
        return result
    out[...] = result
    return out


def _take(x: Array, passes: list[_Pass]) -> Array:
    """Selection from arrays of objects, whose references must be counted."""
    for p in passes:
        x = np.take(x, p.table.index, axis=p.axis)
    return x if passes else x.copy()


def _stages(passes: list[_Pass]) -> list[list[_Pass]]:
    """One or two axes at a time: two are done as one, without an array between them.

    Stages that shrink come first and those that enlarge last, so that what lies between is
    small.  The layout of the array has no say: the order of the passes decides how sums are
    rounded.
    """
    left = sorted(passes, key=lambda p: p.axis)
    if len(left) <= 2:
        return [left] if left else []
    stages = []
    while left:
        stages.append(left[-2:])
        del left[-2:]

    def growth(stage: list[_Pass]) -> Fraction:
        return math.prod((Fraction(*p.table.shape) for p in stage), start=Fraction(1))

    return sorted(stages, key=growth)


def _arithmetic(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The type that an array of this type is computed in."""
    if dtype.name == "bfloat16":
        return np.dtype(np.float32)
    return _COMPUTED.get(dtype if dtype.isnative else dtype.newbyteorder("="))


def _between(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the arrays between stages: a result is rounded once, at its end."""
    computed = _arithmetic(dtype)
    assert computed is not None
    return np.result_type(computed, np.complex64) if dtype.kind == "c" else computed


def _names(kinds: str) -> str:
    names = [d.name for d in _COMPUTED if d.kind in kinds]
    names.insert(1, "bfloat16")
    return ", ".join(names)


def check_differentiable(argument: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind in "iu" or _arithmetic(dtype) is None:
        raise TypeError(f"{argument} must be one of {_names('fc')}, got {dtype}")


def check_gradient(argument: str, dtype: np.dtype[Any]) -> None:
    check_differentiable(f"{argument} is a gradient: its dtype", dtype)


def _no_kernel(argument: str, dtype: np.dtype[Any], mode: str | Filter) -> str:
    name = mode.name if isinstance(mode, Filter) else mode
    other = {"b": "uint8", "i": "float64", "u": "float64", "f": "float64", "c": "complex128"}
    advice = other.get(dtype.kind)
    convert = f"; convert it with .astype('{advice}')" if advice else ""
    return (
        f"{argument} has dtype {dtype}, which mode {name!r} does not take{convert}. It takes "
        f"{_names('fciu')}; only 'nearest' and 'nearest-exact' copy samples of any dtype"
    )


def _check_out(out: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an ndarray, got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out must have shape {shape}, got {out.shape}")
    if out.dtype != dtype:
        raise TypeError(f"out must have dtype {dtype}, got {out.dtype}")
    if out.size and any(s == 0 and n > 1 for s, n in zip(out.strides, shape, strict=True)):
        raise ValueError(f"out must not hold an element twice, got strides {out.strides}")
    if not out.flags.writeable:
        raise ValueError("out must be writeable, got a read-only array")


# ---------------------------------------------------------------------------------------
# Arguments that Resampler and interpolate share.


def index(argument: str, value: object) -> int:
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{argument} must be an integer, got {value!r}") from None


def is_sequence(value: object) -> bool:
    """A list, tuple or one-dimensional array, but not a string or a number."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def axis_count(rank: int | None, **given: object) -> int:
    """How many axes the sequences among `given` agree on; without any the mode's rank, or 1."""
    lengths = {k: len(v) for k, v in given.items() if is_sequence(v)}  # type: ignore[arg-type]
    if not lengths:
        return rank or 1
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name}={given[name]!r}" for name in lengths)
        raise ValueError(f"arguments speak of different numbers of axes: {words}")
    count = next(iter(lengths.values()))
    if count == 0:
        name = next(iter(lengths))
        raise ValueError(f"{name} must name at least one axis, got {given[name]!r}")
    return count


def check_rank(mode: str | Filter, rank: int | None, count: int) -> None:
    if rank is not None and rank != count:
        general = {"bi": "linear", "tr": "linear"}
        name = "cubic" if "cubic" in str(mode) else general[str(mode)[:2]]
        raise ValueError(
            f"mode {mode!r} resamples {rank} axes, but {count} are given; {name!r} takes any number"
        )


def check_sizes(argument: str, size: object, scale_factor: object, recompute: object) -> None:
    """Exactly one of the two that tell the output size; `argument` is the name of the first."""
    if size is None and scale_factor is None:
        raise ValueError(f"one of {argument} and scale_factor must be given, got neither")
    if size is not None and scale_factor is not None:
        raise ValueError(
            f"only one of {argument} and scale_factor may be given, "
            f"got {argument}={size!r} and scale_factor={scale_factor!r}"
        )
    if size is not None and recompute:
        raise ValueError(
            f"recompute_scale_factor={recompute!r} has no meaning with {argument}={size!r}"
        )


def check_addressable(what: str, shape: Sequence[int]) -> None:
    """Stop before anything is made of a shape that no memory can hold."""
    if math.prod(shape) > _MAX_ELEMENTS // 16:
        raise ValueError(
            f"{what} is too large: an array of {math.prod(shape)} elements cannot be addressed"
        )


def sizes(argument: str, value: object, count: int) -> tuple[int, ...]:
    """Lengths of `count` axes, each at least 1; a single number stands for all."""
    items = tuple(value) if is_sequence(value) else (value,) * count  # type: ignore[arg-type]
    if len(items) != count:
        raise ValueError(f"{argument} must have {count} entries, one for each axis, got {value!r}")
    result = tuple(index(argument, item) for item in items)
    if any(n < 1 for n in result):
        raise ValueError(f"{argument} must be at least 1 along each resampled axis, got {value!r}")
    if any(n > _MAX_ELEMENTS // 16 for n in result):
        raise ValueError(f"{argument}={value!r} is too large to be addressed")
    return result


def scale_factors(value: object, count: int) -> tuple[float, ...]:
    """Factors of `count` axes, finite and positive; a single number stands for all."""
    items = tuple(value) if is_sequence(value) else (value,) * count  # type: ignore[arg-type]
    if len(items) != count:
        raise ValueError(
            f"scale_factor must have {count} entries, one for each axis, got {value!r}"
        )
    try:
        if any(isinstance(item, bool | np.bool_ | str) for item in items):
            raise TypeError
        result = tuple(float(item) for item in items)  # type: ignore[arg-type]
    except OverflowError:
        raise ValueError(f"scale_factor must be finite, got {value!r}") from None
    except (TypeError, ValueError):
        raise TypeError(f"scale_factor must be a number or numbers, got {value!r}") from None
    if not all(math.isfinite(f) and f > 0 for f in result):
        raise ValueError(f"scale_factor must be finite and greater than 0, got {value!r}")
    return result


def scaled_size(n: int, factor: float) -> int:
    """floor(n·factor) of the float64 product."""
    product = n * factor
    if not product < _MAX_ELEMENTS // 16:
        raise ValueError(f"scale_factor={factor!r} makes {n} samples too many to be addressed")
    if product < 1:
        raise ValueError(
            f"scale_factor={factor!r} leaves nothing of {n} samples: floor({product!r}) is 0, "
            f"and at least 1 is needed"
        )
    return math.floor(product)


def normalise_axes(axes: object, ndim: int, count: int | None = None) -> tuple[int, ...]:
    """Axes as non-negative numbers, all different."""
    items = tuple(axes) if is_sequence(axes) else (axes,)  # type: ignore[arg-type]
    result = []
    for item in items:
        axis = index("axes", item)
        if not -ndim <= axis < ndim:
            allowed = f"allowed are {-ndim} to {ndim - 1}" if ndim else "it has no axis"
            raise ValueError(
                f"axes={axes!r} is out of range for an array of {ndim} dimensions: {allowed}"
            )
        result.append(axis % ndim)
    if len(set(result)) < len(result):
        raise ValueError(f"axes={axes!r} names an axis twice")
    if count is not None and len(result) != count:
        raise ValueError(f"axes must name {count} axes, one for each length, got {axes!r}")
    return tuple(result)


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
