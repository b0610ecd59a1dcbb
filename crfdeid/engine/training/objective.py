"""The loss that training minimises, and its gradient."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crfdeid.engine.training import numba_kernels
from crfdeid.engine.training.parameters import Features
from crfdeid.engine.training.score_layout import Layout, Tokens
from crfdeid.engine.training.transition_layout import Factors, Transitions
from crfdeid.engine.training.vectors import Vectors


class Corpus(NamedTuple):
    """``gold`` [tokens] are the places of labels."""

    gold: np.ndarray
    laid: Layout
    transitions: Transitions


class Objective:
    """The negative log-likelihood with c2 * |x|^2, and its gradient, of the variables of ``features``."""

    def __init__(
        self, corpus: Corpus, features: Features, c2: float, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.gold, self.laid, self.transitions = corpus
        self.c2, self.pool, self.threads, self.states = c2, pool, threads, features.states
        self.observed = features.observed()
        self.vectors = Vectors(features.roots(), pool, threads)
        self.table = np.zeros((self.laid.rows, self.transitions.width))
        starts = np.cumsum([0, *(lot.bounds[-1] for lot in self.laid.lots)])
        cuts = np.searchsorted(starts, np.linspace(0, len(self.gold), threads + 1)).tolist()
        lots = [(self.gold[a:], lot) for a, lot in zip(starts.tolist(), self.laid.lots)]
        self.parts = [_Part(self, lots[first:last]) for first, last in pairwise(cuts)]
        self.first_made = len(self.laid.whole.row_ends) - 1
        self.edges = np.linspace(0, self.laid.rows - self.first_made, threads + 1).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        found = np.empty_like(x)  # first the weights, in the end the gradient
        self.vectors.weights(x, found)
        numba_kernels.build_rows(0, self.first_made, 0, tuple(self.laid.whole), found, self.table)
        list(self.pool.map(lambda number: self._make(number, found), range(self.threads)))
        factors = self.transitions.factors(x[self.states :])
        likelihood = sum(self.pool.map(lambda part: part.expect(self, found, factors), self.parts))
        expected = [part.gradient for part in self.parts]
        square = self.vectors.gradient(x, expected, self.observed, self.c2, found)
        return self.c2 * square - likelihood, found

    def _make(self, number: int, weights: np.ndarray) -> None:
        first, last = self.edges[number], self.edges[number + 1]
        numba_kernels.build_rows(first, last, self.first_made, tuple(self.laid.made), weights, self.table)


class Work(NamedTuple):
    """What the loops write to: rows of the longest sequence [tokens, width], and single rows [width].
    ``bits`` is ``powers`` as integers; ``real`` is 1 at places of labels, else 0."""

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
    def of(cls, longest: int, real: np.ndarray) -> Work:
        width = len(real)
        rows = np.zeros((2, longest, width))
        beta, row, most, rest, powers = np.zeros((5, width))
        single = beta, row, most, rest, powers, powers.view(np.int64)
        return cls(rows[0], rows[1], np.zeros(longest), *single, real)


class _Part:
    """Some lots with their gold labels, a share of one thread, and what it adds up: ``gradient`` holds
    the expectations of the weights of all variables."""

    def __init__(self, objective: Objective, lots: list[tuple[np.ndarray, Tokens]]) -> None:
        self.lots = lots
        self.expected, self.gradient = np.zeros_like(objective.table), np.zeros(len(objective.observed))
        longest = max((int(np.diff(lot.bounds).max()) for _, lot in lots), default=0)
        self.work = Work.of(longest, objective.transitions.every.any(axis=0).astype(float))

    def expect(self, objective: Objective, weights: np.ndarray, factors: Factors) -> float:
        """Add up the expectations of these sequences; return their log-likelihood."""
        o, counts = objective, np.zeros(sum(part.size for part in factors.excess))
        self.expected[:], self.gradient[:] = 0.0, 0.0
        found = self.expected, self.gradient, tuple(factors.structure.laid(counts))
        likelihood = sum(
            numba_kernels.add_expectations(
                gold, tuple(lot), o.table, weights, factors.plain, tuple(self.work), *found
            )
            for gold, lot in self.lots
        )
        numba_kernels.scatter_rows(o.first_made, tuple(o.laid.made), self.expected, self.gradient)
        numba_kernels.scatter_rows(0, tuple(o.laid.whole), self.expected, self.gradient)
        self.gradient[o.states :] = o.transitions.expected(factors, counts)
        return likelihood
