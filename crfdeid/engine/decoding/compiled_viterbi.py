"""Pruned Viterbi (:mod:`crfdeid.engine.decoding.chain`), compiled by numba, one token after the other.

The best label is nearly always the *hub* (O). The best scores of the next labels are then those from the hub,
except where another label gains more than it is behind; each label's next labels are sorted by that gain, so
few are looked at. Which labels stay beside the hub is a word of bits, made of vectors while a token's scores
are added: at every second token, none. Where another label than the hub is the best, labels are pruned once
more by that one. Nothing is kept of a token but the labels that stay, and their scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import label_leads
from crfdeid.engine.kept_loops import BARE, INLINED, OPTIONS

SLACK = 1e-6  # more than rounding can change a score


class Chain(NamedTuple):
    """Transitions [labels, labels] from row to column, also with columns as rows; ``lead`` [m, i] is the most
    that label i can gain on m (:func:`crfdeid.engine.decoding.chain.label_leads`), with some slack.
    ``hub`` is the label that is the best most often: ``order[i]`` are the next labels by what i gains on
    the hub there, which is ``gains[i]``, the most first. ``limits`` is the lead on the hub, and of the hub
    itself -inf. The first three and the limits are padded to a multiple of eight labels."""

    transitions: Floats
    turned: Floats
    lead: Floats
    hub: int
    order: Ints
    gains: Floats
    limits: Floats


class Steps(NamedTuple):
    """Viterbi's state after the tokens so far: the best scores of the paths to each label, ``before`` those
    of the last token and ``come`` those of the next one; the words of bits ``alive`` of the labels that stay
    beside the hub. Token t of a sequence has the labels ``ends[t]`` to ``ends[t + 1]`` of ``labels``, with
    their scores ``kept``; ``used[0]`` are in use."""

    before: Floats
    come: Floats
    alive: Ints
    ends: Ints
    used: Ints
    labels: Ints
    kept: Floats


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
    limits = lead[hub].copy()
    limits[hub] = -np.inf
    return Chain(wide, turned, lead, hub, order.astype(np.int32), np.ascontiguousarray(gains), limits)


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
def enter(scores, come, hub, limits, before, alive):
    """Fill ``before`` with the best scores of the paths to each label of a token, whose own ``scores`` are
    given and to which paths ``come``. The words of bits ``alive`` get the labels that stay beside the hub."""
    top = come[hub] + scores[hub]
    for word in range(len(alive)):
        mask, start = np.uint64(0), np.uint64(word * WORD)  # without sign, so that numbers are read in a row
        for bit in range(min(np.uint64(WORD), np.uint64(len(scores)) - start)):
            score = come[start + bit] + scores[start + bit]
            before[start + bit] = score
            mask |= BITS[bit] if top - score <= limits[start + bit] else np.uint64(0)
        alive[word] = mask


@njit(**INLINED)
def leave(transitions, lead, hub, order, gains, before, alive, come, labels, kept, used):
    """Fill ``come`` with the best scores of the paths to each next label. The labels that are not pruned go
    to ``labels`` from place ``used`` on, with their scores to ``kept``; return the place after them."""
    best, top, first = hub, before[hub], used
    labels[used], kept[used] = hub, top
    used += 1
    for word in range(len(alive)):
        mask = alive[word]
        while mask != 0:
            label = word * WORD + find_lowest_bit(mask)
            mask &= mask - np.uint64(1)
            labels[used], kept[used] = label, before[label]
            used += 1
            if before[label] > top:
                best, top = label, before[label]
    for y in range(np.uint64(len(come))):
        come[y] = top + transitions[best, y]
    if best == hub:
        for q in range(first + 1, used):
            raise_from_hub(transitions, order, gains, labels[q], top, kept[q], come)
        return used
    count = first
    for q in range(first, used):
        if top - kept[q] <= lead[best, labels[q]]:
            labels[count], kept[count] = labels[q], kept[q]
            count += 1
            raise_scores(transitions, labels[q], kept[q], come)
    return count


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


@njit(**BARE)
def trace_back(first, stop, before, turned, ends, labels, kept, path):
    """Fill the path of a sequence from its end, whose scores are ``before``. Token t has the labels
    ``ends[t]`` to ``ends[t + 1]`` of ``labels``, with their scores ``kept``. The lowest of the best is
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
            if score > top or (score == top and labels[q] < best):
                best, top = labels[q], score
        path[t] = best


@njit(**OPTIONS)
def double_length(array, used):
    """An array of twice the length with the same first ``used`` numbers."""
    found = np.empty(2 * len(array), array.dtype)
    found[:used] = array[:used]
    return found
