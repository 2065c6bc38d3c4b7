"""Every dtype of the table in `interpolate`: computed in floating point, rounded once."""

import re

import numpy as np
import pytest

import upsample
from upsample import Resampler, interpolate, interpolate_backward

try:
    import ml_dtypes
except ImportError:
    BRAIN = []
else:
    BRAIN = [np.dtype(ml_dtypes.bfloat16)]

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]
HALVES = [np.dtype(np.float16), *BRAIN]
OPTIONS = {
    "linear": {"mode": "linear"},
    "linear-corners": {"mode": "linear", "align_corners": True},
    "linear-antialias": {"mode": "linear", "antialias": True},
    "cubic": {"mode": "cubic"},
    "lanczos3": {"mode": "lanczos3"},
    "cubic-zero": {"mode": "cubic", "border": "zero"},
    "area": {"mode": "area"},
    "box": {"mode": "box"},
}
options_of = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
# Shape, resampled axes, lengths: one to three axes, along and across, few and many rows.
CASES = [
    ((97,), (0,), (150,)),
    ((3, 40, 60), (1, 2), (80, 120)),
    ((3, 40, 60), (1, 2), (17, 33)),
    ((23, 31, 3), (0, 1), (46, 20)),
    ((9, 10, 4), (0,), (7,)),
    ((2, 9, 8, 50), (1,), (5,)),
    ((5, 6, 70), (0, 1, 2), (10, 4, 33)),
]
cases = pytest.mark.parametrize(
    ("shape", "axes", "size"), CASES, ids=["x".join(map(str, c[0])) for c in CASES]
)


def whole_range(rng, shape, dtype):
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    # Runs of extremes, where kernels with negative lobes overshoot.
    x.reshape(-1)[::3] = info.max
    x.reshape(-1)[1::7] = info.min
    return x


@options_of
@cases
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_the_rounded_result(dtype, options, shape, axes, size, rng):
    x = whole_range(rng, shape, dtype)
    result = interpolate(x, size, axes=axes, **options)
    assert result.dtype == dtype
    exact = interpolate(x.astype(np.float64), size, axes=axes, **options)
    info = np.iinfo(dtype)
    exact = exact.clip(info.min, info.max)
    # Within rounding of the arithmetic of a tie, both neighbours are right.
    unit = np.finfo(np.float32 if info.bits <= 16 else np.float64).eps
    slack = 16 * unit * 2.0**info.bits
    assert slack < 0.2
    assert np.abs(result - exact).max() <= 0.5 + slack
    sure = np.abs(exact - np.floor(exact) - 0.5) > slack
    np.testing.assert_array_equal(result[sure], np.rint(exact[sure]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ties_go_to_even(dtype):
    x = np.array([0, 1, 2, 3, 4, 5, 6, 7], dtype)
    np.testing.assert_array_equal(interpolate(x, 4, mode="box"), [0, 2, 4, 6])
    if np.iinfo(dtype).min < 0:
        np.testing.assert_array_equal(interpolate(-x, 4, mode="box"), [0, -2, -4, -6])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_overshoot_is_saturated(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.min] * 8 + [info.max] * 8, dtype)
    result = interpolate(x, 64, mode="lanczos3")
    exact = interpolate(x.astype(np.float64), 64, mode="lanczos3")
    assert exact.max() > info.max
    assert exact.min() < info.min
    assert (result[exact > info.max] == info.max).all()
    assert (result[exact < info.min] == info.min).all()


def test_nothing_is_rounded_between_axes():
    # 1/4 of 1 along one axis, 1/4 along each of two others: 1/64 · 32 = 1/2 would be lost.
    x = np.zeros((2, 2, 2), np.uint8)
    x[0, 0, 0] = 96
    result = interpolate(x, (4, 4, 4), mode="linear")
    exact = interpolate(x.astype(float), (4, 4, 4), mode="linear")
    np.testing.assert_array_equal(result, np.rint(exact))
    assert exact[2, 2, 2] == 1.5
    assert result[2, 2, 2] == 2


@options_of
@cases
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_sixteen_bits_are_the_float32_result_cast_once(dtype, options, shape, axes, size, rng):
    x = rng.standard_normal(shape).astype(dtype)
    y = interpolate(x, size, axes=axes, **options)
    assert y.dtype == dtype
    expected = interpolate(x.astype(np.float32), size, axes=axes, **options).astype(dtype)
    assert y.tobytes() == expected.tobytes()
    n = tuple(shape[a] for a in axes)
    back = interpolate_backward(y, n, axes=axes, **options)
    assert back.dtype == dtype
    expected = interpolate_backward(y.astype(np.float32), n, axes=axes, **options).astype(dtype)
    assert back.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_every_number_of_sixteen_bits_survives(dtype):
    every = np.arange(65536, dtype=np.uint16).view(dtype)
    # A row between two equal rows, half of each; computed with, not copied.
    result = interpolate(np.stack([every, every]), 1, axes=0, mode="linear")[0]
    with np.errstate(invalid="ignore"):  # signalling NaNs
        numbers = ~np.isnan(every.astype(np.float32))
    assert result[numbers].tobytes() == every[numbers].tobytes()
    assert np.isnan(result[~numbers].astype(np.float32)).all()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_rounding_to_sixteen_bits_is_that_of_numpy(dtype, rng):
    # Sums of two numbers of very unequal size, subnormal results and overflow among them.
    pairs = rng.integers(0, 2**16, (2, 100_000), dtype=np.uint16).view(dtype)
    with np.errstate(invalid="ignore"):
        pairs = pairs[:, np.isfinite(pairs.astype(np.float32)).all(axis=0)]
    wide = pairs.astype(np.float32)
    with np.errstate(over="ignore"):
        expected = (np.float32(0.5) * wide[0] + np.float32(0.5) * wide[1]).astype(dtype)
    result = interpolate(pairs, 1, axes=0, mode="linear")[0]
    assert result.tobytes() == expected.tobytes()
    with np.errstate(over="ignore"):
        expected = (wide[0] + wide[1]).astype(dtype)
    result = interpolate_backward(pairs, 1, axes=0, mode="nearest")[0]
    assert result.tobytes() == expected.tobytes()
    assert np.isinf(result.astype(np.float32)).any()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_the_adjoint_adds_in_float32(dtype):
    # A sum in sixteen bits stands still at 2048, or at 256.
    g = np.ones(4096, dtype)
    assert interpolate_backward(g, 1, mode="nearest").astype(np.float32) == 4096.0


@pytest.mark.parametrize("mode", ["linear", "lanczos3", "box", "nearest"])
@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "c8", "c16", "i2", "u2", "i4", "u4", "i1", "u1"]
)
def test_byte_order_changes_nothing_but_itself(mode, dtype, rng):
    x = drawn(rng, (6, 21, 17), dtype, 100)
    for swapped in (x.astype(x.dtype.newbyteorder()), np.moveaxis(x.astype(">" + dtype), 0, 2)):
        native = swapped.astype(x.dtype, order="K")
        y = interpolate(swapped, (30, 9), axes=(0, 1), mode=mode)
        assert y.dtype == swapped.dtype
        expected = interpolate(native, (30, 9), axes=(0, 1), mode=mode)
        assert y.astype(x.dtype).tobytes() == expected.tobytes()
        if x.dtype.kind in "fc":
            back = interpolate_backward(y, swapped.shape[:2], axes=(0, 1), mode=mode)
            assert back.dtype == swapped.dtype
            expected = interpolate_backward(expected, swapped.shape[:2], axes=(0, 1), mode=mode)
            assert back.astype(x.dtype).tobytes() == expected.tobytes()


def drawn(rng, shape, dtype, size):
    """Random values about as large as `size`; a cast of what a type has not is not defined."""
    values = size * rng.standard_normal(shape)
    return (np.abs(values) if np.dtype(dtype).kind == "u" else values).astype(dtype)


def layouts(x, rng):
    """The same values, laid out otherwise."""
    yield np.asfortranarray(x)
    yield x[::-1, :, ::-1].copy()[::-1, :, ::-1]
    wide = np.empty((x.shape[0], 2 * x.shape[1], 3 * x.shape[2]), x.dtype)
    wide[:, ::2, 1::3] = x
    yield wide[:, ::2, 1::3]
    raw = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    raw[...] = x
    yield raw
    yield np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1)
    packed = np.empty(x.shape, np.dtype({"names": ["a", "x"], "formats": ["u1", x.dtype]}))
    packed["x"] = x
    yield packed["x"]


@pytest.mark.parametrize("dtype", [*INTEGERS, *HALVES, ">f4", ">i2", "c8"], ids=str)
@pytest.mark.parametrize("axes", [(1, 2), (0, 1), (0, 2), (0, 1, 2), (2,)])
def test_every_layout_gives_the_same_bits(dtype, axes, rng):
    x = drawn(rng, (4, 13, 37), dtype, 50)
    size = tuple(2 * x.shape[a] - 5 if a else 9 for a in axes)
    expected = interpolate(x, size, axes=axes, mode="cubic")
    for y in layouts(x, rng):
        assert np.array_equal(y, x)
        result = interpolate(y, size, axes=axes, mode="cubic")
        assert result.tobytes() == expected.tobytes()
        for out in layouts(np.zeros(expected.shape, dtype), rng):
            assert interpolate(y, size, axes=axes, mode="cubic", out=out) is out
            assert out.tobytes() == expected.tobytes()


def test_a_sample_of_many_elements_is_taken_in_parts(rng):
    # More elements behind the axis than fit a piece of the conversion.
    x = rng.integers(0, 255, (4, 9001), np.uint8)
    wide = np.zeros((4, 2 * 9001), np.uint8)
    wide[:, ::2] = x
    expected = np.rint(interpolate(x.astype(np.float32), 9, axes=0, mode="linear"))
    np.testing.assert_array_equal(interpolate(wide[:, ::2], 9, axes=0, mode="linear"), expected)


@pytest.mark.parametrize(
    "dtype", [*INTEGERS, "bool", "int64", "uint64", "datetime64[s]", "longdouble", "clongdouble"]
)
def test_other_gradients_are_refused(dtype):
    if np.dtype(dtype) in (float, complex):
        pytest.skip("long double is another name here")
    for name, call in (
        ("grad_output", lambda g: interpolate_backward(g, 4, mode="linear")),
        ("grad_output", lambda g: interpolate_backward(g, 4, mode="nearest")),
        ("g", lambda g: Resampler(4, 8, mode="linear").adjoint(g)),
    ):
        message = rf"^{name} is a gradient.* float32, .*complex64.*got " + re.escape(
            str(np.dtype(dtype))
        )
        with pytest.raises(TypeError, match=message):
            call(np.ones(8).astype(dtype))


@pytest.mark.parametrize(
    ("dtype", "advice"), [("bool", "uint8"), ("int64", "float64"), ("uint64", "float64")]
)
def test_what_is_not_computed_with_is_refused_with_advice(dtype, advice):
    x = np.ones(4, dtype)
    with pytest.raises(TypeError, match=rf"x has dtype {dtype}.*astype\('{advice}'\)"):
        interpolate(x, 8, mode="linear")
    assert interpolate(x.astype(advice), 8, mode="linear").dtype == advice
    assert interpolate(x, 8, mode="nearest").dtype == dtype


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble", "U3", "S2", "M8[s]", "m8[D]", "V5"])
def test_other_types_are_copied_and_not_computed(dtype):
    x = np.zeros(4, dtype)
    if np.dtype(dtype) in (float, complex):
        pytest.skip("long double is another name here")
    with pytest.raises(TypeError, match="dtype"):
        interpolate(x, 8, mode="linear")
    assert interpolate(x, 8, mode="nearest-exact").dtype == x.dtype


def test_a_mode_that_computes_may_happen_to_copy():
    # The weights of a factor of 1/3 are single ones; the dtype is taken nevertheless, and only so.
    x = np.arange(9, dtype=np.uint8)
    np.testing.assert_array_equal(interpolate(x, 3, mode="linear"), [1, 4, 7])
    with pytest.raises(TypeError):
        interpolate(x.astype(np.int64), 3, mode="linear")


def test_a_copying_stage_beside_a_computing_one():
    # Three axes are two stages; one of them selects, and what lies between is not the dtype.
    x = np.arange(9 * 5 * 9, dtype=np.uint16).reshape(9, 5, 9)
    result = interpolate(x, (3, 9, 3), mode="linear")
    exact = interpolate(x.astype(float), (3, 9, 3), mode="linear")
    np.testing.assert_array_equal(result, np.rint(exact))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_dot_test_and_operator_take_sixteen_bits(dtype):
    r = Resampler((9, 8), (5, 16), mode="cubic")
    assert upsample.dot_test(r, (9, 8), dtype, rng=1) < 0.02


def test_threads_change_no_bit_of_converted_results(rng):
    for dtype in ("uint8", "int16", "float16", "uint32", ">f4"):
        x = drawn(rng, (3, 150, 170), dtype, 60)
        one = interpolate(x, (260, 333), mode="bicubic", num_threads=1)
        for threads in (2, 3, 8):
            y = interpolate(x, (260, 333), mode="bicubic", num_threads=threads)
            assert y.tobytes() == one.tobytes()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("mode", ["linear", "box", "area", "cubic"])
@pytest.mark.parametrize(("n", "m"), [(64, 32), (64, 42), (90, 30), (65, 13), (64, 5), (7, 7)])
def test_rows_converted_while_they_are_combined_give_the_same_bits(dtype, mode, n, m, rng):
    # Neighbours in memory may be combined as they are stored; others are gathered first.
    x = whole_range(rng, (2, n, 50), dtype)
    apart = np.zeros((2, n, 100), dtype)
    apart[..., ::2] = x
    for size, axes in (((m, 25), (1, 2)), (m, 1), ((m, 77), (1, 2))):
        expected = interpolate(apart[..., ::2], size, axes=axes, mode=mode)
        assert interpolate(x, size, axes=axes, mode=mode).tobytes() == expected.tobytes()
        moved = np.empty(x.nbytes + 1, np.uint8)[1:].view(dtype).reshape(x.shape)
        moved[...] = x
        assert interpolate(moved, size, axes=axes, mode=mode).tobytes() == expected.tobytes()
