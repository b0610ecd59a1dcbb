"""Attributes that always occur together.

A word that occurs once brings dozens of attributes that occur with it alone: its lowered text, its
prefixes, each joined pair it is a part of. They have the same gradient at each step, begin with
the same weight, and so keep the same weight: half of all attributes are such *twins*. They are
trained as one, a *set*, and each is given the set's weight in the end.

With m twins of weight w, the set's variable is u = sqrt(m) w: then |u|^2 is the sum of the twins'
squares, products of vectors are what they were, and L-BFGS takes the very same steps. Scores
have m w = sqrt(m) u, the gradient has the factor sqrt(m), and so has c1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.numba_kernels import MIX
from crfdeid.engine.decoding.numba_kernels import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.numbering import number_keys
from crfdeid.engine.training.training_set import TrainingSet


@dataclass(frozen=True)
class AttributeSets:
    """``number`` [attributes] is the set of each attribute; ``sizes`` [sets] how many a set has;
    ``bundles`` what sets each bundle has, where a token that has a set has it in one place alone."""

    number: np.ndarray
    sizes: np.ndarray
    bundles: Lists


def tie_attributes(problem: TrainingSet) -> AttributeSets:
    """The twins of a problem. Two attributes are taken for twins if two sums of 64 random bits a
    token agree (by mistake in one of 10^26 corpora)."""
    marks = [_marks(problem, salt) for salt in (1, 2)]
    (kinds, number), (_, other) = (number_keys(mark.view(np.int64)) for mark in marks)
    kinds, number = number_keys(other.astype(np.int64) * len(kinds) + number)
    chosen = np.empty(len(kinds), np.int64)
    chosen[number] = np.arange(len(number))  # the last of each set: those of single texts come last
    number = _by_first_token(problem, chosen)[number]
    held = problem.bundles.values
    keep = np.zeros(len(number), bool)
    keep[chosen] = True
    kept = keep[held]
    ends = np.concatenate([[0], np.cumsum(kept)])[problem.bundles.ends]
    return AttributeSets(number, np.bincount(number, minlength=len(kinds)), Lists(ends, number[held[kept]]))


def leave_untied(problem: TrainingSet) -> AttributeSets:
    """Each attribute a set of its own."""
    number = np.arange(len(problem.attributes), dtype=np.int32)
    return AttributeSets(number, np.ones(len(number), np.int64), problem.bundles)


def _marks(problem: TrainingSet, salt: int) -> np.ndarray:
    """For each attribute the sum of its tokens' random numbers."""
    of_bundles = np.zeros(len(problem.bundles), np.uint64)
    for column in problem.columns:
        _mark(column, np.uint64(salt << 40), of_bundles)
    found = np.zeros(len(problem.attributes), np.uint64)
    _spread(problem.bundles.ends, problem.bundles.values, of_bundles, found)
    return found


def _by_first_token(problem: TrainingSet, chosen: np.ndarray) -> np.ndarray:
    """New numbers for the sets, so that those first met together lie together in memory."""
    first = np.full(len(problem.bundles), len(problem.gold))
    for column in problem.columns:
        _first(column, first)
    found = np.full(len(problem.attributes), len(problem.gold))
    _earliest(problem.bundles.ends, problem.bundles.values, first, found)
    number = np.empty(len(chosen), np.int32)
    number[np.argsort(found[chosen], kind="stable")] = np.arange(len(chosen))
    return number


@njit(**COMPILED)
def _mark(column, salt, sums):
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
