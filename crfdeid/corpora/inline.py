"""PHI shown in place, ``<DOCTOR>Ruiz</DOCTOR>``. It is for people to read, so it is write-only. Of
spans that overlap, the longest is shown."""

from __future__ import annotations

from crfdeid.corpora import i2b2_2014
from crfdeid.corpora.format import Format
from crfdeid.text.document import Document, keep_longest

COLOURS = {  # of the terminal, by i2b2 2014 element
    "NAME": 31, "PROFESSION": 33, "LOCATION": 32, "AGE": 36, "DATE": 34, "CONTACT": 35, "ID": 35, "OTHER": 33,
}  # fmt: skip


def render_document(document: Document) -> dict[str, str]:
    """Return the text with its spans marked, without colour."""
    return {".txt": mark_spans(document)}


def mark_spans(document: Document, colour: bool = False) -> str:
    """Return the document's text with an element around each span.

    >>> from crfdeid.text.document import Span
    >>> mark_spans(Document("n", "Dr. Ruiz", (Span(4, 8, "DOCTOR"),)))
    'Dr. <DOCTOR>Ruiz</DOCTOR>'
    """
    parts, end = [], 0
    for span in keep_longest(document.spans):
        parts += [document.text[end : span.start], _mark(document.text_of(span), span.type, colour)]
        end = span.end
    return "".join([*parts, document.text[end:]])


def _mark(text: str, type: str, colour: bool) -> str:
    marked = f"<{type}>{text}</{type}>"
    return f"\x1b[1;{_choose_colour(type)}m{marked}\x1b[0m" if colour else marked


def _choose_colour(type: str) -> int:
    return COLOURS.get(i2b2_2014.find_element(type), 33)


FORMAT = Format("inline", (".txt",), render_document=render_document, show_document=mark_spans)
