"""The types of arrays in annotations."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]  # of any size, signed or not


class Scores(Protocol):
    """The scores of a batch [tokens, labels]: an array, or what computes those of the tokens that are asked
    for, anew each time."""

    def __len__(self) -> int: ...

    def __getitem__(self, tokens: slice, /) -> Floats: ...
