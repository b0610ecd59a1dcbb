"""The list of the notes to decide: who has read each, how far they differ, and what they doubt."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from crfdeid.review.operations import ordering
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.marks import Marking, decode_state
from crfdeid.review.study.note_index import Note
from crfdeid.review.study.study import READERS, Json, Study, name_reader
from crfdeid.text.document import Span


class BookState(NamedTuple):
    """A reader's book, or the consensus, in one note."""

    book: str
    version: int
    done: bool
    undecided: int


def list_notes(study: Study, set_name: str | None, order: str = "given") -> Json:
    """The notes of a set with their readers and the stage of their consensus, in one of the orders
    :data:`ordering.TO_DECIDE`. ``differences`` counts the spans that not all readers who have finished have,
    ``unsure`` the marks of which a reader was unsure and the questions without an answer."""
    books, notes = read_books(study), study.find_set(set_name)
    asked = count_open_questions(study)
    compare_readers(study, (note for note in notes if note.number in books), books)
    rows = [describe_note(study, note, books.get(note.number, []), asked) for note in notes]
    ordering.sort_rows(rows, ordering.TO_DECIDE, order)
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


def describe_note(study: Study, note: Note, books: list[BookState], asked: dict[int, int]) -> Json:
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


def compare_readers(study: Study, notes: Iterable[Note], books: dict[int, list[BookState]]) -> None:
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
