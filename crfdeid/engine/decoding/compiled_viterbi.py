"""Pruned Viterbi (:mod:`crfdeid.engine.decoding.viterbi`), compiled by numba, one token after the other.

Which labels stay is a word of bits, made of vectors. The best label is nearly always the *hub* (O). The best
scores of the next labels are then those from the hub, except where another label gains more than it is
behind; each label's next labels are sorted by that gain, so few are looked at. Nothing is kept of a token but
the labels that stay, and their scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.hashing import INLINED, OPTIONS
from crfdeid.engine.decoding.viterbi import label_leads

SLACK = 1e-6  # more than rounding can change a score


class Chain(NamedTuple):
    """Transitions [labels, labels] from row to column, also with columns as rows; ``lead`` [m, i] is the most
    that label i can gain on m (:func:`crfdeid.engine.decoding.viterbi.label_leads`), with some slack.
    ``hub`` is the label that is the best most often: ``order[i]`` are the next labels by what i gains on
    the hub there, which is ``gains[i]``, the most first. The first three are padded to a multiple of eight
    labels."""

    transitions: Floats
    turned: Floats
    lead: Floats
    hub: int
    order: Ints
    gains: Floats


def build_chain(transitions: Floats, width: int) -> Chain:
    """Prepare transitions for Viterbi. The hub is the label with the most transitions that have a weight."""
    labels = len(transitions)
    wide = np.zeros((width, width))
    wide[:labels, :labels] = transitions
    lead = np.zeros((width, width))
    lead[:labels, :labels] = label_leads(transitions) + SLACK
    hub = int(np.count_nonzero(transitions, axis=1).argmax())
    gained = transitions - transitions[hub]
    order = np.argsort(-gained, axis=1, kind="stable")
    gains = np.take_along_axis(gained, order, 1)
    turned = np.ascontiguousarray(wide.T)
    return Chain(wide, turned, lead, hub, order.astype(np.int32), np.ascontiguousarray(gains))


WORD = 64  # labels in one word of bits
BITS = np.uint64(1) << np.arange(WORD, dtype=np.uint64)
SEQUENCE_OF_BITS = np.uint64(
    0x03F79D71B4CB0A89
)  # of de Bruijn: its shifts by 0 to 63 begin with different bits
PLACE_OF_BITS = np.zeros(WORD, np.int64)
for _place in range(WORD):
    PLACE_OF_BITS[((int(SEQUENCE_OF_BITS) << _place) % (1 << WORD)) >> (WORD - 6)] = _place


@njit(**INLINED)
def find_lowest_bit(mask):
    """The place of the lowest bit of a word that is not 0."""
    lowest = mask & (~mask + np.uint64(1))
    return PLACE_OF_BITS[(lowest * SEQUENCE_OF_BITS) >> np.uint64(WORD - 6)]


@njit(**INLINED)
def advance(scores, transitions, lead, hub, order, gains, before, come, labels, kept, used):
    """Go on from one token to the next. ``before`` are the best scores of the paths that end in each label;
    they become those of the next token, whose own ``scores`` are given. The labels that are not pruned go
    to ``labels`` from place ``used`` on, with their scores to ``kept``; return the place after them."""
    width = len(scores)
    best, top, above = hub, before[hub], 0
    for y in range(width):
        above |= 1 if before[y] > top else 0
    if above:
        for y in range(width):
            if before[y] > top:
                best, top = y, before[y]
    for y in range(width):
        come[y] = top + transitions[best, y]
    for start in range(0, width, WORD):
        mask = np.uint64(0)
        for bit in range(min(WORD, width - start)):
            i = np.uint64(start + bit)  # without sign, so that numbers are read in a row
            mask |= BITS[bit] if top - before[i] <= lead[best, i] else np.uint64(0)
        while mask != 0:
            label = start + find_lowest_bit(mask)
            mask &= mask - np.uint64(1)
            labels[used] = label
            kept[used] = before[label]
            used += 1
            if label == best:
                continue
            if best == hub:
                raise_from_hub(transitions, order, gains, label, top, before[label], come)
            else:
                raise_scores(transitions, label, before[label], come)
    for y in range(width):
        before[y] = come[y] + scores[y]
    return used


@njit(**INLINED)
def raise_scores(transitions, i, score, come):
    """Raise the best scores ``come`` of the next labels to those from label ``i``, which has ``score``, where
    these are higher."""
    for y in range(len(come)):
        other = score + transitions[i, y]
        come[y] = other if other > come[y] else come[y]


@njit(**INLINED)
def raise_from_hub(transitions, order, gains, i, top, score, come):
    """Raise the best scores ``come`` of the next labels, which are those from the hub, to those from label
    ``i`` where these are higher. The hub has the score ``top``, label ``i`` has ``score``."""
    gap = top - score - SLACK
    for q in range(gains.shape[1]):
        if gains[i, q] < gap:
            break
        j = order[i, q]
        other = score + transitions[i, j]
        come[j] = other if other > come[j] else come[j]


@njit(**OPTIONS)
def trace_back(first, stop, before, turned, ends, labels, kept, path):
    """Fill the path of a sequence from its end, whose scores are ``before``. Token t has the labels
    ``ends[t]`` to ``ends[t + 1]`` of ``labels``, with their scores ``kept``. The first of the best is
    taken."""
    best = 0
    for y in range(1, len(before)):
        if before[y] > before[best]:
            best = y
    path[stop - 1] = best
    for t in range(stop - 2, first - 1, -1):
        row = turned[path[t + 1]]
        best, top = labels[ends[t]], kept[ends[t]] + row[labels[ends[t]]]
        for q in range(ends[t] + 1, ends[t + 1]):
            score = kept[q] + row[labels[q]]
            if score > top:
                best, top = labels[q], score
        path[t] = best


@njit(**OPTIONS)
def double_length(array, used):
    """An array of twice the length with the same first ``used`` numbers."""
    found = np.empty(2 * len(array), array.dtype)
    found[:used] = array[:used]
    return found
