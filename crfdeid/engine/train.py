"""Train a CRF on arrays, to CRFsuite's losses, and leave CRFsuite's model file."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.engine import kernels, weights
from crfdeid.engine.lbfgs import Settings, minimise
from crfdeid.engine.problem import Pairs, Problem, pairs

PAD = 8
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
        width = -(-self.labels // PAD) * PAD
        shape = (len(problem.offsets), problem.distinct, width)
        self.scores = np.zeros(shape)
        self.expected = [np.zeros(shape) for _ in range(threads)]
        self.gradients = [np.zeros(self.states) for _ in range(threads)]
        self.pair_expected = [np.zeros((self.labels, width)) for _ in range(threads)]
        self.observed = np.concatenate([found.count, found.transitions[found.allowed]])
        tokens = np.linspace(0, len(problem.gold), threads + 1)
        self.parts = np.searchsorted(problem.bounds, tokens)
        self.parts[-1] = len(problem.bounds) - 1
        self.text_parts = np.linspace(0, problem.distinct, threads + 1).astype(int)

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        transitions = np.zeros((self.labels, self.labels))
        transitions[self.pairs.allowed] = x[self.states :]
        state = np.ascontiguousarray(x[: self.states])
        list(self.pool.map(lambda part: self._rows(part, state), range(self.threads)))
        likelihood = sum(
            self.pool.map(lambda part: self._expect(part, state, transitions), range(self.threads))
        )
        gradient = np.empty_like(x)
        gradient[: self.states] = self._state_gradient()
        expected = sum(self.pair_expected)[:, : self.labels] * np.exp(transitions)
        gradient[self.states :] = expected[self.pairs.allowed]
        gradient += 2 * self.c2 * x - self.observed
        return self.c2 * float(x @ x) - likelihood, gradient

    def _rows(self, part: int, state: np.ndarray) -> None:
        first, last = self.text_parts[part], self.text_parts[part + 1]
        p, f = self.problem, self.pairs
        kernels.rows(p.window, p.window_ends, first, last, f.ends, f.label, state, self.scores)

    def _expect(self, part: int, state: np.ndarray, transitions: np.ndarray) -> float:
        p, f = self.problem, self.pairs
        for array in (self.expected[part], self.gradients[part], self.pair_expected[part]):
            array[:] = 0.0
        return kernels.expectations(
            p.texts, p.direct, p.gold, p.bounds, self.parts[part], self.parts[part + 1], p.offsets,
            self.scores, f.ends, f.label, state, transitions, self.labels,
            self.expected[part], self.gradients[part], self.pair_expected[part],
        )  # fmt: skip

    def _state_gradient(self) -> np.ndarray:
        total = self.expected[0]
        for other in self.expected[1:]:
            total += other
        gradient = sum(self.gradients)
        p, f = self.problem, self.pairs
        kernels.scatter(p.window, p.window_ends, f.ends, f.label, total, gradient)
        return gradient


def write(path: Path, problem: Problem, found: Pairs, x: np.ndarray) -> None:
    """CRFsuite's file of the weights that are not zero."""
    source = np.repeat(np.arange(len(problem.attributes)), np.diff(found.ends))
    states = weights.records(weights.STATE, source, found.label, x[: len(found.label)])
    row, column = np.nonzero(found.allowed)
    transitions = weights.records(weights.TRANSITION, row, column, x[len(found.label) :])
    weights.write(path, problem.labels, problem.attributes, np.concatenate([states, transitions]))
