"""Marking all repeats of a mark in the notes of its patient."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from crfdeid.review.operations.marking import describe_state, find_premarks, read_entry, refuse_closed
from crfdeid.review.study import word_boundaries
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import NoteRefusedError
from crfdeid.review.study.study import Json, Study, name_book

CONTEXT = 40  # characters on each side of a repeat


class NotePlaces(NamedTuple):
    """The start and end of each unmarked repeat in a note."""

    number: int
    text: str
    ranges: list[tuple[int, int]]


def mark_repeats(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Find where else the text of a mark occurs in this patient's notes, and mark these places if ``apply``.

    The new marks in all notes are one group: one undo removes them.
    """
    with study.store.transaction():
        refuse_closed(study, reader, number)
        entry = read_entry(study, reader, number, body)
        mark = entry.state.find_mark(body.get("mark"))
        wanted = study.notes.read_document(number).text_of(mark.span)
        found, skipped = find_places(study, reader, study.notes.find_siblings(number), wanted)
        if body.get("apply") is True and found:
            mark_places(study, reader, found, mark.type)
    places = [describe_place(note, start, end) for note in found for start, end in note.ranges]
    return {"places": places, "skipped": skipped, "state": describe_state(study, reader, number)}


def find_places(
    study: Study, reader: Reader, numbers: list[int], wanted: str
) -> tuple[list[NotePlaces], list[Json]]:
    """The unmarked places by note, and the notes that were skipped, with the reason."""
    found: list[NotePlaces] = []
    skipped: list[Json] = []
    for number in numbers:
        if study.is_closed(reader, number):
            skipped.append({"number": number, "why": "closed"})
            continue
        try:
            text = study.notes.read_document(number).text
        except NoteRefusedError as error:
            skipped.append({"number": number, "why": error.why})
            continue
        marks = study.marks_log.read_entry(name_book(reader.name), number).state.marks
        repeats = word_boundaries.find_repeats(text, wanted)
        free = [(a, b) for a, b in repeats if all(b <= mark.start or mark.end <= a for mark in marks)]
        if free:
            found.append(NotePlaces(number, text, free))
    return found, skipped


def mark_places(study: Study, reader: Reader, found: list[NotePlaces], type: str) -> None:
    book, group = name_book(reader.name), uuid.uuid4().hex
    for note in found:
        entry = study.marks_log.read_entry(book, note.number)
        spans = [[start, end, type] for start, end in note.ranges]
        action: Json = {"kind": "add_many", "spans": spans, "by": "repeat", "group": group}
        if entry.state.system is None and find_premarks(study, entry.state, note.number):
            action["system"] = study.premark_system
        study.marks_log.append(book, note.number, entry.version, reader.name, action)


def describe_place(note: NotePlaces, start: int, end: int) -> Json:
    before, after = note.text[max(start - CONTEXT, 0) : start], note.text[end : end + CONTEXT]
    return {"number": note.number, "start": start, "end": end, "before": before, "after": after}
