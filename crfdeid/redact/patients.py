"""Which patient a note belongs to, and which notes are redacted together.

A note has the patient that its file states, or the one that ``--patient-from`` finds: in its id, or in the
name of its folder. Nothing else makes a patient. In particular an id such as 110-02 does not: notes that are
numbered like that in another archive belong to other people.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import regex

from crfdeid import cli, corpora
from crfdeid.corpora import i2b2_2014
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact.redactor import identify_patient
from crfdeid.text.document import Document

FOLDER = "folder"
TIMEOUT = 1.0  # seconds that a pattern may work on one id


def add_patient_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--patient-from", metavar="REGEX", help="the patient is what this pattern finds in a "
        "note's id (its first group, if it has one); folder: each folder in NOTES is a patient")  # fmt: skip


def build_reader(
    path: Path,
    format: str,
    args: argparse.Namespace,
    keep: Callable[[dict[Any, Any]], None] | None = None,
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes with their patients, and gives ``keep`` the rows of a CSV table.
    Raises :class:`ConfigurationError` for a pattern that is no regular expression."""
    if args.patient_from == FOLDER:
        return lambda: read_folders(path, format, args)
    if args.patient_from:
        return find_patients(lambda: cli.read_documents(path, format, args, keep), args)
    if format == i2b2_2014.FORMAT.name:
        return lambda: (replace(note, patient=None) for note in cli.read_documents(path, format, args))
    return lambda: cli.read_documents(path, format, args, keep)


def find_patients(
    read: Callable[[], Iterator[Document]], args: argparse.Namespace
) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the same notes, with the patients that ``--patient-from`` finds in their
    ids, if it is given."""
    if not args.patient_from:
        return read
    pattern = compile_pattern(args.patient_from)
    return lambda: (find_patient(note, pattern) for note in read())


def describe_source(format: str, args: argparse.Namespace) -> str:
    """Say in words where the patients of the notes come from."""
    if args.patient_from == FOLDER:
        return "the folders"
    if args.patient_from:
        return "--patient-from"
    if corpora.find_format(format, "read").has_columns:
        return f"the column {args.patient_column or 'patient'}"
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


def read_folders(path: Path, format: str, args: argparse.Namespace) -> Iterator[Document]:
    """Yield the notes of each folder in ``path``. The folder is their patient, and its name with a full stop
    begins their ids. Raises :class:`FormatError` for a file beside the folders."""
    for folder in list_folders(path):
        for note in cli.read_documents(folder, format, args):
            yield replace(note, id=f"{folder.name}.{note.id}", patient=folder.name)


def list_folders(path: Path) -> list[Path]:
    """Return the folders in ``path`` by name. Raises :class:`FormatError` where a file is beside them, or
    where there are none."""
    if not path.is_dir():
        raise FormatError(f"{path}: not a folder; --patient-from folder wants a folder of folders")
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    if others := [number for number, entry in enumerate(entries, 1) if not entry.is_dir()]:
        raise FormatError(f"{path}: entry {others[0]} by name is not a folder; it would have no patient")
    if not entries:
        raise FormatError(f"{path}: no folders")
    return entries


def report_left_out(format: str, args: argparse.Namespace) -> Counter[str] | None:
    """Print what is not read of the notes, folder by folder; return the counts by reason, None of rows of a
    query."""
    if args.notes is None:
        return None
    folders = list_folders(args.notes) if args.patient_from == FOLDER else [args.notes]
    return sum((cli.report_left_out(folder, format, args) for folder in folders), Counter())


def detect_format(path: Path, args: argparse.Namespace) -> str:
    """Return the format that ``--from`` names, else the one that the notes have."""
    if args.source:
        return str(args.source)
    first = list_folders(path)[0] if args.patient_from == FOLDER else path
    return corpora.detect_format(first, cli.is_recursive(args))


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
