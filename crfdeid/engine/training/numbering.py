"""Numbers for distinct keys, and the names of numbered attributes.

Keys get their numbers in the order in which they first occur, so that what occurs together is close
together in memory. Names of attributes are made only when they are asked for: most attributes get no
weight, and nobody asks for their names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import overload

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import MIX
from crfdeid.engine.kept_loops import OPTIONS as COMPILED

Numbered = tuple[np.ndarray, np.ndarray]  # the distinct keys, and the number of each key


def number_keys(keys: np.ndarray) -> Numbered:
    """The distinct keys (int64) in the order in which they first occur, and the number of each key.

    >>> [part.tolist() for part in number_keys(np.array([7, 5, 7]))]
    [[7, 5], [0, 1, 0]]
    """
    numbered = number_few_keys(keys, len(keys))
    assert numbered is not None  # no more keys are distinct than there are keys
    return numbered


def number_few_keys(keys: np.ndarray, most: int) -> Numbered | None:
    """As :func:`number_keys`; ``None`` where more than ``most`` keys are distinct.

    >>> number_few_keys(np.array([7, 5, 7]), 1)
    """
    most = min(most, len(keys))
    bits = int(2 * most).bit_length() + 1
    slots, kinds = np.full(1 << bits, NONE, np.int32), np.empty(most, np.int64)
    numbers = np.empty(len(keys), np.int32)
    count = _number(keys, np.uint64(64 - bits), slots, kinds, numbers)
    return None if count == NONE else (kinds[:count].copy(), numbers)


@njit(**COMPILED)
def _number(keys, shift, slots, kinds, numbers):
    """Return how many keys are distinct, -1 where they do not fit into ``kinds``."""
    mask = np.uint64(len(slots) - 1)
    count = 0
    for index in range(len(keys)):
        key = keys[index]
        slot = (np.uint64(key) * MIX) >> shift
        while slots[slot] != NONE and kinds[slots[slot]] != key:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == NONE:
            if count == len(kinds):
                return NONE
            slots[slot] = count
            kinds[count] = key
            count += 1
        numbers[index] = slots[slot]
    return count


def transpose(ends: np.ndarray, values: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which items hold each value below ``size``, where item i holds ``values[ends[i] : ends[i + 1]]``;
    in the same form.

    >>> [part.tolist() for part in transpose(np.array([0, 2, 3]), np.array([1, 0, 1]), 2)]
    [[0, 1, 3], [0, 0, 1]]
    """
    found_ends = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(values, minlength=size), out=found_ends[1:])
    found = np.empty(len(values), np.int32)
    _transpose(ends, values, found_ends[:-1].copy(), found)
    return found_ends, found


@njit(**COMPILED)
def _transpose(ends, values, places, found):
    for item in range(len(ends) - 1):
        for q in range(ends[item], ends[item + 1]):
            found[places[values[q]]] = item
            places[values[q]] += 1


class AttributeNames(Sequence[str]):
    """The names of attributes by number. The attributes of one template are a block of consecutive
    numbers."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.blocks: list[tuple[str, Sequence[Sequence[str]], np.ndarray]] = []
        self.size = 0

    def __len__(self) -> int:
        return self.size

    def add(self, head: str, values: Sequence[Sequence[str]], kinds: np.ndarray) -> int:
        """Add a block with one attribute for each row of ``kinds`` [attributes, parts], which has the number
        of each part's value; return the number of its first attribute."""
        self.firsts.append(self.size)
        self.blocks.append((head, values, kinds))
        self.size += len(kinds)
        return self.firsts[-1]

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(self.size))]
        if not 0 <= number < self.size:
            raise IndexError(number)
        place = bisect_right(self.firsts, number) - 1  # after empty blocks with the same first number
        head, values, kinds = self.blocks[place]
        return attribute_name(head, values, kinds[number - self.firsts[place]].tolist())


def attribute_name(head: str, values: Sequence[Sequence[str]], kind: Sequence[int]) -> str:
    """The name of an attribute from its template and the numbers of its parts' values.

    >>> attribute_name("lower[0]|shape[0]", [["a", "b"], ["Aa"]], [1, 0])
    'lower[0]|shape[0]=b|Aa'
    """
    return f"{head}={'|'.join(v[i] for v, i in zip(values, kind))}" if values else head


def list_values(numbers: dict[str, int]) -> tuple[list[list[str]], np.ndarray]:
    """All values of one observation, as arguments of :meth:`AttributeNames.add`."""
    return [list(numbers)], np.arange(len(numbers), dtype=np.int32)[:, None]


def add_first(codes: np.ndarray, first: int) -> np.ndarray:
    """The numbers of attributes, for codes of values whose block begins with ``first``; -1 stays -1."""
    return np.where(codes == NONE, NONE, codes.astype(np.int32) + first).astype(np.int32)


def merge_spellings(values: Sequence[Sequence[str]], kinds: np.ndarray) -> np.ndarray:
    """For each row of ``kinds`` the first row with the same name. (Two rows have the same name only where a
    value contains the bar: "a", "|b" and "a|", "b" are both a||b.)

    >>> merge_spellings([["a", "a|"], ["b", "|b"]], np.array([[0, 0], [0, 1], [1, 0]])).tolist()
    [0, 1, 1]
    """
    same = np.arange(len(kinds))
    doubtful = np.zeros(len(kinds), bool)
    for known, column in zip(values, kinds.T):
        doubtful |= np.array(["|" in value for value in known], bool)[column]
    seen: dict[str, int] = {}
    for row in np.flatnonzero(doubtful).tolist():
        same[row] = seen.setdefault(attribute_name("", values, kinds[row].tolist()), row)
    return same
