"""The spans of a run into one file, note by note, so that a stopped run goes on where it was.

The output itself is written whole at the end. Until then the journal beside it has a line for each tagged
note, in the order of the input: a hash of the note, and its spans by offset and type. It has no text and no
id. A torn last line is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from crfdeid import files
from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document, Span

Tag = Callable[[Iterator[Document]], Iterable[Document]]


@dataclass
class SpanJournal:
    """The journal of the output ``path``, of a run whose options have the hash ``options``. ``kept`` counts
    the notes of an earlier run."""

    path: Path
    options: str
    kept: int = field(default=0, init=False)

    @property
    def file(self) -> Path:
        return self.path.with_name(f".{self.path.name}.unfinished")

    def tag(self, documents: Iterator[Document], tag: Tag) -> Iterator[Document]:
        """Yield the documents with their spans: those of the journal first, then those that ``tag`` makes,
        which are added to it. Raises :class:`ConfigurationError` where the journal is of other options or
        other notes, or another run uses it."""
        with self._open() as file, files.own_lock(file.fileno()):
            for line in self._read_whole_lines(file):
                yield restore_spans(next(documents, None), line, self.file)
                self.kept += 1
            for document in tag(documents):
                file.write(describe_note(document).encode())
                file.flush()
                yield document

    def remove(self) -> None:
        """Remove the journal, when the output is whole."""
        self.file.unlink(missing_ok=True)

    def _open(self) -> IO[bytes]:
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        file = os.fdopen(descriptor, "r+b")
        if not files.try_lock(descriptor):
            file.close()
            raise ConfigurationError(f"{self.path}: another run writes it")
        return file

    def _read_whole_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yield the lines of notes; leave the file at the end of the last whole line, with its head."""
        head = file.readline()
        if head.endswith(b"\n") and head.decode().strip() != self.options:
            raise ConfigurationError(
                f"{self.path}: was begun with other options or by another version; wanted the "
                f"same, or remove {self.file}"
            )
        at = len(head) if head.endswith(b"\n") else 0
        while at and (line := file.readline()).endswith(b"\n"):
            yield line
            at += len(line)
        file.seek(at)
        file.truncate()
        if not at:
            file.write(f"{self.options}\n".encode())


def describe_note(document: Document) -> str:
    """Return the line of a note."""
    spans = [[span.start, span.end, span.type, span.probability] for span in document.spans]
    return json.dumps([hash_note(document), spans]) + "\n"


def hash_note(document: Document) -> str:
    """A hash of the id, the patient and the text.

    >>> hash_note(Document("1", "a")) == hash_note(Document("1", "b"))
    False
    """
    parts = repr((document.id, document.patient, document.text))
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def restore_spans(document: Document | None, line: bytes, file: Path) -> Document:
    """Give the note the spans of its line. Raises :class:`ConfigurationError` for another's."""
    hash, spans = read_line(line)
    if document is None or hash != hash_note(document):
        raise ConfigurationError(f"{file}: is of other notes; wanted the same notes, or remove it")
    return document.with_spans(tuple(Span(*span) for span in spans))


def read_line(line: bytes) -> tuple[str, list[list[Any]]]:
    """Read a line. A line that no journal wrote gets a hash that no note has."""
    try:
        hash, spans = json.loads(line)
        return hash, spans
    except (ValueError, TypeError):
        return "", []
