"""What the modes mean, written down once more, slowly.

This module is what the library is tested against, so it shares nothing with it: one loop
over output samples, one over source positions, one entry of a dense matrix at a time.
Coordinates are exact fractions wherever sizes give the ratio; a given scale factor makes
them float64 products, as documented.  Polynomial kernels are evaluated in exact fractions.

`matrix` gives the dense W (m × n) of one axis, `apply` and `apply_adjoint` use one such
matrix per axis, `bound` says how far rounding may carry a result away from them.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

HALF = Fraction(1, 2)

# ---------------------------------------------------------------- kernels K(t), t >= 0


def triangle(t):
    return 1 - t


def keys(a):
    def kernel(t):
        if t <= 1:
            return (a + 2) * t**3 - (a + 3) * t**2 + 1
        return a * (t**3 - 5 * t**2 + 8 * t - 4)

    return kernel


def mitchell(t):
    b = c = Fraction(1, 3)
    if t < 1:
        return ((12 - 9 * b - 6 * c) * t**3 + (-18 + 12 * b + 6 * c) * t**2 + 6 - 2 * b) / 6
    return (
        (-b - 6 * c) * t**3 + (6 * b + 30 * c) * t**2 + (-12 * b - 48 * c) * t + 8 * b + 24 * c
    ) / 6


def magic(t):
    if t <= HALF:
        return Fraction(17, 16) - 7 * t**2 / 4
    if t <= 3 * HALF:
        return (4 * t**2 - 11 * t + 7) / 4
    return -((t - 5 * HALF) ** 2) / 8


def sinc(t):
    """sin(πt)/(πt) for an exact t, with exact zeros."""
    if t == 0:
        return 1.0
    # The argument of the sine is reduced exactly, to at most a quarter turn.
    whole = math.floor(t + HALF)
    return (-1) ** whole * math.sin(math.pi * float(t - whole)) / (math.pi * float(t))


def lanczos(lobes):
    def kernel(t):
        return sinc(t) * sinc(t / lobes)

    return kernel


def hamming(t):
    return sinc(t) * (0.54 + 0.46 * math.cos(math.pi * float(t)))


def gaussian(t):
    sigma = 0.5
    return math.exp(-(float(t) ** 2) / (2 * sigma**2))


KERNELS = {  # name: (support, K)
    "linear": (1, triangle),
    "lanczos2": (2, lanczos(2)),
    "lanczos3": (3, lanczos(3)),
    "lanczos4": (4, lanczos(4)),
    "lanczos5": (5, lanczos(5)),
    "hamming": (1, hamming),
    "mitchell": (2, mitchell),
    "catmull-rom": (2, keys(-HALF)),
    "gaussian": (3 * HALF, gaussian),
    "magic": (5 * HALF, magic),
}
SYNONYMS = {
    "bilinear": "linear",
    "trilinear": "linear",
    "bicubic": "cubic",
    "tricubic": "cubic",
}
KERNEL_MODES = [*KERNELS, "cubic"]
COPYING_MODES = ["nearest", "nearest-exact"]
CELL_MODES = ["area", "box"]
ALL_MODES = [*COPYING_MODES, *CELL_MODES, *KERNEL_MODES]
BORDERS = ["edge", "renormalize", "zero", "reflect", "mirror"]


def kernel_of(mode, antialias, cubic_coeff):
    if mode == "cubic":
        a = cubic_coeff if cubic_coeff is not None else (-0.5 if antialias else -0.75)
        return 2, keys(Fraction(a))
    if isinstance(mode, str):
        return KERNELS[mode]
    return mode  # a caller's own (support, K)


def default_border(mode, antialias):
    return "edge" if mode in ("linear", "cubic") and not antialias else "renormalize"


# ---------------------------------------------------------------- one axis


def output_size(n, scale):
    return math.floor(n * float(scale))


def neighbour_inside(j, n, border):
    """Which of the n samples stands at position j, or None."""
    if 0 <= j < n:
        return j
    if border in ("zero", "renormalize"):
        return None
    if border == "edge":
        return 0 if j < 0 else n - 1
    # Walk back and forth between the two ends until inside.
    gap = {"reflect": 1, "mirror": 0}[border]
    if n == 1:
        return 0
    while not 0 <= j < n:
        j = -j - gap if j < 0 else 2 * (n - 1) - j + gap
    return j


def coordinate(i, n, m, scale, align_corners):
    """Where output sample i lies between the input samples, as an exact fraction."""
    if align_corners:
        return Fraction(i * (n - 1), m - 1) if m > 1 else Fraction(0)
    if scale is None:
        return (i + HALF) * Fraction(n, m) - HALF
    return Fraction((i + 0.5) * (1.0 / float(scale)) - 0.5)


@lru_cache(maxsize=2**15)
def kernel_row(i, n, m, mode, scale, align_corners, antialias, cubic_coeff):
    """Weights of output sample i by position, positions outside 0 … n-1 included."""
    support, kernel = kernel_of(mode, antialias, cubic_coeff)
    s = coordinate(i, n, m, scale, align_corners)
    ratio = Fraction(n, m) if scale is None else Fraction(1.0 / float(scale))
    stretch = max(ratio, 1) if antialias else 1
    reach = support * stretch
    found = {}
    for j in range(math.floor(s - reach), math.ceil(s + reach) + 1):
        if abs(j - s) < reach:
            found[j] = float(kernel(abs(j - s) / stretch))
    total = math.fsum(found.values())
    return {j: weight / total for j, weight in found.items()}


def row(
    i,
    n,
    m,
    mode,
    scale=None,
    align_corners=None,
    antialias=False,
    border=None,
    cubic_coeff=None,
):
    """Row i of W, as {sample: weight}."""
    mode = SYNONYMS.get(mode, mode)
    step = 1.0 / float(scale) if scale is not None else None
    if mode == "nearest":
        j = i * n // m if step is None else math.floor(i * step)
        return {min(j, n - 1): 1.0}
    if mode == "nearest-exact":
        j = (2 * i + 1) * n // (2 * m) if step is None else math.floor((i + 0.5) * step)
        return {min(j, n - 1): 1.0}
    if mode == "area":
        first, last = math.floor(Fraction(i * n, m)), math.ceil(Fraction((i + 1) * n, m)) - 1
        return dict.fromkeys(range(first, last + 1), 1 / (last - first + 1))
    if mode == "box":
        if step is None:
            low, high = Fraction(i * n, m), Fraction((i + 1) * n, m)
        else:
            low, high = Fraction(i * step), Fraction((i + 1) * step)
        shares = {
            j: min(high, j + 1) - max(low, j)
            for j in range(math.floor(low), min(math.ceil(high), n))
        }
        return {j: float(share / sum(shares.values())) for j, share in shares.items()}
    rule = border or default_border(mode, antialias)
    found = {}
    by_position = kernel_row(i, n, m, mode, scale, bool(align_corners), antialias, cubic_coeff)
    for j, weight in by_position.items():
        inside = neighbour_inside(j, n, rule)
        if inside is not None:
            found[inside] = found.get(inside, 0.0) + weight
    if rule == "renormalize":
        total = math.fsum(found.values())
        found = {j: weight / total for j, weight in found.items()}
    return found


@lru_cache(maxsize=2**10)
def matrix(n, m, mode, scale=None, **options):
    """Dense W of one axis, n samples to m; `scale` only if the ratio is to be 1/scale."""
    w = np.zeros((m, n))
    for i in range(m):
        for j, weight in row(i, n, m, mode, scale, **options).items():
            w[i, j] = weight
    w.flags.writeable = False
    return w


# ---------------------------------------------------------------- several axes


def apply(x, matrices, axes):
    """Each matrix applied along its axis, in double precision."""
    y = np.asarray(x)
    y = y.astype(np.complex128 if y.dtype.kind == "c" else np.float64)
    for w, axis in zip(matrices, axes, strict=True):
        y = np.moveaxis(np.tensordot(w, y, axes=(1, axis)), 0, axis)
    return y


def apply_adjoint(g, matrices, axes):
    return apply(g, [w.T for w in matrices], axes)


def bound(x, matrices, axes):
    """How much a result may differ from `apply(x, …)`, element by element.

    Rounding in a sum of products is relative to the sum of their absolute values.  In double
    precision 1e-12 of it is allowed; in single precision a few units in the last place for
    each axis.  Where no nonzero weight reaches, nothing is allowed.
    """
    x = np.asarray(x)
    reached = apply(np.abs(x), [np.abs(w) for w in matrices], axes)
    if x.dtype in (np.dtype(np.float32), np.dtype(np.complex64)):
        slack = 4 * len(matrices) * float(np.finfo(np.float32).eps)
    else:
        slack = 1e-12
    # Weights are differences of numbers near 1: a tiny weight is right to about 1e-16 only.
    largest = float(np.abs(x).max(initial=0.0))
    return np.where(reached > 0, slack * reached + 1e-15 * largest, 0.0)


def assert_close(actual, x, matrices, axes, what):
    """`actual` is `apply(x, matrices, axes)` up to rounding, and has x's type."""
    expected = apply(x, matrices, axes)
    assert actual.shape == expected.shape, (what, actual.shape, expected.shape)
    assert actual.dtype == x.dtype, (what, actual.dtype, x.dtype)
    error = np.abs(actual - expected)
    allowed = bound(x, matrices, axes)
    if not (error <= allowed).all():  # also catches NaN
        worst = np.unravel_index(np.nanargmax(error - allowed), error.shape)
        raise AssertionError(
            f"{what}: at {tuple(map(int, worst))} got {actual[worst]}, expected {expected[worst]}, "
            f"allowed {allowed[worst]:.3g}; "
            f"{int((~(error <= allowed)).sum())} of {error.size} are wrong"
        )


# ---------------------------------------------------------------- every allowed combination


def spline2(t):
    """A quadratic B-spline, for use as a caller's own filter."""
    return np.where(t < 0.5, 0.75 - t**2, 0.5 * (1.5 - t) ** 2)


SPLINE2 = (3 * HALF, lambda t: spline2(float(t)).item())


def allowed_options():
    """Keyword arguments of every combination of mode and options that has a meaning.

    A caller's own filter appears as mode "spline2"; `matrix_of` and `helpers.library`
    put in what that is on either side.
    """
    for mode in COPYING_MODES + CELL_MODES:
        yield {"mode": mode}
    yield {"mode": "box", "antialias": True}
    for mode in [*KERNEL_MODES, "spline2"]:
        for border in [None, *BORDERS]:
            yield {"mode": mode, "border": border}
            yield {"mode": mode, "border": border, "antialias": True}
            yield {"mode": mode, "border": border, "align_corners": True}
    for coefficient in (-0.5, -0.6, 0.0):
        yield {"mode": "cubic", "cubic_coeff": coefficient}
        yield {"mode": "cubic", "cubic_coeff": coefficient, "antialias": True}
    yield {"mode": "cubic", "cubic_coeff": -0.5, "border": "renormalize"}
    yield {"mode": "cubic", "cubic_coeff": -1.0, "border": "reflect"}
    yield {"mode": "cubic", "cubic_coeff": -0.3, "align_corners": True}


def name_of(options):
    """A test's name: the values that are not the defaults."""
    words = [options["mode"]]
    if options.get("border"):
        words.append(options["border"])
    words += [flag for flag in ("antialias", "align_corners") if options.get(flag)]
    if options.get("cubic_coeff") is not None:
        words.append(f"a={options['cubic_coeff']}")
    return "-".join(words)


OPTIONS = {name_of(options): options for options in allowed_options()}


def definable(options):
    """One of `OPTIONS` with the caller's filter as this module takes it."""
    return {**options, "mode": SPLINE2} if options["mode"] == "spline2" else options


def matrix_of(n, m, options, scale=None):
    """`matrix` for one of `OPTIONS`."""
    return matrix(n, m, scale=scale, **definable(options))


def sparse_matrix_of(n, m, options):
    """The same for long axes, as a scipy.sparse array."""
    from scipy.sparse import coo_array

    rows = [row(i, n, m, **definable(options)) for i in range(m)]
    at = [i for i, weights in enumerate(rows) for _ in weights]
    columns = [j for weights in rows for j in weights]
    values = [weight for weights in rows for weight in weights.values()]
    return coo_array((values, (at, columns)), shape=(m, n)).tocsr()
