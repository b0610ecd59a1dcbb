"""Texts that programs do not like, and notes with spans on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from crfdeid import synthetic
from crfdeid.text.document import Document, Span

PIECES = (
    "Mr. Ruiz", "Dr. O'Brien-Smith, MD", "3/4/2061", "March 7th", "617-555-0148", "MRN 4471902", "a@b.org",
    "92",
    "12 Main Street", "Boston, MA 02114", "\r\n", "\n\n", "\r", "\t", " ", "\0", "\ufeff", "\u2028", "\u2029",
    "\x85", "\x0b", "\x0c", "\x1c", "\u00a0", "\u200b", "\u200d", "\u202e", "\u2066", "\u0301" * 3, "e\u0301",
    "👩\u200d⚕️", "🏥", "ß", "İ", "ﬁ", "Ǆ", "字", "ابن", "\U00010400", "\ufffe", "\ue000", "<b>&amp;", "]]>",
    '"', "'", "’", "—", "-----", "=====", "***", "# id = ", "-DOCSTART-", "␣", "{", "}]", "\\", ",", ";",
    "xxx", "\x1b[31m", "%s", "NULL", "\\N", "nan",
)  # fmt: skip


@cache
def list_notes() -> tuple[Document, ...]:
    """Invented notes, with spans."""
    return tuple(synthetic.generate(40, seed=3))


def draw_text(draw: Random, longest: int = 60) -> str:
    """Pieces of every kind, or a part of a note with pieces put into it."""
    if draw.random() < 0.5:
        pieces = draw.choices(PIECES, k=draw.randrange(longest))
        return "".join(draw.choice((piece, piece, " ")) for piece in pieces)
    text = draw.choice(list_notes()).text
    begin = draw.randrange(len(text))
    text = text[begin : begin + draw.randrange(20 * longest)]
    for _ in range(draw.randrange(8)):
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(PIECES) + text[at:]
    return text


def draw_repetition(draw: Random, length: int) -> str:
    """One to three pieces, again and again."""
    unit = "".join(draw.choices(PIECES, k=draw.randrange(1, 4))) or " "
    return (unit * (length // len(unit) + 1))[:length]


def draw_document(draw: Random, id: str, type: Callable[[Random], str]) -> Document:
    """A wild text with spans that do not overlap."""
    text, spans, end = draw_text(draw), [], 0
    while end < len(text) and draw.random() < 0.8:
        start = draw.randrange(end, len(text))
        end = draw.randrange(start, min(len(text), start + 30)) + 1
        spans.append(Span(start, end, type(draw)))
    return Document(id, text, tuple(spans), draw.choice((None, "p1", "p 2", "é")))
