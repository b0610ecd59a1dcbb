"""PHI shown in place, ``<DOCTOR>Ruiz</DOCTOR>``; for reading by people, so write-only. Of spans
that overlap the longest is shown."""

from __future__ import annotations

from crfdeid.text.document import Document
from crfdeid.text.spans import keep_longest

COLOURS = {
    "NAME": 31, "PROFESSION": 33, "LOCATION": 32, "AGE": 36, "DATE": 34, "CONTACT": 35, "ID": 35, "OTHER": 33,
}  # fmt: skip


def files(document: Document) -> dict[str, str]:
    return {".txt": marked(document)}


def marked(document: Document, colour: bool = False) -> str:
    """
    >>> from crfdeid.text.document import Span
    >>> marked(Document("n", "Dr. Ruiz", (Span(4, 8, "DOCTOR"),)))
    'Dr. <DOCTOR>Ruiz</DOCTOR>'
    """
    parts, end = [], 0
    for span in keep_longest(document.spans):
        parts += [document.text[end : span.start], _mark(document.text_of(span), span.type, colour)]
        end = span.end
    return "".join([*parts, document.text[end:]])


def _mark(text: str, type: str, colour: bool) -> str:
    marked = f"<{type}>{text}</{type}>"
    return f"\x1b[1;{_colour(type)}m{marked}\x1b[0m" if colour else marked


def _colour(type: str) -> int:
    from crfdeid.corpora.i2b2_2014 import element

    return COLOURS.get(element(type), 33)
