"""The results of the runs as figures: one mapping per row, the source of every table and plot.

The name of a figure says what it is: ``strict F1``, ``strict F1 low`` and ``high`` (95% interval),
``strict F1 change`` and ``p`` (against the base), ``recall NAME``, ``train seconds``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfdeid.ablate import one_training
from crfdeid.ablate.jobs import Row
from crfdeid.ablate.one_training import Cost
from crfdeid.evaluate import evaluation, significance, type_table
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions
from crfdeid.evaluate.matching import CRITERIA, Criterion, build_scored_document
from crfdeid.evaluate.type_table import TypeRow
from crfdeid.text import scheme

METRICS = {"precision": "P", "recall": "R", "f1": "F1"}
STRICT = Criterion("strict")
MEGABYTE = 1_000_000

Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Result:
    """A finished row. In cross-validation ``evaluation`` holds the documents of all folds, in the order of
    the folds."""

    row: Row
    evaluation: Evaluation
    costs: tuple[Cost, ...]

    @property
    def title(self) -> str:
        return self.row.title

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of the corpora for training and test."""
        run = self.row.run
        return run.train if self.row.cross_validated else (*run.train, run.test)

    @cached_property
    def fold_metrics(self) -> dict[str, np.ndarray]:
        """By criterion, an array [fold, metric]."""
        ends = np.cumsum([len(job.test.documents) for job in self.row.jobs])[:-1]
        parts = {c: np.split(self.evaluation.scores.count_by_document(Criterion(c)), ends) for c in CRITERIA}
        return {
            c: significance.compute_metrics(np.array([p.sum(axis=0) for p in found]))
            for c, found in parts.items()
        }


def read_result(row: Row, resamples: int, seed: int) -> Result:
    """Read the result of a row whose jobs are done, and score it."""
    outputs = [one_training.read_output(job) for job in row.jobs]
    gold = [document for job in row.jobs for document in job.test.documents]
    system = [document for documents, _ in outputs for document in documents]
    by = "patient" if any(document.patient for document in gold) else "document"
    options = EvaluationOptions(
        scheme.read_scheme(row.run.config.scheme), unit=by, resamples=resamples, seed=seed
    )
    first, second = (
        [build_scored_document(document, options.scheme) for document in side] for side in (gold, system)
    )
    return Result(row, evaluation.evaluate(first, second, options), tuple(cost for _, cost in outputs))


def find_base(result: Result, results: Sequence[Result]) -> Result | None:
    """Return the base's row with the same documents, of the same seed if there is one, or ``None``."""
    first, corpus = results[0].row.run, result.evaluation.signature.corpus
    same = [
        other
        for other in results
        if other.row.run.group == first.group
        and other is not result
        and other.evaluation.signature.corpus == corpus
    ]
    alike = [other for other in same if other.row.run.seed == result.row.run.seed]
    return next(iter([*alike, *same]), None)


def compute_figures(result: Result, base: Result | None) -> dict[str, float]:
    """Return all figures of a row; ratios are between 0 and 1."""
    figures = compute_scores(result)
    if base and result.row.run.group != base.row.run.group:
        figures |= compare_with_base(result, base)
    if result.row.cross_validated:
        figures |= summarize_folds(result)
    return figures | summarize_costs(result.costs)


def compute_scores(result: Result) -> dict[str, float]:
    """Return precision, recall and F1 by criterion and by category, with their intervals."""
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
    """Return strict recall and F1 of each category with a gold or system span."""
    found: dict[str, float] = {}
    scores = result.evaluation.scores
    for category in scores.scheme.categories:
        counts = scores.micro(STRICT, category)
        if counts.tp + counts.fp + counts.fn:
            found |= {f"recall {category}": counts.recall, f"F1 {category}": counts.f1}
    return found


def compare_with_base(result: Result, base: Result) -> dict[str, float]:
    """Return the differences from the base, with 95% intervals, and p: the chance of so large a difference
    between equal systems."""
    found: dict[str, float] = {}
    for criterion in CRITERIA if result.evaluation.options.resamples else ():
        both = (result.evaluation, base.evaluation, Criterion(criterion))
        tested, intervals = evaluation.compare_randomised(*both), evaluation.bootstrap_changes(*both)
        for metric, name in METRICS.items():
            difference = tested[metric]
            found[f"{criterion} {name} change"] = difference.first - difference.second
            low, high = intervals[metric]
            found |= {f"{criterion} {name} change low": low, f"{criterion} {name} change high": high}
            found[f"{criterion} {name} p"] = difference.p
    return found


def summarize_folds(result: Result) -> dict[str, float]:
    """Return mean and sample standard deviation of the folds."""
    found: dict[str, float] = {}
    for criterion, values in result.fold_metrics.items():
        for column, name in enumerate(METRICS.values()):
            found[f"{criterion} {name} mean"] = float(values[:, column].mean())
            found[f"{criterion} {name} sd"] = float(values[:, column].std(ddof=1))
    return found


def summarize_costs(costs: Sequence[Cost]) -> dict[str, float]:
    """Return the means over the folds, and the largest memory."""
    number = len(costs)
    return {
        "train seconds": sum(cost.train_seconds for cost in costs) / number,
        "train CPU seconds": sum(cost.train_cpu_seconds for cost in costs) / number,
        "tokens/CPU s": sum(cost.tokens_per_cpu_second for cost in costs) / number,
        "tokens/s": sum(cost.tokens_per_second for cost in costs) / number,
        "model MB": sum(cost.model_bytes for cost in costs) / number / MEGABYTE,
        "peak MB": max(cost.peak_bytes for cost in costs) / MEGABYTE,
    }


def score_words(result: Result) -> dict[str, dict[str, float]]:
    """Return P, R and F1 of the words of each kind (:mod:`crfdeid.evaluate.word_scores`)."""
    counts = result.evaluation.word_scores.counts()
    return {kind: {name: getattr(c, m) for m, name in METRICS.items()} for kind, c in counts.items()}


def compute_z_tests(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Return, by row, the z of the F of each kind of word against the first row (Tafvizi 2011,
    appendix B). The test is not paired: the rows may have different documents."""
    first = results[0].evaluation
    tests = {result.title: evaluation.compare_words(result.evaluation, first) for result in results[1:]}
    return {title: {kind: z.z for kind, (_, _, z) in found.items()} for title, found in tests.items()}


def build_figures(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Return the figures by row title. A row with other documents than the base has no changes. ``p Holm`` is
    adjusted for the number of rows."""
    figures = {result.title: compute_figures(result, find_base(result, results)) for result in results}
    for name in dict.fromkeys(name for row in figures.values() for name in row if name.endswith(" p")):
        rows = [row for row in figures.values() if name in row]
        for row, adjusted in zip(rows, significance.adjust_holm([row[name] for row in rows])):
            row[f"{name} Holm"] = adjusted
    for title, found in summarize_seeds(results, figures).items():
        figures[title] |= found
    return figures


def summarize_seeds(results: Sequence[Result], figures: Figures) -> dict[str, dict[str, float]]:
    """Return mean and sample standard deviation over the seeds, by the title of the first seed's row."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for result in results:
        if result.row.run.seed is not None:
            groups.setdefault((result.row.run.group, result.row.cross_validated), []).append(result.title)
    found: dict[str, dict[str, float]] = {}
    for titles in groups.values():
        own = found.setdefault(titles[0], {"seeds": len(titles)})
        for name in (f"{criterion} {metric}" for criterion in CRITERIA for metric in METRICS.values()):
            values = np.array([figures[title][name] for title in titles])
            own |= {f"{name} seeds mean": float(values.mean()), f"{name} seeds sd": float(values.std(ddof=1))}
    return found


def build_type_tables(results: Sequence[Result]) -> dict[str, list[TypeRow]]:
    """Return strict P, R and F1 by type of each row, and the tests against the base."""
    found = {result.title: (result, find_base(result, results)) for result in results}
    bases = {
        title: base.evaluation
        for title, (result, base) in found.items()
        if base and result.row.run.group != base.row.run.group
    }
    return type_table.build_type_tables({title: own.evaluation for title, (own, _) in found.items()}, bases)
