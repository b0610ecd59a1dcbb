"""The inner loops of tagging in numpy, for machines without numba and for a single note,
where loading numba would take longer than the work. :mod:`crfdeid.engine.decoding.numba_kernels` has the same
functions; both give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.viterbi import best_step


def neighbour_pairs(
    first: np.ndarray, stop: np.ndarray, offset: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The tokens that have a neighbour ``offset`` away in their sequence, and those neighbours."""
    begin, end = np.maximum(first, first - offset), np.minimum(stop, stop - offset)
    sizes = np.maximum(end - begin, 0)
    starts = np.cumsum(sizes) - sizes
    here = np.repeat(begin - starts, sizes) + np.arange(int(sizes.sum()))
    return here, here + offset


def add_window(texts, first, stop, offsets, window, scores) -> None:
    """Add to each token's scores the rows ``window`` [texts, offsets, labels] of the texts around it."""
    for row, offset in enumerate(offsets.tolist()):
        here, there = neighbour_pairs(first, stop, offset)
        scores[here] += window[texts[there], row]


def add_table(columns, offsets, sizes, first, stop, keys, order, ends, labels, values, dense, scores) -> None:
    """Add to each token's scores the row of the mixed key of ``columns`` [parts, tokens] at
    ``offsets``. ``keys`` and ``order`` are those of :func:`index_keys`. The first rows are ``dense`` [rows,
    labels]; the others, from their ``ends`` on, ``values`` for some ``labels``."""
    codes = [shift_codes(column, first, stop, offset) for column, offset in zip(columns, offsets.tolist())]
    known = np.flatnonzero(np.all([(c >= 0) & (c < size) for c, size in zip(codes, sizes)], axis=0))
    key = np.zeros(len(known), np.int64)
    for size, code in zip(sizes.tolist(), codes):
        key = key * size + code[known]
    found = np.searchsorted(keys, key)
    found[found == len(keys)] = 0
    hits = keys[found] == key
    tokens, rows = known[hits], order[found[hits]]
    whole = rows < len(dense)
    scores[tokens[whole]] += dense[rows[whole]]
    tokens, rows = tokens[~whole], rows[~whole]
    counts = ends[rows + 1] - ends[rows]
    before = np.cumsum(counts) - counts
    entries = np.repeat(ends[rows] - before, counts) + np.arange(int(counts.sum()))
    scores[np.repeat(tokens, counts), labels[entries]] += values[entries]


def index_keys(keys: np.ndarray, space: int) -> tuple[np.ndarray, np.ndarray]:
    """What :func:`add_table` finds the row of a key with: the keys sorted, and the row of each."""
    order = np.argsort(keys)
    return keys[order], order


def shift_codes(codes: np.ndarray, first: np.ndarray, stop: np.ndarray, offset: int) -> np.ndarray:
    """What stands ``offset`` away in the same sequence, -1 where nothing does."""
    found = np.full(len(codes), NONE, np.int64)
    here, there = neighbour_pairs(first, stop, offset)
    found[here] = codes[there]
    return found


def find_best_paths(scores, first, stop, transitions, lead, path) -> None:
    """Fill ``path`` with the best labels of each sequence. ``scores`` [tokens, labels] become the
    best scores of all that ends in a label."""
    for a, b in zip(first.tolist(), stop.tolist()):
        for t in range(a + 1, b):
            scores[t] = best_step(scores[t - 1], transitions, lead) + scores[t]
        path[b - 1] = scores[b - 1].argmax()
        for t in range(b - 2, a - 1, -1):
            path[t] = (scores[t] + transitions[:, path[t + 1]]).argmax()
