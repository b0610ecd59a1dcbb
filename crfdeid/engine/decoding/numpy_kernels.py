"""The inner loops of tagging in numpy, for machines without numba and for a single note, where it
would take longer to load numba than to do the work. :mod:`crfdeid.engine.decoding.numba_kernels` has
the same :class:`Scorer`; the labels of both are the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfdeid.engine.arrays.batch import Batch, list_places
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE, enlarge
from crfdeid.engine.decoding.chain import best_step, label_leads
from crfdeid.engine.decoding.tables import Pattern, Rows, Tables


class Scorer:
    """Computes scores and best paths of batches. ``bias`` [labels] is read again for each batch; ``window``
    is [texts, offsets, ``width``]."""

    def __init__(self, tables: Tables, offsets: Ints, bias: Floats, transitions: Floats) -> None:
        self.tables, self.offsets, self.bias, self.transitions = tables, offsets, bias, transitions
        self.names = tables.names
        self.width = len(bias)
        self.lead = label_leads(transitions)
        self.clear_window(0)

    def clear_window(self, texts: int) -> None:
        """Begin with window rows of zeros."""
        self.window = np.zeros((texts, len(self.offsets), self.width))

    def enlarge_window(self, texts: int) -> None:
        """Make place for so many texts."""
        self.window = enlarge(self.window, texts)

    def sum_scores(self, batch: Batch, columns: Mapping[str, Ints]) -> Floats:
        """Return the scores [tokens, labels], the bias for tokens outside the sequences."""
        scores = np.tile(self.bias, (len(batch), 1))
        add_window(batch.texts, batch.first, batch.stop, self.offsets, self.window, scores)
        for pattern in self.tables.patterns:
            add_pattern(pattern, self.tables.rows, columns, batch.first, batch.stop, scores)
        return scores

    def score_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> tuple[Floats, Ints]:
        """Return the scores [tokens, labels] and the best labels [tokens]."""
        scores = self.sum_scores(batch, columns)
        return scores, self.find_best_paths(batch, scores.copy())

    def find_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> Ints:
        """Return the best labels [tokens], -1 outside the sequences."""
        return self.find_best_paths(batch, self.sum_scores(batch, columns))

    def find_best_paths(self, batch: Batch, scores: Floats) -> Ints:
        """As :meth:`find_paths`, for the batch's scores, which it overwrites."""
        path = np.full(len(batch), NONE, np.int64)
        for a, b in zip(batch.first.tolist(), batch.stop.tolist()):
            for t in range(a + 1, b):
                scores[t] = best_step(scores[t - 1], self.transitions, self.lead) + scores[t]
            path[b - 1] = scores[b - 1].argmax()
            for t in range(b - 2, a - 1, -1):
                path[t] = (scores[t] + self.transitions[:, path[t + 1]]).argmax()
        return path


def neighbour_pairs(first: Ints, stop: Ints, offset: int) -> tuple[Ints, Ints]:
    """The indices of the tokens that have a neighbour ``offset`` away in their sequence, and of those
    neighbours."""
    begin, end = np.maximum(first, first - offset), np.minimum(stop, stop - offset)
    sizes = np.maximum(end - begin, 0)
    here = list_places(begin, sizes)
    return here, here + offset


def add_window(texts: Ints, first: Ints, stop: Ints, offsets: Ints, window: Floats, scores: Floats) -> None:
    """Add to each token's scores the rows ``window`` [texts, offsets, labels] of the texts around it."""
    for row, offset in enumerate(offsets.tolist()):
        here, there = neighbour_pairs(first, stop, offset)
        scores[here] += window[texts[there], row]


def add_pattern(
    pattern: Pattern, rows: Rows, columns: Mapping[str, Ints], first: Ints, stop: Ints, scores: Floats
) -> None:
    """Add to the scores [tokens, labels] the rows of a pattern; a token has one row for each shift and, where
    the observation has several values, for each value."""
    parts = [columns[name] for name in pattern.names]
    for column in parts[0] if parts[0].ndim == 2 else parts[:1]:
        places, found = find_keys(pattern, [column, *parts[1:]], first, stop)
        sequence = np.searchsorted(stop, places, side="right")
        for shift, row in zip(pattern.shifts.tolist(), pattern.rows[found].T):
            tokens = places - shift
            inside = (row != NONE) & (tokens >= first[sequence]) & (tokens < stop[sequence])
            add_to_tokens(rows, tokens[inside], row[inside], scores)


def find_keys(pattern: Pattern, columns: list[Ints], first: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return the tokens that have a key of the pattern, and the places of their keys; ``columns`` [tokens]
    are the codes of its parts."""
    codes = [shift_codes(c, first, stop, offset) for c, offset in zip(columns, pattern.offsets.tolist())]
    known = np.all([(c >= 0) & (c < size) for c, size in zip(codes, pattern.sizes)], axis=0)
    tokens = np.flatnonzero(known)
    keys = np.zeros(len(tokens), np.int64)
    for stride, code in zip(pattern.strides.tolist(), codes):
        keys += stride * code[tokens]
    found = np.searchsorted(pattern.keys, keys)
    found[found == len(pattern.keys)] = 0
    hits = pattern.keys[found] == keys
    return tokens[hits], found[hits]


def add_to_tokens(rows: Rows, tokens: Ints, numbers: Ints, scores: Floats) -> None:
    """Add to the scores of each of ``tokens``, which are distinct, the row of its number."""
    whole = numbers < len(rows.dense)
    scores[tokens[whole]] += rows.dense[numbers[whole]]
    tokens, numbers = tokens[~whole], numbers[~whole] - len(rows.dense)
    counts = rows.ends[numbers + 1] - rows.ends[numbers]
    before = np.cumsum(counts) - counts
    entries = np.repeat(rows.ends[numbers] - before, counts) + np.arange(int(counts.sum()))
    scores[np.repeat(tokens, counts), rows.labels[entries]] += rows.values[entries]


def shift_codes(codes: Ints, first: Ints, stop: Ints, offset: int) -> Ints:
    """The code ``offset`` tokens away in the same sequence, -1 outside it."""
    found = np.full(len(codes), NONE, np.int64)
    here, there = neighbour_pairs(first, stop, offset)
    found[here] = codes[there]
    return found


def add_blocks(starts: Ints, blocks: Ints, ends: Ints, places: Ints, weights: Floats, rows: Floats) -> None:
    """Add each of ``blocks`` to the row at its start: block b has ``weights[ends[b] : ends[b + 1]]`` for
    these ``places`` of a row."""
    sizes = ends[blocks + 1] - ends[blocks]
    where = list_places(ends[blocks], sizes)
    flat = places[where] + np.repeat(starts * rows.shape[1], sizes)
    np.add.at(rows.reshape(-1), flat, weights[where])
