"""The attributes that a model for sharing may have: those of the notes of at least k patients, without long
numbers (:mod:`crfdeid.feature_extraction.long_numbers`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.kept_loops import OPTIONS as COMPILED
from crfdeid.engine.training.bundles import Lists
from crfdeid.engine.training.numbering import AttributeNames, attribute_name
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.feature_extraction.long_numbers import has_long_number, names_long_number, shows_digits


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
