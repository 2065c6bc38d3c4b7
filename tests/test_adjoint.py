"""⟨Wx, g⟩ = ⟨x, Wᵀg⟩, for every mode, border, rank and ratio that is allowed."""

import numpy as np
import pytest

import upsample
from definition import OPTIONS, output_size
from helpers import library, mismatch, sample
from upsample import Resampler, dot_test, interpolate, interpolate_backward

SIZES = {
    1: [((1,), (4,)), ((6,), (1,)), ((5,), (10,)), ((9,), (3,)), ((23,), (31,)), ((37,), (6,)),
        ((12,), (60,))],
    2: [((1, 6), (3, 1)), ((7, 5), (11, 13)), ((17, 9), (5, 21))],
    3: [((5, 4, 3), (7, 8, 4))],
    4: [((2, 3, 4, 3), (5, 3, 2, 7))],
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_dot_test_of_every_option(options, rng):
    for rank, pairs in SIZES.items():
        for sizes, outputs in pairs:
            resampler = Resampler(sizes, outputs, **library(options))
            found = dot_test(resampler, (2, *sizes), rng=rng)
            assert found <= 1e-12, f"rank {rank} {sizes} -> {outputs}: {found}"


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_products_by_hand(options, rng):
    how = library(options)
    for pairs in SIZES.values():
        for sizes, outputs in pairs[-2:]:
            axes = tuple(range(1, 1 + len(sizes)))
            x, g = sample(rng, (2, *sizes, 3)), sample(rng, (2, *outputs, 3))
            wx = interpolate(x, size=outputs, axes=axes, **how)
            wtg = interpolate_backward(g, sizes, axes=axes, **how)
            assert wx.shape == g.shape
            assert wtg.shape == x.shape
            found = mismatch(wx, g, x, wtg)
            assert found <= 1e-12, f"{sizes} -> {outputs}: {found}"


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_given_scale_factors(options, rng):
    for n, f in [(10, 2.05), (10, 2.1), (20, 1.15), (6, 1.1), (16, 2.3), (23, 0.3), (9, 0.75)]:
        m = output_size(n, f)
        resampler = Resampler((n,), scale_factor=f, **library(options))
        assert resampler.output_size == (m,)
        assert dot_test(resampler, (3, n), rng=rng) <= 1e-12
        x, g = sample(rng, (3, n)), sample(rng, (3, m))
        wx = interpolate(x, scale_factor=(f,), **library(options))
        wtg = interpolate_backward(g, (n,), scale_factor=(f,), **library(options))
        assert mismatch(wx, g, x, wtg) <= 1e-12


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_complex(options, rng):
    resampler = Resampler((5, 9), (8, 6), **library(options))
    assert dot_test(resampler, (2, 5, 9), dtype=np.complex128, rng=rng) <= 1e-12
    x, g = sample(rng, (2, 5, 9), "c16"), sample(rng, (2, 8, 6), "c16")
    wx, wtg = resampler.forward(x), resampler.adjoint(g)
    assert mismatch(wx, g, x, wtg) <= 1e-12


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_directions_use_the_very_same_weights(options, dtype):
    """The adjoint's matrix is the transpose of the forward's to the last bit, in either type."""
    for n, m in [(5, 9), (9, 5), (7, 14), (12, 30), (31, 17)]:
        plan = Resampler((n,), (m,), **library(options))
        w = plan.forward(np.eye(n, dtype=dtype), axes=0)
        np.testing.assert_array_equal(plan.adjoint(np.eye(m, dtype=dtype), axes=0), w.T)


@pytest.mark.parametrize("kind", ["nearest", "linear", "cubic", "lanczos3-antialias", "box"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision(kind, dtype, rng):
    resampler = Resampler((30, 41), (61, 57), **OPTIONS[kind])
    assert dot_test(resampler, (2, 30, 41), dtype=dtype, rng=rng) <= 1e-5


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 2), (2, 1), (-1, -3)])
def test_any_axes(axes, rng):
    shape = (5, 7, 6)
    sizes = tuple(shape[axis] for axis in axes)
    for mode in ("nearest-exact", "linear", "lanczos2"):
        resampler = Resampler(sizes, (4, 9), mode=mode)
        assert dot_test(resampler, shape, axes=axes, rng=rng) <= 1e-12


def test_the_second_derivative_is_the_forward_again(rng):
    # The backward is linear in the gradient, so its own backward is interpolate.
    x, g = sample(rng, (2, 5, 6)), sample(rng, (2, 9, 7))
    how = {"mode": "bicubic", "align_corners": True}
    found = mismatch(
        interpolate_backward(g, (5, 6), **how), x, g, interpolate(x, size=(9, 7), **how)
    )
    assert found <= 1e-12


class Wrong:
    """A Resampler whose adjoint is too large."""

    def __init__(self, resampler, factor):
        self._resampler = resampler
        self._factor = factor

    def __getattr__(self, name):
        return getattr(self._resampler, name)

    def adjoint(self, g, **how):
        return self._factor * self._resampler.adjoint(g, **how)


def test_dot_test_sees_a_wrong_adjoint(rng):
    """The test of all tests: something that is not an adjoint does not pass."""

    resampler = Resampler((5, 6), (9, 7), mode="linear")
    assert dot_test(resampler, (5, 6), rng=rng) <= 1e-12
    assert dot_test(Wrong(resampler, 1.001), (5, 6), rng=rng) > 1e-6


def test_dot_test_is_random_but_repeatable():
    resampler = Resampler((5, 6), (9, 7), mode="cubic")
    first = dot_test(resampler, (3, 5, 6), rng=np.random.default_rng(1))
    assert isinstance(first, float)
    assert first == dot_test(resampler, (3, 5, 6), rng=np.random.default_rng(1))
    assert dot_test(resampler, (3, 5, 6)) <= 1e-12
    assert upsample.dot_test is dot_test


def test_dot_test_sees_a_wrong_adjoint_in_half_precision():
    """Norms of many float16 numbers are beyond float16."""

    resampler = Resampler((200, 300), (331, 177), mode="linear")
    assert dot_test(resampler, (3, 200, 300), "f2", rng=1) < 1e-4
    assert dot_test(Wrong(resampler, 2), (3, 200, 300), "f2", rng=1) > 3e-4
