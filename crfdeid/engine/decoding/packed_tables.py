"""The weights of templates packed into arrays, for compiled loops.

All rows with a number for each label are in one array, so that a token's rows are a list of numbers: a row of
zeros, the bias, the rows of patterns, the sums of bundles, and the window rows of texts, for which there is
memory that takes no place before it is written. Rows are padded to a multiple of eight labels, the width of
a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE, enlarge, pad_last
from crfdeid.engine.compiled_math import fill_slots
from crfdeid.engine.decoding.tables import Bundle, Pattern, Rows, Tables

ZEROS, BIAS, DENSE = range(3)  # the first rows of a table
IN_LINE = 4  # weights, with their labels, in one line of the cache
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
    """``table`` [rows, width] has a row of zeros, the bias, the dense rows of
    :class:`crfdeid.engine.decoding.tables.Rows` from ``dense`` on, the sums of bundles from ``sums`` on, and
    from ``window`` on a row for each text and offset. A row with few labels is some lines of ``lines``
    [lines, 8], each with four labels and their weights, so that a line is one of the cache and is added
    without a branch; row r has the lines ``begins[r]`` to ``begins[r + 1]``, at most ``longest``."""

    table: Floats
    dense: int
    sums: int
    window: int
    begins: Ints
    longest: int
    lines: Floats


class PackedBundles(NamedTuple):
    """All bundles in arrays. Bundle j has the parts ``parts[j]`` to ``parts[j + 1]``, and as members the
    templates ``ends[j]`` to ``ends[j + 1]``: shift ``shifts[m]`` of pattern ``patterns[m]``. ``keys`` is a
    hash table of 2 ** ``bits`` slots with the known combinations, and ``slot_sums`` are the numbers of their
    sums. ``known[0]`` sums of at most ``most`` are known."""

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
    most: int


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


def pack_rows(rows: Rows, width: int, sums: int) -> PackedRows:
    """Pack the rows, with room for this number of ``sums``, and none for texts."""
    begin = DENSE + len(rows.dense)
    table = np.zeros((begin + sums, width))
    table[DENSE:begin] = pad_last(rows.dense, width, 0.0)
    begins, lines = pack_lines(rows)
    longest = int(np.diff(begins).max(initial=0))
    return PackedRows(table, DENSE, begin, len(table), begins, longest, lines)


def pack_lines(rows: Rows) -> tuple[Ints, Floats]:
    """Return ``begins`` and ``lines`` of :class:`PackedRows`. The rest of a line adds 0.

    >>> rows = Rows(np.zeros((0, 9)), np.array([0, 2, 3]), np.array([4, 7, 4]), np.array([0.1, 0.2, 0.3]))
    >>> [part.tolist() for part in pack_lines(rows)]
    [[0, 1, 2], [[4.0, 7.0, 2.0, 3.0, 0.1, 0.2, 0.0, 0.0], [4.0, 1.0, 2.0, 3.0, 0.3, 0.0, 0.0, 0.0]]]
    """
    sizes = np.diff(rows.ends)
    begins = count_ends((-(-sizes // IN_LINE)).tolist()).astype(np.int32)
    lines: Floats = np.tile(np.append(np.arange(IN_LINE), np.zeros(IN_LINE)), (int(begins[-1]), 1))
    within = np.arange(len(rows.values)) - np.repeat(rows.ends[:-1], sizes)
    line = np.repeat(begins[:-1], sizes) + within // IN_LINE
    lines[line, within % IN_LINE] = rows.labels
    lines[line, IN_LINE + within % IN_LINE] = rows.values
    return begins, lines


def clear_window(rows: PackedRows, used: int, size: int) -> PackedRows:
    """Return the rows with ``size`` window rows of zeros; ``used`` are the sums that are kept."""
    table = np.zeros((rows.window + size, rows.table.shape[1]))
    table[: rows.sums + used] = rows.table[: rows.sums + used]
    return rows._replace(table=table)


def enlarge_window(rows: PackedRows, size: int) -> PackedRows:
    """Return the rows with at least ``size`` window rows."""
    return rows._replace(table=enlarge(rows.table, rows.window + size))


def pack_bundles(tables: Tables) -> PackedBundles:
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
        known,
    )
