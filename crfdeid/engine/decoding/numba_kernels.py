"""Scores and best paths of whole batches, compiled by numba.

A block of a few hundred tokens goes the whole way at once: its rows are listed and added
(:mod:`crfdeid.engine.decoding.compiled_rows`), and Viterbi goes on by one token after the other
(:mod:`crfdeid.engine.decoding.compiled_viterbi`). :mod:`crfdeid.engine.decoding.numpy_kernels` has the same
:class:`Scorer` in numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.compiled_rows import (
    BLOCK,
    add_blocks,
    add_listed,
    list_block,
    make_lists,
    stack_columns,
)
from crfdeid.engine.decoding.compiled_viterbi import advance, build_chain, double_length, trace_back
from crfdeid.engine.decoding.hashing import OPTIONS
from crfdeid.engine.decoding.packed_tables import (
    BIAS,
    clear_window,
    enlarge_window,
    pack_bundles,
    pack_rows,
    pack_tables,
    pad_last,
)
from crfdeid.engine.decoding.tables import Tables

__all__ = ["Scorer", "add_blocks"]

VECTOR = 8  # scores that are added at once


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
        """Make place for so many texts."""
        self.rows = enlarge_window(self.rows, texts * len(self.offsets))

    def sum_scores(self, batch: Batch, columns: Mapping[str, Ints]) -> Floats:
        """Return the scores [tokens, labels], the bias for tokens outside the sequences."""
        return np.ascontiguousarray(self._fill_scores(batch, columns)[:, : self.labels])

    def score_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> tuple[Floats, Ints]:
        """Return the scores [tokens, ``width``], -inf in the padding, and the best labels [tokens]."""
        scores = self._fill_scores(batch, columns)
        return scores, self.find_best_paths(batch, scores)

    def find_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> Ints:
        """Return the best labels [tokens], -1 outside the sequences."""
        path = np.full(len(batch), NONE, np.int64)
        fill_paths(*self._arguments(batch, columns), batch.first, batch.stop, self.chain, path)
        return path

    def find_best_paths(self, batch: Batch, scores: Floats) -> Ints:
        """As :meth:`find_paths`, for the batch's scores."""
        path = np.full(len(batch), NONE, np.int64)
        fill_best_paths(self._pad(scores), batch.first, batch.stop, self.chain, path)
        return path

    def _fill_scores(self, batch: Batch, columns: Mapping[str, Ints]) -> Floats:
        scores = np.empty((len(batch), self.width))
        fill_scores(*self._arguments(batch, columns), scores)
        return scores

    def _arguments(self, batch: Batch, columns: Mapping[str, Ints]) -> tuple[Any, ...]:
        self.rows.table[BIAS] = self._pad(self.bias)
        found = stack_columns([columns[name] for name in self.names], batch.sequence)
        return batch.texts, batch.sequence, self.offsets, found, self.packed, self.rows, self.bundles

    def _pad(self, scores: Floats) -> Floats:
        return pad_last(scores, self.width, -np.inf)


@njit(**OPTIONS)
def fill_scores(texts, sequence, offsets, columns, packed, rows, bundles, scores):
    """Fill ``scores`` [tokens, width]."""
    lists = make_lists(offsets, columns, packed, bundles)
    counts, whole, single_counts, singles = lists
    table, pairs = rows.table, rows.pairs
    for begin in range(0, len(texts), BLOCK):
        end = min(begin + BLOCK, len(texts))
        list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, lists)
        for t in range(begin, end):
            if sequence[t] < 0:
                scores[t] = table[BIAS]
                continue
            add_listed(
                t - begin, end - begin - 1, counts, whole, single_counts, singles, table, pairs, scores[t]
            )


@njit(**OPTIONS)
def fill_paths(texts, sequence, offsets, columns, packed, rows, bundles, first, stop, chain, path):
    """Fill ``path`` [tokens] with the best labels of each sequence."""
    lists = make_lists(offsets, columns, packed, bundles)
    counts, whole, single_counts, singles = lists
    transitions, turned, lead, hub, order, gains = chain
    table, pairs = rows.table, rows.pairs
    width = table.shape[1]
    scores, before, come = np.empty(width), np.empty(width), np.empty(width)
    ends, used = np.empty(len(texts) + 1, np.int64), 0
    labels, kept = np.empty(4 * len(texts) + width, np.int16), np.empty(4 * len(texts) + width)
    for begin in range(0, len(texts), BLOCK):
        end = min(begin + BLOCK, len(texts))
        list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, lists)
        for t in range(begin, end):
            s = sequence[t]
            if s < 0:
                continue
            add_listed(
                t - begin, end - begin - 1, counts, whole, single_counts, singles, table, pairs, scores
            )
            if t == first[s]:
                before[:] = scores
                used = 0
            else:
                if used + width > len(labels):
                    labels, kept = double_length(labels, used), double_length(kept, used)
                ends[t - 1] = used
                used = advance(scores, transitions, lead, hub, order, gains, before, come, labels, kept, used)
            ends[t] = used
            if t == stop[s] - 1:
                trace_back(first[s], stop[s], before, turned, ends, labels, kept, path)


@njit(**OPTIONS)
def fill_best_paths(scores, first, stop, chain, path):
    """Fill ``path`` [tokens] with the best labels of each sequence, for ``scores`` [tokens, width]."""
    transitions, turned, lead, hub, order, gains = chain
    width = scores.shape[1]
    before, come = np.empty(width), np.empty(width)
    ends = np.empty(len(scores) + 1, np.int64)
    labels, kept = np.empty(4 * len(scores) + width, np.int16), np.empty(4 * len(scores) + width)
    for s in range(len(first)):
        before[:] = scores[first[s]]
        used = 0
        for t in range(first[s] + 1, stop[s]):
            if used + width > len(labels):
                labels, kept = double_length(labels, used), double_length(kept, used)
            ends[t - 1] = used
            used = advance(scores[t], transitions, lead, hub, order, gains, before, come, labels, kept, used)
            ends[t] = used
        trace_back(first[s], stop[s], before, turned, ends, labels, kept, path)
