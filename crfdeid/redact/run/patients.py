"""Which patient a note belongs to, and which notes are redacted together, from files, a stream or a query.

A note has the patient that its file states, or the one that ``--patient-from`` finds: in its id, or in the
name of its folder. Without one of these, each note is its own patient. In particular an id such as 110-02
names none: notes that are numbered like that in another archive belong to other people.

Standard input and the rows of a query are read once. So there the notes of a patient must follow one another
(in a query: ORDER BY), except with ``--by note``. A patient who comes again is refused: the notes before are
out, without what the later ones show. SQLAlchemy reads the rows in batches. No message has the address of the
database, which may hold a password, nor text of a row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import regex

from crfdeid import corpora
from crfdeid.corpora import i2b2_2014, table
from crfdeid.corpora.registry import Reading
from crfdeid.corpora.table import KeepRows
from crfdeid.errors import ConfigurationError, FormatError, show_id, show_install
from crfdeid.redact.redactor import identify_patient
from crfdeid.redact.run.plan import FOLDER, Query, list_folders
from crfdeid.text.document import Document

URL_VARIABLE = "CRFDEID_SQL_URL"
BATCH = 1000  # rows in memory at once
WHERE = Path("--sql")  # in messages, where a file would be

INPUT = Path("/dev/stdin")

TIMEOUT = 1.0  # seconds that a pattern may work on one id


def build_reader(
    path: Path,
    reading: Reading,
    patient_from: str | None,
    keep: KeepRows | None = None,
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes with their patients, and gives ``keep`` the rows of a table.
    Raises :class:`ConfigurationError` for a pattern that is not a regular expression."""
    if patient_from == FOLDER:
        return lambda: read_folders(path, reading, keep)
    if patient_from:
        return find_patients(lambda: reading.read(path, keep), patient_from)
    if reading.format == i2b2_2014.FORMAT.name:
        return lambda: (replace(note, patient=None) for note in reading.read(path))
    return lambda: reading.read(path, keep)


def find_patients(
    read: Callable[[], Iterator[Document]], patient_from: str | None
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the same notes, with the patients that ``--patient-from`` finds in their
    ids, if it is given."""
    if not patient_from:
        return read
    pattern = compile_pattern(patient_from)
    return lambda: (find_patient(note, pattern) for note in read())


def describe_source(reading: Reading, patient_from: str | None, is_query: bool = False) -> str:
    """Say in words where the patients of the notes come from."""
    if patient_from:
        return "the folders" if patient_from == FOLDER else "--patient-from"
    if is_query or corpora.find_format(str(reading.format), "read").has_columns:
        return f"the column {reading.patient_column or 'patient'}"
    return "the notes"


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ConfigurationError(f"--patient-from: no regular expression: {error.msg}") from None


def find_patient(note: Document, pattern: regex.Pattern[str]) -> Document:
    r"""Return the note with the patient that the pattern finds in its id. A note without one is a patient
    by itself.

    >>> pattern = compile_pattern(r"^(\d+)-\d+$")
    >>> [find_patient(Document(id, ""), pattern).patient for id in ("110-02", "letter")]
    ['110', None]
    """
    try:
        found = pattern.search(note.id, timeout=TIMEOUT)
    except TimeoutError:
        raise ConfigurationError("--patient-from: too slow on one id; wanted a simpler pattern") from None
    return replace(note, patient=(found[1] if pattern.groups else found[0]) if found else None)


def read_folders(path: Path, reading: Reading, keep: KeepRows | None = None) -> Iterator[Document]:
    """Yield the notes of each folder in ``path``. The folder is their patient, and its name with a full stop
    begins their ids. Raises :class:`FormatError` for a file beside the folders."""
    for folder in list_folders(path):
        for note in reading.read(folder, keep):
            yield replace(note, id=f"{folder.name}.{note.id}", patient=folder.name)


def group_by_patient(read: Callable[[], Iterable[Document]], by_note: bool) -> Iterator[list[Document]]:
    """Yield the notes of one patient after the other. ``read`` is called twice, first to see whether the
    notes of each patient are contiguous. If not, all notes are held in memory. With ``by_note`` each group
    is one note."""
    if by_note:
        yield from ([document] for document in read())
    elif is_contiguous(map(identify_patient, read())):
        yield from (list(group) for _, group in groupby(read(), key=identify_patient))
    else:
        groups: dict[str, list[Document]] = {}
        for document in read():
            groups.setdefault(identify_patient(document), []).append(document)
        yield from groups.values()


def is_contiguous(patients: Iterable[str]) -> bool:
    """Whether no patient occurs again after another patient.

    >>> is_contiguous("aabc"), is_contiguous("aba")
    (True, False)
    """
    seen: set[str] = set()
    for patient, _ in groupby(patients):
        if patient in seen:
            return False
        seen.add(patient)
    return True


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


def build_query_reader(
    query: Query, reading: Reading, keep: KeepRows | None = None
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes of the query, and gives ``keep`` its rows. Raises
    :class:`ConfigurationError` if SQLAlchemy is not installed."""
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        raise ConfigurationError(f"sqlalchemy not installed: {show_install('sql')}") from None
    url = os.environ.get(URL_VARIABLE, "") if query.url == "env" else query.url
    columns = reading.id_column or "id", reading.text_column or "text", reading.patient_column
    bad = reading.find_bad_rows(table.FORMAT.name)

    def read() -> Iterator[Document]:
        rows = table.join_chunks(read_chunks(url, query.text), keep)
        yield from refuse_repeated(table.build_documents(rows, WHERE, *columns, bad, nulls=()))

    return read


def read_chunks(url: str, query: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a query by column, :data:`BATCH` at a time. Raises :class:`FormatError` where the
    database refuses it, and where two columns have one name."""
    import sqlalchemy
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as connection:
            streamed = connection.execution_options(stream_results=True, yield_per=BATCH)
            result = streamed.execute(sqlalchemy.text(query))
            names = [str(name) for name in result.keys()]  # noqa: SIM118
            refuse_same_names(names)
            for rows in result.partitions(BATCH):
                yield [dict(zip(names, row)) for row in rows]
    except (SQLAlchemyError, ImportError) as error:
        cause = type(getattr(error, "orig", None) or error).__name__
        raise FormatError(f"{WHERE}: the database or its driver refused: {cause}") from None


def refuse_same_names(names: Sequence[str]) -> None:
    """Raise :class:`FormatError` where two columns of a query have one name."""
    if again := [name for number, name in enumerate(names) if name in names[:number]]:
        name = again[0] if again[0].isprintable() else f"number {names.index(again[0]) + 1}"
        raise FormatError(
            f"{WHERE}: two columns of the query have the name {name}; wanted AS for one of them"
        )


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
