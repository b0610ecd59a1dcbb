"""An evaluation as text and as JSON. Every table and figure carries its signature."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

from crfdeid.evaluate import error_analysis, leakage, official, scores, word_scores
from crfdeid.evaluate.evaluation import Comparison, Evaluation, EvaluationOptions, Signature
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.scores import Scores
from crfdeid.evaluate.significance import Interval, find_least_p

Table = tuple[str, dict[str, object]]  # the text, and the details in its signature
NAMES = ",".join(CRITERIA)
Z_WARNING = (
    "z takes F for a proportion and words as independent, and finds differences too easily: use p above"
)


def format_report(evaluation: Evaluation) -> str:
    """Format every table, each with its signature below it."""
    return sign_tables(list_tables(evaluation), evaluation.signature)


def format_summary(evaluation: Evaluation) -> str:
    """Format what a page shows first: scores, intervals, leakage and the kinds of errors."""
    tables: list[Table] = [
        (scores.format_scores(evaluation.scores), {"criterion": NAMES, "average": "micro"}),
        *list_interval_tables(evaluation),
        (leakage.format_leakage(evaluation.leakage), {"criterion": "characters", "types": "ignored"}),
        (error_analysis.format_kinds(evaluation.errors), {"criterion": "strict"}),
    ]
    return sign_tables(tables, evaluation.signature)


def sign_tables(tables: Iterable[Table], signature: Signature) -> str:
    """Join the tables, each with its signature below it."""
    return "\n\n".join(f"{table}\n{signature.text(**details)}" for table, details in tables)


def list_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield all tables of the report."""
    if evaluation.options.rules == "meddocan":
        counts = official.score_pairs(evaluation.pairs)
        yield official.format_scores(counts), {"rules": "meddocan", "average": "micro"}
    yield scores.format_scores(evaluation.scores, types=True), {"criterion": NAMES, "average": "micro"}
    yield format_macro(evaluation.scores), {"criterion": NAMES, "average": "macro"}
    yield from list_interval_tables(evaluation)
    yield leakage.format_leakage(evaluation.leakage), {"criterion": "characters", "types": "ignored"}
    yield word_scores.format_word_scores(evaluation.word_scores), {"criterion": "words", "average": "micro"}
    order = evaluation.options.scheme.types
    yield error_analysis.format_errors(evaluation.pairs, evaluation.errors, order), {"criterion": "strict"}


def list_interval_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the table of intervals, if there are any."""
    if evaluation.intervals:
        yield format_intervals(evaluation.intervals), describe_resampling(evaluation.options, "bootstrap")


def describe_resampling(options: EvaluationOptions, method: str) -> dict[str, object]:
    """Return the details in the signature of a resampled figure."""
    return {"method": method, "unit": options.unit, "resamples": options.resamples, "seed": options.seed}


def format_macro(scores: Scores) -> str:
    """Format means and standard deviations over documents."""
    lines = [f"{'mean of documents':<20}P (SD)            R (SD)            F1"]
    for name in CRITERIA:
        m = scores.macro(Criterion(name))
        f1 = "-" if math.isnan(m.f1) else f"{m.f1:.4f}"
        spread = f"{m.precision:.4f} ({m.precision_sd:.4f})   {m.recall:.4f} ({m.recall_sd:.4f})"
        lines.append(f"{name:<20}{spread}   {f1}")
    return "\n".join(lines)


def format_intervals(intervals: dict[str, dict[str, Interval]]) -> str:
    """Format the intervals, a line for each criterion."""
    lines = [f"{'95% interval':<20}P                 R                 F1"]
    for name, metrics in intervals.items():
        cells = "".join(f"{f'{low:.4f}-{high:.4f}':<18}" for low, high in metrics.values())
        lines.append(f"{name:<20}{cells.rstrip()}")
    return "\n".join(lines)


def build_json(evaluation: Evaluation) -> dict[str, Any]:
    """Build the JSON object with every figure, and the errors, whose contexts have words of the notes."""
    return build_scores_json(evaluation) | {"mistakes": build_error_tables(evaluation)}


def build_scores_json(evaluation: Evaluation) -> dict[str, Any]:
    """Build the JSON object with every score; it has no text of a note."""
    signature = evaluation.signature
    intervals = {
        name: {metric: list(ends) for metric, ends in metrics.items()}
        for name, metrics in evaluation.intervals.items()
    }
    words = evaluation.word_scores.counts()
    return {
        "recipe": asdict(signature),
        "official": build_official_rows(evaluation),
        "scores": list(build_score_rows(evaluation.scores, signature)),
        "intervals": {
            "recipe": signature.text(**describe_resampling(evaluation.options, "bootstrap")),
            **intervals,
        },
        "exposure": {
            "recipe": signature.text(criterion="characters", types="ignored"),
            "counts": evaluation.leakage.total()._asdict(),
            **evaluation.leakage.figures(),
        },
        "words": {
            "recipe": signature.text(criterion="words", average="micro"),
            **{kind: build_figures(counts) for kind, counts in words.items()},
        },
    }


def build_official_rows(evaluation: Evaluation) -> dict[str, Any]:
    """Build the rows that the task's own script prints: i2b2's, or MEDDOCAN's three."""
    if evaluation.options.rules == "meddocan":
        counts = official.score_pairs(evaluation.pairs)
        return {name: build_figures(figures) for name, figures in counts.items()}
    return official.build_table(evaluation.scores)


def build_score_rows(found: Scores, signature: Signature) -> Iterator[dict[str, Any]]:
    """Yield every row under every criterion, micro and macro; binary only for the whole."""
    for title, hipaa, element, type in scores.list_rows(found, types=True):
        for name, binary in product(CRITERIA, (False,) if element else (False, True)):
            criterion = Criterion(name, hipaa, binary)
            macro = found.macro(criterion, element, type)._asdict()
            details = {
                "row": title.strip(),
                "criterion": name,
                "subset": "hipaa" if hipaa else "all",
                "binary": binary,
            }
            yield {
                **details,
                "micro": build_figures(found.micro(criterion, element, type)),
                "macro": {key: None if math.isnan(value) else value for key, value in macro.items()},
                "recipe": signature.text(**details),
            }


def build_error_tables(evaluation: Evaluation) -> dict[str, Any]:
    """Build the tables of the error analysis."""
    pairs, errors = evaluation.pairs, evaluation.errors
    return {
        "recipe": evaluation.signature.text(criterion="strict"),
        "kinds": error_analysis.count_kinds(errors),
        "extents": error_analysis.count_extents(errors),
        "confusion": error_analysis.count_confusions(pairs, errors, evaluation.options.scheme.types),
        "missed contexts": error_analysis.count_missed_contexts(pairs, errors),
        "spans": error_analysis.build_rows(errors),
    }


def build_figures(counts: scores.Counts) -> dict[str, float]:
    """Build the JSON object of some counts and their ratios."""
    return {
        **asdict(counts),
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def format_comparison(
    comparison: Comparison,
    signature: Signature,
    options: EvaluationOptions,
    names: Sequence[str] = ("system", "other"),
) -> str:
    """Format the tests of two systems, each table with its signature."""
    one, two = (max(8, len(name) + 2) for name in names)
    lines = [f"{'criterion':<10}{'metric':<11}{names[0]:>{one}}{names[1]:>{two}}{'p':>8}"]
    for name, metrics in comparison.randomised.items():
        for metric, d in metrics.items():
            lines.append(f"{name:<10}{metric:<11}{d.first:{one}.4f}{d.second:{two}.4f}{d.p:8.4f}")
    lines.append(signature.text(**describe_resampling(options, "approximate randomisation")))
    lines += describe_power(comparison, options)
    lines += ["", *format_row_tests(comparison, names)]
    method = "Holm over categories, types and unions"
    lines.append(signature.text(criterion="strict", **describe_resampling(options, method)))
    lines += ["", f"{'words, F':<16}{names[0]:>{one + 1}}{names[1]:>{two + 1}}{'z':>9}{'p':>9}"]
    for kind, (first, second, z) in comparison.z.items():
        lines.append(f"{kind:<16}{first:{one + 1}.5f}{second:{two + 1}.5f}{z.z:9.4f}{z.p:9.4f}")
    return "\n".join([*lines, signature.text(method="z-test", criterion="words"), Z_WARNING])


def describe_power(comparison: Comparison, options: EvaluationOptions) -> Iterator[str]:
    """Say which p and which difference these documents or patients can show."""
    least = find_least_p(comparison.units)
    if comparison.units and least > 1 / (options.resamples + 1):
        yield f"{comparison.units} {options.unit}s: no p under {least:.2g}"
    if comparison.shown:
        yield (
            f"these {comparison.units} {options.unit}s show a difference of strict F1 of "
            f"{comparison.shown:.4f} four times in five (p < 0.05)"
        )


def format_row_tests(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Yield the head and a line for each row of the scores, with p before and after Holm's correction."""
    one, two = (max(8, len(name) + 2) for name in names)
    yield f"{'strict F1':<21}{names[0]:>{one}}{names[1]:>{two}}{'p':>8}{'p, Holm':>9}"
    for title, (found, adjusted) in comparison.rows.items():
        yield f"{title:<21}{found.first:{one}.4f}{found.second:{two}.4f}{found.p:8.4f}{adjusted:9.4f}"


def build_comparison_json(
    comparison: Comparison, signature: Signature, options: EvaluationOptions
) -> dict[str, Any]:
    """Build the JSON object of the tests of two systems."""
    return {
        "recipe": signature.text(**describe_resampling(options, "approximate randomisation")),
        "randomisation": {
            name: {metric: difference._asdict() for metric, difference in metrics.items()}
            for name, metrics in comparison.randomised.items()
        },
        "rows": {
            title: {**difference._asdict(), "p Holm": adjusted}
            for title, (difference, adjusted) in comparison.rows.items()
        },
        "z-test": {
            kind: {"first": first, "second": second, **z._asdict()}
            for kind, (first, second, z) in comparison.z.items()
        },
    }
