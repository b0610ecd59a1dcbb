"""The patterns that the development set adds to the reports, from the text files in ``devset_forms``.

They are written by hand: heads, feet, page lines, mentions, openings, and bait, which has no PHI. ``{TYPE}``,
``{TYPE2}``, ``{TYPE.kind}`` are slots of :class:`devset_surrogates.Cast`; ``{DATE3}`` is a date of birth.
One of ``[a|b]`` is chosen. The files ``hard_*`` have forms that are hard to tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

from devset_surrogates import Cast

from crfdeid.text.document import Document, Span

Piece = tuple[str, str | None]
FORMS = Path(__file__).parent / "devset_forms"
SLOT = re.compile(r"\{([A-Z-]+)(\d?)(?:\.(\w+))?\}")
CHOICE = re.compile(r"\[([^][{}]*\|[^][]*)\]")
TOPICS = [
    "pneumonia", "copd exacerbation", "pancreatitis", "breast cancer", "afib", "stroke", "hip fracture",
    "gout", "cirrhosis", "sepsis", "lupus", "asthma",
]  # fmt: skip


def read_form(name: str) -> str:
    return (FORMS / f"{name}.txt").read_text(encoding="utf-8")


@cache
def read_blocks(name: str) -> tuple[str, ...]:
    """Return the blocks of the file between lines of four hyphens."""
    parts = re.split(r"^----\n", read_form(name), flags=re.MULTILINE)
    return tuple(part.removeprefix("\n") for part in parts if part.strip())


@cache
def read_lines(name: str) -> tuple[str, ...]:
    """Return the lines of the file that are not empty."""
    return tuple(line for line in read_form(name).splitlines() if line)


def choose_branches(pattern: str, rng: Random) -> str:
    """Replace each ``[a|b]`` by one of its branches; brackets without ``|`` stay.

    >>> choose_branches("[a|a] [Name]", Random(1))
    'a [Name]'
    """
    return CHOICE.sub(lambda match: rng.choice(match[1].split("|")), pattern)


def fill_pattern(pattern: str, cast: Cast) -> list[Piece]:
    """Return the pieces of a pattern with values in its slots.

    >>> fill_pattern("on {DATE.iso}", Cast(Random(1)))
    [('on ', None), ('2007-10-19', 'DATE')]
    """
    pieces: list[Piece] = []
    at = 0
    for slot in SLOT.finditer(pattern):
        pieces += [(pattern[at : slot.start()], None), (cast.value(slot[1], slot[2], slot[3] or ""), slot[1])]
        at = slot.end()
    return [piece for piece in [*pieces, (pattern[at:], None)] if piece[0]]


def build_document(id: str, pieces: Iterable[Piece]) -> Document:
    text, spans = "", []
    for value, type in pieces:
        if type:
            spans.append(Span(len(text), len(text) + len(value), type))
        text += value
    return Document(id, text, tuple(spans))
