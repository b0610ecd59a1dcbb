"""The notes of a set as a reader finds them, and how far and how fast the reader is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Invalid
from crfdeid.review.study.note_index import Note
from crfdeid.review.study.study import Study, book

Table = dict[str, Any]
ORDERS = ("given", "uncertainty")
LONGEST_REPORT = 60.0  # seconds that one report of time may claim
PAUSE = 300.0  # seconds without a report that make a pause


def notes(study: Study, reader: Reader, part: str | None, order: str = "given") -> Table:
    """The notes of a set with this reader's own state in each, in the order wanted."""
    if order not in ORDERS:
        raise Invalid(f"an order is one of {', '.join(ORDERS)}")
    chosen = study.part(part)
    states, found, stages, premarks = own(study, reader), findings(study), of_consensus(study), study.premarks
    rows = [
        row(note, states.get(note.number), found, premarks)
        | {"refused": study.notes.refused.get(note.number), "stage": stages.get(note.number, "none")}
        for note in chosen
    ]
    if order == "uncertainty":
        rows.sort(key=lambda table: (table["done"], -(table["uncertainty"] or 0.0)))
    return {"notes": rows, "progress": progress(study, reader, part)}


def own(study: Study, reader: Reader) -> dict[int, tuple]:
    sql = """SELECT note, done, marks, decided, json_extract(state, '$.system') FROM states
             WHERE book = ? AND version > 0"""
    return {number: rest for number, *rest in study.store.rows(sql, book(reader.name))}


def findings(study: Study) -> dict[tuple[str, int], tuple[int, float | None]]:
    """How many spans each system found in each note, and the sum of their doubts."""
    rows = study.store.rows("SELECT system, note, count, doubt FROM found")
    return {(system, number): (count, doubt) for system, number, count, doubt in rows}


def of_consensus(study: Study) -> dict[int, str]:
    rows = study.store.rows("SELECT note, done FROM states WHERE book = 'consensus'")
    return {number: "done" if done else "open" for number, done in rows}


def row(note: Note, state: tuple | None, found: dict, premarks: str | None) -> Table:
    done, marks, decided, system = state or (0, 0, 0, None)
    count, doubt = found.get((system or premarks, note.number), (0, None))
    return {
        "number": note.number,
        "id": note.id,
        "patient": note.patient,
        "words": note.words,
        "done": bool(done),
        "marks": marks,
        "undecided": count - decided,
        "uncertainty": doubt,
    }


def progress(study: Study, reader: Reader, part: str | None) -> Table:
    """How much is read, at what pace, and how long the rest would take at that pace."""
    chosen = study.part(part)
    done = {number for number, (finished, *_) in own(study, reader).items() if finished}
    rows = study.store.rows("SELECT note, seconds FROM times WHERE reader = ?", reader.name)
    seconds = {number: value for number, value in rows}
    words = sum(note.words for note in chosen)
    read = [note for note in chosen if note.number in done]
    words_done, spent = sum(note.words for note in read), sum(seconds.get(n.number, 0.0) for n in read)
    pace = words_done / spent * 60 if spent and words_done else None
    return {
        "notes": len(chosen),
        "done": len(read),
        "words": words,
        "words_done": words_done,
        "seconds": sum(seconds.get(note.number, 0.0) for note in chosen),
        "words_per_minute": pace,
        "seconds_left": (words - words_done) / pace * 60 if pace else None,
        "worked": worked(study, reader),
    }


def spend(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Note down seconds that the reader looked at the note."""
    seconds = given.get("seconds")
    if (
        not isinstance(seconds, int | float)
        or isinstance(seconds, bool)
        or not 0 <= seconds <= LONGEST_REPORT
    ):
        raise Invalid(f"a report of 0 to {LONGEST_REPORT:.0f} seconds")
    study.notes.note(number)
    now = time.monotonic()
    since, until = study.worked.get(reader.name, (now - seconds, now))
    study.worked[reader.name] = (since if now - until < PAUSE else now - seconds, now)
    sql = """INSERT INTO times VALUES(?, ?, ?)
             ON CONFLICT(reader, note) DO UPDATE SET seconds = seconds + excluded.seconds"""
    study.store.write(sql, reader.name, number, float(seconds))
    row = study.store.row("SELECT seconds FROM times WHERE reader = ? AND note = ?", reader.name, number)
    return {"seconds": row[0] if row else 0, "worked": worked(study, reader)}


def worked(study: Study, reader: Reader) -> float:
    """Seconds since the reader's last pause."""
    since, until = study.worked.get(reader.name, (0.0, -PAUSE))
    return until - since if time.monotonic() - until < PAUSE else 0.0
