"""The rows of weights of a block of tokens, compiled by numba: which they are, and their sums.

:mod:`crfdeid.engine.decoding.compiled_patterns` lists the rows of patterns. The templates of a bundle
(:mod:`crfdeid.engine.decoding.tables`) all have values at every token; they take one look-up together, which
gives the sum of their rows. The sum is made when a combination of values is new. All rows of a token are
listed first. Then they are added four at a time: one row after the other would read and write the sums for
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import find_slot, prefetch_row
from crfdeid.engine.decoding.compiled_patterns import BLOCK, find_rows, list_rows
from crfdeid.engine.decoding.packed_tables import BIAS, IN_LINE, ZEROS, count_ends
from crfdeid.engine.kept_loops import BARE, INLINED, OPTIONS

GROUP = 4  # rows that are added at once


class Lists(NamedTuple):
    """The rows of each token of a block: ``counts[i]`` numbers ``whole[i]`` of rows of
    :class:`crfdeid.engine.decoding.packed_tables.PackedRows`, then rows of zeros up to a multiple of four;
    and ``single_counts[i]`` numbers ``singles[i]`` of lines, of rows with few labels."""

    counts: Ints
    whole: Ints
    single_counts: Ints
    singles: Ints


class Columns(NamedTuple):
    """The codes [rows, tokens] of observations: observation n has the rows ``first[n]`` to ``first[n + 1]``.
    The tokens of sequences for which row r has a value are ``places[ends[r] : ends[r + 1]]``."""

    codes: Ints
    first: Ints
    places: Ints
    ends: Ints


def stack_columns(columns: Sequence[Ints], sequence: Ints) -> Columns:
    """Stack columns [tokens] or [values, tokens] of codes; ``sequence`` [tokens] is -1 outside the
    sequences."""
    first = count_ends([len(c) if c.ndim == 2 else 1 for c in columns])
    codes = np.empty((int(first[-1]), len(sequence)), np.int32)
    for column, a, b in zip(columns, first.tolist(), first[1:].tolist()):
        codes[a:b] = column
    places, ends = np.empty(codes.size + 1, np.int32), np.zeros(len(codes) + 1, np.int64)
    list_places(codes, sequence, places, ends)
    return Columns(codes, first, places, ends)


@njit(**BARE)
def list_places(codes, sequence, places, ends):
    """Fill ``places`` and ``ends`` (:class:`Columns`). Numbers without sign are never counted from the end;
    with that, and without a branch, it is three times as fast."""
    count = np.uint64(0)
    for row in range(len(codes)):
        own = codes[row]
        for t in range(np.uint64(len(sequence))):
            places[count] = np.int32(t)
            is_none = (own[t] | sequence[t]) >> np.int32(31)  # -1 where one is negative, else 0
            count += np.uint64(is_none + 1)
        ends[row + 1] = np.int64(count)


@njit(**BARE)
def count_most(columns, packed):
    """The most rows that patterns can give a token."""
    most = 0
    for k in range(packed.single):
        name = packed.names[packed.parts[k]]
        rows = columns.first[name + 1] - columns.first[name]
        most += rows * (packed.shift_ends[k + 1] - packed.shift_ends[k])
    return most


@njit(**OPTIONS)
def make_lists(offsets, columns, packed, rows, bundles):
    """Arrays for the lists of a block of tokens, which :func:`list_block` fills, block after block."""
    most = count_most(columns, packed)
    width = 1 + len(offsets) + len(bundles.parts) - 1 + most + GROUP
    whole, single = np.empty((BLOCK, width), np.int32), np.empty((BLOCK, most * rows.longest + 2), np.int32)
    return Lists(np.empty(BLOCK, np.int64), whole, np.empty(BLOCK, np.int64), single)


@njit(**BARE)
def list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, searches, lists):
    """List the rows of the tokens from ``begin`` to before ``end``."""
    lists.counts[:] = 0
    lists.single_counts[:] = 0
    list_window(begin, end, texts, sequence, offsets, rows.window, lists.counts, lists.whole)
    list_sums(begin, end, sequence, columns, packed, rows, bundles, lists.counts, lists.whole)
    list_rows(begin, end, sequence, columns, packed, rows, searches, lists)
    for i in range(end - begin):
        lists.whole[i, lists.counts[i] : lists.counts[i] + GROUP] = ZEROS


@njit(**BARE)
def list_window(begin, end, texts, sequence, offsets, window, counts, whole):
    """List the bias, and the rows of the texts around each token."""
    for t in range(begin, end):
        i, count = t - begin, 1
        whole[i, 0] = BIAS
        for o in range(len(offsets)):
            u = t + offsets[o]
            if 0 <= u < len(sequence) and sequence[u] == sequence[t]:
                whole[i, count] = window + texts[u] * len(offsets) + o
                count += 1
        counts[i] = count


@njit(**BARE)
def list_sums(begin, end, sequence, columns, packed, rows, bundles, counts, whole):
    """List the sums of the bundles. Those that are new are made."""
    codes, first = columns.codes, columns.first
    parts, names, offsets, sizes, strides = bundles[:5]
    bits, keys, slot_sums, count, most = bundles[8:]
    size = len(parts) - 1
    if count[0] + size * (end - begin) > most:
        keys[:] = NONE
        count[0] = 0
    for j in range(size):
        for t in range(begin, end):
            of = sequence[t]
            if of < 0:
                continue
            key = np.int64(0)
            for p in range(parts[j], parts[j + 1]):
                u = t + offsets[p]
                if 0 <= u < len(sequence) and sequence[u] == of:
                    code = np.int64(codes[first[names[p]], u]) + 1
                    key += code * strides[p] if code < sizes[p] else 0
            key = key * size + j
            slot = find_slot(key, bits, 0, keys)
            if keys[slot] == NONE:
                keys[slot], slot_sums[slot] = key, count[0]
                sum_bundle(j, t, sequence, columns, packed, rows, bundles, rows.table[rows.sums + count[0]])
                count[0] += 1
            whole[t - begin, counts[t - begin]] = rows.sums + slot_sums[slot]
            counts[t - begin] += 1


@njit(**BARE)
def sum_bundle(j, t, sequence, columns, packed, rows, bundles, into):
    """Fill ``into`` with the sum of the rows of bundle ``j`` at token ``t``."""
    codes, first = columns.codes, columns.first
    _, parts, names, offsets, sizes, strides, shift_ends, shifts, bits, slots, keys, slot_rows, _ = packed
    into[:] = 0.0
    for m in range(bundles.ends[j], bundles.ends[j + 1]):
        k = bundles.patterns[m]
        x, of = t + shifts[shift_ends[k] + bundles.shifts[m]], sequence[t]
        found = find_rows(
            k, x, of, NONE, 0, sequence, codes, first, parts, names, offsets, sizes, strides, bits,
            slots, keys, slot_rows,
        )  # fmt: skip
        if found >= 0 and packed.rows[found + bundles.shifts[m]] >= 0:
            add_row(packed.rows[found + bundles.shifts[m]], rows, into)


@njit(**BARE)
def add_row(r, rows, into):
    """Add row ``r`` of a pattern."""
    whole = rows.sums - rows.dense
    if r < whole:
        for y in range(len(into)):
            into[y] += rows.table[rows.dense + r, y]
    else:
        for line in range(rows.begins[r - whole], rows.begins[r - whole + 1]):
            add_line(line, rows.lines, into)


@njit(**INLINED)
def add_line(line, lines, into):
    """Add a line of a row with few labels."""
    own = np.uint64(line)
    for q in range(np.uint64(IN_LINE)):
        into[np.uint64(np.int64(lines[own, q]))] += lines[own, q + np.uint64(IN_LINE)]


@njit(**INLINED)
def add_listed(i, last, counts, whole, single_counts, singles, table, lines, into):
    """Fill ``into`` with the sum of the rows that are listed for token ``i`` of a block whose last token is
    ``last``. The rows of the next token are fetched from memory meanwhile."""
    following = min(i + 1, last)
    for q in range(1, counts[following]):
        prefetch_row(table[whole[following, q]])
    for q in range(0, counts[i], GROUP):
        a, b = np.uint64(whole[i, q]), np.uint64(whole[i, q + 1])  # without sign: never from the end
        c, d = np.uint64(whole[i, q + 2]), np.uint64(whole[i, q + 3])
        if q == 0:
            for y in range(len(into)):
                into[y] = (table[a, y] + table[b, y]) + (table[c, y] + table[d, y])
        else:
            for y in range(len(into)):
                into[y] += (table[a, y] + table[b, y]) + (table[c, y] + table[d, y])
    for q in range(single_counts[i]):
        add_line(singles[i, q], lines, into)


@njit(**BARE)
def add_blocks(starts, blocks, ends, places, weights, rows):
    """As :func:`crfdeid.engine.decoding.tables.add_blocks`."""
    for i in range(len(starts)):
        for e in range(ends[blocks[i]], ends[blocks[i] + 1]):
            rows[starts[i], places[e]] += weights[e]
