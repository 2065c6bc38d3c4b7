"""What holds for every array, size and option: found by searching for a case where it does not."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from definition import COPYING_MODES, OPTIONS
from helpers import library
from upsample import Resampler, _threads, interpolate, interpolate_backward

# Kernels that are 1 at 0 and 0 at all other integers, copies and averages.
INTERPOLATING = [
    name for name in OPTIONS if not name.startswith(("mitchell", "gaussian", "magic", "spline2"))
]
PRESERVE_CONSTANTS = [name for name in OPTIONS if "zero" not in name]

kinds = st.sampled_from(list(OPTIONS))
lengths = st.integers(1, 24)
seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from(["f4", "f8", "c8", "c16"])
# No subnormal numbers, whose units in the last place are not small beside them.
constants = st.one_of(st.just(0.0), st.floats(1e-3, 1e3), st.floats(-1e3, -1e-3))


@st.composite
def cases(draw, kinds=kinds, ranks=(1, 2, 3)):
    """Options, a shape, the axes to resample and their new lengths."""
    rank = draw(st.sampled_from(ranks))
    ndim = rank + draw(st.integers(0, 2))
    longest = {1: 40, 2: 20, 3: 9}[rank]
    axes = tuple(draw(st.permutations(range(ndim)))[:rank])
    shape = tuple(draw(st.integers(1, longest if axis in axes else 9)) for axis in range(ndim))
    outputs = tuple(draw(st.integers(1, longest)) for _ in axes)
    return draw(kinds), shape, axes, outputs


def values(seed, shape, dtype="f8"):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def resampler(case):
    kind, shape, axes, outputs = case
    return Resampler(tuple(shape[axis] for axis in axes), outputs, **library(OPTIONS[kind]))


def result_shape(case):
    _, shape, axes, outputs = case
    shape = list(shape)
    for axis, m in zip(axes, outputs, strict=True):
        shape[axis] = m
    return tuple(shape)


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@given(cases(), seeds, st.floats(-3, 3), st.sampled_from(["forward", "adjoint"]))
def test_linear(case, seed, factor, direction):
    _, shape, axes, _ = case
    apply = getattr(resampler(case), direction)
    shape = shape if direction == "forward" else result_shape(case)
    x, z = values(seed, shape), values(seed + 1, shape)
    together = apply(x + factor * z, axes=axes)
    apart = apply(x, axes=axes) + factor * apply(z, axes=axes)
    np.testing.assert_allclose(together, apart, rtol=0, atol=1e-12 * (1 + np.abs(apart).max()))


@given(cases(st.sampled_from(PRESERVE_CONSTANTS)), constants, dtypes)
def test_a_constant_stays_that_constant(case, value, dtype):
    _, shape, axes, _ = case
    x = np.full(shape, value, dtype=dtype)
    y = resampler(case).forward(x, axes=axes)
    assert y.dtype == x.dtype
    # A unit or two in the last place for each axis and each sum.
    allowed = 8 * len(axes) * np.finfo(dtype).eps * abs(x.flat[0])
    assert np.abs(y - x.flat[0]).max() <= allowed * largest_row(case)


def largest_row(case):
    """Rounding is relative to the sum of absolute weights."""
    plan = resampler(case)
    return math.prod(abs(plan.matrix(k)).sum(axis=1).max() for k in range(len(case[2])))


@given(cases(st.sampled_from(PRESERVE_CONSTANTS)), seeds, dtypes)
def test_the_adjoint_keeps_the_sum(case, seed, dtype):
    # Constants kept forward are sums kept backward: ⟨W1, g⟩ = ⟨1, Wᵀg⟩.
    _, _, axes, _ = case
    g = values(seed, result_shape(case), dtype)
    back = resampler(case).adjoint(g, axes=axes)
    size = np.abs(g).sum(dtype="f8") * largest_row(case)
    difference = abs(g.sum(dtype="c16") - back.sum(dtype="c16"))
    assert difference <= 16 * len(axes) * np.finfo(dtype).eps * size


@given(cases(st.sampled_from(INTERPOLATING)), seeds, dtypes)
def test_the_same_size_is_a_copy(case, seed, dtype):
    kind, shape, axes, _ = case
    sizes = tuple(shape[axis] for axis in axes)
    x = values(seed, shape, dtype)
    for y in (
        interpolate(x, size=sizes, axes=axes, **library(OPTIONS[kind])),
        interpolate_backward(x, sizes, axes=axes, **library(OPTIONS[kind])),
        interpolate(x, scale_factor=1.0, axes=axes, **library(OPTIONS[kind])),
    ):
        assert same_bits(y, x)
        assert not np.shares_memory(y, x)


@given(cases(ranks=(2, 3)), seeds, st.sampled_from(["forward", "adjoint"]))
def test_axes_one_after_the_other_are_axes_together(case, seed, direction):
    kind, shape, axes, outputs = case
    start = shape if direction == "forward" else result_shape(case)
    x = values(seed, start)
    together = getattr(resampler(case), direction)(x, axes=axes)
    y = x
    for axis, m in zip(axes, outputs, strict=True):
        single = Resampler((shape[axis],), (m,), **library(OPTIONS[kind]))
        y = getattr(single, direction)(y, axes=(axis,))
    np.testing.assert_allclose(together, y, rtol=0, atol=1e-12 * (1 + np.abs(y).max()))


@given(cases(), seeds, dtypes, st.sampled_from(["forward", "adjoint"]))
def test_batches_do_not_know_of_each_other(case, seed, dtype, direction):
    """Each entry of a stack comes out as it does alone, to the bit."""
    _, shape, axes, _ = case
    start = shape if direction == "forward" else result_shape(case)
    x = values(seed, (3, *start), dtype)
    apply = getattr(resampler(case), direction)
    stacked = apply(x, axes=tuple(axis + 1 for axis in axes))
    for entry in range(3):
        assert same_bits(stacked[entry].copy(), apply(x[entry], axes=axes).copy())


@given(cases(), seeds, st.data())
def test_a_changed_sample_changes_only_its_support(case, seed, data):
    _, shape, axes, _ = case
    plan = resampler(case)
    for apply, start, transposed in (
        (plan.forward, shape, False),
        (plan.adjoint, result_shape(case), True),
    ):
        x = values(seed, start)
        where = tuple(data.draw(st.integers(0, size - 1)) for size in start)
        changed = x.copy()
        changed[where] += 1
        differs = apply(x, axes=axes) != apply(changed, axes=axes)
        assert not (differs & ~reached(plan, where, axes, differs.shape, transposed)).any()


def reached(plan, where, axes, shape, transposed):
    """Which outputs have a weight that is not zero on the sample `where`."""
    mask = np.zeros(shape, dtype=bool)
    index = [np.array([position]) for position in where]
    for k, axis in enumerate(axes):
        w = plan.matrix(k).toarray()
        index[axis] = np.flatnonzero((w.T if transposed else w)[:, where[axis]])
    mask[np.ix_(*index)] = True
    return mask


@given(cases(), seeds, dtypes, st.sampled_from([np.nan, np.inf, -np.inf]), st.data())
def test_nan_and_infinity_reach_what_has_a_weight_on_them(case, seed, dtype, bad, data):
    _, shape, axes, _ = case
    plan = resampler(case)
    for apply, start, transposed in (
        (plan.forward, shape, False),
        (plan.adjoint, result_shape(case), True),
    ):
        x = values(seed, start, dtype)
        where = tuple(data.draw(st.integers(0, size - 1)) for size in start)
        x[where] = bad
        y = apply(x, axes=axes)
        expected = reached(plan, where, axes, y.shape, transposed)
        np.testing.assert_array_equal(~np.isfinite(y), expected)


@st.composite
def layouts(draw, ndim):
    """How an array lies in memory: order of its axes, steps, direction, spare room."""
    order = draw(st.permutations(range(ndim)))
    steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in range(ndim)]
    return order, steps, draw(st.booleans()), draw(st.booleans())


def lay_out(x, layout):
    """The same values as x, lying in memory as `layout` says."""
    order, steps, unaligned, read_only = layout
    room = [abs(steps[axis]) * x.shape[axis] for axis in order]
    if unaligned:
        raw = np.zeros(math.prod(room) * x.itemsize + 1, dtype="u1")
        memory = raw[1:].view(x.dtype).reshape(room)
    else:
        memory = np.zeros(room, dtype=x.dtype)
    memory[...] = np.nan  # what lies in between must not be read into a result
    view = memory.transpose(np.argsort(order))
    view = view[tuple(slice(None, None, abs(step)) for step in steps)]
    view = view[tuple(slice(None, None, int(math.copysign(1, step))) for step in steps)]
    view[...] = x
    view.flags.writeable = not read_only
    return view


@given(cases(), seeds, dtypes, st.data())
def test_every_layout_gives_the_bits_of_a_contiguous_copy(case, seed, dtype, data):
    _, shape, axes, _ = case
    plan = resampler(case)
    layout = data.draw(layouts(len(shape)))
    for apply, start in ((plan.forward, shape), (plan.adjoint, result_shape(case))):
        x = lay_out(values(seed, start, dtype), layout)
        before = x.tobytes()
        y = apply(x, axes=axes)
        assert x.tobytes() == before
        assert np.array_equal(y, apply(np.ascontiguousarray(x), axes=axes))


@given(cases(), seeds, dtypes)
def test_broadcast_and_byte_swapped_arrays(case, seed, dtype):
    _, shape, axes, _ = case
    plan = resampler(case)
    first = tuple(size if axis else 1 for axis, size in enumerate(shape))
    x = np.broadcast_to(values(seed, first, dtype), shape)
    plain = plan.forward(np.ascontiguousarray(x), axes=axes)
    scale = 1 + np.abs(plain).max()
    close = 100 * np.finfo(dtype).eps * scale
    assert np.abs(plan.forward(x, axes=axes) - plain).max() <= close
    swapped = x.astype(x.dtype.newbyteorder())
    assert np.abs(plan.forward(swapped, axes=axes) - plain).max() <= close


@given(cases(ranks=(1,)), seeds, dtypes, st.sampled_from(["forward", "adjoint"]))
def test_one_axis_has_one_order_of_addition(case, seed, dtype, direction):
    """Along or across, in the middle or at the end: the bits of one axis are always the same."""
    _, shape, axes, _ = case
    start = shape if direction == "forward" else result_shape(case)
    x = values(seed, start, dtype)
    apply = getattr(resampler(case), direction)
    expected = apply(np.ascontiguousarray(np.moveaxis(x, axes[0], -1)), axes=(-1,))
    found = apply(np.ascontiguousarray(np.moveaxis(x, axes[0], 0)), axes=(0,))
    assert same_bits(np.moveaxis(found, 0, -1).copy(), expected)


@given(cases(), seeds, dtypes, st.integers(2, 9), st.sampled_from(["forward", "adjoint"]))
def test_thread_counts_give_the_same_bits(case, seed, dtype, count, direction):
    _, shape, axes, _ = case
    start = shape if direction == "forward" else result_shape(case)
    x = values(seed, start, dtype)
    apply = getattr(resampler(case), direction)
    alone = apply(x, axes=axes, num_threads=1)
    with mock.patch.object(_threads, "GRAIN", 1):  # threads for the smallest of arrays
        assert same_bits(alone, apply(x, axes=axes, num_threads=count))


@given(cases(), seeds, dtypes)
def test_out_is_filled_and_returned(case, seed, dtype):
    _, shape, axes, outputs = case
    plan = resampler(case)
    kind = library(OPTIONS[case[0]])
    x, g = values(seed, shape, dtype), values(seed, result_shape(case), dtype)
    sizes = tuple(shape[axis] for axis in axes)
    for call, source, result in (
        (lambda x, out=None: plan.forward(x, axes=axes, out=out), x, g.shape),
        (lambda x, out=None: plan(x, axes=axes, out=out), x, g.shape),
        (lambda x, out=None: interpolate(x, outputs, axes=axes, out=out, **kind), x, g.shape),
        (lambda g, out=None: plan.adjoint(g, axes=axes, out=out), g, x.shape),
        (
            lambda g, out=None: interpolate_backward(g, sizes, axes=axes, out=out, **kind),
            g,
            x.shape,
        ),
    ):
        before = source.copy()
        out = np.full(result, np.nan, dtype=dtype)
        assert call(source, out=out) is out
        assert same_bits(out, call(source))
        assert same_bits(source, before)


@given(cases(), seeds, dtypes, st.data())
def test_out_may_lie_anyhow_in_memory(case, seed, dtype, data):
    _, shape, axes, _ = case
    layout = data.draw(layouts(len(shape)))
    plan = resampler(case)
    x = values(seed, shape, dtype)
    plain = plan.forward(x, axes=axes)
    order, steps, unaligned, _ = layout
    out = lay_out(np.zeros(result_shape(case), dtype), (order, steps, unaligned, False))
    assert plan.forward(x, axes=axes, out=out) is out
    close = 100 * np.finfo(dtype).eps * (1 + np.abs(plain).max())
    assert np.abs(out - plain).max() <= close


@given(cases(), seeds, st.sampled_from([["f4"], ["f8"], ["f4", "f8"]]), st.data())
def test_a_plan_remembers_nothing_of_earlier_calls(case, seed, dtypes, data):
    """Arrays and results of several layouts and types, one after the other, through one plan."""
    _, shape, axes, _ = case
    plan = resampler(case)
    inputs = st.sampled_from([None, None, data.draw(layouts(len(shape)))])
    outputs = st.sampled_from([None, data.draw(layouts(len(shape)))])
    for call in range(data.draw(st.integers(2, 6))):
        direction = data.draw(st.sampled_from(["forward", "forward", "adjoint"]))
        start, end = shape, result_shape(case)
        if direction == "adjoint":
            start, end = end, start
        dtype = data.draw(st.sampled_from(dtypes))
        x, out = values(seed + call, start, dtype), None
        layout = data.draw(inputs)
        if layout is not None:
            x = lay_out(x, layout)
        layout = data.draw(outputs)
        if layout is not None:
            order, steps, unaligned, _ = layout
            out = lay_out(np.zeros(end, dtype), (order, steps, unaligned, False))
        y = getattr(plan, direction)(x, axes=axes, out=out)
        fresh = getattr(resampler(case), direction)(x, axes=axes)
        if out is None:
            assert same_bits(y, fresh)
            assert y.strides == fresh.strides
            assert y.flags.owndata
        else:
            assert y is out
            allowed = 100 * np.finfo(dtype).eps * (1 + np.abs(fresh).max())
            assert np.abs(y - fresh).max() <= allowed


@pytest.mark.parametrize("direction", ["forward", "adjoint"])
def test_a_result_after_one_into_a_strided_array(direction):
    # What was written to before says nothing of the memory of a new result.
    plan = Resampler((4, 5), (8, 9), mode="linear")
    start, end = ((4, 5), (8, 9)) if direction == "forward" else ((8, 9), (4, 5))
    x = values(0, start)
    apply = getattr(plan, direction)
    expected = apply(x)
    for out in (
        np.zeros(end, order="F"),
        np.zeros(end)[::-1, ::-1],
        np.zeros((2 * end[0], 3 * end[1]))[::2, ::3],
    ):
        again = Resampler((4, 5), (8, 9), mode="linear")
        apply = getattr(again, direction)
        assert apply(x, out=out) is out
        found = apply(x)
        assert found.flags.c_contiguous
        assert same_bits(found, expected)
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)


def test_lists_of_axes_may_change_between_calls():
    plan = Resampler((4, 4), (8, 9), mode="linear")
    x = values(0, (4, 4))
    axes = [0, 1]
    assert plan.forward(x, axes=axes).shape == (8, 9)
    axes.reverse()
    assert plan.forward(x, axes=axes).shape == (9, 8)
    assert same_bits(plan.forward(x, axes=axes), plan.forward(x, axes=(1, 0)))


# Rows that lie one behind the other in memory, long enough to be worked on as one.
STACKS = [(64, 128), (96, 144), (128, 64), (60, 180), (64, 16), (90, 120), (101, 257)]
STACK_KINDS = ["nearest", "linear", "linear-antialias", "cubic", "lanczos3", "area", "box"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("size", [(2, 2), (6, 14), (30, 34), (64, 130), (130, 600)])
def test_halving_both_axes_is_halving_one_after_the_other(size, channels, dtype, rng):
    """To the bit, also where a product overflows or loses bits: pairs of pairs have a kernel."""
    a, b = size
    x = rng.standard_normal((3, a, b, channels)).astype(dtype)
    parts = x.view(x.real.dtype).reshape(-1)
    info = np.finfo(parts.dtype)
    special = [np.nan, np.inf, info.max, info.max, -info.max, info.smallest_subnormal]
    parts[rng.integers(0, parts.size, 6)] = special
    with np.errstate(all="ignore"):
        rows = interpolate(x, a // 2, axes=1, mode="box")
        expected = interpolate(rows, b // 2, axes=2, mode="box")
        for y in (x, np.asfortranarray(x), np.repeat(x, 2, axis=2)[:, :, ::2]):
            np.testing.assert_array_equal(
                interpolate(y, (a // 2, b // 2), axes=(1, 2), mode="box"), expected
            )
        rows = interpolate_backward(x, a // 2, axes=1)
        expected = interpolate_backward(rows, b // 2, axes=2)
        np.testing.assert_array_equal(
            interpolate_backward(x, (a // 2, b // 2), axes=(1, 2)), expected
        )


@pytest.mark.parametrize("kind", STACK_KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_of_a_stack_do_not_know_of_each_other(kind, dtype, bad):
    for n, m in STACKS:
        plan = Resampler((n,), (m,), **OPTIONS[kind])
        weights = plan.matrix(0).toarray()
        for apply, size, used in (
            (plan.forward, n, weights.any(axis=1)),
            (plan.adjoint, m, weights.any(axis=0)),
        ):
            for rows in (2, 7, 40):
                x = values(n, (rows, size), dtype)
                y = apply(x)
                assert same_bits(y, np.stack([apply(row) for row in x]))
                # Neighbours of a row full of NaN are what they were.
                x[1] = bad
                spoilt = apply(x)
                keep = np.arange(rows) != 1
                assert same_bits(spoilt[keep], y[keep])
                np.testing.assert_array_equal(np.isfinite(spoilt[1]), ~used)
                # And in two dimensions, images that lie one behind the other.
                image = np.stack([x, x])[:, None]
                assert same_bits(apply(image)[1, 0], spoilt)


@given(st.sampled_from(COPYING_MODES), st.integers(1, 300), st.integers(1, 300))
def test_nearest_indices_are_integers(mode, n, m):
    i = np.arange(m)
    exact = i * n // m if mode == "nearest" else (2 * i + 1) * n // (2 * m)
    assert interpolate(np.arange(n), size=m, mode=mode).tolist() == exact.tolist()


@given(cases(), seeds)
def test_zero_length_batches(case, seed):
    kind, shape, axes, outputs = case
    assume(len(axes) < len(shape))
    batch = next(axis for axis in range(len(shape)) if axis not in axes)
    empty = tuple(0 if axis == batch else size for axis, size in enumerate(shape))
    y = interpolate(np.zeros(empty), size=outputs, axes=axes, **library(OPTIONS[kind]))
    expected = list(result_shape(case))
    expected[batch] = 0
    assert y.shape == tuple(expected)
    sizes = tuple(shape[axis] for axis in axes)
    assert interpolate_backward(y, sizes, axes=axes, **library(OPTIONS[kind])).shape == empty


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_zero_weight_makes_no_nan(bad):
    # At whole coordinates all other weights of these are zero.
    x = np.array([bad, 1.0, 2.0, bad, 3.0, bad])
    for mode in ("linear", "cubic", "lanczos3", "hamming", "catmull-rom"):
        y = interpolate(x, size=11, mode=mode, align_corners=True)
        np.testing.assert_array_equal(y[::2], x)
