"""The same answers as JAX, Pillow and OpenCV, where their modes are ours under other names.

JAX is compared in float64, forward and gradient.  Pillow (mode F) and OpenCV have no gradients,
but they are linear: what they make of the identity is their matrix, and its transpose is what
our gradient has to be.
"""

import math

import numpy as np
import pytest

import upsample

EPS32 = float(np.finfo(np.float32).eps)

# One axis, n -> m: enlarging and shrinking, integer, rational and awkward ratios, lengths of 1.
PAIRS = [
    *[(1, 1), (1, 5), (6, 1), (2, 7), (5, 5), (4, 8), (8, 4), (9, 3), (12, 8), (8, 12)],
    *[(7, 11), (11, 7), (13, 31), (31, 13), (17, 16), (16, 17), (40, 3), (3, 40), (25, 24)],
]


def pairs(chosen=PAIRS):
    return pytest.mark.parametrize(("n", "m"), chosen, ids=[f"{n}to{m}" for n, m in chosen])


def forward_matrix(n, m, dtype=np.float64, **options):
    return upsample.interpolate(np.eye(n, dtype=dtype), (m,), axes=(0,), **options)


def adjoint_matrix(n, m, dtype=np.float64, **options):
    return upsample.interpolate_backward(np.eye(m, dtype=dtype), (n,), axes=(0,), **options)


def assert_both_ways(peer, n, m, allowed, **options):
    """Our forward is the peer's matrix, our gradient its transpose."""
    allowed *= max(1.0, float(np.abs(peer).max()))
    assert peer.shape == (m, n)
    np.testing.assert_allclose(forward_matrix(n, m, **options), peer, rtol=0, atol=allowed)
    np.testing.assert_allclose(adjoint_matrix(n, m, **options), peer.T, rtol=0, atol=allowed)


def is_tie(i, n, m):
    """Whether output i of nearest-exact lies exactly between two samples."""
    return (2 * i + 1) * n % (2 * m) == 0


def assert_same_samples(peer, n, m, mode):
    """Row by row the same sample; on a tie of nearest-exact either neighbour is right, since
    the peers add up a rounded step."""
    ours = forward_matrix(n, m, mode=mode)
    np.testing.assert_array_equal(adjoint_matrix(n, m, mode=mode), ours.T)
    for i in range(m):
        here, there = int(ours[i].argmax()), int(peer[i].argmax())
        assert peer[i].sum() == peer[i, there] == 1
        if mode == "nearest-exact" and is_tie(i, n, m):
            assert there in (here, here - 1)
        else:
            assert there == here


def test_ties_are_few_and_where_the_formula_says():
    assert [i for i in range(2) if is_tie(i, 4, 2)] == [0, 1]
    assert [i for i in range(7) if is_tie(i, 4, 7)] == [3]
    assert not any(is_tie(i, n, m) for n in range(1, 30, 2) for m in range(1, 30) for i in range(m))
    ties = [is_tie(i, n, m) for n, m in PAIRS for i in range(m)]
    assert 0 < np.mean(ties) < 0.15


# ------------------------------------------------------------- JAX


@pytest.fixture(scope="module")
def jax():
    """JAX with float64, for these tests only."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield jax


# (method, antialias) of jax.image.resize: the options that ask the same here.
JAX_METHODS = {
    ("linear", False): {"mode": "linear"},
    ("linear", True): {"mode": "linear", "antialias": True},
    ("cubic", False): {"mode": "cubic", "cubic_coeff": -0.5, "border": "renormalize"},
    ("cubic", True): {"mode": "cubic", "antialias": True},
    ("cubic-pytorch", False): {"mode": "cubic"},
    ("cubic-pytorch", True): {"mode": "cubic", "antialias": True},
    ("lanczos3", False): {"mode": "lanczos3"},
    ("lanczos3", True): {"mode": "lanczos3", "antialias": True},
    ("lanczos5", False): {"mode": "lanczos5"},
    ("lanczos5", True): {"mode": "lanczos5", "antialias": True},
    ("area", False): {"mode": "box"},
}
# JAX compiles for every pair of shapes, so both axes are changed at once.
JAX_SHAPES = [((7, 12), (11, 8)), ((9, 5), (3, 10)), ((1, 31), (5, 13))]


def jax_flattens_the_kernel(n, m, antialias):
    """JAX's lanczos kernels are 1 up to a distance of 1e-3, which axes of this length and
    longer can reach: up to 2e-6 off."""
    widened = max(n / m, 1) if antialias else 1
    distances = {abs((2 * i + 1) * n - m - 2 * m * j) for i in range(m) for j in range(n)} - {0}
    return min(distances, default=math.inf) / (2 * m) / widened <= 1e-3


def test_no_shape_reaches_the_flat_part_of_the_lanczos_kernels():
    for sizes, result_sizes in JAX_SHAPES:
        for n, m in zip(sizes, result_sizes, strict=True):
            assert not jax_flattens_the_kernel(n, m, False)
            assert not jax_flattens_the_kernel(n, m, True)
    assert jax_flattens_the_kernel(600, 601, False)


@pytest.mark.parametrize(("sizes", "result_sizes"), JAX_SHAPES)
@pytest.mark.parametrize(
    ("method", "antialias"),
    JAX_METHODS,
    ids=[name + ("-antialias" if antialias else "") for name, antialias in JAX_METHODS],
)
def test_jax_resize(jax, rng, method, antialias, sizes, result_sizes):
    options = JAX_METHODS[method, antialias]
    x, g = rng.standard_normal(sizes), rng.standard_normal(result_sizes)
    expected, pull = jax.vjp(
        lambda a: jax.image.resize(a, result_sizes, method, antialias=antialias), x
    )
    (gradient,) = pull(g)
    assert expected.dtype == gradient.dtype == np.float64
    result = upsample.interpolate(x, result_sizes, **options)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)
    result = upsample.interpolate_backward(g, sizes, **options)
    np.testing.assert_allclose(result, gradient, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n", "m"), [(7, 11), (11, 7), (5, 40)])
def test_jax_corners_aligned(jax, rng, n, m):
    """JAX has no such option, but a scale and a translation that amount to it."""
    scale = (m - 1) / (n - 1)
    x, g = rng.standard_normal(n), rng.standard_normal(m)
    expected, pull = jax.vjp(
        lambda a: jax.image.scale_and_translate(
            a,
            (m,),
            (0,),
            jax.numpy.array([scale]),
            jax.numpy.array([(1 - scale) / 2]),
            "linear",
            antialias=False,
        ),
        x,
    )
    options = {"mode": "linear", "align_corners": True}
    np.testing.assert_allclose(upsample.interpolate(x, m, **options), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        upsample.interpolate_backward(g, n, **options), pull(g)[0], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(("n", "m"), [(7, 11), (11, 7), (30, 22), (8, 12)])
def test_jax_nearest(jax, n, m):
    peer = np.asarray(jax.image.resize(np.eye(n), (m, n), "nearest"))
    assert_same_samples(peer, n, m, "nearest-exact")


@pytest.mark.parametrize(("n", "m"), [(12, 3), (12, 4), (9, 3), (5, 5)])
def test_jax_area_is_the_adaptive_average_at_integer_ratios(jax, n, m):
    peer = np.asarray(jax.image.resize(np.eye(n), (m, n), "area"))
    assert_both_ways(peer, n, m, 1e-12, mode="area")


# ------------------------------------------------------------- Pillow, mode F


@pytest.fixture(scope="module")
def image():
    return pytest.importorskip("PIL.Image")


def pillow_matrix(image, n, m, resample):
    identity = image.fromarray(np.eye(n, dtype=np.float32))
    assert identity.mode == "F"
    return np.asarray(identity.resize((n, m), image.Resampling[resample])).astype(np.float64)


# Pillow always antialiases.  Its hamming and magic kernels have constants in float32.
PILLOW_FILTERS = {
    "BILINEAR": ({"mode": "linear", "antialias": True}, EPS32),
    "HAMMING": ({"mode": "hamming", "antialias": True}, 4 * EPS32),
    "BICUBIC": ({"mode": "cubic", "antialias": True}, EPS32),
    "LANCZOS": ({"mode": "lanczos3", "antialias": True}, EPS32),
    "MKS2013": ({"mode": "magic", "antialias": True}, 4 * EPS32),
}


@pairs()
@pytest.mark.parametrize("resample", PILLOW_FILTERS)
def test_pillow(image, resample, n, m):
    if resample not in image.Resampling.__members__:
        pytest.importorskip("PIL", minversion="13", reason=f"{resample} came with Pillow 13")
    options, allowed = PILLOW_FILTERS[resample]
    if n == m and resample == "MKS2013":
        # Pillow copies an axis that keeps its length; the magic kernel is no identity there.
        options = {"mode": "linear"}
    assert_both_ways(pillow_matrix(image, n, m, resample), n, m, allowed, **options)


@pairs([(n, m) for n, m in PAIRS if m >= n])
def test_pillow_bilinear_enlarges_as_without_antialias(image, n, m):
    assert_both_ways(pillow_matrix(image, n, m, "BILINEAR"), n, m, EPS32, mode="linear")


@pairs([(n, m) for n, m in PAIRS if m >= n])
def test_pillow_bicubic_enlarges_as_a_cubic_that_leaves_the_outside_out(image, n, m):
    options = {"mode": "cubic", "cubic_coeff": -0.5, "border": "renormalize"}
    assert_both_ways(pillow_matrix(image, n, m, "BICUBIC"), n, m, EPS32, **options)


@pairs([(9, 3), (8, 4), (40, 4), (5, 5), (6, 1)])
def test_pillow_box_is_the_area_at_integer_ratios(image, n, m):
    assert_both_ways(pillow_matrix(image, n, m, "BOX"), n, m, EPS32, mode="box")


@pairs()
def test_pillow_nearest(image, n, m):
    assert_same_samples(pillow_matrix(image, n, m, "NEAREST"), n, m, "nearest-exact")


@pytest.mark.parametrize("resample", PILLOW_FILTERS)
def test_pillow_both_axes(image, rng, resample):
    """An image, float32 in and out: two passes, each rounded to float32 by Pillow."""
    if resample not in image.Resampling.__members__:
        pytest.importorskip("PIL", minversion="13", reason=f"{resample} came with Pillow 13")
    options, allowed = PILLOW_FILTERS[resample]
    x = rng.random((45, 64), dtype=np.float32)
    expected = np.asarray(image.fromarray(x).resize((37, 100), image.Resampling[resample]))
    result = upsample.interpolate(x, (100, 37), **options)
    assert result.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=0, atol=8 * allowed)


# ------------------------------------------------------------- OpenCV


@pytest.fixture(scope="module")
def cv2():
    cv2 = pytest.importorskip("cv2")
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield cv2
    cv2.setNumThreads(threads)


def opencv_matrix(cv2, n, m, interpolation):
    flag = getattr(cv2, f"INTER_{interpolation}")
    return cv2.resize(np.eye(n), (n, m), interpolation=flag)


# Weights are float32 in OpenCV even for float64 images, except those of linear since OpenCV 5
# (and those, too, in an image with one row or column).
OPENCV_FLAGS = {
    "LINEAR": ({"mode": "linear"}, 1e-12),
    "CUBIC": ({"mode": "cubic"}, 16 * EPS32),
    "LANCZOS4": ({"mode": "lanczos4", "border": "edge"}, 16 * EPS32),
}


@pairs()
@pytest.mark.parametrize("interpolation", OPENCV_FLAGS)
def test_opencv(cv2, interpolation, n, m):
    options, allowed = OPENCV_FLAGS[interpolation]
    if n == 1 or int(cv2.__version__.split(".")[0]) < 5:
        allowed = max(allowed, EPS32)
    assert_both_ways(opencv_matrix(cv2, n, m, interpolation), n, m, allowed, **options)


@pairs([(n, m) for n, m in PAIRS if n >= m])
def test_opencv_area_shrinks_by_overlap(cv2, n, m):
    """Overlaps below 1e-3 of a sample are dropped by OpenCV; these lengths have none."""
    overlaps = [abs((i * n) / m - round(i * n / m)) for i in range(m)]
    assert min((o for o in overlaps if o > 1e-12), default=1) > 1e-3
    assert_both_ways(opencv_matrix(cv2, n, m, "AREA"), n, m, EPS32, mode="box")


@pairs()
def test_opencv_nearest(cv2, n, m):
    assert_same_samples(opencv_matrix(cv2, n, m, "NEAREST"), n, m, "nearest")


@pairs()
def test_opencv_nearest_exact(cv2, n, m):
    assert_same_samples(opencv_matrix(cv2, n, m, "NEAREST_EXACT"), n, m, "nearest-exact")


@pytest.mark.parametrize(("interpolation", "mode"), [("LINEAR", "linear"), ("CUBIC", "cubic")])
@pytest.mark.parametrize("factor", [1.25, 1.3, 2.3, 0.6])
def test_opencv_given_factor(cv2, interpolation, mode, factor):
    """A factor decides the ratio here and there; OpenCV rounds the size, we take the floor, so
    a length is chosen where both agree."""
    n = next(n for n in range(7, 40) if round(n * factor) == math.floor(n * factor) != n * factor)
    flag = getattr(cv2, f"INTER_{interpolation}")
    peer = cv2.resize(np.eye(n), None, fx=1, fy=factor, interpolation=flag)
    options = {"mode": mode, "scale_factor": (factor,), "axes": (0,)}
    recent = int(cv2.__version__.split(".")[0]) >= 5
    allowed = 1e-12 if mode == "linear" and recent else 16 * EPS32
    result = upsample.interpolate(np.eye(n), **options)
    np.testing.assert_allclose(result, peer, rtol=0, atol=allowed)
    result = upsample.interpolate_backward(np.eye(len(peer)), (n,), **options)
    np.testing.assert_allclose(result, peer.T, rtol=0, atol=allowed)


@pytest.mark.parametrize("interpolation", OPENCV_FLAGS)
def test_opencv_channels_last(cv2, rng, interpolation):
    """An image of three channels, float32 in and out."""
    options, _ = OPENCV_FLAGS[interpolation]
    x = rng.random((20, 33, 3), dtype=np.float32)
    flag = getattr(cv2, f"INTER_{interpolation}")
    expected = cv2.resize(x, (50, 31), interpolation=flag)
    result = upsample.interpolate(x, (31, 50), axes=(0, 1), **options)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=0, atol=64 * EPS32)
