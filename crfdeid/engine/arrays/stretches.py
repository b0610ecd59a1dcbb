"""Stretches: runs of tokens without white space between them. Some values depend only on a stretch's text."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE


class Stretches(Protocol):
    """Numbers distinct stretches of two tokens or more."""

    def __len__(self) -> int: ...

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """Return the number of each token's stretch [tokens], -1 for a token by itself; and the first token
        and the end [stretches, 2] of each stretch that is new, in the order of their numbers."""


class PlainStretches:
    """Numbers stretches by their text."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """As :meth:`Stretches.number`."""
        begins = np.ones(len(batch), bool)
        begins[1:] = batch.ends[:-1] != batch.starts[1:]
        begins[batch.bounds[:-1][np.diff(batch.bounds) > 0]] = True
        first = np.flatnonzero(begins)
        sizes = np.diff(np.append(first, len(batch)))
        found = np.full(len(first), NONE)
        new: list[tuple[int, int]] = []
        many = np.flatnonzero(sizes > 1)
        for place, a, size in zip(many.tolist(), first[many].tolist(), sizes[many].tolist()):
            key = size, batch.slice(a, a + size)
            if key not in self.numbers:
                self.numbers[key] = len(self.numbers)
                new.append((a, a + size))
            found[place] = self.numbers[key]
        return np.repeat(found, sizes), np.array(new, np.int64).reshape(len(new), 2)
