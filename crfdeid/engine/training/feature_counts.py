"""The features of a training set: how often each occurs, which attributes always occur together, and which
a model for sharing may have: those of the notes of at least k patients, without long numbers
(:mod:`crfdeid.feature_extraction.long_numbers`).

A word that occurs once brings dozens of attributes that occur only with it: its lowered text, its
prefixes, each joined pair that contains it. These attributes begin with the same weight and have the same
gradient at each step, so they keep the same weight: half of all attributes are *tied* in this way. Tied
attributes are trained as one *set*, and in the end each gets the set's weight.

With m tied attributes of weight w, the set's variable is u = sqrt(m) w. Then |u|^2 is the sum of their
squares, products of vectors do not change, and L-BFGS takes exactly the same steps. Scores have the term
m w = sqrt(m) u; the gradient and c1 have the factor sqrt(m).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import MIX
from crfdeid.engine.kept_loops import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.numbering import AttributeNames, attribute_name, number_keys, transpose
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.feature_extraction.long_numbers import has_long_number, names_long_number, shows_digits


@dataclass(frozen=True)
class AttributeSets:
    """``number`` [attributes] is the set of each attribute, ``sizes`` [sets] is how many attributes a set
    has, and ``bundles`` are the sets of each bundle. A token has each of its sets in only one bundle."""

    number: np.ndarray
    sizes: np.ndarray
    bundles: Lists


def tie_attributes(training_set: TrainingSet) -> AttributeSets:
    """Find the attributes that always occur together. Two attributes are tied if two sums of 64 random bits
    for each of their tokens are equal (which is an error in one of 10^26 corpora)."""
    sums = [_sum_random_bits(training_set, salt) for salt in (1, 2)]
    (kinds, number), (_, other) = (number_keys(part.view(np.int64)) for part in sums)
    kinds, number = number_keys(other.astype(np.int64) * len(kinds) + number)
    chosen = np.empty(len(kinds), np.int64)
    chosen[number] = np.arange(len(number))  # the last of each set: attributes of single texts come last
    number = _number_by_first_token(training_set, chosen)[number]
    held = training_set.bundles.values
    keep = np.zeros(len(number), bool)
    keep[chosen] = True
    kept = keep[held]
    ends = np.concatenate([[0], np.cumsum(kept)])[training_set.bundles.ends]
    return AttributeSets(number, np.bincount(number, minlength=len(kinds)), Lists(ends, number[held[kept]]))


def leave_untied(training_set: TrainingSet) -> AttributeSets:
    """Make each attribute a set by itself."""
    number = np.arange(len(training_set.attributes), dtype=np.int32)
    return AttributeSets(number, np.ones(len(number), np.int64), training_set.bundles)


def _sum_random_bits(training_set: TrainingSet, salt: int) -> np.ndarray:
    """The sum of the random numbers of each attribute's tokens."""
    of_bundles = np.zeros(len(training_set.bundles), np.uint64)
    for column in training_set.columns:
        _add_random_bits(column, np.uint64(salt << 40), of_bundles)
    found = np.zeros(len(training_set.attributes), np.uint64)
    _spread(training_set.bundles.ends, training_set.bundles.values, of_bundles, found)
    return found


def _number_by_first_token(training_set: TrainingSet, chosen: np.ndarray) -> np.ndarray:
    """New numbers for the sets by their first token, so that sets that occur together are close together in
    memory."""
    first = np.full(len(training_set.bundles), len(training_set.gold))
    for column in training_set.columns:
        _first(column, first)
    found = np.full(len(training_set.attributes), len(training_set.gold))
    _earliest(training_set.bundles.ends, training_set.bundles.values, first, found)
    number = np.empty(len(chosen), np.int32)
    number[np.argsort(found[chosen], kind="stable")] = np.arange(len(chosen))
    return number


@njit(**COMPILED)
def _add_random_bits(column, salt, sums):
    for token in range(len(column)):
        if column[token] != NONE:
            x = (np.uint64(token) + salt + np.uint64(1)) * MIX  # splitmix64 (Steele et al. 2014)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            sums[column[token]] += x ^ (x >> np.uint64(31))


@njit(**COMPILED)
def _spread(ends, values, sums, found):
    for item in range(len(sums)):
        for q in range(ends[item], ends[item + 1]):
            found[values[q]] += sums[item]


@njit(**COMPILED)
def _first(column, first):
    for token in range(len(column) - 1, -1, -1):
        if column[token] != NONE:
            first[column[token]] = min(token, first[column[token]])


@njit(**COMPILED)
def _earliest(ends, values, first, found):
    for item in range(len(first)):
        for q in range(ends[item], ends[item + 1]):
            found[values[q]] = min(found[values[q]], first[item])


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


def keep_shared_attributes(training_set: TrainingSet, patients: Sequence[int], least: int) -> TrainingSet:
    """Return the training set without the attributes that the notes of fewer than ``least`` patients have,
    and without those that name a long number. ``patients`` has the patient of each document, by number."""
    keep = count_patients(training_set, patients) >= least
    keep &= ~find_long_numbers(training_set.attributes)
    held = training_set.bundles
    kept = keep[held.values]
    ends = np.concatenate([[0], np.cumsum(kept)])[held.ends]
    return replace(training_set, bundles=Lists(ends, held.values[kept]))


def count_patients(training_set: TrainingSet, patients: Sequence[int]) -> np.ndarray:
    """Count the patients in whose notes each attribute occurs, [attributes]."""
    ends, values = training_set.bundles.ends, training_set.bundles.values
    latest_of_bundle = np.full(len(training_set.bundles), NONE)
    latest, count = np.full((2, len(training_set.attributes)), NONE)
    count[:] = 0
    sizes = np.diff(training_set.bounds)
    owners = np.repeat(np.asarray(patients, np.int64)[training_set.documents], sizes)
    order = np.argsort(owners, kind="stable")
    for tokens in np.split(order, np.flatnonzero(np.diff(owners[order])) + 1):
        for column in training_set.columns:
            patient = owners[tokens[0]] if len(tokens) else NONE
            _count(column, tokens, patient, latest_of_bundle, ends, values, latest, count)
    return count


@njit(**COMPILED)
def _count(column, tokens, patient, latest_of_bundle, ends, values, latest, count):
    for token in tokens:
        bundle = column[token]
        if bundle == NONE or latest_of_bundle[bundle] == patient:
            continue
        latest_of_bundle[bundle] = patient
        for q in range(ends[bundle], ends[bundle + 1]):
            if latest[values[q]] != patient:
                latest[values[q]] = patient
                count[values[q]] += 1


def find_long_numbers(attributes: AttributeNames) -> np.ndarray:
    """Whether each attribute names a long number of the notes, [attributes]."""
    return np.concatenate([_find_in_block(*block) for block in attributes.blocks])


def _find_in_block(head: str, values: Sequence[Sequence[str]], kinds: np.ndarray) -> np.ndarray:
    """The answers for the attributes of one template."""
    found, doubtful = np.zeros((2, len(kinds)), bool)
    for atom, known, column in zip(head.split("|"), values, kinds.T):
        if len(known):
            doubtful |= np.array(["|" in value for value in known], bool)[column]
            if shows_digits(atom):
                found |= np.array([has_long_number(value) for value in known], bool)[column]
    for row in np.flatnonzero(doubtful).tolist():  # two values with bars can have one name
        found[row] = names_long_number(attribute_name(head, values, kinds[row].tolist()))
    return found
