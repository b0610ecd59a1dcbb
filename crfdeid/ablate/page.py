"""The table of an ablation as a page: a picture of the figures with their intervals, and every block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfdeid import pages
from crfdeid.ablate import table
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import Figures, Result
from crfdeid.ablate.table import TESTED
from crfdeid.corpora.folds import Part
from crfdeid.pages.pictures import Estimate, draw_estimates, fit_shares, render_figures


def render_page(
    planned: Plan,
    finished: Sequence[Result],
    figures: Figures,
    corpora: Mapping[str, Part],
    caption: Sequence[str],
) -> str:
    """Render the page; ``caption`` are the lines above the table."""
    names = ", ".join(f"{name} {part.fingerprint}" for name, part in corpora.items())
    blocks = table.list_blocks(finished, figures, planned.z_tests)
    body = [
        render_figures([draw_figures(figures)]),
        f"<p>{pages.escape(table.format_best(figures))}</p>\n",
        *(pages.render_table(name_block(head), ["run", *head[1:]], rows) for head, *rows in blocks),
        pages.render_list(caption),
    ]
    about = pages.stamp(corpus=names, base=planned.base.name)
    return pages.render_page(f"Runs of {planned.name}", about, "".join(body))


def name_block(head: Sequence[str]) -> str:
    """Name a block; two have no name in the text."""
    return head[0] or ("size and cost" if "documents" in head else "scores")


def draw_figures(figures: Figures) -> str:
    """Draw the figures that matter most, a row for each run."""
    rows = {title: [read_estimate(row, name) for name in TESTED] for title, row in figures.items()}
    axis = fit_shares("score", [one.low for row in rows.values() for one in row])
    desc = "Strict F1, strict recall and token recall of each run, with 95% intervals where there are any."
    return draw_estimates("Scores with 95% intervals", desc, axis, rows, TESTED)


def read_estimate(row: Mapping[str, float], name: str) -> Estimate:
    value = row[name]
    return Estimate(value, row.get(f"{name} low", value), row.get(f"{name} high", value), f"{value:.4f}")
