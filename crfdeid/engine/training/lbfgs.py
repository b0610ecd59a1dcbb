"""L-BFGS (Nocedal 1980) and orthant-wise L-BFGS (Andrew & Gao 2007) with the constants and
stopping rules of CRFsuite's liblbfgs: six corrections; training stops when the loss improves by
less than ``delta`` over ``period`` iterations (if that is not 0), or when the gradient is small. The
line search is Moré and Thuente's (:mod:`crfdeid.engine.training.line_search`) without c1, and
backtracking with c1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crfdeid.engine.training.line_search import more_thuente
from crfdeid.engine.training.vectors import Vectors

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]
OnIteration = Callable[[int, float, np.ndarray], None]


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


def minimise(
    evaluate: Evaluate, x: np.ndarray, settings: Settings, on_iteration: OnIteration, vectors: Vectors
) -> np.ndarray:
    """Find the weights that minimise ``evaluate`` (loss, gradient) + c1 * |weights|, starting from ``x``
    [weights], which is overwritten. ``on_iteration`` is called with the number of each iteration, its loss
    and its weights, which do not change before the next call."""
    c1 = settings.c1
    search = _backtrack if c1 else _more_thuente
    loss, gradient = evaluate(x)
    loss += c1 * vectors.size_of(x)
    losses = [loss]
    memory = _Memory(settings.num_memories, vectors)
    number = 1
    while number <= settings.max_iterations and not _is_small(x, gradient, settings, vectors):
        direction, step = memory.downhill(x, gradient, c1)
        if c1:
            vectors.cut(direction, x, gradient, c1)
        found = search(evaluate, x, loss, gradient, direction, step, settings, vectors)
        if found is None:
            return x
        moved, loss, new_gradient = found
        on_iteration(number, loss, moved)
        del direction, found  # the next lines need their memory
        memory.add(moved, x, new_gradient, gradient)
        x, gradient = moved, new_gradient
        period = settings.period
        if 0 < period <= number and loss and (losses[-period] - loss) / loss < settings.delta:
            return x
        losses.append(loss)
        number += 1
    return x


def _is_small(x: np.ndarray, gradient: np.ndarray, settings: Settings, vectors: Vectors) -> bool:
    values, slopes = vectors.squares(x, gradient, settings.c1)
    return math.sqrt(slopes) <= settings.epsilon * max(math.sqrt(values), 1.0)


def _backtrack(evaluate: Evaluate, x, loss, gradient, direction, step, settings: Settings, vectors: Vectors):
    """Halve the step along ``direction``, in the orthant of ``x``, until the loss is small enough; return
    the weights, loss and gradient there, or ``None`` after too many trials."""
    for _ in range(settings.max_linesearch):
        moved, size, gain = vectors.projected(x, gradient, settings.c1, direction, step)
        new_loss, new_gradient = evaluate(moved)
        new_loss += settings.c1 * size
        if new_loss <= loss + 1e-4 * gain:
            return moved, new_loss, new_gradient
        step *= 0.5
    return None


def _more_thuente(
    evaluate: Evaluate, x, loss, gradient, direction, step, settings: Settings, vectors: Vectors
):
    """As :func:`_backtrack`, by Moré and Thuente's search along the line."""
    tried: dict[float, tuple[np.ndarray, float, np.ndarray]] = {}

    def at(step: float) -> tuple[float, float]:
        moved = x + step * direction
        tried.clear()
        tried[step] = (moved, *evaluate(moved))
        _, new_loss, new_gradient = tried[step]
        return new_loss, vectors.dot(new_gradient, direction)

    found = more_thuente(at, loss, vectors.dot(gradient, direction), step, settings.max_linesearch)
    return None if found is None else tried[found]


class _Memory:
    """The last steps and changes of the gradient, from which the inverse Hessian is estimated."""

    def __init__(self, size: int, vectors: Vectors) -> None:
        self.size, self.vectors = size, vectors
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.scale = math.nan  # before the first pair

    def add(self, moved: np.ndarray, x: np.ndarray, new: np.ndarray, gradient: np.ndarray) -> None:
        """Add a step and a change of the gradient, unless the gradient did not grow along the step: nothing
        can be estimated from that. They are written over ``x`` and ``gradient``."""
        product, square = self.vectors.changes(moved, x, new, gradient)
        if product > 0 and square > 0:  # the square of a tiny change is 0
            self.pairs = [*self.pairs, (x, gradient, product)][-self.size :]
            self.scale = product / square

    def downhill(self, x: np.ndarray, gradient: np.ndarray, c1: float) -> tuple[np.ndarray, float]:
        """Minus the inverse Hessian times the slope, and the first step to try along it: the two-loop
        recursion (Nocedal 1980), where one pass computes each sum and the product that comes after it. Before
        the first pair minus the slope, and a step of the length 1."""
        if not self.pairs:
            found, square = self.vectors.downhill(x, gradient, c1)
            return found, 1.0 / math.sqrt(square)
        steps, changes, products = zip(*self.pairs)
        found, product = self.vectors.downhill(x, gradient, c1, steps[-1])
        alphas: list[float] = []
        for n in reversed(range(len(steps))):
            alphas.insert(0, product / products[n])
            beside = steps[n - 1] if n else changes[0]
            product = self.vectors.add(found, 1.0, -alphas[0], changes[n], beside)
        product *= self.scale
        for n in range(len(steps)):
            beside = changes[n + 1] if n + 1 < len(changes) else x
            factor = alphas[n] - product / products[n]
            scale = 1.0 if n else self.scale
            product = self.vectors.add(found, scale, factor, steps[n], beside)
        return found, 1.0
