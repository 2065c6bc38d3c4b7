"""Names, signatures, and what plans and filters are as values."""

import copy
import inspect
import pickle
from importlib import resources

import numpy as np
import pytest

import upsample
from definition import OPTIONS, matrix, spline2
from helpers import SPLINE2, library, sample
from upsample import MODES, Filter, Resampler, interpolate, interpolate_backward

# ---------------------------------------------------------------- names and signatures


def test_names():
    assert set(upsample.__all__) == {
        "MODES", "Filter", "Resampler", "__version__", "dot_test", "get_num_threads",
        "interpolate", "interpolate_backward", "set_num_threads", "show_config", "threads",
    }  # fmt: skip
    for name in upsample.__all__:
        assert hasattr(upsample, name)
    visible = {name for name in vars(upsample) if not name.startswith("_")}
    assert visible | {"__version__"} == set(upsample.__all__)


SIGNATURES = {
    "interpolate": (
        "x, size=None, scale_factor=None, mode='nearest', align_corners=None, "
        "recompute_scale_factor=None, antialias=False, *, axes=None, cubic_coeff=None, "
        "border=None, out=None, num_threads=None"
    ),
    "interpolate_backward": (
        "grad_output, input_size, scale_factor=None, mode='nearest', align_corners=None, "
        "recompute_scale_factor=None, antialias=False, *, axes=None, cubic_coeff=None, "
        "border=None, out=None, num_threads=None"
    ),
    "Resampler": (
        "input_size, output_size=None, scale_factor=None, mode='nearest', align_corners=None, "
        "recompute_scale_factor=None, antialias=False, *, cubic_coeff=None, border=None"
    ),
    "Resampler.forward": "self, x, *, axes=None, out=None, num_threads=None",
    "Resampler.__call__": "self, x, *, axes=None, out=None, num_threads=None",
    "Resampler.adjoint": "self, g, *, axes=None, out=None, num_threads=None",
    "Resampler.matrix": "self, i",
    "Filter": "name, support, function",
    "get_num_threads": "",
    "set_num_threads": "n",
    "threads": "n",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name):
    target = upsample
    for part in name.split("."):
        target = getattr(target, part)
    signature = inspect.signature(target)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    found = str(inspect.Signature(bare))
    assert found == f"({SIGNATURES[name]})"
    if name != "Filter":  # made by a dataclass, which annotates the return as None
        for parameter in signature.parameters.values():
            if parameter.name != "self":
                assert parameter.annotation is not inspect.Parameter.empty
    assert target.__doc__


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("dot_test", ["resampler", "shape", "dtype", "axes", "rng"]),
        ("Resampler.as_linear_operator", ["self", "shape", "dtype", "axes"]),
    ],
)
def test_names_of_parameters(name, parameters):
    target = upsample
    for part in name.split("."):
        target = getattr(target, part)
    assert list(inspect.signature(target).parameters) == parameters


def test_modes():
    assert list(MODES)[:2] == ["nearest", "nearest-exact"]
    assert set(MODES) == {
        "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "cubic", "bicubic",
        "tricubic", "lanczos2", "lanczos3", "lanczos4", "lanczos5", "area", "box", "hamming",
        "mitchell", "catmull-rom", "gaussian", "magic",
    }  # fmt: skip
    for words in MODES.values():
        assert isinstance(words, str)
        assert words.strip()
        assert "\n" not in words
    with pytest.raises(TypeError):
        MODES["mine"] = "a mode"
    # and the definition knows each of them
    assert all(matrix(4, 6, mode).shape == (6, 4) for mode in MODES)


def test_package_is_typed():
    assert (resources.files("upsample") / "py.typed").is_file()


def test_version_and_configuration(capsys):
    assert upsample.__version__[0].isdigit()
    assert upsample.show_config() is None
    printed = capsys.readouterr().out
    for words in (upsample.__version__, np.__version__, "openmp", "threads"):
        assert words in printed
    config = upsample.show_config("dict")
    assert config["upsample"] == upsample.__version__
    assert isinstance(config["openmp"], bool)
    assert config["threads"] == upsample.get_num_threads()
    with pytest.raises(ValueError, match="'xml'"):
        upsample.show_config("xml")


def test_public_objects_say_where_they_are():
    for name in ("interpolate", "interpolate_backward", "Resampler", "Filter", "dot_test"):
        module = getattr(upsample, name).__module__
        assert module.split(".")[0] == "upsample"


# ---------------------------------------------------------------- plans as values

PLANS = [
    {"input_size": (4, 5), "output_size": (8, 9)},
    {"input_size": (4, 5), "output_size": (8, 9), "mode": "bilinear", "align_corners": True},
    {"input_size": (4, 5), "output_size": (8, 9), "mode": "linear", "antialias": True},
    {"input_size": (4, 5), "output_size": (8, 9), "mode": "cubic", "cubic_coeff": -0.5},
    {"input_size": (4, 5), "output_size": (8, 9), "mode": "cubic", "border": "mirror"},
    {"input_size": (4, 5), "output_size": (5, 4), "mode": "cubic", "border": "mirror"},
    {"input_size": (4, 5), "scale_factor": (2.3, 1.9), "mode": "linear"},
    {"input_size": (10,), "scale_factor": 1.1, "mode": "lanczos3"},
    {"input_size": 7, "output_size": 5, "mode": SPLINE2},
    {"input_size": (3, 4, 5), "output_size": (2, 3, 4), "mode": "area"},
]


@pytest.mark.parametrize("how", PLANS, ids=str)
def test_equal_plans(how, rng):
    plan, same = Resampler(**how), Resampler(**how)
    assert plan == same
    assert hash(plan) == hash(same)
    assert len({plan, same}) == 1
    x = sample(rng, (2, *plan.input_size))
    for other in (pickle.loads(pickle.dumps(plan)), copy.copy(plan), copy.deepcopy(plan)):
        assert other == plan
        assert hash(other) == hash(plan)
        assert repr(other) == repr(plan)
        y = plan.forward(x)
        assert np.array_equal(other.forward(x), y)
        assert np.array_equal(other.adjoint(y), plan.adjoint(y))


def test_pickles_of_every_protocol_after_use(rng):
    plan = Resampler((4, 5), (8, 9), mode="lanczos3")
    x = sample(rng, (4, 5), "f4")
    y = plan.forward(x)
    plan.adjoint(y)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(plan, protocol))
        assert again == plan
        assert np.array_equal(again.forward(x), y)


def test_different_plans():
    plans = [Resampler(**how) for how in PLANS]
    for i, first in enumerate(plans):
        for second in plans[i + 1 :]:
            assert first != second
    assert plans[0] != "Resampler"
    assert plans[0] != None  # noqa: E711
    assert Resampler(10, scale_factor=1.05) != Resampler(10, 10)


def test_a_factor_that_is_the_ratio_is_no_other_plan():
    assert Resampler(4, scale_factor=2.0, mode="linear") == Resampler(4, 8, mode="linear")
    recomputed = Resampler(10, scale_factor=1.15, mode="linear", recompute_scale_factor=True)
    assert recomputed == Resampler(10, 11, mode="linear")


@pytest.mark.parametrize("how", PLANS, ids=str)
def test_repr_tells_what_it_is(how):
    plan = Resampler(**how)
    text = repr(plan)
    assert text.startswith("Resampler(")
    assert str(plan.input_size) in text
    assert str(plan.output_size) in text
    for name in ("mode", "align_corners", "antialias", "cubic_coeff", "border", "scale_factor"):
        if name in how:
            assert f"{name}=" in text
    if not isinstance(plan.mode, Filter) and "scale_factor" not in how:
        assert eval(text, {"Resampler": Resampler}) == plan


def test_attributes_are_read_only():
    plan = Resampler(
        (4, 5), (8, 9), mode="cubic", cubic_coeff=-0.5, border="zero", align_corners=True
    )
    expected = {
        "input_size": (4, 5),
        "output_size": (8, 9),
        "scale_factor": None,
        "mode": "cubic",
        "cubic_coeff": -0.5,
        "border": "zero",
        "align_corners": True,
        "antialias": False,
    }
    for name, value in expected.items():
        assert getattr(plan, name) == value
        with pytest.raises(AttributeError):
            setattr(plan, name, value)
    with pytest.raises(AttributeError):
        plan.something = 1
    assert all(type(n) is int for n in plan.input_size + plan.output_size)


def test_arguments_are_copied():
    sizes = [4, 5]
    plan = Resampler(sizes, np.array([8, 9]))
    sizes[0] = 100
    assert plan.input_size == (4, 5)
    assert plan.output_size == (8, 9)
    assert plan == Resampler((np.int64(4), 5), [8, 9])


def test_number_of_axes_of_a_plan():
    assert Resampler(4, 8).input_size == (4,)
    assert Resampler(4, 8, mode="bilinear").output_size == (8, 8)
    assert Resampler(4, 8, mode="trilinear").output_size == (8, 8, 8)
    assert Resampler((4, 5), 8).output_size == (8, 8)
    assert Resampler(4, (8, 9)).input_size == (4, 4)
    assert Resampler((4, 6), scale_factor=1.5).output_size == (6, 9)
    assert Resampler(4, scale_factor=(1.5, 2)).output_size == (6, 8)


def test_output_size_is_the_floor_of_the_product():
    for n, f in [(10, 1.05), (3, 1.5), (7, 0.3), (10, 0.1), (1, 3.99), (29, 1 / 29 * 29)]:
        assert Resampler(n, scale_factor=f).output_size == (int(n * f),)


def test_a_plan_acts_on_the_last_axes(rng):
    plan = Resampler((4, 5), (6, 9), mode="cubic")
    x = sample(rng, (2, 3, 4, 5))
    y = plan.forward(x)
    assert y.shape == (2, 3, 6, 9)
    assert np.array_equal(plan(x), y)
    assert np.array_equal(interpolate(x, size=(6, 9), mode="cubic"), y)
    assert plan.adjoint(y).shape == x.shape
    moved = np.ascontiguousarray(x.transpose(2, 0, 3, 1))
    z = plan.forward(moved, axes=(0, 2))
    assert z.shape == (6, 2, 9, 3)
    np.testing.assert_allclose(z.transpose(1, 3, 0, 2), y, rtol=0, atol=1e-13)


def test_lists_are_arrays():
    assert interpolate([0.0, 1.0], size=4, mode="linear").tolist() == [0, 0.25, 0.75, 1]
    assert interpolate([[True, False]], size=(1, 4)).tolist() == [[True, True, False, False]]
    assert interpolate_backward([1.0, 2.0, 3.0, 4.0], 2).tolist() == [3.0, 7.0]


# ---------------------------------------------------------------- filters as values


def test_filters():
    same = Filter("spline2", 1.5, spline2)
    assert same == SPLINE2
    assert hash(same) == hash(SPLINE2)
    assert Filter("other", 1.5, spline2) != SPLINE2
    assert Filter("spline2", 2.0, spline2) != SPLINE2
    assert pickle.loads(pickle.dumps(SPLINE2)) == SPLINE2
    assert "spline2" in repr(SPLINE2)
    assert "1.5" in repr(SPLINE2)
    with pytest.raises(AttributeError):
        SPLINE2.support = 3


def test_a_filter_is_never_asked_beyond_its_support():
    asked = []

    def function(t):
        asked.append(np.asarray(t))
        return 1 - np.asarray(t) / 2

    mine = Filter("mine", 2, function)
    for options in ({}, {"antialias": True}, {"align_corners": True}, {"border": "edge"}):
        interpolate(np.arange(30.0), size=17, mode=mine, **options)
        interpolate(np.arange(17.0), size=30, mode=mine, **options)
    every = np.concatenate([t.ravel() for t in asked])
    assert every.dtype == np.float64
    assert every.min() >= 0
    assert every.max() < 2


def test_a_filter_need_not_be_normalised(rng):
    x = sample(rng, 9)
    double = Filter("double", 1.5, lambda t: 2 * spline2(t))
    for border in ("edge", "renormalize", "zero", "reflect", "mirror"):
        expected = interpolate(x, size=16, mode=SPLINE2, border=border)
        found = interpolate(x, size=16, mode=double, border=border)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_a_filter_may_return_a_constant(rng):
    x = sample(rng, 12)
    y = interpolate(x, size=4, mode=Filter("mean", 0.5, lambda t: 1.0), antialias=True)
    np.testing.assert_allclose(y, x.reshape(4, 3).mean(axis=1), rtol=0, atol=1e-15)


# ---------------------------------------------------------------- which axes


def shapes(x, **how):
    return interpolate(np.zeros(x), **how).shape


def test_1_axes_say_so():
    assert shapes((4, 5, 6), size=(8, 9), axes=(2, 0)) == (9, 5, 8)
    assert shapes((4, 5, 6), size=8, axes=(-1, 0)) == (8, 5, 8)
    assert shapes((4, 5, 6), size=8, axes=1) == (4, 8, 6)
    assert shapes((4, 5, 6), scale_factor=(2, 0.5), axes=(1, -1)) == (4, 10, 3)
    assert shapes((4, 5, 6), size=[7, 8, 9], axes=[2, 1, 0]) == (9, 8, 7)
    assert shapes((4, 5), size=8, axes=(1, 0), mode="bilinear") == (8, 8)


def test_2_sequences_mean_the_last_axes():
    assert shapes((4, 5, 6), size=(8,)) == (4, 5, 8)
    assert shapes((4, 5, 6), size=(8, 9)) == (4, 8, 9)
    assert shapes((4, 5, 6), size=(7, 8, 9)) == (7, 8, 9)
    assert shapes((4, 5, 6), scale_factor=(2.0,)) == (4, 5, 12)
    assert shapes((4, 5), scale_factor=(2.0, 3.0), mode="cubic") == (8, 15)


def test_3_a_number_with_a_mode_of_fixed_rank():
    assert shapes((2, 3, 4, 5), size=8, mode="bilinear") == (2, 3, 8, 8)
    assert shapes((4, 5), size=8, mode="bicubic") == (8, 8)
    assert shapes((3, 4, 5), size=8, mode="bilinear") == (3, 8, 8)
    assert shapes((2, 3, 4, 5, 6), scale_factor=2, mode="bilinear") == (2, 3, 4, 10, 12)
    assert shapes((3, 4, 5), scale_factor=2, mode="trilinear") == (6, 8, 10)


def test_4_a_number_alone():
    assert shapes((5,), size=8) == (8,)
    assert shapes((4, 5), size=8) == (8, 8)
    assert shapes((2, 3, 5), size=8) == (2, 3, 8)
    assert shapes((2, 3, 4, 5), size=8, mode="linear") == (2, 3, 8, 8)
    assert shapes((2, 3, 4, 5, 6), scale_factor=2, mode="lanczos2") == (2, 3, 8, 10, 12)


def test_the_backward_finds_the_same_axes(rng):
    for shape, how in [
        ((4, 5, 6), {"size": (8, 9), "axes": (2, 0)}),
        ((4, 5, 6), {"size": (8, 9)}),
        ((4, 5), {"size": 8, "mode": "bicubic"}),
        ((2, 3, 5), {"size": 8}),
        ((2, 3, 4, 5), {"scale_factor": 2.3, "mode": "bilinear"}),
        ((2, 3, 4, 5), {"scale_factor": (2.3, 1.5), "mode": "linear"}),
        ((5,), {"scale_factor": 2}),
    ]:
        y = interpolate(sample(rng, shape), **how)
        changed = how.get("axes") or [k for k in range(len(shape)) if y.shape[k] != shape[k]]
        how = {key: value for key, value in how.items() if key != "size"}
        back = interpolate_backward(y, tuple(shape[k] for k in changed), **how)
        assert back.shape == shape


def test_arguments_in_the_order_of_torch(rng):
    x = sample(rng, (1, 2, 4, 5))
    y = interpolate(x, (8, 9), None, "bilinear", True, None, False)
    assert np.array_equal(y, interpolate(x, size=(8, 9), mode="bilinear", align_corners=True))
    y = interpolate(x, None, 0.5, "bicubic", None, True, True)
    expected = interpolate(
        x, scale_factor=0.5, mode="bicubic", recompute_scale_factor=True, antialias=True
    )
    assert np.array_equal(y, expected)


def test_results_are_new_and_in_the_order_of_the_input(rng):
    x = sample(rng, (4, 5, 6))
    assert interpolate(x, size=(8, 9), mode="linear").flags.c_contiguous
    assert interpolate(np.asfortranarray(x), size=(8, 9), mode="linear").flags.f_contiguous
    last = np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1)
    y = interpolate(last, size=(8, 9), mode="linear")
    assert y.transpose(1, 2, 0).flags.c_contiguous
    for size in ((5, 6), (8, 9)):
        y = interpolate(x, size=size, mode="linear")
        assert y.flags.owndata
        assert y.flags.writeable
        assert not np.shares_memory(x, y)


def test_subclasses_become_plain_arrays(rng):
    class Mine(np.ndarray):
        pass

    y = interpolate(sample(rng, (4, 5)).view(Mine), size=(8, 9), mode="linear")
    assert type(y) is np.ndarray


@pytest.mark.parametrize("kind", OPTIONS)
def test_options_survive_in_a_plan(kind):
    options = library(OPTIONS[kind])
    plan = Resampler((5,), (7,), **options)
    for name, value in options.items():
        assert getattr(plan, name) == value
