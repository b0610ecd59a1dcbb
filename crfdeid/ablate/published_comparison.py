"""Our figures in the rows and columns of a paper's table.

The columns and rows of a published table have this toolkit's names, and :func:`choose_view` concludes from
them what the table shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict

from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import METRICS, Result
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import error_analysis, published_tables, word_scores
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.published_tables import PublishedTable
from crfdeid.evaluate.scores import Counts
from crfdeid.evaluate.significance import z_test
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

Cells = dict[str, dict[str, float]]
View = Callable[[Sequence[Result]], Cells]

SINGULAR = {kind: kind.upper().rstrip("S") for kind in word_scores.KINDS} | {"Phone Numbers": "PHONE"}


def format_comparison(name: str, results: Sequence[Result], corpus: str) -> str:
    """Return the paper's table with our figures beside it. ``results`` are the rows that it shows; a table
    about one system shows the first."""
    table = published_tables.read_table(name)
    return published_tables.format_beside(table, choose_view(table)(results), corpus)


def check_published(planned: Plan) -> None:
    """Raise :class:`ConfigurationError` on a paper's table that needs more rows than the plan has for it."""
    for name, rows in planned.published.items():
        table = published_tables.read_table(name)
        choose_view(table)
        number = len(rows) or len(planned.runs) * (2 if planned.fold_count else 1)
        if {"gain", "z"} & set(table.columns) and number < 2:
            raise ConfigurationError(f"published.{name}: compares two rows; there is {number}")


def choose_view(table: PublishedTable) -> View:
    """Return the function that computes what a table shows, by its columns and rows. Raises
    :class:`ConfigurationError` where a run has no such figures."""
    columns, rows = set(table.columns), set(table.rows)
    if "Non-PHI" in rows and columns == {"P", "R", "F1"}:
        return view_words
    if "Non-PHI" in rows and table.columns[2:] == ("z",):
        return lambda results: view_word_tests(results, *table.columns[:2])
    views: dict[str, View] = {
        "i2b2 strict": view_criteria,
        "missing share": view_margins,
        "share": view_error_kinds,
        "gain": view_gains,
        "short": view_extents,
        "all": view_systems,
        "right": view_types,
    }
    for name, view in views.items():
        if name in columns | rows:
            return view
    raise ConfigurationError(f"{table.name}: a run has no figures for this table")


def compute_ratios(counts: Counts, head: str = "") -> dict[str, float]:
    return {head + name: getattr(counts, metric) for metric, name in METRICS.items()}


def view_criteria(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 3: criteria down, systems across."""
    cells: Cells = {}
    for result in results:
        for subset, hipaa in (("i2b2", False), ("HIPAA", True)):
            for criterion in CRITERIA:
                counts = result.evaluation.scores.micro(Criterion(criterion, hipaa))
                cells.setdefault(f"{subset} {criterion}", {}).update(
                    compute_ratios(counts, f"{result.title} ")
                )
    return cells


def view_types(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 4: each type and category of one system."""
    scores = results[0].evaluation.scores
    train = Counter(s.type for job in results[0].row.jobs for d in job.train.documents for s in d.spans)
    cells: Cells = {}
    for category, members in scores.scheme.categories.items():
        for type in (*members, category):
            counts = scores.micro(Criterion("strict"), category, type) if type in members else None
            counts = counts or score_category(results[0], category)
            sizes = {"gold": counts.tp + counts.fn, "system": counts.tp + counts.fp, "right": counts.tp}
            trained = sum(train[name] for name in ((type,) if type in members else members))
            if trained or any(sizes.values()):
                cells[type] = {"train": trained, **sizes, **compute_ratios(counts)}
    return cells


def score_category(result: Result, category: str) -> Counts:
    """Return the strict counts of a category; any type of the category is right, as in He et al.'s tables
    4 and 5."""
    total, scheme = Counts(), result.evaluation.scores.scheme
    for pair in result.evaluation.pairs:
        gold, system = (category_offsets(document, scheme, category) for document in pair)
        total += Counts(len(gold & system), len(system - gold), len(gold - system))
    return total


def category_offsets(document: Document, scheme: Scheme, category: str) -> set[tuple[int, int]]:
    members = scheme.categories[category]
    return {(span.start, span.end) for span in document.spans if span.type in members}


def view_systems(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 5: systems down, strict F1 of categories across."""
    cells: Cells = {}
    for result in results:
        scores = result.evaluation.scores
        found = {name: score_category(result, name) for name in scores.scheme.categories}
        found["all"] = scores.micro(Criterion("strict"))
        cells[result.title] = {
            name: counts.f1 for name, counts in found.items() if any(asdict(counts).values())
        }
    return cells


def view_gains(results: Sequence[Result]) -> Cells:
    """He et al. 2015, figure 2: the gain of the second run over the first."""
    found = view_systems(results[:2])
    first, second = (found[result.title] for result in results[:2])
    return {name: {"gain": second[name] - first[name]} for name in second if name in first}


def view_error_kinds(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 6."""
    counts = error_analysis.count_kinds(results[0].evaluation.errors)
    total = sum(counts.values()) or 1
    return {kind: {"count": n, "share": n / total} for kind, n in counts.items()}


def view_extents(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 8: extents down, gold types across."""
    cells: Cells = {}
    for type, counts in error_analysis.count_extents(results[0].evaluation.errors).items():
        for extent, number in [*counts.items(), ("all", sum(counts.values()))]:
            row = cells.setdefault(extent, {})
            row[type] = number
            row["all"] = row.get("all", 0) + number
    return cells


def view_margins(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 7: right, missing and spurious spans by type; extent errors do not count."""
    evaluated = results[0].evaluation
    found = [mistake for mistake in evaluated.errors if mistake.kind != "extent"]
    rows = error_analysis.count_confusions(evaluated.pairs, found, evaluated.options.scheme.types)
    spurious = rows.pop("spurious", {})
    cells: Cells = {}
    for type, row in rows.items():
        gold = sum(row.values())
        system = sum(other.get(type, 0) for other in rows.values()) + spurious.get(type, 0)
        missing, extra = row.get("missing", 0), spurious.get(type, 0)
        cells[type] = {"right": row.get(type, 0), "missing": missing, "gold": gold, "spurious": extra}
        cells[type] |= {"system": system, "missing share": missing / (gold or 1)}
        cells[type]["spurious share"] = extra / (system or 1)
    names = ("missing", "spurious")
    return cells | {"all": {name: sum(row[name] for row in cells.values()) for name in names}}


def view_words(results: Sequence[Result]) -> Cells:
    """Tafvizi 2011, appendix A: words of each kind, of one system."""
    counts = results[0].evaluation.word_scores.counts()
    return {SINGULAR.get(kind, kind): compute_ratios(found) for kind, found in counts.items()}


def view_word_tests(results: Sequence[Result], first: str, second: str) -> Cells:
    """Tafvizi 2011, appendix B: F of two systems, and the absolute value of z."""
    ours, theirs = (result.evaluation.word_scores.counts() for result in results[:2])
    cells: Cells = {}
    for kind in ours:
        one, two = ours[kind], theirs.get(kind, Counts())
        z = z_test(one.f1, one.tp + one.fn, two.f1, two.tp + two.fn).z
        cells[SINGULAR.get(kind, kind)] = {first: one.f1, second: two.f1, "z": abs(z)}
    return cells
