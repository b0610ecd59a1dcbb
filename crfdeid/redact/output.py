"""Where redacted notes go, and the journal of what was done to them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crfdeid import corpora, files
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError
from crfdeid.redact.redactor import Redaction
from crfdeid.redact.safe_harbor import Report
from crfdeid.text.document import Document


@dataclass(frozen=True)
class Destination:
    """A file for all notes, or a folder with a file each. While a folder is not finished, a file
    beside it (FOLDER.unfinished) holds the ``recipe`` of its notes, a keyed hash of what they follow
    from. Raises :class:`ConfigurationError` where one file is to be resumed, or a folder that was
    begun by another recipe."""

    path: Path
    format: str
    resume: bool = False
    overwrite: bool = False

    def __post_init__(self) -> None:
        suffixes = self.suffixes
        if self.resume and not self.many:
            raise ConfigurationError(
                f"{self.path}: one file is written whole; --resume is for a folder of notes"
            )
        if self.many and self.path.is_file():
            raise ConfigurationError(
                f"{self.path}: is a file; {self.format} with {suffixes[0]} wants a folder"
            )
        storage.refuse_existing(self.path, self.overwrite or self.resume)

    @property
    def many(self) -> bool:
        found = corpora.find_format(self.format, "write")
        in_folder = found.render_document is not None
        return in_folder or self.path.suffix not in found.suffixes or self.path.is_dir()

    def has(self, id: str) -> bool:
        """Whether a note is there already. Of several files, the one that is put there last counts."""
        last = max(self.suffixes)
        return self.resume and self.many and (self.path / f"{storage.file_stem(id)}{last}").exists()

    @property
    def suffixes(self) -> Sequence[str]:
        """Those of the files of one note, or of a file for all."""
        return corpora.find_format(self.format, "write").written_suffixes

    def write(self, documents: Iterable[Document], with_spans: bool = True, recipe: str = "") -> None:
        notes = documents if with_spans else (note.with_spans(()) for note in documents)
        if not self.many:
            corpora.write(notes, self.path, self.format, self.overwrite)
            return
        with self.unfinished(recipe):
            self.write_each(notes)

    @contextmanager
    def unfinished(self, recipe: str) -> Iterator[None]:
        begun = self.path.with_name(f"{self.path.name}.unfinished")
        if self.resume and begun.is_file() and files.read_text(begun).strip() != recipe:
            raise ConfigurationError(
                f"{self.path}: was begun with another key or other options; --resume goes on as it was begun"
            )
        with files.whole(begun) as file:
            file.write(recipe + "\n")
        try:
            yield
        except BaseException:
            if not any(self.path.glob("*")):
                begun.unlink(missing_ok=True)  # nothing was begun
            raise
        begun.unlink(missing_ok=True)

    def write_each(self, notes: Iterable[Document]) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        written: set[str] = set()
        for note in notes:
            if note.id in written:
                raise ConfigurationError(f"{self.path}/{note.id}: two notes want this name")
            written.add(note.id)
            corpora.write_each([note], self.path, self.format, overwrite=True)


@dataclass
class Journal:
    """The report, and with it the offsets of survivors, written as they come."""

    report: Report
    rows: Any = None

    @classmethod
    @contextmanager
    def opened(cls, path: Path | None, apart: bool = False, overwrite: bool = False) -> Iterator[Journal]:
        """The survivors' offsets tell where real names may stand: their file is its owner's alone.
        Raises :class:`FormatError` where a report is there already."""
        report = Report(apart)
        if path is None:
            yield cls(report)
            return
        beside = path.with_name(f"{path.name}.survivors.csv")
        for each in (path, beside):
            storage.refuse_existing(each, overwrite)
        with files.whole(beside, private=True) as listed:
            journal = cls(report, csv.writer(listed, lineterminator="\n"))
            journal.rows.writerow(("id", "start", "end", "type"))
            yield journal
            with files.whole(path) as file:
                file.write(json.dumps(journal.report.table(), indent=2) + "\n")

    def add(self, redaction: Redaction, id: str) -> None:
        self.report.add(redaction)
        if self.rows:
            self.rows.writerows((id, span.start, span.end, span.type) for span in redaction.survivors)
