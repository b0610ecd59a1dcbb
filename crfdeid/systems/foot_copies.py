"""Copies of the feet of training notes, with parts exchanged among them: more addresses to learn from.

A letter ends with an address without labels: name, hospital, street, number, code, town and country, in any
order, with or without marks between them. A corpus has one such foot a note, too few for all orders and
names. A copy is a new document. Some of its spans have the text of another foot's span of the type,
and what is between two spans comes from another foot, or is a space where it has no word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from crfdeid.text.document import Document, Span

FILLED = 0.25  # the least share of a line of a foot that is in spans
OTHER_TEXT, OTHER_GAP, SPACE = 0.6, 0.4, 0.3  # how often each is exchanged


class Part(NamedTuple):
    """A span of a foot: the text ``before`` it since the last one, its own ``text``, and its ``type``."""

    before: str
    text: str
    type: str


class Pools(NamedTuple):
    """All feet's texts by type and whether they are numbers, and texts between spans of two types."""

    texts: Mapping[tuple[str, bool], list[str]]
    gaps: Mapping[tuple[str, str], list[str]]


def find_foot(document: Document) -> int:
    """Return where the last lines begin that spans fill to a quarter or more; the end where there are none.

    >>> note = Document("n1", "Stable.\\nAna Gil, Leeds\\n", (Span(8, 15, "DOCTOR"), Span(17, 22, "CITY")))
    >>> note.text[find_foot(note):]
    'Ana Gil, Leeds\\n'
    """
    begin = end = len(document.text)
    for line in reversed(document.text.splitlines(keepends=True)):
        start = end - len(line)
        own = [span for span in document.spans if start <= span.start < end]
        if line.strip():
            if sum(count_letters(document.text_of(span)) for span in own) < FILLED * count_letters(line):
                break
            begin = start
        end = start
    return begin


def count_letters(text: str) -> int:
    """Return the number of characters without white space."""
    return sum(not character.isspace() for character in text)


def split_foot(document: Document) -> tuple[list[Part], str]:
    """Return the spans of the foot and what is after the last one."""
    at = find_foot(document)
    parts = []
    for span in document.spans:
        if span.start >= at:
            parts.append(Part(document.text[at : span.start], document.text_of(span), span.type))
            at = span.end
    return parts, document.text[at:]


def copy_feet(documents: Sequence[Document], number: int, seed: int = 0) -> list[Document]:
    """Return ``number`` copies of each foot; ``seed`` draws what is exchanged."""
    feet = [split_foot(document) for document in documents]
    pools = collect_pools([parts for parts, _ in feet])
    random = Random(seed)
    return [
        join_foot(f"{document.id} foot {copy}", exchange_parts(parts, pools, random), rest)
        for document, (parts, rest) in zip(documents, feet)
        for copy in range(number if parts else 0)
    ]


def collect_pools(feet: Sequence[Sequence[Part]]) -> Pools:
    """Collect what can be exchanged."""
    pools = Pools(defaultdict(list), defaultdict(list))
    for parts in feet:
        for last, part in zip([None, *parts], parts):
            pools.texts[part.type, part.text.isdigit()].append(part.text)
            if last:
                pools.gaps[last.type, part.type].append(part.before)
    return pools


def exchange_parts(parts: Sequence[Part], pools: Pools, random: Random) -> list[Part]:
    """Exchange texts of spans, and texts between spans."""
    found = []
    for last, (before, text, type) in zip([None, *parts], parts):
        if last:
            draw = random.random()
            if draw < OTHER_GAP:
                before = random.choice(pools.gaps[last.type, type])
            elif draw < OTHER_GAP + SPACE and not any(map(str.isalnum, before)):
                before = " "
        if random.random() < OTHER_TEXT:
            text = random.choice(pools.texts[type, text.isdigit()])
        found.append(Part(before, text, type))
    return found


def join_foot(id: str, parts: Sequence[Part], rest: str) -> Document:
    """Make a document of the parts of a foot."""
    text, spans = "", []
    for part in parts:
        text += part.before
        spans.append(Span(len(text), len(text) + len(part.text), part.type))
        text += part.text
    return Document(id, text + rest, tuple(spans))
