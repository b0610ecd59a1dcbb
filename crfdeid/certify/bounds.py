"""Bounds for a share that is known from a sample only.

Every bound is one-sided: the true value is above an upper bound in at most 1 − ``confidence`` of all samples.
Sources: Clopper & Pearson 1934 (Biometrika 26:404); Garwood 1936 (Biometrika 28:437); Satterthwaite 1946
(Biometrics 2:110); Kish 1965 (Survey Sampling, section 8.2); Holm 1979 (Scand. J. Statistics 6:65); Korn &
Graubard 1998 (Survey Methodology 24:193); Angelopoulos et al. 2021 (Learn then test, arXiv 2110.01052).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

ENOUGH_CLUSTERS = 30  # with misses: from here on the sample shows how misses cluster
ASSUMED_EFFECT = 7.0  # the design effect that is assumed at least where no cluster has a miss


class Clusters(NamedTuple):
    """Counts by cluster (patient): of missed spans, and of all spans, missed ones among them."""

    misses: np.ndarray
    spans: np.ndarray

    @property
    def share(self) -> float:
        """The share of the spans that is missed; 0 where there are no spans."""
        return float(self.misses.sum() / max(self.spans.sum(), 1e-12))


def bound_share_above(count: float, size: float, confidence: float = 0.95) -> float:
    """The upper Clopper–Pearson bound of a share, from ``count`` in ``size`` (any numbers).

    >>> round(bound_share_above(0, 100), 4)  # the rule of three, exact: 1 − 0.05 ** (1 / 100)
    0.0295
    """
    if count >= size:
        return 1.0
    from scipy.stats import beta

    return float(beta.ppf(confidence, count + 1, size - count))


def bound_share_below(count: float, size: float, confidence: float = 0.95) -> float:
    """The lower Clopper–Pearson bound of a share.

    >>> round(bound_share_below(60, 60), 4)
    0.9513
    """
    if count <= 0:
        return 0.0
    from scipy.stats import beta

    return float(beta.ppf(1 - confidence, count, size - count + 1)) if count < size else (
        (1 - confidence) ** (1 / size)
    )  # fmt: skip


def bound_mean_above(count: float, size: float, confidence: float = 0.95) -> float:
    """The upper bound of Garwood for the mean number of events in a unit, from ``count`` in ``size`` units.

    >>> round(bound_mean_above(0, 1), 3)
    2.996
    """
    from scipy.stats import chi2

    return float(chi2.ppf(confidence, 2 * (count + 1)) / 2 / size)


def measure_design_effect(found: Clusters) -> float:
    """The variance of the share of missed spans, by Taylor linearization over clusters, divided by the
    variance for as many independent spans. 1 where no span, or every span, is missed (it is then unknown)."""
    share, size = found.share, len(found.misses)
    if size < 2 or not 0 < share < 1:
        return 1.0
    residuals = found.misses - share * found.spans
    between = size / (size - 1) * float((residuals**2).sum())
    return between / (float(found.spans.sum()) * share * (1 - share))


def find_design_effect(found: Clusters, confidence: float, assumed: float = ASSUMED_EFFECT) -> float:
    """The design effect that a bound uses: the measured one, never below 1, divided by the squared ratio of
    Student's quantiles at spans − 1 and at the degrees of freedom of the clusters (Korn & Graubard 1998); not
    below :func:`assume_effect`."""
    freedom = count_freedom(found.misses - found.share * found.spans)
    ratio = find_student_ratio(float(found.spans.sum()), freedom, confidence)
    least = assume_effect(count_leaking(found.misses), min(assumed, find_largest_effect(found.spans)))
    return max(max(measure_design_effect(found), 1.0) / (ratio if found.share else 1.0), least)


def find_largest_effect(spans: np.ndarray) -> float:
    """The design effect where a cluster is missed whole or not at all: Σm² ÷ Σm (Kish 1965, with ρ = 1).
    Where a cluster has few spans, as of one type, misses cannot cluster more than that.

    >>> find_largest_effect(np.array([3, 3, 0]))
    3.0
    """
    total = float(spans.sum())
    return max(1.0, float((spans**2).sum()) / total) if total > 0 else 1.0


def count_leaking(misses: np.ndarray) -> int:
    """Count the clusters that have a miss."""
    return int(np.count_nonzero(misses))


def assume_effect(clusters: float, assumed: float = ASSUMED_EFFECT) -> float:
    """The design effect that is assumed at least where ``clusters`` have misses: too few cannot show how
    misses cluster. It falls from ``assumed`` at none to 1 at :data:`ENOUGH_CLUSTERS`, so that each further
    miss still raises the bound. With 3 below ten clusters the bound held .89 to .93 of the time at a design
    effect of 10, where .95 was promised; with 5 below twenty, .92 to .98.

    >>> assume_effect(0), assume_effect(15), assume_effect(30)
    (7.0, 4.0, 1.0)
    """
    return 1 + (assumed - 1) * max(0.0, 1 - clusters / ENOUGH_CLUSTERS)


def bound_clustered_share(
    found: Clusters, confidence: float = 0.95, assumed: float = ASSUMED_EFFECT
) -> float:
    """The upper bound of Korn & Graubard for the share of missed spans: Clopper–Pearson with the effective
    number of spans. Never below Clopper–Pearson with all spans."""
    total = float(found.spans.sum())
    if total <= 0:
        return 1.0
    size = find_effective_size(found, confidence, assumed)
    plain = bound_share_above(float(found.misses.sum()), total, confidence)
    return max(plain, bound_share_above(found.share * size, size, confidence))


def find_effective_size(found: Clusters, confidence: float, assumed: float = ASSUMED_EFFECT) -> float:
    """The effective number of spans: their number over the design effect of :func:`find_design_effect`."""
    return float(found.spans.sum()) / find_design_effect(found, confidence, assumed)


def count_freedom(residuals: np.ndarray) -> float:
    """The degrees of freedom of a variance that is the sum of squared residuals: (Σr²)² ÷ Σr⁴, from 2 to
    clusters − 1 (Satterthwaite 1946). A few patients with many misses leave few. With clusters − 1, as in
    the paper, the bound held .85 to .93 of the time where .95 was promised."""
    squares = residuals**2
    fourth = float((squares**2).sum())
    most = max(len(residuals) - 1, 1)
    return min(most, max(2.0, float(squares.sum()) ** 2 / fourth)) if fourth > 0 else most


def find_student_ratio(units: float, freedom: float, confidence: float) -> float:
    """(t at ``units`` − 1 ÷ t at ``freedom`` degrees of freedom)², at most 1."""
    from scipy.stats import t

    if confidence <= 0.5 or units <= 1:
        return 1.0
    return min(1.0, float(t.ppf(confidence, units - 1) / t.ppf(confidence, freedom)) ** 2)


def bound_clustered_mean(
    misses: np.ndarray, notes: np.ndarray, confidence: float = 0.95, assumed: float = ASSUMED_EFFECT
) -> float:
    """The upper bound for missed spans in a note, from counts by cluster: Garwood's with the effective number
    of notes, where the design effect is the variance over clusters divided by the variance of Poisson
    counts."""
    total, size = float(notes.sum()), len(misses)
    mean = float(misses.sum()) / total
    residuals = misses - mean * notes
    effect = assume_effect(count_leaking(misses), assumed)
    if mean > 0 and size > 1:
        measured = size / (size - 1) * float((residuals**2).sum()) / (total * mean)
        ratio = find_student_ratio(total, count_freedom(residuals), confidence)
        effect = max(effect, max(measured, 1.0) / ratio)
    effective = total / effect
    plain = bound_mean_above(float(misses.sum()), total, confidence)
    return max(plain, bound_mean_above(mean * effective, effective, confidence))


def split_error(confidence: float, parts: int) -> float:
    """The confidence of each of ``parts`` bounds that hold together with ``confidence`` (Bonferroni).

    >>> round(split_error(0.95, 2), 4)
    0.975
    """
    return 1 - (1 - confidence) / parts


def correct_for_readers(bound: float, sensitivity: float) -> float:
    """The bound for all leaks, from the bound for those that readers find and from the lower bound of the
    share that they find. Both bounds must have half of the error (:func:`split_error`)."""
    return bound / sensitivity if sensitivity > 0 else float("inf")


def find_p_value(count: float, size: float, aim: float) -> float:
    """The exact p-value of "the share is ``aim`` or more": the chance of ``count`` or fewer in ``size``.
    It is 1 − confidence where the Clopper–Pearson bound is ``aim``.

    >>> round(find_p_value(0, 299, 0.01), 4)
    0.0495
    """
    if count >= size:
        return 1.0
    from scipy.stats import beta

    return float(beta.sf(aim, count + 1, size - count))


def adjust_holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method.

    >>> [round(value, 3) for value in adjust_holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda index: values[index])):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def pass_in_sequence(bounds: Iterable[float], aim: float) -> int:
    """How many bounds, from the first, are at most ``aim``: the first that is not ends the sequence (learn
    then test, fixed sequence). The order must not depend on the data.

    >>> pass_in_sequence([0.002, 0.01, 0.03, 0.005], 0.01)
    2
    """
    number = 0
    for bound in bounds:
        if bound > aim:
            break
        number += 1
    return number
