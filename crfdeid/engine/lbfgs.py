"""Orthant-wise L-BFGS (Andrew & Gao 2007) with the constants and stopping rules of
CRFsuite's liblbfgs: six corrections, backtracking, and a stop when the loss has
improved by less than ``delta`` over ``period`` iterations or the gradient is small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class Settings:
    """CRFsuite's names: ``num_memories``, ``epsilon``, ``period``, ``delta``,
    ``max_iterations``, ``max_linesearch``."""

    c1: float
    max_iterations: int = 2**31 - 1
    num_memories: int = 6
    epsilon: float = 1e-5
    period: int = 10
    delta: float = 1e-5
    max_linesearch: int = 20


def minimise(
    evaluate: Evaluate, size: int, settings: Settings, on_iteration: Callable[[int, float], None]
) -> np.ndarray:
    """The weights [size] that minimise ``evaluate`` (loss, gradient) + c1 * |weights|."""
    x = np.zeros(size)
    loss, gradient = _penalised(evaluate, x, settings.c1)
    slope = pseudo_gradient(x, gradient, settings.c1)
    losses = [loss] * settings.period
    direction, memory = -slope, _Memory(settings.num_memories)
    step = 1.0 / max(float(np.linalg.norm(slope)), 1e-300)
    number = 1
    while True:
        found = _search(evaluate, x, loss, slope, direction, step, settings)
        if found is None:
            return x
        moved, loss, new_gradient = found
        memory.add(moved - x, new_gradient - gradient)
        x, gradient = moved, new_gradient
        slope = pseudo_gradient(x, gradient, settings.c1)
        on_iteration(number, loss)
        small = np.linalg.norm(slope) <= settings.epsilon * max(float(np.linalg.norm(x)), 1.0)
        past = losses[number % settings.period]
        stalled = settings.period <= number and (past - loss) / loss < settings.delta
        if small or stalled or number >= settings.max_iterations:
            return x
        losses[number % settings.period] = loss
        number += 1
        direction = memory.times(-slope)
        direction[direction * slope >= 0] = 0.0
        step = 1.0


def pseudo_gradient(x: np.ndarray, gradient: np.ndarray, c1: float) -> np.ndarray:
    """The steepest way down where |x| bends (Andrew & Gao 2007, eq. 4).

    >>> pseudo_gradient(np.zeros(3), np.array([-2.0, 0.5, 2.0]), 1.0).tolist()
    [-1.0, 0.0, 1.0]
    """
    at_zero = np.where(gradient < -c1, gradient + c1, np.where(gradient > c1, gradient - c1, 0.0))
    return np.where(x < 0, gradient - c1, np.where(x > 0, gradient + c1, at_zero))


def _penalised(evaluate: Evaluate, x: np.ndarray, c1: float) -> tuple[float, np.ndarray]:
    loss, gradient = evaluate(x)
    return loss + c1 * float(np.abs(x).sum()), gradient


def _search(evaluate: Evaluate, x, loss, slope, direction, step, settings: Settings):
    """Backtrack along ``direction``, in the orthant of ``x``; ``None`` where no step helps."""
    orthant = np.where(x == 0, -slope, x)
    for _ in range(settings.max_linesearch):
        moved = x + step * direction
        moved[moved * orthant <= 0] = 0.0
        new_loss, gradient = _penalised(evaluate, moved, settings.c1)
        if new_loss <= loss + 1e-4 * float((moved - x) @ slope):
            return moved, new_loss, gradient
        step *= 0.5
    return None


class _Memory:
    """The last steps and changes of gradient, and the inverse Hessian they stand for."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []

    def add(self, step: np.ndarray, change: np.ndarray) -> None:
        self.pairs = [*self.pairs[1 - self.size :], (step, change, float(step @ change))]

    def times(self, vector: np.ndarray) -> np.ndarray:
        """Two-loop recursion (Nocedal 1980)."""
        result, alphas = vector.copy(), []
        for step, change, product in reversed(self.pairs):
            alphas.append(float(step @ result) / product)
            result -= alphas[-1] * change
        _, change, product = self.pairs[-1]
        result *= product / float(change @ change)
        for (step, change, product), alpha in zip(self.pairs, reversed(alphas)):
            result += (alpha - float(change @ result) / product) * step
        return result
