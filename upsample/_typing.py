"""Names of types that several modules write in their signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.floating[Any]]
Shape = tuple[int, ...]
Sizes = int | Sequence[int]
Factors = float | Sequence[float]
