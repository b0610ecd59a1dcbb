"""Train further from the weights of a model, which stay near: a few notes correct a model of many.

The loss is the negative log-likelihood of the notes plus c2 * |w - w0|^2, where w0 are the weights of the
model, 0 for features that it does not have. That is the logarithm of a Gaussian prior around the old weights
(Chelba & Acero 2004, "Adaptation of maximum entropy capitalizer"). L-BFGS finds d = w - w0, so that it begins
with the old model. A feature that the notes do not have keeps its weight. A pair of an attribute and a label
that the model has can lose weight, also where the notes never have it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.crfsuite_file import STATE, TRANSITION, Weights
from crfdeid.engine.training import feature_counts
from crfdeid.engine.training.feature_counts import Pairs, narrowest_type
from crfdeid.engine.training.lbfgs import Settings, minimise
from crfdeid.engine.training.objective import Corpus, Features, Objective, find_keys
from crfdeid.engine.training.score_layout import build_layout
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.engine.training.transition_layout import Transitions, place_labels


@dataclass(frozen=True)
class Prior:
    """``c2`` is how strongly the weights are held. ``least`` is how often a feature that the model does not
    have must occur. The rest are L-BFGS's settings."""

    c2: float
    least: int = 1
    iterations: int = 40
    delta: float = 1e-3
    period: int = 5

    @property
    def settings(self) -> Settings:
        return Settings(max_iterations=self.iterations, delta=self.delta, period=self.period, epsilon=1e-3)


class PriorObjective:
    """The loss above and its gradient, as a function of d = w - w0; ``old`` is w0 [variables]."""

    def __init__(self, likelihood: Objective, old: Floats, c2: float) -> None:
        self.likelihood, self.old, self.c2 = likelihood, old, c2

    def __call__(self, moved: Floats) -> tuple[float, Floats]:
        loss, gradient = self.likelihood(self.old + moved)
        return loss + self.c2 * float(moved @ moved), gradient + 2 * self.c2 * moved


def train_further(
    training_set: TrainingSet,
    old: Weights,
    prior: Prior,
    on_iteration: Callable[[int, float], None] = lambda number, loss: None,
    threads: int = 2,
) -> Weights:
    """Return the weights of ``old`` after training on ``training_set``, with the attributes and labels that
    are new. Removes the columns of the training set."""
    training_set = add_labels(training_set, old.labels)
    sets = feature_counts.leave_untied(training_set)
    counted = feature_counts.count_pairs(training_set, sets, 0, False, False)
    keys = find_keys(old, training_set.attributes, training_set.labels)
    pairs = join_pairs(counted, keys[keys >= 0], old, prior.least)
    place, width = place_labels(training_set.labels)
    layout = build_layout(training_set, sets, pairs, place)
    features = Features(training_set.labels, training_set.attributes, sets.number, sets.sizes, pairs)
    corpus = Corpus(place[training_set.gold], layout, Transitions(pairs.allowed, place, width))
    start = features.match_weights(old)
    with ThreadPoolExecutor(threads) as pool:
        likelihood = Objective(corpus, features, 0.0, pool, threads)
        loss = PriorObjective(likelihood, start, prior.c2)
        moved = minimise(
            loss,
            np.zeros(len(start)),
            prior.settings,
            lambda number, value, x: on_iteration(number, value),
            likelihood.vectors,
        )
    return merge_weights(old, features, start + moved, keys)


def add_labels(training_set: TrainingSet, known: list[str]) -> TrainingSet:
    """Return the training set with the labels of the model first, then those that are new."""
    labels = [*known, *(label for label in training_set.labels if label not in known)]
    number = np.array([labels.index(label) for label in training_set.labels], np.int32)
    return replace(training_set, labels=labels, gold=number[training_set.gold])


def join_pairs(counted: Pairs, keys: Ints, old: Weights, least: int) -> Pairs:
    """Return the pairs that occur ``least`` times, and those of the model (``keys``: attribute times the
    number of labels, plus label), with the model's transitions."""
    size = len(counted.transitions)
    own = np.repeat(np.arange(len(counted.ends) - 1), counted.sizes) * size + counted.label.astype(np.int64)
    every = np.union1d(own[counted.count >= least], keys)
    count = np.zeros(len(every), np.int32)
    place = np.minimum(np.searchsorted(every, own), len(every) - 1)
    kept = every[place] == own
    count[place[kept]] = counted.count[kept]
    owners = np.bincount(every // size, minlength=len(counted.ends) - 1)
    allowed = counted.transitions > 0
    rows = old.records[old.records["kind"] == TRANSITION]
    allowed[rows["source"], rows["target"]] = True
    return replace(
        counted,
        label=(every % size).astype(narrowest_type(size)),
        ends=np.concatenate([[0], np.cumsum(owners)]),
        count=count,
        allowed=allowed,
    )


def merge_weights(old: Weights, features: Features, x: Floats, keys: Ints) -> Weights:
    """Return the model with the weights ``x`` of ``features`` in place of its own; ``keys`` are those of its
    state records, -1 for what the features do not have."""
    states = old.records[old.records["kind"] == STATE]
    names = list(features.attributes)
    places = {name: number for number, name in enumerate(old.attributes)}
    attributes = [*old.attributes, *(name for name in dict.fromkeys(names) if name not in places)]
    places = {name: number for number, name in enumerate(attributes)}
    source = np.array([places[name] for name in names], np.int64)
    owners = np.repeat(np.arange(len(names)), features.pairs.sizes)
    row, column = np.nonzero(features.pairs.allowed)
    values, size = x[features.states :], len(features.labels)
    transitions = np.zeros((size, size))
    transitions[row, column] = values
    records = [
        states[keys < 0],
        crfsuite_file.make_records(STATE, source[owners], features.pairs.label, x[: features.states]),
        crfsuite_file.make_records(TRANSITION, row, column, values),
    ]
    return Weights(features.labels, attributes, np.concatenate(records), transitions)
