"""The pages that commands write: one style (``page.css``), nothing from outside, and all text escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from crfdeid import resources
from crfdeid.files import read_text

STYLE = "/* style */"
Row = Sequence[str]


def fill_page(template: Path, parts: Mapping[str, str]) -> str:
    """Read a page's markup and put the style and the ``parts`` in place of the comments that name them. A
    part is HTML; a comment inside a part stays as it is."""
    filled = {STYLE: read_text(resources.PACKAGE / "page.css"), **parts}
    marks = re.compile("|".join(map(re.escape, filled)))
    return marks.sub(lambda mark: filled[mark[0]], read_text(template))


def render_table(
    caption: str, head: Row, rows: Iterable[Row], total: str = "", draw: Callable[[Row], str] | None = None
) -> str:
    """A table whose first column heads its rows. The row that begins with ``total`` sums them up. ``draw``
    makes a last cell for each row, as HTML."""
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head) + ("<td></td>" if draw else "")
    lines = []
    for name, *cells in rows:
        inside = "".join(map(render_cell, cells))
        tail = draw((name, *cells)) if draw else ""
        kind = ' class="total"' if total and name == total else ""
        lines.append(f'<tr{kind}><th scope="row">{escape(name)}</th>{inside}{tail}</tr>')
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>\n"
    )


def render_cell(text: str) -> str:
    """A cell: numbers end at one line, words begin at one.

    >>> render_cell("1,024"), render_cell("a < b")
    ('<td>1,024</td>', '<td class="words">a &lt; b</td>')
    """
    kind = ' class="words"' if text[:1].isalpha() else ""
    return f"<td{kind}>{escape(text)}</td>"


def render_facts(facts: Mapping[str, str]) -> str:
    """A list of names and what they are."""
    lines = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return f"<dl>{''.join(lines)}</dl>\n"


def render_list(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>\n"


def render_signatures(people: Sequence[str]) -> str:
    """Lines to sign: for each of the people a name, a signature and a date."""
    lines = ("name", "signature", "date")
    blanks = "".join(f"<span>{line}</span>" for line in lines)
    rows = (f"<div><b>{escape(person)}</b>{blanks}</div>" for person in people)
    return f'<section class="sign"><h2>Signed</h2>{"".join(rows)}</section>\n'
