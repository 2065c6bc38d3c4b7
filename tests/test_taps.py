"""Tables of taps: sums, order, transpose, and what the kernels are handed."""

import math

import numpy as np
import pytest

from definition import OPTIONS, matrix_of, output_size
from helpers import library
from upsample import Resampler, _packed
from upsample._taps import Taps

SIZES = [
    (1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (5, 5), (5, 10), (12, 4), (7, 3), (13, 29), (29, 13),
    (12, 16), (40, 6), (51, 97),
]  # fmt: skip


def tables(kind):
    """Tables of one axis for all sizes, and some with a given factor."""
    options = library(OPTIONS[kind])
    for n, m in SIZES:
        yield n, m, None, Resampler((n,), (m,), **options)._taps[0]
    for n, f in [(10, 2.05), (10, 0.37), (7, 1.1), (16, 1.5), (9, 0.5)]:
        m = output_size(n, f)
        yield n, m, f, Resampler((n,), scale_factor=f, **options)._taps[0]


@pytest.mark.parametrize("kind", OPTIONS)
def test_rows_are_sorted_runs_that_sum_to_one(kind):
    for n, m, f, taps in tables(kind):
        what = f"{kind} {n} -> {m} {f}"
        assert taps.n == n
        assert taps.m == m == len(taps.start)
        assert taps.weights.shape == (m, taps.width)
        assert taps.weights.dtype == np.float64
        assert taps.start.dtype == np.int64
        assert (np.diff(taps.start) >= 0).all(), what
        assert taps.start.min() >= 0
        assert taps.start.max() <= n - taps.width
        assert not taps.start.flags.writeable
        assert not taps.weights.flags.writeable
        for table, ulp in ((taps, 2**-53), (taps.astype("f4"), 2**-24)):
            sums = np.array([math.fsum(row) for row in table.weights])
            if "zero" in kind:
                # What lies outside is left out; rows that lie inside are whole.
                expected = matrix_of(n, m, OPTIONS[kind], scale=f).sum(axis=1)
                assert np.abs(sums - expected).max() <= 8 * ulp, what
            else:
                assert np.abs(sums - 1).max() <= ulp, what


@pytest.mark.parametrize("kind", OPTIONS)
def test_dense_is_the_definition(kind):
    for n, m, f, taps in tables(kind):
        expected = matrix_of(n, m, OPTIONS[kind], scale=f)
        np.testing.assert_allclose(taps.dense(), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", OPTIONS)
def test_transpose(kind):
    for n, m, _, taps in tables(kind):
        for table in (taps, taps.astype("f4")):
            transposed = table.transpose()
            assert (transposed.n, transposed.m) == (m, n)
            assert (np.diff(transposed.start) >= 0).all()
            assert transposed.start.min() >= 0
            assert transposed.start.max() <= m - transposed.width
            assert transposed.weights.dtype == table.weights.dtype
            np.testing.assert_array_equal(transposed.dense(), table.dense().T)
            np.testing.assert_array_equal(transposed.transpose().dense(), table.dense())


@pytest.mark.parametrize("kind", OPTIONS)
def test_single_precision_depends_on_the_same_samples(kind):
    for _, _, _, taps in tables(kind):
        single = taps.astype("f4")
        assert single.weights.dtype == np.float32
        np.testing.assert_array_equal(single.weights != 0, taps.weights != 0)
        np.testing.assert_allclose(single.weights, taps.weights, rtol=0, atol=3e-7)
        np.testing.assert_array_equal(single.start, taps.start)
        assert taps.astype("f8") is taps


def test_a_weight_too_small_for_single_precision_is_not_lost():
    taps = Taps(2, np.zeros(1, np.int64), np.array([[1.0, 1e-60]]))
    assert (taps.astype("f4").weights != 0).all()


@pytest.mark.parametrize("kind", OPTIONS)
def test_what_the_kernels_are_handed(kind):
    for _, _, _, forward in tables(kind):
        for taps in (forward, forward.transpose()):
            packed = _packed.pack(taps)
            dense = np.zeros((taps.m, taps.n))
            holes = False
            for i, (first, count) in enumerate(zip(packed.first, packed.count, strict=True)):
                row = packed.weights[i, :count]
                # No zero at either end, none behind: NaN is not to be multiplied by it.
                assert count == 0 or (row[0] != 0 and row[-1] != 0)
                assert (packed.weights[i, count:] == 0).all()
                assert first >= 0
                assert first + count <= taps.n
                dense[i, first : first + count] = row
                holes |= bool((row == 0).any())
            np.testing.assert_array_equal(dense, taps.dense())
            assert packed.holes == holes
            assert packed.selection == bool(
                ((dense != 0).sum(axis=1) == 1).all() and (dense.sum(axis=1) == 1).all()
            )
            check_repetition(packed, dense)
            for lanes in (8, 4):
                check_windows(packed, dense, lanes)


def check_repetition(packed, dense):
    """Rows lo … hi-1 are each the row one period before, moved by `step`."""
    lo, hi, period, step = packed.lo, packed.hi, packed.period, packed.step
    assert 0 <= lo <= hi <= len(dense)
    for i in range(lo + period, hi) if period else ():
        moved = np.zeros(dense.shape[1] + 2 * abs(step))
        moved[step : step + dense.shape[1]] = dense[i - period]
        np.testing.assert_array_equal(dense[i], moved[: dense.shape[1]])


def check_windows(packed, dense, lanes):
    """Picking by number from registers of `lanes` samples gives the rows of the table."""
    windows = _packed.windows(packed, lanes)
    if windows is None:
        return
    m, n = dense.shape
    size, parts = windows.size, 8 // lanes
    assert windows.lanes == lanes
    assert size in (lanes, lanes // 2)
    found = np.zeros((m, n + packed.weights.shape[1]))
    for q, base in enumerate(windows.base):
        rows = slice(q * size, (q + 1) * size)
        if base < 0:
            found[rows, :n] = dense[rows]
            continue
        assert base + lanes <= n
        numbers = windows.numbers[q, : size * parts : parts] // parts
        for part in range(parts):
            np.testing.assert_array_equal(
                windows.numbers[q, part : size * parts : parts], numbers * parts + part
            )
        for k, weights in enumerate(windows.weights[q]):
            found[np.arange(m)[rows], base + k + numbers] += weights
        assert windows.full[q] == (windows.weights[q] != 0).all()
    whole = m // size * size
    np.testing.assert_array_equal(found[:whole, :n], dense[:whole])
    assert (found[:, n:] == 0).all()  # what lies behind the array has no weight
    assert 4 * (windows.base >= 0).sum() >= 3 * len(windows.base)


def test_windows_are_found_where_they_pay():
    def windows(n, m, mode="cubic", lanes=8):
        return _packed.windows(_packed.pack(Resampler(n, m, mode=mode)._taps[0]), lanes)

    assert windows(100, 156).size == 8
    assert windows(100, 156, lanes=4).size == 4
    assert windows(100, 66).size == 4
    assert windows(100, 10) is None  # too far apart for one register
    assert windows(5, 9) is None  # shorter than a register
    assert windows(100, 156, lanes=0) is None  # no such registers


def test_repeating_rows_are_found():
    # Away from the borders all rows of a rational ratio repeat.
    for (n, m), period, step in [((64, 128), 2, 1), ((96, 144), 3, 2), ((128, 32), 1, 4)]:
        for mode in ("nearest", "linear", "cubic", "lanczos3", "area", "box"):
            packed = _packed.pack(Resampler((n,), (m,), mode=mode)._taps[0])
            assert (packed.period, packed.step) == (period, step), mode
            assert packed.hi - packed.lo >= m - 16, mode
            packed = _packed.pack(Resampler((n,), (m,), mode=mode)._taps[0].transpose())
            assert (packed.period, packed.step) == (step, period), mode
            assert packed.hi - packed.lo >= n - 16, mode


def test_long_axes_are_made_in_slices_alike(monkeypatch):
    import upsample._sampling
    import upsample._taps

    kinds = ["nearest", "linear", "cubic-antialias", "lanczos3-reflect", "box", "area"]
    whole = [[t.dense() for _, _, _, t in tables(kind)] for kind in kinds]
    monkeypatch.setattr(upsample._taps, "SLICE_ELEMENTS", 17)
    monkeypatch.setattr(upsample._sampling, "SLICE_ELEMENTS", 17)
    for kind, expected in zip(kinds, whole, strict=True):
        for (_, _, _, taps), dense in zip(tables(kind), expected, strict=True):
            np.testing.assert_array_equal(taps.dense(), dense)
            np.testing.assert_array_equal(taps.transpose().dense(), dense.T)


def test_unsorted_starts_are_refused():
    with pytest.raises(AssertionError, match="start"):
        Taps(5, np.array([1, 0]), np.ones((2, 1)))


def test_coordinates():
    taps = Resampler((5,), (8,), mode="cubic", border="mirror")._taps[0]
    rows, columns, values = taps.coordinates()
    dense = np.zeros((8, 5))
    np.add.at(dense, (rows, columns), values)
    np.testing.assert_array_equal(dense, taps.dense())
    assert (values != 0).all()
