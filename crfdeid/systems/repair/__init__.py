"""Repair of the spans that a tagger found: :data:`FORMS` lists what is repaired, with a sample of each.

A form is a function from the text and its spans, in order, to better spans in order. It moves edges, splits,
joins, changes types, and adds the name that a title or a number beside it announces. It takes out of a span
only punctuation, times beside a date, and words of closed lists: no other letter or digit loses its span. The
forms are of English notes and of the types of i2b2-2014.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from crfdeid.systems.repair.forms import FORMS
from crfdeid.systems.repair.joined_texts import JoinedTexts
from crfdeid.systems.repair.spans import Form, Repair
from crfdeid.text.document import Document, Span

__all__ = ["FORMS", "SCHEME", "Form", "repair_batch", "repair_spans"]

SCHEME = "i2b2-2014"
ROUNDS = 8  # a repaired span can need another form
CAPITAL = re.compile("[A-Z]")
SMALL = 120  # characters for each capital of a note in small letters: about twenty words


def repair_spans(document: Document, forms: Iterable[Form] = tuple(FORMS.values())) -> Document:
    """Return the document with repaired spans. Where spans overlap, it stays as it is.

    >>> from crfdeid.text.document import Span
    >>> note = repair_spans(Document("n", "mail a.ruiz@x.org. Thanks", (Span(5, 18, "EMAIL"),)))
    >>> [note.text_of(span) for span in note.spans]
    ['a.ruiz@x.org']
    """
    return repair_batch([document], forms)[0]


def repair_batch(
    documents: Sequence[Document], forms: Iterable[Form] = tuple(FORMS.values())
) -> list[Document]:
    """Return the documents with repaired spans, as :func:`repair_spans` does. A form goes through all of them
    before the next one, so that the processor keeps what the form needs."""
    joined = JoinedTexts([show_capitals(document.text) for document in documents])
    chosen = list(forms)
    notes = [_Note(number, document.spans, len(chosen)) for number, document in enumerate(documents)]
    changing = [note for note in notes if not _has_overlap(note.spans)]
    started: dict[int, list[Repair]] = {}
    for _ in range(ROUNDS):
        before = [note.spans for note in changing]
        for index, form in enumerate(chosen):
            asked = [note for note in changing if note.needs(index, form)]
            if asked and index not in started:
                started[index] = form.start(joined)
            for note in asked:
                note.repair(index, started[index][note.number])
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

    def needs(self, index: int, form: Form) -> bool:
        """Whether the form can change the spans as they are now."""
        if self.settled[index] is self.spans:
            return False
        return not form.types or not form.types.isdisjoint(self.types)

    def repair(self, index: int, repair: Repair) -> None:
        repaired = tuple(repair(self.spans))
        if repaired == self.spans:
            self.settled[index] = self.spans
        else:
            self.spans, self.types = repaired, {span.type for span in repaired}


def show_capitals(text: str) -> str:
    """Return a note in small letters as one in capitals, which the forms read; other notes as they are.

    >>> show_capitals("seen by dr. ruiz"), show_capitals("Seen by Dr. Ruiz")
    ('SEEN BY DR. RUIZ', 'Seen by Dr. Ruiz')
    """
    if next(islice(CAPITAL.finditer(text), len(text) // SMALL, None), None):
        return text
    return "".join(new if len(new := sign.upper()) == 1 else sign for sign in text)
