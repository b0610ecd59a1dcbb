"""One self-contained page that shows what went wrong, in the notes themselves.

It holds note text, so only its owner may read the file and it says so on top. It loads
nothing and sends nothing: its content security policy allows only what is inside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from crfdeid import resources
from crfdeid.evaluate import error_analysis, report
from crfdeid.evaluate.error_analysis import ErrorRecord
from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.files import open_whole, read_text
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

HUES = (215, 30, 120, 280, 65, 180, 250, 320, 95)  # of the categories in order; red is for leaks
SIDE = 22  # of a confusion matrix's cell, in pixels


def write_page(found: Evaluation, path: Path) -> None:
    with open_whole(path, private=True) as file:
        file.writelines(render_page(found))


def render_page(found: Evaluation) -> Iterator[str]:
    html, style, script = (read_asset(f"error_page.{suffix}") for suffix in ("html", "css", "js"))
    head, tail = html.split("<!-- notes -->")
    types = sorted({mistake.type for mistake in found.mistakes})
    kinds = error_analysis.count_kinds(found.mistakes)
    confusion = error_analysis.count_confusions(found.pairs, found.mistakes, found.choices.scheme.types)
    filled = {
        "/* style */": style,
        "/* colours */": render_colours(found.choices.scheme),
        "<!-- kinds -->": render_boxes("kind", [(kind, str(count)) for kind, count in kinds.items()]),
        "<!-- types -->": render_boxes("type", [(type, "") for type in types]),
        "<!-- tables -->": f"<pre>{escape(report.format_summary(found))}</pre>",
        "<!-- matrix -->": render_matrix(confusion),
        "<!-- legend -->": render_legend(found.choices.scheme),
    }
    for mark, value in filled.items():
        head = head.replace(mark, value, 1)
    yield head
    wrong = defaultdict(list)
    for number, mistake in enumerate(found.mistakes):
        wrong[mistake.document].append((number, mistake))
    for gold, system in found.pairs:
        yield render_note(gold, system, wrong[gold.id], found.choices.scheme)
    yield tail.replace("/* script */", script, 1)


def read_asset(name: str) -> str:
    """Read a file of this room: the page's markup, style or script."""
    return read_text(resources.PACKAGE / "evaluate" / name)


def render_colours(scheme: Scheme) -> str:
    """A hue for each category: behind what the system found, under what gold has."""
    return "\n".join(
        f".c{number} {{ --hue: {HUES[number % len(HUES)]}; }}" for number in range(len(scheme.categories))
    )


def render_legend(scheme: Scheme) -> str:
    names = (f'<span class="g s c{n}">{escape(name)}</span>' for n, name in enumerate(scheme.categories))
    return " ".join(names)


def render_boxes(name: str, values: Iterable[tuple[str, str]]) -> str:
    """Check boxes; the value is what a mistake's attribute holds."""
    return " ".join(
        f'<label><input type="checkbox" checked name="{name}" value="{escape(value)}"> '
        f"{escape(value)} {escape(count)}</label>"
        for value, count in values
    )


def render_note(
    gold: Document, system: Document, wrong: list[tuple[int, ErrorRecord]], scheme: Scheme
) -> str:
    title = f"{escape(gold.id)} · {len(wrong)} mistake{'' if len(wrong) == 1 else 's'}"
    body = "".join(render_segments(gold, system, wrong, scheme))
    empty = "" if wrong else ' class="clean"'
    return f"<section{empty}><h2>{title}</h2><div class=note>{body}</div></section>\n"


def render_segments(
    gold: Document, system: Document, wrong: list[tuple[int, ErrorRecord]], scheme: Scheme
) -> Iterator[str]:
    """The text cut at every end of a span, so that overlaps need no nesting. A mistake's
    label stands before its first piece."""
    spans = [*gold.spans, *system.spans]
    edges = sorted({0, len(gold.text), *(edge for span in spans for edge in (span.start, span.end))})
    labels = defaultdict(list)
    for number, mistake in wrong:
        labels[error_analysis.find_first_offset(mistake)].append(render_flag(number, mistake))
    for start, end in zip(edges, edges[1:]):
        piece = Span(start, end, "")
        right, found = ([s for s in side.spans if s.overlaps(piece)] for side in (gold, system))
        text = escape(gold.text[start:end])
        yield "".join(labels[start])
        yield render_segment(text, right, found, scheme) if right or found else text


def render_segment(text: str, gold: list[Span], system: list[Span], scheme: Scheme) -> str:
    """One piece with its classes: g in gold, s in system, cN its category, leak where gold
    alone has it, extra where the system alone has."""
    number = list(scheme.categories).index(scheme.category((gold or system)[0].type))
    names = [f"c{number}", *(["g"] if gold else []), *(["s"] if system else [])]
    names += ["leak"] if gold and not system else ["extra"] if system and not gold else []
    title = f"gold: {join_types(gold)}; system: {join_types(system)}"
    return f'<span class="{" ".join(names)}" title="{escape(title)}">{text}</span>'


def join_types(spans: list[Span]) -> str:
    return ", ".join(span.type for span in spans) or "nothing"


def render_flag(id: int, mistake: ErrorRecord) -> str:
    gold, system = (span.type if span else "∅" for span in (mistake.gold, mistake.system))
    types = gold if gold == system else f"{gold} → {system}"
    words = f"{mistake.extent or mistake.kind}: {types}"
    return (
        f'<b class="flag" id="m{id}" tabindex="-1" data-kind="{mistake.kind}" '
        f'data-type="{escape(mistake.type)}">{escape(words)}</b>'
    )


def render_matrix(confusion: dict[str, dict[str, int]]) -> str:
    """Gold in rows, system in columns, as a picture: the darker the more of the row."""
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
