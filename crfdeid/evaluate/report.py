"""An evaluation as text and as JSON. Every table and figure carries its recipe."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from typing import Any

from crfdeid.evaluate import error_analysis, i2b2_2014, leakage, meddocan, scores, word_scores
from crfdeid.evaluate.evaluation import Comparison, Evaluation, EvaluationOptions, Signature
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.scores import Scores
from crfdeid.evaluate.significance import Interval


def format_report(found: Evaluation) -> str:
    """Every table, each with its recipe below it."""
    return "\n\n".join(f"{table}\n{found.recipe.text(**made)}" for table, made in format_tables(found))


def format_summary(found: Evaluation) -> str:
    """What a page shows on top: scores, intervals and the kinds of mistakes, with recipes."""
    criteria = ",".join(CRITERIA)
    parts = [(scores.format_scores(found.scores), {"criterion": criteria, "average": "micro"})]
    if found.intervals:
        parts.append((format_intervals(found.intervals), describe_resampling(found.choices, "bootstrap")))
    parts.append((leakage.format_leakage(found.exposure), {"criterion": "characters", "types": "ignored"}))
    parts.append((error_analysis.format_kinds(found.mistakes), {"criterion": "strict"}))
    return "\n\n".join(f"{table}\n{found.recipe.text(**made)}" for table, made in parts)


def format_tables(found: Evaluation) -> Iterator[tuple[str, dict[str, object]]]:
    criteria = ",".join(CRITERIA)
    if found.choices.rules == "meddocan":
        yield (
            meddocan.format_scores(meddocan.score_pairs(found.pairs)),
            {"rules": "meddocan", "average": "micro"},
        )
    yield scores.format_scores(found.scores, types=True), {"criterion": criteria, "average": "micro"}
    yield format_macro(found.scores), {"criterion": criteria, "average": "macro"}
    if found.intervals:
        yield format_intervals(found.intervals), describe_resampling(found.choices, "bootstrap")
    yield leakage.format_leakage(found.exposure), {"criterion": "characters", "types": "ignored"}
    yield word_scores.format_word_scores(found.words), {"criterion": "words", "average": "micro"}
    yield (
        error_analysis.format_errors(found.pairs, found.mistakes, found.choices.scheme.types),
        {"criterion": "strict"},
    )


def describe_resampling(choices: EvaluationOptions, method: str) -> dict[str, object]:
    return {"method": method, "unit": choices.by, "resamples": choices.resamples, "seed": choices.seed}


def format_macro(found: Scores) -> str:
    lines = [f"{'mean of documents':<20}P (SD)            R (SD)            F1"]
    for criterion in CRITERIA:
        m = found.macro(Criterion(criterion))
        f1 = "-" if math.isnan(m.f1) else f"{m.f1:.4f}"
        spread = f"{m.precision:.4f} ({m.precision_sd:.4f})   {m.recall:.4f} ({m.recall_sd:.4f})"
        lines.append(f"{criterion:<20}{spread}   {f1}")
    return "\n".join(lines)


def format_intervals(intervals: dict[str, dict[str, Interval]]) -> str:
    lines = [f"{'95% interval':<20}P                 R                 F1"]
    for criterion, metrics in intervals.items():
        cells = "".join(f"{f'{low:.4f}-{high:.4f}':<18}" for low, high in metrics.values())
        lines.append(f"{criterion:<20}{cells.rstrip()}")
    return "\n".join(lines)


def build_json(found: Evaluation) -> dict[str, Any]:
    return {
        "recipe": asdict(found.recipe),
        "official": build_official_rows(found),
        "scores": list(build_score_rows(found.scores, found.recipe)),
        "intervals": {
            "recipe": found.recipe.text(**describe_resampling(found.choices, "bootstrap")),
            **{c: {m: list(ends) for m, ends in metrics.items()} for c, metrics in found.intervals.items()},
        },
        "exposure": {
            "recipe": found.recipe.text(criterion="characters", types="ignored"),
            "counts": found.exposure.total()._asdict(),
            **found.exposure.figures(),
        },
        "words": {
            "recipe": found.recipe.text(criterion="words", average="micro"),
            **{kind: build_figures(counts) for kind, counts in found.words.counts().items()},
        },
        "mistakes": build_error_tables(found),
    }


def build_official_rows(found: Evaluation) -> dict[str, Any]:
    """What the task's own script prints: i2b2's rows, or MEDDOCAN's three."""
    if found.choices.rules == "meddocan":
        return {name: build_figures(counts) for name, counts in meddocan.score_pairs(found.pairs).items()}
    return i2b2_2014.build_table(found.scores)


def build_score_rows(found: Scores, made: Signature) -> Iterator[dict[str, Any]]:
    """Every track of every row, micro and macro; binary ones of the whole alone."""
    for title, hipaa, element, type in scores.list_rows(found, types=True):
        for criterion, binary in product(CRITERIA, (False,) if element else (False, True)):
            track = Criterion(criterion, hipaa, binary)
            macro = found.macro(track, element, type)._asdict()
            name = {
                "row": title.strip(),
                "criterion": criterion,
                "subset": "hipaa" if hipaa else "all",
                "binary": binary,
            }
            yield {
                **name,
                "micro": build_figures(found.micro(track, element, type)),
                "macro": {key: None if math.isnan(value) else value for key, value in macro.items()},
                "recipe": made.text(**name),
            }


def build_error_tables(found: Evaluation) -> dict[str, Any]:
    return {
        "recipe": found.recipe.text(criterion="strict"),
        "kinds": error_analysis.count_kinds(found.mistakes),
        "extents": error_analysis.count_extents(found.mistakes),
        "confusion": error_analysis.count_confusions(found.pairs, found.mistakes, found.choices.scheme.types),
        "missed contexts": error_analysis.count_missed_contexts(found.pairs, found.mistakes),
        "spans": error_analysis.build_rows(found.mistakes),
    }


def build_figures(counts: scores.Counts) -> dict[str, float]:
    return {
        **asdict(counts),
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def format_comparison(found: Comparison, made: Signature, choices: EvaluationOptions) -> str:
    lines = [f"{'criterion':<10}{'metric':<11}{'system':>8}{'other':>8}{'p':>8}"]
    for criterion, metrics in found.randomised.items():
        for metric, d in metrics.items():
            lines.append(f"{criterion:<10}{metric:<11}{d.first:8.4f}{d.second:8.4f}{d.p:8.4f}")
    lines.append(made.text(**describe_resampling(choices, "approximate randomisation")))
    lines += ["", f"{'words, F':<16}{'system':>9}{'other':>9}{'z':>9}{'p':>9}"]
    for kind, (first, second, z) in found.z.items():
        lines.append(f"{kind:<16}{first:9.5f}{second:9.5f}{z.z:9.4f}{z.p:9.4f}")
    return "\n".join([*lines, made.text(method="z-test", criterion="words")])


def build_comparison_json(found: Comparison, made: Signature, choices: EvaluationOptions) -> dict[str, Any]:
    return {
        "recipe": made.text(**describe_resampling(choices, "approximate randomisation")),
        "randomisation": {
            criterion: {metric: difference._asdict() for metric, difference in metrics.items()}
            for criterion, metrics in found.randomised.items()
        },
        "z-test": {
            kind: {"first": first, "second": second, **z._asdict()}
            for kind, (first, second, z) in found.z.items()
        },
    }
