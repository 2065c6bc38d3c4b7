"""What several test files need from the library's side."""

import numpy as np

import upsample
from definition import spline2

SPLINE2 = upsample.Filter("spline2", 1.5, spline2)


def library(options):
    """Options of `definition.OPTIONS` as keyword arguments of the library."""
    if options["mode"] == "spline2":
        return {**options, "mode": SPLINE2}
    return options


def sample(rng, shape, dtype=np.float64):
    """Random values, as many below zero as above."""
    dtype = np.dtype(dtype)
    values = rng.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def mismatch(wx, g, x, wtg):
    """|⟨Wx, g⟩ − ⟨x, Wᵀg⟩| relative to the sizes of what is multiplied."""
    left, right = np.vdot(g, wx), np.vdot(wtg, x)
    scale = np.linalg.norm(wx) * np.linalg.norm(g) + np.linalg.norm(x) * np.linalg.norm(wtg)
    return abs(left - right) / scale if scale else abs(left - right)
