"""A table of notes in, the same table out: every column with its name, in its order, and every row.

Only the cells of the text change, and, unless ``--keep-ids``, those of the id and the patient, which become
codes: nobody can see from a cell whether it is a real identifier. The other cells are read again from the
file when their row is written, so they never go through the redactor, and the memory holds no more notes than
the redactor does.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from crfdeid.corpora import parquet, storage, whole_rows
from crfdeid.corpora.jsonl import build_item
from crfdeid.corpora.table import read_cell
from crfdeid.corpora.whole_rows import Header, Row
from crfdeid.errors import FormatError
from crfdeid.redact.formulas import quote_cell, quote_formulas
from crfdeid.redact.new_ids import sort_items
from crfdeid.redact.patient_table import find_type
from crfdeid.redact.plan import STREAM, RedactPlan, is_table
from crfdeid.redact.release import Destination, KeepRow
from crfdeid.redact.streams import INPUT
from crfdeid.text.document import Document

SPANS = "spans"  # the column of a note's spans


class OutputRow(NamedTuple):
    id: str
    cells: dict[str, Any]


class WholeTable:
    """The rows of the table of the plan's notes, which get their redacted notes. A stream is read once:
    ``keep`` takes its rows."""

    def __init__(self, plan: RedactPlan) -> None:
        reading, is_stream = plan.reading, plan.notes == STREAM
        path = INPUT if plan.notes is None or is_stream else plan.notes
        self.id_column, self.text_column = reading.id_column or "id", reading.text_column or "text"
        self.patient_column = reading.patient_column or "patient"
        self.has_new_ids, self.has_spans = plan.new_ids is not None, plan.has_spans
        self.is_quoted = plan.is_spreadsheet_safe
        self.originals: dict[str, str] = {}  # real ids by new ones, of notes that are not yet written
        self._bad, self._path, self.delimiter = reading.bad, path, reading.delimiter
        self._read_before: deque[Row] = deque()  # rows of a stream whose notes are not yet written
        self._header: Header | None = None
        self.keep = self._keep_row if is_stream else None
        if self.keep:
            self._take_row: Callable[[], Row | None] = lambda: (
                self._read_before.popleft() if self._read_before else None
            )
        else:
            rows = whole_rows.read_rows(path, plan.source, reading.encoding, reading.delimiter)
            self._take_row = lambda: next(rows, None)
            self._header = whole_rows.read_header(path, plan.source, reading.encoding, reading.delimiter)

    def _keep_row(self, row: Row) -> None:
        """Keep a row of a stream until its note is written."""
        self._header = self._header or whole_rows.guess_header({str(key): row[key] for key in row})
        self._read_before.append(row)

    def lines(self) -> Iterator[str]:
        """Say which columns were written as they were. No message has the name of a column."""
        known = (self.text_column, SPANS, self.id_column, self.patient_column)
        numbers = {number: key for number, key in enumerate(self.header.keys, 1) if key not in known}
        if not numbers:
            return
        types = {number: find_type(key) for number, key in numbers.items()}
        shown = (f"{n} (named as {type} is)" if (type := types[n]) else str(n) for n in numbers)
        yield f"columns that were written as they were, with all PHI that they hold: {', '.join(shown)}"

    @property
    def changed(self) -> tuple[str, ...]:
        ids = (self.id_column, self.patient_column) if self.has_new_ids else ()
        return (self.text_column, SPANS, *ids)

    @property
    def header(self) -> Header:
        if self._header is None:
            raise FormatError("standard input: no documents")
        return self._header

    @property
    def written_header(self) -> Header:
        """The columns of the output."""
        dropped, added = (None, SPANS) if self.has_spans else (SPANS, None)
        return self.header.change_columns(self.changed, dropped, added)

    def join(self, documents: Iterable[Document]) -> Iterator[OutputRow]:
        """Yield the rows in their order, each as soon as its note and those of all rows before have come.
        Raises :class:`FormatError` where the file is not the one that the notes were read from."""
        waiting: dict[str, Document] = {}
        row, number = None, 0
        for document in documents:
            waiting[self.originals.pop(document.id)] = document
            row, number = (row, number) if row else (self._take_row(), number + 1)
            while row and ((id := self._find_id(row, number)) is None or id in waiting):
                if id is not None:
                    yield self._change_row(row, waiting.pop(id))
                row, number = self._take_row(), number + 1
            number -= row is None
        if waiting or row:
            raise FormatError("the table changed while it was read; nothing was written")

    def _find_id(self, row: Row, number: int) -> str | None:
        """Return the id of a row, None for a row that is left out."""
        if self._bad and self._bad.has(self._path, number):
            return None
        return read_cell(row[self.id_column]) or str(number)

    def _change_row(self, row: Row, document: Document) -> OutputRow:
        document = quote_formulas(document) if self.is_quoted else document
        cells = dict(row) | {self.text_column: document.text}
        if self.has_spans:
            cells[SPANS] = json.dumps(build_item(document)["spans"])
        if self.has_new_ids:
            cells[self.id_column] = document.id if read_cell(row[self.id_column]) else None
        if self.has_new_ids and self.patient_column in row:
            cells[self.patient_column] = document.patient
        if self.is_quoted:
            cells = {key: quote_cell(cell) if isinstance(cell, str) else cell for key, cell in cells.items()}
        return OutputRow(document.id, cells)


@dataclass(frozen=True)
class TableDestination(Destination):
    """A table that keeps its columns, in a file or, with the path ``-``, on standard output."""

    table: WholeTable | None = None
    quotes_cells: ClassVar[bool] = True

    @property
    def is_folder(self) -> bool:
        return False

    @property
    def keep(self) -> KeepRow | None:
        return self.table.keep if self.table else None

    @property
    def originals(self) -> dict[str, str] | None:
        return self.table.originals if self.table else None

    def lines(self) -> Iterator[str]:
        return self.table.lines() if self.table else iter(())

    def write(
        self, documents: Iterable[Document], with_spans: bool = True, options_hash: str = "",
        by_id: bool = False,
    ) -> None:  # fmt: skip
        assert self.table
        is_stream = self.path == STREAM
        rows = self.table.join(documents)
        if by_id:
            folder = Path(tempfile.gettempdir()) if is_stream else self.path.absolute().parent
            rows = (OutputRow("", cells) for cells in sort_items(rows, folder))
        self._write_cells((row.cells for row in rows), is_stream)

    def _write_cells(self, rows: Iterator[Row], is_stream: bool) -> None:
        assert self.table
        rows = start(rows)  # then the header of a stream is known
        if self.format == parquet.FORMAT.name:
            storage.refuse_existing(self.path, self.overwrite)
            whole_rows.save_rows(self.table.written_header, rows, self.path)
            return
        pieces = whole_rows.render_rows(self.table.written_header, rows, self.table.delimiter)
        if not is_stream:
            storage.write_file(pieces, self.path, self.overwrite)
            return
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode())
            sys.stdout.buffer.flush()


def start(rows: Iterator[Row]) -> Iterator[Row]:
    """Take the first row before the others are asked for."""
    first = next(rows, None)
    return iter(()) if first is None else (row for part in ([first], rows) for row in part)


def keep_columns(destination: Destination, plan: RedactPlan) -> TableDestination | None:
    """Return a destination for the same path that keeps the columns of the table, if there is one table in
    and one out."""
    is_one = plan.notes in (STREAM, None) or (plan.notes is not None and plan.notes.is_file())
    if destination.is_folder or not is_one or not is_table(plan.source, destination.format):
        return None
    overwrite = destination.overwrite or destination.path == STREAM
    table = WholeTable(plan)
    return TableDestination(destination.path, destination.format, overwrite=overwrite, table=table)
