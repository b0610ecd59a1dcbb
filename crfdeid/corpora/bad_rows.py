"""The rows of a corpus that a run leaves out, each with its reason and no text of a cell except its id."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.files import open_whole
from crfdeid.text.document import Document

COLUMNS = ("file", "row", "id", "reason")


@dataclass
class BadRows:
    """Collects bad rows, by file and number, for the table ``path``; a corpus can be read more than once."""

    path: Path
    found: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)

    def has(self, file: Path, row: int) -> bool:
        return (str(file), row) in self.found

    def add(self, file: Path, row: int, id: str, reason: str) -> None:
        self.found[str(file), row] = id, reason

    def write(self) -> None:
        """Write the table, also if it is empty. Only its owner can read it."""
        with open_whole(self.path, private=True) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows([*place, *found] for place, found in self.found.items())

    def __str__(self) -> str:
        if len(self.found) == 1:
            return f"1 row was left out; {self.path} has its number and the reason"
        return f"{len(self.found)} rows were left out; {self.path} has their numbers and the reasons"


@dataclass
class RowReader:
    """Builds the documents of the rows of one file. Without ``bad`` the first bad row is an error."""

    file: Path
    bad: BadRows | None = None
    seen: set[str] = field(default_factory=set, repr=False)

    def build(self, row: int, id: str, build: Callable[[], Document]) -> Iterator[Document]:
        """Yield the document, or nothing if the row is bad."""
        if self.bad is None:
            yield build()
            return
        try:
            document = build()
        except FormatError as error:
            self.bad.add(self.file, row, id, str(error).rpartition(f"{self.file}, ")[2].partition(": ")[2])
            return
        if document.id in self.seen:
            self.bad.add(self.file, row, id, "its id occurs in an earlier row")
            return
        self.seen.add(document.id)
        yield document
