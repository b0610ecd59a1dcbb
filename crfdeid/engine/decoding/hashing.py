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
    mask = (np.int64(1) << bits) - 1
    slot = np.int64((np.uint64(key) * MIX) >> np.uint64(64 - bits))
    while slot_keys[base + slot] != NONE and slot_keys[base + slot] != key:
        slot = (slot + 1) & mask
    return base + slot


@njit(**OPTIONS)
def fill_slots(keys, places, bits, base, slot_keys, slot_places):
    """Put the place of each key into its slot: of a hash table, or ``base + key`` where ``bits`` is 0."""
    for number in range(len(keys)):
        key = keys[number]
        slot = find_slot(key, bits, base, slot_keys) if bits else base + key
        slot_keys[slot] = key
        slot_places[slot] = places[number]
