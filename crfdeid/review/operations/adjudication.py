"""What an adjudicator does: lay the marks of several readers side by side, decide, and reopen.

Nobody sees another reader's marks in a note that they are still to read themselves: whoever opens a consensus
has finished the note or can no longer begin it, and an unfinished reader stands in the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crfdeid.review.operations.mark_validation import span_table
from crfdeid.review.study import agreement, consensus
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import Forbidden, Invalid, Stage, Unknown
from crfdeid.review.study.event_log import Action, Entry
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document

Table = dict[str, Any]


def notes(study: Study, part: str | None) -> Table:
    """The notes of a set with who has read them, and how far their consensus is."""
    begun: dict[int, dict[str, bool]] = {}
    sql = "SELECT note, book, done FROM states WHERE book LIKE 'reader:%' AND version > 0 ORDER BY book"
    for number, shelf, done in study.store.rows(sql):
        begun.setdefault(number, {})[shelf.removeprefix("reader:")] = bool(done)
    rows = study.store.rows("SELECT note, done, marks - decided FROM states WHERE book = 'consensus'")
    opened = {number: (bool(done), left) for number, done, left in rows}
    found = []
    for note in study.part(part):
        readers = begun.get(note.number, {})
        unfinished = [name for name, done in readers.items() if not done]
        found.append({
            "number": note.number,
            "id": note.id,
            "readers": [name for name, done in readers.items() if done],
            "unfinished": unfinished,
            "stage": stage(opened.get(note.number), readers, unfinished),
            "undecided": opened.get(note.number, (False, 0))[1],
            "refused": study.notes.refused.get(note.number),
        })  # fmt: skip
    return {"notes": found, "systems": study.systems()}


def stage(opened: tuple[bool, int] | None, readers: Mapping[str, bool], unfinished: list[str]) -> str:
    if opened:
        return "done" if opened[0] else "open"
    return "ready" if readers and not unfinished else "none"


def view(study: Study, reader: Reader, number: int) -> Table:
    """The consensus with the note's text. Raises :class:`Forbidden` for a reader to whom it is not open
    yet."""
    document = study.notes.document(number)
    entry = study.consensus.entry(BOOK, number)
    if reader.role != "adjudicator" and not (
        entry.state.done and study.finished(number).get(reader.name, False)
    ):
        raise Forbidden("not to be seen before this note's consensus is done and you have finished the note")
    if not entry.state.opened:
        raise Unknown("the consensus of this note is not opened yet")
    see(study, reader, number)
    return {"text": document.text} | table(study, number, entry)


def see(study: Study, reader: Reader, number: int) -> None:
    """Who looks at what others marked can no longer mark the note. Raises :class:`Stage` where they are
    in the middle of it."""
    if study.finished(number).get(reader.name) is False and not study.closed(reader, number):
        raise Stage("own", "finish this note as a reader first, or you would see what others marked")
    sql = "SELECT 1 FROM seen WHERE note = ? AND reader = ?"
    if study.store.row(sql, number, reader.name) is None:
        study.store.write("INSERT OR IGNORE INTO seen VALUES(?, ?)", number, reader.name)


def table(study: Study, number: int, entry: Entry[Consensus]) -> Table:
    note, state = study.notes.note(number), entry.state
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


def opened(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Open the consensus of a note, or answer with it where it is open already."""
    document = study.notes.document(number)
    with study.store.writing():
        entry = study.consensus.entry(BOOK, number)
        if not entry.state.opened:
            action = {"kind": "open"} | votes(study, document, number, given)
            entry = written(study, reader, number, entry.version, action)
        see(study, reader, number)
    return {"text": document.text} | table(study, number, entry)


def votes(study: Study, document: Document, number: int, given: Mapping[str, Any]) -> Table:
    """The marks of the readers and systems named, of all readers who have finished where none are."""
    finished = study.finished(number)
    names, systems = wanted(given, "readers"), wanted(given, "systems") or []
    if names is None and not all(finished.values()):
        waiting = ", ".join(name for name, done in finished.items() if not done)
        raise Stage("unfinished", f"not finished yet by {waiting}; name the readers to go on without")
    names = sorted(finished) if names is None else names
    if absent := [name for name in names if name not in finished]:
        raise Unknown(f"{', '.join(absent)}: has not read this note")
    if [name for name in systems if name not in study.systems()]:
        raise Unknown("no system of this name")
    if not names and not systems:
        raise Stage("unfinished", "nobody has finished this note yet")
    marked = {name: study.marking.entry(book(name), number).state.spans for name in names}
    marked |= {name: tuple(study.found(name, number)) for name in systems}
    return {
        "votes": {n: consensus.rows(tuple(agreement.trimmed(document.text, s))) for n, s in marked.items()},
        "kinds": {name: "system" if name in systems else "reader" for name in marked},
    }


def wanted(given: Mapping[str, Any], key: str) -> list[str] | None:
    names = given.get(key)
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise Invalid(f"{key}: a list of names, or null")
    return None if names is None else list(dict.fromkeys(names))


def written(study: Study, reader: Reader, number: int, version: int, action: Action) -> Entry[Consensus]:
    """Log an action, and close the note for the readers whose votes it has."""
    with study.store.writing() as connection:
        entry = study.consensus.append(BOOK, number, version, reader.name, action)
        connection.execute("DELETE FROM closed WHERE note = ?", (number,))
        rows = [(number, name) for name in entry.state.readers]
        connection.executemany("INSERT INTO closed VALUES(?, ?)", rows)
        return entry
