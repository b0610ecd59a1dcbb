"""L-BFGS (Nocedal 1980) and orthant-wise L-BFGS (Andrew & Gao 2007) with the constants and
stopping rules of CRFsuite's liblbfgs: six corrections; training stops when the loss improves by
less than ``delta`` over ``period`` iterations (if that is not 0), or when the gradient is small. The
line search is that of Moré & Thuente (1994, "Line search algorithms with guaranteed sufficient decrease")
without c1, and backtracking with c1.

The search keeps the minimum along a line between ``best``, the best step so far, and ``other``, the
other end. A new step is the minimum of a cubic or a quadratic through the known values at the ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, inf, sqrt

import numpy as np

from crfdeid.engine.training.vectors import Vectors

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]
OnIteration = Callable[[int, float, np.ndarray], None]

DECREASE, CURVATURE = 1e-4, 0.9  # the two conditions, ftol and gtol
SMALLEST, LARGEST = 1e-20, 1e20


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


@dataclass(frozen=True)
class End:
    """A step, with the loss and the slope at it."""

    step: float
    loss: float
    slope: float

    def distance(self, step: float) -> float:
        return abs(step - self.step)

    def tilted(self, slope: float) -> End:
        """The same step on the function minus a line of that slope."""
        return End(self.step, self.loss - self.step * slope, self.slope - slope)


@dataclass(frozen=True)
class Interval:
    best: End
    other: End
    bracketed: bool = False

    def tilted(self, slope: float) -> Interval:
        return Interval(self.best.tilted(slope), self.other.tilted(slope), self.bracketed)


def more_thuente(
    at: Callable[[float], tuple[float, float]], loss: float, slope: float, step: float, tries: int
) -> float | None:
    """Find a step that satisfies both conditions, from ``loss`` and ``slope`` at 0; ``at`` gives loss and
    slope at a step. Return ``None`` where there is none before trial number ``tries`` (liblbfgs looks at the
    number of trials before it looks at the last one).

    >>> more_thuente(lambda t: ((t - 3) ** 2, 2 * (t - 3)), 9.0, -6.0, 1.0, 20)
    1.0
    >>> more_thuente(lambda t: ((t - 3) ** 2, 2 * (t - 3)), 9.0, -6.0, 50.0, 20)
    3.0
    """
    if slope >= 0:
        return None
    start = End(0.0, loss, slope)
    interval = Interval(start, start)
    width = before = inf
    for _ in range(1, tries):
        least, most = step_bounds(interval, step)
        step = min(max(step, SMALLEST), LARGEST)
        if interval.bracketed and not least < step < most:  # so the ends differ by more than liblbfgs's xtol
            return None
        here = End(step, *at(step))
        is_low = here.loss <= loss + step * DECREASE * slope
        if is_low and abs(here.slope) <= -CURVATURE * slope:
            return step
        # What is not low enough counts as higher in the paper's first stage. This stage ends with a step that
        # is low enough and leads uphill; all steps after it are shorter, so that none comes here.
        if not is_low and here.loss <= interval.best.loss:
            tilt = DECREASE * slope
            interval, step = update_interval(interval.tilted(tilt), here.tilted(tilt), least, most)
            interval = interval.tilted(-tilt)
        else:
            interval, step = update_interval(interval, here, least, most)
        if interval.bracketed:
            best, other = interval.best.step, interval.other.step
            if abs(other - best) >= 0.66 * before:
                step = best + 0.5 * (other - best)
            before, width = width, abs(other - best)
    return None


def step_bounds(interval: Interval, step: float) -> tuple[float, float]:
    """The least and the greatest next step."""
    best, other = interval.best.step, interval.other.step
    if interval.bracketed:
        return min(best, other), max(best, other)
    return best, step + 4.0 * (step - best)


def update_interval(interval: Interval, here: End, least: float, most: float) -> tuple[Interval, float]:
    """Narrow the interval with the new point ``here``; return it and the next step."""
    best, other = interval.best, interval.other
    opposite = here.slope * best.slope < 0
    bracketed = interval.bracketed or here.loss > best.loss or opposite
    step, bounded = trial_step(best, other, here, interval.bracketed, least, most)
    if here.loss > best.loss:
        new = Interval(best, here, bracketed)
    else:
        new = Interval(here, best if opposite else other, bracketed)
    step = min(max(step, least), most)
    if bracketed and bounded:
        limit = new.best.step + 0.66 * (new.other.step - new.best.step)
        step = min(step, limit) if new.best.step < new.other.step else max(step, limit)
    return new, step


def trial_step(
    best: End, other: End, here: End, bracketed: bool, least: float, most: float
) -> tuple[float, bool]:
    """The next step by the four cases of the paper's section 4, and whether it is limited to two
    thirds of the interval."""
    if here.loss > best.loss:
        cubic, square = cubic_minimum(best, here), quadratic_minimum(best, here)
        near = best.distance(cubic) < best.distance(square)
        return (cubic if near else cubic + 0.5 * (square - cubic)), True
    if here.slope * best.slope < 0:
        cubic, secant = cubic_minimum(best, here), secant_minimum(best, here)
        return max(secant, cubic, key=here.distance), False
    if abs(here.slope) < abs(best.slope):
        cubic, secant = cubic_beyond(best, here, least, most), secant_minimum(best, here)
        choose = min if bracketed else max
        return choose(secant, cubic, key=here.distance), True
    if bracketed:
        return cubic_minimum(here, other), False
    return (most if best.step < here.step else least), False


def _cubic(u: End, v: End) -> tuple[float, float, float]:
    """Numbers for both cubic minima: the distance, theta, and gamma, which is 0 where there is none."""
    distance = v.step - u.step
    theta = (u.loss - v.loss) * 3 / distance + u.slope + v.slope
    scale = max(abs(theta), abs(u.slope), abs(v.slope))
    a, b, c = theta / scale, u.slope / scale, v.slope / scale
    return distance, theta, copysign(scale * sqrt(max(0.0, a * a - b * c)), distance)


def cubic_minimum(u: End, v: End) -> float:
    """The minimum of the cubic through losses and slopes at ``u`` and ``v``, or the middle if it has none."""
    distance, theta, gamma = _cubic(u, v)
    if gamma == 0:
        return u.step + 0.5 * distance
    return u.step + (gamma - u.slope + theta) / (gamma - u.slope + gamma + v.slope) * distance


def cubic_beyond(u: End, v: End, least: float, most: float) -> float:
    """The minimum of the same cubic beyond ``v``, or a bound where it has none."""
    distance, theta, gamma = _cubic(u, v)
    ratio = (-gamma - v.slope + theta) / (-gamma - v.slope - gamma + u.slope)
    if ratio < 0 and gamma != 0:
        return v.step - ratio * distance
    return most if theta < 0 else least


def quadratic_minimum(u: End, v: End) -> float:
    """The minimum of the parabola through both losses and the slope at ``u``."""
    distance = v.step - u.step
    return u.step + u.slope / ((u.loss - v.loss) / distance + u.slope) / 2 * distance


def secant_minimum(u: End, v: End) -> float:
    """The zero of a slope that changes linearly from ``u`` to ``v``."""
    return v.step + v.slope / (v.slope - u.slope) * (u.step - v.step)
