"""What burn and candle stop at works here.

burn's ndarray backend panics on the backward of nearest-exact, bilinear, bicubic and lanczos3;
candle has no backward of bilinear, and none of nearest where a factor is not an integer or
differs between the axes.  The sizes are those on which burn checks its forward to the bit.
Arrays are NCHW, as in both.
"""

import numpy as np
import pytest

from definition import assert_close, matrix, output_size
from helpers import mismatch, sample
from upsample import Resampler, dot_test, interpolate, interpolate_backward

SHAPES = [
    ((1, 1, 1, 1), (1, 1)),
    ((1, 1, 1, 5), (3, 9)),
    ((1, 1, 5, 1), (9, 3)),
    ((1, 2, 4, 5), (7, 8)),
    ((2, 3, 9, 7), (3, 4)),
    ((1, 1, 7, 5), (1, 1)),
    ((1, 7, 4, 5), (7, 8)),
    ((1, 8, 4, 5), (7, 8)),
]
MODES = [
    ("nearest", None),
    ("nearest-exact", None),
    ("bilinear", False),
    ("bilinear", True),
    ("bicubic", False),
    ("bicubic", True),
    ("lanczos3", False),
    ("lanczos3", True),
]


@pytest.mark.parametrize(("mode", "align_corners"), MODES)
@pytest.mark.parametrize(("shape", "size"), SHAPES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_forward_and_backward(mode, align_corners, shape, size, dtype, rng):
    matrices = [
        matrix(n, m, mode, align_corners=align_corners)
        for n, m in zip(shape[2:], size, strict=True)
    ]
    x, g = sample(rng, shape, dtype), sample(rng, (*shape[:2], *size), dtype)
    y = interpolate(x, size=size, mode=mode, align_corners=align_corners)
    assert_close(y, x, matrices, (2, 3), "forward")
    back = interpolate_backward(g, shape[2:], mode=mode, align_corners=align_corners)
    assert back.shape == x.shape
    assert_close(back, g, [w.T for w in matrices], (2, 3), "backward")
    if dtype == "f8":
        assert mismatch(y, g, x, back) <= 1e-12
        resampler = Resampler(shape[2:], size, mode=mode, align_corners=align_corners)
        assert dot_test(resampler, shape, rng=rng) <= 1e-12


def burn_matrix(n, m, mode, align_corners):
    """burn's operator of one axis, from its description: taps at floor(s) and around it."""
    w = np.zeros((m, n))
    for i in range(m):
        if mode == "nearest":
            w[i, i * n // m] = 1
            continue
        if mode == "nearest-exact":
            w[i, (2 * i + 1) * n // (2 * m)] = 1
            continue
        s = i * (n - 1) / max(m - 1, 1) if align_corners else (i + 0.5) * n / m - 0.5
        if mode == "bilinear":
            s = max(s, 0.0)
        # At whole coordinates the far weights are exactly zero; keep them so.
        s = round(s) if abs(s - round(s)) < 1e-12 else s
        base = int(np.floor(s))
        first, last = {"bilinear": (0, 1), "bicubic": (-1, 2), "lanczos3": (-2, 3)}[mode]
        for j in range(base + first, base + last + 1):
            t = abs(j - s)
            if mode == "bilinear":
                weight = max(0.0, 1 - t)
            elif mode == "bicubic":
                a = -0.75
                near = (a + 2) * t**3 - (a + 3) * t**2 + 1
                weight = near if t <= 1 else a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0
            else:
                weight = np.sinc(t) * np.sinc(t / 3) if t < 3 else 0.0
            if mode == "lanczos3" and not 0 <= j < n:
                continue
            w[i, min(max(j, 0), n - 1)] += weight
        w[i] /= w[i].sum()
    return w


@pytest.mark.parametrize(("mode", "align_corners"), MODES)
def test_their_description_is_our_operator(mode, align_corners):
    for shape, size in SHAPES:
        resampler = Resampler(shape[2:], size, mode=mode, align_corners=align_corners)
        for axis in range(2):
            found = resampler.matrix(axis).toarray()
            expected = burn_matrix(shape[2 + axis], size[axis], mode, align_corners)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize(
    "sizes",
    [
        ((4, 6), (10, 15)),  # 2.5, not an integer
        ((4, 6), (8, 18)),  # 2 and 3, not the same
        ((4, 6), (7, 13)),  # neither
        ((9, 7), (4, 3)),  # shrinking
        ((5, 8), (5, 20)),  # one axis as it is
        ((6, 10), (3, 25)),  # down and up
    ],
)
def test_nearest_with_any_factors(mode, sizes, rng):
    before, after = sizes
    g = sample(rng, (2, 3, *after))
    # Each gradient is added to the sample that was copied, one by one.
    expected = np.zeros((2, 3, *before))
    (h, w), (hh, ww) = before, after
    for i in range(hh):
        for j in range(ww):
            a = i * h // hh if mode == "nearest" else (2 * i + 1) * h // (2 * hh)
            b = j * w // ww if mode == "nearest" else (2 * j + 1) * w // (2 * ww)
            expected[..., a, b] += g[..., i, j]
    back = interpolate_backward(g, before, mode=mode)
    np.testing.assert_allclose(back, expected, rtol=0, atol=1e-13)
    assert dot_test(Resampler(before, after, mode=mode), (2, 3, *before), rng=rng) <= 1e-12


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_nearest_in_one_dimension_with_any_factor(mode, rng):
    for n, m in [(4, 10), (4, 7), (10, 4), (3, 8), (5, 5)]:
        x, g = sample(rng, (2, 3, n)), sample(rng, (2, 3, m))
        y, back = interpolate(x, size=m, mode=mode), interpolate_backward(g, n, mode=mode)
        assert_close(y, x, [matrix(n, m, mode)], (2,), "forward")
        assert_close(back, g, [matrix(n, m, mode).T], (2,), "backward")


@pytest.mark.parametrize("factors", [2.0, 1.5, (2.0, 3.0), (2.3, 0.7), (0.5, 0.5), (1.1, 1.0)])
@pytest.mark.parametrize("align_corners", [False, True])
def test_bilinear_with_given_factors(factors, align_corners, rng):
    """candle's `upsample_bilinear2d_with_scale`: m = floor(n·f), ratio 1/f."""
    shape = (2, 3, 7, 10)
    each = factors if isinstance(factors, tuple) else (factors, factors)
    size = tuple(output_size(n, f) for n, f in zip(shape[2:], each, strict=True))
    matrices = [
        matrix(n, m, "linear", scale=f, align_corners=align_corners)
        for n, m, f in zip(shape[2:], size, each, strict=True)
    ]
    how = {"scale_factor": factors, "mode": "bilinear", "align_corners": align_corners}
    x, g = sample(rng, shape), sample(rng, (2, 3, *size))
    y, back = interpolate(x, **how), interpolate_backward(g, shape[2:], **how)
    assert y.shape == g.shape
    assert_close(y, x, matrices, (2, 3), "forward")
    assert_close(back, g, [w.T for w in matrices], (2, 3), "backward")
    assert mismatch(y, g, x, back) <= 1e-12
    assert dot_test(Resampler(shape[2:], **how), shape, rng=rng) <= 1e-12


def test_indices_where_a_rounded_ratio_is_wrong(rng):
    """Wherever floor(i·(n/m)) in float64 is not floor(i·n/m), up to 160 samples."""
    n, m = np.mgrid[1:161, 1:161]
    i = np.arange(160)[:, None, None]
    wrong = ((i * (n / m)).astype(int) != i * n // m) & (i < m)
    pairs = np.argwhere(wrong.any(axis=0)) + 1
    assert [30, 22] in pairs.tolist()
    assert len(pairs) > 100
    for n, m in pairs.tolist():
        index = np.arange(m) * n // m
        assert interpolate(np.arange(n), size=m, mode="nearest").tolist() == index.tolist()
        g = rng.standard_normal(m)
        back = interpolate_backward(g, n, mode="nearest")
        expected = np.bincount(index, weights=g, minlength=n)
        np.testing.assert_allclose(back, expected, rtol=0, atol=1e-13)


def test_the_gradient_does_not_overwrite_another(rng):
    # Added up by the caller; the call leaves what it is given alone.
    g = sample(rng, (1, 2, 8, 10))
    kept = g.copy()
    first = interpolate_backward(g, (4, 5), mode="nearest")
    second = interpolate_backward(g, (4, 5), mode="nearest")
    assert np.array_equal(g, kept)
    assert np.array_equal(first, second)
    assert not np.shares_memory(first, second)
