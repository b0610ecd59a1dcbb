"""The study's notes: an index in the store, the texts on disk, and a search through all texts.

The store holds each note's file and the fingerprint of its text (SHA-256). A text is read when it is needed,
and its fingerprint is compared; a note that changed is refused by name. Opening a study looks only at sizes
and times of change, so that 10,000 notes open in less than a second. The index of the search is SQLite's
FTS5, by trigrams, and only in memory: the store holds no note text.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import NoteRefusedError, NotFoundError, StoreError
from crfdeid.review.study.source import (
    Source,
    Stamp,
    compute_fingerprint,
    decode_source,
    read_stamp,
    read_stamps,
)
from crfdeid.review.study.store import Store
from crfdeid.text.document import Document

SHORTEST = 3  # characters that can be searched
MOST_HITS = 200  # notes in a reply

CACHED_FILES = 64  # whose notes stay in memory


@dataclass(frozen=True, slots=True)
class StudyNote:
    """A row of the index. ``file`` is the file's path in the source's folder, or "" where the source is one
    file. ``length`` counts code points, ``size`` bytes; ``modified`` is in nanoseconds."""

    number: int
    id: str
    patient: str | None
    set_name: str
    file: str
    fingerprint: str
    length: int
    words: int
    size: int
    modified: int

    @property
    def stamp(self) -> Stamp:
        return self.size, self.modified


class NoteIndex:
    """The notes of an open study. ``refused`` is "changed" or "missing", by the note's number;
    ``unknown_files`` counts files beside the notes that are not in the study."""

    def __init__(self, store: Store, source: Source) -> None:
        self.source = source
        self.all = [StudyNote(*row) for row in store.fetch_all("SELECT * FROM notes ORDER BY number")]
        self.refused: dict[int, str] = {}
        self.unknown_files = 0
        self.cache: OrderedDict[str, tuple[Stamp, dict[str, Document]]] = OrderedDict()
        self.lock = threading.Lock()
        self.patients: dict[str, list[int]] = {}
        for note in self.all:
            self.patients.setdefault(key_patient(note), []).append(note.number)

    def __len__(self) -> int:
        return len(self.all)

    def find_note(self, number: int) -> StudyNote:
        """Raises :class:`NotFoundError`."""
        if not 1 <= number <= len(self.all):
            raise NotFoundError(f"no note {number}")
        return self.all[number - 1]

    def read_document(self, number: int) -> Document:
        """The note's document without spans. Raises :class:`NoteRefusedError` where its text has changed or
        its file is missing."""
        note = self.find_note(number)
        document = self.read_from_disk(note)
        if document is None or compute_fingerprint(document.text) != note.fingerprint:
            why = "missing" if document is None else "changed"
            self.refused[number] = why
            raise NoteRefusedError(note.id, why)
        self.refused.pop(number, None)
        return document

    def read_from_disk(self, note: StudyNote) -> Document | None:
        """The note as it is on disk now, or None; a file is read again only when its stamp changes."""
        path = self.source.path / note.file if note.file else self.source.path
        with self.lock:
            try:
                stamp = read_stamp(path)
                if note.file not in self.cache or self.cache[note.file][0] != stamp:
                    self.cache[note.file] = (stamp, {d.id: d for d in self.source.read_notes(path)})
            except (OSError, CrfdeidError):  # the file is missing, or no longer a document
                self.cache.pop(note.file, None)
                return None
            self.cache.move_to_end(note.file)
            if len(self.cache) > CACHED_FILES:
                self.cache.popitem(last=False)
            return self.cache[note.file][1].get(note.id)

    def find_siblings(self, number: int) -> list[int]:
        """The numbers of all notes of the same patient, including this one."""
        return self.patients[key_patient(self.find_note(number))]

    def check_files(self) -> None:
        """Find the notes that changed on disk since the study was created; read only files whose stamp
        changed."""
        stamps = self.find_changes()
        self.unknown_files = len(stamps.keys() - {note.file for note in self.all})

    def find_changes(self) -> dict[str, Stamp]:
        """Look again at the notes whose file's stamp changed, and at those refused; return the stamps."""
        stamps = read_stamps(self.source)
        for note in self.all:
            if stamps.get(note.file) != note.stamp or note.number in self.refused:
                with suppress(NoteRefusedError):
                    self.read_document(note.number)
        return stamps


def key_patient(note: StudyNote) -> str:
    """The note's patient; without one, a key that no other note has."""
    return note.patient if note.patient is not None else f"\0{note.number}"


def read_source(store: Store, path: Path | None) -> Source:
    """The source that the study was created from. Raises :class:`StoreError` where ``path`` is another."""
    encoded = store.read_setting("source")
    if encoded is None:
        raise StoreError(f"{store.path}: a study without notes")
    source = decode_source(encoded)
    if path is not None and path != source.path:
        raise StoreError(f"{store.path}: a study of the notes in {source.path}, not of those in {path}")
    return source


class Hit(NamedTuple):
    """A note with a text: in how many ``places``, and where first (code points)."""

    number: int
    places: int
    first: int


class StudySearch:
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
