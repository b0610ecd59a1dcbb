"""Where redacted notes are written: a file, a folder with a file for each note, or standard output (``-``).

A cell that a spreadsheet would take for a formula gets a quotation mark where that is wanted.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import ClassVar

from crfdeid import corpora, files
from crfdeid.corpora import storage
from crfdeid.corpora.output import write_in_turn
from crfdeid.corpora.table import KeepRows
from crfdeid.errors import ConfigurationError, show_id
from crfdeid.redact.redactor import Replacement
from crfdeid.redact.run.new_ids import hide_order, sort_by_id
from crfdeid.text.document import Document

FORMULA = "=+-@\t\r"  # what formulas begin with


def clear_leftovers(out: Path, *others: Path | None) -> None:
    """Remove the hidden temporary files that a killed run has left beside its outputs."""
    for path in (out, name_mark(out), *others):
        if path is not None:
            files.clear_leftovers(path)


def name_mark(out: Path) -> Path:
    """The file beside a folder until the folder is finished."""
    return out.with_name(f"{out.name}.unfinished")


Stamps = Mapping[Path, tuple[int, int]]


def stamp_files(folder: Path) -> Stamps:
    """Return what changes of a file in a folder when it is written again, by its path."""
    if not folder.is_dir():
        return {}
    found = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in found}


def count_unchanged(folder: Path, earlier: Stamps) -> int:
    """Count the files of a folder that have the same stamps as earlier."""
    now = stamp_files(folder) if earlier else {}
    return sum(now.get(path) == stamp for path, stamp in earlier.items())


@dataclass(frozen=True)
class Destination:
    """A file for all notes, or a folder with a file per note. Until a folder is finished, a file beside it
    (FOLDER.unfinished) holds ``options_hash``, a keyed hash of the options of its notes. Raises
    :class:`ConfigurationError` if a single file is to be resumed, or a folder that was begun with other
    options."""

    path: Path
    format: str
    resume: bool = False
    overwrite: bool = False
    shows_ids: ClassVar[bool] = True  # of the notes and their patients
    quotes_cells: ClassVar[bool] = False  # that a spreadsheet would take for a formula

    def __post_init__(self) -> None:
        suffixes = self.suffixes
        if self.resume and not self.is_folder:
            raise ConfigurationError(
                f"{self.path}: one file is written whole; --resume is for a folder of notes"
            )
        if self.is_folder and self.path.is_file():
            raise ConfigurationError(
                f"{self.path}: is a file; {self.format} with {suffixes[0]} needs a folder"
            )
        storage.refuse_existing(self.path, self.overwrite or self.resume)

    @property
    def is_folder(self) -> bool:
        format = corpora.find_format(self.format, "write")
        has_file_per_note = format.render_document is not None
        return has_file_per_note or self.path.suffix not in format.suffixes or self.path.is_dir()

    def __str__(self) -> str:
        return f"wrote the {'folder' if self.is_folder else 'file'} {self.path}"

    @property
    def keep(self) -> KeepRows | None:
        """The output for the rows of a table that is read once."""
        return None

    @property
    def originals(self) -> dict[str, str] | None:
        """Where the real ids of notes go, by new ones, if they are needed."""
        return None

    @property
    def taken_out(self) -> Mapping[str, int]:
        """The losses of messages, by reason."""
        return {}

    @property
    def survivors(self) -> Mapping[str, int]:
        """By type, the values of written messages that still say who the patient is."""
        return {}

    def lines(self) -> Iterator[str]:
        """Say what else the output has, or lacks."""
        return iter(())

    def has(self, id: str) -> bool:
        """Whether a resumed folder has the note already. If a note has several files, the one that is written
        last decides."""
        last = max(self.suffixes)
        return self.resume and self.is_folder and (self.path / f"{storage.file_stem(id)}{last}").exists()

    def keep_replacements(self, id: str, replacements: Sequence[Replacement]) -> None:
        """Take what a note's replacements are, before the note comes. Most destinations do not need it."""

    def holds(self, note: Document) -> bool:
        """Whether the files of this note, with or without its spans, are in the folder."""
        format = corpora.find_format(self.format, "write")
        return any(
            all(
                self._has_file(f"{storage.file_stem(note.id)}{suffix}", content)
                for suffix, content in format.render_files(each).items()
            )
            for each in (note, note.with_spans(()))
        )

    def _has_file(self, name: str, content: str) -> bool:
        path = self.path / name
        return path.is_file() and path.read_bytes() == content.encode()

    @property
    def suffixes(self) -> Sequence[str]:
        """The suffixes of the files of one note, or of a file for all notes."""
        return corpora.find_format(self.format, "write").written_suffixes

    def write(
        self, documents: Iterable[Document], with_spans: bool = True, options_hash: str = "",
        by_id: bool = False,
    ) -> None:  # fmt: skip
        """Write the notes. ``by_id`` sorts them by their ids; otherwise they come in the order of the
        input."""
        notes = documents if with_spans else (note.with_spans(()) for note in documents)
        if not self.is_folder:
            notes = sort_by_id(notes, self.path.absolute().parent) if by_id else notes
            corpora.write(notes, self.path, self.format, self.overwrite)
            return
        with files.hold_output(self.path), self._mark_unfinished(options_hash):
            self._write_each(notes)
            if by_id:
                hide_order(self.path)

    @contextmanager
    def _mark_unfinished(self, options_hash: str) -> Iterator[None]:
        mark = name_mark(self.path)
        if self.resume and mark.is_file() and files.read_text(mark).strip() != options_hash:
            raise ConfigurationError(
                f"{self.path}: was begun with another key or other options; --resume needs the same ones"
            )
        with files.open_whole(mark) as file:
            file.write(options_hash + "\n")
        try:
            yield
        except BaseException:
            if not any(self.path.glob("*")):
                mark.unlink(missing_ok=True)  # no note was written
            raise
        mark.unlink(missing_ok=True)

    def _write_each(self, notes: Iterable[Document]) -> None:
        self.path.mkdir(exist_ok=True)
        write_in_turn(self._refuse_same_names(notes), self.path, self.format)

    def _refuse_same_names(self, notes: Iterable[Document]) -> Iterator[Document]:
        """Yield the notes. Raises :class:`ConfigurationError` at one that has the name of another."""
        written: set[str] = set()
        for note in notes:
            if note.id.lower() in written:  # many file systems do not tell capitals apart
                raise ConfigurationError(f"{self.path}: two notes have one name: {show_id(note.id)}")
            written.add(note.id.lower())
            yield note


def quote_formulas(note: Document) -> Document:
    """Return the note with ' before an id, a patient or a text that a spreadsheet would take for a formula.

    >>> quote_formulas(Document("@1", "=1+1")).text
    "'=1+1"
    """
    id, text = quote_cell(note.id), quote_cell(note.text)
    patient = None if note.patient is None else quote_cell(note.patient)
    added = len(text) - len(note.text)
    spans = tuple(replace(span, start=span.start + added, end=span.end + added) for span in note.spans)
    return Document(id, text, spans, patient)


def quote_cell(cell: str) -> str:
    """Return the cell with ' before it if a spreadsheet would take it for a formula."""
    return f"'{cell}" if cell and cell[0] in FORMULA else cell


def remove_quotes(note: Document) -> Document:
    """Return the note as it was before :func:`quote_formulas`."""
    is_quoted = note.text[:1] == "'" and note.text[1:2] in tuple(FORMULA)
    text = note.text[is_quoted:]
    spans = (replace(s, start=s.start - is_quoted, end=s.end - is_quoted) for s in note.spans)
    id = note.id[1:] if note.id[:1] == "'" and note.id[1:2] in tuple(FORMULA) else note.id
    return Document(id, text, tuple(span for span in spans if span.start >= 0), note.patient)


@dataclass(frozen=True)
class StandardOutput(Destination):
    """Writes each note as soon as it is redacted. With new ids, all notes go through a temporary file: their
    order follows the ids. Raises :class:`ConfigurationError` for a format that is not text."""

    def __post_init__(self) -> None:
        if self.resume:
            raise ConfigurationError("--resume: standard output does not say what was written")
        format = corpora.find_format(self.format, "write")
        if format.save_corpus is not None or len(format.written_suffixes) > 1:
            raise ConfigurationError(f"{self.format}: not for standard output; name a file or folder")

    def __str__(self) -> str:
        return "wrote to standard output"

    @property
    def is_folder(self) -> bool:
        return False

    def write(
        self, documents: Iterable[Document], with_spans: bool = True, options_hash: str = "",
        by_id: bool = False,
    ) -> None:  # fmt: skip
        notes = iter(documents) if with_spans else (note.with_spans(()) for note in documents)
        if by_id:
            notes = sort_by_id(notes, Path(tempfile.gettempdir()))
        for piece in self.render(notes):
            sys.stdout.buffer.write(piece.encode())
            sys.stdout.buffer.flush()

    def render(self, notes: Iterator[Document]) -> Iterator[str]:
        """Yield pieces of text. A format with a file for each note can hold one."""
        format = corpora.find_format(self.format, "write")
        if format.render_document is None:
            yield from corpora.render_corpus(notes, self.format)
            return
        first = list(islice(notes, 2))
        if len(first) > 1:
            raise ConfigurationError(f"{self.format}: standard output holds one note of this format")
        yield from (text for note in first for text in format.render_files(note).values())
