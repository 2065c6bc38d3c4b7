"""Sizes far from the usual: billions of elements, long axes, extreme ratios."""

import os

import numpy as np
import pytest

from upsample import Resampler, interpolate, interpolate_backward

try:
    MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
except (AttributeError, OSError, ValueError):
    MEMORY = 0
large = pytest.mark.skipif(MEMORY < 8 << 30, reason="needs 8 GiB of memory")

ROWS, COLUMNS = 65537, 32769  # more than 2**31 elements together


def test_input_of_more_than_2_to_the_31_elements():
    row = np.arange(COLUMNS, dtype=np.float32) % 101
    x = np.broadcast_to(row, (ROWS, COLUMNS))
    assert x.size > 2**31
    y = interpolate(x, 7, axes=1, mode="nearest")
    expected = interpolate(row, 7, mode="nearest")
    np.testing.assert_array_equal(y, np.broadcast_to(expected, (ROWS, 7)))
    y = interpolate(x, 7, axes=0, mode="linear")
    np.testing.assert_allclose(y, np.broadcast_to(row, (7, COLUMNS)), rtol=1e-6)


def test_gradient_of_more_than_2_to_the_31_elements():
    g = np.broadcast_to(np.float32(1), (ROWS, COLUMNS))
    back = interpolate_backward(g, 5, axes=1, mode="nearest")
    expected = interpolate_backward(np.ones(COLUMNS, np.float32), 5, mode="nearest")
    np.testing.assert_array_equal(back, np.broadcast_to(expected, (ROWS, 5)))


@large
def test_result_of_more_than_2_to_the_31_elements(rng):
    x = rng.integers(0, 256, (5, 7), np.uint8)
    n, m = 46340, 46351
    y = interpolate(x, (n, m), mode="nearest")
    assert y.size > 2**31
    rows, columns = np.arange(n) * 5 // n, np.arange(m) * 7 // m
    for i in (0, 1, n // 2, n - 2, n - 1):
        np.testing.assert_array_equal(y[i], x[rows[i], columns])
    np.testing.assert_array_equal(y[:, -1], x[rows, -1])
    del y


def test_an_axis_longer_than_float32_can_number():
    n, m = 2**24 + 5, 2**24 + 9
    at = np.array([0, 1, 12345, 2**23 + 1, 2**24 - 1, 2**24 + 1, m - 2, m - 1])
    x = np.arange(n, dtype=np.float64)
    y = interpolate(x, m, mode="nearest")
    np.testing.assert_array_equal(y[at], at * n // m)
    y = interpolate(x, m, mode="linear")
    s = np.clip([(2 * int(i) + 1) * n / (2 * m) - 0.5 for i in at], 0, n - 1)
    np.testing.assert_allclose(y[at], s, rtol=0, atol=1e-7)
    back = interpolate_backward(np.ones(m), n, mode="nearest")
    assert back.sum() == m
    assert set(np.unique(back)) == {1.0, 2.0}


MODES = ["nearest", "nearest-exact", "linear", "cubic", "lanczos3", "area", "box", "gaussian"]


WIDENED = [mode for mode in MODES if mode not in ("nearest", "nearest-exact", "area")]


@pytest.mark.parametrize(
    ("mode", "antialias"), [(m, False) for m in MODES] + [(m, True) for m in WIDENED]
)
@pytest.mark.parametrize(("n", "m"), [(1, 5000), (5000, 1), (3, 15000), (15000, 3), (1, 1)])
def test_ratios_from_5000_to_a_5000th(mode, n, m, antialias, rng):
    r = Resampler(n, m, mode=mode, antialias=antialias)
    w = r.matrix(0)
    for dtype in (np.float64, np.float32):
        x, g = rng.standard_normal((2, n)).astype(dtype), rng.standard_normal((2, m)).astype(dtype)
        tolerance = 30 * np.finfo(dtype).eps * max(1, np.sqrt(n / m), np.sqrt(m / n))
        np.testing.assert_allclose(r.forward(x), x @ w.T.toarray(), rtol=0, atol=8 * tolerance)
        expected = g.astype(float) @ w.toarray()
        np.testing.assert_allclose(
            r.adjoint(g), expected, rtol=0, atol=tolerance * (1 + np.abs(expected).max())
        )
    y = r.forward(np.full(n, 7.0))
    np.testing.assert_allclose(y, 7.0, rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 4, 5), (2, 0, 4, 5), (0, 0, 4, 5)])
def test_empty_batches_of_every_type(shape):
    for dtype in ("f4", "u1", "f2", "c16", ">f8", "i4"):
        x = np.zeros(shape, dtype)
        y = interpolate(x, (8, 3), mode="bilinear")
        assert y.shape == (*shape[:-2], 8, 3)
        assert y.dtype == x.dtype


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1), (1, 2), (0, 1, 2)])
def test_axes_of_length_one(axes, rng):
    x = rng.standard_normal((1, 1, 1))
    y = interpolate(x, tuple(5 for _ in axes), axes=axes, mode="cubic")
    assert np.allclose(y, x[0, 0, 0], rtol=1e-15)
    back = interpolate_backward(y, tuple(1 for _ in axes), axes=axes, mode="cubic")
    np.testing.assert_allclose(back, x * 5 ** len(axes), rtol=1e-14)
