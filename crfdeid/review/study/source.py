"""Where a study's notes are on disk, how they are read, and what tells that one has changed."""

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

Stamp = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """Where notes are and how they are read."""

    path: Path
    format: str
    encoding: str = "utf-8"
    columns: tuple[tuple[str, str], ...] = ()

    def table(self) -> str:
        given = [str(self.path), self.format, self.encoding, [list(pair) for pair in self.columns]]
        return json.dumps(given)

    def files(self) -> list[Path]:
        return corpora.list_files(self.path, self.format)

    def read(self, file: Path) -> Iterator[Document]:
        """The file's notes, without any spans that it has."""
        options: dict[str, Any] = dict(self.columns)
        for document in corpora.read(file, self.format, self.encoding, **options):
            yield document.with_spans(())


def source(table: str) -> Source:
    path, format, encoding, columns = json.loads(table)
    return Source(Path(path), format, encoding, tuple((key, value) for key, value in columns))


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def stamp(path: Path | str) -> Stamp:
    """Size and time of change in nanoseconds."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def stamps(where: Source) -> dict[str, Stamp]:
    """Of every file of the source that is there, by its name."""
    if not where.path.is_dir():
        return {"": stamp(where.path)} if where.path.exists() else {}
    suffixes = corpora.find_format(where.format, "read").suffixes
    with os.scandir(where.path) as entries:
        found = [
            e for e in entries if not e.name.startswith(".") and suffix(e.name) in suffixes and e.is_file()
        ]
    return {e.name: (e.stat().st_size, e.stat().st_mtime_ns) for e in found}


def suffix(name: str) -> str:
    return os.path.splitext(name)[1].lower()
