"""Marking all repeats of a mark in the notes of its patient."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from crfdeid.review.operations.marking import at_version, offered, refuse_closed, state
from crfdeid.review.study import word_boundaries
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Refused
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document

Table = dict[str, Any]
AROUND = 40  # characters of context on each side of a repeat


def of_mark(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Where else the text of a mark stands in this patient's notes, marked as well if ``apply``.

    The marks in all notes are one group: one undo takes them back.
    """
    with study.store.writing():
        refuse_closed(study, reader, number)
        entry = at_version(study, reader, number, given)
        mark = entry.state.mark(given.get("mark"))
        sought = study.notes.document(number).text_of(mark.span)
        places, skipped = sought_in(study, reader, study.notes.siblings(number), sought)
        if given.get("apply") is True and places:
            mark_all(study, reader, places, mark.type)
    shown = [place(document, other, edges) for document, other, spans in places for edges in spans]
    return {"places": shown, "skipped": skipped, "state": state(study, reader, number)}


Places = list[tuple[Document, int, list[tuple[int, int]]]]


def sought_in(study: Study, reader: Reader, numbers: list[int], sought: str) -> tuple[Places, list[Table]]:
    """The unmarked places by note, and the notes that could not be looked at, with why."""
    places: Places = []
    skipped: list[Table] = []
    for number in numbers:
        if study.closed(reader, number):
            skipped.append({"number": number, "why": "closed"})
            continue
        try:
            document = study.notes.document(number)
        except Refused as refused:
            skipped.append({"number": number, "why": refused.why})
            continue
        marks = study.marking.entry(book(reader.name), number).state.marks
        found = word_boundaries.repeats(document.text, sought)
        free = [(a, b) for a, b in found if all(b <= mark.start or mark.end <= a for mark in marks)]
        if free:
            places.append((document, number, free))
    return places, skipped


def mark_all(study: Study, reader: Reader, places: Places, type: str) -> None:
    shelf, group = book(reader.name), uuid.uuid4().hex
    for _, number, found in places:
        entry = study.marking.entry(shelf, number)
        spans = [[start, end, type] for start, end in found]
        action: Table = {"kind": "add_many", "spans": spans, "by": "repeat", "group": group}
        if entry.state.system is None and offered(study, entry.state, number):
            action["system"] = study.premarks
        study.marking.append(shelf, number, entry.version, reader.name, action)


def place(document: Document, number: int, edges: tuple[int, int]) -> Table:
    start, end = edges
    before, after = document.text[max(start - AROUND, 0) : start], document.text[end : end + AROUND]
    return {"number": number, "start": start, "end": end, "before": before, "after": after}
