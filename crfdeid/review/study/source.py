"""The source of a study: where its notes are on disk, how they are read, and how a change is noticed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crfdeid import corpora
from crfdeid.text.document import Document

Stamp = tuple[int, int]  # size in bytes, and time of the last change in nanoseconds


@dataclass(frozen=True)
class Source:
    """Where the notes are and how they are read; ``columns`` are options of a table's reader."""

    path: Path
    format: str
    encoding: str = "utf-8"
    columns: tuple[tuple[str, str], ...] = ()

    def encode(self) -> str:
        """As JSON, for the store."""
        values = [str(self.path), self.format, self.encoding, [list(pair) for pair in self.columns]]
        return json.dumps(values)

    def list_files(self) -> list[Path]:
        return corpora.list_files(self.path, self.format)

    def read_notes(self, file: Path) -> Iterator[Document]:
        """The notes of a file, without their spans."""
        options: dict[str, Any] = dict(self.columns)
        for document in corpora.read(file, self.format, self.encoding, **options):
            yield document.with_spans(())


def decode_source(text: str) -> Source:
    """The inverse of :meth:`Source.encode`."""
    path, format, encoding, columns = json.loads(text)
    return Source(Path(path), format, encoding, tuple((key, value) for key, value in columns))


def compute_fingerprint(text: str) -> str:
    """The SHA-256 of a note's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_stamp(path: Path | str) -> Stamp:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def read_stamps(source: Source) -> dict[str, Stamp]:
    """The stamp of every file of the source, by the file's name; "" is the name of a source of one file."""
    if not source.path.is_dir():
        return {"": read_stamp(source.path)} if source.path.exists() else {}
    suffixes = corpora.find_format(source.format, "read").suffixes
    with os.scandir(source.path) as entries:
        files = [entry for entry in entries if is_note_file(entry, suffixes)]
    return {entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns) for entry in files}


def is_note_file(entry: os.DirEntry[str], suffixes: tuple[str, ...]) -> bool:
    suffix = os.path.splitext(entry.name)[1].lower()
    return not entry.name.startswith(".") and suffix in suffixes and entry.is_file()
