"""New ids for notes and patients, and an order of the output that does not give the old ones back.

Random ids are not derived from the real ones, as 45 CFR 164.514(c) asks. A map keeps them, so that later
notes agree. Keyed ids are HMACs of the real ids: they agree on every machine that has the key, and whoever
has it can test guesses, so the Safe Harbor does not allow them.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from crfdeid import files
from crfdeid.redact.redactor import Redactor, identify_patient
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.text.document import Document

Item = TypeVar("Item")
KINDS = ("random", "keyed")
BYTES = 16  # 128 bits: two of a billion ids are equal with a chance of 1e-21


@dataclass
class IdReplacer:
    """Replaces ids: ``kind`` is one of :data:`KINDS`, or None, which keeps them. ``codes`` holds by patient
    the random codes of this run where no map holds them. If ``originals`` is a dictionary, it gets the real
    id of each note by its new one."""

    kind: str | None
    redactor: Redactor
    originals: dict[str, str] | None = field(default=None, repr=False)
    codes: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

    def rename(self, note: Document) -> Document:
        """Return the note with new ids; the same ids become the same again."""
        renamed = self._replace_ids(note)
        if self.originals is not None:
            self.originals[renamed.id] = note.id
        return renamed

    def _replace_ids(self, note: Document) -> Document:
        if self.kind is None:
            return note
        make = self.make_keyed if self.kind == "keyed" else self.make_random
        patient = None if note.patient is None else f"p{make(note, 'patient', note.patient)}"
        return replace(note, id=f"n{make(note, 'document', note.id)}", patient=patient)

    def make_keyed(self, note: Document, kind: str, id: str) -> str:
        choices = KeyedChoices(self.redactor.secret, "names of notes")
        return choices.digest(kind, id)[:BYTES].hex()

    def make_random(self, note: Document, kind: str, id: str) -> str:
        codes = self.find_codes(identify_patient(note))
        return codes.setdefault(f"{kind} {id}", secrets.token_hex(BYTES))

    def find_codes(self, patient: str) -> dict[str, str]:
        """The codes of a patient: in the map if there is one, else in memory."""
        if self.redactor.histories is None:
            return self.codes.setdefault(patient, {})
        return self.redactor.open_history(patient).ids


def sort_by_id(documents: Iterable[Document], folder: Path) -> Iterator[Document]:
    """Yield the documents in the order of their ids. With new ids that is a random order."""
    return sort_items(((document.id, document) for document in documents), folder)


def sort_items(items: Iterable[tuple[str, Item]], folder: Path) -> Iterator[Item]:
    """Yield the items in the order of their keys. A temporary file in ``folder`` holds the items, and the
    memory only their keys."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as spool:
        places = []
        for key, item in items:
            places.append((key, spool.tell()))
            pickle.dump(item, spool)
        for _, place in sorted(places):
            spool.seek(place)
            yield pickle.load(spool)


def hide_order(folder: Path) -> None:
    """Write the files of a folder anew in the order of their names and give them one time, so that neither
    their times nor their places on the disk show the order of the input. What a killed run has left of this
    goes."""
    files.clear_folder(folder)
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    for path in paths:
        with open(path, "rb") as old, files.open_whole(path, "wb") as new:
            shutil.copyfileobj(old, new)
    if paths:
        now = max(path.stat().st_mtime_ns for path in paths)
        for path in [*paths, folder]:
            os.utime(path, ns=(now, now))
