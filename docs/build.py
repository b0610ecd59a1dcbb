"""Write docs/commands.md from the parsers and docstrings of the verbs, the line below each page's title,
which says where it is, the navigation of mkdocs.yml, docs/speed.svg from the table in docs/engine.md, and the
counts of docs/written.md from the written corpus: python docs/build.py"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from crfdeid import cli
from crfdeid.pages.pictures import Axis, draw_bars, render_file
from crfdeid.synthetic import written_corpus
from crfdeid.synthetic.pieces import build_document
from crfdeid.synthetic.written_corpus import copy_document
from crfdeid.text.document import Document

DOCS = Path(__file__).parent
PAGE = DOCS / "commands.md"
GROUP, ENTRY = re.compile(r"^## (.+)$"), re.compile(r"^- \[([^\]]+)\]\((\w[\w-]*\.md)\)")
SITE = DOCS.parent / "mkdocs.yml"
NAVIGATION = re.compile(r"^nav:\n(?:[ -].*\n)+", re.M)
PLACE = re.compile(r"^\[Documentation\]\(index\.md\) › .*\n\n?", re.M)
HEAD = """# Commands

Every verb of `crfdeid`, as `crfdeid VERB --help` shows it; `python -m crfdeid.VERB` is the same. This page is
written by `python docs/build.py`.

A verb ends with status 0 when it has done its work, 2 for an error that you can correct (one line on standard
error), 1 for an error of the program, 130 for Ctrl-C. Another status stands with its verb. `crfdeid
--version` prints the version.
"""
PEERS = {  # rows of the table in docs/engine.md, by how they begin, with their names in the picture
    "| sklearn-crfsuite,": "sklearn-crfsuite",
    "| python-crfsuite as": "python-crfsuite, dictionaries",
    "| python-crfsuite, feature strings": "python-crfsuite, cached strings",
    "| the engine in numpy": "crfdeid in numpy",
    "| **the engine compiled, cold": "crfdeid, new words",
    "| **warm": "crfdeid, known words",
}
WRITTEN = DOCS / "written.md"
COUNTS = {
    "english": re.compile(r"(?<=## What there is\n\n).*?(?=\n\nA hand belongs)", re.DOTALL),
    "spanish": re.compile(r"(?<=## The Spanish documents\n\n).*?(?=\n\nTheir families)", re.DOTALL),
}
KINDS = {
    "english": "Messages, transcripts, letters, forms, exports, scans, dictation and case reports",
    "spanish": "Messages, e-mails, forms, legal papers, scans and dictation",
}
SHORT = 60  # words
STATUSES = {"check": "Status 1: something that looks like PHI was found."}


def render_page() -> str:
    """Render the whole page."""
    parts = [HEAD]
    for group, verbs in cli.VERBS.items():
        parts.append(f"## {group[0].upper()}{group[1:]}\n")
        parts += [render_verb(name, verb) for name, verb in verbs.items()]
    return "\n".join(parts)


def render_verb(name: str, verb: cli.Verb) -> str:
    """Render a verb: what it does, examples, arguments, and its own exit status."""
    module = importlib.import_module(verb.module)
    parser = module.build_parser()
    lines = [f"### {name}", "", f"{verb.help[0].upper()}{verb.help[1:]}.", ""]
    if examples := find_examples(inspect.getdoc(module) or ""):
        lines += ["```", *examples, "```", ""]
    lines += [*render_arguments(parser), ""]
    if any("--skip-bad" in action.option_strings for action in parser._actions):
        lines += [f"Status {cli.SKIPPED}: done, without the rows in the file of `--skip-bad`.", ""]
    if name in STATUSES:
        lines += [STATUSES[name], ""]
    return "\n".join(lines)


def find_examples(text: str) -> list[str]:
    """Return the first block of commands of a docstring."""
    blocks = text.split("\n\n")
    found = (block for block in blocks if block.lstrip().startswith(("crfdeid ", "cat ", "pip ")))
    return textwrap.dedent(next(found, "")).splitlines()


def render_arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield a line for each argument, and the parts of a verb that has some."""
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from ("", f"**{name}**: {inner.description or ''}", "")
                yield from render_arguments(inner)
            continue
        help = " ".join((action.help or "").split()) % vars(action)
        yield f"- `{name_argument(action)}` {help}".rstrip().replace("<", "&lt;")


def name_argument(action: argparse.Action) -> str:
    """Name an argument as it is typed."""
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest)
    value = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        return str(value)
    typed = ", ".join(action.option_strings)
    return (
        typed
        if action.nargs == 0
        else f"{typed} {value if action.metavar or action.choices else value.upper()}"
    )


def list_places() -> dict[str, str]:
    """Return the line of each page: its group in the index, and the pages before and after it there."""
    pages = list(list_entries())
    links = ["", *(f"[{title}]({file})" for _, title, file in pages), ""]
    return {
        file: " · ".join(
            [f"[Documentation](index.md) › {group}"]
            + [f"{word}: {link}" for word, link in (("before", before), ("after", after)) if link]
        )
        for (group, _, file), before, after in zip(pages, links, links[2:])
    }


def list_entries() -> Iterator[tuple[str, str, str]]:
    """Yield the group, title and file of each page of the index, in its order."""
    group = ""
    for line in (DOCS / "index.md").read_text(encoding="utf-8").splitlines():
        group = found[1] if (found := GROUP.match(line)) else group
        if found := ENTRY.match(line):
            yield group, found[1], found[2]


def place_navigation(text: str) -> str:
    """Return mkdocs.yml with the groups and pages of the index as its navigation."""
    lines = ["nav:", "  - crfdeid: README.md", "  - All pages: docs/index.md"]
    for group, entries in groupby(list_entries(), key=itemgetter(0)):
        lines += [f"  - {group}:", *(f"      - {title}: docs/{file}" for _, title, file in entries)]
    return NAVIGATION.sub("\n".join([*lines, ""]), text)


def place_page(text: str, line: str) -> str:
    """Return a page with the line below its title."""
    title, _, rest = PLACE.sub("", text, count=1).partition("\n")
    return f"{title}\n\n{line}\n\n{rest.lstrip(chr(10))}"


def draw_speeds() -> str:
    """Draw the tokens a second that each program tags, as the table in docs/engine.md has them."""
    lines = (DOCS / "engine.md").read_text(encoding="utf-8").splitlines()
    rows = {
        name: [float(line.split("|")[2].split()[0].replace(",", ""))]
        for begin, name in PEERS.items()
        for line in lines
        if line.startswith(begin)
    }
    axis = Axis("tokens a second on one core", 0, max(value for (value,) in rows.values()))
    desc = "Tokens that each program tags in a second with the same model, from file to file."
    return render_file(draw_bars("Speed of tagging, the same labels", desc, axis, rows))


def render_counts(language: str) -> str:
    """Render what the written corpus holds in a language: a paragraph, and a row for each part."""
    parts = {
        part: [(document, copy_written(document)) for document in documents]
        for part in written_corpus.PARTS
        if (documents := written_corpus.read_corpus(part, language))
    }
    written = [pair for pairs in parts.values() for pair in pairs]
    countries = Counter(document.country for document, _ in written).most_common()
    hands, documents, words, spans, clear = count_written(written)
    types = {span.type for _, copy in written for span in copy.spans}
    short = sum(len(copy.text.split()) < SHORT for _, copy in written)
    paragraph = (
        f"{documents} documents by {hands} hands, {words} words, {spans} spans of {len(types)} types; "
        f"{clear} documents have no PHI and are full of what looks like it. They come from "
        f"{', '.join(f'{name} ({count})' for name, count in countries)}. {KINDS[language]} "
        "are there beside the notes of all specialties. "
        f"{short} of the documents have fewer than sixty words."
    )
    rows = [f"| {part} | {' | '.join(count_written(own))} |" for part, own in parts.items()]
    head = "| part | hands | documents | words | spans | without PHI |\n|---|---|---|---|---|---|"
    return "\n".join([textwrap.fill(paragraph, 118), "", head, *rows])


def place_counts(page: str) -> str:
    """Return the page of the written corpus with its counts in each language."""
    for language, place in COUNTS.items():
        begin, end = place.search(page).span()
        page = page[:begin] + render_counts(language) + page[end:]
    return page


def count_written(written: Sequence[tuple[written_corpus.WrittenDocument, Document]]) -> list[str]:
    """Count hands, documents, words, spans, and documents without PHI; each document has its copy."""
    words, spans = (sum(map(len, found)) for found in zip(*((c.text.split(), c.spans) for _, c in written)))
    hands, clear = len({document.hand for document, _ in written}), sum(not copy.spans for _, copy in written)
    return [f"{count:,}" for count in (hands, len(written), words, spans, clear)]


def copy_written(document: written_corpus.WrittenDocument) -> Document:
    """Return a document as it was written."""
    return build_document(copy_document(document), document.id)


if __name__ == "__main__":
    WRITTEN.write_text(place_counts(WRITTEN.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "speed.svg").write_text(draw_speeds(), encoding="utf-8")
    SITE.write_text(place_navigation(SITE.read_text(encoding="utf-8")), encoding="utf-8")
    places = list_places()
    PAGE.write_text(render_page(), encoding="utf-8")
    for name, line in places.items():
        path = DOCS / name
        path.write_text(place_page(path.read_text(encoding="utf-8"), line), encoding="utf-8")
