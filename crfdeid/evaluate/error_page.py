"""One self-contained page that shows every error in the notes themselves.

It holds note text, so only its owner may read the file, and the page says so on top. It loads
nothing and sends nothing: its content security policy allows only what is inside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from crfdeid import pages, resources
from crfdeid.evaluate import error_analysis, error_pictures, report
from crfdeid.evaluate.error_analysis import ErrorRecord
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.files import open_page, read_text
from crfdeid.pages.pictures import render_figures
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme
from crfdeid.text.spans import SpanIndex

HUES = (215, 30, 120, 280, 65, 180, 250, 320, 95)  # of the categories in order; red is for leaks
NOTES = "<!-- notes -->"  # where the notes come
WARNING = (
    "This page holds the text of clinical notes with protected health information. Keep it where the notes "
    "may be kept; do not mail, copy or publish it."
)

NumberedErrors = list[tuple[int, ErrorRecord]]


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
    evaluation, room = evaluations[0], resources.PACKAGE / "evaluate"
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
    for gold, system in evaluation.pairs:
        yield render_note(gold, system, errors[gold.id], evaluation.options.scheme)
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
    pictures = error_pictures.draw_pictures(evaluations, names)
    confusion = error_pictures.draw_confusion(evaluation, base, "".join(names[1:2]))
    return {
        "<!-- kinds -->": render_boxes("kind", [(kind, str(count)) for kind, count in kinds.items()]),
        "<!-- types -->": render_boxes("type", [(type, "") for type in types]),
        "<!-- pictures -->": render_figures([*pictures, confusion]),
        "<!-- tables -->": "".join(f"<pre>{escape(table)}</pre>" for table in tables),
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
