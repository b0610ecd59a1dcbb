"""The notes of a set as a reader sees them, the reader's progress, and the time that they spend."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from crfdeid.review.operations import ordering
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import InvalidValueError
from crfdeid.review.study.note_index import Note
from crfdeid.review.study.search import SHORTEST
from crfdeid.review.study.study import Json, Study, name_book

LONGEST_REPORT = 60.0  # seconds in one report of time
LONGEST_SEARCH = 200  # characters
PAUSE = 300.0  # seconds without a report that count as a pause


class OwnState(NamedTuple):
    """A reader's own state in a note, without the marks."""

    done: bool = False
    marks: int = 0
    decided: int = 0
    system: str | None = None


def list_notes(study: Study, reader: Reader, set_name: str | None, order: str = "given") -> Json:
    """The notes of a set with this reader's state in each, in one of the orders :data:`ordering.TO_READ`."""
    notes = study.find_set(set_name)
    states, counts, stages = read_own_states(study, reader), read_system_counts(study), read_stages(study)
    shown, assigned = study.premark_system, list_assigned(study, reader)
    rows = []
    for note in notes:
        state = states.get(note.number, OwnState())
        count, doubt = counts.get((state.system or shown or "", note.number), (0, None))
        row = describe_note(note, state) | {"undecided": count - state.decided, "uncertainty": doubt}
        row["refused"] = study.notes.refused.get(note.number)
        row["stage"] = stages.get(note.number, "none")
        row["assigned"] = assigned is None or note.number in assigned
        rows.append(row)
    ordering.sort_rows(rows, ordering.TO_READ, order)
    return {"notes": rows, "progress": measure_progress(study, reader, set_name)}


def list_assigned(study: Study, reader: Reader) -> set[int] | None:
    """The notes that the reader is to read; None where nothing is assigned to anybody."""
    if study.store.fetch_one("SELECT 1 FROM assignments") is None:
        return None
    sql = "SELECT note FROM assignments WHERE reader = ?"
    return {number for (number,) in study.store.fetch_all(sql, reader.name)}


def search_notes(study: Study, body: Json) -> Json:
    """The notes of a set that hold a text. Raises :class:`InvalidValueError` where the text is too short."""
    text = body.get("text")
    if not isinstance(text, str) or not SHORTEST <= len(text) <= LONGEST_SEARCH:
        raise InvalidValueError(f"wanted a text of {SHORTEST} to {LONGEST_SEARCH} characters")
    hits, count = study.text_index.find(text, (note.number for note in study.find_set(body.get("set"))))
    notes = [hit._asdict() | {"id": study.notes.find_note(hit.number).id} for hit in hits]
    return {"notes": notes, "total": count}


def read_own_states(study: Study, reader: Reader) -> dict[int, OwnState]:
    """The reader's states, by the note's number, of the notes that they have begun."""
    sql = """SELECT note, done, marks, decided, json_extract(state, '$.system') FROM states
             WHERE book = ? AND version > 0"""
    rows = study.store.fetch_all(sql, name_book(reader.name))
    return {number: OwnState(bool(done), *rest) for number, done, *rest in rows}


def read_system_counts(study: Study) -> dict[tuple[str, int], tuple[int, float | None]]:
    """By system and note, the number of spans and the expected number of wrong ones."""
    rows = study.store.fetch_all("SELECT system, note, count, doubt FROM found")
    return {(system, number): (count, doubt) for system, number, count, doubt in rows}


def read_stages(study: Study) -> dict[int, str]:
    """By note, whether its consensus is open or done."""
    rows = study.store.fetch_all("SELECT note, done FROM states WHERE book = 'consensus'")
    return {number: "done" if done else "open" for number, done in rows}


def describe_note(note: Note, state: OwnState) -> Json:
    return {
        "number": note.number,
        "id": note.id,
        "patient": note.patient,
        "words": note.words,
        "done": state.done,
        "marks": state.marks,
    }


def measure_progress(
    study: Study, reader: Reader, set_name: str | None, notes: Sequence[Note] | None = None
) -> Json:
    """How much of a set, or of its given ``notes``, the reader has read, how fast, and how long the rest
    would take at that pace."""
    notes = study.find_set(set_name) if notes is None else notes
    states = read_own_states(study, reader)
    rows = study.store.fetch_all("SELECT note, seconds FROM times WHERE reader = ?", reader.name)
    seconds = {number: value for number, value in rows}
    words = sum(note.words for note in notes)
    finished = [note for note in notes if states.get(note.number, OwnState()).done]
    words_done = sum(note.words for note in finished)
    seconds_done = sum(seconds.get(note.number, 0.0) for note in finished)
    pace = words_done / seconds_done * 60 if seconds_done and words_done else None
    return {
        "notes": len(notes),
        "done": len(finished),
        "words": words,
        "words_done": words_done,
        "seconds": sum(seconds.get(note.number, 0.0) for note in notes),
        "words_per_minute": pace,
        "seconds_left": (words - words_done) / pace * 60 if pace else None,
        "worked": measure_work_time(study, reader),
    }


def record_time(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Add the seconds that the reader looked at the note since the last report."""
    seconds = body.get("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise InvalidValueError("seconds: wanted a number")
    if not 0 <= seconds <= LONGEST_REPORT:
        raise InvalidValueError(f"seconds: wanted 0 to {LONGEST_REPORT:.0f}")
    study.notes.find_note(number)
    now = time.monotonic()
    since, until = study.work_times.get(reader.name, (now - seconds, now))
    study.work_times[reader.name] = (since if now - until < PAUSE else now - seconds, now)
    sql = """INSERT INTO times VALUES(?, ?, ?)
             ON CONFLICT(reader, note) DO UPDATE SET seconds = seconds + excluded.seconds"""
    study.store.execute(sql, reader.name, number, float(seconds))
    return {
        "seconds": read_seconds(study, reader, number),
        "worked": measure_work_time(study, reader),
    }


def read_seconds(study: Study, reader: Reader, number: int) -> float:
    """The seconds that the reader has looked at the note."""
    sql = "SELECT seconds FROM times WHERE reader = ? AND note = ?"
    row = study.store.fetch_one(sql, reader.name, number)
    return row[0] if row else 0


def measure_work_time(study: Study, reader: Reader) -> float:
    """Seconds since the reader's last pause."""
    since, until = study.work_times.get(reader.name, (0.0, -PAUSE))
    return until - since if time.monotonic() - until < PAUSE else 0.0
