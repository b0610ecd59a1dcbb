"""Our figures in the rows and columns of a paper's table.

The columns and rows of a published table have this toolkit's names, and :func:`choose_view` concludes from
them what the table shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import METRICS, Result
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.evaluate import error_analysis, paper_counts, published_tables, word_scores
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


def choose_published(planned: Plan, names: Sequence[str]) -> Plan:
    """Return the plan with only these papers' tables; with all where none is named. One run is of one corpus,
    so it belongs beside one of two tables that differ in their corpus. Raises :class:`ConfigurationError` for
    a table that the plan does not name."""
    for name in names:
        if name not in planned.published:
            raise ConfigurationError(
                f"--published {name}: {planned.name} does not name it{did_you_mean(name, planned.published)}"
            )
    return replace(planned, published={name: planned.published[name] for name in names or planned.published})


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
    if "Non-PHI" in table.rows and table.columns[2:] == ("z",):
        return lambda results: view_word_tests(results, *table.columns[:2])
    names = {*table.columns, *table.rows}
    for name, view in VIEWS_BY_NAME.items():
        if name in names:
            return view
    for fits, view in VIEWS_BY_FORM:
        if fits(table):
            return view
    raise ConfigurationError(f"{table.name}: a run has no figures for this table")


def has_scores(table: PublishedTable) -> bool:
    return {"F1"} <= set(table.columns) <= {"dimensions", *METRICS.values()}


def has_phi_rows(table: PublishedTable) -> bool:
    """Whether each row is named after a system and PHI or Non-PHI, as in Sibanda & Uzuner's tables."""
    return has_scores(table) and all(row.endswith("PHI") for row in table.rows)


def has_scores_of_systems(table: PublishedTable) -> bool:
    """Whether each column is named after a system and a metric."""
    return all(column.endswith(tuple(f" {name}" for name in METRICS.values())) for column in table.columns)


def name_systems(results: Sequence[Result]) -> dict[str, Result]:
    """Return the results by the name that a paper's table has for them: the name of the run, or the title of
    the row where two rows have one run."""
    names = Counter(result.row.run.name for result in results)
    return {
        result.row.run.name if names[result.row.run.name] == 1 else result.title: result for result in results
    }


def compute_ratios(counts: Counts, head: str = "") -> dict[str, float]:
    return {head + name: getattr(counts, metric) for metric, name in METRICS.items()}


def view_criteria(results: Sequence[Result]) -> Cells:
    """He et al. 2015, table 3: criteria down, systems across."""
    cells: Cells = {}
    for system, result in name_systems(results).items():
        for subset, hipaa in (("i2b2", False), ("HIPAA", True)):
            for criterion in CRITERIA:
                counts = result.evaluation.scores.micro(Criterion(criterion, hipaa))
                cells.setdefault(f"{subset} {criterion}", {}).update(compute_ratios(counts, f"{system} "))
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
    found = view_categories(results).items()
    return {
        system: {name: row[f"{system} F1"] for name, row in found if f"{system} F1" in row}
        for system in name_systems(results)
    }


def view_categories(results: Sequence[Result]) -> Cells:
    """Shweta et al. 2016, table 5: categories down, P, R and F1 of each system across."""
    cells: Cells = {}
    for system, result in name_systems(results).items():
        scores = result.evaluation.scores
        found = {name: score_category(result, name) for name in scores.scheme.categories}
        for name, counts in (found | {"all": scores.micro(Criterion("strict"))}).items():
            if any(asdict(counts).values()):
                cells.setdefault(name, {}).update(compute_ratios(counts, f"{system} "))
    return cells


def view_sizes(results: Sequence[Result]) -> Cells:
    """Shweta et al. 2016, table 2: the spans of each category for training and for the test."""
    (job, *_), scheme = results[0].row.jobs, results[0].evaluation.scores.scheme
    cells: Cells = {}
    for side, part in (("train", job.train), ("test", job.test)):
        for span in (span for document in part.documents for span in document.spans):
            row = cells.setdefault(scheme.category(span.type), {"train": 0, "test": 0})
            row[side] += 1
    return cells


def view_scores(results: Sequence[Result]) -> Cells:
    """Shweta et al. 2016, tables 4 and 6: systems down, strict P, R and F1 across."""
    strict = Criterion("strict")
    return {
        name: compute_ratios(result.evaluation.scores.micro(strict))
        for name, result in name_systems(results).items()
    }


def view_phi_words(results: Sequence[Result]) -> Cells:
    """Sibanda & Uzuner 2006, sections 6.1 to 6.3: words of PHI and of Non-PHI, of each system."""
    return {
        f"{name} {kind}": compute_ratios(counts)
        for name, result in name_systems(results).items()
        for kind, counts in word_scores.measure_phi_words(result.evaluation.pairs).items()
    }


def view_gains(results: Sequence[Result]) -> Cells:
    """He et al. 2015, figure 2: the gain of the second run over the first."""
    first, second = view_systems(results[:2]).values()
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


def view_instances(results: Sequence[Result]) -> Cells:
    """Douglass 2005, table 5.4: instances of each category, of one system."""
    evaluated = results[0].evaluation
    return paper_counts.list_cells(paper_counts.measure_instances(evaluated.pairs, evaluated.options.scheme))


VIEWS_BY_NAME: dict[str, View] = {
    "i2b2 strict": view_criteria,
    "missing share": view_margins,
    "share": view_error_kinds,
    "gain": view_gains,
    "short": view_extents,
    "right": view_types,
}
VIEWS_BY_FORM: tuple[tuple[Callable[[PublishedTable], bool], View], ...] = (
    (paper_counts.is_table_of_instances, view_instances),
    (lambda table: has_scores(table) and "Non-PHI" in table.rows, view_words),
    (has_phi_rows, view_phi_words),
    (has_scores_of_systems, view_categories),
    (has_scores, view_scores),
    (lambda table: "all" in table.columns, view_systems),
    (lambda table: table.columns == ("train", "test"), view_sizes),
)
