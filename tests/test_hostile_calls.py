"""Calls that once went wrong, or might: caches and odd arrays take nothing that is not allowed."""

import copy

import numpy as np
import pytest

import upsample
from upsample import Filter, Resampler, interpolate, interpolate_backward


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"size": (4,)}, {"size": (4.0,)}),
        ({"size": (1,)}, {"size": (True,)}),
        ({"size": 1}, {"size": True}),
        ({"scale_factor": (1.0,)}, {"scale_factor": (True,)}),
        ({"size": 4, "axes": (0,)}, {"size": 4, "axes": (False,)}),
        ({"size": 4, "mode": "linear", "antialias": True}, {"size": 4, "antialias": 1}),
    ],
)
def test_a_cached_call_does_not_let_an_equal_value_of_a_wrong_type_in(good, bad):
    x = np.arange(4.0)
    interpolate(x, **good)
    with pytest.raises(TypeError):
        interpolate(x, **{**good, **bad})


def test_a_cached_gradient_does_not_either():
    g = np.ones(4)
    interpolate_backward(g, 8, axes=(0,))
    with pytest.raises(TypeError, match="axes"):
        interpolate_backward(g, 8, axes=(False,))
    with pytest.raises(TypeError, match="input_size"):
        interpolate_backward(g, (8.0,), axes=(0,))


def test_a_remembered_call_does_not_take_true_for_an_axis():
    r = Resampler(8, 4, mode="linear")
    r.forward(np.ones((3, 8)), axes=(1,))
    with pytest.raises(TypeError, match="axes"):
        r.forward(np.ones((3, 8)), axes=(True,))


def test_integers_of_numpy_and_lists_are_as_good():
    x = np.arange(12.0).reshape(3, 4)
    expected = interpolate(x, size=(6, 8), axes=(0, 1), mode="linear")
    size, axes = [np.int64(6), np.int32(8)], np.array([0, 1])
    assert np.array_equal(interpolate(x, size=size, axes=axes, mode="linear"), expected)
    assert np.array_equal(interpolate(x, scale_factor=[2, np.float32(2)], mode="linear"), expected)


@pytest.mark.parametrize("dtype", ["V0", []])
def test_elements_without_size_are_refused(dtype):
    with pytest.raises(TypeError, match="no size"):
        interpolate(np.zeros(4, dtype), size=6)


def test_variable_strings_are_copied():
    # NumPy 1 has no strings of variable length but as objects.
    dtype = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object
    x = np.array(["a", "a longer one, kept outside the array"], dtype)
    assert interpolate(x, size=4).tolist() == [x[0], x[0], x[1], x[1]]


def test_a_replay_that_another_thread_takes_away():
    # The attribute is read once: whatever it is when it is called, it is not None.
    class Vanishing(Resampler):
        reads = 0

        @property
        def _replay_forward(self):
            self.reads += 1
            return None if self.reads > 1 else (lambda *_: "replayed")

        @_replay_forward.setter
        def _replay_forward(self, value):
            pass

    assert Vanishing(4, 8).forward(np.zeros(4)) == "replayed"


def test_overflow_with_the_other_axes_is_found_at_once():
    x = np.broadcast_to(np.float32(1), (2**40, 4))
    with pytest.raises(ValueError, match=r"size=\(16777216,\)"):
        interpolate(x, size=(2**24,), mode="linear")
    with pytest.raises(ValueError, match="too large"):
        Resampler(4, 2**20, mode="linear").forward(np.broadcast_to(np.float32(1), (2**42, 4)))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_few_samples_of_a_huge_strided_array_need_no_memory_of_its_size(mode):
    # 8 GiB and more as a copy.
    x = np.broadcast_to(np.float32(3), (2**31,))
    assert np.array_equal(interpolate(x, size=4, mode=mode), np.full(4, 3, np.float32))
    x = np.broadcast_to(np.float32(3), (2, 2**30, 2))
    y = interpolate(x, size=3, axes=1, mode=mode)
    assert np.array_equal(y, np.full((2, 3, 2), 3, np.float32))


@pytest.mark.parametrize(
    ("function", "support", "error", "words"),
    [
        (lambda t: 1 - t, 1e9, ValueError, "support"),
        (lambda t: 1j * t, 1.0, TypeError, "complex"),
        (lambda t: t + np.nan, 1.0, ValueError, "not finite"),
        (lambda t: np.full_like(t, 1e308), 2.0, ValueError, "overflow"),
        (lambda t: np.ones(3), 1.0, ValueError, "one value for each"),
        (lambda t: 0 * t, 1.0, ValueError, "sum to 0"),
    ],
)
def test_filters_that_make_no_sense(function, support, error, words):
    with pytest.raises(error, match=words):
        interpolate(np.arange(8.0), size=5, mode=Filter("odd", support, function))


def test_gradients_of_structured_arrays_are_refused():
    with pytest.raises(TypeError, match="gradient"):
        interpolate_backward(np.zeros(4, [("a", "f4")]), 8)


def test_factor_beyond_float64():
    with pytest.raises(ValueError, match="scale_factor"):
        interpolate(np.zeros(4), scale_factor=10**400)


def test_copies_of_a_resampler_are_equal_and_work():
    r = Resampler((4, 5), (8, 9), mode="lanczos3")
    x = np.random.default_rng(0).standard_normal((4, 5))
    for other in (copy.copy(r), copy.deepcopy(r)):
        assert other == r
        assert np.array_equal(other(x), r(x))


def test_show_config_tells_what_a_report_needs():
    assert {"upsample", "numpy", "simd", "openmp", "threads"} <= set(upsample.show_config("dict"))


def test_out_whose_elements_are_one_is_refused():
    out = np.lib.stride_tricks.as_strided(np.zeros(20), (30, 20), (0, 8))
    with pytest.raises(ValueError, match="out must not hold an element twice"):
        upsample.interpolate(np.ones((10, 10)), (30, 20), mode="linear", out=out)
    out = np.lib.stride_tricks.as_strided(np.zeros(20), (1, 20), (0, 8))
    result = upsample.interpolate(np.ones((10, 10)), (1, 20), mode="linear", out=out)
    assert result is out
    assert np.all(out == 1)
