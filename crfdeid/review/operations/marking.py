"""What a reader does: open notes, mark them, undo, go on. Every operation returns JSON for the page
(docs/review_api.md)."""

from __future__ import annotations

from crfdeid.review.operations import questions
from crfdeid.review.operations.listing import read_seconds
from crfdeid.review.operations.mark_validation import (
    MarkingContext,
    check_action,
    describe_span,
    list_undecided,
)
from crfdeid.review.study import shown
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import ConflictError, InvalidValueError, MarksClosedError, StageError
from crfdeid.review.study.event_log import Entry
from crfdeid.review.study.marks import Marking, is_whole_number
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Span


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
        "shown": shown.read_stretches(study.store, reader.name, number),
    } | describe_state(study, reader, number)


def describe_state(study: Study, reader: Reader, number: int, entry: Entry[Marking] | None = None) -> Json:
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
    """The premarks of a note: those of the system with which the reader began it."""
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
    return {"shown": shown.add_stretches(study.store, reader.name, number, map(tuple, found))}


def is_stretch(value: object, length: int) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(map(is_whole_number, value)) and 0 <= value[0] <= value[1] <= length


def refuse_unseen(study: Study, reader: Reader, number: int, text: str) -> None:
    """Raise :class:`StageError` where a part of the note was on no screen of the reader."""
    unseen = shown.find_unseen(text, shown.read_stretches(study.store, reader.name, number))
    if unseen is not None:
        raise StageError("unseen", "a part of the note has not been shown yet", unseen=unseen)


def refuse_closed(study: Study, reader: Reader, number: int) -> None:
    """Raise :class:`MarksClosedError` where the reader can no longer mark the note."""
    if study.is_closed(reader, number):
        raise MarksClosedError("this note is in consensus; its marks are closed")


def read_entry(study: Study, reader: Reader, number: int, body: Json) -> Entry[Marking]:
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
