"""Whether a difference is real: intervals, approximate randomisation, z.

All resampling works on counts per document, [document, 3] of tp, fp, fn, and never scores
a document again: a resample is a row of weights, and a matrix product scores thousands at
once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate.leakage import sum_groups
from crfdeid.evaluate.scores import ratios

METRICS = ("precision", "recall", "f1")
POWER = 1.96 + 0.84  # standard errors: two-sided 0.05, and a chance of 0.8 to find the difference
CHUNK = 1000  # resamples at a time, to keep memory small


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


class Difference(NamedTuple):
    """One metric of two systems. ``p`` is the probability of a difference as large as this one if
    the systems were interchangeable."""

    first: float
    second: float
    p: float


class ZTest(NamedTuple):
    """The statistic and its two-sided probability."""

    z: float
    p: float


def compute_metrics(counts: np.ndarray) -> np.ndarray:
    """Compute precision, recall and F1 (last axis) from tp, fp, fn (last axis); 0/0 is 0.

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
    """Compute percentile intervals of the micro metrics by the bootstrap.

    Documents are drawn with replacement, or ``groups`` of them, such as patients, whose notes are
    alike. The same seed draws the same documents for every figure. One document gives an interval
    of width 0. Where nothing or everything is right all resamples are equal: there the interval is exact
    (:func:`find_edge_interval`).
    """
    (intervals,) = bootstrap_rows(counts[:, None], groups, resamples, confidence, seed)
    return intervals


def bootstrap_rows(
    counts: np.ndarray,
    groups: Sequence[str] | None,
    resamples: int,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[dict[str, Interval]]:
    """As :func:`bootstrap`, for several rows of figures at once: ``counts`` [document, row, 3]."""
    units = counts if groups is None else sum_groups(counts, groups)
    rows = counts.shape[1]
    flat = units.reshape(len(units), 3 * rows)
    drawn = np.concatenate(
        [
            compute_metrics((weights @ flat).reshape(len(weights), rows, 3))
            for weights in draw_weights(len(units), resamples, seed)
        ]
    )
    tail = (1 - confidence) / 2
    ends = np.quantile(drawn, (tail, 1 - tail), axis=0)  # [end, row, metric]
    return [
        {
            name: find_edge_interval(int(tp), int(fp), int(fn), name, confidence)
            or Interval(*map(float, ends[:, row, place]))
            for place, name in enumerate(METRICS)
        }
        for row, (tp, fp, fn) in enumerate(counts.sum(axis=0))
    ]


def bootstrap_change(
    first: np.ndarray,
    second: np.ndarray,
    groups: Sequence[str] | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Compute percentile intervals of the differences of two systems on the same documents: each resample
    draws the same documents, or groups, for both.

    >>> counts = np.array([[3, 1, 1], [2, 0, 2]])
    >>> bootstrap_change(counts, counts, resamples=9)["recall"]
    Interval(low=0.0, high=0.0)
    """
    if groups is not None:
        first, second = sum_groups(first, groups), sum_groups(second, groups)
    drawn = np.concatenate(
        [
            compute_metrics(weights @ first) - compute_metrics(weights @ second)
            for weights in draw_weights(len(first), resamples, seed)
        ]
    )
    tail = (1 - confidence) / 2
    ends = np.quantile(drawn, (tail, 1 - tail), axis=0)  # [end, metric]
    return {name: Interval(*map(float, ends[:, place])) for place, name in enumerate(METRICS)}


def find_edge_interval(tp: int, fp: int, fn: int, metric: str, confidence: float = 0.95) -> Interval | None:
    """Return the interval of Clopper & Pearson (1934) for a metric that is 0 or 1, None for another one. That
    of F1 follows from the share of tp in tp + fp + fn.

    >>> [round(end, 3) for end in find_edge_interval(20, 0, 3, "precision")]
    [0.832, 1.0]
    >>> find_edge_interval(20, 0, 3, "recall")
    """
    total = tp + {"precision": fp, "recall": fn}.get(metric, fp + fn)
    if not total or 0 < tp < total:
        return None
    end = ((1 - confidence) / 2) ** (1 / total)
    low, high = (0.0, 1 - end) if not tp else (end, 1.0)
    return Interval(*(2 * share / (1 + share) if metric == "f1" else share for share in (low, high)))


def draw_weights(units: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Yield arrays [resample, unit]: how often each unit was drawn."""
    random = np.random.default_rng(seed)
    for begin in range(0, resamples, CHUNK):
        size = min(CHUNK, resamples - begin)
        yield random.multinomial(units, np.full(units, 1 / units), size=size).astype(float)


def find_exact_interval(hits: int, total: int, confidence: float = 0.95) -> Interval:
    """Find the exact interval of a share (Clopper & Pearson 1934), which has a width also where all are hits.
    It takes what is counted as independent.

    >>> [round(end, 3) for end in find_exact_interval(20, 20)]
    [0.832, 1.0]
    """
    from scipy.stats import binomtest  # its import takes a second

    found = binomtest(hits, total).proportion_ci(confidence, method="exact")
    return Interval(float(found.low), float(found.high))


def randomisation_test(
    first: np.ndarray,
    second: np.ndarray,
    groups: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Difference]:
    """Test two systems by paired approximate randomisation (Noreen 1989), two-sided: the counts of
    the two systems on a document, or on a group, change places with probability one half."""
    (differences,) = randomisation_tests(first[:, None], second[:, None], groups, resamples, seed)
    return differences


def randomisation_tests(
    first: np.ndarray,
    second: np.ndarray,
    groups: Sequence[str] | None,
    resamples: int,
    seed: int,
) -> list[dict[str, Difference]]:
    """As :func:`randomisation_test`, for several rows of figures at once: both are [document, row, 3]."""
    if groups is not None:
        first, second = sum_groups(first, groups), sum_groups(second, groups)
    first_total, second_total = first.sum(axis=0), second.sum(axis=0)
    first_metrics, second_metrics = compute_metrics(first_total), compute_metrics(second_total)
    observed = np.abs(first_metrics - second_metrics)
    change = (second - first).astype(float).reshape(len(first), first_total.size)
    reached = np.zeros(observed.shape)
    for swapped in draw_swaps(len(first), resamples, seed):
        moved = (swapped @ change).reshape(len(swapped), *first_total.shape)
        shuffled = compute_metrics(first_total + moved) - compute_metrics(second_total - moved)
        reached += (np.abs(shuffled) >= observed - 1e-12).sum(axis=0)
    chances = (reached + 1) / (resamples + 1)
    return [
        {name: Difference(*map(float, row)) for name, row in zip(METRICS, zip(*rows))}
        for rows in zip(first_metrics, second_metrics, chances)
    ]


def find_least_p(units: int) -> float:
    """Return the least p that a paired randomisation of so few units can give: of all ways to swap, none and
    all give the difference itself.

    >>> round(find_least_p(6), 3)
    0.031
    """
    return min(1.0, 2.0 ** (1 - units))


def find_shown_difference(
    first: np.ndarray, second: np.ndarray, groups: Sequence[str] | None, resamples: int, seed: int
) -> float:
    """Return the difference of F1 that a test on these documents shows four times in five (p below 0.05, by
    the spread of the differences between interchangeable systems)."""
    if groups is not None:
        first, second = sum_groups(first, groups), sum_groups(second, groups)
    change, found = (second - first).astype(float), []
    for swapped in draw_swaps(len(first), resamples, seed):
        moved = swapped @ change
        both = compute_metrics(first.sum(axis=0) + moved) - compute_metrics(second.sum(axis=0) - moved)
        found.append(both[:, METRICS.index("f1")])
    return POWER * float(np.concatenate(found).std())


def draw_swaps(units: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Yield arrays [resample, unit]: 1 where the systems change places."""
    random = np.random.default_rng(seed)
    for begin in range(0, resamples, CHUNK):
        yield random.integers(0, 2, size=(min(CHUNK, resamples - begin), units)).astype(float)


def z_test(first: float, n_first: int, second: float, n_second: int) -> ZTest:
    """Compare two F-measures as Tafvizi (2011, eq. 3.4 and 3.5). n is the number of gold words of
    the kind; where abs(z) is above 1.96, the thesis calls the difference significant. F is not a
    proportion, so prefer :func:`randomisation_test`; this test serves to compare with the thesis.
    Equal figures, and figures of no words, give z = 0.

    >>> round(z_test(0.97517, 402, 0.96903, 402).z, 4)    # Patients of table B.1
    0.5286
    """
    if not n_first or not n_second:
        return ZTest(0.0, 1.0)
    pooled = (n_first * first + n_second * second) / (n_first + n_second)
    error = math.sqrt(max(0.0, pooled * (1 - pooled)) * (1 / n_first + 1 / n_second))
    z = (first - second) / error if error else 0.0
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def adjust_holm(chances: Sequence[float]) -> list[float]:
    """Adjust the p of several tests so that the chance of one false finding among all stays that of one test
    (Holm 1979): the smallest times their number, the next times one less, and none below the one before.

    >>> [round(p, 3) for p in adjust_holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    adjusted = list(chances)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda place: chances[place])):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted
