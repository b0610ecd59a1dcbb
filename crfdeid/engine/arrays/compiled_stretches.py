"""Stretches numbered by the numbers of their texts, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE, enlarge
from crfdeid.engine.kept_loops import BARE

MIX = np.uint64(0x9E3779B97F4A7C15)


class CompiledStretches:
    """A hash table of runs of text numbers (:class:`crfdeid.engine.arrays.stretches.Stretches`): stretch n
    has the texts ``pool[bounds[n] : bounds[n + 1]]``."""

    def __init__(self) -> None:
        self.slots = np.full(1 << 12, NONE, np.int32)
        self.pool = np.zeros(1 << 12, np.int32)
        self.bounds = np.zeros(1 << 11, np.int64)
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """As :meth:`crfdeid.engine.arrays.stretches.Stretches.number`."""
        size = len(batch)
        self.pool = enlarge(self.pool, int(self.bounds[self.count]) + size)
        self.bounds = enlarge(self.bounds, self.count + size // 2 + 2)
        if 2 * (self.count + size // 2) > len(self.slots):
            self.slots = np.full(1 << int(4 * (self.count + size // 2)).bit_length(), NONE, np.int32)
            fill_slots(self.slots, self.pool, self.bounds, self.count)
        found, new = np.empty(size, np.int64), np.empty((size // 2, 2), np.int64)
        arrays = self.slots, self.pool, self.bounds
        tokens = batch.texts, batch.starts, batch.ends, batch.bounds
        before, self.count = self.count, number_stretches(*tokens, *arrays, self.count, found, new)
        return found, new[: self.count - before]


@njit(**BARE)
def find_slot(texts, first, stop, slots, pool, bounds):
    """The slot of a stretch, or the free slot where it belongs."""
    value = np.uint64(stop - first)
    for i in range(first, stop):
        value = (value ^ np.uint64(texts[i])) * MIX
        value ^= value >> np.uint64(32)
    mask = np.uint64(len(slots) - 1)
    slot = value & mask
    while slots[slot] != NONE:
        start = bounds[slots[slot]]
        if bounds[slots[slot] + 1] - start == stop - first:
            same = True
            for i in range(stop - first):
                same &= pool[start + i] == texts[first + i]
            if same:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(**BARE)
def fill_slots(slots, pool, bounds, count):
    """Put all stretches into empty slots."""
    for number in range(count):
        slots[find_slot(pool, bounds[number], bounds[number + 1], slots, pool, bounds)] = number


@njit(**BARE)
def number_stretches(texts, starts, ends, documents, slots, pool, bounds, count, found, new):
    """Fill ``found`` [tokens] with stretch numbers, and ``new`` with the bounds of new stretches; return the
    number of stretches. ``documents`` are the bounds of the documents' tokens."""
    known = count
    for d in range(len(documents) - 1):
        first = documents[d]
        while first < documents[d + 1]:
            stop = first + 1
            while stop < documents[d + 1] and ends[stop - 1] == starts[stop]:
                stop += 1
            number = np.int64(NONE)
            if stop > first + 1:
                slot = find_slot(texts, first, stop, slots, pool, bounds)
                if slots[slot] == NONE:
                    slots[slot] = count
                    start = bounds[count]
                    for i in range(stop - first):
                        pool[start + i] = texts[first + i]
                    bounds[count + 1] = start + stop - first
                    new[count - known, 0], new[count - known, 1] = first, stop
                    count += 1
                number = np.int64(slots[slot])
            for t in range(first, stop):
                found[t] = number
            first = stop
    return count
