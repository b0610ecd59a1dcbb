"""Numbers for distinct keys, in the order in which they first occur (so that what is met together
lies together in memory)."""

from __future__ import annotations

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.numba_kernels import MIX
from crfdeid.engine.decoding.numba_kernels import OPTIONS as COMPILED


def numbered(keys: np.ndarray, most: int | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """The distinct keys (int64), and the number of each key; ``None`` where more than ``most`` are
    distinct.

    >>> [part.tolist() for part in numbered(np.array([7, 5, 7]))]
    [[7, 5], [0, 1, 0]]
    >>> numbered(np.array([7, 5, 7]), 1)
    """
    most = len(keys) if most is None else min(most, len(keys))
    bits = int(2 * most).bit_length() + 1
    slots, kinds = np.full(1 << bits, NONE, np.int32), np.empty(most, np.int64)
    numbers = np.empty(len(keys), np.int32)
    count = _number(keys, np.uint64(64 - bits), slots, kinds, numbers)
    return None if count == NONE else (kinds[:count].copy(), numbers)


@njit(**COMPILED)
def _number(keys, shift, slots, kinds, numbers):
    """Returns how many are distinct, -1 where they do not fit into ``kinds``."""
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


def transposed(ends: np.ndarray, values: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which items hold each value below ``size``, where item i holds ``values[ends[i] : ends[i + 1]]``.

    >>> [part.tolist() for part in transposed(np.array([0, 2, 3]), np.array([1, 0, 1]), 2)]
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
