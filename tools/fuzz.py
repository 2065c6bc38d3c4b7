"""Call the public functions with random arguments until one of them misbehaves.

Each call must do one of two things: raise ValueError or TypeError (and never for arguments that are
right), or return what the dense definition of tests/definition.py gives, bit-equal to the same call
on a contiguous copy.  Anything else is printed with what repeats it, and the exit status is 1; a
crash of the interpreter is seen by whoever started the program.

    python tools/fuzz.py                        100,000 calls
    python tools/fuzz.py --calls 500 --seed 7   as many, from this seed on

Shapes have up to five axes of 1 to some hundred samples; arrays are strided, transposed, reversed,
broadcast, unaligned, of either byte order and of every dtype; `out` has a layout of its own, and
sometimes a wrong shape or dtype, is read-only, or overlaps the input.
"""

from __future__ import annotations

import argparse
import functools
import random
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import definition
import upsample
from helpers import library

INEXACT = ["f2", "f4", "f8", "c8", "c16"]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4"]
COPIED = ["?", "i8", "u8", "M8[s]", "S3", "U2", "V5", "i4,f8"]
LONGEST = {1: 400, 2: 40, 3: 16, 4: 8, 5: 6}
USUAL = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64]
WRONG = [None, -1, 0, 1.5, True, "x", [], [2, 2, 2, 2, 2, 2], float("nan"), 2**62, (1, "a"), {}]


@functools.lru_cache(maxsize=4096)
def matrix(kind: str, n: int, m: int, scale: float | None) -> np.ndarray:
    return definition.matrix_of(n, m, definition.OPTIONS[kind], scale=scale)


class Mistake(Exception):
    pass


def lengths(r: random.Random, ndim: int) -> list[int]:
    longest = LONGEST[ndim]
    choices = [n for n in USUAL if n <= longest]
    return [r.choice(choices) if r.random() < 0.7 else r.randint(1, longest) for _ in range(ndim)]


def other_length(r: random.Random, n: int) -> int:
    near = [n, 2 * n, 3 * n, 4 * n, max(n // 2, 1), max(n // 3, 1), n + 1, max(n - 1, 1)]
    return r.choice(near) if r.random() < 0.6 else r.randint(1, 60)


def values(g: np.random.Generator, shape: list[int], dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "iu" and dtype.itemsize <= 4:
        info = np.iinfo(dtype)
        return g.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype.kind in "fc":
        x = g.standard_normal(shape)
        if dtype.kind == "c":
            x = x + 1j * g.standard_normal(shape)
        return np.asarray(x).astype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = g.integers(0, 2 if dtype.kind == "b" else 100, size, np.uint8)
    if dtype.kind == "U":
        raw = raw.view(np.uint32) % 100 if raw.size else raw.view(np.uint32)
        raw = raw.astype(np.uint32).view(np.uint8)
    return raw.view(dtype).reshape(shape) if size else np.zeros(shape, dtype)


def laid_out(r: random.Random, x: np.ndarray) -> np.ndarray:
    """The same values, somehow in memory."""
    kind = r.randrange(8)
    if kind == 1 and x.ndim:
        order = list(range(x.ndim))
        r.shuffle(order)
        x = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    elif kind == 2:
        steps = [r.randint(1, 3) for _ in x.shape]
        wide = np.zeros([n * s for n, s in zip(x.shape, steps, strict=True)], x.dtype)
        where = tuple(slice(None, None, s) for s in steps)
        wide[where] = x
        x = wide[where]
    elif kind == 3:
        back = tuple(slice(None, None, r.choice([1, -1])) for _ in x.shape)
        x = np.ascontiguousarray(x[back])[back]
    elif kind == 4:
        raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
        raw[...] = x
        x = raw
    elif kind == 5 and x.dtype.kind in "fciu":
        x = x.astype(x.dtype.newbyteorder(), order="K")
    elif kind == 6:
        wide = np.zeros([n + r.randint(0, 3) for n in x.shape], x.dtype)
        where = tuple(slice(0, n) for n in x.shape)
        wide[where] = x
        x = wide[where]
    if r.random() < 0.1 and not np.shares_memory(x, x[:0]):
        x.flags.writeable = False
    return x


def dense(x: np.ndarray, matrices: list[np.ndarray], axes: list[int]) -> np.ndarray:
    y = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    for axis, w in zip(axes, matrices, strict=True):
        y = np.moveaxis(np.tensordot(w, y, axes=(1, axis)), 0, axis)
    return y


def compare(
    y: np.ndarray, x: np.ndarray, matrices: list[np.ndarray], axes: list[int], rounded: bool
) -> None:
    """Stop if a result is not what the dense matrices give."""
    native = x.dtype.newbyteorder("=")
    if native.kind not in "fc" and not (native.kind in "iu" and native.itemsize <= 4):
        picked = x
        for axis, w in zip(axes, matrices, strict=True):
            picked = picked.take(w.argmax(axis=1), axis=axis)
        if picked.tobytes() != y.tobytes():
            raise Mistake("a copied sample is another one")
        return
    expected = dense(x, matrices, axes)
    size = np.abs(x.astype(np.complex128 if native.kind == "c" else np.float64))
    # Weights close to a root of the kernel have absolute errors; so have coordinates that are
    # products of a given factor.
    absolute = 1 / 16 + rounded * max(max(w.shape) for w in matrices) / 64
    bound = dense(size, [abs(w) for w in matrices], axes) + absolute * size.max(initial=0)
    found = y.astype(y.dtype.newbyteorder("="))
    if native.kind in "iu":
        info = np.iinfo(native)
        slack = 0.5 + 40 * bound * np.finfo("f4" if native.itemsize < 4 else "f8").eps
        off = np.abs(found - expected.clip(info.min, info.max)) - slack
    else:
        eps = max(float(np.finfo(native).eps), 1e-15)
        tiny = float(np.finfo(native).smallest_subnormal)
        with np.errstate(over="ignore"):
            off = np.abs(found.astype(expected.dtype) - expected) - 40 * eps * bound - 2 * tiny
    if off.size and not off.max() <= 0:
        raise Mistake(f"differs from the definition by {off.max():.3g} more than allowed")


def one_call(seed: int) -> str:
    """One call; what became of it."""
    r, g = random.Random(seed), np.random.default_rng(seed)
    ndim = r.randint(1, 5)
    shape = lengths(r, ndim)
    if r.random() < 0.03:
        shape[r.randrange(ndim)] = 0
    axes = r.sample(range(ndim), r.randint(1, min(3, ndim)))
    kind = r.choice(list(definition.OPTIONS))
    options = library(definition.OPTIONS[kind])
    copies = options["mode"] in definition.COPYING_MODES
    backward = r.random() < 0.4
    choices = INEXACT if backward else INEXACT + INTEGERS + (COPIED if copies else [])
    dtype = np.dtype(r.choice(choices))
    n = [shape[a] for a in axes]
    m = [other_length(r, max(k, 1)) for k in n]
    scale: list[float] | None = None
    if r.random() < 0.2 and 0 not in n:
        scale = [max(r.choice([2, 3, 0.5, 1.7, 0.31, 1 / 3, r.uniform(0.1, 4)]), 1 / k) for k in n]
        m = [int(np.floor(k * f)) for k, f in zip(n, scale, strict=True)]
    given = list(shape)
    if backward:
        for axis, k in zip(axes, m, strict=True):
            given[axis] = k
    x = laid_out(r, values(g, given, dtype))
    if r.random() < 0.05 and x.size:
        axis = r.randrange(ndim)
        x = np.broadcast_to(x.take([0], axis=axis), x.shape)
    arguments: dict[str, object] = dict(options, axes=tuple(a - r.choice([0, ndim]) for a in axes))
    if scale is not None:
        arguments["scale_factor"] = tuple(scale)
    if backward:
        arguments["input_size"] = tuple(n)
    elif scale is None:
        arguments["size"] = tuple(m)
    if r.random() < 0.5:
        arguments["num_threads"] = r.choice([1, 2, 3, 8])
    target = list(shape)
    if not backward:
        for axis, k in zip(axes, m, strict=True):
            target[axis] = k
    right = all(n) and all(m)
    if r.random() < 0.3 and right:
        out = laid_out(r, np.zeros(target, x.dtype))
        out = out if out.dtype == x.dtype else np.zeros(target, x.dtype)
        kind_of_out = r.randrange(8)
        if kind_of_out == 0:
            out = np.zeros([k + 1 for k in target], x.dtype)
            right = False
        elif kind_of_out == 1:
            out = np.zeros(target, "f4" if x.dtype != np.float32 else "f8")
            right = False
        elif kind_of_out == 2 and target == given:
            out = x
        right = right and out.flags.writeable
        arguments["out"] = out
    if r.random() < 0.1:
        name = r.choice([*arguments, "border", "cubic_coeff", "antialias", "align_corners"])
        arguments[name] = r.choice(WRONG)
        right = False
    call = upsample.interpolate_backward if backward else upsample.interpolate
    before = x.tobytes() if arguments.get("out") is not x else b""
    kept = np.array(x, copy=True, order="C")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y = call(x, **arguments)
    except (ValueError, TypeError) as error:
        if right:
            raise Mistake(f"refused: {error}") from error
        if not str(error):
            raise Mistake("an error without words") from error
        return "refused"
    if before and x.tobytes() != before:
        raise Mistake("the input was changed")
    if not right:
        return "taken"
    if y.dtype != x.dtype or list(y.shape) != target:
        raise Mistake(f"result is {y.dtype} {y.shape}")
    matrices = [
        matrix(kind, before, after, None if scale is None else scale[i])
        for i, (before, after) in enumerate(zip(n, m, strict=True))
    ]
    if scale is not None and any(a == b for a, b in zip(n, m, strict=True)):
        return "taken"  # whether such a factor counts depends on the mode; tests tell
    matrices = [w.T for w in matrices] if backward else matrices
    compare(y, kept, matrices, axes, rounded=scale is not None)
    again = dict(arguments, out=None, num_threads=1)
    if call(kept, **again).tobytes() != np.ascontiguousarray(y).tobytes():
        raise Mistake("a contiguous copy gives other bits")
    return "right"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first call")
    options = parser.parse_args()
    counts: dict[str, int] = {}
    mistakes = 0
    begin = time.monotonic()
    for seed in range(options.seed, options.seed + options.calls):
        try:
            what = one_call(seed)
        except Exception as error:
            mistakes += 1
            what = "WRONG"
            print(f"--calls 1 --seed {seed}: {type(error).__name__}: {error}", flush=True)
            if mistakes >= 20:
                break
        counts[what] = counts.get(what, 0) + 1
    words = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    print(f"{sum(counts.values())} calls in {time.monotonic() - begin:.0f} s: {words}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
