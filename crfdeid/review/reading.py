"""What a reader does: look at notes, mark them, take back, go on. Every operation answers with a table for
the page (docs/review_api.md)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crfdeid.document import Document, Span
from crfdeid.review import words
from crfdeid.review.faults import Closed, Conflict, Invalid, Refused, Stage, Unknown
from crfdeid.review.log import Action, Entry
from crfdeid.review.marks import Marking, checked_span, whole
from crfdeid.review.readers import Reader
from crfdeid.review.room import Room, book

Table = dict[str, Any]
AROUND = 40  # characters of context on each side of a repeat
LONGEST_REPORT = 60.0  # seconds that one report of time may claim
PAUSE = 300.0  # seconds without a report that make a pause


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
    refuse_closed(room, reader, number)
    with room.store.writing():
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


def repeats(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Where else the text of a mark stands in this patient's notes, marked as well if ``apply``.

    The marks in all notes are one group: one undo takes them back.
    """
    refuse_closed(room, reader, number)
    with room.store.writing():
        entry = at_version(room, reader, number, given)
        mark = entry.state.mark(given.get("mark"))
        sought = room.notes.document(number).covered(mark.span)
        places, skipped = sought_in(room, reader, room.notes.siblings(number), sought)
        if given.get("apply") is True and places:
            mark_all(room, reader, places, mark.type)
    shown = [place(document, other, edges) for document, other, spans in places for edges in spans]
    return {"places": shown, "skipped": skipped, "state": state(room, reader, number)}


Places = list[tuple[Document, int, list[tuple[int, int]]]]


def sought_in(room: Room, reader: Reader, numbers: list[int], sought: str) -> tuple[Places, list[Table]]:
    """The unmarked places by note, and the notes that could not be looked at, with why."""
    places: Places = []
    skipped: list[Table] = []
    for number in numbers:
        if room.closed(reader, number):
            skipped.append({"number": number, "why": "closed"})
            continue
        try:
            document = room.notes.document(number)
        except Refused as refused:
            skipped.append({"number": number, "why": refused.why})
            continue
        marks = room.marking.entry(book(reader.name), number).state.marks
        found = words.repeats(document.text, sought)
        free = [(a, b) for a, b in found if all(b <= mark.start or mark.end <= a for mark in marks)]
        if free:
            places.append((document, number, free))
    return places, skipped


def mark_all(room: Room, reader: Reader, places: Places, type: str) -> None:
    shelf, group = book(reader.name), uuid.uuid4().hex
    for _, number, found in places:
        entry = room.marking.entry(shelf, number)
        spans = [[start, end, type] for start, end in found]
        action: Table = {"kind": "add_many", "spans": spans, "by": "repeat", "group": group}
        if entry.state.system is None and offered(room, entry.state, number):
            action["system"] = room.premarks
        room.marking.append(shelf, number, entry.version, reader.name, action)


def place(document: Document, number: int, edges: tuple[int, int]) -> Table:
    start, end = edges
    before, after = document.text[max(start - AROUND, 0) : start], document.text[end : end + AROUND]
    return {"number": number, "start": start, "end": end, "before": before, "after": after}


def spend(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Note down seconds that the reader looked at the note."""
    seconds = given.get("seconds")
    if (
        not isinstance(seconds, int | float)
        or isinstance(seconds, bool)
        or not 0 <= seconds <= LONGEST_REPORT
    ):
        raise Invalid(f"a report of 0 to {LONGEST_REPORT:.0f} seconds")
    room.notes.note(number)
    now = time.monotonic()
    since, until = room.worked.get(reader.name, (now - seconds, now))
    room.worked[reader.name] = (since if now - until < PAUSE else now - seconds, now)
    sql = """INSERT INTO times VALUES(?, ?, ?)
             ON CONFLICT(reader, note) DO UPDATE SET seconds = seconds + excluded.seconds"""
    room.store.write(sql, reader.name, number, float(seconds))
    row = room.store.row("SELECT seconds FROM times WHERE reader = ? AND note = ?", reader.name, number)
    return {"seconds": row[0] if row else 0, "worked": worked(room, reader)}


def worked(room: Room, reader: Reader) -> float:
    """Seconds since the reader's last pause."""
    since, until = room.worked.get(reader.name, (0.0, -PAUSE))
    return until - since if time.monotonic() - until < PAUSE else 0.0
