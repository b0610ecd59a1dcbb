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
from crfdeid.corpora import storage
from crfdeid.corpora.registry import name_folders
from crfdeid.text.document import Document

Stamp = tuple[int, int]  # size in bytes, and time of the last change in nanoseconds


@dataclass(frozen=True)
class Source:
    """Where the notes are and how they are read; ``columns`` are options of a table's reader."""

    path: Path
    format: str
    encoding: str = "utf-8"
    columns: tuple[tuple[str, str], ...] = ()
    recursive: bool = False

    def encode(self) -> str:
        """As JSON, for the store; that of a study without folders is as it always was."""
        columns = [list(pair) for pair in self.columns]
        values = [str(self.path), self.format, self.encoding, columns, *([True] if self.recursive else [])]
        return json.dumps(values)

    def list_files(self) -> list[Path]:
        return corpora.list_files(self.path, self.format, self.recursive)

    def list_folders(self) -> list[Path]:
        return list(storage.list_folders(self.path)) if self.recursive else [self.path]

    def name_file(self, file: Path | str) -> str:
        """The name of a file in the store: its path in the source's folder; "" where there is one file."""
        return Path(file).relative_to(self.path).as_posix() if self.path.is_dir() else ""

    def read_notes(self, file: Path) -> Iterator[Document]:
        """The notes of a file, without their spans."""
        options: dict[str, Any] = dict(self.columns)
        found = corpora.read(file, self.format, self.encoding, **options)
        for document in name_folders(found, file, self.path):
            yield document.with_spans(())


def decode_source(text: str) -> Source:
    """The inverse of :meth:`Source.encode`."""
    path, format, encoding, columns, *recursive = json.loads(text)
    pairs = tuple((key, value) for key, value in columns)
    return Source(Path(path), format, encoding, pairs, recursive == [True])


def compute_fingerprint(text: str) -> str:
    """The SHA-256 of a note's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_stamp(path: Path | str) -> Stamp:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def read_stamps(source: Source) -> dict[str, Stamp]:
    """The stamp of every file of the source, by the file's name in the store."""
    if not source.path.is_dir():
        return {"": read_stamp(source.path)} if source.path.exists() else {}
    suffixes = corpora.find_format(source.format, "read").suffixes
    files: list[os.DirEntry[str]] = []
    for folder in source.list_folders():
        with os.scandir(folder) as entries:
            files += [entry for entry in entries if is_note_file(entry, suffixes)]
    return {source.name_file(entry.path): (entry.stat().st_size, entry.stat().st_mtime_ns) for entry in files}


def is_note_file(entry: os.DirEntry[str], suffixes: tuple[str, ...]) -> bool:
    suffix = os.path.splitext(entry.name)[1].lower()
    return not entry.name.startswith(".") and suffix in suffixes and entry.is_file()
