"""What a reader does: look at notes, mark them, take back, go on. Every operation answers with a table for
the page (docs/review_api.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crfdeid.review.operations.mark_validation import Before, checked, span_table, undecided
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Closed, Conflict, Invalid
from crfdeid.review.study.event_log import Entry
from crfdeid.review.study.marks import Marking, whole
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Span

Table = dict[str, Any]


def note(study: Study, reader: Reader, number: int) -> Table:
    """The note with its text, and the reader's state in it. Raises :class:`Refused`."""
    document, known = study.notes.document(number), study.notes.note(number)
    beside = [other.number for other in study.sets[known.part]]
    place = beside.index(number)
    return {
        "id": known.id,
        "patient": known.patient,
        "text": document.text,
        "words": known.words,
        "previous": beside[place - 1] if place else None,
        "next": beside[place + 1] if place + 1 < len(beside) else None,
    } | state(study, reader, number)


def state(study: Study, reader: Reader, number: int, entry: Entry[Marking] | None = None) -> Table:
    entry = entry or study.marking.entry(book(reader.name), number)
    marking = entry.state
    premarks = offered(study, marking, number)
    row = study.store.row("SELECT seconds FROM times WHERE reader = ? AND note = ?", reader.name, number)
    return {
        "number": number,
        "version": entry.version,
        "done": marking.done,
        "closed": study.closed(reader, number),
        "undo": entry.undo,
        "redo": entry.redo,
        "undecided": len(undecided(marking, premarks)),
        "seconds": row[0] if row else 0,
        "marks": [
            {"id": m.id, "start": m.start, "end": m.end, "type": m.type, "by": m.by} for m in marking.marks
        ],
        "premarks": [
            span_table(span)
            | {"id": n, "probability": span.probability, "decision": marking.decisions.get(n)}
            for n, span in enumerate(premarks)
        ],
    }


def offered(study: Study, marking: Marking, number: int) -> list[Span]:
    """The premarks of a note: of the system that the reader began it with."""
    return study.found(marking.system or study.premarks, number)


def act(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Do one action and answer with the state it leads to, which is then on disk. Raises
    :class:`Conflict` with the present state, :class:`Closed`, :class:`Refused`, :class:`Invalid`, ...
    """
    document = study.notes.document(number)
    with study.store.writing():  # no consensus can open meanwhile
        refuse_closed(study, reader, number)
        entry = at_version(study, reader, number, given)
        before = Before(
            entry.state, offered(study, entry.state, number), len(document.text), study.scheme.types
        )
        action = checked(before, study.premarks, given)
        kind, shelf = action["kind"], book(reader.name)
        others = study.marking.alike(shelf, number, kind) if kind in ("undo", "redo") else []
        after = study.marking.append(shelf, number, entry.version, reader.name, action)
        for other, version in others:
            if not study.closed(reader, other):
                study.marking.append(shelf, other, version, reader.name, action)
    return state(study, reader, number, after)


def refuse_closed(study: Study, reader: Reader, number: int) -> None:
    if study.closed(reader, number):
        raise Closed("this note is in consensus; its marks are closed")


def at_version(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Entry[Marking]:
    """The reader's entry, if ``given`` names its version. Raises :class:`Conflict`."""
    version = given.get("version")
    if not whole(version):
        raise Invalid("an action names the version it was made for")
    entry = study.marking.entry(book(reader.name), number)
    if entry.version != version:
        conflict = Conflict(entry.version)
        conflict.details["state"] = state(study, reader, number, entry)
        raise conflict
    return entry
