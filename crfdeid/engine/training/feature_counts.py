"""The features of a training set, and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.kept_loops import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.numbering import transpose
from crfdeid.engine.training.tied_attributes import AttributeSets
from crfdeid.engine.training.training_set import TrainingSet


@dataclass(frozen=True)
class Pairs:
    """The state features: pairs of a set of attributes and a label, sorted by set, then by label. Set s has
    the labels ``label[ends[s] : ends[s + 1]]``. ``count`` is how often each pair occurs in training.
    ``transitions`` [labels, labels] is how often each transition occurs, and ``allowed`` whether it is a
    feature. ``bundles`` [bundles] is how many tokens have each bundle."""

    label: np.ndarray
    ends: np.ndarray
    count: np.ndarray
    transitions: np.ndarray
    allowed: np.ndarray
    bundles: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many features each set has."""
        return np.diff(self.ends)


def count_pairs(
    training_set: TrainingSet, sets: AttributeSets, minfreq: float, every_state: bool, every_transition: bool
) -> Pairs:
    """Count the features that CRFsuite makes: those that occur at least ``minfreq`` times; also those that
    do not occur, with ``every_state`` or ``every_transition``."""
    size = len(training_set.labels)
    occurrences = _labels_of_bundles(training_set)
    holders = Lists(*transpose(sets.bundles.ends, sets.bundles.values, len(sets.sizes)))
    sizes = np.zeros(len(sets.sizes) + 1, np.int64)
    least = max(minfreq, 0.0 if every_state else 1.0)
    kind = narrowest_type(size)
    arrays = (holders.ends, holders.values, occurrences.ends, occurrences.values, size, least)
    _tally(*arrays, sizes, np.empty(0, kind), np.empty(0, np.int32))
    ends = np.cumsum(sizes)
    label: Ints = np.empty(int(ends[-1]), kind)
    count = np.empty(int(ends[-1]), np.int32)
    _tally(*arrays, ends.copy(), label, count)
    transitions = _transitions(training_set, size)
    allowed = transitions >= max(minfreq, 0 if every_transition else 1)
    return Pairs(label, ends, count, transitions, allowed, np.diff(occurrences.ends))


def narrowest_type(size: int) -> type[np.unsignedinteger[Any]]:
    """The type of unsigned numbers below ``size`` that takes the fewest bytes."""
    return np.min_scalar_type(max(size - 1, 0)).type


def _transitions(training_set: TrainingSet, size: int) -> np.ndarray:
    follows = np.ones(len(training_set.gold), bool)
    follows[training_set.bounds[:-1]] = False
    second = np.flatnonzero(follows)
    counts = np.zeros((size, size))
    np.add.at(counts, (training_set.gold[second - 1], training_set.gold[second]), 1)
    return counts


def _labels_of_bundles(training_set: TrainingSet) -> Lists:
    """List the labels of the tokens that have each bundle."""
    counts = np.zeros(len(training_set.bundles), np.int64)
    for column in training_set.columns:
        counts += np.bincount(column[column != NONE], minlength=len(training_set.bundles))
    ends = np.concatenate([[0], np.cumsum(counts)])
    labels: Ints = np.empty(int(ends[-1]), narrowest_type(len(training_set.labels)))
    places = ends[:-1].copy()
    for column in training_set.columns:
        _place(column, training_set.gold, places, labels)
    return Lists(ends, labels)


@njit(**COMPILED)
def _place(column, gold, places, found):
    for token in range(len(column)):
        if column[token] != NONE:
            found[places[column[token]]] = gold[token]
            places[column[token]] += 1


@njit(**COMPILED)
def _tally(holder_ends, holders, ends, labels, size, least, places, label, count):
    """Count the labels of each set's tokens. Where ``label`` is empty, ``places[s + 1]`` becomes the
    number of features of set s; otherwise they are written from ``places[s]`` on."""
    tally = np.zeros(size, np.int32)
    for s in range(len(holder_ends) - 1):
        tally[:] = 0
        for h in range(holder_ends[s], holder_ends[s + 1]):
            for q in range(ends[holders[h]], ends[holders[h] + 1]):
                tally[labels[q]] += 1
        for y in range(size):
            if tally[y] >= least:
                if len(label):
                    label[places[s]] = y
                    count[places[s]] = tally[y]
                    places[s] += 1
                else:
                    places[s + 1] += 1
