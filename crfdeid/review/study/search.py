"""Finding text in all notes of a study. The index is SQLite's FTS5, by trigrams, and only in memory: the
store holds no note text."""

from __future__ import annotations

import re
import sqlite3
import threading
import weakref
from collections.abc import Iterable
from typing import NamedTuple

from crfdeid.review.study.errors import NoteRefusedError
from crfdeid.review.study.note_index import NoteIndex

SHORTEST = 3  # characters that can be searched
MOST_HITS = 200  # notes in a reply


class Hit(NamedTuple):
    """A note with a text: in how many ``places``, and where first (code points)."""

    number: int
    places: int
    first: int


class TextIndex:
    """Built at the first search: 10,000 notes take some seconds."""

    def __init__(self, notes: NoteIndex) -> None:
        self.notes, self.lock = notes, threading.Lock()
        self.connection: sqlite3.Connection | None = None

    def find(self, text: str, numbers: Iterable[int]) -> tuple[list[Hit], int]:
        """The first notes among ``numbers`` that hold ``text``, whatever its capitals, at most
        :data:`MOST_HITS`, and the number of all of them. A note that changed on disk is left out."""
        wanted = set(numbers)
        found = [number for number in self.find_candidates(text) if number in wanted]
        pattern = re.compile(re.escape(text), re.IGNORECASE)
        hits = (self.look_at(number, pattern) for number in found[:MOST_HITS])
        return [hit for hit in hits if hit], len(found)

    def look_at(self, number: int, pattern: re.Pattern[str]) -> Hit | None:
        try:
            starts = [match.start() for match in pattern.finditer(self.notes.read_document(number).text)]
        except NoteRefusedError:
            return None
        return Hit(number, len(starts), starts[0]) if starts else None

    def find_candidates(self, text: str) -> list[int]:
        with self.lock:
            if self.connection is None:
                self.connection = build_index(self.notes)
                weakref.finalize(self, self.connection.close)
            phrase = '"' + text.replace("\0", " ").replace('"', '""') + '"'
            sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid"
            return [number for (number,) in self.connection.execute(sql, (phrase,))]


def build_index(notes: NoteIndex) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='trigram')")
    with connection:
        for note in notes.all:
            try:
                text = notes.read_document(note.number).text
            except NoteRefusedError:
                continue
            row = (note.number, text.replace("\0", " "))
            connection.execute("INSERT INTO texts(rowid, text) VALUES(?, ?)", row)
    return connection
