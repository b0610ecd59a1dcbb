"""One self-contained page that shows every error in the notes themselves, with pictures: what is covered by
type and by length, where spans begin and end wrongly, and which type was taken for which.

It holds note text, so only its owner may read the file, and the page says so on top. It loads
nothing and sends nothing: its content security policy allows only what is inside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from crfdeid import files, pages
from crfdeid.evaluate import calibration, error_analysis, report
from crfdeid.evaluate.error_analysis import ErrorRecord
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.evaluate.leakage import find_covered
from crfdeid.evaluate.significance import find_exact_interval
from crfdeid.files import open_page, read_text
from crfdeid.pages.pictures import (
    Axis,
    Estimate,
    draw_bars,
    draw_estimates,
    draw_text,
    fit_shares,
    frame,
    render_figures,
)
from crfdeid.text.document import Document, Span, SpanIndex
from crfdeid.text.scheme import Scheme

HUES = (215, 30, 120, 280, 65, 180, 250, 320, 95)  # of the categories in order; red is for leaks
NOTES = "<!-- notes -->"  # where the notes come
WARNING = (
    "This page holds the text of clinical notes with protected health information. Keep it where the notes "
    "may be kept; do not mail, copy or publish it."
)

NumberedErrors = list[tuple[int, ErrorRecord]]

LONG = 5  # words; longer spans are counted together
STEPS = (1, 4, 10)  # characters, from which errors of an end are counted together
LEFT, HEAD = 130, 130  # space for the names of rows and of columns, in pixels
Hits = dict[str, list[bool]]


def write_page(
    evaluations: Sequence[Evaluation],
    path: Path,
    names: Sequence[str] = ("system",),
    others: Sequence[str] = (),
    corpus: str = "",
) -> None:
    """Write the page of the first evaluation to a file that only its owner may read. The second is of the
    system to compare with. ``names`` are those of the systems, ``others`` further tables."""
    with open_page(path) as file:
        file.writelines(render_page(evaluations, names, others, corpus))


def render_page(
    evaluations: Sequence[Evaluation],
    names: Sequence[str] = ("system",),
    others: Sequence[str] = (),
    corpus: str = "",
) -> Iterator[str]:
    """Yield the page in pieces: its head with pictures and tables, then note by note."""
    evaluation, room = evaluations[0], files.PACKAGE / "evaluate"
    compared = f", compared with {' and '.join(names[1:])}" if names[1:] else ""
    html = pages.render_page(
        f"What went wrong: {names[0]}{compared}",
        describe_corpus(evaluation, corpus) | pages.stamp(system=", ".join(names)),
        pages.fill_file(room / "error_page.html", fill_body(evaluations, names, others)),
        warning=WARNING,
        script=read_text(room / "error_page.js"),
        style=render_colours(evaluation.options.scheme),
    )
    head, tail = html.split(NOTES)
    yield head
    errors = defaultdict(list)
    for number, error in enumerate(evaluation.errors):
        errors[error.document].append((number, error))
    for number, (gold, system) in enumerate(evaluation.pairs):
        yield render_note(number, gold, system, errors[gold.id], evaluation.options.scheme)
    yield tail


def describe_corpus(evaluation: Evaluation, corpus: str) -> dict[str, str]:
    """Name the corpus, its size and its fingerprint."""
    signature = evaluation.signature
    size = f"{signature.documents:,} notes, {signature.gold:,} spans, fingerprint {signature.corpus}"
    return {"corpus": f"{corpus}: {size}" if corpus else size}


def fill_body(
    evaluations: Sequence[Evaluation], names: Sequence[str], others: Sequence[str]
) -> dict[str, str]:
    """Return the content of each mark in the page's body."""
    evaluation, base = evaluations[0], next(iter(evaluations[1:]), None)
    tables = [report.format_summary(evaluation), *others]
    errors, scheme = evaluation.errors, evaluation.options.scheme
    types = sorted({error.type for error in errors})
    kinds = error_analysis.count_kinds(errors)
    pictures = draw_pictures(evaluations, names)
    confusion = draw_confusion(evaluation, base, "".join(names[1:2]))
    return {
        "<!-- kinds -->": render_boxes("kind", [(kind, str(count)) for kind, count in kinds.items()]),
        "<!-- types -->": render_boxes("type", [(type, "") for type in types]),
        "<!-- pictures -->": render_figures([*pictures, confusion]),
        "<!-- tables -->": "".join(f"<pre>{escape(table)}</pre>" for table in tables),
        "<!-- legend -->": render_legend(scheme),
        "<!-- list -->": render_list(evaluation),
    }


def render_list(evaluation: Evaluation) -> str:
    """Render links to the notes with mistakes, the most mistakes first."""
    counts = Counter(error.document for error in evaluation.errors)
    places = {gold.id: number for number, (gold, _) in enumerate(evaluation.pairs)}
    ids = sorted(counts, key=lambda id: (-counts[id], places[id]))
    links = (f'<li><a href="#note-{places[id]}">{escape(id)}</a> {counts[id]}</li>' for id in ids)
    said = f"{len(ids):,} of {len(places):,} notes have mistakes; the most first."
    return f'<p>{said}</p>\n<ol class="links">{"".join(links)}</ol>\n'


def render_colours(scheme: Scheme) -> str:
    """Render the hue of each category: the background of system spans, the underline of gold spans."""
    return "\n".join(
        f".c{number} {{ --hue: {HUES[number % len(HUES)]}; }}" for number in range(len(scheme.categories))
    )


def render_legend(scheme: Scheme) -> str:
    """Render the names of the categories in their colours."""
    names = (f'<span class="g s c{n}">{escape(name)}</span>' for n, name in enumerate(scheme.categories))
    return " ".join(names)


def render_boxes(name: str, values: Iterable[tuple[str, str]]) -> str:
    """Render check boxes; the value is that of an error's data attribute."""
    return " ".join(
        f'<label><input type="checkbox" checked name="{name}" value="{escape(value)}"> '
        f"{escape(value)} {escape(count)}</label>"
        for value, count in values
    )


def render_note(number: int, gold: Document, system: Document, errors: NumberedErrors, scheme: Scheme) -> str:
    """Render one note, which the list links by its number: its title and its text with spans and errors."""
    title = f"{escape(gold.id)} · {len(errors)} mistake{'' if len(errors) == 1 else 's'}"
    body = "".join(render_segments(gold, system, errors, scheme))
    empty = "" if errors else ' class="clean"'
    return f'<section id="note-{number}"{empty}><h2>{title}</h2><div class=note>{body}</div></section>\n'


def render_segments(
    gold: Document, system: Document, errors: NumberedErrors, scheme: Scheme
) -> Iterator[str]:
    """Yield the text in segments, cut where any span begins or ends, so that overlaps need no nesting.
    The label of an error is before its first segment."""
    spans, indexes = [*gold.spans, *system.spans], [SpanIndex(side.spans) for side in (gold, system)]
    edges = sorted({0, len(gold.text), *(edge for span in spans for edge in (span.start, span.end))})
    labels = defaultdict(list)
    for number, error in errors:
        labels[error_analysis.find_first_offset(error)].append(render_flag(number, error))
    for start, end in zip(edges, edges[1:]):
        segment = Span(start, end, "")
        in_gold, in_system = (index.find(segment) for index in indexes)
        text = escape(gold.text[start:end])
        yield "".join(labels[start])
        yield render_segment(text, in_gold, in_system, scheme) if in_gold or in_system else text


def render_segment(text: str, gold: list[Span], system: list[Span], scheme: Scheme) -> str:
    """Render one segment with its classes: g in gold, s in system, cN its category, leak if only gold
    has it, extra if only the system has it."""
    number = list(scheme.categories).index(scheme.category((gold or system)[0].type))
    names = [f"c{number}", *(["g"] if gold else []), *(["s"] if system else [])]
    names += ["leak"] if gold and not system else ["extra"] if system and not gold else []
    title = f"gold: {join_types(gold)}; system: {join_types(system)}"
    return f'<span class="{" ".join(names)}" title="{escape(title)}">{text}</span>'


def join_types(spans: list[Span]) -> str:
    """Join the types for a title."""
    return ", ".join(span.type for span in spans) or "nothing"


def render_flag(id: int, error: ErrorRecord) -> str:
    """Render the label of an error, which the page's script finds by its data attributes."""
    gold, system = (span.type if span else "∅" for span in (error.gold, error.system))
    types = gold if gold == system else f"{gold} → {system}"
    words = f"{error.extent or error.kind}: {types}"
    return (
        f'<b class="flag" id="m{id}" tabindex="-1" data-kind="{error.kind}" '
        f'data-type="{escape(error.type)}">{escape(words)}</b>'
    )


def draw_pictures(evaluations: Sequence[Evaluation], names: Sequence[str]) -> list[str]:
    """Draw all pictures of the first evaluation, beside the second where they compare."""
    first = evaluations[0]
    pictures = [draw_coverage(evaluations, names), draw_lengths(first), draw_ends(first.errors)]
    return [*pictures, *calibration.draw_probabilities(first)]


def draw_coverage(evaluations: Sequence[Evaluation], names: Sequence[str]) -> str:
    """Draw the share of gold spans that each system covers, by type."""
    sides = [count_covered(evaluation) for evaluation in evaluations]
    types = [type for type in evaluations[0].options.scheme.types if any(type in side for side in sides)]
    rows = {type: [estimate_share(side.get(type, [])) for side in sides] for type in ("all", *types)}
    axis = fit_shares("gold spans that the system covers", list_shares(rows.values()))
    desc = "The share of gold spans of each type that do not leak, with exact 95% intervals of a binomial."
    return draw_estimates("What is covered, by type", desc, axis, rows, names)


def count_covered(evaluation: Evaluation) -> Hits:
    """Return whether each gold span is covered, by its type and of all."""
    hits: Hits = {"all": []}
    for gold, system in evaluation.pairs:
        for span, is_covered in find_covered(gold, system):
            hits["all"].append(is_covered)
            hits.setdefault(span.type, []).append(is_covered)
    return hits


def estimate_share(hits: Sequence[bool]) -> Estimate | None:
    """Return the share of the hits that are true; None of no hits."""
    if not hits:
        return None
    share = sum(hits) / len(hits)
    return Estimate(share, *find_exact_interval(sum(hits), len(hits)), f"{share:.3f} of {len(hits):,}")


def list_shares(rows: Iterable[Sequence[Estimate | None]]) -> list[float]:
    """Return the figures of all rows, and the low end of the first: an axis begins below them."""
    rows = list(rows)
    lows = [one.low for one in rows[0] if one] if rows else []
    return lows + [one.value for row in rows for one in row if one]


def draw_lengths(evaluation: Evaluation) -> str:
    """Draw the shares of gold spans that are covered, and that are found exactly, by their words."""
    covered: Hits = {}
    exact: Hits = {}
    for gold, system in evaluation.pairs:
        found = set(system.spans)
        for span, is_covered in find_covered(gold, system):
            length = len(gold.text_of(span).split())
            name = "1 word" if length <= 1 else f"{length} words" if length < LONG else f"{LONG} or more"
            covered.setdefault(name, []).append(is_covered)
            exact.setdefault(name, []).append(span in found)
    rows = {name: [estimate_share(hits[name]) for hits in (covered, exact)] for name in sorted(covered)}
    axis = fit_shares("gold spans", list_shares(rows.values()))
    desc = "The share of gold spans that are covered, and that are found with type and ends, by their words."
    return draw_estimates("What is covered and exact, by length", desc, axis, rows, ("covered", "exact"))


def draw_ends(errors: Iterable[ErrorRecord]) -> str:
    """Draw by how many characters the ends of spans are wrong, where system and gold overlap."""
    counts: dict[str, Counter[str]] = {"start": Counter(), "end": Counter()}
    for error in errors:
        if error.gold and error.system and error.extent:
            counts["start"][name_step(error.system.start - error.gold.start)] += 1
            counts["end"][name_step(error.system.end - error.gold.end)] += 1
    names = map(name_step, (*(-step for step in reversed(STEPS)), *STEPS))
    rows = {name: [float(counts[end][name]) for end in counts] for name in names}
    axis = Axis("spans", 0, max(4.0, *(value for row in rows.values() for value in row)))
    desc = "The number of system spans that begin, or end, too early or too late, by characters."
    return draw_bars("Ends that are wrong, by characters", desc, axis, rows, ("start", "end"))


def name_step(shift: int) -> str:
    """Name how far an end is from gold's.

    >>> name_step(-2), name_step(10), name_step(0)
    ('1 to 3 too early', '10 or more too late', 'right')
    """
    if not shift:
        return "right"
    way = "too early" if shift < 0 else "too late"
    first = max(step for step in STEPS if step <= abs(shift))
    after = next((step for step in STEPS if step > first), 0)
    return f"{first} to {after - 1} {way}" if after else f"{first} or more {way}"


def draw_confusion(evaluation: Evaluation, base: Evaluation | None = None, name: str = "") -> str:
    """Draw which type was taken for which: gold in rows, system in columns. Below a count is its change from
    the ``base``, which is called ``name``."""
    order = evaluation.options.scheme.types
    tables = [
        error_analysis.count_confusions(each.pairs, each.errors, order) for each in (evaluation, base) if each
    ]
    used = {cell for table in tables for row, counts in table.items() for cell in find_used(row, counts)}
    rows = [row for row in (*order, "spurious") if any(row == used_row for used_row, _ in used)]
    columns = [column for column in (*order, "missing") if any(column == other for _, other in used)]
    side = 36 if base else 26
    parts = [draw_column(LEFT + side * (x + 0.5), column) for x, column in enumerate(columns)]
    for y, row in enumerate(rows):
        parts.append(draw_text(LEFT - 8, HEAD + side * (y + 0.5) + 4, row, "", "end"))
        total = sum(tables[0].get(row, {}).values())
        for x, column in enumerate(columns):
            counts = [table.get(row, {}).get(column, 0) for table in tables]
            parts.append(draw_cell((LEFT + side * x, HEAD + side * y), side, (row, column), counts, total))
    desc = "Gold types in rows, the system's types in columns. A darker cell has more of its row."
    desc += f" The signed number below a count is the change from {name}." if base else ""
    title = "Which type was taken for which"
    return frame(title, desc, HEAD + side * len(rows) + 12, parts, LEFT + side * len(columns) + 60)


def find_used(row: str, counts: dict[str, int]) -> list[tuple[str, str]]:
    """Return the cells of a row that count something."""
    return [(row, column) for column, count in counts.items() if count]


def draw_column(x: float, name: str) -> str:
    """Draw the name of a column."""
    return f'<text transform="translate({x + 3:.1f},{HEAD - 6}) rotate(-60)">{escape(name)}</text>'


def draw_cell(
    at: tuple[float, float], side: int, names: tuple[str, str], counts: Sequence[int], total: int
) -> str:
    """Draw a cell with its count and, where ``counts`` has the base's too, its change."""
    (x, y), (gold, system), count = at, names, counts[0]
    share = count / max(1, total)
    change = count - counts[-1]
    kind, text = "hit" if gold == system else "miss", "strong" if share > 0.5 else ""
    middle = y + side / 2 + (4 if not change else -1)
    said = f"gold {gold}, system {system}: {count}" + (f" ({change:+d})" if len(counts) > 1 else "")
    small = f"change {text}".strip()
    parts = [
        f'<rect class="cell {kind}" x="{x}" y="{y}" width="{side - 1}" height="{side - 1}" '
        f'fill-opacity="{share:.3f}"/>',
        draw_text(x + side / 2, middle, str(count), text, "middle") if count else "",
        draw_text(x + side / 2, middle + 12, f"{change:+d}", small, "middle") if change else "",
    ]
    return f"<g><title>{escape(said)}</title>{''.join(parts)}</g>"
