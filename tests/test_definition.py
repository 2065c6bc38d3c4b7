"""Every mode, forward and adjoint, is the dense matrix of `definition`."""

import itertools

import numpy as np
import pytest

import upsample
from definition import (
    OPTIONS,
    apply,
    apply_adjoint,
    assert_close,
    bound,
    matrix_of,
    output_size,
    sparse_matrix_of,
)
from helpers import library, sample
from upsample import interpolate, interpolate_backward

SIZES = [
    (1, 1), (1, 5), (2, 1), (7, 1),  # axes of length 1
    (2, 2), (8, 8),  # unchanged
    (2, 4), (3, 6), (4, 12), (5, 25),  # integer, enlarging
    (8, 4), (9, 3), (25, 5),  # integer, shrinking
    (2, 3), (6, 9), (12, 16), (9, 15),  # rational, enlarging
    (3, 2), (16, 12), (15, 9), (40, 6),  # rational, shrinking
    (3, 7), (11, 13), (6, 37), (23, 31),  # primes, enlarging
    (7, 3), (13, 11), (37, 6), (31, 23),  # primes, shrinking
    (26, 44), (30, 22), (26, 22),  # where float32 or float64 ratios pick wrong samples
]  # fmt: skip
SCALES = [
    (n, f)
    for n in (1, 5, 16)
    for f in (0.3, 0.5, 2 / 3, 1.0, 1.05, 1.3, 1.5, 2.05, 3.7)
    if output_size(n, f) >= 1
]  # fmt: skip


def check(x, g, sizes, outputs, axes, options, scale=None, given_scale=None):
    """Forward on x and adjoint on g, against the definition.

    `scale` is what the library is given instead of sizes; `given_scale` what the ratio
    is to be, None where it is to come from the sizes.
    """
    matrices = [
        matrix_of(n, m, options, scale=f)
        for n, m, f in zip(sizes, outputs, given_scale or [None] * len(sizes), strict=True)
    ]
    what = f"{sizes} -> {outputs} axes {axes} {scale=} {options} {x.dtype}"
    how = {"axes": axes, **library(options)}
    if scale is None:
        y = interpolate(x, size=outputs, **how)
    else:
        y = interpolate(x, scale_factor=scale, **how)
    assert_close(y, x, matrices, axes, f"forward {what}")
    back = interpolate_backward(g, sizes, scale_factor=scale, **how)
    assert_close(back, g, [w.T for w in matrices], axes, f"adjoint {what}")


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_one_axis(options, rng):
    for number, (n, m) in enumerate(SIZES):
        check(sample(rng, (2, n, 3)), sample(rng, (2, m, 3)), (n,), (m,), (1,), options)
        if number % 2:
            check(sample(rng, n), sample(rng, m), (n,), (m,), (0,), options)
        else:
            x, g = sample(rng, (3, n), "f4"), sample(rng, (3, m), "f4")
            check(x, g, (n,), (m,), (-1,), options)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_given_scale_factor(options, rng):
    for number, (n, f) in enumerate(SCALES):
        m = output_size(n, f)
        if number % 2:
            x, g = sample(rng, (2, n, 3)), sample(rng, (2, m, 3))
            check(x, g, (n,), (m,), (1,), options, scale=(f,), given_scale=(f,))
        else:
            x, g = sample(rng, (2, n), "f4"), sample(rng, (2, m), "f4")
            check(x, g, (n,), (m,), (1,), options, scale=f, given_scale=(f,))


@pytest.mark.parametrize(
    "mode", ["nearest", "nearest-exact", "linear", "cubic", "lanczos3", "box", "area"]
)
def test_recomputed_scale_factor(mode, rng):
    for n, f in SCALES:
        m = output_size(n, f)
        options = {"mode": mode}
        matrices = [matrix_of(n, m, options)]
        x, g = sample(rng, (2, n)), sample(rng, (2, m))
        how = {"scale_factor": f, "recompute_scale_factor": True, "axes": (1,), **options}
        assert_close(interpolate(x, **how), x, matrices, (1,), f"forward {n} x {f} {mode}")
        back = interpolate_backward(g, (n,), **how)
        assert_close(back, g, [matrices[0].T], (1,), f"adjoint {n} x {f} {mode}")
        # The factor is of no account then, and the backward need not be given it.
        how.pop("scale_factor")
        assert np.array_equal(interpolate_backward(g, (n,), **how), back)


def test_a_factor_acts_on_an_axis_that_keeps_its_length(rng):
    # 1.1 · 5 = 5.5: five samples again, at other places, in both directions.
    for mode in ("linear", "cubic", "nearest", "box"):
        check(
            sample(rng, (5, 6)), sample(rng, (5, 6)), (5, 6), (5, 6), (0, 1), {"mode": mode},
            scale=(1.1, 1.1), given_scale=(1.1, 1.1),
        )  # fmt: skip
        x = np.arange(5.0) ** 2
        assert not np.array_equal(interpolate(x, scale_factor=1.1, mode=mode), x)


# A few options that between them take every kind of table.
KINDS = [
    "nearest",
    "nearest-exact",
    "area",
    "box",
    "linear",
    "linear-antialias",
    "linear-align_corners",
    "cubic",
    "cubic-antialias",
    "cubic-reflect",
    "lanczos3",
    "lanczos5-mirror-antialias",
    "mitchell-zero",
    "spline2-edge",
]

SEVERAL_AXES = [
    # shape of x, axes, output sizes of these axes
    ((5, 7), (0, 1), (9, 4)),
    ((5, 7), (1, 0), (4, 9)),  # sizes follow the order of axes
    ((6, 6), (0, 1), (12, 12)),
    ((1, 9), (0, 1), (4, 1)),
    ((2, 3, 5, 4), (2, 3), (8, 9)),  # channels first
    ((2, 5, 4, 3), (1, 2), (8, 9)),  # channels last
    ((5, 3, 4), (0, 2), (3, 7)),  # an untouched axis in between
    ((5, 3, 4), (-3, -1), (10, 2)),
    ((4, 2, 3, 3, 2), (3, 0), (5, 6)),
    ((4, 5, 6), (0, 1, 2), (7, 5, 3)),
    ((2, 3, 4, 5), (1, 2, 3), (6, 8, 10)),
    ((3, 4, 2, 5), (3, 0, 1), (7, 2, 4)),
    ((3, 4, 5, 6), (0, 1, 2, 3), (5, 2, 10, 4)),
    ((2, 3, 4, 3, 2), (0, 1, 3, 4), (3, 4, 2, 5)),  # four around an untouched one
    ((1, 2, 3, 2, 2, 3), (1, 2, 3, 4, 5), (3, 2, 4, 3, 2)),  # five
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_several_axes(kind, dtype, rng):
    for shape, axes, outputs in SEVERAL_AXES:
        sizes = tuple(shape[axis] for axis in axes)
        result = list(shape)
        for axis, m in zip(axes, outputs, strict=True):
            result[axis] = m
        x, g = sample(rng, shape, dtype), sample(rng, result, dtype)
        check(x, g, sizes, outputs, axes, OPTIONS[kind])


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("kind", KINDS)
def test_complex(kind, dtype, rng):
    for shape, axes, outputs in SEVERAL_AXES[::3]:
        sizes = tuple(shape[axis] for axis in axes)
        result = list(shape)
        for axis, m in zip(axes, outputs, strict=True):
            result[axis] = m
        x, g = sample(rng, shape, dtype), sample(rng, result, dtype)
        check(x, g, sizes, outputs, axes, OPTIONS[kind])


@pytest.mark.parametrize(
    ("name", "rank"), [("bilinear", 2), ("trilinear", 3), ("bicubic", 2), ("tricubic", 3)]
)
def test_names_with_a_rank(name, rank, rng):
    sizes, outputs, axes = (3, 4, 5)[:rank], (7, 3, 10)[:rank], (1, 2, 3)[:rank]
    x, g = sample(rng, (2, *sizes)), sample(rng, (2, *outputs))
    for extra in ({}, {"align_corners": True}, {"antialias": True}, {"border": "mirror"}):
        check(x, g, sizes, outputs, axes, {"mode": name, **extra})


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "cubic-antialias", "box"])
def test_unequal_scale_factors(mode, rng):
    x, g = sample(rng, (2, 10, 7)), sample(rng, (2, 23, 4))
    factors = (2.3, 0.6)
    check(x, g, (10, 7), (23, 4), (1, 2), OPTIONS[mode], scale=factors, given_scale=factors)


# Long axes and awkward numbers of rows: blocks, vectors and what is left over after them.
LONG_KINDS = [
    "nearest",
    "nearest-exact",
    "linear",
    "linear-antialias",
    "cubic",
    "cubic-antialias",
    "lanczos5-reflect",
    "area",
    "box",
]
LONG = [
    (37, 74), (64, 128), (512, 1024), (64, 192), (33, 165), (20, 320),  # 1:2 … 1:16
    (128, 64), (1000, 500), (300, 100), (257, 64),  # shrinking
    (120, 160), (160, 120), (200, 250),  # 3:4, 4:3, 4:5
    (100, 129), (512, 257), (333, 1000),  # no short period
]  # fmt: skip
INNER = (1, 2, 3, 4, 5, 8, 16, 24, 33, 513)
ROWS = (1, 3, 8, 17, 40)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("kind", LONG_KINDS)
def test_long_axes(kind, dtype, rng):
    options = OPTIONS[kind]
    how = library(options)
    for n, m in LONG:
        w = matrix_of(n, m, options)
        for direction, table, size in (("forward", w, n), ("adjoint", w.T, m)):
            x = sample(rng, (size, max(INNER if n * m < 2**13 else ROWS)), dtype)
            expected, allowed = apply(x, [table], [0]), bound(x, [table], [0])

            def run(x, axis, n=n, m=m, direction=direction):
                if direction == "forward":
                    return interpolate(x, size=(m,), axes=(axis,), **how)
                return interpolate_backward(x, (n,), axes=(axis,), **how)

            def compare(y, expected, allowed, what, n=n, m=m, direction=direction):
                assert y.shape == expected.shape
                assert y.dtype == dtype
                wrong = ~(np.abs(y - expected) <= allowed)
                assert not wrong.any(), (
                    f"{direction} {kind} {n} -> {m} {dtype} {what}: {int(wrong.sum())} of "
                    f"{wrong.size} wrong, first at {np.argwhere(wrong)[0]}"
                )

            for inner in INNER:
                if inner > x.shape[1]:
                    continue
                y = run(np.ascontiguousarray(x[:, :inner]), 0)
                compare(y, expected[:, :inner], allowed[:, :inner], f"across, inner {inner}")
            for rows in ROWS:
                y = run(np.ascontiguousarray(x[:, :rows].T), 1)
                compare(y, expected[:, :rows].T, allowed[:, :rows].T, f"along, {rows} rows")
            # outer and inner both larger than 1
            y = run(np.ascontiguousarray(x[:, :15].reshape(size, 3, 5).swapaxes(0, 1)), 1)
            both = [a[:, :15].reshape(-1, 3, 5).swapaxes(0, 1) for a in (expected, allowed)]
            compare(y, *both, "across, outer 3, inner 5")


IMAGES = [
    ((300, 401), (611, 577)),
    ((300, 401), (97, 53)),
    ((128, 192), (256, 384)),  # 1:2 and 1:2
    ((64, 192), (128, 192)),  # one axis as it is
    ((120, 160), (90, 120)),  # 4:3
    ((90, 200), (360, 100)),  # 1:4 and 2:1
    ((300, 400), (37, 40)),  # far between: most rows are not read at all
]


@pytest.mark.parametrize("kind", ["nearest", "linear", "cubic", "lanczos3-antialias"])
@pytest.mark.parametrize("layout", ["one image", "channels first", "channels last"])
def test_images(kind, layout, rng):
    options = OPTIONS[kind]
    for (h, w), (hh, ww) in IMAGES:
        matrices = [matrix_of(h, hh, options), matrix_of(w, ww, options)]
        axes = {"one image": (0, 1), "channels first": (1, 2), "channels last": (0, 1)}[layout]
        shape, result = {
            "one image": ((h, w), (hh, ww)),
            "channels first": ((2, h, w), (2, hh, ww)),
            "channels last": ((h, w, 3), (hh, ww, 3)),
        }[layout]
        how = {"axes": axes, "num_threads": 2, **options}
        x, g = sample(rng, shape, "f4"), sample(rng, result, "f4")
        y = interpolate(x, size=(hh, ww), **how)
        assert_close(y, x, matrices, axes, f"forward {kind} {shape} -> {result}")
        back = interpolate_backward(g, (h, w), **how)
        transposed = [table.T for table in matrices]
        assert_close(back, g, transposed, axes, f"adjoint {kind} {shape} <- {result}")


def close(actual, x, first, second):
    """`actual` is first · x · secondᵀ, with sparse matrices, up to rounding."""
    expected = second @ (first @ x.astype("f8")).T
    reached = abs(second) @ (abs(first) @ np.abs(x.astype("f8"))).T
    slack = 1e-12 if x.dtype == "f8" else 8 * np.finfo("f4").eps
    assert actual.shape == expected.T.shape
    assert actual.dtype == x.dtype
    assert (np.abs(actual - expected.T) <= slack * reached.T + 1e-15).all()


LONGER = [(3000, 6000), (4500, 3000), (4000, 1000), (3001, 4807), (1000, 5000)]


@pytest.mark.parametrize("kind", ["nearest-exact", "linear", "lanczos5-reflect"])
def test_axes_longer_than_any_block(kind, rng):
    options = OPTIONS[kind]
    one, nine = (sparse_matrix_of(k, k, OPTIONS["nearest"]) for k in (1, 9))
    for n, m in [*LONGER, (9000, 18000), (40000, 20000)][: 7 if kind == "linear" else 5]:
        w = sparse_matrix_of(n, m, options)
        for dtype in ("f4", "f8"):
            for rows in (one, nine):
                x, g = (sample(rng, (rows.shape[0], size), dtype) for size in (n, m))
                close(interpolate(x, size=(m,), **options), x, rows, w)
                close(interpolate_backward(g, (n,), **options), g, rows, w.T)
            # three colours behind the axis
            x, g = sample(rng, (n, 3), dtype), sample(rng, (m, 3), dtype)
            y = interpolate(x, size=(m,), axes=0, **options)
            back = interpolate_backward(g, (n,), axes=0, **options)
            for colour in range(3):
                close(y[:, colour][None], x[:, colour][None], one, w)
                close(back[:, colour][None], g[:, colour][None], one, w.T)


@pytest.mark.parametrize("kind", ["nearest-exact", "linear", "lanczos5-reflect"])
def test_images_wider_than_any_block(kind, rng):
    for (h, w), (hh, ww) in [
        ((6, 3001), (13, 6002)),
        ((40, 6000), (11, 4000)),
        ((9, 3003), (20, 7009)),
        ((5, 9001), (15, 9001)),  # across alone
        ((36, 9001), (12, 9001)),
    ]:
        first = sparse_matrix_of(h, hh, OPTIONS[kind])
        second = sparse_matrix_of(w, ww, OPTIONS[kind] if w != ww else OPTIONS["nearest"])
        axes = (0, 1) if w != ww else (0,)
        outputs, sizes = (hh, ww)[: len(axes)], (h, w)[: len(axes)]
        for dtype, threads in (("f4", 1), ("f8", 2)):
            x, g = sample(rng, (h, w), dtype), sample(rng, (hh, ww), dtype)
            how = {"axes": axes, "num_threads": threads, **OPTIONS[kind]}
            close(interpolate(x, size=outputs, **how), x, first, second)
            close(interpolate_backward(g, sizes, **how), g, first.T, second.T)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "c16", "S3", "S5", "i4,f8"])
def test_nearest_modes_copy_long_rows(mode, dtype, rng):
    for n, m in [(64, 128), (257, 512), (512, 257), (100, 400), (7000, 14000), (9000, 3001)]:
        index = np.array([*range(m)]) * n // m
        if mode == "nearest-exact":
            index = (2 * np.arange(m) + 1) * n // (2 * m)
        for rows in (1, 3, 17):
            raw = rng.integers(0, 256, (n, rows, np.dtype(dtype).itemsize), dtype="u1")
            x = raw.view(dtype).reshape(n, rows)
            y = interpolate(x, size=(m,), axes=0, mode=mode)
            assert y.tobytes() == np.ascontiguousarray(x[index]).tobytes()
            across = np.ascontiguousarray(x.T)
            y = interpolate(across, size=(m,), axes=1, mode=mode)
            assert y.tobytes() == np.ascontiguousarray(across[:, index]).tobytes()


def test_volume(rng):
    shape, result = (2, 17, 20, 31), (2, 30, 40, 21)
    for kind in ("linear", "cubic", "area", "nearest"):
        matrices = [
            matrix_of(n, m, OPTIONS[kind]) for n, m in zip(shape[1:], result[1:], strict=True)
        ]
        for dtype in ("f4", "f8"):
            x, g = sample(rng, shape, dtype), sample(rng, result, dtype)
            y = interpolate(x, size=result[1:], **OPTIONS[kind])
            assert_close(y, x, matrices, (1, 2, 3), f"forward {kind}")
            back = interpolate_backward(g, shape[1:], **OPTIONS[kind])
            assert_close(back, g, [w.T for w in matrices], (1, 2, 3), f"adjoint {kind}")


@pytest.mark.parametrize("kind", OPTIONS)
def test_which_samples_count_is_exact(kind):
    """Weights are zero exactly where the definition has no weight, and nowhere else."""
    options = OPTIONS[kind]
    for n, m in [*SIZES[::2], (30, 22), (12, 4)]:
        w = upsample.Resampler((n,), (m,), **library(options)).matrix(0).toarray()
        expected = matrix_of(n, m, options)
        # A weight that only rounding keeps from zero: sums of folded weights that cancel.
        certain = (expected == 0) | (np.abs(expected) > 1e-15)
        differ = ((w != 0) != (expected != 0)) & certain
        assert not differ.any(), f"{kind} {n} -> {m}: {np.argwhere(differ)[:3].tolist()}"


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u4", "i8", "u8", "M8[s]", "S5", "U2", "i4,f8", "O"]
)
def test_nearest_modes_copy_any_type(mode, dtype, rng):
    x = (rng.integers(0, 2**62, size=(5, 6)) * 3 + 1).astype("u8")
    if dtype == "M8[s]":
        x = x.astype("i8").astype(dtype)
    elif dtype == "i4,f8":
        x = np.array([[(int(v) % 1000, v / 7) for v in row] for row in x], dtype=dtype)
    else:
        x = x.astype(dtype)
    for (h, w), (hh, ww) in itertools.product([(5, 6)], [(7, 13), (10, 12), (3, 2)]):
        y = interpolate(x, size=(hh, ww), mode=mode)
        rows = matrix_of(h, hh, {"mode": mode}).argmax(axis=1)
        columns = matrix_of(w, ww, {"mode": mode}).argmax(axis=1)
        assert y.dtype == x.dtype
        assert y.tolist() == x[np.ix_(rows, columns)].tolist()


def test_nearest_copies_integers_beyond_float64(rng):
    x = np.array([2**63 - 1, -(2**63), 2**53 + 1], dtype="i8")
    assert interpolate(x, size=6, mode="nearest").tolist() == np.repeat(x, 2).tolist()


@pytest.mark.parametrize("kind", ["linear", "cubic", "nearest", "nearest-exact", "area", "box"])
def test_a_long_ramp_stays_a_ramp(kind):
    # Coordinates in single precision are wrong by whole percents of a sample here.
    n = 2**18
    x = np.arange(n, dtype=np.float64)
    # Of the cubic kernels only a = -½ reproduces lines.
    y = interpolate(x, size=2 * n, mode=kind, cubic_coeff=-0.5 if kind == "cubic" else None)
    i = np.arange(2 * n)
    expected = (i + 0.5) / 2 - 0.5 if kind in ("linear", "cubic") else i // 2
    assert np.abs(y - expected)[16:-16].max() <= 1e-9


def test_adjoint_of_the_definition_itself(rng):
    """The yardstick is straight: its two directions are adjoint."""
    options = OPTIONS["cubic-reflect"]
    matrices = [matrix_of(5, 8, options), matrix_of(7, 4, options)]
    x, g = sample(rng, (5, 2, 7)), sample(rng, (8, 2, 4))
    left = np.vdot(apply(x, matrices, (0, 2)), g)
    assert left == pytest.approx(np.vdot(x, apply_adjoint(g, matrices, (0, 2))), rel=1e-13)
