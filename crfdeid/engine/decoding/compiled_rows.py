"""The rows of weights of a block of tokens, compiled by numba: which they are, and their sums.

A pattern (:mod:`crfdeid.engine.decoding.tables`) looks up its key only where its rarest part has a value. The
templates of a bundle all have values at every token; they take one look-up together, which gives the sum
of their rows. The sum is made when a combination of values is new. All rows of a token are listed first, and
then added one after the other, while its scores are in the nearest cache.

Rows are padded to a multiple of eight labels, the width of a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.hashing import INLINED, OPTIONS, fill_slots, find_slot
from crfdeid.engine.decoding.tables import Bundle, Pattern, Rows, Tables

DIRECT = 1 << 15  # with at most this many possible keys, a plain table replaces the hash table
REMEMBERED = 12  # bits: the sums that are kept at once for each bundle


class Packed(NamedTuple):
    """All patterns of a model in arrays. Pattern k has the parts ``parts[k]`` to ``parts[k + 1]``, and the
    shifts ``shift_ends[k]`` to ``shift_ends[k + 1]``. Its slots begin at ``slots[k]``: 2 ** ``bits[k]`` of a
    hash table, or one for each key where ``bits[k]`` is 0. A slot has the place of its key's rows in
    ``rows``, -1 for none. The first ``single`` patterns are not in bundles."""

    single: int
    parts: Ints
    names: Ints
    offsets: Ints
    sizes: Ints
    strides: Ints
    shift_ends: Ints
    shifts: Ints
    bits: Ints
    slots: Ints
    slot_keys: Ints
    slot_rows: Ints
    rows: Ints


class PackedRows(NamedTuple):
    """The rows of weights, as :class:`crfdeid.engine.decoding.tables.Rows`; the dense ones are padded."""

    dense: Floats
    ends: Ints
    labels: Ints
    values: Floats


class PackedBundles(NamedTuple):
    """All bundles in arrays. Bundle j has the parts ``parts[j]`` to ``parts[j + 1]``, and as members the
    templates ``ends[j]`` to ``ends[j + 1]``: shift ``shifts[m]`` of pattern ``patterns[m]``. ``keys`` is a
    hash table of 2 ** ``bits`` slots with the known combinations; a slot's sum is
    ``sums[slot_sums[slot]]``, and ``known[0]`` sums are known."""

    parts: Ints
    names: Ints
    offsets: Ints
    sizes: Ints
    strides: Ints
    ends: Ints
    patterns: Ints
    shifts: Ints
    bits: int
    keys: Ints
    slot_sums: Ints
    known: Ints
    sums: Floats


class Columns(NamedTuple):
    """The codes [rows, tokens] of observations: observation n has the rows ``first[n]`` to ``first[n + 1]``.
    The tokens of sequences for which row r has a value are ``places[ends[r] : ends[r + 1]]``."""

    codes: Ints
    first: Ints
    places: Ints
    ends: Ints


def pad_last(array: Floats, width: int, value: float) -> Floats:
    """Return the array with ``value`` up to ``width`` in the last dimension; where it has that, itself."""
    if array.shape[-1] == width:
        return array
    found = np.full((*array.shape[:-1], width), value)
    found[..., : array.shape[-1]] = array
    return found


def join_arrays(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *arrays])


def count_ends(sizes: Sequence[int]) -> Ints:
    return np.cumsum([0, *sizes])


def pack_tables(tables: Tables) -> Packed:
    """Pack the patterns; name n is the n-th of ``tables.names``."""
    patterns = tables.patterns
    bits = [0 if p.space <= DIRECT else int(2 * len(p.keys)).bit_length() for p in patterns]
    slots = count_ends([1 << b if b else p.space for b, p in zip(bits, patterns)])
    slot_keys, slot_rows = np.full(slots[-1], NONE, np.int64), np.full(slots[-1], NONE, np.int32)
    used = 0
    for pattern, own, base in zip(patterns, bits, slots.tolist()):
        places = used + np.arange(len(pattern.keys)) * len(pattern.shifts)
        fill_slots(pattern.keys, places, own, base, slot_keys, slot_rows)
        used += pattern.rows.size
    return Packed(
        len(patterns) - len({pattern for bundle in tables.bundles for pattern, _ in bundle.members}),
        *_pack_parts(patterns, tables.names),
        count_ends([len(p.shifts) for p in patterns]),
        join_arrays([p.shifts for p in patterns]),
        np.array(bits, np.int64),
        slots,
        slot_keys,
        slot_rows,
        join_arrays([p.rows.ravel() for p in patterns]).astype(np.int32),
    )


def _pack_parts(
    items: Sequence[Pattern | Bundle], names: Sequence[str]
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    number = {name: place for place, name in enumerate(names)}
    return (
        count_ends([len(item.names) for item in items]),
        np.array([number[name] for item in items for name in item.names], np.int64),
        join_arrays([item.offsets for item in items]),
        join_arrays([item.sizes for item in items]),
        join_arrays([item.strides for item in items]),
    )


def pack_rows(rows: Rows, width: int) -> PackedRows:
    dense = pad_last(rows.dense, width, 0.0)
    return PackedRows(dense, rows.ends.astype(np.int64), rows.labels.astype(np.int32), rows.values)


def pack_bundles(tables: Tables, width: int) -> PackedBundles:
    """Pack the bundles; no combination is known."""
    members = [member for bundle in tables.bundles for member in bundle.members]
    bits = REMEMBERED + max(len(tables.bundles) - 1, 0).bit_length()
    known = 1 << bits if members else 0
    return PackedBundles(
        *_pack_parts(tables.bundles, tables.names),
        count_ends([len(bundle.members) for bundle in tables.bundles]),
        np.array([pattern for pattern, _ in members], np.int64),
        np.array([shift for _, shift in members], np.int64),
        bits + 1,
        np.full(2 * known, NONE, np.int64),
        np.zeros(2 * known, np.int32),
        np.zeros(1, np.int64),
        np.zeros((known, width)),
    )


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


@njit(**OPTIONS)
def list_places(codes, sequence, places, ends):
    """Fill ``places`` and ``ends`` (:class:`Columns`)."""
    count = 0
    for row in range(len(codes)):
        for t in range(len(sequence)):
            places[count] = t
            count += 1 if codes[row, t] >= 0 and sequence[t] >= 0 else 0
        ends[row + 1] = count


@njit(**OPTIONS)
def find_place(places, a, b, least):
    """The first of the sorted ``places[a:b]`` that is at least ``least``, ``b`` where there is none."""
    while a < b:
        middle = (a + b) >> 1
        if places[middle] < least:
            a = middle + 1
        else:
            b = middle
    return a


@njit(**INLINED)
def find_rows(
    k, x, of, skip, key, sequence, codes, first, parts, names, offsets, sizes, strides, bits, slots, keys,
    rows,
):  # fmt: skip
    """The place of the rows of pattern ``k`` whose first part is at token ``x`` of sequence ``of``, or -1.
    ``key`` is that of part ``skip`` alone."""
    for p in range(parts[k], parts[k + 1]):
        if p == skip:
            continue
        u = x + offsets[p]
        if u < 0 or u >= len(sequence) or sequence[u] != of:
            return np.int64(NONE)
        code = np.int64(codes[first[names[p]], u])
        if code < 0 or code >= sizes[p]:
            return np.int64(NONE)
        key += code * strides[p]
    place = find_slot(key, bits[k], slots[k], keys) if bits[k] else slots[k] + key
    return np.int64(rows[place])


@njit(**OPTIONS)
def count_most(columns, packed):
    """The most rows that patterns can give a token."""
    most = 0
    for k in range(packed.single):
        name = packed.names[packed.parts[k]]
        rows = columns.first[name + 1] - columns.first[name]
        most += rows * (packed.shift_ends[k + 1] - packed.shift_ends[k])
    return most


@njit(**OPTIONS)
def list_rows(begin, end, sequence, columns, packed, counts, listed):
    """List the rows of the patterns for the tokens from ``begin`` to before ``end``: ``counts[i]`` rows
    ``listed[i]`` of token ``begin + i``."""
    codes, first, places, ends = columns
    single, parts, names, offsets, sizes, strides, shift_ends, shifts, bits, slots, keys, slot_rows, rows = (
        packed
    )
    counts[:] = 0
    for k in range(single):
        rarest, least = parts[k], len(places)
        for p in range(parts[k], parts[k + 1]):
            row = first[names[p]]
            if ends[row + 1] - ends[row] < least:
                rarest, least = p, ends[row + 1] - ends[row]
        s0, s1 = shift_ends[k], shift_ends[k + 1]
        low, high = shifts[s0:s1].min(), shifts[s0:s1].max()
        own = offsets[rarest]
        for row in range(first[names[rarest]], first[names[rarest] + 1]):
            for q in range(find_place(places, ends[row], ends[row + 1], begin + low + own), ends[row + 1]):
                u = np.int64(places[q])
                if u >= end + high + own:
                    break
                code = np.int64(codes[row, u])
                if code >= sizes[rarest]:
                    continue
                x, of, key = u - own, sequence[u], code * strides[rarest]
                found = find_rows(
                    k, x, of, rarest, key, sequence, codes, first, parts, names, offsets, sizes, strides,
                    bits, slots, keys, slot_rows,
                )  # fmt: skip
                if found < 0:
                    continue
                for s in range(s0, s1):
                    t, r = x - shifts[s], rows[found + s - s0]
                    if r >= 0 and begin <= t < end and sequence[t] == of:
                        listed[t - begin, counts[t - begin]] = r
                        counts[t - begin] += 1


@njit(**OPTIONS)
def list_sums(begin, end, sequence, columns, packed, rows, bundles, summed):
    """List the sums of the bundles: ``summed[i]`` [bundles] of token ``begin + i``. Those that are new are
    made."""
    codes, first = columns.codes, columns.first
    parts, names, offsets, sizes, strides = bundles[:5]
    bits, keys, slot_sums, count, sums = bundles[8:]
    size = len(parts) - 1
    if count[0] + size * (end - begin) > len(sums):
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
                sum_bundle(j, t, sequence, columns, packed, rows, bundles, sums[count[0]])
                count[0] += 1
            summed[t - begin, j] = slot_sums[slot]


@njit(**OPTIONS)
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
            add_row(
                packed.rows[found + bundles.shifts[m]], rows.dense, rows.ends, rows.labels, rows.values, into
            )


@njit(**INLINED)
def add_row(r, dense, ends, labels, values, into):
    """Add row ``r`` of the weights."""
    if r < len(dense):
        for y in range(len(into)):
            into[y] += dense[r, y]
    else:
        for e in range(ends[r - len(dense)], ends[r - len(dense) + 1]):
            into[labels[e]] += values[e]


@njit(**INLINED)
def add_window(t, texts, sequence, offsets, window, into):
    """Add the rows ``window`` [texts, offsets, width] of the texts around token ``t``."""
    for o in range(len(offsets)):
        u = t + offsets[o]
        if 0 <= u < len(sequence) and sequence[u] == sequence[t]:
            x = texts[u]
            for y in range(len(into)):
                into[y] += window[x, o, y]


@njit(**OPTIONS)
def add_blocks(starts, blocks, ends, places, weights, rows):
    """As :func:`crfdeid.engine.decoding.numpy_kernels.add_blocks`."""
    for i in range(len(starts)):
        for e in range(ends[blocks[i]], ends[blocks[i] + 1]):
            rows[starts[i], places[e]] += weights[e]
