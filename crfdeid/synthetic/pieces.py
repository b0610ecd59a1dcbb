"""A note while it is being written: a list of pieces, each a text and the type of the
span it is, or ``None``. Offsets are counted only when it is finished, so they are exact."""

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
    return "".join(piece.text for piece in pieces)


def tidy(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same text with white space outside the spans, neighbours that are no span
    joined, and nothing empty.

    >>> list(tidy([Piece("Dr."), Piece(" Ruiz ", "DOCTOR"), Piece(" left")]))
    [Piece(text='Dr. ', type=None), Piece(text='Ruiz', type='DOCTOR'), Piece(text='  left', type=None)]
    """
    for type, group in groupby(_whole_names(_spaces_outside(pieces)), key=lambda piece: piece.type):
        if type is None:
            yield Piece(join_pieces(group))
        else:
            yield from group


def _whole_names(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """A first and a last name that only a space parts are one name."""
    waiting = list(pieces)
    for index in range(len(waiting) - 2):
        (a, type), (space, none), (b, other) = waiting[index : index + 3]
        if type in NAMES and type == other and none is None and space == " ":
            waiting[index : index + 3] = [Piece(""), Piece(""), Piece(f"{a} {b}", type)]
    return (piece for piece in waiting if piece.text)


def _spaces_outside(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for text, type in pieces:
        core = text.strip() if type else text
        if type and core:
            before, _, after = text.partition(core)
            yield from (Piece(t, k) for t, k in ((before, None), (core, type), (after, None)) if t)
        elif text:
            yield Piece(text)


def build_document(pieces: Iterable[Piece], id: str, patient: str | None = None) -> Document:
    """The finished note.

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
