"""Is a difference real?

All resampling works on counts per document, [document, 3] of tp, fp, fn, and never scores
a document again: a resample is a row of weights, and a matrix product scores thousands at
once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate.leakage import sum_groups
from crfdeid.evaluate.scores import ratios

METRICS = ("precision", "recall", "f1")
CHUNK = 1000  # resamples at a time, to keep memory small


class Interval(NamedTuple):
    low: float
    high: float


class Difference(NamedTuple):
    """One metric of two systems; ``p`` is the chance of a difference as large if the
    systems were interchangeable."""

    first: float
    second: float
    p: float


class ZTest(NamedTuple):
    z: float
    p: float


def compute_metrics(counts: np.ndarray) -> np.ndarray:
    """Precision, recall and F1 in the last axis, of tp, fp, fn in the last axis; 0/0 is 0.

    >>> compute_metrics(np.array([3, 1, 1])).tolist()
    [0.75, 0.75, 0.75]
    """
    tp, fp, fn = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    return np.stack([ratios(tp, tp + fp), ratios(tp, tp + fn), ratios(2 * tp, 2 * tp + fp + fn)], axis=-1)


def bootstrap(
    counts: np.ndarray,
    groups: Sequence[str] | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Percentile intervals of the micro metrics: documents are drawn with replacement, or
    ``groups`` of them, such as patients, whose notes are alike. The same seed draws the
    same documents for every figure. One document gives an interval without width."""
    units = counts if groups is None else sum_groups(counts, groups)
    drawn = np.concatenate(
        [compute_metrics(weights @ units) for weights in draw_weights(len(units), resamples, seed)]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail), axis=0)
    return {name: Interval(*map(float, ends)) for name, ends in zip(METRICS, zip(low, high))}


def draw_weights(units: int, resamples: int, seed: int):
    """Arrays [resample, unit] of how often each unit was drawn."""
    random = np.random.default_rng(seed)
    for begin in range(0, resamples, CHUNK):
        size = min(CHUNK, resamples - begin)
        yield random.multinomial(units, np.full(units, 1 / units), size=size).astype(float)


def randomisation_test(
    first: np.ndarray,
    second: np.ndarray,
    groups: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Difference]:
    """Paired approximate randomisation (Noreen 1989), two-sided: each document's, or
    group's, counts of the two systems change places with probability one half."""
    if groups is not None:
        first, second = sum_groups(first, groups), sum_groups(second, groups)
    ours, theirs = compute_metrics(first.sum(axis=0)), compute_metrics(second.sum(axis=0))
    observed = np.abs(ours - theirs)
    change = (second - first).astype(float)
    reached = np.zeros(3)
    for swapped in draw_swaps(len(first), resamples, seed):
        moved = swapped @ change
        shuffled = compute_metrics(first.sum(axis=0) + moved) - compute_metrics(second.sum(axis=0) - moved)
        reached += (np.abs(shuffled) >= observed - 1e-12).sum(axis=0)
    chances = (reached + 1) / (resamples + 1)
    return {name: Difference(*map(float, row)) for name, row in zip(METRICS, zip(ours, theirs, chances))}


def draw_swaps(units: int, resamples: int, seed: int):
    random = np.random.default_rng(seed)
    for begin in range(0, resamples, CHUNK):
        yield random.integers(0, 2, size=(min(CHUNK, resamples - begin), units)).astype(float)


def z_test(first: float, n_first: int, second: float, n_second: int) -> ZTest:
    """Tafvizi's comparison of two F-measures (2011, eq. 3.4 and 3.5), where n is the number
    of gold words of the kind; beyond 1.96 either way the difference is called significant.
    F is no proportion, so prefer :func:`randomisation_test`; this one compares with the thesis.
    Two equal figures, and figures of nothing, give z = 0.

    >>> round(z_test(0.97517, 402, 0.96903, 402).z, 4)    # Patients of table B.1
    0.5286
    """
    if not n_first or not n_second:
        return ZTest(0.0, 1.0)
    pooled = (n_first * first + n_second * second) / (n_first + n_second)
    error = math.sqrt(max(0.0, pooled * (1 - pooled)) * (1 / n_first + 1 / n_second))
    z = (first - second) / error if error else 0.0
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))
