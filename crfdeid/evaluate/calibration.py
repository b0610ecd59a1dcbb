"""Whether probabilities mean what they say, as a picture: of the spans (or tokens) with a probability of
about 0.9, are nine in ten right? And precision and recall of the spans that are at least that probable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.evaluate.significance import find_exact_interval
from crfdeid.pages.curves import draw_curve
from crfdeid.pages.pictures import Axis, Estimate, draw_estimates, fit_shares

EDGES = (0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0)


def draw_calibration(title: str, unit: str, probabilities: np.ndarray, right: np.ndarray) -> str:
    """Draw the share of right ones by bins of the probability, beside the mean probability of each bin. Both
    arrays are [unit]; ``unit`` is the plural of what is counted."""
    rows: dict[str, list[Estimate | None]] = {}
    for low, high in zip(EDGES, EDGES[1:]):
        inside = (probabilities >= low) & ((probabilities < high) | (high == 1))
        if count := int(inside.sum()):
            hits, mean = int(right[inside].sum()), float(probabilities[inside].mean())
            interval = find_exact_interval(hits, count)
            rows[f"{low:g} to {high:g}"] = [
                Estimate(hits / count, *interval, f"{hits / count:.3f} of {count:,}"),
                Estimate(mean, mean, mean, f"{mean:.3f}"),
            ]
    desc = f"The share of {unit} that are right, by their probability, with 95% intervals."
    return draw_estimates(title, desc, Axis("share"), rows, ("right", "mean probability"))


def collect_probabilities(evaluation: Evaluation) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of each system span, and whether gold has the same span; both empty where a span
    has no probability."""
    pairs = [
        (span.probability, span in expected)
        for gold, system in evaluation.pairs
        for expected in [set(gold.spans)]
        for span in sorted(set(system.spans))
    ]
    known = [(probability, right) for probability, right in pairs if probability is not None]
    kept = known if len(known) == len(pairs) else []
    return np.array([p for p, _ in kept], float), np.array([right for _, right in kept], bool)


def draw_probabilities(evaluation: Evaluation) -> list[str]:
    """Draw the calibration of the system's spans, and their precision and recall by the least probability
    that is kept; nothing where spans have no probabilities."""
    probabilities, right = collect_probabilities(evaluation)
    if not len(right) or not evaluation.signature.gold:
        return []
    limits, points = trace_limits(probabilities, right, evaluation.signature.gold)
    recall, _ = everything = points[-1]
    marked = mark_limits(limits, points) | {"all": everything}
    least = min(precision for _, precision in marked.values())
    axes = fit_shares("recall", [0.8 * recall]), fit_shares("precision", [least])
    return [
        draw_calibration("Are probabilities right? Spans", "spans", probabilities, right),
        draw_curve(
            "Precision and recall of spans, by probability",
            "Strict precision and recall of the spans that are at least as probable as a limit. The ring is "
            "the operating point: all spans that the system gave.",
            axes,
            points,
            marked,
            own="all",
        ),
    ]


def trace_limits(
    probabilities: np.ndarray, right: np.ndarray, gold: int
) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Return each probability once, falling, and recall and precision of the spans that are at least
    that probable. Both arrays are [span]; ``gold`` is the number of gold spans."""
    order = np.argsort(-probabilities, kind="stable")
    hits = np.cumsum(right[order])
    last = np.append(np.diff(probabilities[order]) != 0, True)  # of the spans of one probability
    recall, precision = hits[last] / gold, (hits / np.arange(1, len(hits) + 1))[last]
    return probabilities[order][last], list(zip(recall.tolist(), precision.tolist()))


def mark_limits(
    probabilities: np.ndarray, points: Sequence[tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return the points of the limits 0.5, 0.9 and 0.99, by name; ``probabilities`` fall."""
    kept = {limit: int((probabilities >= limit).sum()) for limit in (0.5, 0.9, 0.99)}
    return {f"{limit:g}": points[count - 1] for limit, count in kept.items() if 0 < count < len(points)}
