"""Remarks and questions of readers about a place or a note, and the adjudicators' answers. What people write
here is in the store, and nowhere else."""

from __future__ import annotations

import time

from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import InvalidValueError, NotFoundError
from crfdeid.review.study.marks import is_whole_number
from crfdeid.review.study.study import Json, Study

LONGEST = 1000  # characters
COLUMNS = ("id", "number", "reader", "start", "end", "text", "at", "answer", "answered_by")
SELECT = 'SELECT id, note, reader, start, "end", text, at, answer, answered_by FROM questions'


def ask_question(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Write a question about a stretch of the note, or without one about the note; return the reader's own
    in it. Raises :class:`InvalidValueError`."""
    note, start, end = study.notes.find_note(number), body.get("start"), body.get("end")
    is_stretch = is_whole_number(start) and is_whole_number(end) and 0 <= start < end <= note.length
    if not is_stretch and (start, end) != (None, None):
        raise InvalidValueError("wanted a stretch of the note, or none")
    row = (number, reader.name, start, end, parse_text(body), time.time())
    sql = 'INSERT INTO questions(note, reader, start, "end", text, at) VALUES(?, ?, ?, ?, ?, ?)'
    study.store.execute(sql, *row)
    return {"questions": list_own(study, reader, number)}


def parse_text(body: Json) -> str:
    text = body.get("text")
    if not isinstance(text, str) or not 1 <= len(text.strip()) <= LONGEST:
        raise InvalidValueError(f"wanted a text of 1 to {LONGEST} characters")
    return text.strip()


def list_own(study: Study, reader: Reader, number: int) -> list[Json]:
    return fetch(study, "WHERE note = ? AND reader = ? ORDER BY id", number, reader.name)


def list_of_note(study: Study, number: int) -> list[Json]:
    return fetch(study, "WHERE note = ? ORDER BY id", number)


def list_questions(study: Study) -> Json:
    """All questions, those without an answer first."""
    return {"questions": fetch(study, "ORDER BY answer IS NOT NULL, note, id")}


def answer_question(study: Study, reader: Reader, id: int, body: Json) -> Json:
    """Raises :class:`NotFoundError`, :class:`InvalidValueError`."""
    text = parse_text(body)
    with study.store.transaction() as connection:
        if not fetch(study, "WHERE id = ?", id):
            raise NotFoundError("no such question")
        sql = "UPDATE questions SET answer = ?, answered_by = ? WHERE id = ?"
        connection.execute(sql, (text, reader.name, id))
    return list_questions(study)


def fetch(study: Study, rest: str, *values: object) -> list[Json]:
    return [dict(zip(COLUMNS, row)) for row in study.store.fetch_all(f"{SELECT} {rest}", *values)]
