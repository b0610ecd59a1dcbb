"""The pages that commands write: one head and one style, nothing from outside, and all text escaped. They
can be read without scripts, in light and dark, narrow and wide, and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from html import escape as escape
from html import unescape
from pathlib import Path

import crfdeid
from crfdeid import files
from crfdeid.files import read_text

STYLES = ("colours.css", "page.css", "picture.css")
ROOM = files.PACKAGE / "pages"
SCRIPTS = "; script-src 'unsafe-inline'"
Row = Sequence[str]


def render_page(
    title: str,
    about: Mapping[str, str],
    body: str,
    *,
    warning: str = "",
    script: str = "",
    style: str = "",
) -> str:
    """Render a page: its head, a ``warning`` on top, the title, and what it is ``about`` (corpus, system,
    version, date). ``body`` is HTML; ``script`` and ``style`` are what only this page needs."""
    parts = {
        "<!-- policy -->": SCRIPTS if script else "",
        "<!-- title -->": escape(title),
        "<!-- style -->": "".join(read_text(ROOM / name) for name in STYLES) + style,
        "<!-- warning -->": f'<p class="warning" role="note">{escape(warning)}</p>\n' if warning else "",
        "<!-- about -->": render_about(about),
        "<!-- body -->": body,
        "<!-- script -->": f"<script>\n{script}</script>\n" if script else "",
    }
    return fill(read_text(ROOM / "page.html"), parts)


def fill(markup: str, parts: Mapping[str, str]) -> str:
    """Put the ``parts`` in place of the comments that name them. A part is HTML; a comment inside a part
    stays as it is.

    >>> fill("<p><!-- a --></p>", {"<!-- a -->": "<!-- b -->", "<!-- b -->": "c"})
    '<p><!-- b --></p>'
    """
    marks = re.compile("|".join(map(re.escape, parts)))
    return marks.sub(lambda mark: parts[mark[0]], markup)


def read_phrases(path: Path) -> dict[str, str]:
    """Read lines ``page => translation``; those that begin with ``#`` are left out."""
    lines = (line for line in read_text(path).splitlines() if line and not line.startswith("#"))
    return dict(line.split(" => ", 1) for line in lines)


def translate(page: str, phrases: Mapping[str, str]) -> str:
    """Write the texts of a page in another language, where ``{}`` in a phrase is any text. Texts of notes
    (the class ``context``) stay, and so do texts that are not phrases.

    >>> translate("<p>Read 3 notes.</p><p>Roth</p>", {"Read {} notes.": "Lea {} notas."})
    '<p>Lea 3 notas.</p><p>Roth</p>'
    """
    open_phrases = {found: made for found, made in phrases.items() if "{}" in found}
    forms = [(re.compile(re.escape(f).replace(r"\{\}", "(.+?)")), made) for f, made in open_phrases.items()]

    def write(match: re.Match[str]) -> str:
        text = unescape(match[2])
        found = ((form.fullmatch(text), made) for form, made in forms)
        made = phrases.get(text) or next((m.format(*f.groups()) for f, m in found if f), text)
        return match[1] + escape(made, quote=False) + match[3]

    parts = re.split(r'(<td class="context">.*?</td>|<style>.*?</style>)', page, flags=re.DOTALL)
    parts[::2] = [re.sub(r"(>\s*)([^<>]*?)((?: ·)?\s*(?=<))", write, part) for part in parts[::2]]
    return "".join(parts).replace('<html lang="en">', f'<html lang="{phrases.get("en", "en")}">')


def fill_file(template: Path, parts: Mapping[str, str]) -> str:
    """Fill the markup of a file of the package."""
    return fill(read_text(template), parts)


def stamp(**facts: str) -> dict[str, str]:
    """Return what a page is about: the ``facts``, the version of the program, and today."""
    return {**facts, "crfdeid": crfdeid.__version__, "written": date.today().isoformat()}


def render_about(about: Mapping[str, str]) -> str:
    """Render names and values in one line.

    >>> render_about({"corpus": "test", "system": "a < b"})
    '<b>corpus</b> test · <b>system</b> a &lt; b'
    """
    return " · ".join(f"<b>{escape(name)}</b> {escape(value)}" for name, value in about.items())


def render_table(
    caption: str,
    head: Row,
    rows: Iterable[Row],
    total: str = "",
    draw: Callable[[Row], str] | None = None,
) -> str:
    """A table whose first column heads its rows. The row that begins with ``total`` sums them up. ``draw``
    makes a last cell for each row, as HTML; the head may have a name for it."""
    rows = list(rows)
    columns = "".join(map(render_head, head, (*next(iter(rows), ()), *head)))
    columns += "<td></td>" * bool(draw and rows and len(head) == len(rows[0]))
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


def render_head(name: str, below: str) -> str:
    """The head of a column, aligned as the cell ``below`` it."""
    kind = ' class="words"' if below[:1].isalpha() else ""
    return f'<th scope="col"{kind}>{escape(name)}</th>'


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
