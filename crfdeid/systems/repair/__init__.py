"""Repair of the spans that a tagger found: :data:`FORMS` lists what is repaired, with a sample of each.

A form is a function from the text and its spans, in order, to better spans in order. It moves edges, splits,
joins, changes types, and adds the name that a title or a number beside it announces. It takes out of a span
only punctuation, times beside a date, and words of closed lists: no other letter or digit loses its span. The
forms are of English notes and of the types of i2b2-2014.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise

from crfdeid.systems.repair.forms import FORMS
from crfdeid.systems.repair.spans import Form, Spans
from crfdeid.text.document import Document, Span

__all__ = ["FORMS", "SCHEME", "Form", "repair_spans"]

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
    if any(following.start < span.end for span, following in pairwise(document.spans)):
        return document
    spans, types = list(document.spans), {span.type for span in document.spans}
    text, chosen = show_capitals(document.text), list(forms)
    started: dict[int, Callable[[Sequence[Span]], Spans]] = {}
    settled: list[Sequence[Span] | None] = [None] * len(chosen)  # what each form left as it was
    for _ in range(ROUNDS):
        before = spans
        for index, form in enumerate(chosen):
            if settled[index] is spans or (form.types and form.types.isdisjoint(types)):
                continue
            if index not in started:
                started[index] = form.start(text)
            repaired = list(started[index](spans))
            if repaired == spans:
                settled[index] = spans
            else:
                spans, types = repaired, {span.type for span in repaired}
        if spans is before:
            break
    return document if spans == list(document.spans) else document.with_spans(spans)


def show_capitals(text: str) -> str:
    """Return a note in small letters as one in capitals, which the forms read; other notes as they are.

    >>> show_capitals("seen by dr. ruiz"), show_capitals("Seen by Dr. Ruiz")
    ('SEEN BY DR. RUIZ', 'Seen by Dr. Ruiz')
    """
    if next(islice(CAPITAL.finditer(text), len(text) // SMALL, None), None):
        return text
    return "".join(new if len(new := sign.upper()) == 1 else sign for sign in text)
