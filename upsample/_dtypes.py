"""Which dtype is computed in which, and the words when one is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from upsample._filters import Filter

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


def arithmetic(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The type that an array of this type is computed in."""
    if dtype.name == "bfloat16":
        return np.dtype(np.float32)
    return _COMPUTED.get(dtype if dtype.isnative else dtype.newbyteorder("="))


def between(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the arrays between stages: a result is rounded once, at its end."""
    computed = arithmetic(dtype)
    assert computed is not None
    return np.result_type(computed, np.complex64) if dtype.kind == "c" else computed


def _names(kinds: str) -> str:
    names = [d.name for d in _COMPUTED if d.kind in kinds]
    names.insert(1, "bfloat16")
    return ", ".join(names)


def check_differentiable(argument: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind in "iu" or arithmetic(dtype) is None:
        raise TypeError(f"{argument} must be one of {_names('fc')}, got {dtype}")


def check_gradient(argument: str, dtype: np.dtype[Any]) -> None:
    check_differentiable(f"{argument} is a gradient: its dtype", dtype)


def no_kernel(argument: str, dtype: np.dtype[Any], mode: str | Filter) -> str:
    name = mode.name if isinstance(mode, Filter) else mode
    other = {"b": "uint8", "i": "float64", "u": "float64", "f": "float64", "c": "complex128"}
    advice = other.get(dtype.kind)
    convert = f"; convert it with .astype('{advice}')" if advice else ""
    return (
        f"{argument} has dtype {dtype}, which mode {name!r} does not take{convert}. It takes "
        f"{_names('fciu')}; only 'nearest' and 'nearest-exact' copy samples of any dtype"
    )
