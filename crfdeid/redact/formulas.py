"""Cells that a spreadsheet would take for formulas."""

from __future__ import annotations

from dataclasses import replace

from crfdeid.text.document import Document

FORMULA = "=+-@\t\r"  # what formulas begin with


def quote_formulas(note: Document) -> Document:
    """Return the note with ' before an id, a patient or a text that a spreadsheet would take for a formula.

    >>> quote_formulas(Document("@1", "=1+1")).text
    "'=1+1"
    """
    id, text = quote_cell(note.id), quote_cell(note.text)
    patient = None if note.patient is None else quote_cell(note.patient)
    added = len(text) - len(note.text)
    spans = tuple(replace(span, start=span.start + added, end=span.end + added) for span in note.spans)
    return Document(id, text, spans, patient)


def quote_cell(cell: str) -> str:
    """Return the cell with ' before it if a spreadsheet would take it for a formula."""
    return f"'{cell}" if cell and cell[0] in FORMULA else cell


def remove_quotes(note: Document) -> Document:
    """Return the note as it was before :func:`quote_formulas`."""
    is_quoted = note.text[:1] == "'" and note.text[1:2] in tuple(FORMULA)
    text = note.text[is_quoted:]
    spans = (replace(s, start=s.start - is_quoted, end=s.end - is_quoted) for s in note.spans)
    id = note.id[1:] if note.id[:1] == "'" and note.id[1:2] in tuple(FORMULA) else note.id
    return Document(id, text, tuple(span for span in spans if span.start >= 0), note.patient)
