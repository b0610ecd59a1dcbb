"""The list of notes that trained or tuned a model: a sample that shows what it misses must not have them.

A list has SHA-256 hashes of ids and of whole texts, and no text. Nobody finds a long note by trying texts;
but who has an id, or guesses a short note, can ask whether it is in the list. So the list is as private as
the model, and a model for sharing (``min_patients``) has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.files import read_text
from crfdeid.text.document import Document

FILE = "tuned_notes.json"  # in a model's folder
KEY = "tuned_notes"  # of the hashes, here and in what certify choose writes


def hash_id(id: str) -> str:
    """The SHA-256 of a note's id."""
    return hashlib.sha256(id.encode()).hexdigest()


def hash_text(text: str) -> str:
    """The SHA-256 of a note's text without white space."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()


def hash_notes(documents: Iterable[Document]) -> list[str]:
    """The hashes of ids and texts, sorted."""
    return sorted({hash for note in documents for hash in (hash_id(note.id), hash_text(note.text))})


@dataclass
class SeenNotes:
    """Counts the notes that pass and those whose text is in ``hashes``: a score of those flatters."""

    hashes: Container[str]
    seen: int = 0
    total: int = 0

    def count_each(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the notes and count them."""
        for document in documents:
            self.total += 1
            self.seen += hash_text(document.text) in self.hashes
            yield document

    def lines(self) -> Iterator[str]:
        """Warn if the model has seen a note."""
        if self.seen:
            yield (
                f"warning: {self.seen} of these {self.total} notes trained or tuned the model; a score of "
                "them flatters it"
            )


def count_seen(training: Iterable[Document], test: Iterable[Document]) -> SeenNotes:
    """Count the notes of ``test`` whose text, without white space, is that of a training note."""
    counted = SeenNotes(frozenset(hash_text(note.text) for note in training))
    for _ in counted.count_each(test):
        pass
    return counted


def write_list(folder: Path, hashes: Iterable[str]) -> None:
    """Write the list into a model's folder."""
    table = {KEY: sorted(set(hashes))}
    (folder / FILE).write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")


def read_list(path: Path) -> list[str] | None:
    """Read the hashes of a JSON file; ``None`` where it has no such list. Raises :class:`FormatError`."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        raise FormatError(f"{path}: malformed JSON") from None
    hashes = found.get(KEY) if isinstance(found, dict) else None
    return list(map(str, hashes)) if isinstance(hashes, list) else None


def read_model_list(folder: Path) -> list[str] | None:
    """Read the list of a model's folder; ``None`` where it has none."""
    path = folder / FILE
    return read_list(path) if path.is_file() else None
