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
    add_blocks,
    add_window,
    count_most,
    list_rows,
    list_sums,
    pack_bundles,
    pack_rows,
    pack_tables,
    pad_last,
    stack_columns,
)
from crfdeid.engine.decoding.compiled_viterbi import advance, build_chain, double_length, trace_back
from crfdeid.engine.decoding.hashing import INLINED, OPTIONS
from crfdeid.engine.decoding.tables import Tables

__all__ = ["Scorer", "add_blocks"]

VECTOR = 8  # scores that are added at once
BLOCK = 256  # tokens whose rows are listed at once


class Scorer:
    """Computes scores and best paths of batches. ``bias`` [labels] is read again for each batch; ``window``
    is [texts, offsets, ``width``]."""

    def __init__(self, tables: Tables, offsets: Ints, bias: Floats, transitions: Floats) -> None:
        self.names, self.offsets, self.bias = tables.names, offsets, bias
        self.labels = len(bias)
        self.width = -(-self.labels // VECTOR) * VECTOR
        rows, bundles = pack_rows(tables.rows, self.width), pack_bundles(tables, self.width)
        self.packed = pack_tables(tables), rows, bundles
        self.chain = build_chain(transitions, self.width)

    def sum_scores(self, batch: Batch, window: Floats, columns: Mapping[str, Ints]) -> Floats:
        """Return the scores [tokens, labels], the bias for tokens outside the sequences."""
        scores = np.empty((len(batch), self.width))
        fill_scores(*self._arguments(batch, window, columns), scores)
        return np.ascontiguousarray(scores[:, : self.labels])

    def score_paths(self, batch: Batch, window: Floats, columns: Mapping[str, Ints]) -> tuple[Floats, Ints]:
        """Return the scores [tokens, ``width``], -inf in the padding, and the best labels [tokens]."""
        scores = np.empty((len(batch), self.width))
        fill_scores(*self._arguments(batch, window, columns), scores)
        return scores, self.find_best_paths(batch, scores)

    def find_paths(self, batch: Batch, window: Floats, columns: Mapping[str, Ints]) -> Ints:
        """Return the best labels [tokens], -1 outside the sequences."""
        path = np.full(len(batch), NONE, np.int64)
        fill_paths(*self._arguments(batch, window, columns), batch.first, batch.stop, self.chain, path)
        return path

    def find_best_paths(self, batch: Batch, scores: Floats) -> Ints:
        """As :meth:`find_paths`, for the batch's scores."""
        path = np.full(len(batch), NONE, np.int64)
        fill_best_paths(self._pad(scores), batch.first, batch.stop, self.chain, path)
        return path

    def _arguments(self, batch: Batch, window: Floats, columns: Mapping[str, Ints]) -> tuple[Any, ...]:
        found = stack_columns([columns[name] for name in self.names], batch.sequence)
        return batch.texts, batch.sequence, self._pad(self.bias), self.offsets, window, found, *self.packed

    def _pad(self, scores: Floats) -> Floats:
        return pad_last(scores, self.width, -np.inf)


@njit(**INLINED)
def add_rows(
    t, i, counts, listed, summed, texts, sequence, bias, offsets, window, sums, dense, ends, labels, values,
    into,
):  # fmt: skip
    """Fill ``into`` with the scores of token ``t``, the one with number ``i`` in its block: the bias, the
    rows of its window, the sums of its bundles, and the rows of its patterns."""
    for y in range(len(into)):
        into[y] = bias[y]
    add_window(t, texts, sequence, offsets, window, into)
    for j in range(summed.shape[1]):
        q = summed[i, j]
        for y in range(len(into)):
            into[y] += sums[q, y]
    whole = len(dense)
    for q in range(counts[i]):
        r = listed[i, q]
        if r < whole:
            for y in range(len(into)):
                into[y] += dense[r, y]
    for q in range(counts[i]):
        r = listed[i, q] - whole
        if r >= 0:
            for e in range(ends[r], ends[r + 1]):
                into[labels[e]] += values[e]


@njit(**OPTIONS)
def make_lists(columns, packed, bundles):
    """Arrays for the rows and the sums of a block."""
    listed = np.empty((BLOCK, count_most(columns, packed)), np.int32)
    return np.empty(BLOCK, np.int64), listed, np.empty((BLOCK, len(bundles.parts) - 1), np.int32)


@njit(**OPTIONS)
def list_block(begin, end, sequence, columns, packed, rows, bundles, counts, listed, summed):
    """Fill the arrays of :func:`make_lists` for the tokens from ``begin`` to before ``end``."""
    list_rows(begin, end, sequence, columns, packed, counts, listed)
    list_sums(begin, end, sequence, columns, packed, rows, bundles, summed)


@njit(**OPTIONS)
def fill_scores(texts, sequence, bias, offsets, window, columns, packed, rows, bundles, scores):
    """Fill ``scores`` [tokens, width]."""
    counts, listed, summed = make_lists(columns, packed, bundles)
    sums = bundles.sums
    dense, row_ends, row_labels, values = rows
    for begin in range(0, len(texts), BLOCK):
        end = min(begin + BLOCK, len(texts))
        list_block(begin, end, sequence, columns, packed, rows, bundles, counts, listed, summed)
        for t in range(begin, end):
            if sequence[t] < 0:
                scores[t] = bias
                continue
            add_rows(
                t, t - begin, counts, listed, summed, texts, sequence, bias, offsets, window, sums, dense,
                row_ends, row_labels, values, scores[t],
            )  # fmt: skip


@njit(**OPTIONS)
def fill_paths(
    texts, sequence, bias, offsets, window, columns, packed, rows, bundles, first, stop, chain, path
):
    """Fill ``path`` [tokens] with the best labels of each sequence."""
    counts, listed, summed = make_lists(columns, packed, bundles)
    transitions, turned, lead, hub, order, gains = chain
    sums, width = bundles.sums, len(bias)
    dense, row_ends, row_labels, values = rows
    scores, before, come = np.empty(width), np.empty(width), np.empty(width)
    ends, used = np.empty(len(texts) + 1, np.int64), 0
    labels, kept = np.empty(4 * len(texts) + width, np.int16), np.empty(4 * len(texts) + width)
    for begin in range(0, len(texts), BLOCK):
        end = min(begin + BLOCK, len(texts))
        list_block(begin, end, sequence, columns, packed, rows, bundles, counts, listed, summed)
        for t in range(begin, end):
            s = sequence[t]
            if s < 0:
                continue
            add_rows(
                t, t - begin, counts, listed, summed, texts, sequence, bias, offsets, window, sums, dense,
                row_ends, row_labels, values, scores,
            )  # fmt: skip
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
