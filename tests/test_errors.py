"""Wrong arguments: an error before anything is allocated that names argument, value, remedy."""

import re
import tracemalloc

import numpy as np
import pytest

import upsample
from upsample import Filter, Resampler, interpolate, interpolate_backward

X = np.zeros((2, 3, 4, 5))


def raises(error, *words):
    """The error, with all of these words in its message in any order."""
    pattern = "".join(f"(?=.*{re.escape(word)})" for word in words)
    return pytest.raises(error, match=f"(?s){pattern}")


# ---------------------------------------------------------------- mode


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("bilinaer", "bilinear"),
        ("nearest_exact", "nearest-exact"),
        ("Lanczos3", "lanczos3"),
        ("bicubik", "bicubic"),
        ("mitchel", "mitchell"),
        ("catmull_rom", "catmull-rom"),
        ("gausian", "gaussian"),
    ],
)
def test_near_miss_of_a_mode(wrong, right):
    for call in (
        lambda: interpolate(X, size=(8, 9), mode=wrong),
        lambda: interpolate_backward(X, (2, 3), mode=wrong),
        lambda: Resampler((4, 5), (8, 9), mode=wrong),
    ):
        with raises(ValueError, "mode", repr(wrong), f"did you mean {right!r}"):
            call()


def test_unknown_mode_lists_all():
    with raises(ValueError, "mode", "'xyz'", *upsample.MODES):
        interpolate(X, size=8, mode="xyz")


@pytest.mark.parametrize("mode", [None, 3, b"linear", ["linear"]])
def test_mode_of_a_wrong_type(mode):
    with raises(TypeError, "mode", repr(mode)):
        interpolate(X, size=8, mode=mode)


@pytest.mark.parametrize(
    ("mode", "rank"), [("bilinear", 2), ("bicubic", 2), ("trilinear", 3), ("tricubic", 3)]
)
def test_rank_of_a_mode(mode, rank):
    for wrong in {1, 2, 3, 4} - {rank}:
        sizes = (2, 3, 4, 5)[:wrong]
        with raises(ValueError, mode, str(rank), str(wrong)):
            interpolate(X, size=sizes, mode=mode)
        with raises(ValueError, mode, str(rank), str(wrong)):
            interpolate_backward(X, sizes, mode=mode)
        with raises(ValueError, mode, str(rank), str(wrong)):
            Resampler(sizes, sizes, mode=mode)


def test_rank_of_a_mode_needs_that_many_dimensions():
    with raises(ValueError, "bilinear", "2"):
        interpolate(np.zeros(5), size=8, mode="bilinear")
    with raises(ValueError, "trilinear", "3"):
        interpolate(np.zeros((5, 6)), scale_factor=2, mode="trilinear")


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area", "box"])
@pytest.mark.parametrize("value", [True, False])
def test_align_corners_where_it_means_nothing(mode, value):
    for call in (
        lambda: interpolate(X, size=8, mode=mode, align_corners=value),
        lambda: interpolate_backward(X, (2, 3), mode=mode, align_corners=value),
        lambda: Resampler(4, 8, mode=mode, align_corners=value),
    ):
        with raises(ValueError, "align_corners", str(value), mode):
            call()


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("mode", ["linear", "cubic", "lanczos3"])
def test_align_corners_with_antialias(mode, value):
    with raises(ValueError, "align_corners", str(value), "antialias"):
        interpolate(X, size=8, mode=mode, align_corners=value, antialias=True)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area"])
def test_antialias_where_it_means_nothing(mode):
    with raises(ValueError, "antialias", "True", mode):
        interpolate(X, size=8, mode=mode, antialias=True)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area", "box"])
def test_border_where_it_means_nothing(mode):
    with raises(ValueError, "border", "'edge'", mode):
        interpolate(X, size=8, mode=mode, border="edge")


@pytest.mark.parametrize("border", ["wrap", "", "Edge", "constant"])
def test_unknown_border(border):
    with raises(
        ValueError, "border", repr(border), "edge", "renormalize", "zero", "reflect", "mirror"
    ):
        interpolate(X, size=8, mode="linear", border=border)


@pytest.mark.parametrize("mode", ["linear", "lanczos3", "catmull-rom", "nearest", "bilinear"])
def test_cubic_coeff_of_another_mode(mode):
    with raises(ValueError, "cubic_coeff", "-0.5", mode, "cubic"):
        interpolate(X, size=(8, 8), mode=mode, cubic_coeff=-0.5)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_cubic_coeff_must_be_finite(value):
    with raises(ValueError, "cubic_coeff", str(value), "finite"):
        interpolate(X, size=(8, 8), mode="cubic", cubic_coeff=value)


@pytest.mark.parametrize("argument", ["align_corners", "antialias", "recompute_scale_factor"])
@pytest.mark.parametrize("value", ["yes", 2, 0.5])
def test_flags_must_be_flags(argument, value):
    with raises(TypeError, argument, repr(value)):
        interpolate(X, scale_factor=2, mode="linear", **{argument: value})


@pytest.mark.parametrize("value", ["a", [1], object()])
def test_cubic_coeff_must_be_a_number(value):
    with raises(TypeError, "cubic_coeff", repr(value)):
        interpolate(X, size=(8, 8), mode="cubic", cubic_coeff=value)


# ---------------------------------------------------------------- sizes and factors


def test_one_of_size_and_scale_factor():
    with raises(ValueError, "size", "scale_factor"):
        interpolate(X)
    with raises(ValueError, "size", "scale_factor", "8", "2"):
        interpolate(X, size=8, scale_factor=2)
    with raises(ValueError, "output_size", "scale_factor"):
        Resampler((4, 5))
    with raises(ValueError, "output_size", "scale_factor"):
        Resampler((4, 5), (8, 9), scale_factor=2)


@pytest.mark.parametrize("size", [0, -1, (8, 0), (-3, 5)])
def test_sizes_below_one(size):
    bad = str(min(np.atleast_1d(size)))
    with raises(ValueError, "size", bad):
        interpolate(X, size=size)
    with raises(ValueError, "input_size", bad):
        interpolate_backward(X, size)
    pair = size if isinstance(size, tuple) else (size, size)
    with raises(ValueError, "output_size", bad):
        Resampler((4, 5), pair)
    with raises(ValueError, "input_size", bad):
        Resampler(pair, (4, 5))


@pytest.mark.parametrize("size", [8.0, 2.5, (8, 9.5), "8", (None, 8), np.float64(8), (8, "9")])
def test_sizes_that_are_not_integers(size):
    with raises(TypeError, "size"):
        interpolate(X, size=size)
    with raises(TypeError, "input_size"):
        interpolate_backward(X, size)


@pytest.mark.parametrize("size", [True, (True, 2)])
def test_sizes_that_are_flags(size):
    with raises(TypeError, "size", "True"):
        interpolate(X, size=size)


def test_integers_of_any_kind_are_sizes():
    for size in (np.int64(8), np.uint8(8), (np.int32(8), 8), np.array([8, 8]), [8, 8]):
        assert interpolate(X, size=size).shape == (2, 3, 8, 8)


@pytest.mark.parametrize("factor", [0, -1.0, 0.0, (2, 0.0), (2.0, -0.5)])
def test_factors_that_are_not_positive(factor):
    bad = repr(min(np.atleast_1d(factor).tolist()))
    with raises(ValueError, "scale_factor", bad):
        interpolate(X, scale_factor=factor)
    with raises(ValueError, "scale_factor", bad):
        interpolate_backward(X, (4, 5), scale_factor=factor)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_factors_that_are_not_finite(value):
    for factor in (value, (2.0, value)):
        with raises(ValueError, "scale_factor", str(value)):
            interpolate(X, scale_factor=factor)
        with raises(ValueError, "scale_factor", str(value)):
            Resampler((4, 5), scale_factor=factor)


@pytest.mark.parametrize("factor", ["2", (2, "2"), (None, 2), 2j])
def test_factors_that_are_not_numbers(factor):
    with raises(TypeError, "scale_factor"):
        interpolate(X, scale_factor=factor)


def test_a_factor_that_leaves_nothing():
    with raises(ValueError, "scale_factor", "0.1", "5"):
        interpolate(X, scale_factor=(1.0, 0.1))


def test_recompute_needs_a_factor():
    with raises(ValueError, "recompute_scale_factor", "size"):
        interpolate(X, size=8, recompute_scale_factor=True)
    with raises(ValueError, "recompute_scale_factor"):
        Resampler(4, 8, recompute_scale_factor=True)


def test_more_numbers_than_dimensions():
    with raises(ValueError, "size", "(1, 2, 3, 4, 5)", "4"):
        interpolate(X, size=(1, 2, 3, 4, 5))
    with raises(ValueError, "scale_factor", "5", "4"):
        interpolate(X, scale_factor=(1, 2, 3, 4, 5))
    with raises(ValueError, "input_size", "(1, 2, 3, 4, 5)", "4"):
        interpolate_backward(X, (1, 2, 3, 4, 5))


def test_no_numbers_at_all():
    with raises(ValueError, "size", "()"):
        interpolate(X, size=())
    with raises(ValueError, "scale_factor", "()"):
        interpolate(X, scale_factor=())
    with raises(ValueError, "axes", "()"):
        interpolate(X, size=3, axes=())


def test_axes_and_sizes_must_be_as_many():
    with raises(ValueError, "size", "(8, 9)", "axes", "3"):
        interpolate(X, size=(8, 9), axes=(1, 2, 3))
    with raises(ValueError, "scale_factor", "axes", "1"):
        interpolate(X, scale_factor=(2, 3), axes=1)
    with raises(ValueError, "input_size", "axes"):
        interpolate_backward(X, (8, 9), axes=(1, 2, 3))


def test_factor_and_input_size_must_be_as_many():
    with raises(ValueError, "scale_factor", "input_size"):
        interpolate_backward(X, (4, 5), scale_factor=(1.0, 1.0, 1.0))
    with raises(ValueError, "input_size", "output_size"):
        Resampler((4, 5), (8, 9, 10))


# ---------------------------------------------------------------- axes and arrays


@pytest.mark.parametrize("axes", [(4,), (-5,), 7, (0, 9)])
def test_axes_out_of_range(axes):
    bad = str(np.atleast_1d(axes)[-1])
    with raises(ValueError, "axes", bad, "4"):
        interpolate(X, size=8, axes=axes)


@pytest.mark.parametrize("axes", [(1, 1), (3, -1)])
def test_axes_twice(axes):
    with raises(ValueError, "axes", str(axes)):
        interpolate(X, size=8, axes=axes)


@pytest.mark.parametrize("axes", ["3", 1.0, (1.5,), ("a",)])
def test_axes_that_are_not_integers(axes):
    with raises(TypeError, "axes"):
        interpolate(X, size=8, axes=axes)


def test_a_single_number_is_no_array_to_resample():
    with pytest.raises(ValueError, match="dimension"):
        interpolate(np.float64(3.0), size=8)


def test_axes_of_length_zero():
    for shape in ((2, 0), (0, 4), (2, 3, 0, 5)):
        with raises(ValueError, "0"):
            interpolate(np.zeros(shape), size=(8, 9))
        with raises(ValueError, "0"):
            interpolate_backward(np.zeros(shape), (8, 9))


def test_shapes_that_do_not_fit_the_plan():
    plan = Resampler((4, 5), (8, 9))
    with raises(ValueError, "(4, 5)", "(4, 6)"):
        plan.forward(np.zeros((2, 4, 6)))
    with raises(ValueError, "(8, 9)", "(4, 5)"):
        plan.adjoint(np.zeros((2, 4, 5)))
    with raises(ValueError, "2"):
        plan.forward(np.zeros(4))
    with raises(ValueError, "axes", "2"):
        plan.forward(np.zeros((4, 5)), axes=(0,))


def test_a_gradient_that_does_not_fit_the_factor():
    # floor(5 · 2.5) = 12, not 11
    with raises(ValueError, "12", "11"):
        interpolate_backward(np.zeros((1, 1, 11)), (5,), scale_factor=2.5)


@pytest.mark.parametrize("dtype", ["?", "i8", "u8"])
def test_types_that_cannot_be_interpolated(dtype):
    with raises(TypeError, np.dtype(dtype).name):
        interpolate(X.astype(dtype), size=8, mode="linear")


@pytest.mark.parametrize("dtype", ["O", "U3", "S3", "M8[s]", "i4,f8"])
def test_types_that_are_not_numbers(dtype):
    with raises(TypeError, str(np.dtype(dtype))):
        interpolate(np.zeros((4, 5), dtype=dtype), size=8, mode="linear")


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "O", "U3"])
def test_gradients_are_floating_or_complex(mode, dtype):
    with raises(TypeError, "grad_output", str(np.dtype(dtype))):
        interpolate_backward(np.zeros((4, 5), dtype=dtype), (8, 9), mode=mode)


# ---------------------------------------------------------------- out and threads


def test_out():
    x = np.zeros((4, 5))
    for out in (np.zeros((8, 8)), np.zeros((1, 8, 9)), np.zeros((9, 8)).reshape(-1)):
        with raises(ValueError, "out", str(out.shape), "(8, 9)"):
            interpolate(x, size=(8, 9), out=out)
    for dtype in ("f4", "c16", "i8"):
        with raises(TypeError, "out", np.dtype(dtype).name, "float64"):
            interpolate(x, size=(8, 9), out=np.zeros((8, 9), dtype))
    out = np.zeros((8, 9))
    out.flags.writeable = False
    with raises(ValueError, "out", "writeable"):
        interpolate(x, size=(8, 9), out=out)
    with raises(TypeError, "out", "list"):
        interpolate(x, size=(8, 9), out=[[0.0] * 9] * 8)
    with raises(ValueError, "out", "(5, 6)"):
        interpolate_backward(np.zeros((8, 9)), (4, 5), out=np.zeros((5, 6)))


@pytest.mark.parametrize("mode", ["nearest", "linear", "lanczos3"])
def test_out_that_overlaps_the_input(mode):
    for size in ((60, 40), (60, 41), (30, 40), (120, 20), (95, 70), (120, 80)):
        for start in (0, 1, 17):
            memory = np.random.default_rng(0).standard_normal((160, 80))
            x, out = memory[start : start + 60, :40], memory[: size[0], : size[1]]
            assert np.shares_memory(x, out)
            expected = interpolate(x.copy(), size=size, mode=mode)
            assert interpolate(x, size=size, mode=mode, out=out) is out
            np.testing.assert_array_equal(out, expected)
            g, out = memory[start : start + size[0], : size[1]], memory[:60, :40]
            expected = interpolate_backward(g.copy(), (60, 40), mode=mode)
            assert interpolate_backward(g, (60, 40), mode=mode, out=out) is out
            np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("value", [0, -1])
def test_thread_counts_below_one(value):
    for call in (
        lambda: interpolate(X, size=8, num_threads=value),
        lambda: interpolate_backward(X, (2, 3), num_threads=value),
        lambda: Resampler(4, 8).forward(np.zeros(4), num_threads=value),
        lambda: Resampler(4, 8).adjoint(np.zeros(8), num_threads=value),
    ):
        with raises(ValueError, "num_threads", str(value)):
            call()
    for call in (upsample.set_num_threads, lambda n: upsample.threads(n).__enter__()):
        with raises(ValueError, "n must be", str(value)):
            call(value)


@pytest.mark.parametrize("value", [1.5, "2"])
def test_thread_counts_that_are_not_integers(value):
    with raises(TypeError, "num_threads", repr(value)):
        interpolate(X, size=8, num_threads=value)
    with raises(TypeError, repr(value)):
        upsample.set_num_threads(value)


# ---------------------------------------------------------------- filters


@pytest.mark.parametrize("support", [0, -1.0, np.inf, np.nan])
def test_support_of_a_filter(support):
    with raises(ValueError, "support", repr(support)):
        Filter("f", support, np.cos)


def test_parts_of_a_filter():
    with raises(TypeError, "support", "'wide'"):
        Filter("f", "wide", np.cos)
    with raises(TypeError, "function", "3"):
        Filter("f", 1.0, 3)
    with raises(TypeError, "name", "3"):
        Filter(3, 1.0, np.cos)


def test_functions_of_a_filter():
    with raises(ValueError, "'holes'", "finite"):
        interpolate(X, size=8, mode=Filter("holes", 1.0, lambda t: np.full_like(t, np.nan)))
    with raises(ValueError, "'sum'", "shape"):
        interpolate(X, size=8, mode=Filter("sum", 1.0, lambda t: np.array([t.sum(), 0.0])))
    with raises(ValueError, "'nothing'", "sum to 0"):
        interpolate(X, size=8, mode=Filter("nothing", 1.0, lambda t: 0 * t))


def test_errors_of_a_filters_function_come_through():
    def broken(t):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        interpolate(X, size=8, mode=Filter("broken", 1.0, broken))


# ---------------------------------------------------------------- the plan


def test_axis_of_a_matrix():
    plan = Resampler((4, 5), (8, 9))
    for i in (2, -3):
        with pytest.raises((ValueError, IndexError), match=str(i)):
            plan.matrix(i)
    with pytest.raises(TypeError):
        plan.matrix("0")


def test_shape_of_a_linear_operator():
    plan = Resampler((4, 5), (8, 9))
    with raises(ValueError, "(4, 5)", "(4, 6)"):
        plan.as_linear_operator((4, 6))
    with raises(TypeError, "int"):
        plan.as_linear_operator((4, 5), dtype=int)


# ---------------------------------------------------------------- sizes beyond reason


@pytest.mark.parametrize("mode", ["nearest", "linear", "area", "lanczos3"])
def test_nothing_is_allocated_for_absurd_sizes(mode):
    x = np.zeros((2, 3))
    tracemalloc.start()
    try:
        for call in (
            lambda: interpolate(x, size=(2**40, 2**40), mode=mode),
            lambda: interpolate(x, size=(2**62, 2**62), mode=mode),
            lambda: interpolate(x, size=(10**30, 3), mode=mode),
            lambda: interpolate_backward(x, (2**40, 2**40), mode=mode),
            lambda: interpolate_backward(x, (10**30, 3), mode=mode),
        ):
            with raises(ValueError, "size"):
                call()
        for factor in (1e300, (1e300, 1.0), (1e20, 1e20), 2.0**70):
            with raises(ValueError, "scale_factor", repr(np.atleast_1d(factor)[0].item())):
                interpolate(x, scale_factor=factor, mode=mode)
        with raises(ValueError, "size"):  # each fits, both together do not
            interpolate(x, scale_factor=(1e12, 1e12), mode=mode)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_an_absurd_size_is_named():
    with raises(ValueError, "size", str(2**40)):
        interpolate(np.zeros((2, 3)), size=(2**40, 2**40))


# ---------------------------------------------------------------- nothing is left behind


def test_out_is_untouched_by_an_error():
    out = np.full((8, 9), 7.0)
    for wrong in ({"mode": "bilinaer"}, {"border": "wrap", "mode": "linear"}, {"num_threads": 0}):
        with pytest.raises(ValueError, match=r"\S"):
            interpolate(np.zeros((4, 5)), size=(8, 9), out=out, **wrong)
    assert (out == 7.0).all()
