"""The work of a reader: open notes, mark them and all repeats of a mark, undo, go on.

Every operation returns JSON for the page (docs/review_api.md). Actions are logged with all offsets and types.
A note that was not shown whole cannot be finished (Douglass 2005, section 4.1: readers missed the ends of
notes).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from crfdeid.review.operations import questions
from crfdeid.review.operations.listing import read_seconds
from crfdeid.review.study import marks
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import (
    ConflictError,
    InvalidValueError,
    MarksClosedError,
    NoteRefusedError,
    NotFoundError,
    StageError,
)
from crfdeid.review.study.event_log import Action, BookEntry
from crfdeid.review.study.marks import Marking, is_whole_number, parse_span
from crfdeid.review.study.store import Store
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Span

Stretch = tuple[int, int]


CONTEXT = 40  # characters on each side of a repeat


def show_note(study: Study, reader: Reader, number: int) -> Json:
    """The note with its text, and the reader's state in it. Raises :class:`NoteRefusedError`."""
    document, note = study.notes.read_document(number), study.notes.find_note(number)
    numbers = [other.number for other in study.sets[note.set_name]]
    place = numbers.index(number)
    return {
        "id": note.id,
        "patient": note.patient,
        "text": document.text,
        "words": note.words,
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
        "questions": questions.list_own(study, reader, number),
        "shown": read_stretches(study.store, reader.name, number),
    } | describe_state(study, reader, number)


def describe_state(
    study: Study, reader: Reader, number: int, entry: BookEntry[Marking] | None = None
) -> Json:
    """The reader's marks and premarks in the note."""
    entry = entry or study.marks_log.read_entry(name_book(reader.name), number)
    marking = entry.state
    premarks = find_premarks(study, marking, number)
    return {
        "number": number,
        "version": entry.version,
        "done": marking.done,
        "closed": study.is_closed(reader, number),
        "undo": entry.undo,
        "redo": entry.redo,
        "undecided": len(list_undecided(marking, premarks)),
        "seconds": read_seconds(study, reader, number),
        "marks": [
            {"id": m.id} | describe_span(m.span) | {"by": m.by, "unsure": m.unsure} for m in marking.marks
        ],
        "premarks": [
            describe_span(span)
            | {"id": n, "probability": span.probability, "decision": marking.decisions.get(n)}
            for n, span in enumerate(premarks)
        ],
    }


def find_premarks(study: Study, marking: Marking, number: int) -> list[Span]:
    """The premarks of a note: the spans of the system with which the reader began it."""
    return study.read_spans(marking.system or study.premark_system, number)


def change_marks(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Do one action; return the state after it, which is then on disk. Raises :class:`ConflictError` with the
    present state, :class:`MarksClosedError`, :class:`NoteRefusedError`, :class:`InvalidValueError`, ..."""
    document = study.notes.read_document(number)
    with study.store.transaction():  # meanwhile no consensus can open
        refuse_closed(study, reader, number)
        entry = read_entry(study, reader, number, body)
        premarks = find_premarks(study, entry.state, number)
        context = MarkingContext(entry.state, premarks, len(document.text), study.scheme.types)
        action = check_action(context, study.premark_system, body)
        if action["kind"] == "done":
            refuse_unseen(study, reader, number, document.text)
        kind, book = action["kind"], name_book(reader.name)
        others = study.marks_log.find_same_group(book, number, kind) if kind in ("undo", "redo") else []
        after = study.marks_log.append(book, number, entry.version, reader.name, action)
        for other, version in others:
            if not study.is_closed(reader, other):
                study.marks_log.append(book, other, version, reader.name, action)
    return describe_state(study, reader, number, after)


def record_shown(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Remember which ``stretches`` of the note the reader's screen showed."""
    length = len(study.notes.read_document(number).text)
    found = body.get("stretches")
    if not isinstance(found, list) or not all(is_stretch(one, length) for one in found):
        raise InvalidValueError("wanted stretches of the note: [[start, end], ...]")
    return {"shown": add_stretches(study.store, reader.name, number, map(tuple, found))}


def is_stretch(value: object, length: int) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(map(is_whole_number, value)) and 0 <= value[0] <= value[1] <= length


def refuse_unseen(study: Study, reader: Reader, number: int, text: str) -> None:
    """Raise :class:`StageError` where a part of the note was on no screen of the reader."""
    unseen = find_unseen(text, read_stretches(study.store, reader.name, number))
    if unseen is not None:
        raise StageError("unseen", "a part of the note has not been shown yet", unseen=unseen)


def refuse_closed(study: Study, reader: Reader, number: int) -> None:
    """Raise :class:`MarksClosedError` where the reader can no longer mark the note."""
    if study.is_closed(reader, number):
        raise MarksClosedError("this note is in consensus; its marks are closed")


def read_entry(study: Study, reader: Reader, number: int, body: Json) -> BookEntry[Marking]:
    """The reader's entry, if ``body`` names its version. Raises :class:`ConflictError`."""
    version = body.get("version")
    if not is_whole_number(version):
        raise InvalidValueError("wanted the version that the action changes")
    entry = study.marks_log.read_entry(name_book(reader.name), number)
    if entry.version != version:
        conflict = ConflictError(entry.version)
        conflict.details["state"] = describe_state(study, reader, number, entry)
        raise conflict
    return entry


def describe_span(span: Span) -> Json:
    return {"start": span.start, "end": span.end, "type": span.type}


def list_undecided(marking: Marking, premarks: list[Span]) -> list[int]:
    """The numbers of the premarks that have no decision yet."""
    return [number for number in range(len(premarks)) if number not in marking.decisions]


@dataclass(frozen=True)
class MarkingContext:
    """The state that an action changes; ``length`` is the note's number of characters."""

    marking: Marking
    premarks: list[Span]
    length: int
    types: tuple[str, ...]

    def parse_span(self, body: Json, base: Span | None = None) -> Json:
        """The span of ``body``; the fields that it does not have come from ``base``. Raises
        :class:`InvalidValueError`."""
        changes = {key: body[key] for key in ("start", "end", "type") if key in body}
        fields = (describe_span(base) if base else {}) | changes
        return describe_span(parse_span(fields, self.length, self.types))

    def parse_premark(self, body: Json) -> int:
        """The number of a premark. Raises :class:`NotFoundError`."""
        number = body.get("premark")
        if not is_whole_number(number) or not 0 <= number < len(self.premarks):
            raise NotFoundError("no such premark")
        return number


def check_action(context: MarkingContext, system: str | None, body: Json) -> Action:
    """The action as it is logged; ``system`` is the one whose premarks the reader sees. Raises
    :class:`InvalidValueError`, :class:`StageError`, :class:`NotFoundError`."""
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in CHECKS:
        raise InvalidValueError("no such kind of action")
    action = {"kind": kind} | CHECKS[kind](context, body)
    if context.premarks and context.marking.system is None:
        action["system"] = system  # later models do not change what this reader sees
    return action


def check_add(context: MarkingContext, body: Json) -> Json:
    return context.parse_span(body)


def check_change(context: MarkingContext, body: Json) -> Json:
    mark = context.marking.find_mark(body.get("mark"))
    return {"mark": mark.id} | context.parse_span(body, mark.span)


def check_doubt(context: MarkingContext, body: Json) -> Json:
    return {"mark": context.marking.find_mark(body.get("mark")).id, "unsure": body.get("unsure") is True}


def check_remove(context: MarkingContext, body: Json) -> Json:
    return {"mark": context.marking.find_mark(body.get("mark")).id}


def check_accept(context: MarkingContext, body: Json) -> Json:
    number = context.parse_premark(body)
    return {"premark": number} | describe_span(context.premarks[number])


def check_alter(context: MarkingContext, body: Json) -> Json:
    number = context.parse_premark(body)
    return {"premark": number} | context.parse_span(body, context.premarks[number])


def check_reject(context: MarkingContext, body: Json) -> Json:
    return {"premark": context.parse_premark(body)}


def check_done(context: MarkingContext, body: Json) -> Json:
    if left := list_undecided(context.marking, context.premarks):
        raise StageError("undecided", f"{len(left)} premarks are not decided yet", undecided=len(left))
    return {}


def check_nothing(context: MarkingContext, body: Json) -> Json:
    return {}


CHECKS = {
    "add": check_add, "change": check_change, "doubt": check_doubt, "remove": check_remove,
    "accept": check_accept, "alter": check_alter, "reject": check_reject, "done": check_done,
    "reopen": check_nothing, "undo": check_nothing, "redo": check_nothing,
}  # fmt: skip


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
        own = study.marks_log.read_entry(name_book(reader.name), number).state.marks
        repeats = marks.find_repeats(text, wanted)
        free = [(a, b) for a, b in repeats if all(b <= mark.start or mark.end <= a for mark in own)]
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


def read_stretches(store: Store, reader: str, number: int) -> list[Stretch]:
    """The parts that were shown, in order and apart from each other."""
    row = store.fetch_one("SELECT stretches FROM shown WHERE reader = ? AND note = ?", reader, number)
    return [(start, end) for start, end in json.loads(row[0])] if row else []


def add_stretches(store: Store, reader: str, number: int, stretches: Iterable[Stretch]) -> list[Stretch]:
    """Remember that the parts were shown too; return all of them."""
    with store.transaction() as connection:
        merged = merge_stretches([*read_stretches(store, reader, number), *stretches])
        row = (reader, number, json.dumps(merged))
        connection.execute("INSERT OR REPLACE INTO shown VALUES(?, ?, ?)", row)
        return merged


def merge_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """
    >>> merge_stretches([(5, 9), (0, 3), (3, 4), (6, 12)])
    [(0, 4), (5, 12)]
    """
    merged: list[Stretch] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def find_unseen(text: str, stretches: Iterable[Stretch]) -> int | None:
    """The first character, white space apart, that was not shown; None where all were.

    >>> find_unseen("Dr. Ruiz\\n", [(0, 4)]), find_unseen("Dr. Ruiz\\n", [(0, 8)])
    (4, None)
    """
    end = len(text)
    gaps: list[Stretch] = []
    for start, stop in reversed(merge_stretches(stretches)):
        gaps.append((stop, end))
        end = start
    gaps.append((0, end))
    for start, stop in reversed(gaps):
        if rest := text[start:stop].lstrip():
            return stop - len(rest)
    return None
