"""A note in the making: a list of pieces, each a text with the type of its span, or ``None`` outside spans.
Offsets are counted only when the note is finished, so they are exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from crfdeid.text.document import Document, Span

NAMES = ("PATIENT", "DOCTOR")


class Piece(NamedTuple):
    text: str
    type: str | None = None


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Return the text of the pieces."""
    return "".join(piece.text for piece in pieces)


def tidy(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Move white space out of spans, join neighbours that are not spans, and drop empty pieces.

    >>> list(tidy([Piece("Dr."), Piece(" Ruiz ", "DOCTOR"), Piece(" left")]))
    [Piece(text='Dr. ', type=None), Piece(text='Ruiz', type='DOCTOR'), Piece(text='  left', type=None)]
    """
    for type, group in groupby(_join_names(_move_spaces_out(pieces)), key=lambda piece: piece.type):
        if type is None:
            yield Piece(join_pieces(group))
        else:
            yield from group


def _join_names(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join a first and a last name with only a space between them into one name."""
    waiting = list(pieces)
    for index in range(len(waiting) - 2):
        (a, type), (space, none), (b, other) = waiting[index : index + 3]
        if type in NAMES and type == other and none is None and space == " ":
            waiting[index : index + 3] = [Piece(""), Piece(""), Piece(f"{a} {b}", type)]
    return (piece for piece in waiting if piece.text)


def _move_spaces_out(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Move white space at the ends of spans out of them."""
    for text, type in pieces:
        core = text.strip() if type else text
        if type and core:
            before, _, after = text.partition(core)
            yield from (Piece(t, k) for t, k in ((before, None), (core, type), (after, None)) if t)
        elif text:
            yield Piece(text)


def build_document(pieces: Iterable[Piece], id: str, patient: str | None = None) -> Document:
    """Build the document of a finished note.

    >>> build_document([Piece("Dr. "), Piece("Ruiz", "DOCTOR")], "n1").spans
    (Span(start=4, end=8, type='DOCTOR', probability=None),)
    """
    texts: list[str] = []
    spans: list[Span] = []
    position = 0
    for text, type in tidy(pieces):
        if type:
            spans.append(Span(position, position + len(text), type))
        texts.append(text)
        position += len(text)
    return Document(id, "".join(texts), tuple(spans), patient)
