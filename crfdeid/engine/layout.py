"""How the scores of tokens come about in training: as sums of rows and of single weights.

The rows of one table have a number for each label. First come those of the sets of attributes
with many labels; then those of bundles that many tokens have, each the sum of its sets'. All
others are single weights, *pairs* of a set and a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.bundles import Listed
from crfdeid.engine.compiled import OPTIONS as COMPILED
from crfdeid.engine.occurrences import Pairs
from crfdeid.engine.problem import Problem
from crfdeid.engine.texts import NONE
from crfdeid.engine.twins import Sets

MANY = 6  # pairs that are worth a row
OFTEN = 8  # tokens that make a bundle's row worth its making


class Sums(NamedTuple):
    """Item i is the sum of ``rows[row_ends[i] : row_ends[i + 1]]`` of the table, and of weights
    ``pairs[pair_ends[i] : pair_ends[i + 1]]`` at the places ``labels``."""

    row_ends: np.ndarray
    rows: np.ndarray
    pair_ends: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Layout:
    """``whole`` has the pairs that are the table's first rows; ``made`` sums the rows after
    them; ``tokens`` the scores of tokens."""

    whole: Sums
    made: Sums
    tokens: Sums

    @property
    def rows(self) -> int:
        return len(self.whole.row_ends) + len(self.made.row_ends) - 2


def layout(problem: Problem, sets: Sets, pairs: Pairs, places: np.ndarray) -> Layout:
    """``places`` [labels] is where labels stand in a row."""
    whole = np.flatnonzero(pairs.sizes >= MANY)
    row_of_set = np.full(len(sets.sizes), NONE, np.int32)
    row_of_set[whole] = np.arange(len(whole))
    loose = np.where(row_of_set == NONE, pairs.sizes, 0)  # the pairs of sets without a row
    held_rows = row_of_set[sets.bundles.values] != NONE
    counts = (_within(sets.bundles.ends, held_rows), _within(sets.bundles.ends, loose[sets.bundles.values]))
    worth = (pairs.bundles >= OFTEN) & (counts[0] * MANY + counts[1] > MANY)
    made = np.flatnonzero(worth)
    row_of_bundle = np.full(len(worth), NONE, np.int32)
    row_of_bundle[made] = np.arange(len(whole), len(whole) + len(made))
    where = places[pairs.label].astype(np.uint8 if places.max(initial=0) < 256 else np.uint16)
    sources = Sources(sets.bundles, row_of_set, pairs.ends, where, counts)
    rows = sources.sums([made.astype(np.int32)], np.full(len(worth), NONE, np.int32))
    every = Listed(np.arange(len(sets.sizes) + 1), np.arange(len(sets.sizes)))
    alone = Sources(every, np.full_like(row_of_set, NONE), pairs.ends, where, (0 * pairs.sizes, pairs.sizes))
    firsts = alone.sums([whole.astype(np.int32)], np.full(len(sets.sizes), NONE, np.int32))
    return Layout(firsts, rows, sources.sums(problem.columns, row_of_bundle))


def _within(ends: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The sum of each item's values."""
    sums = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return sums[ends[1:]] - sums[ends[:-1]]


@dataclass(frozen=True)
class Sources:
    """Of what a bundle is the sum: its sets, the row of each or -1, and their pairs; ``counts`` how
    many rows and pairs that makes."""

    bundles: Listed
    row_of_set: np.ndarray
    pair_ends: np.ndarray
    pair_label: np.ndarray
    counts: tuple[np.ndarray, np.ndarray]

    def sums(self, columns: list[np.ndarray], row_of_bundle: np.ndarray) -> Sums:
        """Items that are the sum of a bundle (or none: -1) from each of ``columns``: of the bundle's row,
        or where it has none of all that it holds."""
        has_row = row_of_bundle != NONE
        sizes = (np.where(has_row, 1, self.counts[0]), np.where(has_row, 0, self.counts[1]))
        ends = []
        for size in sizes:
            size = np.append(size, 0)  # what -1 finds
            count = sum((size[column] for column in columns), np.zeros(len(columns[0]), np.int64))
            ends.append(np.concatenate([[0], np.cumsum(count)]))
        rows, pairs = (np.empty(int(end[-1]), np.uint32) for end in ends)
        labels = np.empty(len(pairs), self.pair_label.dtype)
        places = [end[:-1].copy() for end in ends]
        for column in columns:
            _list(
                column, row_of_bundle, self.bundles.ends, self.bundles.values, self.row_of_set,
                self.pair_ends, self.pair_label, *places, rows, pairs, labels,
            )  # fmt: skip
        row_ends, pair_ends = (end.astype(np.uint32 if end[-1] < 2**32 else np.uint64) for end in ends)
        return Sums(row_ends, rows, pair_ends, pairs, labels)


@njit(**COMPILED)
def _list(
    column, row_of_bundle, ends, sets, row_of_set, pair_ends, pair_label, row_places, pair_places,
    rows, pairs, labels,
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
