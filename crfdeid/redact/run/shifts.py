"""The days by which the dates of each patient move, as a table that other programs can use.

    patient,days
    4471902,-7308

Laboratory tables that move by the same days stay in step with the notes. The patients are the real ones, and
the days undo the shift: only the owner can read an exported table.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crfdeid import files
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact.surrogates.patient import WANTED, explain_wrong
from crfdeid.text.document import Document

COLUMNS = ["patient", "days"]
Group = Sequence[Document]


def read_shifts(path: Path) -> dict[str, int]:
    """Read a table of patients and days. Raises :class:`FormatError` for another column, for days that are
    not whole weeks, and for a patient who occurs twice."""
    rows = csv.reader(files.read_text(path).removeprefix("\ufeff").splitlines(), strict=True)
    try:
        header = next(rows, [])
        if sorted(header) != sorted(COLUMNS):
            raise FormatError(f"{path}: {len(header)} columns, not patient and days, which are wanted")
        shifts: dict[str, int] = {}
        for row in rows:
            patient, days = read_row(row, header, f"{path}, line {rows.line_num}")
            if patient in shifts:
                raise FormatError(f"{path}, line {rows.line_num}: a patient who occurs before")
            shifts[patient] = days
    except csv.Error:
        raise FormatError(f"{path}, line {rows.line_num}: not a CSV table that can be read") from None
    return shifts


def read_row(row: Sequence[str], header: Sequence[str], where: str) -> tuple[str, int]:
    cells = dict(zip(header, row))
    if len(row) != len(header) or not cells["patient"]:
        raise FormatError(f"{where}: {len(row)} cells or an empty one; wanted patient and days")
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", cells["days"]):
        raise FormatError(f"{where}: days that are not a whole number; {WANTED}")
    if wrong := explain_wrong(int(cells["days"])):
        raise FormatError(f"{where}: {wrong}")
    return cells["patient"], int(cells["days"])


@contextmanager
def open_export(path: Path | None, overwrite: bool) -> Iterator[Callable[[str, int], object] | None]:
    """Open a table of shifts, which appears whole at the end of the run. Give a function that adds a patient,
    or None without a path."""
    if path is None:
        yield None
        return
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(f"{path}: its folder does not exist")
    storage.refuse_existing(path, overwrite)
    with files.open_whole(path, private=True) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        yield lambda patient, days: writer.writerow((patient, days))


def export_each(
    groups: Iterable[Group], find_shift: Callable[[str], int], add: Callable[[str, int], object] | None
) -> Iterator[Group]:
    """Yield the groups of notes, and add the shift of each patient once. A note without a patient has a shift
    of its own, which no table needs."""
    seen: set[str] = set()
    for group in groups:
        patient = group[0].patient
        if add and patient is not None and patient not in seen:
            seen.add(patient)
            add(patient, find_shift(patient))
        yield group
