"""Which patient a note belongs to, and which notes are redacted together.

A note has the patient that its file states, or the one that ``--patient-from`` finds: in its id, or in the
name of its folder. Nothing else makes a patient. In particular an id such as 110-02 does not: notes that are
numbered like that in another archive belong to other people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import regex

from crfdeid import corpora
from crfdeid.corpora import i2b2_2014
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError
from crfdeid.redact.redactor import identify_patient
from crfdeid.redact.run.plan import FOLDER, list_folders
from crfdeid.text.document import Document

TIMEOUT = 1.0  # seconds that a pattern may work on one id


def build_reader(
    path: Path,
    reading: Reading,
    patient_from: str | None,
    keep: Callable[[dict[Any, Any]], None] | None = None,
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes with their patients, and gives ``keep`` the rows of a CSV table.
    Raises :class:`ConfigurationError` for a pattern that is no regular expression."""
    if patient_from == FOLDER:
        return lambda: read_folders(path, reading)
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


def describe_source(reading: Reading, patient_from: str | None) -> str:
    """Say in words where the patients of the notes come from."""
    if patient_from:
        return "the folders" if patient_from == FOLDER else "--patient-from"
    if corpora.find_format(str(reading.format), "read").has_columns:
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


def read_folders(path: Path, reading: Reading) -> Iterator[Document]:
    """Yield the notes of each folder in ``path``. The folder is their patient, and its name with a full stop
    begins their ids. Raises :class:`FormatError` for a file beside the folders."""
    for folder in list_folders(path):
        for note in reading.read(folder):
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
