"""Notes that are read once, from standard input or a database, and redacted notes to standard output: ``-``.

The notes of a patient must follow one another (in a query: ORDER BY), except with ``--by note``. A patient
who comes again is refused: the notes before are out, without what the later ones show. SQLAlchemy reads the
rows of a query in batches. No message has the address of the database, which may hold a password, nor text of
a row.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from crfdeid import corpora
from crfdeid.corpora import table
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.redact.redactor import identify_patient
from crfdeid.redact.run.destination import Destination
from crfdeid.redact.run.new_ids import sort_by_id
from crfdeid.redact.run.plan import Query
from crfdeid.text.document import Document

URL_VARIABLE = "CRFDEID_SQL_URL"
BATCH = 1000  # rows in memory at once
WHERE = Path("--sql")  # in messages, where a file would be

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


def build_reader(query: Query, reading: Reading) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes of the query. Raises :class:`ConfigurationError` if SQLAlchemy
    is not installed."""
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        raise ConfigurationError("sqlalchemy not installed: pip install 'crfdeid[sql]'") from None
    url = os.environ.get(URL_VARIABLE, "") if query.url == "env" else query.url
    columns = reading.id_column or "id", reading.text_column or "text", reading.patient_column
    return lambda: refuse_repeated(table.build_documents(read_rows(url, query.text), WHERE, *columns))


def read_rows(url: str, query: str) -> Iterator[Mapping[Any, Any]]:
    """Yield the rows of a query by column. Raises :class:`FormatError` where the database refuses it."""
    import sqlalchemy
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as connection:
            streamed = connection.execution_options(stream_results=True, yield_per=BATCH)
            for row in streamed.execute(sqlalchemy.text(query)):
                yield row._mapping
    except (SQLAlchemyError, ImportError) as error:
        cause = type(getattr(error, "orig", None) or error).__name__
        raise FormatError(f"{WHERE}: the database or its driver refused: {cause}") from None


def refuse_repeated(notes: Iterator[Document]) -> Iterator[Document]:
    """Yield the notes. Raises :class:`FormatError` if an id occurs twice, or there are no notes."""
    seen: set[str] = set()
    for number, note in enumerate(notes, 1):
        if note.id in seen:
            raise FormatError(f"{WHERE}: document {show_id(note.id, f'number {number}')} occurs twice")
        seen.add(note.id)
        yield note
    if not seen:
        raise FormatError(f"{WHERE}: the query gives no notes")
