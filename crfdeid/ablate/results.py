"""What the runs found, as figures: one mapping a row, from which every table and plot is made.

A figure's name says what it is: ``strict F1``, ``strict F1 low`` and ``high`` (95% interval),
``strict F1 change`` and ``p`` (against the base), ``recall NAME``, ``train seconds``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfdeid.ablate import training
from crfdeid.ablate.jobs import Row
from crfdeid.ablate.training import Cost
from crfdeid.evaluate import evaluation, significance
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions
from crfdeid.evaluate.matching import CRITERIA, Criterion, build_scored_document
from crfdeid.text import scheme

METRICS = {"precision": "P", "recall": "R", "f1": "F1"}
STRICT = Criterion("strict")
MEGABYTE = 1_000_000

Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Result:
    """A row that is done. In cross-validation ``evaluation`` pools the folds, whose documents
    are, in order, ``sizes`` many each."""

    row: Row
    evaluation: Evaluation
    costs: tuple[Cost, ...]

    @property
    def title(self) -> str:
        return self.row.title

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of those that it was trained and tested on."""
        run = self.row.run
        return run.train if self.row.cross_validated else (*run.train, run.test)

    @property
    def sizes(self) -> list[int]:
        return [len(job.test.documents) for job in self.row.jobs]

    @cached_property
    def folds(self) -> dict[str, np.ndarray]:
        """By criterion, an array [fold, metric]."""
        ends = np.cumsum(self.sizes)[:-1]
        parts = {c: np.split(self.evaluation.scores.documents(Criterion(c)), ends) for c in CRITERIA}
        return {
            c: significance.compute_metrics(np.array([p.sum(axis=0) for p in found]))
            for c, found in parts.items()
        }


def read_result(row: Row, resamples: int, seed: int) -> Result:
    """The result of a row whose jobs are done."""
    settings = row.run.config
    found = [training.read_output(job) for job in row.jobs]
    gold = [document for job in row.jobs for document in job.test.documents]
    system = [document for documents, _ in found for document in documents]
    by = "patient" if any(document.patient for document in gold) else "document"
    choices = EvaluationOptions(scheme.read(settings.scheme), by=by, resamples=resamples, seed=seed)
    sides = (
        [build_scored_document(document, choices.scheme) for document in side] for side in (gold, system)
    )
    return Result(row, evaluation.evaluate(*sides, choices), tuple(cost for _, cost in found))


def find_base(result: Result, results: Sequence[Result]) -> Result | None:
    """The base's row that a row is compared with: that of the same documents."""
    first = results[0].row.run
    for other in results:
        alike = other.row.run == first and other.evaluation.recipe.corpus == result.evaluation.recipe.corpus
        if alike and other is not result:
            return other
    return None


def compute_figures(result: Result, base: Result | None) -> dict[str, float]:
    """Everything measured of a row, fractions as they are."""
    found = compute_scores(result)
    if base and result.row.run != base.row.run:
        found |= compare_with_base(result, base)
    if result.row.cross_validated:
        found |= summarize_folds(result)
    return found | summarize_costs(result.costs)


def compute_scores(result: Result) -> dict[str, float]:
    evaluated = result.evaluation
    found: dict[str, float] = {}
    for criterion in CRITERIA:
        counts = evaluated.scores.micro(Criterion(criterion))
        for metric, name in METRICS.items():
            found[f"{criterion} {name}"] = getattr(counts, metric)
            if evaluated.intervals:
                low, high = evaluated.intervals[criterion][metric]
                found |= {f"{criterion} {name} low": low, f"{criterion} {name} high": high}
    if evaluated.scores.scheme.hipaa:
        counts = evaluated.scores.micro(Criterion("strict", hipaa=True))
        found |= {f"HIPAA strict {name}": getattr(counts, metric) for metric, name in METRICS.items()}
    return found | score_categories(result)


def score_categories(result: Result) -> dict[str, float]:
    """Strict recall and F1 of each category that has a span on either side."""
    found = {}
    scores = result.evaluation.scores
    for category in scores.scheme.categories:
        counts = scores.micro(STRICT, category)
        if counts.tp + counts.fp + counts.fn:
            found |= {f"recall {category}": counts.recall, f"F1 {category}": counts.f1}
    return found


def compare_with_base(result: Result, base: Result) -> dict[str, float]:
    """The differences from the base, and the chance of as large a one between equals."""
    found = {}
    for criterion in CRITERIA if result.evaluation.choices.resamples else ():
        tested = evaluation.compare_randomised(result.evaluation, base.evaluation, Criterion(criterion))
        for metric, name in METRICS.items():
            difference = tested[metric]
            found[f"{criterion} {name} change"] = difference.first - difference.second
            found[f"{criterion} {name} p"] = difference.p
    return found


def summarize_folds(result: Result) -> dict[str, float]:
    """Mean and sample standard deviation of the folds."""
    found: dict[str, float] = {}
    for criterion, values in result.folds.items():
        for column, name in enumerate(METRICS.values()):
            found[f"{criterion} {name} mean"] = float(values[:, column].mean())
            found[f"{criterion} {name} sd"] = float(values[:, column].std(ddof=1))
    return found


def summarize_costs(costs: Sequence[Cost]) -> dict[str, float]:
    """Means over the folds; the largest memory."""
    number = len(costs)
    return {
        "train seconds": sum(cost.train_seconds for cost in costs) / number,
        "tokens/s": sum(cost.tokens_per_second for cost in costs) / number,
        "model MB": sum(cost.model_bytes for cost in costs) / number / MEGABYTE,
        "peak MB": max(cost.peak_bytes for cost in costs) / MEGABYTE,
    }


def score_words(result: Result) -> dict[str, dict[str, float]]:
    """Words of each kind (:mod:`crfdeid.evaluate.word_scores`): P, R and F1."""
    counts = result.evaluation.words.counts()
    return {kind: {name: getattr(c, m) for m, name in METRICS.items()} for kind, c in counts.items()}


def compute_z_tests(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """By row, the z of each kind of word's F against the first row (Tafvizi 2011, appendix B). The
    test is not paired, so the rows need not be of the same documents."""
    first = results[0].evaluation
    tests = {result.title: evaluation.compare_words(result.evaluation, first) for result in results[1:]}
    return {title: {kind: z.z for kind, (_, _, z) in found.items()} for title, found in tests.items()}


def build_figures(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Figures by row title; a row that was scored on other documents than the base has no changes."""
    return {result.title: compute_figures(result, find_base(result, results)) for result in results}
