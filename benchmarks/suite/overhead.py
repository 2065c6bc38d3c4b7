"""What a call costs beside its arithmetic: import, arguments, tables."""

from __future__ import annotations

import numpy as np

import upsample


def timeraw_import() -> str:
    """Import the package, NumPy included."""
    return "import upsample"


def timeraw_import_after_numpy() -> tuple[str, str]:
    return "import upsample", "import numpy"


class Small:
    """One call on an array of 8 x 8 samples."""

    params = (["nearest", "linear", "cubic", "lanczos3", "area"],)
    param_names = ("mode",)

    def setup(self, mode: str) -> None:
        self.x = np.ones((1, 1, 8, 8), np.float32)
        self.g = np.ones((1, 1, 16, 16), np.float32)
        self.resampler = upsample.Resampler((8, 8), (16, 16), mode=mode)
        self.y, self.dx = np.ones_like(self.g), np.ones_like(self.x)

    def time_interpolate(self, mode: str) -> None:
        upsample.interpolate(self.x, size=(16, 16), mode=mode)

    def time_interpolate_by_factor(self, mode: str) -> None:
        upsample.interpolate(self.x, scale_factor=2, mode=mode)

    def time_interpolate_backward(self, mode: str) -> None:
        upsample.interpolate_backward(self.g, (8, 8), mode=mode)

    def time_forward_out(self, mode: str) -> None:
        self.resampler.forward(self.x, out=self.y)

    def time_adjoint_out(self, mode: str) -> None:
        self.resampler.adjoint(self.g, out=self.dx)


class Tables:
    """Building a plan that no cache holds."""

    params = (["nearest", "linear", "lanczos3"], [512, 1 << 18])
    param_names = ("mode", "length")

    def setup(self, mode: str, length: int) -> None:
        self.length = length

    def time_build(self, mode: str, length: int) -> None:
        # A length that was not asked for before.
        self.length += 1
        upsample.Resampler(self.length, 2 * self.length - 1, mode=mode)
