"""How many threads work on it changes nothing but the time."""

import numpy as np
import pytest

import upsample
from definition import OPTIONS
from helpers import library, sample
from upsample import Resampler, _threads, get_num_threads, interpolate, set_num_threads, threads

CASES = [
    # shape, axes, output sizes: large enough for several threads to have work
    ((700, 600), (0, 1), (1400, 1200)),
    ((700, 603), (0, 1), (411, 1009)),
    ((3, 270, 480), (1, 2), (540, 960)),
    ((200, 300, 3), (0, 1), (310, 451)),
    ((40, 50, 60), (0, 1, 2), (63, 75, 91)),
    ((200_003,), (0,), (300_007,)),
    ((7, 30_001), (1,), (60_002,)),
    ((30_001, 7), (0,), (20_000,)),
    ((64, 16, 16, 3), (1, 2), (33, 32)),
    ((1, 5, 300_000), (1,), (8,)),
]

needs_openmp = pytest.mark.skipif(not upsample.show_config("dict")["openmp"], reason="serial build")


@pytest.fixture
def _all_threads(monkeypatch):
    """Every thread that is asked for, however small the work."""
    monkeypatch.setattr(_threads, "GRAIN", 1)


KINDS = ["nearest", "linear", "cubic-antialias", "lanczos3", "area", "box", "linear-align_corners"]


@pytest.mark.usefixtures("_all_threads")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_do_not_depend_on_threads(kind, dtype, rng):
    for shape, axes, outputs in CASES:
        plan = Resampler(tuple(shape[axis] for axis in axes), outputs, **library(OPTIONS[kind]))
        x = sample(rng, shape, dtype)
        y = plan.forward(x, axes=axes, num_threads=1)
        g = sample(rng, y.shape, dtype)
        back = plan.adjoint(g, axes=axes, num_threads=1)
        for count in (2, 3, 8):
            again = plan.forward(x, axes=axes, num_threads=count)
            assert again.tobytes() == y.tobytes(), (shape, outputs, count)
            again = plan.adjoint(g, axes=axes, num_threads=count)
            assert again.tobytes() == back.tobytes(), (shape, outputs, count)


@pytest.mark.usefixtures("_all_threads")
@pytest.mark.parametrize("dtype", ["c8", "u1", "i8"])
def test_bits_of_other_types(dtype, rng):
    x = (100 * sample(rng, (500, 400, 3), "c8" if dtype == "c8" else "f8")).astype(dtype)
    mode = "linear" if dtype == "c8" else "nearest"
    how = {"size": (733, 801), "axes": (0, 1), "mode": mode}
    y = interpolate(x, num_threads=1, **how)
    for count in (2, 3, 8):
        assert interpolate(x, num_threads=count, **how).tobytes() == y.tobytes()


@needs_openmp
def test_set_and_get():
    before = get_num_threads()
    assert isinstance(before, int)
    assert before >= 1
    set_num_threads(3)
    assert get_num_threads() == 3
    set_num_threads(np.int64(1))
    assert get_num_threads() == 1
    set_num_threads(None)
    assert get_num_threads() == before


@needs_openmp
def test_for_a_while():
    before = get_num_threads()
    with threads(before + 1):
        assert get_num_threads() == before + 1
        with threads(1):
            assert get_num_threads() == 1
        assert get_num_threads() == before + 1
    assert get_num_threads() == before
    with pytest.raises(KeyError), threads(before + 2):
        raise KeyError
    assert get_num_threads() == before


@needs_openmp
def test_the_count_is_used_as_default(rng):
    x = sample(rng, (300, 400))
    y = interpolate(x, size=(600, 500), mode="cubic", num_threads=1)
    for count in (1, 2, 5):
        with threads(count):
            assert np.array_equal(interpolate(x, size=(600, 500), mode="cubic"), y)
            # one call's own count leaves the default alone
            interpolate(x, size=(600, 500), mode="cubic", num_threads=3)
            assert get_num_threads() == count


@needs_openmp
def test_the_count_is_shown():
    with threads(3):
        assert upsample.show_config("dict")["threads"] == 3


def test_more_threads_than_work():
    for shape, size in [((1,), (1,)), ((2,), (3,)), ((1, 1, 1), (1, 2, 1))]:
        for mode in ("nearest", "linear", "lanczos3"):
            y = interpolate(np.ones(shape), size=size, mode=mode, num_threads=64)
            assert np.array_equal(y, np.ones(size))
