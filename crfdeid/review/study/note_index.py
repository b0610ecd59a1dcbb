"""The study's notes: an index in the store, the texts on disk.

The store knows each note's file and the fingerprint of its text (SHA-256). A text is read when it is
wanted, and compared; one that is not what was marked is refused by name. Opening a study looks at sizes
and times of change alone, so that 10,000 notes open in under a second.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import Refused, StoreError, Unknown
from crfdeid.review.study.source import Source, Stamp, fingerprint, source, stamp, stamps
from crfdeid.review.study.store import Store
from crfdeid.text.document import Document

CACHED = 64  # files whose notes stay in memory


@dataclass(frozen=True, slots=True)
class Note:
    """``file`` is its name in the source's folder, or empty where the source is one file."""

    number: int
    id: str
    patient: str | None
    part: str
    file: str
    fingerprint: str
    length: int
    words: int
    size: int
    modified: int

    @property
    def stamp(self) -> Stamp:
        return self.size, self.modified


class Notes:
    """The notes of an open study. ``refused`` says of numbers whether they are changed or missing;
    ``unknown`` counts files beside them that are not in the study."""

    def __init__(self, store: Store, where: Source) -> None:
        self.source = where
        self.all = [Note(*row) for row in store.rows("SELECT * FROM notes ORDER BY number")]
        self.refused: dict[int, str] = {}
        self.unknown = 0
        self.cache: OrderedDict[str, tuple[Stamp, dict[str, Document]]] = OrderedDict()
        self.lock = threading.Lock()
        self.patients: dict[str, list[int]] = {}
        for note in self.all:
            self.patients.setdefault(patient(note), []).append(note.number)

    def __len__(self) -> int:
        return len(self.all)

    def note(self, number: int) -> Note:
        if not 1 <= number <= len(self.all):
            raise Unknown(f"no note {number}")
        return self.all[number - 1]

    def document(self, number: int) -> Document:
        """The note's document without spans. Raises :class:`Refused` where it is not what it was."""
        note = self.note(number)
        found = self.read(note)
        if found is None or fingerprint(found.text) != note.fingerprint:
            why = "missing" if found is None else "changed"
            self.refused[number] = why
            raise Refused(note.id, why)
        self.refused.pop(number, None)
        return found

    def read(self, note: Note) -> Document | None:
        path = self.source.path / note.file if note.file else self.source.path
        with self.lock:
            try:
                now = stamp(path)
                if note.file not in self.cache or self.cache[note.file][0] != now:
                    self.cache[note.file] = (now, {d.id: d for d in self.source.read(path)})
            except (OSError, CrfdeidError):  # gone, or no document any more
                self.cache.pop(note.file, None)
                return None
            self.cache.move_to_end(note.file)
            if len(self.cache) > CACHED:
                self.cache.popitem(last=False)
            return self.cache[note.file][1].get(note.id)

    def siblings(self, number: int) -> list[int]:
        """The numbers of all notes of the same patient, this one among them."""
        return self.patients[patient(self.note(number))]

    def look(self) -> None:
        """Find what changed on disk since the study was made, by reading only what was touched."""
        there = stamps(self.source)
        self.unknown = len(there.keys() - {note.file for note in self.all})
        for note in self.all:
            if there.get(note.file) != note.stamp:
                with suppress(Refused):
                    self.document(note.number)


def patient(note: Note) -> str:
    """A note whose patient is not known is alone."""
    return note.patient if note.patient is not None else f"\0{note.number}"


def open_source(store: Store, path: Path | None) -> Source:
    """The source that the study was made of; raises :class:`StoreError` where another path is given."""
    table = store.setting("source")
    if table is None:
        raise StoreError(f"{store.path}: a study without notes")
    known = source(table)
    if path is not None and path != known.path:
        raise StoreError(f"{store.path}: a study of the notes in {known.path}, not of those in {path}")
    return known
