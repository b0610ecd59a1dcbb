"""Train a CRF on arrays, to CRFsuite's losses, and leave CRFsuite's model file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crfdeid.engine import kernels, weights
from crfdeid.engine.lbfgs import Settings, minimise
from crfdeid.engine.occurrences import Pairs, pairs
from crfdeid.engine.problem import Problem
from crfdeid.engine.texts import NONE
from crfdeid.engine.vectors import Vectors
from crfdeid.faults import ConfigurationFault, Stopped

PAD = 8
MANY = 6  # labels of an attribute that is worth a row of its own
TOGETHER = 512  # tokens whose scores are held at once
TINY = 1e-6
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
    found = pairs(
        problem,
        settings.get("feature.minfreq", 0),
        bool(settings.get("feature.possible_states", False)),
        bool(settings.get("feature.possible_transitions", False)),
    )
    refuse_too_large(problem, found, threads)
    chosen = {name: value for name, value in settings.items() if name in Settings.__dataclass_fields__}
    with ThreadPoolExecutor(threads) as pool:
        objective = Objective(problem, found, settings.get("c2", 1.0), pool, threads)
        latest = [np.zeros(objective.size) if start is None else started(problem, found, start)]

        def hear(number: int, loss: float, x: np.ndarray) -> None:
            latest.append(x)
            del latest[:-1]
            on_iteration(number, loss)

        try:
            latest.append(minimise(objective, latest[0], Settings(**chosen), hear, objective.vectors))
        except KeyboardInterrupt:
            if not latest[-1].any():
                raise
            write(path, problem, found, latest[-1])
            raise Stopped from None
    write(path, problem, found, latest[-1])


def refuse_too_large(problem: Problem, found: Pairs, threads: int) -> None:
    """Raise :class:`ConfigurationFault` where the arrays would not fit into the machine's memory."""
    width = -(-len(problem.labels) // PAD) * PAD
    rows = problem.distinct * len(problem.offsets) * width
    vectors = (20 + threads) * len(found.label)  # six corrections of two vectors, and those in work
    wanted = 8 * (rows * (threads + 1) + vectors + 3 * width * width)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > there:
        raise ConfigurationFault(
            f"training needs about {wanted / 1e9:,.1f} GB for {len(problem.labels)} labels, "
            f"{problem.distinct} distinct tokens and {len(found.label)} features; "
            f"this machine has {there / 1e9:,.1f} GB: raise feature.minfreq, or use fewer types"
        )


def started(problem: Problem, found: Pairs, start: weights.Weights) -> np.ndarray:
    """The weights of an earlier training by the names of their attributes and labels; 0 for
    those it did not have."""
    labels = {name: number for number, name in enumerate(problem.labels)}
    attributes = {name: number for number, name in enumerate(problem.attributes)}
    size = len(labels)
    keys = np.repeat(np.arange(len(attributes)), np.diff(found.ends)) * size + found.label
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
    return np.concatenate([state, transitions[found.allowed]])


class Objective:
    """The negative log-likelihood with c2 * |x|^2, and its gradient. ``x`` holds the state
    weights, then the allowed transitions' in row order."""

    def __init__(
        self, problem: Problem, found: Pairs, c2: float, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.problem, self.pairs, self.c2, self.pool, self.threads = problem, found, c2, pool, threads
        self.states = len(found.label)
        self.size = self.states + int(found.allowed.sum())
        self.vectors = Vectors(self.size, pool, threads)
        self.labels = len(problem.labels)
        self.observed = np.concatenate([found.count, found.transitions[found.allowed]])
        few = np.diff(found.ends) < MANY
        self.rows = np.flatnonzero(~few)
        self.direct = listed(problem.direct_ends, problem.direct, found, few)
        self.window = listed(problem.window_ends, problem.window, found, few)
        width = -(-self.labels // PAD) * PAD
        self.scores = np.zeros((problem.distinct, len(problem.offsets), width))
        self.table = np.zeros((len(self.rows), width))
        tokens = np.linspace(0, len(problem.gold), threads + 1)
        edges = np.searchsorted(problem.bounds, tokens)
        edges[-1] = len(problem.bounds) - 1
        self.parts = [
            _Part(problem, a, b, self.scores.shape, self.table.shape, self.size)
            for a, b in zip(edges.tolist(), edges[1:].tolist())
        ]
        items = problem.distinct * len(problem.offsets)
        self.item_edges = np.linspace(0, items, threads + 1).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        f = self.pairs
        transitions = np.zeros((self.labels, self.labels))
        transitions[f.allowed] = x[self.states :]
        state = np.ascontiguousarray(x[: self.states])
        kernels.dense_rows(self.rows, f.ends, f.label, state, self.table)
        list(self.pool.map(lambda number: self._rows(number, state), range(self.threads)))
        factors = Factors.of(transitions, f.allowed)
        likelihood = sum(self.pool.map(lambda part: part.expect(self, state, factors), self.parts))
        gradient, square = self.vectors.tilted(x, 2 * self.c2, self.observed)
        for part in self.parts:
            self.vectors.plus(gradient, part.gradient)
        counts = sum(part.counts for part in self.parts)
        gradient[self.states :] += factors.expected(counts)[f.allowed]
        return self.c2 * square - likelihood, gradient

    def _rows(self, number: int, state: np.ndarray) -> None:
        dense_ends, dense, *sparse = self.window
        first, last = self.item_edges[number], self.item_edges[number + 1]
        flat = self.scores.reshape(-1, self.scores.shape[-1])
        kernels.rows(first, last, dense_ends, dense, self.table, *sparse, state, flat)


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
        with np.errstate(over="ignore"):  # too long a step: the loss is no number, and the step is cut
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
    """The sequences ``first`` to ``last``, a share of one thread, and what it adds up: ``gradient``
    holds the expectations of the state weights, and zeros for the transitions'."""

    def __init__(self, problem: Problem, first: int, last: int, window, dense, size: int) -> None:
        self.groups = list(groups(problem.bounds, first, last))
        labels = len(problem.labels)
        self.expected, self.expected_dense = np.zeros(window), np.zeros(dense)
        self.gradient, self.counts = np.zeros(size), np.zeros(labels * labels)
        bounds = problem.bounds
        rows = max((int(bounds[b] - bounds[a]) + (b - a) * window[1] for a, b in self.groups), default=0)
        longest = int(np.diff(bounds[first : last + 1]).max(initial=1))
        self.emissions = np.zeros((rows, window[2]))
        self.alpha, self.scale = np.zeros((longest, window[2])), np.zeros(longest)

    def expect(self, objective: Objective, state: np.ndarray, factors: Factors) -> float:
        """Add up the expectations of these sequences; return their log-likelihood."""
        p, direct = objective.problem, objective.direct
        for array in (self.expected, self.expected_dense, self.gradient, self.counts):
            array[:] = 0.0
        ahead, reach, total = int(p.offsets[0]), len(p.offsets), 0.0
        for first, last in self.groups:
            rows = self.emissions[: p.bounds[last] - p.bounds[first] + (last - first) * reach]
            total += kernels.emit(
                p.texts, p.gold, p.bounds, first, last, ahead, objective.scores, *direct[:2],
                objective.table, *direct[2:], state, objective.labels, rows,
            )  # fmt: skip
            np.exp(rows, out=rows)
            total += kernels.recur(
                p.gold, p.bounds, first, last, ahead, reach, factors.transitions, factors.source_ends,
                factors.targets, factors.excess, factors.unseen, rows, self.alpha, self.scale, self.counts,
            )  # fmt: skip
            kernels.expect(
                p.texts, p.bounds, first, last, ahead, *direct, rows,
                self.expected, self.expected_dense, self.gradient,
            )  # fmt: skip
        flat = self.expected.reshape(-1, self.expected.shape[-1])
        kernels.scatter(*objective.window, flat, self.expected_dense, self.gradient)
        pairs = objective.pairs
        kernels.scatter_dense(objective.rows, pairs.ends, pairs.label, self.expected_dense, self.gradient)
        return total


def groups(bounds: np.ndarray, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Consecutive sequences of about :data:`TOGETHER` tokens."""
    while first < last:
        stop = int(np.searchsorted(bounds, bounds[first] + TOGETHER))
        stop = min(max(stop, first + 1), last)
        yield first, stop
        first = stop


class Listed(NamedTuple):
    """The attributes of items that have features: those with many labels as row numbers,
    ``dense[dense_ends[i] : dense_ends[i + 1]]``; of the others the pairs, in ``sparse``, with their
    labels beside them."""

    dense_ends: np.ndarray
    dense: np.ndarray
    sparse_ends: np.ndarray
    sparse: np.ndarray
    sparse_label: np.ndarray


def listed(ends: np.ndarray, attributes: np.ndarray, found: Pairs, few: np.ndarray) -> Listed:
    """``ends`` delimit the items' ``attributes``; ``few`` says which of them have few labels."""
    rows = np.cumsum(~few) - 1  # of those with many, the row's number takes the place of a pair's
    nothing = np.zeros(len(few), np.int32)
    dense_ends, dense, _ = _pairs(ends, attributes, (~few).astype(np.int64), rows, nothing)
    sizes = np.where(few, np.diff(found.ends), 0)
    return Listed(dense_ends, dense, *_pairs(ends, attributes, sizes, found.ends, found.label))


def _pairs(ends, attributes, sizes, first, label) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    counts = np.zeros(len(ends) - 1, np.int64)
    kernels.count_pairs(ends, attributes, sizes, counts)
    pair_ends = np.concatenate([[0], np.cumsum(counts)])
    pairs, labels = np.empty(int(pair_ends[-1]), np.uint32), np.empty(int(pair_ends[-1]), np.uint16)
    kernels.list_pairs(ends, attributes, sizes, first, label, pairs, labels)
    return pair_ends, pairs, labels


def write(path: Path, problem: Problem, found: Pairs, x: np.ndarray) -> None:
    """CRFsuite's file of the weights that are not zero."""
    source = np.repeat(np.arange(len(problem.attributes)), np.diff(found.ends))
    states = weights.records(weights.STATE, source, found.label, x[: len(found.label)])
    row, column = np.nonzero(found.allowed)
    transitions = weights.records(weights.TRANSITION, row, column, x[len(found.label) :])
    weights.write(path, problem.labels, problem.attributes, np.concatenate([states, transitions]))
