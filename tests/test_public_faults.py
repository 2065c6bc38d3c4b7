"""Small cases in which some resampler, somewhere, was publicly wrong.

``data/public_faults.json`` has numbers for most of them and words for the rest.  A case with
numbers is held in its own direction and, through the transpose, in the other one; a case in
words has a test here of the same kind.
"""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import upsample

RECORD = json.loads((Path(__file__).parent / "data" / "public_faults.json").read_text())
CASES = RECORD["cases"]
IN_WORDS = {entry["kind"]: entry["text"] for entry in RECORD["in_words"]}

# Any mode will do where a case is about arrays and not about weights; these differ in kernel,
# border rule and width.
FLOAT_OPTIONS = [
    {"mode": "linear"},
    {"mode": "cubic", "align_corners": True},
    {"mode": "lanczos3", "antialias": True},
    {"mode": "area"},
    {"mode": "box"},
]
NEAREST_OPTIONS = [{"mode": "nearest"}, {"mode": "nearest-exact"}]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float32", "float64", "complex64", "complex128"]

by_name = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


def options_id(options):
    return "-".join(str(value) for value in options.values())


def with_options(*choices):
    return pytest.mark.parametrize("options", choices, ids=options_id)


def random_like(rng, shape, dtype):
    values = 100 * rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        return (values + 100j * rng.standard_normal(shape)).astype(dtype)
    return np.abs(values).astype(dtype)


# ------------------------------------------------------------- cases with numbers


def weights(case):
    """The arguments that decide the weights."""
    keys = ("mode", "align_corners", "antialias", "cubic_coeff")
    return {key: case[key] for key in keys if key in case}


def forward(case, x, dtype=np.float64, **more):
    x = np.asarray(x, dtype)
    if case["direction"] == "backward" and case["scale_factor"] is None:
        how = {"size": len(case["grad_output"])}
    else:
        how = {"size": case.get("size"), "scale_factor": case["scale_factor"]}
    return upsample.interpolate(x, **how, **weights(case), **more)


def backward(case, g, dtype=np.float64, **more):
    g = np.asarray(g, dtype)
    n = case["input_size"] if case["direction"] == "backward" else len(case["input"])
    return upsample.interpolate_backward(
        g, n, scale_factor=case["scale_factor"], **weights(case), **more
    )


def lengths(case):
    if case["direction"] == "backward":
        return case["input_size"], len(case["grad_output"])
    return len(case["input"]), len(case["expected"])


def allowed(case, eps):
    return eps * max(1.0, float(np.abs(case["expected"]).max()))


@by_name
@pytest.mark.parametrize(("dtype", "eps"), [("float64", 1e-12), ("float32", 1e-6)])
def test_in_its_own_direction(case, dtype, eps):
    if case["direction"] == "backward":
        result = backward(case, case["grad_output"], dtype)
    else:
        result = forward(case, case["input"], dtype)
    assert result.dtype == dtype
    assert result.shape == np.shape(case["expected"])
    np.testing.assert_allclose(result, case["expected"], rtol=0, atol=allowed(case, eps))


@by_name
def test_in_the_other_direction(case):
    """The matrix of the other direction, transposed, gives the expected numbers too."""
    n, m = lengths(case)
    if case["direction"] == "backward":
        matrix = forward(case, np.eye(n), axes=(0,)).T
        given = case["grad_output"]
    else:
        matrix = backward(case, np.eye(m), axes=(0,)).T
        given = case["input"]
    result = matrix @ np.asarray(given)
    np.testing.assert_allclose(result, case["expected"], rtol=0, atol=allowed(case, 1e-12))


@by_name
def test_forward_and_backward_are_adjoint(case, rng):
    n, m = lengths(case)
    x, g = rng.standard_normal(n), rng.standard_normal(m)
    y, gx = forward(case, x), backward(case, g)
    scale = np.linalg.norm(y) * np.linalg.norm(g) + np.linalg.norm(x) * np.linalg.norm(gx)
    assert abs(g @ y - gx @ x) <= 1e-13 * scale


def test_the_cases_are_many_and_of_both_directions():
    assert len(CASES) >= 37
    assert len({case["name"] for case in CASES}) == len(CASES)
    assert {case["direction"] for case in CASES} == {"forward", "backward"}


# ------------------------------------------------------------- labels


@with_options(*NEAREST_OPTIONS)
def test_labels(options):
    labels = np.full((12, 12), 5, np.int16)
    labels[3:9, 5:] = 7
    result = upsample.interpolate(labels, (8, 8), **options)
    assert result.dtype == np.int16
    assert result.shape == (8, 8)
    assert set(result.ravel().tolist()) == {5, 7}


# ------------------------------------------------------------- 64-bit integers and other types


@with_options(*NEAREST_OPTIONS)
@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int64", 2**60 + 1), ("int64", -(2**63)), ("uint64", 2**64 - 1), ("uint64", 2**53 + 1)],
)
def test_64_bit_integers(options, dtype, value):
    x = np.array([[1, value], [value, 3]], dtype)
    for how in ({"size": (4, 6)}, {"scale_factor": 2.5}):
        result = upsample.interpolate(x, **how, **options)
        assert result.dtype == dtype
        assert set(result.ravel().tolist()) == {1, 3, value}


@with_options(*NEAREST_OPTIONS)
@pytest.mark.parametrize("dtype", ["bool", "float16", "S3", "M8[s]", "i4,f8", *INTEGERS, *FLOATS])
def test_nearest_copies_any_type(options, dtype, rng):
    dtype = np.dtype(dtype)
    x = np.frombuffer(rng.bytes(7 * 5 * dtype.itemsize), np.uint8)
    x = (x % 2 if dtype.kind == "b" else x).view(dtype).reshape(7, 5)
    result = upsample.interpolate(x, (11, 3), **options)
    # Which samples they are is told by their numbers.
    picked = upsample.interpolate(np.arange(35).reshape(7, 5), (11, 3), **options)
    assert result.dtype == dtype
    assert result.tobytes() == np.take(x, picked).tobytes()


@with_options(*FLOAT_OPTIONS)
@pytest.mark.parametrize("dtype", ["bool", "int64", "uint64"])
def test_weighted_sums_of_what_floats_cannot_hold_are_refused(options, dtype):
    with pytest.raises(TypeError, match=dtype):
        upsample.interpolate(np.ones((4, 4), dtype), (8, 8), **options)


@with_options(*FLOAT_OPTIONS, *NEAREST_OPTIONS)
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_a_gradient_of_integers_is_refused(options, dtype):
    with pytest.raises(TypeError, match=dtype):
        upsample.interpolate_backward(np.ones((8, 8), dtype), (4, 4), **options)


# ------------------------------------------------------------- any channel count


@with_options(*FLOAT_OPTIONS, *NEAREST_OPTIONS)
@pytest.mark.parametrize("channels", [1, 5, 7, 16, 513])
def test_any_channel_count(options, channels, rng):
    first = rng.standard_normal((2, channels, 6, 7))
    last = np.ascontiguousarray(np.moveaxis(first, 1, -1))
    y_first = upsample.interpolate(first, (9, 5), **options)
    y_last = upsample.interpolate(last, (9, 5), axes=(1, 2), **options)
    assert y_last.shape == (2, 9, 5, channels)
    np.testing.assert_allclose(np.moveaxis(y_last, -1, 1), y_first, rtol=0, atol=1e-13)
    back_first = upsample.interpolate_backward(y_first, (6, 7), **options)
    back_last = upsample.interpolate_backward(y_last, (6, 7), axes=(1, 2), **options)
    assert back_last.shape == last.shape
    np.testing.assert_allclose(np.moveaxis(back_last, -1, 1), back_first, rtol=0, atol=1e-12)


# ------------------------------------------------------------- slices

VIEWS = {
    "flipped": lambda x: x[:, :, ::-1],
    "every other": lambda x: x[..., ::2],
    "channels moved": lambda x: x.transpose(0, 2, 3, 1),
    "last two flipped and cut": lambda x: x[..., 7:1:-1, -1::-3],
    "repeated by stride 0": lambda x: np.broadcast_to(x[0, 0], x.shape),
    "Fortran order": np.asfortranarray,
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "a field": lambda x: np.rec.fromarrays([x, np.zeros(x.shape, "i1")])["f0"],
}


def bits(array):
    """The values as native bytes in the order of the indices."""
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


@with_options(*FLOAT_OPTIONS, *NEAREST_OPTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("view", VIEWS)
def test_slices(view, dtype, options, rng):
    x = VIEWS[view](random_like(rng, (2, 3, 8, 10), dtype))
    copy = x.astype(x.dtype.newbyteorder("="), order="K")
    assert np.array_equal(copy, x)
    before = bits(x)
    result = upsample.interpolate(x, (5, 13), **options)
    assert result.dtype.newbyteorder("=") == dtype
    assert bits(result) == bits(upsample.interpolate(copy, (5, 13), **options))
    sizes = (11, 4)
    result = upsample.interpolate_backward(x, sizes, **options)
    assert result.shape == (*x.shape[:2], *sizes)
    assert bits(result) == bits(upsample.interpolate_backward(copy, sizes, **options))
    assert bits(x) == before


# ------------------------------------------------------------- read-only


def check_read_only(x, options):
    assert not x.flags.writeable
    copy = np.array(x)
    result = upsample.interpolate(x, (9, 4), **options)
    assert result.flags.writeable
    assert result.tobytes() == upsample.interpolate(copy, (9, 4), **options).tobytes()
    if x.dtype.kind in "fc":
        result = upsample.interpolate_backward(x, (9, 4), **options)
        expected = upsample.interpolate_backward(copy, (9, 4), **options)
        assert result.tobytes() == expected.tobytes()
    assert np.array_equal(x, copy)


@pytest.mark.parametrize("dtype", ["bool", "float16", *INTEGERS, *FLOATS])
def test_read_only(dtype, tmp_path, rng):
    x = random_like(rng, (2, 3, 6, 7), dtype)
    computed = dtype not in ("bool", "int64", "uint64")
    choices = [*NEAREST_OPTIONS, *(FLOAT_OPTIONS if computed else [])]
    x.tofile(tmp_path / "x.bin")
    mapped = np.memmap(tmp_path / "x.bin", dtype, mode="r", shape=x.shape)
    frozen = x.copy()
    frozen.setflags(write=False)
    for options in choices:
        check_read_only(mapped, options)
        check_read_only(frozen, options)


# ------------------------------------------------------------- zero-length


@with_options(*FLOAT_OPTIONS, *NEAREST_OPTIONS)
def test_zero_length(options):
    for batch in ((0, 3), (2, 0), (0, 0)):
        x = np.ones((*batch, 4, 5), np.float32)
        result = upsample.interpolate(x, (8, 3), **options)
        assert result.shape == (*batch, 8, 3)
        assert result.dtype == np.float32
        result = upsample.interpolate_backward(x, (7, 2), **options)
        assert result.shape == (*batch, 7, 2)
        assert result.dtype == np.float32
    for sizes in ((0, 5), (4, 0), (0, 0)):
        empty = np.ones((2, 3, *sizes))
        with pytest.raises(ValueError, match="0"):
            upsample.interpolate(empty, (8, 3), **options)
        with pytest.raises(ValueError, match="0"):
            upsample.interpolate_backward(empty, (7, 2), **options)
        with pytest.raises(ValueError, match="0"):
            upsample.interpolate(np.ones((2, 3, 4, 5)), sizes, **options)
        with pytest.raises(ValueError, match="0"):
            upsample.interpolate_backward(np.ones((2, 3, 8, 3)), sizes, **options)


# ------------------------------------------------------------- absurd sizes


@pytest.mark.parametrize("huge", [(2**40, 2**40), (2**62, 4), (4, 2**62)])
@with_options(*FLOAT_OPTIONS, *NEAREST_OPTIONS)
def test_absurd_sizes(options, huge):
    small = np.ones((1, 1, 4, 4))
    attempts = [
        lambda: upsample.interpolate(small, huge, **options),
        lambda: upsample.interpolate(small, None, tuple(float(h) for h in huge), **options),
        lambda: upsample.interpolate_backward(small, huge, **options),
    ]
    for attempt in attempts:
        tracemalloc.start()
        try:
            with pytest.raises((ValueError, MemoryError)):
                attempt()
            assert tracemalloc.get_traced_memory()[1] < 10**6
        finally:
            tracemalloc.stop()


# ------------------------------------------------------------- argument mix-ups


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area", "box"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_align_corners_false_is_not_none(mode, align_corners):
    with pytest.raises(ValueError, match="align_corners"):
        upsample.interpolate(np.ones(4), 8, mode=mode, align_corners=align_corners)
    with pytest.raises(ValueError, match="align_corners"):
        upsample.interpolate_backward(np.ones(8), 4, mode=mode, align_corners=align_corners)
    assert upsample.interpolate(np.ones(4), 8, mode=mode, align_corners=None).shape == (8,)


def test_swapped_sizes_are_told_by_the_shapes():
    """Width before height cannot be seen in the arguments, so the message has both shapes."""
    plan = upsample.Resampler((4, 6), (8, 12), mode="linear")
    upright, lying = np.ones((1, 1, 4, 6)), np.ones((1, 1, 6, 4))
    assert plan.forward(upright).shape == (1, 1, 8, 12)
    with pytest.raises(ValueError, match=r"(?s)(?=.*4, 6)(?=.*6, 4)"):
        plan.forward(lying)
    with pytest.raises(ValueError, match=r"(?s)(?=.*8, 12)(?=.*12, 8)"):
        plan.adjoint(np.ones((1, 1, 12, 8)))
    with pytest.raises(ValueError, match=r"(?s)out(?=.*8, 12)(?=.*12, 8)"):
        upsample.interpolate(upright, (8, 12), mode="linear", out=np.ones((1, 1, 12, 8)))
    with pytest.raises(ValueError, match=r"(?s)(?=.*8, 12)(?=.*12, 8)"):
        upsample.interpolate_backward(np.ones((1, 1, 12, 8)), (4, 6), 2, "linear")


# ------------------------------------------------------------- container quotas


def threads_of_a_new_process(preparation):
    """What get_num_threads() says in a process that ran `preparation` first."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
    environment["PYTHONPATH"] = str(Path(upsample.__file__).parents[1])
    code = f"{preparation}\nimport upsample\nprint(upsample.get_num_threads())\n"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return int(finished.stdout)


def test_container_quotas():
    """No more threads than the affinity mask has CPUs or the control group grants."""
    assert 1 <= threads_of_a_new_process("") <= os.cpu_count()
    quota = """
import pathlib
read = pathlib.Path.read_text
def fake(path, *args, **kwargs):
    return "50000 100000" if path.as_posix() == "/sys/fs/cgroup/cpu.max" else read(path)
pathlib.Path.read_text = fake
"""
    assert threads_of_a_new_process(quota) == 1
    if hasattr(os, "sched_setaffinity"):
        one = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"
        assert threads_of_a_new_process(one) == 1


# ------------------------------------------------------------- nothing forgotten

TESTS_IN_WORDS = {
    "labels": test_labels,
    "64-bit integers": test_64_bit_integers,
    "any channel count": test_any_channel_count,
    "slices": test_slices,
    "read-only": test_read_only,
    "zero-length": test_zero_length,
    "absurd sizes": test_absurd_sizes,
    "argument mix-ups": test_align_corners_false_is_not_none,
    "container quotas": test_container_quotas,
}


def test_every_case_in_words_has_a_test():
    assert set(IN_WORDS) == set(TESTS_IN_WORDS)
