"""The same answers as torch.nn.functional.interpolate, forward and gradient, at random.

The configurations are drawn with a fixed seed.  Where torch is known to be wrong, it is not
asked: each of its defects has a predicate below, which says for a configuration whether the
forward or the gradient of torch is spoiled.  The other direction is still compared, and on
every configuration that a defect touches our own pair must pass the dot test.

The predicates need no torch.  They repeat torch's index arithmetic (2.13, CPU) as measured,
so that they are true where an index really comes out wrong, and nowhere else.
"""

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import upsample

EPS32 = float(np.finfo(np.float32).eps)
SEED = 20260801

# torch's names by rank.  A star means antialias=True.
KINDS = {
    1: ("nearest", "nearest-exact", "area", "linear"),
    2: (
        "nearest",
        "nearest-exact",
        "area",
        "bilinear",
        "bicubic",
        "bilinear*",
        "bicubic*",
        "lanczos*",
    ),
    3: ("nearest", "nearest-exact", "area", "trilinear"),
}
LINEAR = ("linear", "bilinear", "trilinear")
OUR_NAMES = {"lanczos": "lanczos3"}


@dataclass(frozen=True)
class Config:
    """One call of interpolate, in torch's words."""

    mode: str
    shape: tuple  # batch, channels, sizes
    size: tuple | None = None
    scale_factor: tuple | None = None
    recompute: bool | None = None
    align_corners: bool | None = None
    antialias: bool = False
    channels_last: bool = False

    @property
    def sizes(self):
        return self.shape[2:]

    @property
    def rank(self):
        return len(self.sizes)

    @property
    def result_sizes(self):
        if self.size is not None:
            return self.size
        return tuple(math.floor(n * f) for n, f in zip(self.sizes, self.scale_factor, strict=True))

    @property
    def factors(self):
        """The factors that decide the ratios, or None for each axis whose sizes do."""
        if self.size is not None or self.recompute or self.align_corners or self.mode == "area":
            return (None,) * self.rank
        return self.scale_factor

    @property
    def axes(self):
        """(input size, output size, deciding factor) of each resampled axis."""
        return tuple(zip(self.sizes, self.result_sizes, self.factors, strict=True))

    @property
    def peer_arguments(self):
        return {
            "size": self.size,
            "scale_factor": self.scale_factor,
            "mode": self.mode,
            "align_corners": self.align_corners,
            "recompute_scale_factor": self.recompute,
            "antialias": self.antialias,
        }

    @property
    def our_arguments(self):
        return self.peer_arguments | {"mode": OUR_NAMES.get(self.mode, self.mode)}

    @property
    def our_backward_arguments(self):
        arguments = self.our_arguments
        del arguments["size"]
        return arguments

    def __str__(self):
        parts = [self.mode, "x".join(map(str, self.shape))]
        if self.size is not None:
            parts.append("to" + "x".join(map(str, self.size)))
        else:
            parts.append("by" + "x".join(f"{f:.4g}" for f in self.scale_factor))
        parts += [f"recompute={self.recompute}"] if self.recompute is not None else []
        parts += [f"corners={self.align_corners}"] if self.align_corners is not None else []
        parts += ["antialias"] if self.antialias else []
        parts += ["channels_last"] if self.channels_last else []
        return "-".join(parts)


# ------------------------------------------------------------- nearest indices, ours and torch's


def exact_indices(mode, n, m, factor):
    """The definition: integers where sizes give the ratio, else a float64 product."""
    centred = mode == "nearest-exact"
    i = np.arange(m)
    if factor is None:
        index = (2 * i + 1) * n // (2 * m) if centred else i * n // m
    else:
        index = np.floor((i + 0.5 if centred else i) * (1 / factor)).astype(np.int64)
    return np.minimum(index, n - 1)


def torch_ratio(n, m, factor, dtype):
    return dtype(n) / dtype(m) if factor is None else dtype(1 / factor)


def torch_indices_old(mode, n, m, factor, dtype):
    """Gradients of every rank, and the forward of 2-D results that are small or channels last:
    the ratio is float32, and `nearest` copies or doubles by the lengths alone."""
    i = np.arange(m)
    ratio = torch_ratio(n, m, factor, np.float32)
    if mode == "nearest-exact":
        position = ((i + 0.5) * np.float64(ratio)).astype(np.float32)
    elif m == n:
        return i
    elif m == 2 * n:
        return i >> 1
    else:
        position = i.astype(np.float32) * ratio
    return np.minimum(np.floor(position).astype(np.int64), n - 1)


def torch_indices_new(mode, n, m, factor, dtype):
    """Every other forward: the ratio is of the array's type, the floor is taken in float32."""
    i = np.arange(m).astype(dtype)
    ratio = torch_ratio(n, m, factor, dtype)
    if mode == "nearest-exact":
        position = np.maximum(ratio * (i + dtype(0.5)) - dtype(0.5), dtype(0))
        position = (position.astype(np.float64) + 0.5).astype(np.float32)
    else:
        position = (ratio * i).astype(np.float32)
    return np.minimum(np.floor(position).astype(np.int64), n - 1)


def forward_is_old(config):
    if config.rank == 2 and sum(config.result_sizes) <= 128:
        return True
    return config.rank > 1 and config.channels_last and config.shape[1] > 3


def wrong_indices(mode, axes, indices, dtype):
    return any(
        not np.array_equal(indices(mode, *axis, dtype), exact_indices(mode, *axis)) for axis in axes
    )


def shortcut_axes(config):
    """Axes on which `nearest` goes by i or i >> 1 although the factor is not 1 or 2."""
    return [
        (n, m, factor)
        for n, m, factor in config.axes
        if config.mode == "nearest" and factor is not None and m in (n, 2 * n) and factor * n != m
    ]


def kept_axes(config):
    """Axes that keep their length and have a factor that is not 1; one sample stays itself."""
    return [
        (n, m, factor)
        for n, m, factor in config.axes
        if n == m and n > 1 and factor not in (None, 1)
    ]


# ------------------------------------------------------------- the defects, one predicate each
#
# Each returns the directions, of "forward" and "gradient", in which torch is not to be asked.

NOTHING = frozenset()


def t1_nearest_shortcut(config, dtype):
    """`nearest`, a given factor near 1 or 2 (2.05): the gradient goes by i or i >> 1, not by
    floor(i / factor); so does the forward of 2-D results that are small or channels last."""
    if not wrong_indices(config.mode, shortcut_axes(config), torch_indices_old, dtype):
        return NOTHING
    return {"forward", "gradient"} if forward_is_old(config) else {"gradient"}


def t2_exact_tie_in_float32(config, dtype):
    """`nearest-exact` on ties: the forward reads in float64, the gradient writes in float32."""
    if config.mode != "nearest-exact" or forward_is_old(config) or dtype != np.float64:
        return NOTHING
    wrong = wrong_indices(config.mode, config.axes, torch_indices_old, dtype)
    return {"gradient"} if wrong else NOTHING


def t3_bicubic_same_lengths(config, dtype):
    """bicubic, every length kept, a factor that is not 1: resampled forward, copied backward."""
    spoiled = (
        config.mode == "bicubic"
        and not config.antialias
        and config.sizes == config.result_sizes
        and kept_axes(config)
    )
    return {"gradient"} if spoiled else NOTHING


def t4_antialias_same_length(config, dtype):
    """antialias, a length kept, its factor not 1: the forward leaves that axis alone, the
    gradient does not."""
    return {"forward"} if config.antialias and kept_axes(config) else NOTHING


def t5_floor_in_float32(config, dtype):
    """linear and bicubic on long axes: the sample is chosen in float32, in float64 arrays too,
    and the fraction is then clamped."""
    if config.antialias or config.mode not in (*LINEAR, "bicubic") or dtype != np.float64:
        return NOTHING
    for n, m, factor in config.axes:
        i = np.arange(m)
        if config.align_corners:
            s = i * ((n - 1) / (m - 1) if m > 1 else 0.0)
        else:
            s = (i + 0.5) * (n / m if factor is None else 1 / factor) - 0.5
        rounded = s.astype(np.float32)
        # A floor that differs by less than this is a rounding of the product, not a fault.
        apart = np.abs(s - np.round(s)) > 1e-13 * n
        if np.any((np.floor(rounded) != np.floor(s)) & apart):
            return {"forward", "gradient"}
    return NOTHING


def t6_nearest_in_float32(config, dtype):
    """The nearest modes otherwise: indices in float32 are wrong on long axes and, in 2-D or in
    float32 arrays, on some short ones (26 -> 22) and at ties."""
    if config.mode not in ("nearest", "nearest-exact"):
        return NOTHING
    axes = [axis for axis in config.axes if axis not in shortcut_axes(config)]
    spoiled = set()
    forward = torch_indices_old if forward_is_old(config) else torch_indices_new
    if wrong_indices(config.mode, axes, forward, dtype):
        spoiled.add("forward")
    if wrong_indices(config.mode, axes, torch_indices_old, dtype):
        spoiled.add("gradient")
    return spoiled - t2_exact_tie_in_float32(config, dtype)


def t7_antialias_aligned_corners(config, dtype):
    """antialias with aligned corners: the ratio of the corners, the centres of the samples.
    Here it is an error, so it is never drawn; see test_antialias_with_aligned_corners."""
    return {"forward", "gradient"} if config.antialias and config.align_corners else NOTHING


def t8_antialias_one_column(config, dtype):
    """antialias, a result one sample wide and of another height: every row comes out as the
    first one.  The gradient is right, and so are several channels in channels-last order."""
    if not config.antialias or (config.channels_last and config.shape[1] > 1):
        return NOTHING
    (n, m, _), (_, width, _) = config.axes
    return {"forward"} if width == 1 and m > 1 and n not in (1, m) else NOTHING


def copied_by_convention(config, dtype):
    """Not a defect but a difference: the linear modes copy an axis whose length is kept, in
    both directions, whatever its factor.  Here the factor given is the factor used."""
    spoiled = config.mode in LINEAR and not config.antialias and kept_axes(config)
    return {"forward", "gradient"} if spoiled else NOTHING


PREDICATES = (
    t1_nearest_shortcut,
    t2_exact_tie_in_float32,
    t3_bicubic_same_lengths,
    t4_antialias_same_length,
    t5_floor_in_float32,
    t6_nearest_in_float32,
    t7_antialias_aligned_corners,
    t8_antialias_one_column,
    copied_by_convention,
)


@cache
def spoiled_directions(config, dtype=np.float64):
    return frozenset().union(*(predicate(config, dtype) for predicate in PREDICATES))


# ------------------------------------------------------------- the configurations


def draw(random_, kind, rank):
    mode, antialias = kind.removesuffix("*"), kind.endswith("*")
    longest = {1: 60, 2: 24, 3: 9}[rank]
    if rank == 2 and random_.random() < 0.15:
        longest = 90  # results on the far side of torch's small 2-D path
    channels = random_.choice((1, 2, 3, 5))
    sizes = tuple(random_.randint(1, longest) for _ in range(rank))
    form = random_.choice(("size", "size", "scale", "scale", "recompute"))
    size = scale_factor = None
    if form == "size":
        size = tuple(
            n if random_.random() < 0.1 else random_.randint(1, longest + longest // 2)
            for n in sizes
        )
    else:

        def factor(n):
            f = random_.choice((0.5, 1.0, 1.1, 1.5, 2.0, 2.05, 3.0, random_.uniform(0.15, 3)))
            return max(f, 1 / n)

        scale_factor = tuple(factor(n) for n in sizes)
        if any(math.floor(n * f) < 1 for n, f in zip(sizes, scale_factor, strict=True)):
            scale_factor = tuple(1.5 for _ in sizes)
        if random_.random() < 0.3:
            scale_factor = (max(scale_factor),) * rank
    align_corners = None
    if not antialias and mode in (*LINEAR, "bicubic"):
        align_corners = random_.choice((None, False, True))
    return Config(
        mode=mode,
        shape=(random_.choice((1, 2)), channels, *sizes),
        size=size,
        scale_factor=scale_factor,
        recompute=True if form == "recompute" else random_.choice((None, None, False)),
        align_corners=align_corners,
        antialias=antialias,
        channels_last=rank > 1 and random_.random() < 0.25,
    )


def draw_all():
    random_ = random.Random(SEED)
    kinds = [(kind, rank) for rank, names in KINDS.items() for kind in names]
    return [draw(random_, kind, rank) for _ in range(36) for kind, rank in kinds]


CONFIGS = draw_all()


def configurations(direction, dtype):
    """Those in which `direction` of torch can be trusted, as a parametrisation."""
    chosen = [
        pytest.param(config, id=f"{number:03d}-{config}")
        for number, config in enumerate(CONFIGS)
        if direction not in spoiled_directions(config, dtype)
    ]
    return pytest.mark.parametrize("config", chosen)


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(threads)


def random_array(config, shape, dtype, which):
    """The array in the memory order that `config` asks for."""
    rng = np.random.default_rng([SEED, CONFIGS.index(config), which])
    if config.channels_last:
        last = rng.standard_normal((shape[0], *shape[2:], shape[1])).astype(dtype)
        return np.moveaxis(last, -1, 1)
    return rng.standard_normal(shape).astype(dtype)


def largest(*arrays):
    return max(float(np.abs(a).max()) for a in arrays)


def longest_axis(config):
    return max(config.sizes + config.result_sizes)


def peer_forward(torch, config, x):
    return torch.nn.functional.interpolate(torch.from_numpy(x), **config.peer_arguments).numpy()


def peer_gradient(torch, config, g):
    x = np.zeros(config.shape, g.dtype)
    if config.channels_last:
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    leaf = torch.from_numpy(x).requires_grad_()
    torch.nn.functional.interpolate(leaf, **config.peer_arguments).backward(torch.from_numpy(g))
    return leaf.grad.numpy()


def our_gradient(config, g):
    return upsample.interpolate_backward(g, config.sizes, **config.our_backward_arguments)


def assert_close(result, expected, allowed):
    assert result.shape == expected.shape
    assert float(np.abs(result.astype(np.float64) - expected).max()) <= allowed


# ------------------------------------------------------------- float64


@configurations("forward", np.float64)
def test_forward_float64(torch, config):
    x = random_array(config, config.shape, np.float64, 0)
    result, expected = (
        upsample.interpolate(x, **config.our_arguments),
        peer_forward(torch, config, x),
    )
    assert result.dtype == np.float64
    exact = config.mode.startswith("nearest")
    assert_close(result, expected, 0 if exact else 1e-12 * largest(x, expected))


@configurations("gradient", np.float64)
def test_gradient_float64(torch, config):
    g = random_array(config, config.shape[:2] + config.result_sizes, np.float64, 1)
    result, expected = our_gradient(config, g), peer_gradient(torch, config, g)
    assert result.dtype == np.float64
    assert_close(result, expected, 1e-12 * largest(g, expected))


# ------------------------------------------------------------- float32
#
# torch computes its coordinates in float32, which moves a sample by a few units in the last
# place of the longest coordinate; ours are float64, so against torch's float64 answer for the
# same float32 numbers our float32 answer is held to rounding alone.


@configurations("forward", np.float64)
def test_forward_float32_against_float64(torch, config):
    x = random_array(config, config.shape, np.float32, 0)
    expected = peer_forward(torch, config, x.astype(np.float64))
    result = upsample.interpolate(x, **config.our_arguments)
    assert result.dtype == np.float32
    assert_close(result, expected, 8 * EPS32 * largest(x, expected))


@configurations("gradient", np.float64)
def test_gradient_float32_against_float64(torch, config):
    g = random_array(config, config.shape[:2] + config.result_sizes, np.float32, 1)
    expected = peer_gradient(torch, config, g.astype(np.float64))
    result = our_gradient(config, g)
    assert result.dtype == np.float32
    assert_close(result, expected, 8 * EPS32 * largest(g, expected))


@configurations("forward", np.float32)
def test_forward_float32_against_float32(torch, config):
    x = random_array(config, config.shape, np.float32, 0)
    result, expected = (
        upsample.interpolate(x, **config.our_arguments),
        peer_forward(torch, config, x),
    )
    moved = longest_axis(config) if not config.mode.startswith(("nearest", "area")) else 1
    assert_close(result, expected, (8 + 4 * moved) * EPS32 * largest(x, expected))


@configurations("gradient", np.float32)
def test_gradient_float32_against_float32(torch, config):
    g = random_array(config, config.shape[:2] + config.result_sizes, np.float32, 1)
    result, expected = our_gradient(config, g), peer_gradient(torch, config, g)
    moved = longest_axis(config) if not config.mode.startswith(("nearest", "area")) else 1
    assert_close(result, expected, (8 + 4 * moved) * EPS32 * largest(g, expected))


# ------------------------------------------------------------- where torch is not asked


def mismatch(config):
    resampler = upsample.Resampler(
        config.sizes,
        config.size,
        config.scale_factor,
        config.our_arguments["mode"],
        config.align_corners,
        config.recompute,
        config.antialias,
    )
    shape = config.shape if math.prod(config.shape) < 10**5 else (1, 1, *config.sizes)
    return upsample.dot_test(resampler, shape, rng=np.random.default_rng(SEED))


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(config, id=f"{number:03d}-{config}")
        for number, config in enumerate(CONFIGS)
        if spoiled_directions(config) or spoiled_directions(config, np.float32)
    ],
)
def test_dot_test_where_a_defect_was_drawn(config):
    assert mismatch(config) <= 1e-12


# The defects' own shapes: (predicate, directions spoiled, configuration).
BOTH = {"forward", "gradient"}
NAMED = [
    (t1_nearest_shortcut, {"gradient"}, Config("nearest", (1, 1, 10), None, (2.05,))),
    (t1_nearest_shortcut, {"gradient"}, Config("nearest", (1, 1, 7), None, (1.1,))),
    (t1_nearest_shortcut, {"gradient"}, Config("nearest", (1, 1, 10, 3, 4), None, (2.05, 1, 1))),
    (t1_nearest_shortcut, {"gradient"}, Config("nearest", (1, 1, 130, 10), None, (1.0, 2.05))),
    (t1_nearest_shortcut, BOTH, Config("nearest", (1, 1, 1, 10), None, (1.0, 2.05))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 6), (37,))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 12), (37,))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 14), (23,))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 24), (37,))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 16), None, (2.3,))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 6, 2, 2), (37, 2, 2))),
    (t2_exact_tie_in_float32, {"gradient"}, Config("nearest-exact", (1, 1, 6, 99), (37, 99))),
    (t3_bicubic_same_lengths, {"gradient"}, Config("bicubic", (1, 1, 5, 6), None, (1.1, 1.1))),
    (t3_bicubic_same_lengths, {"gradient"}, Config("bicubic", (1, 2, 3, 9), None, (1.3, 1.0))),
    *(
        (
            t4_antialias_same_length,
            {"forward"},
            Config(mode, (1, 1, 5, 6), None, factors, antialias=True),
        )
        for mode in ("bilinear", "bicubic", "lanczos")
        for factors in ((1.1, 1.1), (1.15, 0.5), (2.0, 1.1))
    ),
    (t5_floor_in_float32, BOTH, Config("linear", (1, 1, 100_000), (150_001,))),
    (t5_floor_in_float32, BOTH, Config("bicubic", (1, 1, 1, 100_000), (1, 150_001))),
    (t6_nearest_in_float32, BOTH, Config("nearest", (1, 1, 100_003), (250_007,))),
    (t6_nearest_in_float32, {"forward"}, Config("nearest-exact", (1, 1, 100_003), (250_007,))),
    (t6_nearest_in_float32, BOTH, Config("nearest", (1, 1, 26, 1), (22, 1))),
    *(
        (t8_antialias_one_column, {"forward"}, Config(mode, shape, (4, 1), antialias=True))
        for mode in ("bilinear", "bicubic", "lanczos")
        for shape in ((1, 1, 9, 1), (2, 3, 2, 5))
    ),
    (copied_by_convention, BOTH, Config("linear", (1, 1, 3), None, (1.3,))),
]


@pytest.mark.parametrize(
    ("predicate", "directions", "config"),
    [pytest.param(*case, id=f"{case[0].__name__}-{case[2]}") for case in NAMED],
)
def test_dot_test_on_the_shapes_of_the_defects(predicate, directions, config):
    assert predicate(config, np.float64) == directions
    assert mismatch(config) <= 1e-12


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos3"])
def test_antialias_with_aligned_corners(mode):
    """T7: torch's answer means nothing, ours is an error in both directions."""
    with pytest.raises(ValueError, match="align_corners"):
        upsample.interpolate(np.ones((1, 1, 5, 5)), (3, 3), None, mode, True, antialias=True)
    with pytest.raises(ValueError, match="align_corners"):
        upsample.interpolate_backward(
            np.ones((1, 1, 3, 3)), (5, 5), None, mode, True, antialias=True
        )


def test_the_factor_of_an_axis_that_keeps_its_length_is_used_both_ways():
    """T3, T4: the same matrix forward and backward, and not the identity."""
    for mode, antialias in (
        ("linear", False),
        ("cubic", False),
        ("linear", True),
        ("cubic", True),
        ("lanczos3", True),
    ):
        forward = upsample.interpolate(
            np.eye(6), scale_factor=1.1, mode=mode, antialias=antialias, axes=(0,)
        )
        backward = upsample.interpolate_backward(
            np.eye(6), 6, scale_factor=1.1, mode=mode, antialias=antialias, axes=(0,)
        )
        np.testing.assert_allclose(forward, backward.T, rtol=0, atol=1e-15)
        assert np.abs(forward - np.eye(6)).max() > 0.05


@pytest.mark.parametrize(("n", "m"), [(100_000, 150_001), (2**20, 2**20 + 12_345)])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("cubic_coeff", [None, -0.5])
def test_a_long_ramp_stays_a_ramp(cubic_coeff, align_corners, n, m):
    """T5: torch's linear is up to 3e-2 off here.  Of the cubics only the one with -0.5 keeps a
    ramp.  Samples next to the edge are left out: there the edge is repeated, which is no ramp."""
    y = upsample.interpolate(
        np.arange(n, dtype=np.float64),
        m,
        mode="linear" if cubic_coeff is None else "cubic",
        align_corners=align_corners,
        cubic_coeff=cubic_coeff,
    )
    i = np.arange(m)
    s = i * (n - 1) / (m - 1) if align_corners else (i + 0.5) * n / m - 0.5
    inside = (s >= 2) & (s <= n - 3)
    assert inside.sum() > m - 10
    assert np.abs(y - s)[inside].max() <= 1e-9


@pytest.mark.parametrize(("n", "m"), [(100_003, 250_007), (2_000_003, 1_234_567)])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_indices_of_long_axes_are_exact(mode, n, m):
    """T6: torch takes 976 wrong samples in the first of these."""
    i = np.arange(m, dtype=np.int64)
    index = (2 * i + 1) * n // (2 * m) if mode == "nearest-exact" else i * n // m
    np.testing.assert_array_equal(upsample.interpolate(np.arange(n), m, mode=mode), index)


@pytest.mark.parametrize(("n", "m"), [(26, 44), (112, 160), (26, 22), (30, 22)])
def test_indices_of_ordinary_sizes_are_exact(n, m):
    """T6 in 2-D: the samples that integers give, for every row."""
    for mode, index in (
        ("nearest", [math.floor(Fraction(i * n, m)) for i in range(m)]),
        ("nearest-exact", [math.floor(Fraction((2 * i + 1) * n, 2 * m)) for i in range(m)]),
    ):
        x = np.broadcast_to(np.arange(n, dtype=np.float32), (1, 1, 3, n))
        y = upsample.interpolate(x, (3, m), mode=mode)
        np.testing.assert_array_equal(y, np.broadcast_to(np.float32(index), (1, 1, 3, m)))


@pytest.mark.parametrize("factor", [0.1, 0.7, 1.1, 1.5, 1.7, 2.3, 2.05, 3.3])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_indices_of_a_given_factor_are_float64_products(mode, factor):
    """T1, T6: neither a float32 ratio nor a short cut for lengths that are kept or doubled."""
    for n in (7, 10, 16, 1000, 5003):
        m = math.floor(n * factor)
        if m < 1:
            continue
        ratio, shift = 1 / factor, 0.5 if mode == "nearest-exact" else 0.0
        index = [min(math.floor((i + shift) * ratio), n - 1) for i in range(m)]
        result = upsample.interpolate(np.arange(n), None, factor, mode)
        np.testing.assert_array_equal(result, index)
        gradient = upsample.interpolate_backward(np.ones(m), n, factor, mode)
        np.testing.assert_array_equal(gradient, np.bincount(index, minlength=n))


def test_most_configurations_are_compared():
    for dtype in (np.float64, np.float32):
        for direction in ("forward", "gradient"):
            spoiled = [direction in spoiled_directions(config, dtype) for config in CONFIGS]
            assert np.mean(spoiled) <= 0.05
        for kind in {(c.mode, c.antialias, c.rank) for c in CONFIGS}:
            group = [c for c in CONFIGS if (c.mode, c.antialias, c.rank) == kind]
            whole = [c for c in group if not spoiled_directions(c, dtype)]
            assert len(whole) >= len(group) / 2, kind


def test_the_draw_covers_the_arguments():
    assert len(CONFIGS) >= 500
    assert len(set(CONFIGS)) >= 0.95 * len(CONFIGS)
    clean = [config for config in CONFIGS if not spoiled_directions(config)]
    for rank, kinds in KINDS.items():
        for kind in kinds:
            group = [
                c
                for c in clean
                if c.rank == rank
                and c.mode == kind.removesuffix("*")
                and c.antialias == kind.endswith("*")
            ]
            assert any(c.size is not None for c in group)
            assert any(c.scale_factor and not c.recompute for c in group)
            assert any(c.scale_factor and c.recompute for c in group)
            if kind in (*LINEAR, "bicubic"):
                assert {c.align_corners for c in group} == {None, False, True}
            assert any(m < n for c in group for n, m, _ in c.axes)
            assert any(m > n for c in group for n, m, _ in c.axes)
            assert rank == 1 or {c.channels_last for c in group} == {False, True}
    small = [sum(c.result_sizes) <= 128 for c in clean if c.rank == 2]
    assert any(small)
    assert not all(small)
