"""An open study: its store, notes, scheme and books, as every operation of the reading room needs them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from string import ascii_lowercase, digits

from crfdeid.review.study import consensus, marks, surrogates
from crfdeid.review.study.accounts import PasswordChecker, Reader
from crfdeid.review.study.consensus import Consensus
from crfdeid.review.study.errors import Unknown
from crfdeid.review.study.event_log import Log
from crfdeid.review.study.marks import Marking
from crfdeid.review.study.note_index import Note, Notes, open_source
from crfdeid.review.study.store import Store
from crfdeid.review.study.surrogates import SurrogateDraft, SurrogateEdits
from crfdeid.text import scheme
from crfdeid.text.document import Span
from crfdeid.text.scheme import Scheme


@dataclass
class Study:
    """``out`` is where exports go. ``requires_login``: other machines can reach the server, so
    everybody needs a password, and no request may name a file of this machine."""

    store: Store
    notes: Notes
    scheme: Scheme
    out: Path
    requires_login: bool = False
    worked: dict[str, tuple[float, float]] = field(default_factory=dict)  # since when, and until when
    drawn: dict[int, SurrogateDraft] = field(default_factory=dict)  # surrogates, by note

    @cached_property
    def password_checker(self) -> PasswordChecker:
        return PasswordChecker(self.store)

    @cached_property
    def marking(self) -> Log[Marking]:
        return Log(self.store, marks.FOLD)

    @cached_property
    def consensus(self) -> Log[Consensus]:
        return Log(self.store, consensus.FOLD)

    @cached_property
    def replacing(self) -> Log[SurrogateEdits]:
        return Log(self.store, surrogates.FOLD)

    @cached_property
    def sets(self) -> dict[str, list[Note]]:
        found: dict[str, list[Note]] = {}
        for note in self.notes.all:
            found.setdefault(note.part, []).append(note)
        return found

    @property
    def premarks(self) -> str | None:
        """The system whose findings readers are shown."""
        return self.store.setting("premarks") or None

    def part(self, name: str | None) -> list[Note]:
        """The notes of a set, or all. Raises :class:`Unknown`."""
        if name is None:
            return self.notes.all
        if not isinstance(name, str) or name not in self.sets:
            raise Unknown("no set of this name")
        return self.sets[name]

    def systems(self) -> list[str]:
        """By when they were loaded."""
        return [name for (name,) in self.store.rows("SELECT name FROM systems ORDER BY number")]

    def found(self, system: str | None, number: int) -> list[Span]:
        """A system's spans in a note, in reading order, with probabilities where it has any."""
        row = self.store.row("SELECT spans FROM found WHERE system = ? AND note = ?", system, number)
        return [Span(*span) for span in json.loads(row[0])] if row else []

    def finished(self, number: int) -> dict[str, bool]:
        """Every reader who has begun the note, and whether they have finished it."""
        sql = "SELECT book, done FROM states WHERE note = ? AND book LIKE 'reader:%' AND version > 0"
        return {book.removeprefix("reader:"): bool(done) for book, done in self.store.rows(sql, number)}

    def decided(self) -> list[int]:
        """The numbers of the notes whose consensus is done."""
        rows = self.store.rows("SELECT note FROM states WHERE book = 'consensus' AND done ORDER BY note")
        return [number for (number,) in rows]

    def closed(self, reader: Reader, number: int) -> bool:
        """Whether the reader's marks in the note can no longer change: they are votes, or the reader may have
        seen what others marked."""
        sql = """SELECT 1 FROM closed WHERE note = ?1 AND reader = ?2
                 UNION SELECT 1 FROM seen WHERE note = ?1 AND reader = ?2
                 UNION SELECT 1 FROM states AS own JOIN states AS common USING(note)
                 WHERE note = ?1 AND own.book = ?3 AND own.done
                 AND common.book = 'consensus' AND common.done"""
        return self.store.row(sql, number, reader.name, book(reader.name)) is not None


def book(reader: str) -> str:
    return f"reader:{reader}"


def keys(types: Sequence[str]) -> dict[str, str]:
    """A key for each type: its first letter that is free, then any letter, then digits.

    >>> keys(["PATIENT", "PHONE", "DATE"])
    {'PATIENT': 'p', 'PHONE': 'h', 'DATE': 'd'}
    """
    taken: dict[str, str] = {}
    for type in types:
        wanted = [c for c in type.lower() if c in ascii_lowercase] + list(ascii_lowercase + digits)
        if free := [key for key in wanted if key not in taken.values()]:
            taken[type] = free[0]
    return taken


def enter(
    path: Path, out: Path | None = None, notes_path: Path | None = None, requires_login: bool = False
) -> Study:
    """The study in the store at ``path``. Raises :class:`StoreError`."""
    store = Store(path)
    try:
        where = open_source(store, notes_path)
        notes = Notes(store, where)
        notes.look()
        named = scheme.read_scheme(store.setting("scheme") or scheme.DEFAULT)
    except BaseException:
        store.close()
        raise
    return Study(store, notes, named, out or path.with_name(f"{path.stem}-export"), requires_login)
