"""The table of an ablation as text, CSV and JSON, and as a page with a picture of the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from crfdeid import pages
from crfdeid.ablate import one_training
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import METRICS, Figures, Result, compute_z_tests, score_words
from crfdeid.corpora.folds import Part, have_common_text
from crfdeid.evaluate import significance
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.evaluate.matching import CRITERIA
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.evaluate.report import Z_WARNING, describe_resampling
from crfdeid.evaluate.type_table import PaperRow, PaperTable
from crfdeid.pages.pictures import Estimate, draw_estimates, fit_changes, fit_shares, render_figures

TESTED = ("strict F1", "strict R", "token R")
COSTS = {
    "train seconds": "train s",
    "train CPU seconds": "train CPU s",
    "tokens/s": "tokens/s",
    "tokens/CPU s": "tokens/CPU s",
    "model MB": "model MB",
    "peak MB": "peak MB",
}
NOTHING = "-"
Z_HEAD = "z of words' F against"
Lines = list[list[str]]  # of cells; the first line is the head
FEW = 20  # patients, or documents


def write_caption(plan: Plan, results: Sequence[Result], corpora: Mapping[str, Part]) -> list[str]:
    """Return the lines above the table: runs, corpora, resampling and version."""
    first = results[0].evaluation
    rows = f"{len(results)} row{'s' if len(results) > 1 else ''}"
    lines = [f"{plan.name}: {rows}; the base is {plan.base.name}"]
    lines += [f"{name}: {describe_part(part)}" for name, part in corpora.items()]
    if plan.fold_count:
        lines.append(
            f"{plan.fold_count} folds of the training corpus, seed {plan.fold_seed}, each patient in one; "
            "scores are of all folds together"
        )
    if both := {r.title for r in results for job in r.row.jobs if have_common_text(job.train, job.test)}:
        lines.append(f"no fair test, for some of its documents were trained on: {', '.join(sorted(both))}")
    present = {result.row.run.name for result in results}
    if left_out := [run.name for run in plan.runs if run.name not in present]:
        lines.append(f"left out, for the corpus has no more documents: {'; '.join(left_out)}")
    method = "bootstrap (95%), approximate randomisation"
    lines.append(format_signature(first, method))
    if len(results) > 1:
        lines.append("change and p: against the base, two-sided; Holm: p adjusted for the number of rows")
    return [*lines, *warn_if_few(first)]


def warn_if_few(evaluation: Evaluation) -> Iterator[str]:
    """Yield a warning where there are too few patients or documents to resample."""
    units, unit = evaluation.units, evaluation.options.unit
    if evaluation.intervals and units < FEW:
        least = significance.find_least_p(units)
        few = f"intervals and p are of {units} {unit}s, which is too few to trust them"
        yield f"{few}: no p under {least:.2g}"


def format_signature(evaluation: Evaluation, method: str) -> str:
    """Return the signature of all rows, without the number of spans of one system."""
    text = evaluation.signature.text(average="micro", **describe_resampling(evaluation.options, method))
    return "|".join(part for part in text.split("|") if not part.startswith("system:"))


def describe_part(part: Part) -> str:
    patients = len({document.patient for document in part.documents if document.patient})
    whose = f" of {patients} patients" if patients else ""
    return f"{part.name}, {len(part.documents)} documents{whose}, {part.spans} spans, {part.fingerprint}"


def format_table(title: Sequence[str], results: Sequence[Result], figures: Figures, z: bool = False) -> str:
    """Return the table as text: the caption, then blocks with the same rows; ``z`` adds Tafvizi's test."""
    shown = ["\n".join(align_columns(block)) for block in list_blocks(results, figures, z)]
    shown = [f"{text}\n{Z_WARNING}" if text.startswith(Z_HEAD) else text for text in shown]
    return "\n\n".join(["\n".join(title), *shown, format_best(figures)])


def list_blocks(results: Sequence[Result], figures: Figures, z: bool = False) -> list[Lines]:
    """Return the blocks that have something to show; ``z`` adds Tafvizi's test."""
    blocks = [tabulate_scores(figures), tabulate_tests(figures), tabulate_categories(figures)]
    if any(result.row.cross_validated for result in results):
        blocks.append(tabulate_means(figures, "folds", ""))
    if any(result.row.run.seed is not None for result in results):
        blocks.append(tabulate_means(figures, "seeds", " seeds"))
    if z:
        blocks.append(tabulate_z_tests(compute_z_tests(results), results[0].title))
    blocks.append(tabulate_costs(results, figures))
    return [block for block in blocks if len(block[0]) > 1]


def format_best(figures: Figures) -> str:
    """Return a line with the best row of each figure; the first of equal rows."""
    tops = ((name, max(figures, key=lambda title: figures[title][name])) for name in TESTED)
    return "highest " + "; ".join(f"{name}: {title} ({figures[title][name]:.4f})" for name, title in tops)


def tabulate_scores(figures: Figures) -> Lines:
    columns = [f"{criterion} {name}" for criterion in CRITERIA for name in METRICS.values()]
    return tabulate_columns("", columns, figures)


def tabulate_tests(figures: Figures) -> Lines:
    """Return interval, difference from the base and p of the figures that matter most."""
    if not any(f"{TESTED[0]} low" in row for row in figures.values()):
        return [[""]]
    compared = any(f"{TESTED[0]} change" in row for row in figures.values())
    columns = 4 if compared else 1
    heads = [head for name in TESTED for head in (name, "change", "p", "Holm")[:columns]]
    rows = (
        [title, *(cell for name in TESTED for cell in [*format_test(row, name)][:columns])]
        for title, row in figures.items()
    )
    return [["95% interval", *heads], *rows]


def format_test(row: Mapping[str, float], name: str) -> Iterator[str]:
    yield f"{row[name + ' low']:.4f}-{row[name + ' high']:.4f}"
    yield f"{row[name + ' change']:+.4f}" if f"{name} change" in row else NOTHING
    yield format_figure(row.get(f"{name} p"))
    yield format_figure(row.get(f"{name} p Holm"))


def tabulate_categories(figures: Figures) -> Lines:
    """Return strict recall by category."""
    names = dict.fromkeys(name for row in figures.values() for name in row if name.startswith("recall "))
    head, *rows = tabulate_columns("strict recall", list(names), figures)
    return [[name.removeprefix("recall ") for name in head], *rows]


def tabulate_means(figures: Figures, of: str, mark: str) -> Lines:
    """Return mean and standard deviation of the folds, or of the seeds, for the rows that have them."""
    columns = [*(f"strict {name}" for name in METRICS.values()), "token R"]
    repeated = {title: row for title, row in figures.items() if f"{columns[0]}{mark} mean" in row}
    rows = (
        [title, *(f"{row[f'{n}{mark} mean']:.4f} ({row[f'{n}{mark} sd']:.4f})" for n in columns)]
        for title, row in repeated.items()
    )
    return [[f"mean (SD) of {of}", *columns], *rows]


def tabulate_costs(results: Sequence[Result], figures: Figures) -> Lines:
    lines = [["", "documents", *COSTS.values()]]
    for result in results:
        row = figures[result.title]
        sizes = [len(job.train.documents) for job in result.row.jobs]
        cells = (f"{row[name]:,.1f}" if row[name] < 1000 else f"{row[name]:,.0f}" for name in COSTS)
        lines.append([result.title, f"{sum(sizes) / len(sizes):,.0f}", *cells])
    return lines


def tabulate_columns(corner: str, columns: Sequence[str], figures: Figures) -> Lines:
    rows = ([title, *(format_figure(row.get(name)) for name in columns)] for title, row in figures.items())
    return [[corner, *columns], *rows]


def format_figure(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def build_paper_table(results: Sequence[Result], figures: Figures) -> PaperTable:
    """Build the table for a paper, with stars for the figures that are tested against the base."""
    rows = [
        PaperRow(title, row, {name: row[f"{name} p Holm"] for name in TESTED if f"{name} p Holm" in row})
        for title, row in figures.items()
    ]
    return PaperTable(rows, format_signature(results[0].evaluation, "approximate randomisation"), True)


def build_csv_rows(figures: Figures) -> Iterator[list[object]]:
    """Yield the lines of the CSV file: a head, then one line per row with all figures in full."""
    columns = list(dict.fromkeys(name for row in figures.values() for name in row))
    yield ["run", *columns]
    for title, row in figures.items():
        yield [title, *(row.get(name, "") for name in columns)]


def build_json(title: Sequence[str], results: Sequence[Result], figures: Figures) -> dict[str, Any]:
    return {
        "caption": list(title),
        "rows": [build_json_row(result, figures[result.title]) for result in results],
    }


def build_json_row(result: Result, row: Mapping[str, float]) -> dict[str, Any]:
    """Return a row with its settings, its signature, and each of its trainings."""
    run = result.row.run
    return {
        "run": result.title,
        "settings": run.config.to_table(),
        "templates": dict(run.templates),
        "recipe": asdict(result.evaluation.signature),
        "figures": dict(row),
        "words": score_words(result),
        "trainings": [
            {
                "fingerprint": job.fingerprint,
                "train": one_training.summarize_part(job.train),
                "test": one_training.summarize_part(job.test),
                "cost": asdict(cost),
            }
            for job, cost in zip(result.row.jobs, result.costs)
        ],
    }


def tabulate_z_tests(found: Mapping[str, Mapping[str, float]], first: str) -> Lines:
    """Return Tafvizi's z of the F of each kind of word against the first row."""
    kinds = list(dict.fromkeys(kind for row in found.values() for kind in row))
    rows = (
        [title, *(f"{row[k]:.2f}" if k in row else NOTHING for k in kinds)] for title, row in found.items()
    )
    return [[f"{Z_HEAD} {first}", *kinds], *rows]


def render_page(
    planned: Plan,
    finished: Sequence[Result],
    figures: Figures,
    corpora: Mapping[str, Part],
    caption: Sequence[str],
) -> str:
    """Render the page; ``caption`` are the lines above the table."""
    names = ", ".join(f"{name} {part.fingerprint}" for name, part in corpora.items())
    blocks = list_blocks(finished, figures, planned.z_tests)
    body = [
        render_figures([draw_figures(figures), *draw_changes(figures, planned.base.name)]),
        f"<p>{pages.escape(format_best(figures))}</p>\n",
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


def draw_changes(figures: Figures, base: str) -> Iterator[str]:
    """Yield a picture of the differences from the base, on a scale that they fill, where there are any."""
    changed = {title: row for title, row in figures.items() if f"{TESTED[0]} change" in row}
    rows = {title: [read_change(row, name) for name in TESTED] for title, row in changed.items()}
    if rows:
        ends = [end for row in rows.values() for one in row for end in (one.low, one.high)]
        axis = fit_changes(f"change against {base}", ends)
        desc = f"How strict F1, strict recall and token recall change from {base}, with 95% intervals."
        yield draw_estimates(f"Changes against {base} with 95% intervals", desc, axis, rows, TESTED)


def read_change(row: Mapping[str, float], name: str) -> Estimate:
    value, low, high = (row[f"{name} {of}"] for of in ("change", "change low", "change high"))
    return Estimate(value, low, high, f"{value:+.4f}")


def read_estimate(row: Mapping[str, float], name: str) -> Estimate:
    value = row[name]
    return Estimate(value, row.get(f"{name} low", value), row.get(f"{name} high", value), f"{value:.4f}")
