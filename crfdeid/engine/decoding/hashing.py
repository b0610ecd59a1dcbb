"""Hash tables of whole numbers for compiled loops: open addressing, one slot after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.kept_loops import ARE_KEPT

OPTIONS: dict[str, Any] = {"nogil": True, "cache": ARE_KEPT}
BARE: dict[str, Any] = {**OPTIONS, "_nrt": False}
INLINED: dict[str, Any] = {**OPTIONS, "inline": "always"}  # an array as an argument costs as much as a sum
MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(**INLINED)
def find_slot(key, bits, base, slot_keys):
    """The slot of a key, or a free slot where it has none, in the table of 2 ** ``bits`` slots that begins at
    ``base``."""
    one, start = np.uint64(1), np.uint64(base)  # without sign: never from the end
    mask = (one << np.uint64(bits)) - one
    slot = (np.uint64(key) * MIX) >> np.uint64(64 - bits)
    while slot_keys[start + slot] != NONE and slot_keys[start + slot] != key:
        slot = (slot + one) & mask
    return start + slot


@njit(**OPTIONS)
def fill_slots(keys, places, bits, base, slot_keys, slot_places):
    """Put the place of each key into its slot: of a hash table, or ``base + key`` where ``bits`` is 0."""
    for number in range(len(keys)):
        key = keys[number]
        slot = find_slot(key, bits, base, slot_keys) if bits else np.uint64(base + key)
        slot_keys[slot] = key
        slot_places[slot] = places[number]
