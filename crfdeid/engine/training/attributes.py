"""The attributes of a training set by number: their names are made when they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.feature_extraction.token import Value


class Attributes(Sequence[str]):
    """The names, most of which nobody asks for, since their attributes get no weight. Those of a
    template are a block of consecutive numbers."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.blocks: list[tuple[str, Sequence[Sequence[str]], np.ndarray]] = []
        self.size = 0

    def __len__(self) -> int:
        return self.size

    def add(self, head: str, values: Sequence[Sequence[str]], kinds: np.ndarray) -> int:
        """A block for the rows of ``kinds`` [attributes, parts], which say the value of each part by
        its number; the number of its first."""
        self.firsts.append(self.size)
        self.blocks.append((head, values, kinds))
        self.size += len(kinds)
        return self.firsts[-1]

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < self.size:  # of equal firsts (an empty block) the last is the one
            raise IndexError(number)
        place = bisect_right(self.firsts, number) - 1
        head, values, kinds = self.blocks[place]
        return named(head, values, kinds[number - self.firsts[place]].tolist())


def named(head: str, values: Sequence[Sequence[str]], kind: Sequence[int]) -> str:
    return f"{head}={'|'.join(v[i] for v, i in zip(values, kind))}" if values else head


def listing(numbers: dict[Value, int]) -> tuple[list[list[Value]], np.ndarray]:
    """All values of one observation, as :meth:`Attributes.add` wants them."""
    return [list(numbers)], np.arange(len(numbers), dtype=np.int32)[:, None]


def raised(codes: np.ndarray, first: int) -> np.ndarray:
    """The attributes of codes, whose block begins with ``first``."""
    return np.where(codes == NONE, NONE, codes.astype(np.int32) + first).astype(np.int32)


def spelt(values: Sequence[Sequence[str]], kinds: np.ndarray) -> np.ndarray:
    """The first row of ``kinds`` that is written the same. (Rows can be only where a value holds the
    bar: "a", "|b" and "a|", "b" are both a||b.)

    >>> spelt([["a", "a|"], ["b", "|b"]], np.array([[0, 0], [0, 1], [1, 0]])).tolist()
    [0, 1, 1]
    """
    same = np.arange(len(kinds))
    doubtful = np.zeros(len(kinds), bool)
    for known, column in zip(values, kinds.T):
        doubtful |= np.array(["|" in value for value in known], bool)[column]
    seen: dict[str, int] = {}
    for row in np.flatnonzero(doubtful).tolist():
        same[row] = seen.setdefault(named("", values, kinds[row].tolist()), row)
    return same
