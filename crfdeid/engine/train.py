"""Train a CRF on arrays, to CRFsuite's losses, and leave CRFsuite's model file."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crfdeid.engine import kernels, twins, weights
from crfdeid.engine.attributes import Attributes
from crfdeid.engine.factors import Factors, Transitions, places
from crfdeid.engine.layout import Layout, layout
from crfdeid.engine.lbfgs import Settings, minimise
from crfdeid.engine.occurrences import Pairs, pairs
from crfdeid.engine.problem import Problem
from crfdeid.engine.texts import NONE
from crfdeid.engine.vectors import Vectors
from crfdeid.faults import ConfigurationFault, Stopped

NAMES = {
    "c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "max_linesearch",
    "feature.minfreq", "feature.possible_states", "feature.possible_transitions",
}  # fmt: skip


def can_train(algorithm: str, settings: dict[str, Any]) -> bool:
    """Whether this engine knows the algorithm and all its settings: those of L-BFGS."""
    return algorithm == "lbfgs" and settings.keys() <= NAMES


def train(
    problem: Problem,
    settings: dict[str, Any],
    path: Path,
    on_iteration: Callable[[int, float], None],
    threads: int = 2,
    start: weights.Weights | None = None,
) -> None:
    """Fit ``problem`` with CRFsuite's ``settings``, from the weights ``start`` on; write its model
    file to ``path``. Ctrl-C after an iteration writes what there is and raises :class:`Stopped`."""
    sets = twins.alone(problem) if start else twins.sets(problem)  # twins begin with the same weight
    found = pairs(
        problem,
        sets,
        settings.get("feature.minfreq", 0),
        bool(settings.get("feature.possible_states", False)),
        bool(settings.get("feature.possible_transitions", False)),
    )
    place, width = places(problem.labels)
    laid = layout(problem, sets, found, place)
    features = Features(problem.labels, problem.attributes, sets.number, sets.sizes, found)
    refuse_too_large(features, laid.rows, width, threads)
    corpus = Corpus(place[problem.gold], problem.bounds, laid, Transitions(found.allowed, place, width))
    del problem, sets, laid  # their bundles are laid out: the memory goes back
    x, stopped = fitted(corpus, features, settings, start, on_iteration, threads)
    del corpus  # names of attributes take its memory
    features.write(path, x)
    if stopped:
        raise Stopped


def fitted(
    corpus: Corpus,
    features: Features,
    settings: dict[str, Any],
    start: weights.Weights | None,
    on_iteration: Callable[[int, float], None],
    threads: int,
) -> tuple[np.ndarray, bool]:
    """The variables, and whether Ctrl-C was heard after an iteration."""
    chosen = {name: value for name, value in settings.items() if name in Settings.__dataclass_fields__}
    latest = [np.zeros(len(features)) if start is None else features.started(start)]

    def hear(number: int, loss: float, x: np.ndarray) -> None:
        latest.append(x)
        del latest[:-1]
        on_iteration(number, loss)

    with ThreadPoolExecutor(threads) as pool:
        objective = Objective(corpus, features, settings.get("c2", 1.0), pool, threads)
        try:
            return minimise(objective, latest[0], Settings(**chosen), hear, objective.vectors), False
        except KeyboardInterrupt:
            if not latest[-1].any():
                raise
            return latest[-1], True


class Corpus(NamedTuple):
    """``gold`` [tokens] are the places of labels, ``bounds`` [sequences + 1] delimit the sequences."""

    gold: np.ndarray
    bounds: np.ndarray
    laid: Layout
    transitions: Transitions


@dataclass(frozen=True)
class Features:
    """What the variables stand for: first the ``pairs`` of sets of attributes and labels, then the
    allowed transitions in row order. ``number`` [attributes] is the set of each attribute, ``sizes``
    [sets] the size of each set."""

    labels: list[str]
    attributes: Attributes
    number: np.ndarray
    sizes: np.ndarray
    pairs: Pairs

    def __len__(self) -> int:
        return self.states + int(self.pairs.allowed.sum())

    @property
    def states(self) -> int:
        return len(self.pairs.label)

    def roots(self) -> np.ndarray:
        """For each variable the square root of how many weights are one in it."""
        states = np.repeat(np.sqrt(self.sizes), self.pairs.sizes)
        return np.concatenate([states, np.ones(len(self) - self.states)])

    def observed(self) -> np.ndarray:
        """How often each feature occurs in training."""
        transitions = self.pairs.transitions[self.pairs.allowed]
        return np.concatenate([self.pairs.count, transitions.astype(np.int32)])

    def started(self, start: weights.Weights) -> np.ndarray:
        """The weights of an earlier training by the names of their attributes and labels; 0 for
        those it did not have. Each set is of one attribute here."""
        labels = {name: number for number, name in enumerate(self.labels)}
        attributes = {name: number for number, name in enumerate(self.attributes)}
        size = len(labels)
        keys = np.repeat(np.arange(len(attributes)), self.pairs.sizes) * size + self.pairs.label
        state, transitions = np.zeros(len(keys)), np.zeros((size, size))
        for kind, source, target, weight in start.records.tolist():
            label = labels.get(start.labels[target], NONE)
            if kind == weights.TRANSITION:
                before = labels.get(start.labels[source], NONE)
                if label != NONE and before != NONE:
                    transitions[before, label] = weight
            elif label != NONE and (attribute := attributes.get(start.attributes[source])) is not None:
                place = int(np.searchsorted(keys, attribute * size + label))
                if place < len(keys) and keys[place] == attribute * size + label:
                    state[place] = weight
        return np.concatenate([state, transitions[self.pairs.allowed]])

    def write(self, path: Path, x: np.ndarray) -> None:
        """CRFsuite's file of the weights that are not zero."""
        live = np.flatnonzero(x[: self.states])
        ends = np.searchsorted(live, self.pairs.ends)  # of the sets, among the live
        first, counts = ends[self.number], np.diff(ends)[self.number]
        source = np.repeat(np.arange(len(self.number)), counts)
        within = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        place = live[np.repeat(first, counts) + within]
        values = x[place] / np.sqrt(self.sizes[self.number[source]])
        states = weights.records(weights.STATE, source, self.pairs.label[place], values)
        row, column = np.nonzero(self.pairs.allowed)
        transitions = weights.records(weights.TRANSITION, row, column, x[self.states :])
        weights.write(path, self.labels, self.attributes, np.concatenate([states, transitions]))


def refuse_too_large(features: Features, rows: int, width: int, threads: int) -> None:
    """Raise :class:`ConfigurationFault` where the arrays would not fit into the machine's memory."""
    vectors = (20 + threads) * len(features)  # six corrections of two vectors, and those in work
    wanted = 8 * (rows * width * (threads + 1) + vectors + 3 * width * width)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > there:
        raise ConfigurationFault(
            f"training needs about {wanted / 1e9:,.1f} GB for {len(features.labels)} labels, "
            f"{rows} rows and {len(features)} features; "
            f"this machine has {there / 1e9:,.1f} GB: raise feature.minfreq, or use fewer types"
        )


class Objective:
    """The negative log-likelihood with c2 * |x|^2, and its gradient, of the variables of ``features``."""

    def __init__(
        self, corpus: Corpus, features: Features, c2: float, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.gold, self.bounds, self.laid, self.transitions = corpus
        self.c2, self.pool, self.threads, self.states = c2, pool, threads, features.states
        self.observed = features.observed()
        self.vectors = Vectors(features.roots(), pool, threads)
        self.table = np.zeros((self.laid.rows, self.transitions.width))
        tokens = np.linspace(0, len(self.gold), threads + 1)
        edges = np.searchsorted(self.bounds, tokens)
        edges[-1] = len(self.bounds) - 1
        self.parts = [_Part(self, a, b) for a, b in zip(edges.tolist(), edges[1:].tolist())]
        self.first_made = len(self.laid.whole.row_ends) - 1
        self.edges = np.linspace(0, self.laid.rows - self.first_made, threads + 1).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        found = np.empty_like(x)  # first the weights, in the end the gradient
        self.vectors.weights(x, found)
        kernels.make(0, self.first_made, 0, self.laid.whole, found, self.table)
        list(self.pool.map(lambda number: self._make(number, found), range(self.threads)))
        factors = self.transitions.factors(x[self.states :])
        likelihood = sum(self.pool.map(lambda part: part.expect(self, found, factors), self.parts))
        expected = [part.gradient for part in self.parts]
        square = self.vectors.gradient(x, expected, self.observed, self.c2, found)
        return self.c2 * square - likelihood, found

    def _make(self, number: int, weights: np.ndarray) -> None:
        first, last = self.edges[number], self.edges[number + 1]
        kernels.make(first, last, self.first_made, self.laid.made, weights, self.table)


class Work(NamedTuple):
    """What the loops write to: rows of the longest sequence [tokens, width], and single rows [width].
    ``bits`` is ``powers`` as integers; ``real`` is 1 at places of labels, else 0."""

    emissions: np.ndarray
    alpha: np.ndarray
    scale: np.ndarray
    beta: np.ndarray
    row: np.ndarray
    more: np.ndarray
    most: np.ndarray
    rest: np.ndarray
    powers: np.ndarray
    bits: np.ndarray
    real: np.ndarray

    @classmethod
    def of(cls, longest: int, real: np.ndarray) -> Work:
        width = len(real)
        rows = np.zeros((2, longest, width))
        beta, row, more, most, rest, powers = np.zeros((6, width))
        single = beta, row, more, most, rest, powers, powers.view(np.int64)
        return cls(rows[0], rows[1], np.zeros(longest), *single, real)


class _Part:
    """The sequences ``first`` to ``last``, a share of one thread, and what it adds up: ``gradient``
    holds the expectations of the weights of all variables."""

    def __init__(self, objective: Objective, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.expected, self.gradient = np.zeros_like(objective.table), np.zeros(len(objective.observed))
        longest = int(np.diff(objective.bounds[first : last + 1]).max(initial=0))
        self.work = Work.of(longest, objective.transitions.every.any(axis=0).astype(float))

    def expect(self, objective: Objective, weights: np.ndarray, factors: Factors) -> float:
        """Add up the expectations of these sequences; return their log-likelihood."""
        o, counts = objective, np.zeros(sum(part.size for part in factors.excess))
        self.expected[:], self.gradient[:] = 0.0, 0.0
        likelihood = kernels.expectations(
            o.gold, o.bounds, self.first, self.last, o.laid.tokens, o.table, weights, factors, self.work,
            self.expected, self.gradient, factors.structure.laid(counts),
        )  # fmt: skip
        kernels.unmake(o.first_made, o.laid.made, self.expected, self.gradient)
        kernels.unmake(0, o.laid.whole, self.expected, self.gradient)
        self.gradient[o.states :] = o.transitions.expected(factors, counts)
        return likelihood
