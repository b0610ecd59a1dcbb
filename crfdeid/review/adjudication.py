"""What an adjudicator does: lay the marks of several readers side by side, decide, and reopen.

Nobody sees another reader's marks in a note that they are still to read themselves: whoever opens a consensus
has finished the note or can no longer begin it, and an unfinished reader stands in the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crfdeid.document import Document, Span
from crfdeid.review import agreement, consensus
from crfdeid.review.consensus import BOOK, Consensus
from crfdeid.review.faults import Conflict, Forbidden, Invalid, Stage, Unknown
from crfdeid.review.log import Action, Entry
from crfdeid.review.marks import checked_span, whole
from crfdeid.review.readers import Reader
from crfdeid.review.reading import span_table
from crfdeid.review.room import Room, book

Table = dict[str, Any]


def notes(room: Room, part: str | None) -> Table:
    """The notes of a set with who has read them, and how far their consensus is."""
    begun: dict[int, dict[str, bool]] = {}
    sql = "SELECT note, book, done FROM states WHERE book LIKE 'reader:%' AND version > 0 ORDER BY book"
    for number, shelf, done in room.store.rows(sql):
        begun.setdefault(number, {})[shelf.removeprefix("reader:")] = bool(done)
    rows = room.store.rows("SELECT note, done, marks - decided FROM states WHERE book = 'consensus'")
    opened = {number: (bool(done), left) for number, done, left in rows}
    found = []
    for note in room.part(part):
        readers = begun.get(note.number, {})
        unfinished = [name for name, done in readers.items() if not done]
        found.append({
            "number": note.number,
            "id": note.id,
            "readers": [name for name, done in readers.items() if done],
            "unfinished": unfinished,
            "stage": stage(opened.get(note.number), readers, unfinished),
            "undecided": opened.get(note.number, (False, 0))[1],
            "refused": room.notes.refused.get(note.number),
        })  # fmt: skip
    return {"notes": found, "systems": room.systems()}


def stage(opened: tuple[bool, int] | None, readers: Mapping[str, bool], unfinished: list[str]) -> str:
    if opened:
        return "done" if opened[0] else "open"
    return "ready" if readers and not unfinished else "none"


def view(room: Room, reader: Reader, number: int) -> Table:
    """The consensus with the note's text. Raises :class:`Forbidden` for a reader to whom it is not open
    yet."""
    document = room.notes.document(number)
    entry = room.consensus.entry(BOOK, number)
    if reader.role != "adjudicator" and not (
        entry.state.done and room.finished(number).get(reader.name, False)
    ):
        raise Forbidden("not to be seen before this note's consensus is done and you have finished the note")
    if not entry.state.opened:
        raise Unknown("the consensus of this note is not opened yet")
    see(room, reader, number)
    return {"text": document.text} | table(room, number, entry)


def see(room: Room, reader: Reader, number: int) -> None:
    """Who looks at what others marked can no longer mark the note. Raises :class:`Stage` where they are
    in the middle of it."""
    if room.finished(number).get(reader.name) is False and not room.closed(reader, number):
        raise Stage("own", "finish this note as a reader first, or you would see what others marked")
    sql = "SELECT 1 FROM seen WHERE note = ? AND reader = ?"
    if room.store.row(sql, number, reader.name) is None:
        room.store.write("INSERT OR IGNORE INTO seen VALUES(?, ?)", number, reader.name)


def table(room: Room, number: int, entry: Entry[Consensus]) -> Table:
    note, state = room.notes.note(number), entry.state
    return {
        "number": number,
        "id": note.id,
        "patient": note.patient,
        "version": entry.version,
        "done": state.done,
        "undo": max(entry.undo - 1, 0),
        "redo": entry.redo,
        "undecided": len(state.undecided),
        "voters": [{"name": name, "kind": kind} for name, kind in state.kinds.items()],
        "items": [item_table(item, state) for item in state.items],
        "extra": [{"id": mark.id} | span_table(mark.span) for mark in state.extra.marks],
        "spans": [span_table(span) for span in state.spans],
    }


def item_table(item: agreement.Item, state: Consensus) -> Table:
    decision = state.decisions.get(item.key)
    return {
        "key": item.key,
        "start": item.start,
        "end": item.end,
        "agreement": item.agreement,
        "votes": {name: [span_table(span) for span in spans] for name, spans in item.votes.items()},
        "suggestion": [span_table(span) for span in item.suggestion],
        "preset": item.preset,
        "decision": decision
        and {"spans": [span_table(span) for span in decision.spans], "ambiguous": decision.ambiguous},
    }


def opened(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Open the consensus of a note, or answer with it where it is open already."""
    document = room.notes.document(number)
    with room.store.writing():
        entry = room.consensus.entry(BOOK, number)
        if not entry.state.opened:
            action = {"kind": "open"} | votes(room, document, number, given)
            entry = written(room, reader, number, entry.version, action)
        see(room, reader, number)
    return {"text": document.text} | table(room, number, entry)


def votes(room: Room, document: Document, number: int, given: Mapping[str, Any]) -> Table:
    """The marks of the readers and systems named, of all readers who have finished where none are."""
    finished = room.finished(number)
    names, systems = wanted(given, "readers"), wanted(given, "systems") or []
    if names is None and not all(finished.values()):
        waiting = ", ".join(name for name, done in finished.items() if not done)
        raise Stage("unfinished", f"not finished yet by {waiting}; name the readers to go on without")
    names = sorted(finished) if names is None else names
    if absent := [name for name in names if name not in finished]:
        raise Unknown(f"{', '.join(absent)}: has not read this note")
    if [name for name in systems if name not in room.systems()]:
        raise Unknown("no system of this name")
    if not names and not systems:
        raise Stage("unfinished", "nobody has finished this note yet")
    marked = {name: room.marking.entry(book(name), number).state.spans for name in names}
    marked |= {name: tuple(room.found(name, number)) for name in systems}
    return {
        "votes": {n: consensus.rows(tuple(agreement.trimmed(document.text, s))) for n, s in marked.items()},
        "kinds": {name: "system" if name in systems else "reader" for name in marked},
    }


def wanted(given: Mapping[str, Any], key: str) -> list[str] | None:
    names = given.get(key)
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise Invalid(f"{key}: a list of names, or null")
    return None if names is None else list(dict.fromkeys(names))


def written(room: Room, reader: Reader, number: int, version: int, action: Action) -> Entry[Consensus]:
    """Log an action, and close the note for the readers whose votes it has."""
    with room.store.writing() as connection:
        entry = room.consensus.append(BOOK, number, version, reader.name, action)
        connection.execute("DELETE FROM closed WHERE note = ?", (number,))
        rows = [(number, name) for name in entry.state.readers]
        connection.executemany("INSERT INTO closed VALUES(?, ?)", rows)
        return entry


def act(room: Room, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Do one action on an open consensus. Raises :class:`Conflict` with the present state, :class:`Stage`,
    :class:`Invalid`, ..."""
    document = room.notes.document(number)
    if not whole(given.get("version")):
        raise Invalid("an action names the version it was made for")
    with room.store.writing():
        entry = room.consensus.entry(BOOK, number)
        if not entry.state.opened:
            raise Stage("none", "the consensus of this note is not opened yet")
        if entry.version != given["version"]:
            conflict = Conflict(entry.version)
            conflict.more["state"] = table(room, number, entry)
            raise conflict
        action = checked(room, document, number, entry, given)
        after = written(room, reader, number, entry.version, action)
        refuse_overlaps(after.state)
    return table(room, number, after)


def checked(
    room: Room, document: Document, number: int, entry: Entry[Consensus], given: Mapping[str, Any]
) -> Action:
    """The action as it is logged: complete, and good for this state."""
    kind, state = given.get("kind"), entry.state
    if kind not in KINDS:
        raise Invalid("no such kind of action")
    if state.done and kind not in ("reopen", "undo", "redo"):
        raise Stage("done", "this consensus is done; reopen it to revise it")
    if kind == "undo" and entry.undo <= 1:  # the first action opened it
        raise Stage("nothing", "there is nothing to take back")
    if kind == "done" and (left := state.undecided):
        raise Stage("undecided", f"{len(left)} items are not decided yet", undecided=len(left))
    if kind == "votes":
        return {"kind": kind} | votes(room, document, number, given)
    if kind in ("decide", "undecide"):
        return {"kind": kind} | decision(room, document, state, given)
    return {"kind": kind} | extra(room, document, state, given)


KINDS = ("decide", "undecide", "add", "change", "remove", "votes", "done", "reopen", "undo", "redo")


def decision(room: Room, document: Document, state: Consensus, given: Mapping[str, Any]) -> Table:
    key, chosen = given.get("item"), given.get("spans", [])
    if key not in [item.key for item in state.items]:
        raise Unknown("no such item")
    if given.get("kind") == "undecide":
        return {"item": key}
    if not isinstance(chosen, list) or not all(isinstance(span, dict) for span in chosen):
        raise Invalid("spans: a list of stretches with their types, empty to reject")
    spans = tuple(checked_span(span, len(document.text), room.scheme.types) for span in chosen)
    return {"item": key, "spans": consensus.rows(spans), "ambiguous": given.get("ambiguous") is True}


def extra(room: Room, document: Document, state: Consensus, given: Mapping[str, Any]) -> Table:
    """The fields of an action on marks that no voter had; of any other kind, none."""
    kind = given["kind"]
    mark = state.extra.mark(given.get("mark")) if kind in ("change", "remove") else None
    found: Table = {"mark": mark.id} if mark else {}
    if kind in ("add", "change"):
        stretch = {key: given[key] for key in ("start", "end", "type") if key in given}
        base = span_table(mark.span) if mark else {}
        found |= span_table(checked_span(base | stretch, len(document.text), room.scheme.types))
    return found


def refuse_overlaps(state: Consensus) -> None:
    """A consensus whose spans overlap could not train a model; the transaction is rolled back."""
    last: Span | None = None
    for span in state.spans:
        if last and span.start < last.end:
            raise Invalid(
                f"{span.start}-{span.end} overlaps {last.start}-{last.end}, which is decided already"
            )
        last = span
