"""Notes from standard input, and redacted notes to standard output: ``-``.

A stream is read once. So the notes of a patient must follow one another, and a patient who comes again is
refused: the notes before are out, without what the later ones show.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

from crfdeid import corpora
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.redact.new_ids import sort_by_id
from crfdeid.redact.redactor import identify_patient
from crfdeid.redact.release import Destination
from crfdeid.text.document import Document

INPUT = Path("/dev/stdin")


def group_stream(
    read: Callable[[], Iterable[Document]], by_note: bool, where: str = "standard input"
) -> Iterator[list[Document]]:
    """Yield the notes of one patient after the other; with ``by_note`` each note. Raises
    :class:`FormatError` if a patient comes again after another one."""
    if by_note:
        yield from ([note] for note in read())
        return
    seen: set[str] = set()
    for patient, notes in groupby(read(), key=identify_patient):
        group = list(notes)
        if patient in seen:
            raise FormatError(
                f"{where}: {show_id(group[0].id)}: its patient came before another one, and a stream "
                "is read once; wanted the notes of each patient together, a file, or --by note"
            )
        seen.add(patient)
        yield group


@dataclass(frozen=True)
class StandardOutput(Destination):
    """Writes each note as soon as it is redacted. With new ids, all notes go through a temporary file: their
    order is that of the ids. Raises :class:`ConfigurationError` for a format that is not text."""

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
