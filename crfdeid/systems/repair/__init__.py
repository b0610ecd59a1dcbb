"""Repair of the spans that a tagger found: :data:`FORMS` lists what is repaired, with a sample of each.

A form is a function from the text and its spans, in order, to better spans in order. It moves edges, splits,
joins, changes types, and adds the name that a title or a number beside it announces. It takes out of a span
only punctuation, times beside a date, durations and ratios that were read as dates, and words of closed
lists: no other letter or digit loses its span. The forms are of English notes and of the types of i2b2-2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from crfdeid.systems.repair.forms import FORMS
from crfdeid.systems.repair.joined_texts import JoinedTexts
from crfdeid.systems.repair.spans import Repair
from crfdeid.text.document import Document, Span

__all__ = ["FORMS", "SCHEME", "Repair", "repair_batch", "repair_spans"]

SCHEME = "i2b2-2014"
ROUNDS = 8  # a repaired span can need another form
NO_CAPITALS = bytes({*range(256)} - {*b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
SMALL = 120  # characters for each capital of a note in small letters: about twenty words


def repair_spans(document: Document, forms: Iterable[Repair] = tuple(FORMS.values())) -> Document:
    """Return the document with repaired spans. Where spans overlap, it stays as it is.

    >>> from crfdeid.text.document import Span
    >>> note = repair_spans(Document("n", "mail a.ruiz@x.org. Thanks", (Span(5, 18, "EMAIL"),)))
    >>> [note.text_of(span) for span in note.spans]
    ['a.ruiz@x.org']
    """
    return repair_batch([document], forms)[0]


def repair_batch(
    documents: Sequence[Document], forms: Iterable[Repair] = tuple(FORMS.values())
) -> list[Document]:
    """Return the documents with repaired spans, as :func:`repair_spans` does. A form goes through all of them
    before the next one, so that the processor keeps what the form needs."""
    chosen = list(forms)
    joined = JoinedTexts([show_capitals(document.text) for document in documents])
    notes = [_Note(number, document.spans, len(chosen)) for number, document in enumerate(documents)]
    changing = [note for note in notes if not _has_overlap(note.spans)]
    found: dict[int, Sequence[Sequence[Span]]] = {}  # by the index of a form that searches
    for _ in range(ROUNDS):
        before = [note.spans for note in changing]
        for index, form in enumerate(chosen):
            asked = _choose_notes(changing, index, form.types)
            if asked and form.search and index not in found:
                found[index] = form.search(joined)
            for note in asked:
                spans = found[index][note.number] if form.search else None
                note.keep(index, tuple(form.apply(joined.texts[note.number], note.spans, spans)))
        changing = [note for note, spans in zip(changing, before) if note.spans is not spans]
    return [
        document if note.spans == document.spans else document.with_spans(note.spans)
        for document, note in zip(documents, notes)
    ]


def _has_overlap(spans: Sequence[Span]) -> bool:
    return any(following.start < span.end for span, following in pairwise(spans))


class _Note:
    """The spans of one document of a batch while they are repaired."""

    def __init__(self, number: int, spans: tuple[Span, ...], forms: int) -> None:
        self.number, self.spans = number, spans
        self.types = {span.type for span in spans}
        self.settled: list[Sequence[Span] | None] = [None] * forms  # what each form left as it was

    def keep(self, index: int, repaired: tuple[Span, ...]) -> None:
        """Keep what a form has made of the spans."""
        if repaired == self.spans:
            self.settled[index] = self.spans
        else:
            self.spans, self.types = repaired, {span.type for span in repaired}


def _choose_notes(notes: Sequence[_Note], index: int, types: frozenset[str]) -> list[_Note]:
    """Return the notes whose spans, as they are now, a form can change."""
    asked = [note for note in notes if note.settled[index] is not note.spans]
    return [note for note in asked if not types.isdisjoint(note.types)] if types else asked


def show_capitals(text: str) -> str:
    """Return a note in small letters as one in capitals, which the forms read; other notes as they are.

    >>> show_capitals("seen by dr. ruiz"), show_capitals("Seen by Dr. Ruiz")
    ('SEEN BY DR. RUIZ', 'Seen by Dr. Ruiz')
    """
    least = len(text) // SMALL
    if count_capitals(text[: len(text) // 4]) > least or count_capitals(text) > least:  # a part is enough
        return text
    return "".join(new if len(new := sign.upper()) == 1 else sign for sign in text)


def count_capitals(text: str) -> int:
    """Return the number of capitals from A to Z."""
    return len(text.encode("ascii", "replace").translate(None, NO_CAPITALS))
