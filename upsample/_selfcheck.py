"""Every mode on a real photograph: forward, backward, and what they must equal.

The expected values come from NumPy and scipy.ndimage alone, at the ratios 2 and 1/2: there a mode
is one or two short correlations per axis, so nothing here goes through a table or a kernel
of the package.  A mode that has no formula below is still held to its own matrix.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

import upsample

Array = npt.NDArray[Any]
Kernel = Callable[[Array], Array]

# Limits on differences; samples of the photograph lie between 0 and 1.
_FLOAT64 = 1e-12
_FLOAT32 = 5e-6
_ADJOINT64 = 1e-12
_ADJOINT32 = 1e-6


def photo() -> npt.NDArray[np.uint8]:
    """The photograph that is shipped with the package: 300 × 256 × 3, uint8."""
    with (resources.files("upsample") / "_data" / "photo.npz").open("rb") as file:
        array: npt.NDArray[np.uint8] = np.load(file)["photo"]
    return array


# ---- what a mode must give, written with other means ------------------------------------------


def _triangle(t: Array) -> Array:
    return np.where(t < 1, 1 - t, 0)


def _keys(a: float) -> Kernel:
    return lambda t: np.select(
        [t <= 1, t < 2], [(a + 2) * t**3 - (a + 3) * t**2 + 1, a * (t**3 - 5 * t**2 + 8 * t - 4)]
    )


def _lanczos(lobes: int) -> Kernel:
    return lambda t: np.where(t < lobes, np.sinc(t) * np.sinc(t / lobes), 0)


def _mitchell(t: Array) -> Array:
    return np.select(
        [t < 1, t < 2],
        [(21 * t**3 - 36 * t**2 + 16) / 18, (-7 * t**3 + 36 * t**2 - 60 * t + 32) / 18],
    )


def _hamming(t: Array) -> Array:
    return np.where(t < 1, np.sinc(t) * (0.54 + 0.46 * np.cos(np.pi * t)), 0)


def _gaussian(t: Array) -> Array:
    return np.where(t < 1.5, np.exp(-2 * t**2), 0)


def _magic(t: Array) -> Array:
    return np.select(
        [t <= 0.5, t <= 1.5, t < 2.5],
        [17 / 16 - 7 * t**2 / 4, (4 * t**2 - 11 * t + 7) / 4, -((t - 2.5) ** 2) / 8],
    )


# Kernel without antialias, kernel with it, and the border rule without it.
_KERNELS: dict[str, tuple[Kernel, Kernel, str]] = {
    "linear": (_triangle, _triangle, "edge"),
    "cubic": (_keys(-0.75), _keys(-0.5), "edge"),
    **{f"lanczos{n}": (_lanczos(n), _lanczos(n), "renormalize") for n in (2, 3, 4, 5)},
    "hamming": (_hamming, _hamming, "renormalize"),
    "mitchell": (_mitchell, _mitchell, "renormalize"),
    "catmull-rom": (_keys(-0.5), _keys(-0.5), "renormalize"),
    "gaussian": (_gaussian, _gaussian, "renormalize"),
    "magic": (_magic, _magic, "renormalize"),
}
_RANK_NAMES = {"bi": 2, "tri": 3}
_ZOOM_ORDER = {"nearest-exact": 0, "linear": 1}
_REACH = 11  # samples on each side; more than any kernel above needs, widened


def _family(mode: str) -> tuple[str, int]:
    """Name without its rank, and the number of axes: 2 where the name fixes none."""
    for prefix, rank in _RANK_NAMES.items():
        if mode.startswith(prefix) and mode.removeprefix(prefix) in ("linear", "cubic"):
            return mode.removeprefix(prefix), rank
    return mode, 2


def _correlated(x: Array, weights: Array, axis: int, border: str) -> Array:
    from scipy import ndimage

    weights = weights / weights.sum()
    if border == "edge":
        repeated: Array = ndimage.correlate1d(x, weights, axis=axis, mode="nearest")
        return repeated
    total: Array = ndimage.correlate1d(np.ones_like(x), weights, axis=axis, mode="constant")
    partial: Array = ndimage.correlate1d(x, weights, axis=axis, mode="constant")
    return partial / total


def _doubled(family: str, x: Array, axes: tuple[int, ...]) -> Array | None:
    """`x` at twice the size; None if no formula is known for the mode."""
    from scipy import ndimage

    if family in _ZOOM_ORDER:
        zoom = [2 if axis in axes else 1 for axis in range(x.ndim)]
        order = _ZOOM_ORDER[family]
        zoomed: Array = ndimage.zoom(x, zoom, order=order, mode="nearest", grid_mode=True)
        return zoomed
    for axis in axes:
        if family in ("nearest", "area", "box"):
            x = np.repeat(x, 2, axis=axis)
        elif family in _KERNELS:
            kernel, _, border = _KERNELS[family]
            k = np.arange(-_REACH, _REACH + 1)
            # Outputs 2q and 2q + 1 lie a quarter of a sample before and after sample q.
            phases = [_correlated(x, kernel(abs(k - d)), axis, border) for d in (-0.25, 0.25)]
            shape = (*x.shape[:axis], 2 * x.shape[axis], *x.shape[axis + 1 :])
            x = np.stack(phases, axis=axis + 1).reshape(shape)
        else:
            return None
    return x


def _halved(family: str, x: Array, axes: tuple[int, ...]) -> Array | None:
    """`x` at half the size, with antialias where the mode has it."""
    for axis in axes:
        y = np.moveaxis(x, axis, 0)
        even, odd = y[0::2], y[1::2]
        if family == "nearest":
            y = even
        elif family == "nearest-exact":
            y = odd
        elif family in ("area", "box"):
            y = (even + odd) / 2
        elif family in _KERNELS:
            k = np.arange(-_REACH, _REACH + 1)
            weights = _KERNELS[family][1](abs(k - 0.5) / 2)
            y = _correlated(y, weights, 0, "renormalize")[0::2]
        else:
            return None
        x = np.moveaxis(y, 0, axis)
    return x


# ---- the check --------------------------------------------------------------------------------


@dataclass
class Line:
    """What was found for one mode."""

    mode: str
    input_size: tuple[int, ...]
    output_size: tuple[int, ...]
    forward: float
    backward: float
    adjoint64: float = 0.0
    adjoint32: float = 0.0
    complaints: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.complaints

    def require(self, what: str, found: float, limit: float) -> None:
        if not found <= limit:  # NaN fails too
            self.complaints.append(f"{what}: {found:.1e}, allowed {limit:.0e}")

    def __str__(self) -> str:
        sizes = f"{_size(self.input_size)} -> {_size(self.output_size)}"
        return (
            f"{self.mode:14}{sizes:27}{self.forward * 1e3:8.2f} {self.backward * 1e3:8.2f}   "
            f"{self.adjoint64:8.1e}  {self.adjoint32:8.1e}  {'PASS' if self.passed else 'FAIL'}"
        )


_HEADER = (
    f"{'mode':14}{'in -> out':27}{'forward':>8} {'backward':>8}   {'adjoint mismatch':>18}\n"
    f"{'':41}{'ms':>8} {'ms':>8}   {'float64':>8}  {'float32':>8}"
)


def run(stream: TextIO | None = None) -> bool:
    """Check every mode, print one line for each, and return whether all passed."""
    stream = sys.stdout if stream is None else stream
    picture = np.ascontiguousarray(photo().transpose(2, 0, 1)) / 255.0
    print(_HEADER, file=stream)
    failed = []
    for mode in upsample.MODES:
        line = check(mode, picture)
        print(line, file=stream, flush=True)
        for complaint in line.complaints:
            print(f"    {complaint}", file=stream, flush=True)
        if not line.passed:
            failed.append(mode)
    total = len(upsample.MODES)
    verdict = f"FAIL: {', '.join(failed)}" if failed else f"all {total} modes pass"
    print(f"\n{verdict}", file=stream, flush=True)
    return not failed


def check(mode: str, picture: Array) -> Line:
    """Run one mode on a picture of shape (channels, height, width) with values from 0 to 1."""
    family, rank = _family(mode)
    axes = tuple(range(picture.ndim - rank, picture.ndim))
    size = picture.shape[-rank:]
    larger = upsample.Resampler(size, tuple(2 * n for n in size), mode=mode)
    single = picture.astype(np.float32)
    result32 = larger.forward(single)
    line = Line(
        mode,
        size,
        larger.output_size,
        _best_time(lambda: larger.forward(single)),
        _best_time(lambda: larger.adjoint(result32)),
    )
    _compare(line, "twice the size", larger, picture, _doubled(family, picture, axes))

    # An odd number of samples (three colours) cannot be halved evenly: leave one out.
    even = picture[
        tuple(
            slice(0, n - n % 2) if a in axes else slice(None) for a, n in enumerate(picture.shape)
        )
    ]
    half = tuple(n // 2 for n in even.shape[-rank:])
    smaller = _with_antialias(mode, even.shape[-rank:], half)
    _compare(line, "half the size", smaller, even, _halved(family, even, axes))
    return line


def _with_antialias(
    mode: str, input_size: tuple[int, ...], output_size: tuple[int, ...]
) -> upsample.Resampler:
    try:
        return upsample.Resampler(input_size, output_size, mode=mode, antialias=True)
    except ValueError:  # the mode has none
        return upsample.Resampler(input_size, output_size, mode=mode)


def _compare(
    line: Line, what: str, resampler: upsample.Resampler, x: Array, expected: Array | None
) -> None:
    result = resampler.forward(x)
    if expected is None:
        expected = _by_matrix(resampler, x)
    if result.shape != expected.shape:
        line.complaints.append(f"{what}: shape {result.shape}, expected {expected.shape}")
        return
    line.require(f"{what}, float64 result", _distance(result, expected), _FLOAT64)
    single = resampler.forward(x.astype(np.float32))
    line.require(f"{what}, float32 result", _distance(single, expected), _FLOAT32)
    ones = resampler.forward(np.ones_like(x))
    line.require(f"{what}, a constant", _distance(ones, np.ones_like(ones)), _FLOAT64)

    # One colour is enough for the adjoint: colours only share the table.
    shape = x.shape[-len(resampler.input_size) :]
    for dtype, name, limit in (
        (np.float64, "adjoint64", _ADJOINT64),
        (np.float32, "adjoint32", _ADJOINT32),
    ):
        rng = np.random.default_rng(0)
        mismatch = float(upsample.dot_test(resampler, shape, dtype=dtype, rng=rng))
        setattr(line, name, np.maximum(getattr(line, name), mismatch))
        line.require(f"{what}, {np.dtype(dtype).name} dot test", mismatch, limit)


def _by_matrix(resampler: upsample.Resampler, x: Array) -> Array:
    rank = len(resampler.input_size)
    for i in range(rank):
        axis = x.ndim - rank + i
        rows = np.moveaxis(x, axis, 0)
        y = resampler.matrix(i) @ rows.reshape(rows.shape[0], -1)
        x = np.moveaxis(np.asarray(y).reshape(-1, *rows.shape[1:]), 0, axis)
    return x


def _distance(a: Array, b: Array) -> float:
    return float(np.max(np.abs(a.astype(np.float64) - b)))


def _best_time(work: Callable[[], object]) -> float:
    """Shortest of many runs: on a busy machine most of them wait for a thread."""
    times: list[float] = []
    while sum(times) < 0.05 or (len(times) < 20 and sum(times) < 0.5):
        before = time.perf_counter()
        work()
        times.append(time.perf_counter() - before)
    return min(times)


def _size(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))
