"""L-BFGS (Nocedal 1980) and orthant-wise L-BFGS (Andrew & Gao 2007) with the constants and
stopping rules of CRFsuite's liblbfgs: six corrections, and a stop when the loss has improved by
less than ``delta`` over ``period`` iterations or the gradient is small. Without c1 the line
search is Moré and Thuente's (:mod:`crfdeid.engine.line_search`), with it backtracking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crfdeid.engine.line_search import more_thuente

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]
Hear = Callable[[int, float, np.ndarray], None]


@dataclass(frozen=True)
class Settings:
    """CRFsuite's names: ``num_memories``, ``epsilon``, ``period``, ``delta``,
    ``max_iterations``, ``max_linesearch``."""

    c1: float = 0.0
    max_iterations: int = 2**31 - 1
    num_memories: int = 6
    epsilon: float = 1e-5
    period: int = 10
    delta: float = 1e-5
    max_linesearch: int = 20


def minimise(evaluate: Evaluate, x: np.ndarray, settings: Settings, on_iteration: Hear) -> np.ndarray:
    """The weights that minimise ``evaluate`` (loss, gradient) + c1 * |weights|, from ``x`` [weights]
    on. ``on_iteration`` hears the iteration's number, its loss and its weights."""
    c1 = settings.c1
    search = _backtrack if c1 else _more_thuente
    loss, gradient = _penalised(evaluate, x, c1)
    slope = pseudo_gradient(x, gradient, c1)
    losses = [loss] * settings.period
    direction, memory = -slope, _Memory(settings.num_memories)
    step = 1.0 / max(float(np.linalg.norm(slope)), 1e-300)
    number = 1
    while number <= settings.max_iterations and not _small(slope, x, settings.epsilon):
        found = search(evaluate, x, loss, slope, direction, step, settings)
        if found is None:
            return x
        moved, loss, new_gradient = found
        memory.add(moved - x, new_gradient - gradient)
        x, gradient = moved, new_gradient
        slope = pseudo_gradient(x, gradient, c1)
        on_iteration(number, loss, x)
        past = losses[number % settings.period]
        if settings.period <= number and (past - loss) / loss < settings.delta:
            return x
        losses[number % settings.period] = loss
        number += 1
        direction = memory.times(-slope)
        if c1:
            direction[direction * slope >= 0] = 0.0
        step = 1.0
    return x


def _small(slope: np.ndarray, x: np.ndarray, epsilon: float) -> bool:
    return bool(np.linalg.norm(slope) <= epsilon * max(float(np.linalg.norm(x)), 1.0))


def pseudo_gradient(x: np.ndarray, gradient: np.ndarray, c1: float) -> np.ndarray:
    """The steepest way down where |x| bends (Andrew & Gao 2007, eq. 4).

    >>> pseudo_gradient(np.zeros(3), np.array([-2.0, 0.5, 2.0]), 1.0).tolist()
    [-1.0, 0.0, 1.0]
    """
    if not c1:
        return gradient
    bend = np.clip(gradient, -c1, c1)  # at zero |x| takes away up to c1
    return gradient + np.where(x != 0, c1 * np.sign(x), -bend)


def _penalised(evaluate: Evaluate, x: np.ndarray, c1: float) -> tuple[float, np.ndarray]:
    loss, gradient = evaluate(x)
    return loss + c1 * float(np.abs(x).sum()) if c1 else loss, gradient


def _backtrack(evaluate: Evaluate, x, loss, slope, direction, step, settings: Settings):
    """Halve the step along ``direction``, in the orthant of ``x``; ``None`` where none helps."""
    orthant = np.where(x == 0, -slope, x)
    for _ in range(settings.max_linesearch):
        moved = x + step * direction
        moved[moved * orthant <= 0] = 0.0
        new_loss, gradient = _penalised(evaluate, moved, settings.c1)
        if new_loss <= loss + 1e-4 * float((moved - x) @ slope):
            return moved, new_loss, gradient
        step *= 0.5
    return None


def _more_thuente(evaluate: Evaluate, x, loss, slope, direction, step, settings: Settings):
    """As :func:`_backtrack`, by Moré and Thuente's search along the line."""
    tried: dict[float, tuple[np.ndarray, float, np.ndarray]] = {}

    def at(step: float) -> tuple[float, float]:
        moved = x + step * direction
        tried.clear()
        tried[step] = (moved, *evaluate(moved))
        _, new_loss, gradient = tried[step]
        return new_loss, float(gradient @ direction)

    found = more_thuente(at, loss, float(slope @ direction), step, settings.max_linesearch)
    return None if found is None else tried[found]


class _Memory:
    """The last steps and changes of gradient, and the inverse Hessian they stand for."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []

    def add(self, step: np.ndarray, change: np.ndarray) -> None:
        self.pairs = [*self.pairs[-self.size + 1 :], (step, change, float(step @ change))]

    def times(self, vector: np.ndarray) -> np.ndarray:
        """Two-loop recursion (Nocedal 1980); ``vector`` is changed in place."""
        alphas, spare = [], np.empty_like(vector)
        for step, change, product in reversed(self.pairs):
            alphas.append(float(step @ vector) / product)
            vector -= np.multiply(change, alphas[-1], out=spare)
        _, change, product = self.pairs[-1]
        vector *= product / float(change @ change)
        for (step, change, product), alpha in zip(self.pairs, reversed(alphas)):
            vector += np.multiply(step, alpha - float(change @ vector) / product, out=spare)
        return vector
