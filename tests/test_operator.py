"""The plan as scipy's LinearOperator and as sparse matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator, cg, lsmr, lsqr

from definition import OPTIONS, matrix_of
from helpers import library, sample
from upsample import Resampler

KINDS = ["nearest", "linear", "linear-antialias", "cubic-align_corners", "lanczos3", "area", "box"]


@pytest.mark.parametrize("kind", OPTIONS)
def test_matrix_is_the_definition(kind):
    for sizes, outputs in [((5, 9), (8, 4)), ((1, 7), (3, 7)), ((12, 30), (18, 11))]:
        plan = Resampler(sizes, outputs, **library(OPTIONS[kind]))
        for i in range(2):
            w = plan.matrix(i)
            assert isinstance(w, sp.csr_array)
            assert w.shape == (outputs[i], sizes[i])
            assert w.dtype == np.float64
            assert w.has_sorted_indices
            assert (w.data != 0).all()
            expected = matrix_of(sizes[i], outputs[i], OPTIONS[kind])
            np.testing.assert_allclose(w.toarray(), expected, rtol=0, atol=1e-14)


def test_matrices_count_from_both_ends():
    plan = Resampler((4, 5, 6), (7, 8, 9), mode="linear")
    for i in range(3):
        np.testing.assert_array_equal(plan.matrix(i - 3).toarray(), plan.matrix(i).toarray())


def test_a_matrix_is_the_callers_own():
    plan = Resampler((4,), (8,), mode="linear")
    plan.matrix(0).data[:] = 0
    assert plan.matrix(0).toarray().sum() == pytest.approx(8)


@pytest.mark.parametrize("kind", KINDS)
def test_kronecker_product_is_the_operator(kind, rng):
    plan = Resampler((4, 5), (7, 3), **OPTIONS[kind])
    whole = sp.kron(plan.matrix(0), plan.matrix(1)).toarray()
    operator = plan.as_linear_operator((4, 5))
    assert operator.shape == (21, 20)
    np.testing.assert_allclose(operator @ np.eye(20), whole, rtol=0, atol=1e-14)
    np.testing.assert_allclose(operator.H @ np.eye(21), whole.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(operator.T @ np.eye(21), whole.T, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_products(dtype, rng):
    shape, axes = (3, 4, 2, 5), (1, 3)
    plan = Resampler((4, 5), (6, 11), mode="cubic")
    operator = plan.as_linear_operator(shape, dtype=dtype, axes=axes)
    assert isinstance(operator, LinearOperator)
    assert operator.dtype == dtype
    assert operator.shape == (3 * 6 * 2 * 11, 3 * 4 * 2 * 5)
    x, g = sample(rng, shape, dtype), sample(rng, (3, 6, 2, 11), dtype)
    forward = plan.forward(x, axes=axes).ravel()
    adjoint = plan.adjoint(g, axes=axes).ravel()
    close = {"rtol": 0, "atol": 1e-5 if dtype in ("f4", "c8") else 1e-13}
    np.testing.assert_allclose(operator.matvec(x.ravel()), forward, **close)
    np.testing.assert_allclose(operator @ x.ravel(), forward, **close)
    np.testing.assert_allclose(operator.rmatvec(g.ravel()), adjoint, **close)
    np.testing.assert_allclose(operator.H @ g.ravel(), adjoint, **close)
    assert operator.matvec(x.ravel()).dtype == dtype
    # a column is a vector too, and several are a matrix
    assert operator.matvec(x.reshape(-1, 1)).shape == (operator.shape[0], 1)
    columns = sample(rng, (operator.shape[1], 3), dtype)
    each = np.stack([operator.matvec(column) for column in columns.T], axis=1)
    np.testing.assert_allclose(operator.matmat(columns), each, **close)
    columns = sample(rng, (operator.shape[0], 3), dtype)
    each = np.stack([operator.rmatvec(column) for column in columns.T], axis=1)
    np.testing.assert_allclose(operator.rmatmat(columns), each, **close)


def test_default_dtype_is_double():
    assert Resampler((4,), (8,)).as_linear_operator((4,)).dtype == np.float64


def test_complex_adjoint_is_conjugate(rng):
    operator = Resampler((4, 5), (6, 3), mode="linear").as_linear_operator((4, 5), dtype="c16")
    x, g = sample(rng, 20, "c16"), sample(rng, 18, "c16")
    assert np.vdot(g, operator @ x) == pytest.approx(np.vdot(operator.H @ g, x), rel=1e-12)


def test_operators_combine(rng):
    first = Resampler((6, 5), (12, 10), mode="cubic").as_linear_operator((6, 5))
    second = Resampler((12, 10), (4, 3), mode="area").as_linear_operator((12, 10))
    both = second @ first
    x = sample(rng, 30)
    np.testing.assert_allclose(both @ x, second @ (first @ x), rtol=1e-13)
    g = sample(rng, 12)
    np.testing.assert_allclose(both.H @ g, first.H @ (second.H @ g), rtol=1e-13)
    np.testing.assert_allclose((2 * first).H @ sample(rng, 120) * 0, 0)


@pytest.mark.parametrize("solve", [lsqr, lsmr])
@pytest.mark.parametrize("kind", ["linear", "cubic", "lanczos3"])
def test_least_squares_recover_what_was_enlarged(solve, kind, rng):
    plan = Resampler((9, 8), (20, 19), **OPTIONS[kind])
    operator = plan.as_linear_operator((9, 8))
    x = sample(rng, (9, 8))
    how = {"atol": 1e-13, "btol": 1e-13}
    found = solve(operator, plan.forward(x).ravel(), **how)[0]
    np.testing.assert_allclose(found, x.ravel(), rtol=0, atol=1e-8)
    # and as the same with a matrix
    whole = aslinearoperator(sp.kron(plan.matrix(0), plan.matrix(1)))
    g = sample(rng, operator.shape[0])
    expected = solve(whole, g, **how)[0]
    np.testing.assert_allclose(solve(operator, g, **how)[0], expected, rtol=0, atol=1e-8)


def test_conjugate_gradients_on_the_normal_equations(rng):
    # Super-resolution: two shrunk images of one, and a little damping.
    shape = (16, 12)
    small = Resampler(shape, (8, 6), mode="box").as_linear_operator(shape)
    narrow = Resampler(shape, (11, 12), mode="lanczos3", antialias=True).as_linear_operator(shape)
    x = sample(rng, shape).ravel()
    n = x.size

    def normal(v):
        return small.H @ (small @ v) + narrow.H @ (narrow @ v) + 1e-2 * v

    right = small.H @ (small @ x) + narrow.H @ (narrow @ x)
    operator = LinearOperator((n, n), matvec=normal, dtype=float)
    found, status = cg(operator, right, rtol=1e-12, atol=0)
    assert status == 0
    np.testing.assert_allclose(normal(found), right, rtol=0, atol=1e-9)
    assert np.linalg.norm(found - x) < np.linalg.norm(x)


@pytest.mark.parametrize("solve", [lsqr, lsmr])
def test_a_complex_problem(solve, rng):
    plan = Resampler((7, 6), (15, 13), mode="cubic")
    operator = plan.as_linear_operator((7, 6), dtype="c16")
    x = sample(rng, (7, 6), "c16")
    if solve is lsqr:  # scipy's lsqr is for real numbers
        x = x.real.astype("f8")
        operator = plan.as_linear_operator((7, 6))
    found = solve(operator, plan.forward(x).ravel(), atol=1e-13, btol=1e-13)[0]
    np.testing.assert_allclose(found, x.ravel(), rtol=0, atol=1e-8)


def test_an_operator_leaves_its_argument_alone(rng):
    operator = Resampler((4, 5), (8, 9), mode="linear").as_linear_operator((4, 5))
    x = sample(rng, 20)
    kept = x.copy()
    operator.matvec(x)
    operator.matvec(x[::-1])
    assert np.array_equal(x, kept)
    np.testing.assert_allclose(operator.matvec(x[::-1]), operator.matvec(x[::-1].copy()))
