from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

HAS_OPENMP: bool
CHECKED: bool
VECTOR_BYTES: int

@final
class Table:
    def __init__(
        self,
        n: int,
        first: npt.NDArray[np.int64],
        count: npt.NDArray[np.int32],
        weights: npt.NDArray[np.floating[Any]],
        holes: bool,
        selection: bool,
        hints: tuple[int, ...],
        windows: Sequence[tuple[Any, ...] | None] = (),
    ) -> None: ...
    @property
    def selection(self) -> bool: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def index(self) -> npt.NDArray[np.int64]: ...

@final
class Replay:
    def __call__(
        self,
        x: object,
        axes: object,
        out: object,
        num_threads: object,
    ) -> npt.NDArray[Any] | None: ...

def empty_like(
    x: npt.NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> npt.NDArray[Any]: ...
def max_threads() -> int: ...
def resample(
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    first: Table,
    first_axis: int,
    second: Table | None = None,
    second_axis: int = -1,
    threads: int = 1,
    grain: int = 1,
    axes: object = None,
    default_threads: Callable[[], int] | None = None,
    fresh: bool = False,
) -> Replay | None: ...
