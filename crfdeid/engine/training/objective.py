"""The loss that training minimises, and its gradient; what the variables mean, and how they become
CRFsuite's model file."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.training import numba_kernels
from crfdeid.engine.training.feature_counts import Pairs
from crfdeid.engine.training.numbering import AttributeNames
from crfdeid.engine.training.score_layout import Layout, Tokens
from crfdeid.engine.training.transition_layout import Factors, Transitions
from crfdeid.engine.training.vectors import Vectors


@dataclass(frozen=True)
class Features:
    """The order of the variables: first the ``pairs`` of a set of attributes and a label, then the allowed
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

    def match_weights(self, start: crfsuite_file.Weights) -> np.ndarray:
        """The weights of an earlier training, matched by the names of attributes and labels; 0 for new
        ones. Each set must have one attribute."""
        size = len(self.labels)
        own = np.repeat(np.arange(len(self.attributes)), self.pairs.sizes) * size + self.pairs.label
        keys = find_keys(start, self.attributes, self.labels)
        states = start.records[start.records["kind"] == crfsuite_file.STATE]["weight"]
        place = np.minimum(np.searchsorted(own, keys), max(len(own) - 1, 0))
        known = np.flatnonzero(own[place] == keys) if len(own) else place[:0]
        state, transitions = np.zeros(len(own)), np.zeros((size, size))
        state[place[known]] = states[known]
        places = {name: number for number, name in enumerate(self.labels)}
        number = np.array([places.get(name, NONE) for name in start.labels])
        rows = start.records[start.records["kind"] == crfsuite_file.TRANSITION]
        before, after = number[rows["source"]], number[rows["target"]]
        kept = (before != NONE) & (after != NONE)
        transitions[before[kept], after[kept]] = rows["weight"][kept]
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
        states = crfsuite_file.make_records(crfsuite_file.STATE, source, self.pairs.label[place], values)
        row, column = np.nonzero(self.pairs.allowed)
        transitions = crfsuite_file.make_records(crfsuite_file.TRANSITION, row, column, x[self.states :])
        crfsuite_file.write(path, self.labels, self.attributes, np.concatenate([states, transitions]))


def find_keys(start: crfsuite_file.Weights, attributes: Sequence[str], labels: Sequence[str]) -> Ints:
    """For each state record of ``start`` the number of its attribute times the number of labels, plus the
    number of its label; -1 where ``attributes`` or ``labels`` do not have it."""
    numbers = {name: number for number, name in enumerate(attributes)}
    source = np.array([numbers.get(name, NONE) for name in start.attributes] or [NONE], np.int64)
    places = {name: number for number, name in enumerate(labels)}
    target = np.array([places.get(name, NONE) for name in start.labels] or [NONE], np.int64)
    states = start.records[start.records["kind"] == crfsuite_file.STATE]
    attribute, label = source[states["source"]], target[states["target"]]
    return np.where((attribute == NONE) | (label == NONE), NONE, attribute * len(labels) + label)


class Corpus(NamedTuple):
    """The training data; ``gold`` [tokens] are the places of the gold labels."""

    gold: np.ndarray
    layout: Layout
    transitions: Transitions


class Objective:
    """The negative log-likelihood plus c2 * |x|^2, and its gradient, of the variables of ``features``."""

    def __init__(
        self, corpus: Corpus, features: Features, c2: float, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.gold, self.layout, self.transitions = corpus
        self.c2, self.pool, self.threads, self.states = c2, pool, threads, features.states
        self.observed = features.observed()
        self.vectors = Vectors(features.roots(), pool, threads)
        self.table = np.zeros((self.layout.rows, self.transitions.width))
        starts = np.cumsum([0, *(chunk.bounds[-1] for chunk in self.layout.chunks)])
        cuts = np.searchsorted(starts, cut_evenly(len(self.gold), threads)).tolist()
        chunks = [(self.gold[a:], chunk) for a, chunk in zip(starts.tolist(), self.layout.chunks)]
        self.parts = [_Part(self, chunks[first:last]) for first, last in pairwise(cuts)]
        self.set_rows = len(self.layout.set_rows.row_ends) - 1
        self.edges = cut_evenly(self.layout.rows - self.set_rows, threads).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and its gradient at ``x`` [variables]."""
        both = np.empty_like(x)  # first the weights, in the end the gradient
        self.vectors.weights(x, both)
        numba_kernels.build_rows(0, self.set_rows, 0, tuple(self.layout.set_rows), both, self.table)
        list(self.pool.map(lambda number: self._build_bundle_rows(number, both), range(self.threads)))
        factors = self.transitions.factors(x[self.states :])
        likelihood = sum(self.pool.map(lambda part: part.expect(self, both, factors), self.parts))
        expected = [part.gradient for part in self.parts]
        square = self.vectors.gradient(x, expected, self.observed, self.c2, both)
        return self.c2 * square - likelihood, both

    def _build_bundle_rows(self, number: int, weights: np.ndarray) -> None:
        """The share of thread ``number``."""
        first, last = self.edges[number], self.edges[number + 1]
        sums = tuple(self.layout.bundle_rows)
        numba_kernels.build_rows(first, last, self.set_rows, sums, weights, self.table)


def cut_evenly(size: int, shares: int) -> np.ndarray:
    """Return the bounds of equal shares.

    >>> cut_evenly(9, 2).tolist()
    [0.0, 4.5, 9.0]
    """
    return np.linspace(0, size, shares + 1)


class Work(NamedTuple):
    """The arrays that the loops write to: for the longest sequence [tokens, width] or [tokens], and single
    rows [width]. ``bits`` is ``powers`` as integers; ``real`` is 1 at places of labels, otherwise 0."""

    emissions: np.ndarray
    alpha: np.ndarray
    scale: np.ndarray
    beta: np.ndarray
    row: np.ndarray
    most: np.ndarray
    rest: np.ndarray
    powers: np.ndarray
    bits: np.ndarray
    real: np.ndarray

    @classmethod
    def allocate(cls, longest: int, real: np.ndarray) -> Work:
        width = len(real)
        rows = np.zeros((2, longest, width))
        beta, row, most, rest, powers = np.zeros((5, width))
        single = beta, row, most, rest, powers, powers.view(np.int64)
        return cls(rows[0], rows[1], np.zeros(longest), *single, real)


class _Part:
    """The share of one thread: some chunks with their gold labels, and the sums over them. ``gradient``
    [variables] are the expectations."""

    def __init__(self, objective: Objective, chunks: list[tuple[np.ndarray, Tokens]]) -> None:
        self.chunks = chunks
        self.expected, self.gradient = np.zeros_like(objective.table), np.zeros(len(objective.observed))
        longest = max((int(np.diff(chunk.bounds).max()) for _, chunk in chunks), default=0)
        self.work = Work.allocate(longest, objective.transitions.every.diagonal().astype(float))

    def expect(self, objective: Objective, weights: np.ndarray, factors: Factors) -> float:
        """Sum up the expectations of these sequences; return their log-likelihood."""
        o, counts = objective, np.zeros(sum(part.size for part in factors.excess))
        self.expected[:], self.gradient[:] = 0.0, 0.0
        found = self.expected, self.gradient, tuple(factors.structure.view_strips(counts))
        likelihood = sum(
            numba_kernels.add_expectations(
                gold, tuple(chunk), o.table, weights, factors.plain, tuple(self.work), *found
            )
            for gold, chunk in self.chunks
        )
        numba_kernels.scatter_rows(o.set_rows, tuple(o.layout.bundle_rows), self.expected, self.gradient)
        numba_kernels.scatter_rows(0, tuple(o.layout.set_rows), self.expected, self.gradient)
        self.gradient[o.states :] = o.transitions.expected(factors, counts)
        return likelihood
