"""Time and peak memory of forward and adjoint, for every kind of table."""

from __future__ import annotations

from typing import Any

import numpy as np

import upsample

# name -> mode and options
MODES: dict[str, tuple[str, dict[str, Any]]] = {
    "nearest": ("nearest", {}),
    "nearest-exact": ("nearest-exact", {}),
    "linear": ("linear", {}),
    "linear corners": ("linear", {"align_corners": True}),
    "linear antialias": ("linear", {"antialias": True}),
    "cubic": ("cubic", {}),
    "cubic antialias": ("cubic", {"antialias": True}),
    "lanczos3": ("lanczos3", {}),
    "area": ("area", {}),
    "box": ("box", {}),
}

# name -> batch, input, output. A whole ratio, a ratio without phases worth having, shrinking,
# many small images, one and three axes; odd and prime lengths beside powers of two.
PAIRS: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "3x270x480 x4": ((3,), (270, 480), (1080, 1920)),
    "1021x1021 -> 1597x1597": ((), (1021, 1021), (1597, 1597)),
    "3x1080x1920 /2": ((3,), (1080, 1920), (540, 960)),
    "512x64x64 x2": ((512,), (64, 64), (128, 128)),
    "512x4096 -> 6007": ((512,), (4096,), (6007,)),
    "4x64x64x64 x2": ((4,), (64, 64, 64), (128, 128, 128)),
}


class Direction:
    """Both directions of one mode and one pair of sizes; memory of the results included."""

    params = (list(MODES), list(PAIRS), ["float32", "float64"])
    param_names = ("mode", "sizes", "dtype")

    def setup(self, mode: str, sizes: str, dtype: str) -> None:
        name, options = MODES[mode]
        batch, n, m = PAIRS[sizes]
        rng = np.random.default_rng(0)
        self.resampler = upsample.Resampler(n, m, mode=name, **options)
        self.x = rng.standard_normal((*batch, *n)).astype(dtype)
        self.g = rng.standard_normal((*batch, *m)).astype(dtype)

    def time_forward(self, mode: str, sizes: str, dtype: str) -> None:
        self.resampler.forward(self.x)

    def time_adjoint(self, mode: str, sizes: str, dtype: str) -> None:
        self.resampler.adjoint(self.g)


class Layout:
    """Two axes that are not the last: channels last, and the outer axes of a volume."""

    params = (["nearest", "linear", "cubic"], [3, 4, 64])
    param_names = ("mode", "channels")

    def setup(self, mode: str, channels: int) -> None:
        rng = np.random.default_rng(0)
        self.resampler = upsample.Resampler((256, 256), (512, 512), mode=mode)
        self.x = rng.standard_normal((256, 256, channels), np.float32)
        self.g = rng.standard_normal((512, 512, channels), np.float32)

    def time_forward(self, mode: str, channels: int) -> None:
        self.resampler.forward(self.x, axes=(0, 1))

    def time_adjoint(self, mode: str, channels: int) -> None:
        self.resampler.adjoint(self.g, axes=(0, 1))


class Threads:
    """How the work is shared."""

    params = (["linear", "cubic"], [1, 2, 4])
    param_names = ("mode", "threads")

    def setup(self, mode: str, threads: int) -> None:
        rng = np.random.default_rng(0)
        self.resampler = upsample.Resampler((1024, 1024), (2048, 2048), mode=mode)
        self.x = rng.standard_normal((1024, 1024), np.float32)
        self.g = rng.standard_normal((2048, 2048), np.float32)
        self.y, self.dx = np.ones_like(self.g), np.ones_like(self.x)

    def time_forward(self, mode: str, threads: int) -> None:
        self.resampler.forward(self.x, out=self.y, num_threads=threads)

    def time_adjoint(self, mode: str, threads: int) -> None:
        self.resampler.adjoint(self.g, out=self.dx, num_threads=threads)


class Memory:
    """Peak memory of the process: 320 MiB of arrays, about 30 of NumPy, and what a call adds."""

    params = (["nearest", "linear", "cubic", "lanczos3", "cubic antialias"],)
    param_names = ("mode",)

    def setup(self, mode: str) -> None:
        name, options = MODES[mode]
        self.resampler = upsample.Resampler((4096, 4096), (8192, 8192), mode=name, **options)
        self.x = np.ones((4096, 4096), np.float32)
        self.y = np.ones((8192, 8192), np.float32)

    def peakmem_forward(self, mode: str) -> None:
        self.resampler.forward(self.x, out=self.y)

    def peakmem_adjoint(self, mode: str) -> None:
        self.resampler.adjoint(self.y, out=self.x)
