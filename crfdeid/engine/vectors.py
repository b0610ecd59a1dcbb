"""Vectors of all weights: each operation is one pass over memory, shared among threads.

There are a million weights, and an iteration of L-BFGS goes some forty times through all of them;
reading them from memory is what takes the time, so what can be done on the way is.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.kernels import OPTIONS


class Vectors:
    """``threads`` shares of vectors of ``size``; sums are added in the shares' order."""

    def __init__(self, size: int, pool: Executor, threads: int) -> None:
        edges = np.linspace(0, size, threads + 1).astype(int).tolist()
        self.shares, self.pool = list(zip(edges, edges[1:])), pool

    def each(self, kernel: Callable[..., Any], *arrays: Any) -> list[Any]:
        """What ``kernel`` answers for each share."""
        if len(self.shares) == 1:
            return [kernel(*self.shares[0], *arrays)]
        return list(self.pool.map(lambda share: kernel(*share, *arrays), self.shares))

    def dot(self, one: np.ndarray, other: np.ndarray) -> float:
        return sum(self.each(_dot, one, other))

    def size_of(self, x: np.ndarray) -> float:
        """The sum of |x|."""
        return sum(self.each(_size, x))

    def negative(self, vector: np.ndarray, beside: np.ndarray) -> tuple[np.ndarray, float]:
        """-vector, and its product with ``beside``."""
        found = np.empty_like(vector)
        return found, sum(self.each(_negative, vector, beside, found))

    def add(
        self, vector: np.ndarray, scale: float, factor: float, change: np.ndarray, beside: np.ndarray
    ) -> float:
        """Make ``vector`` scale * vector + factor * change; its product with ``beside``."""
        return sum(self.each(_add, vector, scale, factor, change, beside))

    def plus(self, vector: np.ndarray, other: np.ndarray) -> None:
        """Add ``other`` to ``vector``."""
        self.each(_plus, vector, other)

    def tilted(self, x: np.ndarray, factor: float, less: np.ndarray) -> tuple[np.ndarray, float]:
        """factor * x - less, and the sum of the squares of x."""
        found = np.empty_like(x)
        return found, sum(self.each(_tilted, x, factor, less, found))

    def changes(
        self, moved: np.ndarray, x: np.ndarray, new: np.ndarray, gradient: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float, float]:
        """moved - x and new - gradient; their product, and that of the second with itself."""
        step, change = np.empty_like(x), np.empty_like(x)
        products = self.each(_changes, moved, x, new, gradient, step, change)
        return step, change, sum(p for p, _ in products), sum(s for _, s in products)

    def uphill(self, x: np.ndarray, gradient: np.ndarray, c1: float) -> np.ndarray:
        """The gradient with that of c1 * |x|: the least steep one where |x| bends (Andrew & Gao 2007,
        eq. 4)."""
        found = np.empty_like(x)
        self.each(_uphill, x, gradient, c1, found)
        return found

    def projected(
        self, x: np.ndarray, direction: np.ndarray, slope: np.ndarray, step: float
    ) -> tuple[np.ndarray, float, float]:
        """x + step * direction, with zeros where that leaves the orthant of x (of -slope where x is
        zero); the sum of its absolute values, and (it - x) * slope."""
        moved = np.empty_like(x)
        sums = self.each(_projected, x, direction, slope, step, moved)
        return moved, sum(size for size, _ in sums), sum(gain for _, gain in sums)

    def cut(self, direction: np.ndarray, slope: np.ndarray) -> None:
        """Zeros where the direction does not go downhill."""
        self.each(_cut, direction, slope)


# Compilers sum in another order where two arrays might overlap, which depends on where they lie in
# memory. So no loop both writes and sums: it goes by blocks, which stay in the cache, and does the one
# after the other. What is written is computed as it stands, without liberties.
EXACT = {"nogil": True, "cache": True}
BLOCK = 2048


@njit(**OPTIONS)
def _dot(first, last, one, other):
    total = 0.0
    for i in range(first, last):
        total += one[i] * other[i]
    return total


@njit(**OPTIONS)
def _size(first, last, x):
    total = 0.0
    for i in range(first, last):
        total += abs(x[i])
    return total


@njit(**OPTIONS)
def _gain(first, last, moved, x, slope):
    total = 0.0
    for i in range(first, last):
        total += (moved[i] - x[i]) * slope[i]
    return total


@njit(**EXACT)
def _negative(first, last, vector, beside, found):
    total = 0.0
    for a in range(first, last, BLOCK):
        b = min(a + BLOCK, last)
        for i in range(a, b):
            found[i] = -vector[i]
        total += _dot(a, b, found, beside)
    return total


@njit(**EXACT)
def _add(first, last, vector, scale, factor, change, beside):
    total = 0.0
    for a in range(first, last, BLOCK):
        b = min(a + BLOCK, last)
        for i in range(a, b):
            vector[i] = scale * vector[i] + factor * change[i]
        total += _dot(a, b, vector, beside)
    return total


@njit(**EXACT)
def _plus(first, last, vector, other):
    for i in range(first, last):
        vector[i] += other[i]


@njit(**EXACT)
def _tilted(first, last, x, factor, less, found):
    for i in range(first, last):
        found[i] = factor * x[i] - less[i]
    return _dot(first, last, x, x)


@njit(**EXACT)
def _changes(first, last, moved, x, new, gradient, step, change):
    product, square = 0.0, 0.0
    for a in range(first, last, BLOCK):
        b = min(a + BLOCK, last)
        for i in range(a, b):
            step[i] = moved[i] - x[i]
            change[i] = new[i] - gradient[i]
        product += _dot(a, b, step, change)
        square += _dot(a, b, change, change)
    return product, square


@njit(**EXACT)
def _uphill(first, last, x, gradient, c1, found):
    for i in range(first, last):
        if x[i] != 0.0:
            found[i] = gradient[i] + (c1 if x[i] > 0.0 else -c1)
        else:  # at zero |x| takes away up to c1
            found[i] = gradient[i] - min(max(gradient[i], -c1), c1)


@njit(**EXACT)
def _projected(first, last, x, direction, slope, step, moved):
    size, gain = 0.0, 0.0
    for a in range(first, last, BLOCK):
        b = min(a + BLOCK, last)
        for i in range(a, b):
            to = x[i] + step * direction[i]
            moved[i] = 0.0 if to * (x[i] if x[i] != 0.0 else -slope[i]) <= 0.0 else to
        size += _size(a, b, moved)
        gain += _gain(a, b, moved, x, slope)
    return size, gain


@njit(**EXACT)
def _cut(first, last, direction, slope):
    for i in range(first, last):
        if direction[i] * slope[i] >= 0.0:
            direction[i] = 0.0
