"""scipy.ndimage computes the same in two other ways: `zoom`, and one correlation per phase.

Output samples i and i + M lie at the same place between input samples when the ratio is
N : M in lowest terms.  So all outputs of one phase are a correlation of the input with one
fixed set of weights, sampled every N: `scipy.ndimage.correlate1d` with its own border rules.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import ndimage

import upsample
from helpers import SPLINE2, mismatch, sample
from upsample import interpolate, interpolate_backward

# ---------------------------------------------------------------- zoom, orders 0 and 1

ZOOM = {
    # (order, grid_mode, modes of scipy): our mode and options
    (0, True, "nearest reflect mirror grid-wrap grid-constant"): {"mode": "nearest-exact"},
    (1, True, "nearest reflect"): {"mode": "linear"},
    (1, True, "mirror"): {"mode": "linear", "border": "mirror"},
    (1, False, "nearest reflect mirror constant"): {"mode": "linear", "align_corners": True},
}
ZOOM_CASES = [
    pytest.param(order, grid_mode, mode, options, id=f"order{order}-grid_mode={grid_mode}-{mode}")
    for (order, grid_mode, modes), options in ZOOM.items()
    for mode in modes.split()
]


def zoom(x, sizes, order, grid_mode, mode):
    """scipy's zoom to given sizes; it takes the ratio from the sizes, as we do."""
    factors = [m / n for n, m in zip(x.shape, sizes, strict=True)]
    y = ndimage.zoom(x, factors, order=order, grid_mode=grid_mode, mode=mode)
    assert y.shape == tuple(sizes)
    return y


@pytest.mark.parametrize(("order", "grid_mode", "mode", "options"), ZOOM_CASES)
def test_zoom_of_one_axis(order, grid_mode, mode, options, rng):
    for n in range(1, 17):
        for m in range(1, 25):
            x = sample(rng, n)
            y = interpolate(x, size=m, **options)
            expected = zoom(x, (m,), order, grid_mode, mode)
            tolerance = 0 if order == 0 else 1e-12
            np.testing.assert_allclose(y, expected, rtol=0, atol=tolerance, err_msg=f"{n} -> {m}")


@pytest.mark.parametrize(("order", "grid_mode", "mode", "options"), ZOOM_CASES)
def test_zoom_of_several_axes(order, grid_mode, mode, options, rng):
    for sizes, outputs in [((5, 7), (8, 11)), ((9, 4), (4, 13)), ((3, 4, 5), (7, 3, 8))]:
        x = sample(rng, sizes)
        y = interpolate(x, size=outputs, **options)
        expected = zoom(x, outputs, order, grid_mode, mode)
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("order", "grid_mode", "mode", "options"), ZOOM_CASES)
def test_adjoint_of_zoom(order, grid_mode, mode, options, rng):
    for n, m in [(3, 7), (7, 3), (5, 10), (8, 9), (9, 8), (12, 5), (5, 12)]:
        columns = [zoom(column, (m,), order, grid_mode, mode) for column in np.eye(n)]
        g = sample(rng, (2, m))
        back = interpolate_backward(g, (n,), axes=(1,), **options)
        np.testing.assert_allclose(back, g @ np.stack(columns, axis=1), rtol=0, atol=1e-12)


def test_zoom_order_0_on_the_corner_grid_is_linear_at_the_samples(rng):
    # With m − 1 a multiple of n − 1 all samples are hit, by either order.
    x = sample(rng, 5)
    y = interpolate(x, size=9, mode="linear", align_corners=True)
    np.testing.assert_allclose(y[::2], zoom(x, (9,), 0, False, "nearest")[::2], atol=1e-15)


# ---------------------------------------------------------------- one correlation per phase


def triangle(t):
    return np.maximum(1 - np.abs(t), 0)


def keys(a):
    def kernel(t):
        t = np.abs(t)
        near = (a + 2) * t**3 - (a + 3) * t**2 + 1
        far = a * (t**3 - 5 * t**2 + 8 * t - 4)
        return np.where(t <= 1, near, np.where(t < 2, far, 0))

    return kernel


def lanczos(lobes):
    return lambda t: np.where(np.abs(t) < lobes, np.sinc(t) * np.sinc(t / lobes), 0)


def hamming(t):
    return np.where(np.abs(t) < 1, np.sinc(t) * (0.54 + 0.46 * np.cos(np.pi * t)), 0)


def mitchell(t):
    t = np.abs(t)
    near = 7 * t**3 - 12 * t**2 + 16 / 3
    far = -7 / 3 * t**3 + 12 * t**2 - 20 * t + 32 / 3
    return np.where(t < 1, near, np.where(t < 2, far, 0)) / 6


def magic(t):
    t = np.abs(t)
    return np.select(
        [t <= 0.5, t <= 1.5, t <= 2.5],
        [17 / 16 - 7 * t**2 / 4, (4 * t**2 - 11 * t + 7) / 4, -((t - 2.5) ** 2) / 8],
        0,
    )


def gaussian(t):
    # A hair inside the support: at its very end this kernel jumps to zero.
    return np.where(np.abs(t) < 1.5 - 1e-9, np.exp(-2 * t**2), 0)


def spline2(t):
    return np.where(np.abs(t) < 1.5, SPLINE2.function(np.abs(t)), 0)


# our mode: support, kernel, kernel with antialias, border rule without
KERNELS = {
    "linear": (1, triangle, triangle, "edge"),
    "cubic": (2, keys(-0.75), keys(-0.5), "edge"),
    "catmull-rom": (2, keys(-0.5), keys(-0.5), "renormalize"),
    "lanczos2": (2, lanczos(2), lanczos(2), "renormalize"),
    "lanczos3": (3, lanczos(3), lanczos(3), "renormalize"),
    "lanczos4": (4, lanczos(4), lanczos(4), "renormalize"),
    "lanczos5": (5, lanczos(5), lanczos(5), "renormalize"),
    "hamming": (1, hamming, hamming, "renormalize"),
    "mitchell": (2, mitchell, mitchell, "renormalize"),
    "magic": (2.5, magic, magic, "renormalize"),
    "gaussian": (1.5, gaussian, gaussian, "renormalize"),
    "spline2": (1.5, spline2, spline2, "renormalize"),
}
SCIPY_BORDER = {
    "edge": "nearest",
    "reflect": "reflect",
    "mirror": "mirror",
    "zero": "constant",
    "renormalize": "constant",
}
NUMPY_PAD = {"edge": "edge", "reflect": "symmetric", "mirror": "reflect"}


class Phases:
    """One axis, n samples to m, as correlations."""

    def __init__(self, n, m, mode, border=None, antialias=False, align_corners=False):
        support, plain, antialiased, default = KERNELS[mode]
        kernel = antialiased if antialias else plain
        self.n, self.m = n, m
        self.border = border or ("renormalize" if antialias else default)
        stretch = max(n / m, 1.0) if antialias else 1.0
        self.reach = math.ceil(support * stretch) + 1
        k = np.arange(-self.reach, self.reach + 1)
        if align_corners:
            ratio = Fraction(n - 1, m - 1) if m > 1 else Fraction(0)
            first = Fraction(0)
        else:
            ratio = Fraction(n, m)
            first = (ratio - 1) / 2
        # Every `period` outputs, `stride` inputs; a single output is a period of its own.
        self.period, self.stride = (ratio.denominator, ratio.numerator) if ratio else (m, n)
        self.weights, self.samples = [], []
        for phase in range(min(self.period, m)):
            centre = first + phase * ratio
            q = math.floor(centre + Fraction(1, 2))
            weights = kernel((k - float(centre - q)) / stretch)
            if self.border != "renormalize":
                weights = weights / weights.sum()
            self.weights.append(weights)
            count = len(range(phase, m, self.period))
            self.samples.append(np.minimum(q + self.stride * np.arange(count), n - 1))
            assert (q + self.stride * np.arange(count) < n).all()

    def forward(self, x):
        y = np.empty((*x.shape[:-1], self.m))
        border = SCIPY_BORDER[self.border]
        for phase, (weights, samples) in enumerate(zip(self.weights, self.samples, strict=True)):
            everywhere = ndimage.correlate1d(x, weights, mode=border)
            if self.border == "renormalize":
                everywhere /= ndimage.correlate1d(np.ones(self.n), weights, mode=border)
            y[..., phase :: self.period] = everywhere[..., samples]
        return y

    def adjoint(self, g):
        """Each step backwards: samples spread out, convolution, border folded in."""
        x = np.zeros((*g.shape[:-1], self.n))
        for phase, (weights, samples) in enumerate(zip(self.weights, self.samples, strict=True)):
            spread = np.zeros((*g.shape[:-1], self.n + 2 * self.reach))
            part = g[..., phase :: self.period]
            if self.border == "renormalize":
                sums = ndimage.correlate1d(np.ones(self.n), weights, mode="constant")
                part = part / sums[samples]
            spread[..., samples + self.reach] = part
            spread = ndimage.convolve1d(spread, weights, mode="constant")
            inner = slice(self.reach, self.reach + self.n)
            if self.border in NUMPY_PAD:
                places = np.pad(np.arange(self.n), self.reach, mode=NUMPY_PAD[self.border])
                np.add.at(x, (..., places), spread)
            else:
                x += spread[..., inner]
        return x


PHASE_SIZES = [
    (5, 10), (7, 21), (4, 20), (60, 120),  # integer, enlarging
    (10, 5), (21, 7), (60, 12),  # integer, shrinking
    (9, 12), (12, 9), (10, 25), (28, 18),  # rational
    (13, 17), (23, 7), (2, 7), (11, 11),  # no common divisor
]  # fmt: skip
FLAGS = [{}, {"antialias": True}, {"align_corners": True}]


@pytest.mark.parametrize("flags", FLAGS, ids=["plain", "antialias", "align_corners"])
@pytest.mark.parametrize("border", [None, *SCIPY_BORDER])
@pytest.mark.parametrize("mode", KERNELS)
def test_phases(mode, border, flags, rng):
    ours = {"mode": SPLINE2 if mode == "spline2" else mode, "border": border, **flags}
    for n, m in PHASE_SIZES:
        phases = Phases(n, m, mode, border, **flags)
        x, g = sample(rng, (2, n)), sample(rng, (2, m))
        y = interpolate(x, size=(m,), **ours)
        np.testing.assert_allclose(y, phases.forward(x), rtol=0, atol=1e-12, err_msg=f"{n} -> {m}")
        back = interpolate_backward(g, (n,), **ours)
        expected = phases.adjoint(g)
        np.testing.assert_allclose(back, expected, rtol=0, atol=1e-12, err_msg=f"{n} <- {m}")


@pytest.mark.parametrize("mode", ["linear", "cubic", "lanczos3"])
def test_phases_on_every_small_size(mode, rng):
    for n in range(1, 16):
        for m in range(1, 21):
            for antialias in (False, True):
                phases = Phases(n, m, mode, antialias=antialias)
                x = sample(rng, n)
                y = interpolate(x, size=m, mode=mode, antialias=antialias)
                np.testing.assert_allclose(y, phases.forward(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("flags", FLAGS, ids=["plain", "antialias", "align_corners"])
@pytest.mark.parametrize("mode", ["linear", "cubic", "lanczos3"])
def test_phases_of_two_axes(mode, flags, rng):
    for (h, w), (hh, ww) in [((6, 9), (12, 27)), ((8, 9), (12, 6)), ((13, 10), (5, 25))]:
        down, right = Phases(h, hh, mode, **flags), Phases(w, ww, mode, **flags)
        x, g = sample(rng, (h, w)), sample(rng, (hh, ww))
        expected = down.forward(right.forward(x).T).T
        y = interpolate(x, size=(hh, ww), mode=mode, **flags)
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)
        expected = down.adjoint(right.adjoint(g).T).T
        back = interpolate_backward(g, (h, w), mode=mode, **flags)
        np.testing.assert_allclose(back, expected, rtol=0, atol=1e-12)


def test_the_construction_is_its_own_adjoint(rng):
    """So that agreeing with `Phases.adjoint` means something."""
    for border in SCIPY_BORDER:
        for n, m in PHASE_SIZES:
            phases = Phases(n, m, "lanczos3", border)
            x, g = sample(rng, (2, n)), sample(rng, (2, m))
            assert mismatch(phases.forward(x), g, x, phases.adjoint(g)) < 1e-14


def test_single_precision_image_by_phases(rng):
    x = sample(rng, (120, 90), "f4")
    down, right = Phases(120, 240, "cubic"), Phases(90, 60, "cubic")
    y = upsample.interpolate(x, size=(240, 60), mode="bicubic")
    assert y.dtype == np.float32
    expected = down.forward(right.forward(x.astype("f8")).T).T
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5)
