"""One self-contained page that shows every error in the notes themselves.

It holds note text, so only its owner may read the file, and the page says so on top. It loads
nothing and sends nothing: its content security policy allows only what is inside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from html import escape
from pathlib import Path

from crfdeid import pages, resources
from crfdeid.evaluate import error_analysis, report
from crfdeid.evaluate.error_analysis import ErrorRecord
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.files import open_whole, read_text
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

HUES = (215, 30, 120, 280, 65, 180, 250, 320, 95)  # of the categories in order; red is for leaks
NOTES = "<!-- notes -->"  # where the notes come
SIDE = 22  # of a confusion matrix's cell, in pixels

NumberedErrors = list[tuple[int, ErrorRecord]]


def write_page(
    evaluation: Evaluation, path: Path, names: Sequence[str] = ("system",), others: Sequence[str] = ()
) -> None:
    """Write the page to a file that only its owner may read. ``names`` are those of the systems, ``others``
    further tables."""
    with open_whole(path, private=True) as file:
        file.writelines(render_page(evaluation, names, others))


def render_page(
    evaluation: Evaluation, names: Sequence[str] = ("system",), others: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the page in pieces: its head with the tables, then note by note."""
    room = resources.PACKAGE / "evaluate"
    script = {"/* script */": read_text(room / "error_page.js")}
    html = pages.fill_page(room / "error_page.html", script | fill_head(evaluation, names, others))
    head, tail = html.split(NOTES)
    yield head
    errors = defaultdict(list)
    for number, error in enumerate(evaluation.errors):
        errors[error.document].append((number, error))
    for gold, system in evaluation.pairs:
        yield render_note(gold, system, errors[gold.id], evaluation.options.scheme)
    yield tail


def fill_head(evaluation: Evaluation, names: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Return the content of each mark in the page's head."""
    tables = [report.format_summary(evaluation), *others]
    signature, compared = evaluation.signature, " and ".join(names[1:])
    errors, scheme = evaluation.errors, evaluation.options.scheme
    types = sorted({error.type for error in errors})
    kinds = error_analysis.count_kinds(errors)
    confusion = error_analysis.count_confusions(evaluation.pairs, errors, scheme.types)
    return {
        "/* colours */": render_colours(scheme),
        "<!-- kinds -->": render_boxes("kind", [(kind, str(count)) for kind, count in kinds.items()]),
        "<!-- types -->": render_boxes("type", [(type, "") for type in types]),
        "<!-- tables -->": "".join(f"<pre>{escape(table)}</pre>" for table in tables),
        "<!-- system -->": escape(names[0]) + (f", compared with {escape(compared)}" if compared else ""),
        "<!-- about -->": f"{signature.documents} notes with {signature.gold} spans (corpus "
        f"{signature.corpus}); crfdeid {signature.version}; {date.today().isoformat()}",
        "<!-- matrix -->": render_matrix(confusion),
        "<!-- legend -->": render_legend(scheme),
    }


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


def render_note(gold: Document, system: Document, errors: NumberedErrors, scheme: Scheme) -> str:
    """Render one note: its title and its text with spans and errors."""
    title = f"{escape(gold.id)} · {len(errors)} mistake{'' if len(errors) == 1 else 's'}"
    body = "".join(render_segments(gold, system, errors, scheme))
    empty = "" if errors else ' class="clean"'
    return f"<section{empty}><h2>{title}</h2><div class=note>{body}</div></section>\n"


def render_segments(
    gold: Document, system: Document, errors: NumberedErrors, scheme: Scheme
) -> Iterator[str]:
    """Yield the text in segments, cut where any span begins or ends, so that overlaps need no nesting.
    The label of an error is before its first segment."""
    spans = [*gold.spans, *system.spans]
    edges = sorted({0, len(gold.text), *(edge for span in spans for edge in (span.start, span.end))})
    labels = defaultdict(list)
    for number, error in errors:
        labels[error_analysis.find_first_offset(error)].append(render_flag(number, error))
    for start, end in zip(edges, edges[1:]):
        segment = Span(start, end, "")
        in_gold, in_system = ([s for s in side.spans if s.overlaps(segment)] for side in (gold, system))
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


def render_matrix(confusion: dict[str, dict[str, int]]) -> str:
    """Render the confusion matrix as SVG: gold in rows, system in columns; darker is more of the row."""
    rows = [(name, row) for name, row in confusion.items() if any(row.values())]
    columns = [name for name in next(iter(confusion.values()), {}) if any(row[name] for _, row in rows)]
    left, top = 170, 150
    width, height = left + SIDE * len(columns) + 60, top + SIDE * len(rows) + 10
    parts = [f'<svg role="img" aria-label="confusion matrix" width="{width}" height="{height}">']
    for x, name in enumerate(columns):
        at = f"{left + SIDE * x + 15},{top - 6}"
        parts.append(f'<text transform="translate({at}) rotate(-60)">{escape(name)}</text>')
    for y, (name, row) in enumerate(rows):
        line = top + SIDE * y
        parts.append(f'<text x="{left - 6}" y="{line + 15}" text-anchor="end">{escape(name)}</text>')
        parts += [render_cell(left + SIDE * x, line, name, column, row) for x, column in enumerate(columns)]
    return "".join([*parts, "</svg>"])


def render_cell(x: int, y: int, gold: str, system: str, row: dict[str, int]) -> str:
    """Render one cell at (x, y), in pixels."""
    count = row[system]
    share = count / max(1, sum(row.values()))
    kind = "hit" if gold == system else "miss"
    light = ' fill="#fff"' if share > 0.5 else ""
    number = f'<text x="{x + SIDE / 2 - 0.5}" y="{y + 15}" text-anchor="middle"{light}>{count}</text>'
    return (
        f"<g><title>gold {escape(gold)}, system {escape(system)}: {count}</title>"
        f'<rect class="{kind}" x="{x}" y="{y}" width="{SIDE - 1}" height="{SIDE - 1}" '
        f'fill-opacity="{share:.3f}"/>{number if count else ""}</g>'
    )
