"""How the scores of tokens are computed in training: as sums of rows and of single weights.

The rows of one table have a number for each label. First are the rows of sets of attributes
that have many labels; then the rows of bundles that many tokens have, each the sum of its sets' rows.
All other terms are single weights, for *pairs* of a set and a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.kept_loops import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.feature_counts import AttributeSets, Pairs, narrowest_type
from crfdeid.engine.training.training_set import TrainingSet

MANY = 6  # a set with this many pairs gets a row
CHUNKS, CHUNK = 32, 100_000  # the least number of chunks, and the most tokens of one
OFTEN = 32  # a bundle that this many tokens have gets a row


class Sums(NamedTuple):
    """Item i is the sum of the table's rows ``rows[row_ends[i] : row_ends[i + 1]]`` and of the weights
    ``pairs[pair_ends[i] : pair_ends[i + 1]]``, which are added at the places ``labels``."""

    row_ends: np.ndarray
    rows: np.ndarray
    pair_ends: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


class Tokens(NamedTuple):
    """The terms of the scores of tokens, for some sequences; ``bounds`` [sequences + 1] delimit the
    sequences. Sequence s has the table's rows ``rows[shares[s] : shares[s + 1]]``, each only once. The
    row at index q belongs to the tokens ``holders[ends[q] : ends[q + 1]]``, counted from the first token
    of the sequence. Weights are listed for each token, as in :class:`Sums`."""

    bounds: np.ndarray
    shares: np.ndarray
    rows: np.ndarray
    ends: np.ndarray
    holders: np.ndarray
    pair_ends: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Layout:
    """``set_rows`` are the sums that give the table's first rows, ``bundle_rows`` those of the rows after
    them; ``chunks`` are the scores of the tokens, for consecutive sequences."""

    set_rows: Sums
    bundle_rows: Sums
    chunks: list[Tokens]

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.set_rows.row_ends) + len(self.bundle_rows.row_ends) - 2


def build_layout(training_set: TrainingSet, sets: AttributeSets, pairs: Pairs, places: np.ndarray) -> Layout:
    """Lay out the terms of all scores; ``places`` [labels] are the places of labels in a row. Removes the
    columns of the training set."""
    whole_sets = np.flatnonzero(pairs.sizes >= MANY)
    row_of_set = np.full(len(sets.sizes), NONE, np.int32)
    row_of_set[whole_sets] = np.arange(len(whole_sets))
    loose = np.where(row_of_set == NONE, pairs.sizes, 0)  # the pairs of sets without a row
    counts = _sum_sets(sets.bundles, row_of_set != NONE), _sum_sets(sets.bundles, loose)
    has_row = (pairs.bundles >= OFTEN) & (counts[0] * MANY + counts[1] > MANY)
    bundles = np.flatnonzero(has_row)
    row_of_bundle = np.full(len(has_row), NONE, np.int32)
    size = len(whole_sets) + len(bundles)
    row_of_bundle[bundles] = np.arange(len(whole_sets), size)
    pair_place = places[pairs.label].astype(narrowest_type(int(places.max(initial=0)) + 1))
    kind = narrowest_type(size)  # one type for all lists, so that loops are compiled once
    terms = Terms(sets.bundles, row_of_set, pairs.ends, pair_place, kind, counts)
    bundle_rows = terms.list_sums([bundles.astype(np.int32)], np.full(len(has_row), NONE, np.int32))
    every = Lists(np.arange(len(sets.sizes) + 1), np.arange(len(sets.sizes)))
    none = np.full_like(row_of_set, NONE)
    only_pairs = Terms(every, none, pairs.ends, pair_place, kind, (0 * pairs.sizes, pairs.sizes))
    set_rows = only_pairs.list_sums([whole_sets.astype(np.int32)], np.full(len(sets.sizes), NONE, np.int32))
    chunks, waiting = [], split_columns(training_set)
    while waiting:  # a chunk's columns are freed when its lists are ready: never are all in memory
        bounds, columns = waiting.pop(0)
        chunks.append(group_by_sequence(terms.list_sums(columns, row_of_bundle), bounds, size))
    return Layout(set_rows, bundle_rows, chunks)


def split_columns(training_set: TrainingSet) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """The bounds and columns of each chunk of consecutive sequences. Removes the columns of the training
    set."""
    bounds = training_set.bounds
    most = min(max(int(bounds[-1]) // CHUNKS, 1), CHUNK)
    edges = np.unique(np.append(np.searchsorted(bounds, np.arange(0, bounds[-1], most)), len(bounds) - 1))
    chunks: list[tuple[np.ndarray, list[np.ndarray]]] = [
        (bounds[a : b + 1] - bounds[a], []) for a, b in pairwise(edges.tolist())
    ]
    starts = bounds[edges].tolist()
    while training_set.columns:
        column = training_set.columns.pop(0)
        for (_, columns), (first, last) in zip(chunks, pairwise(starts)):
            columns.append(column[first:last].copy())
    return chunks


def _sum_sets(bundles: Lists, numbers: np.ndarray) -> np.ndarray:
    """The sum of the numbers [sets] of each bundle's sets."""
    sums = np.zeros(len(bundles.values) + 1, np.int64)
    np.cumsum(numbers[bundles.values], out=sums[1:])
    return (sums[bundles.ends[1:]] - sums[bundles.ends[:-1]]).astype(np.int32)


@dataclass(frozen=True)
class Terms:
    """The terms of a bundle's sum: its sets, the row of each set or -1, and their pairs with the places of
    their labels. ``counts`` are the numbers of rows and of pairs of each bundle; ``row_kind`` is a type
    for the number of any row."""

    bundles: Lists
    row_of_set: np.ndarray
    pair_ends: np.ndarray
    pair_label: np.ndarray
    row_kind: type[np.unsignedinteger[Any]]
    counts: tuple[np.ndarray, np.ndarray]

    def list_sums(self, columns: list[np.ndarray], row_of_bundle: np.ndarray) -> Sums:
        """List the terms of items that are the sum of one bundle (or none: -1) from each of ``columns``: the
        bundle's row, or, where it has no row, the terms of its sets. Removes the columns one by one, so
        that their memory is free for the lists."""
        has_row = row_of_bundle != NONE
        row_ends, row_count = _starts(columns, np.where(has_row, 1, self.counts[0]))
        pair_ends, pair_count = _starts(columns, np.where(has_row, 0, self.counts[1]))
        rows: Ints = np.empty(row_count, self.row_kind)
        pairs, labels = np.empty(pair_count, np.uint32), np.empty(pair_count, self.pair_label.dtype)
        while columns:
            _fill_lists(
                columns.pop(0), row_of_bundle, self.bundles.ends, self.bundles.values, self.row_of_set,
                self.pair_ends, self.pair_label, row_ends[1:], pair_ends[1:], rows, pairs, labels,
            )  # fmt: skip
        return Sums(row_ends, rows, pair_ends, pairs, labels)


def group_by_sequence(sums: Sums, bounds: np.ndarray, rows: int) -> Tokens:
    """List the sums of tokens by sequence and row; ``bounds`` [sequences + 1] delimit the sequences, ``rows``
    is the number of all rows. A row occurs about four times in a document, and the table is larger than
    the cache: so a loop over a document's rows reads less memory than a loop over its tokens."""
    shares = np.zeros(len(bounds), np.uint32)
    last = np.full(rows, NONE, np.int32)
    _count_rows(bounds, sums.row_ends, sums.rows, last, shares)
    np.cumsum(shares, out=shares)
    longest = int(np.diff(bounds).max(initial=0))
    holders = np.empty(len(sums.rows), np.promote_types(narrowest_type(longest), np.uint16))
    held, ends = np.empty(shares[-1], sums.rows.dtype), np.zeros(int(shares[-1]) + 1, sums.row_ends.dtype)
    last[:] = NONE
    _fill_holders(
        bounds, sums.row_ends, sums.rows, last, np.zeros(rows, np.int64), shares, held, ends, holders
    )
    return Tokens(bounds, shares, held, ends, holders, sums.pair_ends, sums.pairs, sums.labels)


@njit(**COMPILED)
def _count_rows(bounds, row_ends, rows, last, shares):
    for s in range(len(bounds) - 1):
        for q in range(row_ends[bounds[s]], row_ends[bounds[s + 1]]):
            if last[rows[q]] != s:
                last[rows[q]] = s
                shares[s + 1] += 1


@njit(**COMPILED)
def _fill_holders(bounds, row_ends, rows, last, places, shares, held, ends, holders):
    for s in range(len(bounds) - 1):
        found = np.int64(shares[s])
        for q in range(row_ends[bounds[s]], row_ends[bounds[s + 1]]):
            if last[rows[q]] != s:
                last[rows[q]], places[rows[q]], held[found] = s, found, rows[q]
                found += 1
            ends[places[rows[q]] + 1] += 1
        for place in range(shares[s], shares[s + 1]):
            ends[place + 1] += ends[place]
        for place in range(shares[s], shares[s + 1]):
            places[held[place]] = ends[place]
        for t in range(bounds[s], bounds[s + 1]):
            for q in range(row_ends[t], row_ends[t + 1]):
                holders[places[rows[q]]] = t - bounds[s]
                places[rows[q]] += 1


def _starts(columns: list[np.ndarray], sizes: np.ndarray) -> tuple[np.ndarray, int]:
    """Where the list of each item begins, after a 0, and the length of all lists together; each bundle of
    an item adds its ``sizes`` to the item's list. (When the lists are filled, the beginnings move to the
    ends.)"""
    sizes = np.append(sizes, 0)  # for the bundle -1
    counts = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        counts += sizes[column]
    total = int(counts.sum())
    found = np.zeros(len(counts) + 1, np.uint32 if total < 2**32 else np.int64)
    np.cumsum(counts[:-1], out=found[2:])
    return found, total


@njit(**COMPILED)
def _fill_lists(
    column,
    row_of_bundle,
    ends,
    sets,
    row_of_set,
    pair_ends,
    pair_label,
    row_places,
    pair_places,
    rows,
    pairs,
    labels,
):
    for item in range(len(column)):
        bundle = column[item]
        if bundle == NONE:
            continue
        if row_of_bundle[bundle] != NONE:
            rows[row_places[item]] = row_of_bundle[bundle]
            row_places[item] += 1
            continue
        for q in range(ends[bundle], ends[bundle + 1]):
            one = sets[q]
            if row_of_set[one] != NONE:
                rows[row_places[item]] = row_of_set[one]
                row_places[item] += 1
                continue
            for k in range(pair_ends[one], pair_ends[one + 1]):
                pairs[pair_places[item]] = k
                labels[pair_places[item]] = pair_label[k]
                pair_places[item] += 1
