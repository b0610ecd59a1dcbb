"""Scores and best paths of whole batches, compiled by numba.

The columns of a part of a batch are stacked at once, so that a note of many million tokens needs them only
once. In it a block of a few hundred tokens goes the whole way: its rows are listed and added
(:mod:`crfdeid.engine.decoding.compiled_rows`), and Viterbi goes on by one token after the other
(:mod:`crfdeid.engine.decoding.compiled_viterbi`). :mod:`crfdeid.engine.decoding.tables` has the same
:class:`Scorer` in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints, Scores
from crfdeid.engine.arrays.vocabulary import NONE, pad_last
from crfdeid.engine.decoding.compiled_patterns import BLOCK, plan_searches
from crfdeid.engine.decoding.compiled_rows import (
    add_blocks,
    add_listed,
    list_block,
    make_lists,
    stack_columns,
)
from crfdeid.engine.decoding.compiled_viterbi import (
    WORD,
    Steps,
    build_chain,
    double_length,
    enter,
    leave,
    trace_back,
)
from crfdeid.engine.decoding.links import VECTOR
from crfdeid.engine.decoding.packed_tables import (
    BIAS,
    Packed,
    PackedBundles,
    clear_window,
    enlarge_window,
    pack_bundles,
    pack_rows,
    pack_tables,
)
from crfdeid.engine.decoding.tables import Tables
from crfdeid.engine.kept_loops import BARE, INLINED, OPTIONS

__all__ = ["Scorer", "add_blocks"]

PART = 1 << 18  # tokens whose columns are stacked at once


class Scorer:
    """Computes scores and best paths of batches. ``bias`` [labels] is read again for each batch; ``window``
    is [texts, offsets, ``width``]."""

    def __init__(self, tables: Tables, offsets: Ints, bias: Floats, transitions: Floats) -> None:
        self.names, self.offsets, self.bias = tables.names, offsets, bias
        self.labels = len(bias)
        self.width = -(-self.labels // VECTOR) * VECTOR
        self.packed, self.bundles = pack_tables(tables), pack_bundles(tables)
        self.rows = pack_rows(tables.rows, self.width, self.bundles.most)
        self.chain = build_chain(transitions, self.width)
        self.reach = find_reach(offsets, self.packed, self.bundles)

    @property
    def window(self) -> Floats:
        """The rows of texts, which the caller writes."""
        own = self.rows.table[self.rows.window :]
        texts = len(own) // max(len(self.offsets), 1)
        return own[: texts * len(self.offsets)].reshape(texts, len(self.offsets), self.width)

    def clear_window(self, texts: int) -> None:
        """Begin with window rows of zeros."""
        used = int(self.bundles.known[0])
        self.rows = clear_window(self.rows, used, texts * len(self.offsets))

    def enlarge_window(self, texts: int) -> None:
        """Make room for this number of texts."""
        self.rows = enlarge_window(self.rows, texts * len(self.offsets))

    def sum_scores(self, batch: Batch, columns: Mapping[str, Ints]) -> Floats:
        """Return the scores [tokens, labels], the bias for tokens outside the sequences."""
        return np.ascontiguousarray(self.fill_scores(batch, columns, 0, len(batch))[:, : self.labels])

    def score_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> tuple[Scores, Ints]:
        """Return the scores [tokens, ``width``], -inf in the padding, and the best labels [tokens]. Scores
        of a batch of more than a part are :class:`PartScores`, which hold until the next batch."""
        if len(batch) > PART:
            return PartScores(self, batch, columns), self.find_paths(batch, columns)
        scores = self.fill_scores(batch, columns, 0, len(batch))
        return scores, self.find_best_paths(batch, scores)

    def find_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> Ints:
        """Return the best labels [tokens], -1 outside the sequences."""
        path = np.full(len(batch), NONE, np.int64)
        steps = make_steps(len(batch), self.width)
        for seen, arguments in self.stack_parts(batch, columns, 0, len(batch)):
            steps = fill_paths(*arguments, seen.start, batch.first, batch.stop, self.chain, steps, path)
        return path

    def find_best_paths(self, batch: Batch, scores: Floats) -> Ints:
        """As :meth:`find_paths`, for the batch's scores."""
        path = np.full(len(batch), NONE, np.int64)
        fill_best_paths(self._pad(scores), batch.first, batch.stop, self.chain, path)
        return path

    def fill_scores(self, batch: Batch, columns: Mapping[str, Ints], first: int, stop: int) -> Floats:
        """Return the scores [tokens, ``width``] of the tokens from ``first`` to before ``stop``, -inf in the
        padding."""
        base = max(first - self.reach, 0)
        scores = np.empty((min(stop + self.reach, len(batch)) - base, self.width))
        for seen, arguments in self.stack_parts(batch, columns, first, stop):
            fill_scores(*arguments, scores[seen.start - base : seen.stop - base])
        return scores[first - base : stop - base]

    def stack_parts(
        self, batch: Batch, columns: Mapping[str, Ints], first: int, stop: int
    ) -> Iterator[tuple[slice, tuple[Any, ...]]]:
        """Yield, for each part of the tokens from ``first`` to before ``stop``, the tokens that it sees (its
        own, and on both sides those that its templates reach), and the first arguments of the loops: where
        its own tokens begin and end among them, their texts and sequences, and all that does not depend on
        the notes."""
        self.rows.table[BIAS] = self._pad(self.bias)
        for begin in range(first, stop, PART):
            end = min(begin + PART, stop)
            seen = slice(max(begin - self.reach, 0), end + self.reach)
            sequence = batch.sequence[seen]
            found = stack_columns([columns[name][..., seen] for name in self.names], sequence)
            own = begin - seen.start, end - seen.start
            model = self.packed, self.rows, self.bundles
            yield seen, (*own, batch.texts[seen], sequence, self.offsets, found, *model)

    def _pad(self, scores: Floats) -> Floats:
        return pad_last(scores, self.width, -np.inf)


class PartScores:
    """The scores of a batch [tokens, width], computed anew for the tokens that are asked for."""

    def __init__(self, scorer: Scorer, batch: Batch, columns: Mapping[str, Ints]) -> None:
        self.scorer, self.batch, self.columns = scorer, batch, columns

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, tokens: slice) -> Floats:
        first, stop, _ = tokens.indices(len(self))
        return self.scorer.fill_scores(self.batch, self.columns, first, stop)


def find_reach(offsets: Ints, packed: Packed, bundles: PackedBundles) -> int:
    """How far from a token the texts and values are that its scores depend on, at most."""
    shifts, own = (np.abs(each).max(initial=0) for each in (packed.shifts, packed.offsets))
    return int(max(np.abs(offsets).max(initial=0), np.abs(bundles.offsets).max(initial=0), shifts + own))


@njit(**OPTIONS)
def fill_scores(first, stop, texts, sequence, offsets, columns, packed, rows, bundles, scores):
    """Fill ``scores`` [tokens, width] for the tokens from ``first`` to before ``stop``."""
    lists = make_lists(offsets, columns, packed, rows, bundles)
    searches = plan_searches(first, columns, packed)
    for begin in range(first, stop, BLOCK):
        end = min(begin + BLOCK, stop)
        list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, searches, lists)
        add_block(begin, end, sequence, lists, rows, scores)


@njit(**BARE)
def add_block(begin, end, sequence, lists, rows, scores):
    """Fill the scores of the tokens of a block, whose rows are listed."""
    counts, whole, single_counts, singles = lists
    table, lines = rows.table, rows.lines
    for t in range(begin, end):
        if sequence[t] < 0:
            for y in range(np.uint64(scores.shape[1])):
                scores[t, y] = table[BIAS, y]
        else:
            add_listed(
                t - begin, end - begin - 1, counts, whole, single_counts, singles, table, lines, scores[t]
            )


@njit(**OPTIONS)
def make_steps(size, width):
    """Make the arrays of :class:`Steps` for this number of tokens."""
    ends, used, alive = (
        np.zeros(size + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(-(-width // WORD), np.uint64),
    )
    room = 4 * size + BLOCK * (width + 1)
    return Steps(
        np.empty(width), np.empty(width), alive, ends, used, np.empty(room, np.int16), np.empty(room)
    )


@njit(**OPTIONS)
def make_room(steps, size):
    """The steps, with place for ``size`` more labels."""
    used = steps.used[0]
    if used + size <= len(steps.labels):
        return steps
    before, come, alive, ends, count, labels, kept = steps
    return Steps(before, come, alive, ends, count, double_length(labels, used), double_length(kept, used))


@njit(**OPTIONS)
def fill_paths(
    begins, ends, texts, sequence, offsets, columns, packed, rows, bundles, seen, first, stop, chain, steps,
    path,
):  # fmt: skip
    """Go on through the tokens from ``begins`` to before ``ends``; the first of ``texts`` is token ``seen``
    of a batch. Fill ``path`` [tokens of the batch] with the best labels of each sequence that ends here."""
    lists = make_lists(offsets, columns, packed, rows, bundles)
    searches = plan_searches(begins, columns, packed)
    width = rows.table.shape[1]
    scores = np.empty(width)
    for begin in range(begins, ends, BLOCK):
        end = min(begin + BLOCK, ends)
        list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, searches, lists)
        steps = make_room(steps, BLOCK * (width + 1))
        follow_block(begin, end, seen, sequence, lists, rows, first, stop, chain, scores, steps, path)
    return steps


@njit(**BARE)
def follow_block(begin, end, seen, sequence, lists, rows, first, stop, chain, scores, steps, path):
    """Go on through the tokens of a block, whose rows are listed."""
    counts, whole, single_counts, singles = lists
    table, lines = rows.table, rows.lines
    for t in range(begin, end):
        s = sequence[t]
        if s >= 0:
            add_listed(
                t - begin, end - begin - 1, counts, whole, single_counts, singles, table, lines, scores
            )
            follow_token(seen + t, first[s], stop[s], scores, chain, steps, path)


@njit(**OPTIONS)
def fill_best_paths(scores, first, stop, chain, path):
    """Fill ``path`` [tokens] with the best labels of each sequence, for ``scores`` [tokens, width]."""
    width = scores.shape[1]
    steps = make_steps(len(scores), width)
    for s in range(len(first)):
        for begin in range(first[s], stop[s], BLOCK):
            steps = make_room(steps, BLOCK * (width + 1))
            end = min(begin + BLOCK, stop[s])
            follow_scores(begin, end, scores, first[s], stop[s], chain, steps, path)


@njit(**BARE)
def follow_scores(begin, end, scores, first, stop, chain, steps, path):
    """Go on through some tokens of a sequence, whose scores are given."""
    for t in range(begin, end):
        follow_token(t, first, stop, scores[t], chain, steps, path)


@njit(**INLINED)
def follow_token(t, first, stop, scores, chain, steps, path):
    """Go on to token ``t`` of the sequence from ``first`` to before ``stop``; at its end, find its path."""
    transitions, turned, lead, hub, order, gains, limits = chain
    before, come, alive, ends, count, labels, kept = steps
    if t == first:
        come[:], used = 0.0, 0
    else:
        used = leave(transitions, lead, hub, order, gains, before, alive, come, labels, kept, count[0])
    count[0] = ends[t] = used
    enter(scores, come, hub, limits, before, alive)
    if t == stop - 1:
        trace_back(first, stop, before, turned, ends, labels, kept, path)
