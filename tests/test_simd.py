"""Every instruction-set level gives the same bits, and the level can be chosen."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import upsample
from upsample import _kernels

# Lengths on both sides of every block, phases of both kinds, lanes, wide samples, single outputs.
CASES = [
    ((3, 37, 64), (74, 128), {}),
    ((3, 37, 64), (53, 150), {}),
    ((2, 129, 300), (43, 100), {"antialias": True}),
    ((1, 17, 257), (40, 611), {"border": "reflect"}),
    ((9, 64, 33), (192, 99), {"align_corners": True}),
    ((1, 1, 1000), (1, 377), {}),
    # Samples picked within a register: long rows in several blocks, 1 to 7 of them, both sizes.
    ((7, 3, 2000), (3, 3127), {}),
    ((3, 5, 5000), (9, 2187), {}),
    ((1, 6, 700), (5, 701), {"border": "zero"}),
    ((2, 7, 40), (7, 58), {"align_corners": True}),
]
MODES = ["nearest", "linear", "cubic", "lanczos3", "area", "gaussian"]


def digest():
    """A hash of forward and adjoint over all cases, types and layouts."""
    total = hashlib.sha256()
    rng = np.random.default_rng(7)
    for shape, size, options in CASES:
        for mode in MODES:
            kw = {} if mode in ("nearest", "area") else options
            r = upsample.Resampler(shape[1:], size, mode=mode, **kw)
            for dtype in (np.float32, np.float64, np.complex64):
                x = rng.standard_normal(shape).astype(dtype)
                y = r.forward(x)
                total.update(y.tobytes())
                total.update(r.adjoint(y).tobytes())
                last = np.ascontiguousarray(np.moveaxis(x, 0, -1))
                total.update(r.forward(last, axes=(0, 1)).tobytes())
    return total.hexdigest()


def run(level, code):
    environment = {**os.environ, "UPSAMPLE_SIMD": level}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_all_levels_give_the_same_bits():
    here = digest()
    code = (
        "import importlib.util as u, upsample;"
        f"spec = u.spec_from_file_location('t', {__file__!r});"
        "m = u.module_from_spec(spec); spec.loader.exec_module(m);"
        "print(upsample.show_config('dict')['simd'], m.digest())"
    )
    for level in _kernels.LEVELS:
        result = run(level, code)
        assert result.returncode == 0, result.stderr
        assert result.stdout.split() == [level, here]


def test_digest_notices_one_bit(monkeypatch):
    here = digest()
    forward = upsample.Resampler.forward

    def off_by_a_bit(self, x, **kw):
        y = forward(self, x, **kw)
        y.reshape(-1).view(np.uint8)[0] ^= 1
        return y

    monkeypatch.setattr(upsample.Resampler, "forward", off_by_a_bit)
    assert digest() != here


def test_baseline_is_always_there():
    assert _kernels.LEVELS[0] == "baseline"
    assert upsample.show_config("dict")["simd"] in _kernels.LEVELS


@pytest.mark.parametrize("level", ["x86_v9", "avx"])
def test_unknown_level_is_an_error_that_names_the_allowed(level):
    result = run(level, "import upsample")
    assert result.returncode != 0
    assert level in result.stderr
    assert "baseline" in result.stderr
