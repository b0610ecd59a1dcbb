"""The memory that a map has of each released note, so that its owner can give the note its real text back.

The history of a patient holds, under a keyed hash of each released text, the id of the real note and its
edits: the real text of each replacement, with the offsets of the replacement in the released text. A text
that was changed has another hash.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.text.document import Document, Span

Edit = Sequence[Any]  # start and end in the released text, the real text; in the map it is a JSON array
Replaced = tuple[int, int, str]  # start and end in the real text, the replacement


def remember_release(
    history: PatientHistory, secret: bytes, note: Document, released: str, made: Iterable[Replaced]
) -> None:
    """Add the note to what the map remembers. ``released`` is its text with the replacements ``made``."""
    edits = list_edits(note.text, made)
    history.released[hash_release(secret, note.id, released)] = [note.id, edits]


def hash_release(secret: bytes, id: str, released: str) -> str:
    return KeyedChoices(secret, "released notes").digest(id, released).hex()


def list_edits(text: str, made: Iterable[Replaced]) -> list[Edit]:
    """The edits that undo the replacements in ``text``. One that kept its text needs none.

    >>> list_edits("Dr. Ruiz, 67", [(10, 12, "67"), (4, 8, "Weber")])
    [[4, 9, 'Ruiz']]
    """
    edits: list[Edit] = []
    longer = 0
    for start, end, replacement in sorted(made):
        if replacement != text[start:end]:
            edits.append([start + longer, start + longer + len(replacement), text[start:end]])
        longer += len(replacement) - (end - start)
    return edits


def undo_edits(note: Document, edits: Iterable[Edit]) -> Document:
    """Return the note with its real text, and with its spans over what they covered.

    >>> undo_edits(Document("1", "Dr. Weber, 67", (Span(4, 9, "DOCTOR"),)), [[4, 9, "Ruiz"]]).spans
    (Span(start=4, end=8, type='DOCTOR', probability=None),)
    """
    pieces: list[str] = []
    moves: list[tuple[int, int]] = []  # ends of edits in the released text, and in the real one
    at = length = 0
    for start, end, real in edits:
        pieces += [note.text[at:start], real]
        length += start - at + len(real)
        at = end
        moves.append((end, length))
    text = "".join([*pieces, note.text[at:]])
    spans = (Span(find_place(s.start, moves), find_place(s.end, moves), s.type) for s in note.spans)
    return Document(note.id, text, tuple(span for span in spans if span.start < span.end), note.patient)


def find_place(offset: int, moves: Sequence[tuple[int, int]]) -> int:
    """The offset in the real text of an offset that is outside the edits or at one of their ends. The moves
    are in order.

    >>> [find_place(offset, [(9, 8)]) for offset in (4, 9, 11)]
    [4, 8, 10]
    """
    before = bisect_right(moves, offset, key=itemgetter(0))
    end, place = moves[before - 1] if before else (0, 0)
    return place + offset - end
