"""The notes of a set to read and those to decide, in order, with progress and the time that readers spend.

A model learns most from notes of which it is least sure (uncertainty sampling: Lewis & Gale 1994, SIGIR); its
doubt of a note is the expected number of wrong spans. Figures that are to hold for all notes need notes at
random instead.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import InvalidValueError
from crfdeid.review.study.marks import Marking, decode_state
from crfdeid.review.study.note_index import SHORTEST, StudyNote
from crfdeid.review.study.study import READERS, Json, Study, name_book, name_reader
from crfdeid.review.study.system_spans import UNKNOWN_DOUBT
from crfdeid.text.document import Span

Orders = Mapping[str, Callable[[Json], Any] | None]  # the key by which rows are sorted; None leaves them

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
    doubted = shown or next(reversed(study.list_systems()), "")
    rows = []
    for note in notes:
        state = states.get(note.number, OwnState())
        count, _ = counts.get((state.system or shown or "", note.number), (0, None))
        _, doubt = counts.get((state.system or doubted, note.number), (0, None))
        row = describe_note(note, state) | {"undecided": count - state.decided, "uncertainty": doubt}
        row["refused"] = study.notes.refused.get(note.number)
        row["stage"] = stages.get(note.number, "none")
        row["assigned"] = assigned is None or note.number in assigned
        rows.append(row)
    sort_rows(rows, TO_READ, order)
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
    """By system and note, the number of spans and the expected number of wrong ones, which older versions
    did not store where a span had no probability."""
    sql = "SELECT system, note, count, coalesce(doubt, count * ?) FROM found"
    rows = study.store.fetch_all(sql, UNKNOWN_DOUBT)
    return {(system, number): (count, doubt) for system, number, count, doubt in rows}


def read_stages(study: Study) -> dict[int, str]:
    """By note, whether its consensus is open or done."""
    rows = study.store.fetch_all("SELECT note, done FROM states WHERE book = 'consensus'")
    return {number: "done" if done else "open" for number, done in rows}


def describe_note(note: StudyNote, state: OwnState) -> Json:
    return {
        "number": note.number,
        "id": note.id,
        "patient": note.patient,
        "words": note.words,
        "done": state.done,
        "marks": state.marks,
    }


def measure_progress(
    study: Study, reader: Reader, set_name: str | None, notes: Sequence[StudyNote] | None = None
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


def measure_doubt(row: Json) -> float:
    """The expected number of wrong spans of the system; 0 where there is no system."""
    return row["uncertainty"] or 0.0


def measure_density(row: Json) -> float:
    return measure_doubt(row) / max(1, row["words"])


def scatter(row: Json) -> bytes:
    """A place at random, the same each time and for every reader."""
    return sha256(f"{row['number']}".encode()).digest()


SHARED: dict[str, Callable[[Json], Any] | None] = {
    "given": None,
    "long": lambda row: -row["words"],
    "short": lambda row: row["words"],
    "patient": lambda row: row["patient"] or "",
}
TO_READ: Orders = SHARED | {
    "uncertainty": lambda row: (row["done"], -measure_doubt(row)),
    "density": lambda row: (row["done"], -measure_density(row)),
    "random": scatter,
    "marks": lambda row: -row["marks"],
}
TO_DECIDE: Orders = SHARED | {
    "unsure": lambda row: -row["unsure"],
    "disagreement": lambda row: (row["stage"] == "done", -(row["differences"] or 0)),
    "left": lambda row: -row["undecided"],
}


def sort_rows(rows: list[Json], orders: Orders, order: str) -> None:
    """Sort the rows of a list; those that are equal stay as given. Raises :class:`InvalidValueError`."""
    if order not in orders:
        raise InvalidValueError(f"an order is one of {', '.join(orders)}")
    if key := orders[order]:
        rows.sort(key=key)


class BookState(NamedTuple):
    """A reader's book, or the consensus, in one note."""

    book: str
    version: int
    done: bool
    undecided: int


def list_notes_to_decide(study: Study, set_name: str | None, order: str = "given") -> Json:
    """The notes of a set with their readers and the stage of their consensus, in one of the orders
    :data:`ordering.TO_DECIDE`. ``differences`` counts the spans that not all readers who have finished have,
    ``unsure`` the marks of which a reader was unsure and the questions without an answer."""
    books, notes = read_books(study), study.find_set(set_name)
    asked = count_open_questions(study)
    compare_readers(study, (note for note in notes if note.number in books), books)
    rows = [describe_note_to_decide(study, note, books.get(note.number, []), asked) for note in notes]
    sort_rows(rows, TO_DECIDE, order)
    return {"notes": rows, "systems": study.list_systems()}


def read_books(study: Study) -> dict[int, list[BookState]]:
    """The readers' books and the consensus of each note that has any."""
    sql = """SELECT note, book, version, done, marks - decided FROM states
             WHERE book <> 'surrogates' AND version > 0 ORDER BY note, book"""
    books: dict[int, list[BookState]] = {}
    for number, book, version, done, undecided in study.store.fetch_all(sql):
        books.setdefault(number, []).append(BookState(book, version, bool(done), undecided))
    return books


def count_open_questions(study: Study) -> dict[int, int]:
    sql = "SELECT note, count(*) FROM questions WHERE answer IS NULL GROUP BY note"
    return dict(study.store.fetch_all(sql))


def describe_note_to_decide(
    study: Study, note: StudyNote, books: list[BookState], asked: dict[int, int]
) -> Json:
    readers = [one for one in books if one.book.startswith(READERS)]
    consensus = next((one for one in books if one.book == BOOK), None)
    unfinished = [name_reader(one.book) for one in readers if not one.done]
    differences, unsure = study.compared.get(note.number, (None, (None, 0)))[1]
    return {
        "number": note.number,
        "id": note.id,
        "patient": note.patient,
        "words": note.words,
        "readers": [name_reader(one.book) for one in readers if one.done],
        "unfinished": unfinished,
        "stage": name_stage(consensus, bool(readers), bool(unfinished)),
        "undecided": consensus.undecided if consensus else 0,
        "differences": differences,
        "unsure": unsure + asked.get(note.number, 0),
        "refused": study.notes.refused.get(note.number),
    }


def name_stage(consensus: BookState | None, is_read: bool, is_being_read: bool) -> str:
    """none, ready, open or done."""
    if consensus:
        return "done" if consensus.done else "open"
    return "ready" if is_read and not is_being_read else "none"


def compare_readers(study: Study, notes: Iterable[StudyNote], books: dict[int, list[BookState]]) -> None:
    """Count anew the differences of the notes that somebody has marked since the last time."""
    for note in notes:
        key = tuple(one for one in books[note.number] if one.book.startswith(READERS) and one.done)
        if not key:
            study.compared.pop(note.number, None)
        elif study.compared.get(note.number, (None,))[0] != key:
            study.compared[note.number] = (key, count_differences(study, note.number, key))


def count_differences(study: Study, number: int, books: Iterable[BookState]) -> tuple[int, int]:
    """The spans that not all of the books have, and the marks of which their readers were unsure."""
    sql = "SELECT state FROM states WHERE book = ? AND note = ?"
    markings: list[Marking] = []
    for one in books:
        ((state,),) = study.store.fetch_all(sql, one.book, number)
        markings.append(decode_state(json.loads(state)))
    spans: list[set[Span]] = [set(marking.spans) for marking in markings]
    unsure = sum(mark.unsure for marking in markings for mark in marking.marks)
    return len(set[Span].union(*spans) - set[Span].intersection(*spans)), unsure
