"""How the scores of tokens come about in training: as sums of rows and of single weights.

The rows of one table have a number for each label. First come those of the sets of attributes
with many labels; then those of bundles that many tokens have, each the sum of its sets'. All
others are single weights, *pairs* of a set and a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.numba_kernels import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.feature_counts import Pairs, narrowest_type
from crfdeid.engine.training.tied_attributes import AttributeSets
from crfdeid.engine.training.training_set import TrainingSet

MANY = 6  # pairs that are worth a row
CHUNKS, CHUNK = 32, 100_000  # at least so many lots, of at most so many tokens
OFTEN = 32  # tokens that make a bundle's row worth its making


class Sums(NamedTuple):
    """Item i is the sum of ``rows[row_ends[i] : row_ends[i + 1]]`` of the table, and of weights
    ``pairs[pair_ends[i] : pair_ends[i + 1]]`` at the places ``labels``."""

    row_ends: np.ndarray
    rows: np.ndarray
    pair_ends: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


class Tokens(NamedTuple):
    """Of what the scores of some sequences' tokens are sums; ``bounds`` [sequences + 1] delimit the
    sequences. Sequence s has the rows ``rows[shares[s] : shares[s + 1]]`` of the table, each of them
    once. That at place q is of the tokens ``holders[ends[q] : ends[q + 1]]``, counted from the first of
    the sequence. Weights are listed for each token, as in :class:`Sums`."""

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
    """``whole`` has the pairs that are the table's first rows; ``made`` sums the rows after
    them; ``lots`` the scores of the tokens, of some sequences after the other."""

    whole: Sums
    made: Sums
    lots: list[Tokens]

    @property
    def rows(self) -> int:
        return len(self.whole.row_ends) + len(self.made.row_ends) - 2


def build_layout(problem: TrainingSet, sets: AttributeSets, pairs: Pairs, places: np.ndarray) -> Layout:
    """``places`` [labels] is where labels stand in a row. The problem's columns are taken away."""
    whole = np.flatnonzero(pairs.sizes >= MANY)
    row_of_set = np.full(len(sets.sizes), NONE, np.int32)
    row_of_set[whole] = np.arange(len(whole))
    loose = np.where(row_of_set == NONE, pairs.sizes, 0)  # the pairs of sets without a row
    counts = _within(sets.bundles, row_of_set != NONE), _within(sets.bundles, loose)
    worth = (pairs.bundles >= OFTEN) & (counts[0] * MANY + counts[1] > MANY)
    made = np.flatnonzero(worth)
    row_of_bundle = np.full(len(worth), NONE, np.int32)
    row_of_bundle[made] = np.arange(len(whole), len(whole) + len(made))
    where = places[pairs.label].astype(narrowest_type(int(places.max(initial=0)) + 1))
    kind = narrowest_type(len(whole) + len(made))  # one for all lists, so that loops are compiled once
    sources = Sources(sets.bundles, row_of_set, pairs.ends, where, kind, counts)
    rows = sources.sums([made.astype(np.int32)], np.full(len(worth), NONE, np.int32))
    every = Lists(np.arange(len(sets.sizes) + 1), np.arange(len(sets.sizes)))
    none = np.full_like(row_of_set, NONE)
    alone = Sources(every, none, pairs.ends, where, kind, (0 * pairs.sizes, pairs.sizes))
    firsts = alone.sums([whole.astype(np.int32)], np.full(len(sets.sizes), NONE, np.int32))
    lots = []
    waiting = split_columns(
        problem
    )  # where a lot's lists are made its columns go, so that both are never held
    while waiting:
        bounds, columns = waiting.pop(0)
        lots.append(group_by_sequence(sources.sums(columns, row_of_bundle), bounds, len(whole) + len(made)))
    return Layout(firsts, rows, lots)


def split_columns(problem: TrainingSet) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """Bounds and columns of some sequences after the other. The problem's columns are taken away."""
    bounds = problem.bounds
    most = min(max(int(bounds[-1]) // CHUNKS, 1), CHUNK)
    edges = np.unique(np.append(np.searchsorted(bounds, np.arange(0, bounds[-1], most)), len(bounds) - 1))
    found = [(bounds[a : b + 1] - bounds[a], []) for a, b in pairwise(edges.tolist())]
    starts = bounds[edges].tolist()
    while problem.columns:
        column = problem.columns.pop(0)
        for (_, columns), (first, last) in zip(found, pairwise(starts)):
            columns.append(column[first:last].copy())
    return found


def _within(bundles: Lists, numbers: np.ndarray) -> np.ndarray:
    """The sum of the numbers [sets] of each bundle's sets."""
    sums = np.zeros(len(bundles.values) + 1, np.int64)
    np.cumsum(numbers[bundles.values], out=sums[1:])
    return (sums[bundles.ends[1:]] - sums[bundles.ends[:-1]]).astype(np.int32)


@dataclass(frozen=True)
class Sources:
    """Of what a bundle is the sum: its sets, the row of each or -1, and their pairs; ``counts`` how
    many rows and pairs that makes. ``row_kind`` holds the number of any row."""

    bundles: Lists
    row_of_set: np.ndarray
    pair_ends: np.ndarray
    pair_label: np.ndarray
    row_kind: type
    counts: tuple[np.ndarray, np.ndarray]

    def sums(self, columns: list[np.ndarray], row_of_bundle: np.ndarray) -> Sums:
        """Items that are the sum of a bundle (or none: -1) from each of ``columns``: of the bundle's row,
        or where it has none of all that it holds. The columns are taken away one by one, as what
        is made of them takes their memory."""
        has_row = row_of_bundle != NONE
        row_ends, row_count = _starts(columns, np.where(has_row, 1, self.counts[0]))
        pair_ends, pair_count = _starts(columns, np.where(has_row, 0, self.counts[1]))
        rows = np.empty(row_count, self.row_kind)
        pairs, labels = np.empty(pair_count, np.uint32), np.empty(pair_count, self.pair_label.dtype)
        while columns:
            _list(
                columns.pop(0), row_of_bundle, self.bundles.ends, self.bundles.values, self.row_of_set,
                self.pair_ends, self.pair_label, row_ends[1:], pair_ends[1:], rows, pairs, labels,
            )  # fmt: skip
        return Sums(row_ends, rows, pair_ends, pairs, labels)


def group_by_sequence(sums: Sums, bounds: np.ndarray, rows: int) -> Tokens:
    """The sums of tokens, of which ``bounds`` [sequences + 1] delimit the sequences; ``rows`` is the number
    of all rows. A document has a row four times, so that to go through its rows takes fewer
    reads of a table that is larger than the cache than to go through its tokens."""
    shares = np.zeros(len(bounds), np.uint32)
    last = np.full(rows, NONE, np.int32)
    _count(bounds, sums.row_ends, sums.rows, last, shares)
    np.cumsum(shares, out=shares)
    longest = int(np.diff(bounds).max(initial=0))
    holders = np.empty(len(sums.rows), np.promote_types(narrowest_type(longest), np.uint16))
    held, ends = np.empty(shares[-1], sums.rows.dtype), np.zeros(int(shares[-1]) + 1, sums.row_ends.dtype)
    last[:] = NONE
    _share(bounds, sums.row_ends, sums.rows, last, np.zeros(rows, np.int64), shares, held, ends, holders)
    return Tokens(bounds, shares, held, ends, holders, sums.pair_ends, sums.pairs, sums.labels)


@njit(**COMPILED)
def _count(bounds, row_ends, rows, last, shares):
    for s in range(len(bounds) - 1):
        for q in range(row_ends[bounds[s]], row_ends[bounds[s + 1]]):
            if last[rows[q]] != s:
                last[rows[q]] = s
                shares[s + 1] += 1


@njit(**COMPILED)
def _share(bounds, row_ends, rows, last, places, shares, held, ends, holders):
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
    """Where the list of each item begins, after a 0, and how long all lists are together, where each
    bundle of an item adds its ``sizes`` to the item's list. (Filling the lists moves the
    beginnings to the ends.)"""
    sizes = np.append(sizes, 0)  # what -1 finds
    counts = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        counts += sizes[column]
    total = int(counts.sum())
    found = np.zeros(len(counts) + 1, np.uint32 if total < 2**32 else np.int64)
    np.cumsum(counts[:-1], out=found[2:])
    return found, total


@njit(**COMPILED)
def _list(
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
