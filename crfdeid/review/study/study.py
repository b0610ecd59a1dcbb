"""A study: created, and open with its store, notes, scheme and logs, as every operation needs them.

Each note is read once when a study is created, and its file and fingerprint are stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crfdeid.errors import FormatError, show_id
from crfdeid.redact.run import patients
from crfdeid.review.study import consensus, marks, surrogates
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import Consensus
from crfdeid.review.study.errors import NotFoundError
from crfdeid.review.study.event_log import EventLog
from crfdeid.review.study.marks import Marking
from crfdeid.review.study.note_index import NoteIndex, StudyNote, StudySearch, read_source
from crfdeid.review.study.source import Source, Stamp, compute_fingerprint, read_stamp
from crfdeid.review.study.store import Store
from crfdeid.review.study.surrogates import SurrogateDraft, SurrogateEdits
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

Progress = Callable[[list[Path]], Iterable[Path]]  # may show progress over the files

READERS = "reader:"  # the beginning of the names of readers' books
Json = dict[str, Any]  # the JSON object of a request or a reply


@dataclass
class Study:
    """``out`` is the folder of exports. ``requires_login`` is true where other machines can reach the server:
    every reader needs a password, and no request may name a file of this machine. ``work_times`` holds, by
    reader, since when and until when they have worked without a pause (monotonic seconds); ``drafts`` the
    surrogates proposed for a note, by its number; ``measured`` the figures of a decided note, with what they
    depend on; likewise ``replaced`` the numbers of its replacements, and ``compared`` and
    ``agreed`` how far its readers differ and agree."""

    store: Store
    notes: NoteIndex
    scheme: Scheme
    out: Path
    requires_login: bool = False
    work_times: dict[str, tuple[float, float]] = field(default_factory=dict)
    drafts: dict[int, SurrogateDraft] = field(default_factory=dict)
    measured: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    replaced: dict[int, tuple[Any, Json]] = field(default_factory=dict)
    agreed: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    compared: dict[int, tuple[Any, tuple[int, int]]] = field(default_factory=dict)

    @cached_property
    def marks_log(self) -> EventLog[Marking]:
        return EventLog(self.store, marks.FOLD)

    @cached_property
    def consensus_log(self) -> EventLog[Consensus]:
        return EventLog(self.store, consensus.FOLD)

    @cached_property
    def surrogates_log(self) -> EventLog[SurrogateEdits]:
        return EventLog(self.store, surrogates.FOLD)

    @cached_property
    def text_index(self) -> StudySearch:
        return StudySearch(self.notes)

    @cached_property
    def sets(self) -> dict[str, list[StudyNote]]:
        """The notes of each set, by the set's name."""
        sets: dict[str, list[StudyNote]] = {}
        for note in self.notes.all:
            sets.setdefault(note.set_name, []).append(note)
        return sets

    @property
    def premark_system(self) -> str | None:
        """The system whose spans readers see as premarks."""
        return self.store.read_setting("premarks") or None

    def find_set(self, name: str | None) -> list[StudyNote]:
        """The notes of a set; all notes for None. Raises :class:`NotFoundError`."""
        if name is None:
            return self.notes.all
        if not isinstance(name, str) or name not in self.sets:
            raise NotFoundError("no set with this name")
        return self.sets[name]

    def list_systems(self) -> list[str]:
        """The names of the systems, in the order in which they were loaded."""
        return [name for (name,) in self.store.fetch_all("SELECT name FROM systems ORDER BY number")]

    def read_spans(self, system: str | None, number: int) -> list[Span]:
        """A system's spans in a note, in reading order, with their probabilities if it has any."""
        sql = "SELECT spans FROM found WHERE system = ? AND note = ?"
        row = self.store.fetch_one(sql, system, number)
        return [Span(*span) for span in json.loads(row[0])] if row else []

    def find_readers(self, number: int) -> dict[str, bool]:
        """The readers who have begun the note, and whether each has finished it."""
        sql = "SELECT book, done FROM states WHERE note = ? AND book LIKE 'reader:%' AND version > 0"
        rows = self.store.fetch_all(sql, number)
        return {name_reader(book): bool(done) for book, done in rows}

    def list_decided(self) -> list[int]:
        """The numbers of the notes whose consensus is done."""
        sql = "SELECT note FROM states WHERE book = 'consensus' AND done ORDER BY note"
        return [number for (number,) in self.store.fetch_all(sql)]

    def is_closed(self, reader: Reader, number: int) -> bool:
        """Whether the reader's marks in the note can no longer change: because they are votes, or because the
        reader may have seen the marks of others."""
        sql = """SELECT 1 FROM closed WHERE note = ?1 AND reader = ?2
                 UNION SELECT 1 FROM seen WHERE note = ?1 AND reader = ?2
                 UNION SELECT 1 FROM states AS own JOIN states AS common USING(note)
                 WHERE note = ?1 AND own.book = ?3 AND own.done
                 AND common.book = 'consensus' AND common.done"""
        return self.store.fetch_one(sql, number, reader.name, name_book(reader.name)) is not None


def name_book(reader: str) -> str:
    """The name of the book with a reader's marks."""
    return f"{READERS}{reader}"


def name_reader(book: str) -> str:
    """The name of the reader whose book it is."""
    return book.removeprefix(READERS)


def open_study(
    path: Path, out: Path | None = None, notes_path: Path | None = None, requires_login: bool = False
) -> Study:
    """Open the study in the store at ``path``. Raises :class:`StoreError`, also where ``notes_path`` is not
    where its notes are."""
    store = Store(path)
    try:
        notes = NoteIndex(store, read_source(store, notes_path))
        notes.check_files()
        label_scheme = scheme.read_scheme(store.read_setting("scheme") or scheme.DEFAULT)
    except BaseException:
        store.close()
        raise
    return Study(store, notes, label_scheme, out or path.with_name(f"{path.stem}-export"), requires_login)


def index_notes(
    store: Store, source: Source, sets: int = 1, progress: Progress = iter, patient_from: str | None = None
) -> None:
    """Read all notes once and write their index. Raises :class:`FormatError` where an id occurs twice."""
    found: list[tuple[Document, str, Stamp]] = []
    ids: set[str] = set()
    pattern = patients.compile_pattern(patient_from) if patient_from else None
    for file in progress(source.list_files()):
        name = source.name_file(file)
        stamp = read_stamp(file)
        for document in source.read_notes(file):
            if document.id in ids:
                raise FormatError(f"{file}: {show_id(document.id)} occurs twice")
            ids.add(document.id)
            named = patients.find_patient(document, pattern) if pattern else document
            found.append((named, name, stamp))
    counts = [len(document.text.split()) for document, *_ in found]
    set_names = divide_into_sets([document for document, *_ in found], counts, sets)
    with store.transaction() as connection:
        rows = (
            (number, document.id, document.patient, set_name, name, compute_fingerprint(document.text),
             len(document.text), count, *stamp)
            for number, ((document, name, stamp), count, set_name)
            in enumerate(zip(found, counts, set_names), 1)
        )  # fmt: skip
        connection.executemany("INSERT INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        store.write_setting("source", source.encode())


def divide_into_sets(documents: list[Document], counts: list[int], sets: int) -> list[str]:
    """The name of each note's set, "1" and so on: runs of patients with about equal numbers of words
    (Douglass 2005, section 3.2, had four sets of equal size). ``counts`` are the words of each document."""
    total = max(sum(counts), 1)
    set_of_patient: dict[str, str] = {}
    names, before = [], 0
    for document, count in zip(documents, counts):
        key = document.patient if document.patient is not None else f"\0{document.id}"
        names.append(set_of_patient.setdefault(key, str(min(before * sets // total, sets - 1) + 1)))
        before += count
    return names


def has_study(store: Path) -> bool:
    """Whether the store exists and has content: an interrupted creation leaves an empty file."""
    return store.exists() and store.stat().st_size > 0


def create_study(
    path: Path,
    source: Source,
    scheme: str,
    title: str | None,
    sets: int,
    progress: Progress = iter,
    patient_from: str | None = None,
) -> None:
    """Create a study in a new store at ``path``; ``patient_from`` is a pattern that finds the patient in a
    note's id. Where the notes cannot be read, no store is left."""
    store = Store(path)
    try:
        with store.transaction():
            index_notes(store, source, sets, progress, patient_from)
            store.write_setting("scheme", scheme)
            store.write_setting("title", title or path.stem)
    except BaseException:
        store.close()
        for left in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)
        raise
    store.close()
