"""Train a CRF on arrays, to CRFsuite's losses, and leave CRFsuite's model file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.engine import kernels, weights
from crfdeid.engine.lbfgs import Settings, minimise
from crfdeid.engine.problem import Pairs, Problem, pairs

PAD = 8
MANY = 6  # labels of an attribute that is worth a row of its own
TOGETHER = 512  # tokens whose scores are held at once
TINY = 1e-6
NAMES = {
    "c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "max_linesearch",
    "feature.minfreq", "feature.possible_states", "feature.possible_transitions",
}  # fmt: skip


def can_train(algorithm: str, settings: dict[str, Any]) -> bool:
    """Whether this engine knows the algorithm and all its settings: L-BFGS with c1 > 0."""
    return algorithm == "lbfgs" and settings.get("c1", 0) > 0 and settings.keys() <= NAMES


def train(
    problem: Problem,
    settings: dict[str, Any],
    path: Path,
    on_iteration: Callable[[int, float], None],
    threads: int = 2,
) -> None:
    """Fit ``problem`` with CRFsuite's ``settings``; write its model file to ``path``."""
    found = pairs(
        problem,
        settings.get("feature.minfreq", 0),
        bool(settings.get("feature.possible_states", False)),
        bool(settings.get("feature.possible_transitions", False)),
    )
    chosen = {name: value for name, value in settings.items() if name in Settings.__dataclass_fields__}
    with ThreadPoolExecutor(threads) as pool:
        objective = Objective(problem, found, settings.get("c2", 1.0), pool, threads)
        x = minimise(objective, objective.size, Settings(**chosen), on_iteration)
    write(path, problem, found, x)


class Objective:
    """The negative log-likelihood with c2 * |x|^2, and its gradient. ``x`` holds the state
    weights, then the allowed transitions' in row order."""

    def __init__(
        self, problem: Problem, found: Pairs, c2: float, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.problem, self.pairs, self.c2, self.pool, self.threads = problem, found, c2, pool, threads
        self.states = len(found.label)
        self.size = self.states + int(found.allowed.sum())
        self.labels = len(problem.labels)
        self.observed = np.concatenate([found.count, found.transitions[found.allowed]])
        self.direct = direct(problem, found)
        width = -(-self.labels // PAD) * PAD
        self.scores = np.zeros((problem.distinct, len(problem.offsets), width))
        self.table = np.zeros((len(self.direct.rows), width))
        tokens = np.linspace(0, len(problem.gold), threads + 1)
        edges = np.searchsorted(problem.bounds, tokens)
        edges[-1] = len(problem.bounds) - 1
        self.parts = [
            _Part(problem, a, b, self.scores.shape, self.table.shape, self.states)
            for a, b in zip(edges.tolist(), edges[1:].tolist())
        ]
        self.text_edges = np.linspace(0, problem.distinct, threads + 1).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        p, f, d = self.problem, self.pairs, self.direct
        transitions = np.zeros((self.labels, self.labels))
        transitions[f.allowed] = x[self.states :]
        state = np.ascontiguousarray(x[: self.states])
        kernels.dense_rows(d.rows, f.ends, f.label, state, self.table)
        list(self.pool.map(lambda number: self._rows(number, state), range(self.threads)))
        factors = Factors.of(transitions, f.allowed)
        work = lambda part: part.expect(self, state, factors)  # noqa: E731
        likelihood = sum(self.pool.map(work, self.parts))
        gradient = np.empty_like(x)
        whole = self.parts[0]
        for part in self.parts[1:]:
            whole += part
        gradient[: self.states] = whole.gradient
        kernels.scatter(p.window, p.window_ends, f.ends, f.label, whole.expected, gradient)
        kernels.scatter_dense(d.rows, f.ends, f.label, whole.expected_dense, gradient)
        gradient[self.states :] = factors.expected(whole.counts)[f.allowed]
        gradient += 2 * self.c2 * x - self.observed
        return self.c2 * float(x @ x) - likelihood, gradient

    def _rows(self, number: int, state: np.ndarray) -> None:
        p, f = self.problem, self.pairs
        first, last = self.text_edges[number], self.text_edges[number + 1]
        kernels.rows(p.window, p.window_ends, first, last, f.ends, f.label, state, self.scores)


@dataclass(frozen=True)
class Factors:
    """``exp`` of the transitions, as :func:`crfdeid.engine.kernels.recur` wants them: those of label i,
    from ``source_ends[i]`` on, to ``targets``, ``unseen + excess``; elsewhere ``unseen``."""

    transitions: np.ndarray
    source_ends: np.ndarray
    targets: np.ndarray
    excess: np.ndarray
    unseen: float

    @classmethod
    def of(cls, transitions: np.ndarray, allowed: np.ndarray) -> Factors:
        """Factors below :data:`TINY` would be lost in a difference from 1: all are listed then."""
        unseen = 1.0 if transitions.min() > np.log(TINY) else 0.0
        sources, targets = np.nonzero(allowed if unseen else np.ones_like(allowed))
        excess = np.exp(transitions[sources, targets]) - unseen
        ends = np.searchsorted(sources, np.arange(len(transitions) + 1))
        return cls(transitions, ends.astype(np.uint64), targets.astype(np.uint64), excess, unseen)

    def expected(self, counts: np.ndarray) -> np.ndarray:
        """The expected number of times of each transition [labels, labels]."""
        found = np.zeros_like(self.transitions)
        sources = np.repeat(np.arange(len(found)), np.diff(self.source_ends.astype(np.int64)))
        found[sources, self.targets] = counts[: len(sources)] * (self.excess + self.unseen)
        return found


class _Part:
    """The sequences ``first`` to ``last``, a share of one thread, and what it adds up."""

    def __init__(self, problem: Problem, first: int, last: int, window, dense, states: int) -> None:
        self.groups = list(groups(problem.bounds, first, last))
        labels = len(problem.labels)
        self.expected, self.expected_dense = np.zeros(window), np.zeros(dense)
        self.gradient, self.counts = np.zeros(states), np.zeros(labels * labels)
        bounds = problem.bounds
        rows = max((int(bounds[b] - bounds[a]) + (b - a) * window[1] for a, b in self.groups), default=0)
        longest = int(np.diff(bounds[first : last + 1]).max(initial=1))
        self.emissions = np.zeros((rows, window[2]))
        self.alpha, self.scale = np.zeros((longest, window[2])), np.zeros(longest)

    def expect(self, objective: Objective, state: np.ndarray, factors: Factors) -> float:
        """Add up the expectations of these sequences; return their log-likelihood."""
        p, d = objective.problem, objective.direct
        for array in (self.expected, self.expected_dense, self.gradient, self.counts):
            array[:] = 0.0
        ahead, reach, total = int(p.offsets[0]), len(p.offsets), 0.0
        for first, last in self.groups:
            rows = self.emissions[: p.bounds[last] - p.bounds[first] + (last - first) * reach]
            total += kernels.emit(
                p.texts, p.gold, p.bounds, first, last, ahead, objective.scores, d.dense_ends, d.dense,
                objective.table, d.sparse_ends, d.sparse, d.sparse_label, state, objective.labels, rows,
            )  # fmt: skip
            np.exp(rows, out=rows)
            total += kernels.recur(
                p.gold, p.bounds, first, last, ahead, reach, factors.transitions, factors.source_ends,
                factors.targets, factors.excess, factors.unseen, rows, self.alpha, self.scale, self.counts,
            )  # fmt: skip
            kernels.expect(
                p.texts, p.bounds, first, last, ahead, d.dense_ends, d.dense, d.sparse_ends, d.sparse,
                d.sparse_label, rows, self.expected, self.expected_dense, self.gradient,
            )  # fmt: skip
        return total

    def __iadd__(self, other: _Part) -> _Part:
        for name in ("expected", "expected_dense", "gradient", "counts"):
            getattr(self, name).__iadd__(getattr(other, name))
        return self


def groups(bounds: np.ndarray, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Consecutive sequences of about :data:`TOGETHER` tokens."""
    while first < last:
        stop = int(np.searchsorted(bounds, bounds[first] + TOGETHER))
        stop = min(max(stop, first + 1), last)
        yield first, stop
        first = stop


@dataclass(frozen=True)
class Direct:
    """The direct attributes of each token t that have features: those with many labels as numbers
    of ``rows`` (attributes), ``dense[dense_ends[t] : dense_ends[t + 1]]``; of the others the pairs,
    in ``sparse``, with their labels beside them."""

    rows: np.ndarray
    dense_ends: np.ndarray
    dense: np.ndarray
    sparse_ends: np.ndarray
    sparse: np.ndarray
    sparse_label: np.ndarray


def direct(problem: Problem, found: Pairs) -> Direct:
    labels = np.diff(found.ends)
    many = labels >= MANY
    rows = np.flatnonzero(many)
    # A row's number takes the place of an attribute's first pair.
    number = np.zeros(len(labels) + 1, np.int64)
    number[rows] = np.arange(len(rows))
    dense_ends, dense, _ = _listed(problem, many.astype(np.int64), number, np.zeros(len(rows), np.int32))
    few = np.where(many, 0, labels)
    return Direct(rows, dense_ends, dense, *_listed(problem, few, found.ends, found.label))


def _listed(
    problem: Problem, sizes: np.ndarray, first: np.ndarray, label: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of each token's attributes, one token after the other, and their labels."""
    counts = np.zeros(len(problem.gold), np.int64)
    for column in problem.direct:
        kernels.count_pairs(column, sizes, counts)
    ends = np.concatenate([[0], np.cumsum(counts)])
    pairs, labels = np.empty(int(ends[-1]), np.uint32), np.empty(int(ends[-1]), np.uint16)
    place = ends[:-1].copy()
    for column in problem.direct:
        kernels.list_pairs(column, sizes, first, label, place, pairs, labels)
    return ends, pairs, labels


def write(path: Path, problem: Problem, found: Pairs, x: np.ndarray) -> None:
    """CRFsuite's file of the weights that are not zero."""
    source = np.repeat(np.arange(len(problem.attributes)), np.diff(found.ends))
    states = weights.records(weights.STATE, source, found.label, x[: len(found.label)])
    row, column = np.nonzero(found.allowed)
    transitions = weights.records(weights.TRANSITION, row, column, x[len(found.label) :])
    weights.write(path, problem.labels, problem.attributes, np.concatenate([states, transitions]))
