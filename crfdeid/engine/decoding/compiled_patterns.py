"""The look-ups of patterns (:mod:`crfdeid.engine.decoding.tables`) in a block of tokens, compiled by numba.

A pattern looks up its key only where its rarest part has a value. The keys of a block are looked up first,
then the rows of those that were found are listed: both loops have next to no branches, because a processor
cannot foresee which keys are found, and which rows have few labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import find_slot
from crfdeid.engine.kept_loops import BARE, INLINED, OPTIONS

BLOCK = 128  # tokens whose rows are listed at once


class Searches(NamedTuple):
    """Where patterns are looked up in blocks, which are searched in order. Search s looks up pattern
    ``patterns[s]`` where its part ``parts[s]`` has a value in row ``rows[s]`` of the columns. The tokens from
    ``begin`` to before ``end`` need what is found from ``begin + early[s]`` to before ``end + late[s]``.
    ``following[s]`` is the first of the row's places that the next block needs. ``found`` and ``found_rows``
    have room for what a search finds in one block: the token of a pattern's first part, and the place of its
    rows."""

    patterns: Ints
    parts: Ints
    rows: Ints
    early: Ints
    late: Ints
    following: Ints
    found: Ints
    found_rows: Ints


@njit(**INLINED)
def find_rows(
    k, x, of, skip, key, sequence, codes, first, parts, names, offsets, sizes, strides, bits, slots, keys,
    rows,
):  # fmt: skip
    """The place of the rows of pattern ``k`` whose first part is at token ``x`` of sequence ``of``, or -1.
    ``key`` is that of part ``skip`` alone, which has a value."""
    known, last = True, np.int64(len(sequence)) - 1
    for p in range(np.uint64(parts[k]), np.uint64(parts[k + 1])):
        if p != np.uint64(skip):
            u = x + offsets[p]
            inside = np.uint64(min(max(u, 0), last))
            code = np.int64(codes[np.uint64(first[np.uint64(names[p])]), inside])
            known &= (u == np.int64(inside)) & (sequence[inside] == of) & (code >= 0) & (code < sizes[p])
            key += code * strides[p]
    if bits[k]:
        place = find_slot(key, bits[k], slots[k], keys)
    else:
        place = np.uint64(slots[k] + (key if known else 0))
    found = np.int64(rows[place])
    return found if known else np.int64(NONE)


@njit(**BARE)
def find_place(places, a, b, least):
    """The first of the sorted ``places[a:b]`` that is at least ``least``, ``b`` where there is none."""
    while a < b:
        middle = (a + b) >> 1
        if places[middle] < least:
            a = middle + 1
        else:
            b = middle
    return a


@njit(**BARE)
def find_rarest(k, columns, packed):
    """The part of pattern ``k`` that has a value at the fewest tokens."""
    rarest, least = packed.parts[k], len(columns.places)
    for p in range(packed.parts[k], packed.parts[k + 1]):
        row = columns.first[packed.names[p]]
        if columns.ends[row + 1] - columns.ends[row] < least:
            rarest, least = p, columns.ends[row + 1] - columns.ends[row]
    return rarest


@njit(**OPTIONS)
def plan_searches(begin, columns, packed):
    """Choose the searches of blocks, of which the first begins at token ``begin``."""
    first, places, ends = columns.first, columns.places, columns.ends
    most = packed.single * len(columns.codes)
    patterns, parts, rows = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    early, late, following = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    count = reach = 0
    for k in range(packed.single):
        part = find_rarest(k, columns, packed)
        name, own = packed.names[part], packed.offsets[part]
        shifts = packed.shifts[packed.shift_ends[k] : packed.shift_ends[k + 1]]
        reach = max(reach, shifts.max() - shifts.min())
        for row in range(first[name], first[name + 1]):
            if ends[row] < ends[row + 1]:
                patterns[count], parts[count], rows[count] = k, part, row
                early[count], late[count] = own + shifts.min(), own + shifts.max()
                following[count] = find_place(places, ends[row], ends[row + 1], begin + early[count])
                count += 1
    room = BLOCK + reach
    return Searches(
        patterns[:count], parts[:count], rows[:count], early[:count], late[:count], following[:count],
        np.empty(room, np.int32), np.empty(room, np.int32),
    )  # fmt: skip


@njit(**BARE)
def list_rows(begin, end, sequence, columns, packed, table, searches, lists):
    """List the rows of the patterns for the tokens of a block, the next after the one before."""
    for s in range(len(searches.patterns)):
        count = search(s, begin, end, sequence, columns, packed, searches)
        k = searches.patterns[s]
        for shift in range(packed.shift_ends[k], packed.shift_ends[k + 1]):
            list_found(k, shift, count, begin, end, sequence, packed, table, searches, lists)


@njit(**BARE)
def search(s, begin, end, sequence, columns, packed, searches):
    """Look up the keys of search ``s`` for the tokens of a block; return how many were found."""
    codes, first, places, ends = columns
    _, parts, names, offsets, sizes, strides, _, _, bits, slots, keys, slot_rows, _ = packed
    k, part, row = searches.patterns[s], searches.parts[s], np.uint64(searches.rows[s])
    own, size, stride = offsets[part], sizes[part], strides[part]
    begins, stop, limit = np.uint64(ends[row]), np.uint64(ends[row + np.uint64(1)]), end + searches.late[s]
    count, q = np.uint64(0), np.uint64(searches.following[s])
    while q < stop and places[q] < limit:
        u = np.uint64(places[q])
        x, code = np.int64(u) - own, np.int64(codes[row, u])
        found = find_rows(
            k, x, sequence[u], part, code * stride, sequence, codes, first, parts, names, offsets, sizes,
            strides, bits, slots, keys, slot_rows,
        )  # fmt: skip
        searches.found[count], searches.found_rows[count] = x, found
        count += np.uint64((found >= 0) & (code < size))
        q += np.uint64(1)
    while q > begins and places[q - np.uint64(1)] >= end + searches.early[s]:
        q -= np.uint64(1)
    searches.following[s] = q
    return count


@njit(**BARE)
def list_found(k, shift, count, begin, end, sequence, packed, table, searches, lists):
    """List the rows of pattern ``k`` for one of its shifts, where a search found ``count`` keys."""
    counts, whole, single_counts, singles = lists
    dense, count_whole, begins = table.dense, table.sums - table.dense, table.begins
    for h in range(count):
        x = np.int64(searches.found[h])
        t = x - packed.shifts[shift]
        r = np.int64(packed.rows[np.uint64(searches.found_rows[h] + shift - packed.shift_ends[k])])
        if r < 0 or t < begin or t >= end or sequence[np.uint64(t)] != sequence[np.uint64(x)]:
            continue
        i, is_whole, few = np.uint64(t - begin), r < count_whole, np.uint64(max(r - count_whole, 0))
        place = np.uint64(counts[i])
        whole[i, place] = dense + r  # the next row takes this place where it is not whole
        counts[i] += is_whole
        line, place = begins[few], np.uint64(single_counts[i])
        lines = np.uint64(0 if is_whole else begins[few + np.uint64(1)] - line)
        singles[i, place] = line
        singles[i, place + np.uint64(1)] = line + 1
        for another in range(np.uint64(2), lines):
            singles[i, place + another] = line + another
        single_counts[i] += lines
