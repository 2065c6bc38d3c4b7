"""Time upsample against PyTorch, OpenCV and SciPy, and against the limits of the machine.

    python benchmarks/compare.py                      every table
    python benchmarks/compare.py --only core --quick  one table, few repeats
    python benchmarks/compare.py --filter bicubic     the cells whose name contains a text

Before a pair is timed, the results of both sides are compared; a pair that disagrees is marked
WRONG and the exit status is 1. How the times are taken, and why so: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import os
import pickle
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, repeat
from typing import Any

import numpy as np

EPS = float(np.finfo(np.float32).eps)
PEERS = ("torch", "cv2", "scipy")
TABLES = ("core", "torch", "cv2", "scipy", "small", "limit")

Call = Callable[[], Any]
Job = tuple[str, Callable[[], "Cell"]]  # a name, and how to make the cell


# --------------------------------------------------------------------------- how time is taken


@dataclass
class Effort:
    """How long and how often is measured."""

    budget: float = 0.5  # seconds per side, at least
    patience: float = 8.0  # budgets, at most, until the two best blocks of each side agree
    pause: float = 0.015  # seconds before every block
    block: float = 0.03  # seconds per block, at least
    rounds: int = 4  # blocks per side, at least
    quiet: float = 1.0  # seconds per cell, at most, spent waiting until nothing else runs


class Clock:
    """Interleaved timing of several calls: blocks of calls, a pause before each block.

    The worker threads of an OpenMP runtime spin for about ten milliseconds after a parallel
    region and would take processor time from the other side. The pause lets them fall asleep;
    the first call of a block wakes the threads of its own side and fills the caches, and as the
    minimum is taken, it does not count. The search goes on, within reason, until the two best
    blocks of each side are within a twentieth of each other and other programs have stopped.
    """

    def __init__(self, calls: Sequence[Call], effort: Effort):
        self.calls = calls
        self.effort = effort
        self.best = [math.inf] * len(calls)
        self.second = [math.inf] * len(calls)  # the best of another block
        self.waited = 0.0  # seconds, for other programs
        self.plans = [self._plan(i) for i in range(len(calls))]

    def run(self) -> list[float]:
        """Measure, and return the smallest time of each call so far, in seconds."""
        order = list(range(len(self.calls)))
        rounds = 2 if max(self.best) > 0.3 else self.effort.rounds
        budget = self.effort.budget * len(order)
        spent, done = 0.0, 0
        collecting = gc.isenabled()
        gc.disable()
        try:
            while (
                done < rounds
                or spent < budget
                or (spent < budget * self.effort.patience and not self._settled())
            ):
                for i in order:
                    self._pause()
                    begin = time.perf_counter()
                    self._block(i, *self.plans[i])
                    spent += time.perf_counter() - begin
                order.reverse()
                done += 1
        finally:
            if collecting:
                gc.enable()
        return list(self.best)

    def busy(self) -> bool:
        """Tell whether other programs ran all the time."""
        return self.waited >= self.effort.quiet

    def _pause(self) -> None:
        time.sleep(self.effort.pause)
        while self.waited < self.effort.quiet and runnable() > 1:
            time.sleep(0.005)
            self.waited += 0.005

    def _plan(self, i: int) -> tuple[int, int]:
        """Return the calls per sample and the samples per block."""
        self._block(i, 1, 3)
        first = self.best[i]
        number = math.ceil(5e-5 / first) if first < 2.5e-5 else 1
        least = 5 if first < 0.02 else 3 if first < 0.3 else 2
        return number, max(least, math.ceil(self.effort.block / (first * number)))

    def _block(self, i: int, number: int, count: int) -> None:
        clock, call, best = time.perf_counter, self.calls[i], math.inf
        for _ in range(count):
            if number == 1:
                begin = clock()
                result = call()
                spent = clock() - begin
                del result  # released outside the timed part, on both sides
            else:
                begin = clock()
                for _ in repeat(None, number):
                    call()
                spent = (clock() - begin) / number
            best = min(best, spent)
        self.best[i], self.second[i] = sorted((self.best[i], self.second[i], best))[:2]

    def _settled(self) -> bool:
        """Tell whether the best times can be believed; time slices of a busy machine agree too."""
        agree = all(b <= 1.05 * a for a, b in zip(self.best, self.second, strict=True))
        return agree and not self.busy()


def runnable() -> int:
    """Return how many threads of the machine run or want to run now, this one included."""
    try:
        with open("/proc/loadavg") as file:
            return int(file.read().split()[3].split("/")[0])
    except (OSError, ValueError, IndexError):
        return 1


def isolated(work: Callable[[], Any]) -> Any:
    """Run the work in a process of its own and return its result, or the exception it met.

    This process has imported the peers, but has started no threads and allocated nothing large: the
    fork is safe and cheap, every cell meets the same state of the memory allocator whatever was
    measured before it, and a crash is a result. Without fork the work runs here.
    """
    if not hasattr(os, "fork"):
        return attempt(work)
    read, write = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "wb") as file:
            file.write(pickle.dumps(attempt(work)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        answer = file.read()
    _, status = os.waitpid(child, 0)
    if not answer:
        return Failure(f"the process ended with status {os.waitstatus_to_exitcode(status)}")
    return pickle.loads(answer)


@dataclass
class Failure:
    """What stands in place of a result."""

    reason: str


def attempt(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        text = str(error).splitlines() or [""]
        return Failure(f"{type(error).__name__}: {text[0]}"[:120])


def settle(threads: int) -> None:
    """Set the number of threads of every side; upsample is imported here, after any fork."""
    import upsample

    upsample.set_num_threads(threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(threads)


# ------------------------------------------------------------------------------ cells and tables


@dataclass
class Cell:
    """One pair of calls that compute the same thing."""

    ours: Call
    peer: Call
    tolerance: float = 0.0
    exact: Call | None = None  # decides when the two disagree; for the nearest modes
    reference: Call | None = None  # what ours is compared with when the peer's operator differs


@dataclass
class Row:
    label: str
    ours: float
    peer: float
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.peer / self.ours


@dataclass
class Table:
    """Cells of one comparison, with the smallest mean and the smallest ratio that are wanted."""

    title: str
    peer: str
    jobs: Iterator[Job]
    mean: float | None
    worst: float | None


@dataclass
class Bound:
    """One line of the table of limits: a measured value that must not pass a bound."""

    label: str
    value: float
    bound: float
    at_most: bool
    unit: str = ""
    note: str = ""
    counts: bool = True

    @property
    def holds(self) -> bool:
        return self.value <= self.bound if self.at_most else self.value >= self.bound


def as_array(value: Any) -> np.ndarray:
    """Return a peer's result (array, tensor, tuple of one tensor) as an array."""
    if isinstance(value, tuple):
        (value,) = value
    return value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)


def mismatch(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference relative to the largest value of `b`; inf for NaN."""
    if a.shape != b.shape:
        return math.inf
    a, b = (v.reshape(1, *v.shape) if v.shape[0] < 16 else v for v in (a, b))
    step = max(1, (1 << 20) // max(1, b[0].size))  # slabs: a result may take a gigabyte
    largest = difference = 0.0
    for i in range(0, len(b), step):
        part = b[i : i + step]
        largest = max(largest, float(np.abs(part).max(initial=0)))
        off = float(np.abs(a[i : i + step] - part).max(initial=0))
        if math.isnan(off):
            return math.inf
        difference = max(difference, off)
    return difference / largest if largest else difference


def verify(cell: Cell) -> tuple[bool, str]:
    """Compare both sides of a cell. The second value is a remark for the table."""
    ours = as_array(cell.ours())
    theirs = as_array(cell.reference() if cell.reference is not None else cell.peer())
    off = mismatch(ours, theirs)
    if ours.dtype != np.float32:
        return False, f"result is {ours.dtype}"
    if off <= cell.tolerance:
        return True, ""
    if cell.exact is not None and mismatch(ours, as_array(cell.exact())) <= cell.tolerance:
        # Peers compute nearest indices in floating point; ours are exact integers.
        return True, "peer off at ties"
    return False, f"differs by {off:.1e}, allowed {cell.tolerance:.1e}"


def tolerance(*sizes: int) -> float:
    """Return what float32 sums and float32 source coordinates up to the sizes explain."""
    return EPS * (32 + 2 * max(sizes))


# ------------------------------------------------------------ independent nearest and cubic results


def nearest_index(n: int, m: int, exact: bool) -> np.ndarray:
    i = np.arange(m, dtype=np.int64)
    return ((2 * i + 1) * n) // (2 * m) if exact else (i * n) // m


def pick(x: np.ndarray, size: Sequence[int], axes: Sequence[int], exact: bool) -> np.ndarray:
    for axis, m in zip(axes, size, strict=True):
        x = x.take(nearest_index(x.shape[axis], m, exact), axis=axis)
    return x


def pick_adjoint(
    g: np.ndarray, size: Sequence[int], axes: Sequence[int], exact: bool
) -> np.ndarray:
    for axis, n in zip(axes, size, strict=True):
        index, first = np.unique(nearest_index(n, g.shape[axis], exact), return_index=True)
        sums = np.add.reduceat(g, first, axis=axis)
        shape = list(g.shape)
        shape[axis] = n
        g = np.zeros(shape, g.dtype)
        place = [slice(None)] * g.ndim
        place[axis] = index
        g[tuple(place)] = sums
    return g


def keys_matrix(n: int, m: int, a: float = -0.75) -> np.ndarray:
    """Return the dense matrix of the mode cubic, edge samples repeated."""
    s = (np.arange(m) + 0.5) * n / m - 0.5
    matrix = np.zeros((m, n))
    for k in range(-1, 3):
        j = np.floor(s).astype(np.int64) + k
        t = np.abs(s - j)
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        far = a * (((t - 5) * t + 8) * t - 4)
        np.add.at(matrix, (np.arange(m), j.clip(0, n - 1)), np.where(t <= 1, near, far))
    return matrix


def cubic(x: np.ndarray, size: Sequence[int]) -> np.ndarray:
    for axis, m in enumerate(size):
        x = np.moveaxis(np.tensordot(keys_matrix(x.shape[axis], m), x, (1, axis)), 0, axis)
    return x


# --------------------------------------------------------------------------------------- torch

# name in the table, mode, align_corners, antialias
TORCH_MODES = (
    ("nearest", "nearest", None, False),
    ("nearest-exact", "nearest-exact", None, False),
    ("bilinear", "bilinear", False, False),
    ("bilinear corners", "bilinear", True, False),
    ("bicubic", "bicubic", False, False),
    ("bilinear antialias", "bilinear", None, True),
    ("bicubic antialias", "bicubic", None, True),
    ("area", "area", None, False),
)
TORCH_PAIRS = (
    ((1, 3, 270, 480), (1080, 1920)),
    ((8, 64, 64, 64), (128, 128)),
    ((8, 64, 64, 64), (150, 150)),
    ((1, 3, 1080, 1920), (540, 960)),
    ((1, 1, 2048, 2048), (4096, 4096)),
    ((16, 3, 512, 512), (224, 224)),
    ((2, 256, 16, 16), (32, 32)),
)
TORCH_PAIRS_3D = (
    ((1, 4, 64, 64, 64), (128, 128, 128)),
    ((2, 8, 32, 40, 48), (48, 60, 90)),
)
TORCH_PAIRS_1D = (((16, 32, 4096), (8192,)), ((16, 32, 4096), (6007,)))


def name_sizes(*sizes: Sequence[int]) -> str:
    return " -> ".join("x".join(map(str, size)) for size in sizes)


def torch_cell(
    shape: Sequence[int],
    size: Sequence[int],
    mode: str,
    align_corners: bool | None,
    antialias: bool,
    *,
    backward: bool,
    channels_last: bool = False,
    scale_factor: float | None = None,
) -> Cell:
    import torch

    import upsample

    rng = np.random.default_rng(0)
    axes = tuple(range(2, len(shape)))
    source, target = tuple(shape), (*shape[:2], *size)
    x = rng.standard_normal(source, np.float32)
    g = rng.standard_normal(target, np.float32)
    tx, tg = torch.from_numpy(x), torch.from_numpy(g)
    options: dict[str, Any] = {"mode": mode, "align_corners": align_corners, "antialias": antialias}
    sizing = {"size": tuple(size)} if scale_factor is None else {"scale_factor": scale_factor}
    our_sizing: dict[str, Any] = dict(sizing)
    lay: Callable[[np.ndarray], np.ndarray] = np.asarray
    if channels_last:
        tx = tx.contiguous(memory_format=torch.channels_last)
        tg = tg.contiguous(memory_format=torch.channels_last)
        x, g = (np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (x, g))
        axes = tuple(range(1, len(shape) - 1))
        our_sizing["axes"] = axes

        def lay(v: np.ndarray) -> np.ndarray:
            return np.moveaxis(v, 1, -1)

    exact: Call | None = None
    nearest = mode.startswith("nearest")
    if backward:
        n = tuple(shape[2:])
        tx.requires_grad_()
        y = torch.nn.functional.interpolate(tx, **sizing, **options)
        our_sizing.pop("size", None)  # the output size is that of the gradient

        def ours() -> np.ndarray:
            return upsample.interpolate_backward(g, n, **our_sizing, **options)

        def peer() -> Any:
            return torch.autograd.grad(y, tx, tg, retain_graph=True)

        if nearest:

            def exact() -> np.ndarray:
                return pick_adjoint(g, n, axes, mode == "nearest-exact")

    else:

        def ours() -> np.ndarray:
            return upsample.interpolate(x, **our_sizing, **options)

        def peer() -> Any:
            return torch.nn.functional.interpolate(tx, **sizing, **options)

        if nearest:

            def exact() -> np.ndarray:
                return pick(x, size, axes, mode == "nearest-exact")

    return Cell(
        ours,
        peer,
        tolerance(*shape[2:], *size),
        exact,
        (lambda: lay(as_array(peer()))) if channels_last else None,
    )


def torch_job(
    name: str, shape: Sequence[int], size: Sequence[int], *options: Any, **more: Any
) -> Job:
    label = f"{name}, {name_sizes(shape, size)}"
    return label, partial(torch_cell, shape, size, *options, **more)


def torch_grid(backward: bool) -> Iterator[Job]:
    for shape, size in TORCH_PAIRS:
        for name, *options in TORCH_MODES:
            yield torch_job(name, shape, size, *options, backward=backward)
    for shape, size in TORCH_PAIRS_3D:
        for mode, corners in (("nearest", None), ("trilinear", False)):
            yield torch_job(mode, shape, size, mode, corners, False, backward=backward)
    for shape, size in TORCH_PAIRS_1D:
        yield torch_job("linear", shape, size, "linear", False, False, backward=backward)
    shape, size = (8, 64, 64, 64), (128, 128)
    for mode, corners in (("nearest", None), ("bilinear", False), ("bicubic", False)):
        name = f"{mode} channels last"
        options = (mode, corners, False)
        yield torch_job(name, shape, size, *options, backward=backward, channels_last=True)


def core_grid() -> Iterator[Job]:
    for shape, size in TORCH_PAIRS[:2]:
        for name, *options in TORCH_MODES[:-1]:
            yield torch_job(f"{name} forward", shape, size, *options, backward=False)
            yield torch_job(f"{name} backward", shape, size, *options, backward=True)


def small_torch(backward: bool) -> Iterator[Job]:
    shape, size = (1, 1, 8, 8), (16, 16)
    for name, *options in TORCH_MODES:
        yield torch_job(name, shape, size, *options, backward=backward)
    for name, *options in (TORCH_MODES[0], TORCH_MODES[2]):
        name = f"{name}, scale_factor=2"
        yield torch_job(name, shape, size, *options, backward=backward, scale_factor=2.0)


# ------------------------------------------------------------------------------- OpenCV and SciPy

CV2_MODES = {
    "nearest": "INTER_NEAREST",
    "linear": "INTER_LINEAR",
    "cubic": "INTER_CUBIC",
    "lanczos4": "INTER_LANCZOS4",
    "box": "INTER_AREA",
}
CV2_SIDES = (64, 256, 1024, 2048)
CV2_FACTORS = (("x2", 2.0), ("x4", 4.0), ("x1.56", 1.56), ("x1/2", 0.5), ("x0.66", 0.66))


def cv2_cell(shape: tuple[int, ...], m: int, mode: str, *, into: bool = False) -> Cell:
    import cv2

    import upsample

    n = shape[0]
    x = np.random.default_rng(n).standard_normal(shape, np.float32)
    size, axes = (m, m), (0, 1)
    border = "edge" if mode == "lanczos4" else None
    flag = getattr(cv2, CV2_MODES[mode])
    if into:
        resampler = upsample.Resampler(shape[:2], size, mode=mode, border=border)
        ours_out, peer_out = (np.empty((*size, *shape[2:]), np.float32) for _ in range(2))

        def ours() -> np.ndarray:
            return resampler.forward(x, out=ours_out)

        def peer() -> np.ndarray:
            return cv2.resize(x, size, dst=peer_out, interpolation=flag)

    else:

        def ours() -> np.ndarray:
            return upsample.interpolate(x, size=size, mode=mode, axes=axes, border=border)

        def peer() -> np.ndarray:
            return cv2.resize(x, size, interpolation=flag)

    # INTER_AREA leaves out fringes below a thousandth of a sample.
    allowed = 2e-3 if mode == "box" else tolerance(n, m)
    exact = (lambda: pick(x, size, axes, False)) if mode == "nearest" else None
    return Cell(ours, peer, allowed, exact)


def cv2_grid(quick: bool) -> Iterator[Job]:
    for n in CV2_SIDES:
        for channels in (1, 3, 4):
            for name, factor in CV2_FACTORS:
                m = round(n * factor)
                if quick and m * m * channels > 1 << 24:
                    continue
                shape = (n, n) if channels == 1 else (n, n, channels)
                for mode in CV2_MODES:
                    if mode == "box" and factor > 1:
                        continue  # INTER_AREA is another operator when enlarging
                    label = f"{mode}, {n}x{n}, {channels} ch., {name}"
                    yield label, partial(cv2_cell, shape, m, mode)


def small_cv2() -> Iterator[Job]:
    for mode in ("nearest", "linear", "cubic", "lanczos4"):
        yield f"{mode}, 8x8 -> 16x16, out=", partial(cv2_cell, (8, 8), 16, mode, into=True)


SCIPY_MODES = ((0, "nearest-exact"), (1, "linear"), (3, "cubic"))
SCIPY_PAIRS = (
    ((512, 512), (1024, 1024)),
    ((270, 480), (1080, 1920)),
    ((1080, 1920), (540, 960)),
    ((1024, 1024), (1597, 1597)),
    ((64, 64, 64), (128, 128, 128)),
)


def scipy_cell(n: tuple[int, ...], m: tuple[int, ...], order: int, mode: str) -> Cell:
    from scipy import ndimage

    import upsample

    x = np.random.default_rng(len(n)).standard_normal(n, np.float32)
    zoom = [b / a for a, b in zip(n, m, strict=True)]

    def ours() -> np.ndarray:
        return upsample.interpolate(x, size=m, mode=mode)

    def peer() -> np.ndarray:
        return ndimage.zoom(x, zoom, order=order, mode="nearest", grid_mode=True)

    return Cell(
        ours,
        peer,
        tolerance(*n, *m),
        (lambda: pick(x, m, range(len(n)), True)) if order == 0 else None,
        # order 3 is a B-spline: work of the same kind, but not the same operator
        (lambda: cubic(x, m)) if order == 3 else None,
    )


def scipy_grid() -> Iterator[Job]:
    for n, m in SCIPY_PAIRS:
        for order, mode in SCIPY_MODES:
            label = f"{mode}, order {order}, {name_sizes(n, m)}"
            yield label, partial(scipy_cell, n, m, order, mode)


# ----------------------------------------------------------------------------------------- limits


def resampler_case(
    n: Sequence[int],
    m: Sequence[int],
    mode: str,
    batch: Sequence[int] = (),
    dtype: type[np.floating] = np.float32,
    **options: Any,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a Resampler, an input and a gradient."""
    import upsample

    rng = np.random.default_rng(0)
    r = upsample.Resampler(tuple(n), tuple(m), mode=mode, **options)
    x = rng.standard_normal((*batch, *n), np.float32).astype(dtype)
    g = rng.standard_normal((*batch, *m), np.float32).astype(dtype)
    return r, x, g


def directed(
    direction: str, case: tuple[Any, np.ndarray, np.ndarray], into: bool
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the call of one direction without its number of threads, and its `out`."""
    r, x, g = case
    run, a, b = (r.forward, x, g) if direction == "forward" else (r.adjoint, g, x)
    return partial(run, a), {"out": np.ones_like(b) if into else None}


def status_bytes(key: str) -> int:
    """Return a value of /proc/self/status: VmRSS, or VmHWM, its maximum since the last reset."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(key):
                return int(line.split()[1]) * 1024
    raise LookupError(key)


def peak_bytes(side: int, mode: str, direction: str, into: bool, **options: Any) -> int:
    """Return what a call takes at its peak above what was there; its result is subtracted."""

    def run(n: int, into: bool) -> int:
        case = resampler_case((n, n), (2 * n, 2 * n), mode, **options)
        call, out = directed(direction, case, into)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = status_bytes("VmRSS")
        result = call(**out)
        return status_bytes("VmHWM") - before - (0 if into else result.nbytes)

    run(64, False)  # threads and modules are there before anything is counted
    return run(side, into)


class Copy:
    """Copies of one array into another with the wanted number of threads; the fastest counts."""

    def __init__(self, a: np.ndarray, threads: int):
        self.a, self.b = a, np.ones_like(a)
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)

    def parts(self) -> None:
        """Copy a contiguous part per thread (np.copyto releases the GIL)."""
        a, b = self.a.reshape(-1), self.b.reshape(-1)
        cuts = [len(a) * i // self.threads for i in range(self.threads + 1)]
        jobs = [self.pool.submit(np.copyto, b[i:j], a[i:j]) for i, j in pairwise(cuts[1:])]
        np.copyto(b[: cuts[1]], a[: cuts[1]])
        for job in jobs:
            job.result()

    def calls(self) -> list[Call]:
        found: list[Call] = [self.parts]
        if available("torch"):
            import torch

            ta, tb = torch.from_numpy(self.a), torch.from_numpy(self.b)
            found.append(lambda: tb.copy_(ta))
        return found


class Limits:
    """The table of limits: names, and what measures the bounds under each name."""

    def __init__(self, effort: Effort, threads: int, quick: bool):
        self.effort = effort
        self.threads = threads
        self.quick = quick
        self.busy = False

    def time(self, *calls: Call) -> list[float]:
        clock = Clock(calls, self.effort)
        times = clock.run()
        self.busy = clock.busy()
        return times

    def jobs(self) -> Iterator[tuple[str, Callable[[], list[Bound]]]]:
        label = "linear 2048x2048 -> 4096x4096, out="
        yield label, partial(self.against_copy, label)

        for shape, size in TORCH_PAIRS + TORCH_PAIRS_3D:
            for mode in ("linear", "cubic"):
                label = f"backward / forward: {mode}, {name_sizes(shape, size)}"
                yield label, partial(self.backward, label, mode, shape, size)

        for mode in ("linear", "cubic"):
            label = f"largest / smallest time per output sample, {mode}, 256^2 to 8192^2"
            yield label, partial(self.sizes, label, mode)

        for mode, batch, n, m, options in (
            ("linear", (3,), (270, 480), (1080, 1920), {}),
            ("cubic", (3,), (270, 480), (1080, 1920), {}),
            ("lanczos3", (3,), (270, 480), (1080, 1920), {}),
            ("cubic", (), (1024, 1024), (1597, 1597), {}),
            ("cubic", (), (2048, 2048), (4096, 4096), {}),
            ("cubic", (3,), (1080, 1920), (540, 960), {"antialias": True}),
            ("linear", (128,), (64, 64), (150, 150), {}),
            ("cubic", (), (64, 64, 64), (128, 128, 128), {}),
        ):
            name = f"{mode}{' antialias' if options else ''}, {name_sizes((*batch, *n), m)}"
            for direction in ("forward", "backward"):
                label = f"1 thread / {self.threads}: {name}, out=, {direction}"
                case = partial(resampler_case, n, m, mode, batch, **options)
                if self.threads > 1:
                    yield label, partial(self.speedup, label, case, direction)

        side = 1024 if self.quick else 4096
        for mode in ("nearest", "linear", "cubic", "lanczos3", "cubic antialias"):
            for direction in ("forward", "backward"):
                for into in (True, False):
                    label = f"peak memory: {mode}, {side}^2 to {2 * side}^2, {direction}"
                    label += ", out=" if into else ""
                    if os.path.exists("/proc/self/clear_refs"):
                        yield label, partial(self.memory, label, side, mode, direction, into)

        for mode in ("nearest", "linear", "cubic", "lanczos3"):
            for batch, n, m, into in (
                ((3,), (270, 480), (1080, 1920), True),
                ((), (2048, 2048), (4096, 4096), False),
            ):
                for direction in ("forward", "backward"):
                    label = f"float64 / float32: {mode}, {name_sizes((*batch, *n), m)}"
                    label += f", {direction}{', out=' if into else ''}"
                    case = partial(resampler_case, n, m, mode, batch)
                    yield label, partial(self.double, label, case, direction, into)

    def against_copy(self, label: str) -> list[Bound]:
        case = resampler_case((2048, 2048), (4096, 4096), "linear")
        runs = []
        for direction in ("forward", "backward"):
            call, out = directed(direction, case, True)
            runs.append(partial(call, **out))
        forward, backward, *copied = self.time(*runs, *Copy(case[2], self.threads).calls())
        copy = min(copied)
        rate = f"copy {show_time(copy)}, {2 * case[2].nbytes / copy / 1e9:.1f} GB/s"
        return [
            Bound(f"forward / copy: {label}", forward / copy, 2, True, note=rate),
            Bound(f"backward / copy: {label}", backward / copy, 2, True, note=rate),
        ]

    def backward(
        self, label: str, mode: str, shape: Sequence[int], size: Sequence[int]
    ) -> list[Bound]:
        r, x, g = resampler_case(shape[2:], size, mode, shape[:2])
        forward, backward = self.time(partial(r.forward, x), partial(r.adjoint, g))
        note = f"{show_time(backward)} / {show_time(forward)}"
        return [Bound(label, backward / forward, 1.5, True, note=note)]

    def sizes(self, label: str, mode: str) -> list[Bound]:
        sides = [256, 512, 1024, 2048, 4096, 8192]
        calls = []
        for side in sides:
            r, x, _ = resampler_case((side // 2,) * 2, (side,) * 2, mode)
            calls.append(partial(r.forward, x))
        each = [t / m**2 * 1e9 for t, m in zip(self.time(*calls), sides, strict=True)]
        note = "ns " + " ".join(f"{v:.2f}" for v in each)
        return [Bound(label, max(each) / min(each), 2, True, note=note)]

    def speedup(self, label: str, case: Callable[[], Any], direction: str) -> list[Bound]:
        """Several threads against one.

        Work that all threads together finish nearly as fast as they copy the larger array is
        bound by memory: shown, not counted.
        """
        r, x, g = case()
        call, out = directed(direction, (r, x, g), True)
        copies = Copy(x if x.size > g.size else g, self.threads).calls()
        many, one, *copied = self.time(
            partial(call, **out, num_threads=self.threads),
            partial(call, **out, num_threads=1),
            *copies,
        )
        free = many > 1.5 * min(copied)
        note = f"{show_time(one)} / {show_time(many)}{'' if free else ', bound by memory'}"
        return [Bound(label, one / many, 0.85 * self.threads, False, note=note, counts=free)]

    def memory(self, label: str, side: int, mode: str, direction: str, into: bool) -> list[Bound]:
        name, _, antialias = mode.partition(" ")
        taken = peak_bytes(side, name, direction, into, antialias=bool(antialias))
        return [Bound(label, taken / 2**20, 16, True, unit=" MiB")]

    def double(
        self, label: str, case: Callable[..., Any], direction: str, into: bool
    ) -> list[Bound]:
        calls = []
        for dtype in (np.float64, np.float32):
            call, out = directed(direction, case(dtype=dtype), into)
            calls.append(partial(call, **out))
        double, single = self.time(*calls)
        note = f"{show_time(double)} / {show_time(single)}"
        return [Bound(label, double / single, 2.2, True, note=note)]


# ---------------------------------------------------------------------------------------- reports


def available(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def show_time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def software(threads: int) -> list[tuple[str, str]]:
    """Return what a process that has imported everything knows of itself."""
    settle(threads)
    versions = [f"Python {platform.python_version()}"]
    for name in ("upsample", "numpy", *PEERS):
        if name in sys.modules:
            versions.append(f"{name} {sys.modules[name].__version__}")
    lines = [("versions", ", ".join(versions))]
    config = sys.modules["upsample"].show_config("dict")
    lines.append(("instruction set", str(config.get("simd", "baseline"))))
    if available("threadpoolctl"):
        pools = importlib.import_module("threadpoolctl").threadpool_info()
        kinds = [pool["prefix"] for pool in pools if pool["user_api"] == "openmp"]
        lines.append(("OpenMP runtimes", ", ".join(kinds) or "none"))
    return lines


def machine(threads: int) -> list[tuple[str, str]]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    lines = [
        ("machine", f"{cpu_model()}, {cores} cores, {platform.system()} {platform.machine()}"),
        ("threads", f"{threads} on every side (scipy has one)"),
    ]
    by_hand = [f"{k}={v}" for k, v in sorted(os.environ.items()) if is_thread_setting(k)]
    if by_hand:
        lines.append(("environment", " ".join(by_hand)))
    return lines


def is_thread_setting(name: str) -> bool:
    return name.startswith(("OMP_", "GOMP_", "KMP_", "UPSAMPLE_", "OPENCV_THREAD", "OPENCV_FOR"))


class Report:
    """Prints the tables, as text while they grow or as Markdown when they are complete."""

    def __init__(self, markdown: bool):
        self.markdown = markdown
        self.wrong = 0
        self.missed = 0
        self.record: dict[str, Any] = {}

    def head(self, lines: Sequence[tuple[str, str]]) -> None:
        self.record.update(lines)
        for key, value in lines:
            print(f"- {key}: {value}" if self.markdown else f"{key:16s} {value}")

    def title(self, text: str, columns: Sequence[str]) -> None:
        if self.markdown:
            print(f"\n### {text}\n\n| {' | '.join(columns)} |")
            print("|---" + "|---:" * (len(columns) - 2) + "|---|", flush=True)
        else:
            print(f"\n{text}\n", flush=True)

    def line(self, label: str, *values: str) -> None:
        if self.markdown:
            print(f"| {label} | {' | '.join(values)} |", flush=True)
        else:
            *numbers, note = values
            cells = "".join(f"{value:>11s}" for value in numbers)
            print(f"  {label:68s}{cells}  {note}".rstrip(), flush=True)

    def verdict(self, text: str, bullets: Sequence[str] = ()) -> None:
        print(f"\n{text}\n" if self.markdown else f"  {text}")
        for bullet in bullets:
            print(f"- {bullet}" if self.markdown else f"    {bullet}")
        sys.stdout.flush()

    def run_table(self, table: Table, effort: Effort, threads: int, text: str) -> None:
        self.title(table.title, ("work", "upsample", table.peer, "ratio", "remark"))
        rows = []
        wrong = 0
        for label, build in table.jobs:
            if text not in label:
                continue
            row = isolated(partial(run_cell, label, build, table.worst or 0.0, effort, threads))
            if isinstance(row, Failure):
                wrong += 1
                self.line(label, "-", "-", "-", f"WRONG: {row.reason}")
                continue
            rows.append(row)
            note = row.note
            if row.ratio < (table.worst or 0.0):
                note = f"{note}, below {table.worst:g}".removeprefix(", ")
            self.line(row.label, show_time(row.ours), show_time(row.peer), f"{row.ratio:.2f}", note)
        self.wrong += wrong
        self.record.setdefault("tables", {})[table.title] = [
            {"work": r.label, "ours": r.ours, "peer": r.peer, "ratio": r.ratio} for r in rows
        ]
        if wrong:
            self.verdict(f"{wrong} cells WRONG")
        if rows:
            self.summary(table, sorted(rows, key=lambda row: row.ratio))

    def summary(self, table: Table, rows: list[Row]) -> None:
        """Print the mean and the worst of the rows, which are sorted by ratio."""
        mean = math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))
        parts = [f"{len(rows)} cells, geometric mean {mean:.2f}"]
        if table.mean is not None:
            parts.append(self.judge(mean >= table.mean, f"wanted at least {table.mean:g}"))
        parts.append(f"worst {rows[0].ratio:.2f}")
        if table.worst is not None:
            below = sum(row.ratio < table.worst for row in rows)
            text = f"wanted at least {table.worst:g}" + (f", {below} below" if below else "")
            parts.append(self.judge(not below, text))
        worst = [
            f"{row.ratio:.2f}  {row.label} ({show_time(row.ours)}, {show_time(row.peer)})"
            for row in rows[:5]
        ]
        self.verdict("; ".join(parts), worst)

    def judge(self, good: bool, text: str) -> str:
        self.missed += not good
        return f"{text}: {'holds' if good else 'MISSED'}"

    def run_limits(self, table: Limits, text: str) -> None:
        self.title("Limits of the machine", ("what", "measured", "bound", "remark"))
        record = self.record.setdefault("limits", [])
        counted = held = 0
        for label, work in table.jobs():
            if text not in label:
                continue
            bounds = isolated(partial(run_limit, table, work))
            if isinstance(bounds, Failure):
                self.wrong += 1
                self.line(label, "-", "-", f"WRONG: {bounds.reason}")
                continue
            for b in bounds:
                note = b.note
                if b.counts:
                    counted += 1
                    held += b.holds
                    self.missed += not b.holds
                    note = f"{note}, {'holds' if b.holds else 'MISSED'}".removeprefix(", ")
                bound = f"{'<=' if b.at_most else '>='} {b.bound:g}{b.unit}"
                self.line(b.label, f"{b.value:.2f}{b.unit}", bound, note)
                record.append({"what": b.label, "value": b.value, "bound": b.bound})
        self.verdict(f"{held} of {counted} bounds hold")


def run_cell(
    label: str, build: Callable[[], Cell], worst: float, effort: Effort, threads: int
) -> Row | Failure:
    """Make, verify and time one cell."""
    settle(threads)
    cell = build()
    good, note = verify(cell)
    if not good:
        return Failure(note)
    clock = Clock([cell.ours, cell.peer], effort)
    # A ratio below the wanted one may be a disturbance: more repeats, for both sides.
    for _ in range(3):
        ours, peer = clock.run()
        if peer >= worst * ours:
            break
    if clock.busy():
        note = f"{note}, busy machine".removeprefix(", ")
    return Row(label, ours, peer, note)


def run_limit(table: Limits, work: Callable[[], list[Bound]]) -> list[Bound]:
    settle(table.threads)
    bounds = work()
    if table.busy:
        for b in bounds:
            b.note += ", busy machine"
    return bounds


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", action="append", choices=TABLES, help="tables (repeatable)")
    parser.add_argument("--filter", default="", metavar="TEXT", help="cells whose name contains it")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no gigabyte results")
    parser.add_argument("--threads", type=int, default=2, help="on every side (default: 2)")
    parser.add_argument("--pause", type=float, metavar="MS", help="before every block of calls")
    parser.add_argument(
        "--quiet", type=float, metavar="S", help="wait so long per cell for other programs to pause"
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--json", metavar="FILE", help="also write the numbers to a file")
    parser.add_argument("--strict", action="store_true", help="exit status 1 for a missed target")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    threads, quick = options.threads, options.quick
    effort = Effort(budget=0.1, block=0.01, rounds=2) if quick else Effort()
    if options.pause is not None:
        effort.pause = options.pause / 1e3
    if options.quiet is not None:
        effort.quiet = options.quiet
    # Peers are imported once, here: that starts no threads. torch comes first, so that upsample
    # shares its OpenMP runtime, as in every program that imports torch first.
    found = [name for name in PEERS if available(name)]

    tables = {
        "core": [Table("PyTorch, the core pairs", "torch", core_grid(), None, 1.0)],
        "torch": [
            Table("PyTorch, forward", "torch", torch_grid(backward=False), 8.0, 1.5),
            Table("PyTorch, backward", "torch", torch_grid(backward=True), 20.0, 3.0),
        ],
        "cv2": [Table("OpenCV, forward", "cv2", cv2_grid(quick), 1.5, 1.0)],
        "scipy": [Table("SciPy, ndimage.zoom", "scipy", scipy_grid(), 60.0, 15.0)],
        "small": [
            Table("One small call, interpolate", "torch", small_torch(False), None, 1.0),
            Table("One small call, Resampler.forward(out=)", "cv2", small_cv2(), None, 1.0),
            Table("One small call, backward", "torch", small_torch(True), None, None),
        ],
    }
    report = Report(options.markdown)
    imported = isolated(partial(software, threads))
    if isinstance(imported, Failure):
        print(f"upsample cannot be used: {imported.reason}", file=sys.stderr)
        return 2
    report.head(machine(threads) + imported)
    for name in options.only or [name for name in TABLES if name != "core"]:
        if name == "limit":
            report.run_limits(Limits(effort, threads, quick), options.filter)
            continue
        for table in tables[name]:
            if table.peer in found:
                report.run_table(table, effort, threads, options.filter)
            else:
                print(f"\n{table.title}: {table.peer} is not installed, left out", flush=True)
                report.missed += bool(options.only)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report.record, file, indent=1)
    print(f"\n{report.wrong} cells WRONG, {report.missed} targets missed")
    return int(report.wrong > 0 or (options.strict and report.missed > 0))


if __name__ == "__main__":
    sys.exit(main())
