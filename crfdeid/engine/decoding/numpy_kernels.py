"""The inner loops of tagging in numpy, for machines without numba and for a single note, where it
would take longer to load numba than to do the work. :mod:`crfdeid.engine.decoding.numba_kernels` has
the same functions; both give the same bits.
"""

from __future__ import annotations

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.viterbi import best_step


def neighbour_pairs(first: Ints, stop: Ints, offset: int) -> tuple[Ints, Ints]:
    """The indices of the tokens that have a neighbour ``offset`` away in their sequence, and of those
    neighbours."""
    begin, end = np.maximum(first, first - offset), np.minimum(stop, stop - offset)
    sizes = np.maximum(end - begin, 0)
    starts = np.cumsum(sizes) - sizes
    here = np.repeat(begin - starts, sizes) + np.arange(int(sizes.sum()))
    return here, here + offset


def add_window(texts: Ints, first: Ints, stop: Ints, offsets: Ints, window: Floats, scores: Floats) -> None:
    """Add to each token's scores the rows ``window`` [texts, offsets, labels] of the texts around it."""
    for row, offset in enumerate(offsets.tolist()):
        here, there = neighbour_pairs(first, stop, offset)
        scores[here] += window[texts[there], row]


def add_table(
    columns: Ints,
    offsets: Ints,
    sizes: Ints,
    first: Ints,
    stop: Ints,
    keys: Ints,
    order: Ints,
    ends: Ints,
    labels: Ints,
    values: Floats,
    dense: Floats,
    scores: Floats,
) -> None:
    """Add to each token's scores the row of its key, which is mixed from the codes in ``columns`` [parts,
    tokens] at ``offsets``. ``keys`` and ``order`` come from :func:`index_keys`. The first rows are
    ``dense`` [rows, labels]; row r of the others has ``values[ends[r] : ends[r + 1]]`` for ``labels``."""
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


def index_keys(keys: Ints, space: int) -> tuple[Ints, Ints]:
    """The arguments ``keys`` and ``order`` of :func:`add_table`: the sorted keys, and the row of each."""
    order = np.argsort(keys)
    return keys[order], order


def shift_codes(codes: Ints, first: Ints, stop: Ints, offset: int) -> Ints:
    """The code ``offset`` tokens away in the same sequence, -1 outside it."""
    found = np.full(len(codes), NONE, np.int64)
    here, there = neighbour_pairs(first, stop, offset)
    found[here] = codes[there]
    return found


def find_best_paths(
    scores: Floats, first: Ints, stop: Ints, transitions: Floats, lead: Floats, path: Ints
) -> None:
    """Fill ``path`` with the best labels of each sequence. ``scores`` [tokens, labels] become the best
    scores of the paths that end in a label."""
    for a, b in zip(first.tolist(), stop.tolist()):
        for t in range(a + 1, b):
            scores[t] = best_step(scores[t - 1], transitions, lead) + scores[t]
        path[b - 1] = scores[b - 1].argmax()
        for t in range(b - 2, a - 1, -1):
            path[t] = (scores[t] + transitions[:, path[t + 1]]).argmax()
