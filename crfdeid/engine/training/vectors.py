"""Vectors of all variables: each operation is one pass over memory, shared among threads.

There are half a million variables, and an iteration of L-BFGS makes about thirty passes over all of them.
Reading them from memory takes the time, so one pass does as much as it can. What a pass can compute again
is not stored: the slope, and the orthant of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.kept_loops import ARE_KEPT
from crfdeid.engine.training.numba_kernels import OPTIONS, dot


class Vectors:
    """Operations on vectors in ``threads`` shares; sums are added in the order of the shares. ``roots`` are
    the factors of c1 (:mod:`crfdeid.engine.training.feature_counts`). The *slope* is the gradient plus
    that of c1 * roots * |x|, the least steep one where |x| bends (Andrew & Gao 2007, eq. 4)."""

    def __init__(self, roots: np.ndarray, pool: Executor, threads: int) -> None:
        edges = np.linspace(0, len(roots), threads + 1).astype(int).tolist()
        self.roots, self.shares, self.pool = roots, list(zip(edges, edges[1:])), pool

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call ``kernel`` with each share of the vectors among the arguments; return its answers."""
        if len(self.shares) == 1:
            return [kernel(*arguments)]
        return list(self.pool.map(lambda share: kernel(*_cut_share(share, arguments)), self.shares))

    def dot(self, one: np.ndarray, other: np.ndarray) -> float:
        """The sum of one * other."""
        return sum(self.run(dot, one, other))

    def size_of(self, x: np.ndarray) -> float:
        """The sum of roots * |x|."""
        return sum(self.run(_size, x, self.roots))

    def squares(self, x: np.ndarray, gradient: np.ndarray, c1: float) -> tuple[float, float]:
        """The sum of squares of x, and that of its slope."""
        return _sum_pairs(self.run(_squares, x, gradient, c1, self.roots))

    def weights(self, x: np.ndarray, found: np.ndarray) -> None:
        """Write roots * x into ``found``."""
        self.run(_weights, x, self.roots, found)

    def gradient(
        self,
        x: np.ndarray,
        expected: Sequence[np.ndarray],
        observed: np.ndarray,
        c2: float,
        found: np.ndarray,
    ) -> float:
        """Write roots * (sum of expected - observed) + 2 * c2 * x into ``found``; return the sum of squares
        of x."""
        self.run(_minus, observed, found)
        for one in expected:
            self.run(_plus, one, found)
        return sum(self.run(_gradient, x, self.roots, c2, found))

    def downhill(
        self, x: np.ndarray, gradient: np.ndarray, c1: float, beside: np.ndarray | None = None
    ) -> tuple[np.ndarray, float]:
        """Minus the slope, and its product with ``beside``, or with itself."""
        found = np.empty_like(x)
        beside = found if beside is None else beside
        return found, sum(self.run(_downhill, x, gradient, c1, self.roots, beside, found))

    def add(
        self, vector: np.ndarray, scale: float, factor: float, change: np.ndarray, beside: np.ndarray
    ) -> float:
        """Change ``vector`` to scale * vector + factor * change; return its product with ``beside``."""
        return sum(self.run(_add, vector, scale, factor, change, beside))

    def cut(self, direction: np.ndarray, x: np.ndarray, gradient: np.ndarray, c1: float) -> None:
        """Write zeros where the direction does not go downhill."""
        self.run(_cut, direction, x, gradient, c1, self.roots)

    def projected(
        self, x: np.ndarray, gradient: np.ndarray, c1: float, direction: np.ndarray, step: float
    ) -> tuple[np.ndarray, float, float]:
        """x + step * direction, with zeros where that leaves the orthant of x (of minus the slope where x
        is zero); the sum of its absolute values times roots; and the sum of its difference from x times the
        slope."""
        moved = np.empty_like(x)
        return moved, *_sum_pairs(self.run(_projected, x, gradient, c1, self.roots, direction, step, moved))

    def changes(
        self, moved: np.ndarray, x: np.ndarray, new: np.ndarray, gradient: np.ndarray
    ) -> tuple[float, float]:
        """Change ``x`` to moved - x and ``gradient`` to new - gradient; return their product and the sum of
        the second's squares."""
        return _sum_pairs(self.run(_changes, moved, x, new, gradient))


def _cut_share(share: tuple[int, int], arguments: Sequence[Any]) -> list[Any]:
    return [one[slice(*share)] if isinstance(one, np.ndarray) else one for one in arguments]


def _sum_pairs(found: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(first for first, _ in found), sum(second for _, second in found)


# Where two arrays might overlap, a compiled loop sums in an order that depends on where the arrays are in
# memory. So no loop both writes and sums: it works in blocks, which stay in the cache, and does first the
# one, then the other. Loops that write compute exactly in the order of the source.
EXACT: dict[str, Any] = {"nogil": True, "cache": ARE_KEPT}
BLOCK = 2048


@njit(**EXACT, forceinline=True)
def _slope(x, gradient, own):
    """The slope, without branches, so that loops become vector instructions. At zero, |x| reduces the
    gradient by up to ``own``."""
    away = own if gradient > own else (-own if gradient < -own else gradient)
    return gradient + (own if x > 0.0 else (-own if x < 0.0 else -away))


@njit(**OPTIONS)
def _size(x, roots):
    total = 0.0
    for i in range(len(x)):
        total += abs(x[i]) * roots[i]
    return total


@njit(**OPTIONS)
def _squares(x, gradient, c1, roots):
    values, slopes = 0.0, 0.0
    for i in range(len(x)):
        slope = _slope(x[i], gradient[i], c1 * roots[i])
        values += x[i] * x[i]
        slopes += slope * slope
    return values, slopes


@njit(**OPTIONS)
def _gain(moved, x, gradient, c1, roots):
    total = 0.0
    for i in range(len(x)):
        total += (moved[i] - x[i]) * _slope(x[i], gradient[i], c1 * roots[i])
    return total


@njit(**EXACT)
def _weights(x, roots, found):
    for i in range(len(x)):
        found[i] = x[i] * roots[i]


@njit(**EXACT)
def _minus(other, found):
    for i in range(len(found)):
        found[i] = -other[i]


@njit(**EXACT)
def _plus(other, found):
    for i in range(len(found)):
        found[i] += other[i]


@njit(**EXACT)
def _gradient(x, roots, c2, found):
    for i in range(len(x)):
        found[i] = found[i] * roots[i] + 2.0 * c2 * x[i]
    return dot(x, x)


@njit(**EXACT)
def _downhill(x, gradient, c1, roots, beside, found):
    for i in range(len(x)):
        found[i] = -_slope(x[i], gradient[i], c1 * roots[i])
    return dot(found, beside)


@njit(**EXACT)
def _add(vector, scale, factor, change, beside):
    total = 0.0
    for first in range(0, len(vector), BLOCK):
        part = slice(first, first + BLOCK)
        _add_block(vector[part], scale, factor, change[part])
        total += dot(vector[part], beside[part])
    return total


@njit(**EXACT)
def _add_block(vector, scale, factor, change):
    for i in range(len(vector)):
        vector[i] = scale * vector[i] + factor * change[i]


@njit(**EXACT)
def _cut(direction, x, gradient, c1, roots):
    for i in range(len(x)):
        rises = direction[i] * _slope(x[i], gradient[i], c1 * roots[i]) >= 0.0
        direction[i] = 0.0 if rises else direction[i]


@njit(**EXACT)
def _projected(x, gradient, c1, roots, direction, step, moved):
    for i in range(len(x)):
        to = x[i] + step * direction[i]
        orthant = x[i] if x[i] != 0.0 else -_slope(x[i], gradient[i], c1 * roots[i])
        moved[i] = 0.0 if to * orthant <= 0.0 else to
    return _size(moved, roots), _gain(moved, x, gradient, c1, roots)


@njit(**EXACT)
def _changes(moved, x, new, gradient):
    for i in range(len(x)):
        x[i] = moved[i] - x[i]
        gradient[i] = new[i] - gradient[i]
    return dot(x, gradient), dot(gradient, gradient)
