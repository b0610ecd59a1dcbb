"""Two systems on the same documents: the difference of recall and F1, by a paired bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate import significance
from crfdeid.evaluate.leakage import sum_groups
from crfdeid.evaluate.matching import Criterion
from crfdeid.evaluate.scores import Scores

SEED = 1


class Change(NamedTuple):
    """One metric: both figures, and the 95% interval of the second minus the first."""

    first: float
    second: float
    low: float
    high: float

    def __str__(self) -> str:
        change = self.second - self.first
        return f"{self.first:.4f} -> {self.second:.4f}, {change:+.4f} ({self.low:+.4f} to {self.high:+.4f})"


def compute_changes(
    first: np.ndarray, second: np.ndarray, groups: Sequence[str], resamples: int = 10_000
) -> dict[str, Change]:
    """Compare two arrays [document, 3] of tp, fp, fn, by metric. ``groups`` of documents (patients) are
    resampled."""
    one, other = sum_groups(first, groups), sum_groups(second, groups)
    drawn = np.concatenate(
        [
            significance.compute_metrics(weights @ other) - significance.compute_metrics(weights @ one)
            for weights in significance.draw_weights(len(one), resamples, SEED)
        ]
    )
    ends = np.quantile(drawn, (0.025, 0.975), axis=0)
    wholes = significance.compute_metrics(one.sum(axis=0)), significance.compute_metrics(other.sum(axis=0))
    rows = zip(significance.METRICS, *wholes, *ends)
    return {name: Change(*map(float, row)) for name, *row in rows}


def format_difference(first: Scores, second: Scores, criterion: Criterion, resamples: int = 10_000) -> str:
    """Return recall and F1 of both as text, with resampled patients."""
    tables = first.count_by_document(criterion), second.count_by_document(criterion)
    found = compute_changes(*tables, first.patients, resamples)
    return f"recall {found['recall']}; F1 {found['f1']}"
