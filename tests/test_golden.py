"""What torch, JAX and Pillow made of small arrays, recorded by tools/make_golden.py.

Every case is compared forward; those of torch and JAX, which have gradients, backward too.
None of the three need be installed.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import upsample

FOLDER = Path(__file__).parent / "golden"
EPS32 = float(np.finfo(np.float32).eps)


def load(library):
    with np.load(FOLDER / f"{library}.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    meta = json.loads(arrays.pop("meta").tobytes())
    for case in meta["cases"]:
        case["library"] = library
        for part in ("x", "y", "g", "gx"):
            case[part] = arrays.pop(f"{case['name']}.{part}", None)
    assert not arrays, f"arrays of no case: {sorted(arrays)}"
    return meta


RECORDS = {library: load(library) for library in ("torch", "jax", "pillow")}
CASES = [case for record in RECORDS.values() for case in record["cases"]]
WITH_GRADIENT = [case for case in CASES if case["library"] != "pillow"]


def parametrised(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


def resampled_sizes(case):
    """The input's sizes along the resampled axes: torch keeps batch and channel in front."""
    return case["x"].shape[2 if case["library"] == "torch" else 0 :]


def backward_options(case):
    return {key: value for key, value in case["options"].items() if key != "size"}


def largest(*arrays):
    return max(float(np.abs(a).max()) for a in arrays)


def difference(result, expected, dtype):
    assert result.shape == expected.shape
    assert result.dtype == dtype
    return float(np.abs(result.astype(np.float64) - expected).max())


def rounding(case, dtype):
    """How far two right answers may be apart, relative to the largest value."""
    if case["library"] == "pillow":
        # Mode F rounds to float32 after each pass; Pillow's hamming and its magic kernel
        # have float32 constants besides.
        rough = case["options"]["mode"] in ("hamming", "magic")
        return (16 if rough else 4) * EPS32
    return 1e-12 if dtype == np.float64 else 8 * EPS32


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@parametrised(CASES)
def test_forward(case, dtype):
    result = upsample.interpolate(case["x"].astype(dtype), **case["options"])
    allowed = rounding(case, dtype) * largest(case["x"], case["y"])
    if case["options"]["mode"].startswith("nearest"):
        allowed = 0
    assert difference(result, case["y"], dtype) <= allowed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@parametrised(WITH_GRADIENT)
def test_gradient(case, dtype):
    result = upsample.interpolate_backward(
        case["g"].astype(dtype), resampled_sizes(case), **backward_options(case)
    )
    allowed = rounding(case, dtype) * largest(case["g"], case["gx"])
    assert difference(result, case["gx"], dtype) <= allowed


@parametrised(CASES)
def test_the_record_is_a_case_worth_having(case):
    """Complete, of the promised type, and not satisfied by copying or by zeros."""
    dtype = np.float32 if case["library"] == "pillow" else np.float64
    parts = ("x", "y") if case["library"] == "pillow" else ("x", "y", "g", "gx")
    for part in parts:
        assert case[part].dtype == dtype
        assert np.isfinite(case[part]).all()
        assert np.abs(case[part]).max() > 0
    assert case["x"].shape != case["y"].shape
    assert case["call"].endswith(")")


def test_records_say_which_versions_made_them():
    for library, package in (("torch", "torch"), ("jax", "jax"), ("pillow", "Pillow")):
        assert RECORDS[library]["library"] == library
        for name in (package, "numpy"):
            assert RECORDS[library]["versions"][name][0].isdigit()


def test_records_cover_what_the_libraries_share_with_us():
    def modes(library, **wanted):
        return {
            case["options"]["mode"]
            for case in RECORDS[library]["cases"]
            if all(case["options"].get(key) == value for key, value in wanted.items())
        }

    nearest = {"nearest", "nearest-exact", "area"}
    kernels = {"linear", "bilinear", "trilinear", "bicubic"}
    assert modes("torch") == nearest | kernels | {"lanczos3"}
    assert modes("torch", align_corners=True) == kernels
    assert modes("torch", antialias=True) == {"bilinear", "bicubic", "lanczos3"}
    assert modes("torch", recompute_scale_factor=True) >= nearest | {"linear", "bicubic"}
    assert modes("jax") == {"nearest-exact", "linear", "cubic", "lanczos3", "lanczos5", "box"}
    assert modes("jax", antialias=True) == {"linear", "cubic", "lanczos3", "lanczos5"}
    assert modes("jax", align_corners=True) == {"linear"}
    assert modes("jax", border="renormalize", cubic_coeff=-0.5) == {"cubic"}
    assert modes("pillow", antialias=True) == {"linear", "hamming", "cubic", "lanczos3", "magic"}
    assert modes("pillow") >= {"nearest-exact", "box"}
    ranks = {len(resampled_sizes(case)) for case in RECORDS["torch"]["cases"]}
    assert ranks == {1, 2, 3}
    assert len({case["name"] for case in CASES}) == len(CASES) >= 150


def test_records_stay_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 300_000
