"""What a reader does: look at notes, mark them, take back, go on. Every operation answers with a table for
the page (docs/review_api.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crfdeid.document import Document, Span
from crfdeid.review.faults import Closed, Conflict, Invalid, Stage, Unknown
from crfdeid.review.log import Action, Entry
from crfdeid.review.marks import Marking, checked_span, whole
from crfdeid.review.readers import Reader
from crfdeid.review.room import Room, book

Table = dict[str, Any]


def note(room: Room, reader: Reader, number: int) -> Table:
    """The note with its text, and the reader's state in it. Raises :class:`Refused`."""
    document, known = room.notes.document(number), room.notes.note(number)
    beside = [other.number for other in room.sets[known.part]]
    place = beside.index(number)
    return {
        "id": known.id,
        "patient": known.patient,
        "text": document.text,
        "words": known.words,
        "previous": beside[place - 1] if place else None,
        "next": beside[place + 1] if place + 1 < len(beside) else None,
    } | state(room, reader, number)


def state(room: Room, reader: Reader, number: int, entry: Entry[Marking] | None = None) -> Table:
    entry = entry or room.marking.entry(book(reader.name), number)
    marking = entry.state
    premarks = offered(room, marking, number)
    row = room.store.row("SELECT seconds FROM times WHERE reader = ? AND note = ?", reader.name, number)
    return {
        "number": number,
        "version": entry.version,
        "done": marking.done,
        "closed": room.closed(reader, number),
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


def span_table(span: Span) -> Table:
    return {"start": span.start, "end": span.end, "type": span.type}


def offered(room: Room, marking: Marking, number: int) -> list[Span]:
    """The premarks of a note: of the system that the reader began it with."""
    return room.found(marking.system or room.premarks, number)


def undecided(marking: Marking, premarks: list[Span]) -> list[int]:
    return [number for number in range(len(premarks)) if number not in marking.decisions]


def act(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Do one action and answer with the state it leads to, which is then on disk. Raises
    :class:`Conflict` with the present state, :class:`Closed`, :class:`Refused`, :class:`Invalid`, ...
    """
    document = room.notes.document(number)
    with room.store.writing():  # no consensus can open meanwhile
        refuse_closed(room, reader, number)
        entry = at_version(room, reader, number, given)
        action = checked(room, number, entry.state, document, given)
        kind, shelf = action["kind"], book(reader.name)
        others = room.marking.alike(shelf, number, kind) if kind in ("undo", "redo") else []
        after = room.marking.append(shelf, number, entry.version, reader.name, action)
        for other, version in others:
            if not room.closed(reader, other):
                room.marking.append(shelf, other, version, reader.name, action)
    return state(room, reader, number, after)


def refuse_closed(room: Room, reader: Reader, number: int) -> None:
    if room.closed(reader, number):
        raise Closed("this note is in consensus; its marks are closed")


def at_version(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Entry[Marking]:
    """The reader's entry, if ``given`` names its version. Raises :class:`Conflict`."""
    version = given.get("version")
    if not whole(version):
        raise Invalid("an action names the version it was made for")
    entry = room.marking.entry(book(reader.name), number)
    if entry.version != version:
        conflict = Conflict(entry.version)
        conflict.more["state"] = state(room, reader, number, entry)
        raise conflict
    return entry


@dataclass(frozen=True)
class Before:
    """What an action meets."""

    marking: Marking
    premarks: list[Span]
    length: int
    types: tuple[str, ...]

    def spanned(self, given: Mapping[str, Any], base: Span | None = None) -> Table:
        """The stretch and type of ``given``, of ``base`` where it names none. Raises :class:`Invalid`."""
        table = {key: given[key] for key in ("start", "end", "type") if key in given}
        return span_table(checked_span((span_table(base) if base else {}) | table, self.length, self.types))

    def premark(self, given: Mapping[str, Any]) -> int:
        number = given.get("premark")
        if not whole(number) or not 0 <= number < len(self.premarks):
            raise Unknown("no such premark")
        return number


def checked(
    room: Room, number: int, marking: Marking, document: Document, given: Mapping[str, Any]
) -> Action:
    """The action as it is logged: complete, and good for this state."""
    before = Before(marking, offered(room, marking, number), len(document.text), room.scheme.types)
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in CHECKS:
        raise Invalid("no such kind of action")
    action = {"kind": kind} | CHECKS[kind](before, given)
    if before.premarks and marking.system is None:
        action["system"] = room.premarks  # later models do not change what this reader was shown
    return action


def check_add(before: Before, given: Mapping[str, Any]) -> Table:
    return before.spanned(given)


def check_change(before: Before, given: Mapping[str, Any]) -> Table:
    mark = before.marking.mark(given.get("mark"))
    return {"mark": mark.id} | before.spanned(given, mark.span)


def check_remove(before: Before, given: Mapping[str, Any]) -> Table:
    return {"mark": before.marking.mark(given.get("mark")).id}


def check_accept(before: Before, given: Mapping[str, Any]) -> Table:
    number = before.premark(given)
    return {"premark": number} | span_table(before.premarks[number])


def check_alter(before: Before, given: Mapping[str, Any]) -> Table:
    number = before.premark(given)
    return {"premark": number} | before.spanned(given, before.premarks[number])


def check_reject(before: Before, given: Mapping[str, Any]) -> Table:
    return {"premark": before.premark(given)}


def check_done(before: Before, given: Mapping[str, Any]) -> Table:
    if left := undecided(before.marking, before.premarks):
        raise Stage("undecided", f"{len(left)} premarks are not looked at yet", undecided=len(left))
    return {}


def nothing(before: Before, given: Mapping[str, Any]) -> Table:
    return {}


CHECKS = {
    "add": check_add, "change": check_change, "remove": check_remove, "accept": check_accept,
    "alter": check_alter, "reject": check_reject, "done": check_done, "reopen": nothing, "undo": nothing,
    "redo": nothing,
}  # fmt: skip
