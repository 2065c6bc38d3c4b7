"""Each row of the documentation's "Coming from …" is true: both calls are run and compared."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

import upsample

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "docs" / "_ext" / "equivalents.py"
spec = importlib.util.spec_from_file_location("equivalents", SOURCE)
equivalents = importlib.util.module_from_spec(spec)
spec.loader.exec_module(equivalents)


@pytest.mark.parametrize("row", equivalents.ROWS, ids=lambda row: f"{row.library}: {row.theirs}")
def test_both_calls_give_the_same(row, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other libraries say when they are imported
        pytest.importorskip(equivalents.MODULES.get(row.library, row.library))
    dtype = np.float32 if row.library in equivalents.SINGLE else np.float64
    arrays = {"x": (1, 3, 20, 30), "g": (1, 3, 40, 45), "a": (20, 30), "c": (20, 30, 3)}
    names = {k: rng.standard_normal(shape).astype(dtype) for k, shape in arrays.items()}
    names["upsample"] = upsample
    exec(equivalents.SETUP[row.library], names)
    ours = eval(row.ours, names)
    theirs = eval(row.theirs, names)
    theirs = theirs.detach().numpy() if hasattr(theirs, "detach") else np.asarray(theirs)
    assert ours.dtype == theirs.dtype == dtype
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= row.off * np.abs(theirs).max()


def test_the_page_shows_every_library():
    page = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    for library in equivalents.SETUP:
        assert f"{{equivalents}} {library}" in page
        assert sum(row.library == library for row in equivalents.ROWS) >= 2
