"""The types of arrays in annotations, and the places of ranges."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]  # of any size, signed or not


def list_places(starts: Ints, sizes: Ints) -> Ints:
    """Return the places of ranges of these sizes, one range after the other.

    >>> list_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(sizes) - sizes
    places: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return places


class Scores(Protocol):
    """The scores of a batch [tokens, labels]: an array, or what computes those of the tokens that are asked
    for, anew each time."""

    def __len__(self) -> int: ...

    def __getitem__(self, tokens: slice, /) -> Floats: ...
