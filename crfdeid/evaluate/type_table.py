"""Tables for a paper, as LaTeX (booktabs) and as Markdown: systems side by side, and strict precision,
recall and F1 by type, of one system or several (also as rows of CSV).

In a table of systems the best figure of a column is bold, a star marks a difference from the first system,
and the signature is a footnote. In a table of types the rows are all spans, PHI or not, the HIPAA subset,
each category and each type. A star marks an F1 that differs from the first system's, after Holm's
correction within each family: the categories, the types, and the unions of both, over all systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crfdeid.evaluate.evaluation import (
    Comparison,
    Evaluation,
    compare_strict_rows,
    count_rows,
    list_strict_rows,
)
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.report import describe_resampling
from crfdeid.evaluate.significance import Difference, Interval, adjust_holm, bootstrap_rows, compute_metrics

METRICS = {"P": "precision", "R": "recall", "F1": "f1"}
COLUMNS = tuple(f"{criterion} {name}" for criterion in CRITERIA for name in METRICS)
STARS = ((0.01, "**"), (0.05, "*"))  # by the largest p
SPECIAL = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "\\": "\\textbackslash{}",
        "|": "\\textbar{}",
        "<": "$<$",
        ">": "$>$",
    }
)

HEADS = ("gold", "system", "right")
RESAMPLED = " low", " high"


def show_stars(p: float | None) -> str:
    """Return the stars of a p; none without a test.

    >>> show_stars(0.004), show_stars(0.03), show_stars(0.05), show_stars(None)
    ('**', '*', '', '')
    """
    return next((stars for most, stars in STARS if p is not None and p < most), "")


@dataclass(frozen=True)
class PaperRow:
    """A system: its figures by column, and the p of their differences from the first system."""

    title: str
    figures: Mapping[str, float]
    p: Mapping[str, float] = field(default_factory=dict)

    def show_stars(self, column: str) -> str:
        """The stars of a figure.

        >>> row = PaperRow("ours", {}, {"strict F1": 0.03})
        >>> row.show_stars("strict F1"), row.show_stars("strict P")
        ('*', '')
        """
        return show_stars(self.p.get(column))


@dataclass(frozen=True)
class PaperTable:
    """The rows in order, and the ``signature`` of all figures; ``adjusted`` says that each p is adjusted
    for the number of rows."""

    rows: Sequence[PaperRow]
    signature: str
    adjusted: bool = False

    @property
    def note(self) -> str:
        """The lines below the table."""
        if not any(row.p for row in self.rows):
            return self.signature
        stars = ", ".join(f"{stars}: p < {most}" for most, stars in reversed(STARS))
        first = self.rows[0].title
        how = "adjusted for the number of rows by Holm's method" if self.adjusted else "not adjusted"
        return f"{stars} against {first} (two-sided, {how}). {self.signature}"

    def is_best(self, row: PaperRow, column: str) -> bool:
        """Whether no row has a higher figure, as printed."""
        printed = [f"{other.figures[column]:.4f}" for other in self.rows]
        return len(printed) > 1 and f"{row.figures[column]:.4f}" == max(printed)

    def render_latex(self) -> str:
        """Return a floating table; it needs the package booktabs."""
        heads = " & ".join(f"\\multicolumn{{3}}{{c}}{{{name.capitalize()}}}" for name in CRITERIA)
        rules = " ".join(f"\\cmidrule(lr){{{2 + 3 * n}-{4 + 3 * n}}}" for n in range(len(CRITERIA)))
        names = " & ".join([*METRICS] * len(CRITERIA))
        across = f"\\multicolumn{{{1 + len(COLUMNS)}}}{{p{{0.95\\linewidth}}}}"
        lines = [
            "\\begin{table}",
            f"\\begin{{tabular}}{{l{'r' * len(COLUMNS)}}}",
            "\\toprule",
            f" & {heads} \\\\",
            rules,
            f"System & {names} \\\\",
            "\\midrule",
            *(self._render_latex_row(row) for row in self.rows),
            "\\bottomrule",
            f"{across}{{\\footnotesize {escape_latex(self.note)}}} \\\\",
            "\\end{tabular}",
            "\\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _render_latex_row(self, row: PaperRow) -> str:
        cells = (f"\\textbf{{{shown}}}{stars}" if best else f"{shown}{stars}" for shown, stars, best
                 in self._list_cells(row, "$^{{{}}}$"))  # fmt: skip
        return " & ".join([escape_latex(row.title), *cells]) + " \\\\"

    def render_markdown(self) -> str:
        """Return a table and its footnote."""
        head = f"| system | {' | '.join(COLUMNS)} |"
        lines = [head, "|" + "---|" * (1 + len(COLUMNS)), *map(self._render_markdown_row, self.rows)]
        return "\n".join([*lines, "", self.note.replace("*", "\\*")]) + "\n"

    def _render_markdown_row(self, row: PaperRow) -> str:
        cells = (f"**{shown}**{stars}" if best else f"{shown}{stars}" for shown, stars, best
                 in self._list_cells(row, "<sup>{}</sup>"))  # fmt: skip
        return f"| {' | '.join([row.title.replace('|', chr(92) + '|'), *cells])} |"

    def _list_cells(self, row: PaperRow, mark: str) -> Iterator[tuple[str, str, bool]]:
        for column in COLUMNS:
            stars = row.show_stars(column)
            shown = mark.format(stars.replace("*", "\\*") if "sup" in mark else stars) if stars else ""
            yield f"{row.figures[column]:.4f}", shown, self.is_best(row, column)


def escape_latex(text: str) -> str:
    r"""Return the text as LaTeX prints it.

    >>> escape_latex("50% of a_b")
    '50\\% of a\\_b'
    """
    return text.translate(SPECIAL)


def collect_figures(evaluation: Evaluation) -> dict[str, float]:
    """Return the micro figures of all types, by column."""
    figures: dict[str, float] = {}
    for criterion in CRITERIA:
        counts = evaluation.scores.micro(Criterion(criterion))
        figures |= {f"{criterion} {name}": getattr(counts, key) for name, key in METRICS.items()}
    return figures


def collect_p(comparison: Comparison) -> dict[str, float]:
    """Return the p of each difference, by column."""
    return {
        f"{criterion} {name}": differences[key].p
        for criterion, differences in comparison.randomised.items()
        for name, key in METRICS.items()
    }


def build_table(
    names: Sequence[str], evaluations: Sequence[Evaluation], comparisons: Sequence[Comparison]
) -> PaperTable:
    """Build the table of systems on the same gold; ``comparisons`` are of the first with each other one."""
    tests: list[dict[str, float]] = [{}, *map(collect_p, comparisons)]
    rows = [PaperRow(n, collect_figures(e), p) for n, e, p in zip(names, evaluations, tests)]
    first = evaluations[0]
    method = describe_resampling(first.options, "approximate randomisation") if comparisons else {}
    parts = first.signature.text(average="micro", **method).split("|")
    return PaperTable(rows, "|".join(part for part in parts if not part.startswith("system:")))


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
    families = {row.title: row.family for row in list_strict_rows([*evaluations.values()])}
    chances: dict[str, dict[str, float]] = {name: {} for name in tests}
    for family in dict.fromkeys(families.values()):
        cells = [
            (name, title) for name, found in tests.items() for title in found if families[title] == family
        ]
        for (name, title), p in zip(cells, adjust_holm([tests[name][title].p for name, title in cells])):
            chances[name][title] = p
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
    """The lines below the tables."""
    tested = any(row.p is not None for rows in tables.values() for row in rows)
    stars = (
        "*: p < 0.05, **: p < 0.01 for F1 against {}, Holm's correction within categories, types and unions. "
    )
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
