"""Strict precision, recall and F1 by type, of one system or several: as LaTeX, Markdown and rows of CSV.

The rows are all spans, PHI or not, the HIPAA subset, each category and each type. A star marks an F1 that
differs from that of the first system, after Holm's correction over all rows and systems of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.evaluate.evaluation import Evaluation, compare_strict_rows, count_rows, list_strict_rows
from crfdeid.evaluate.paper_table import METRICS, escape_latex, show_stars
from crfdeid.evaluate.significance import Difference, Interval, adjust_holm, bootstrap_rows, compute_metrics

HEADS = ("gold", "system", "right")
RESAMPLED = " low", " high"


@dataclass(frozen=True)
class TypeRow:
    """Spans that are gold, of the system, and right; ``figures`` by ``P``, ``R`` and ``F1`` with their 95%
    ``intervals``; ``change`` and ``p`` of F1 against the first system, ``adjusted`` by Holm's method."""

    title: str
    sizes: tuple[int, int, int]
    figures: Mapping[str, float]
    intervals: Mapping[str, Interval]
    change: float | None = None
    p: float | None = None
    adjusted: float | None = None

    @property
    def stars(self) -> str:
        return show_stars(self.adjusted)


TypeTables = Mapping[str, Sequence[TypeRow]]  # by system


def build_type_tables(
    evaluations: Mapping[str, Evaluation], bases: Mapping[str, Evaluation]
) -> dict[str, list[TypeRow]]:
    """Build the rows of each system. ``bases`` has the evaluation that a system is tested against, where
    there is one."""
    tests = {
        name: compare_strict_rows(evaluations[name], base)
        for name, base in bases.items()
        if evaluations[name].options.resamples
    }
    flat = [difference.p for found in tests.values() for difference in found.values()]
    adjusted = iter(adjust_holm(flat))
    chances = {name: {title: next(adjusted) for title in found} for name, found in tests.items()}
    return {
        name: list(build_rows(evaluation, tests.get(name, {}), chances.get(name, {})))
        for name, evaluation in evaluations.items()
    }


def build_rows(
    evaluation: Evaluation, tests: Mapping[str, Difference], adjusted: Mapping[str, float]
) -> Iterator[TypeRow]:
    """Yield the rows of one system."""
    rows, options = list_strict_rows([evaluation]), evaluation.options
    counts = count_rows(evaluation, rows)
    intervals = (
        bootstrap_rows(counts, evaluation.groups, options.resamples, seed=options.seed)
        if options.resamples
        else [{} for _ in rows]
    )
    for row, (tp, fp, fn), ends in zip(rows, counts.sum(axis=0).tolist(), intervals):
        found = dict(zip(METRICS, compute_metrics(np.array([tp, fp, fn])).tolist()))
        named = {name: ends[key] for name, key in METRICS.items() if ends}
        test = tests.get(row.title)
        change = test.first - test.second if test else None
        sizes = (tp + fn, tp + fp, tp)
        p = test.p if test else None
        yield TypeRow(row.title, sizes, found, named, change, p, adjusted.get(row.title))


def format_cell(row: TypeRow, metric: str) -> str:
    """The figure with its interval, if there is one."""
    figure = f"{row.figures[metric]:.3f}"
    ends = row.intervals.get(metric)
    return f"{figure} ({ends.low:.3f} to {ends.high:.3f})" if ends else figure


def write_note(tables: TypeTables, signature: str) -> str:
    """What stands below the tables."""
    tested = any(row.p is not None for rows in tables.values() for row in rows)
    stars = "*: p < 0.05, **: p < 0.01 for F1 against {}, Holm's correction over all rows and systems. "
    return (stars.format(next(iter(tables))) if tested else "") + signature


def render_markdown(tables: TypeTables, note: str) -> str:
    """Return a table for each system, and the note."""
    head = f"| spans | {' | '.join([*HEADS, *METRICS])} |\n|---|{'---:|' * (len(HEADS) + len(METRICS))}\n"
    texts = []
    for name, rows in tables.items():
        lines = (
            f"| {' | '.join([row.title, *map(str, row.sizes), *(format_cell(row, m) for m in METRICS)])}"
            f"{row.stars.replace('*', chr(92) + '*')} |\n"
            for row in rows
        )
        texts.append((f"**{name}**\n\n" if len(tables) > 1 else "") + head + "".join(lines))
    return "\n".join(texts) + "\n" + note.replace("*", "\\*") + "\n"


def render_latex(tables: TypeTables, note: str) -> str:
    """Return a floating table for each system; they need the package booktabs."""
    names = " & ".join([*HEADS, *METRICS])
    return "\n".join(
        "\n".join(
            [
                "\\begin{table}",
                f"\\caption{{{escape_latex(name)}}}",
                f"\\begin{{tabular}}{{l{'r' * (len(HEADS) + len(METRICS))}}}",
                "\\toprule",
                f"spans & {names} \\\\",
                "\\midrule",
                *map(render_latex_row, rows),
                "\\bottomrule",
                f"\\multicolumn{{7}}{{p{{0.95\\linewidth}}}}{{\\footnotesize {escape_latex(note)}}} \\\\",
                "\\end{tabular}",
                "\\end{table}",
            ]
        )
        + "\n"
        for name, rows in tables.items()
    )


def render_latex_row(row: TypeRow) -> str:
    stars = f"$^{{{row.stars}}}$" if row.stars else ""
    cells = [escape_latex(row.title), *map(str, row.sizes), *(format_cell(row, m) for m in METRICS)]
    return " & ".join(cells) + f"{stars} \\\\"


def build_csv_rows(tables: TypeTables) -> Iterator[list[object]]:
    """Yield a head, and one line for each row of each system with all figures in full."""
    ends = [f"{metric}{end}" for metric in METRICS for end in RESAMPLED]
    yield ["run", "spans", *HEADS, *METRICS, *ends, "F1 change", "F1 p", "F1 p Holm"]
    for name, rows in tables.items():
        for row in rows:
            low_high = [end for m in METRICS for end in row.intervals.get(m, ("", ""))]
            tests = ["" if value is None else value for value in (row.change, row.p, row.adjusted)]
            yield [name, row.title, *row.sizes, *(row.figures[m] for m in METRICS), *low_high, *tests]
