"""Attributes that always occur together.

A word that occurs once brings dozens of attributes that occur only with it: its lowered text, its
prefixes, each joined pair that contains it. These attributes begin with the same weight and have the same
gradient at each step, so they keep the same weight: half of all attributes are *tied* in this way. Tied
attributes are trained as one *set*, and in the end each gets the set's weight.

With m tied attributes of weight w, the set's variable is u = sqrt(m) w. Then |u|^2 is the sum of their
squares, products of vectors do not change, and L-BFGS takes exactly the same steps. Scores have the term
m w = sqrt(m) u; the gradient and c1 have the factor sqrt(m).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import MIX
from crfdeid.engine.kept_loops import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.numbering import number_keys
from crfdeid.engine.training.training_set import TrainingSet


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
