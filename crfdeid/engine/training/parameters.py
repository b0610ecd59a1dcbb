"""What the variables of training mean, and how they become CRFsuite's model file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.crfsuite_file import model_file
from crfdeid.engine.training.feature_counts import Pairs
from crfdeid.engine.training.numbering import AttributeNames


@dataclass(frozen=True)
class Features:
    """What the variables mean: first the ``pairs`` of a set of attributes and a label, then the allowed
    transitions in row order. ``number`` [attributes] is the set of each attribute, ``sizes`` [sets] is the
    size of each set."""

    labels: list[str]
    attributes: AttributeNames
    number: np.ndarray
    sizes: np.ndarray
    pairs: Pairs

    def __len__(self) -> int:
        return self.states + int(self.pairs.allowed.sum())

    @property
    def states(self) -> int:
        """The number of variables that are pairs."""
        return len(self.pairs.label)

    def roots(self) -> np.ndarray:
        """For each variable the square root of the number of weights that are tied in it."""
        states = np.repeat(np.sqrt(self.sizes), self.pairs.sizes)
        return np.concatenate([states, np.ones(len(self) - self.states)])

    def observed(self) -> np.ndarray:
        """How often each feature occurs in training."""
        transitions = self.pairs.transitions[self.pairs.allowed]
        return np.concatenate([self.pairs.count, transitions.astype(np.int32)])

    def match_weights(self, start: model_file.Weights) -> np.ndarray:
        """The weights of an earlier training, matched by the names of attributes and labels; 0 for new
        ones. Each set must have one attribute."""
        labels = {name: number for number, name in enumerate(self.labels)}
        attributes = {name: number for number, name in enumerate(self.attributes)}
        size = len(labels)
        keys = np.repeat(np.arange(len(attributes)), self.pairs.sizes) * size + self.pairs.label
        state, transitions = np.zeros(len(keys)), np.zeros((size, size))
        for kind, source, target, weight in start.records.tolist():
            label = labels.get(start.labels[target], NONE)
            if kind == model_file.TRANSITION:
                before = labels.get(start.labels[source], NONE)
                if label != NONE and before != NONE:
                    transitions[before, label] = weight
            elif label != NONE and (attribute := attributes.get(start.attributes[source])) is not None:
                place = int(np.searchsorted(keys, attribute * size + label))
                if place < len(keys) and keys[place] == attribute * size + label:
                    state[place] = weight
        return np.concatenate([state, transitions[self.pairs.allowed]])

    def write(self, path: Path, x: np.ndarray) -> None:
        """Write CRFsuite's file of the weights that are not zero."""
        live = np.flatnonzero(x[: self.states])
        ends = np.searchsorted(live, self.pairs.ends)  # the end of each set among them
        first, counts = ends[self.number], np.diff(ends)[self.number]
        source = np.repeat(np.arange(len(self.number)), counts)
        within = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        place = live[np.repeat(first, counts) + within]
        values = x[place] / np.sqrt(self.sizes[self.number[source]])
        states = model_file.make_records(model_file.STATE, source, self.pairs.label[place], values)
        row, column = np.nonzero(self.pairs.allowed)
        transitions = model_file.make_records(model_file.TRANSITION, row, column, x[self.states :])
        model_file.write(path, self.labels, self.attributes, np.concatenate([states, transitions]))
