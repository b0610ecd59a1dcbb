"""A table of systems for a paper, as LaTeX (booktabs) and as Markdown: the best figure of a column is bold, a
star marks a difference from the first system, and the signature is a footnote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crfdeid.evaluate.evaluation import Comparison, Evaluation
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.report import describe_resampling

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
        """What stands below the table."""
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
