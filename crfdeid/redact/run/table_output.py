"""A table of notes in, the same table out: every column with its name, in its order, and every row.

Only the cells of the text change, and, unless ``--keep-ids``, those of the id and the patient, which become
codes: nobody can see from a cell whether it is a real identifier. The other cells are read again from the
file when their row is written, so they never go through the redactor, and the memory holds no more notes than
the redactor does. Standard input and a query are read once: their rows wait for their notes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from crfdeid.corpora import parquet, storage, whole_rows
from crfdeid.corpora.jsonl import build_item
from crfdeid.corpora.registry import Reading
from crfdeid.corpora.table import CHUNK, KeepRows, join_chunks, read_cell
from crfdeid.corpora.whole_rows import Header, Row
from crfdeid.errors import FormatError
from crfdeid.redact.leftover.patient_table import find_type
from crfdeid.redact.run.column_choices import (
    OpenColumns,
    check_columns,
    find_written_date,
    is_month_first,
    name_column,
    shift_cells,
)
from crfdeid.redact.run.destination import Destination, quote_cell, quote_formulas
from crfdeid.redact.run.new_ids import sort_items
from crfdeid.redact.run.patients import INPUT, WHERE, compile_pattern, find_patient
from crfdeid.redact.run.plan import STREAM, RedactPlan, is_table
from crfdeid.text.document import Document

FindDays = Callable[[Document], int]
SPANS = "spans"  # the column of a note's spans


class UnwrittenColumns:
    """The columns of a table that becomes something else, where only the note, its id and its patient are."""

    def __init__(self, reading: Reading) -> None:
        self._own, self._names = list_own(reading), dict[str, None]()

    def keep(self, rows: list[dict[Any, Any]]) -> None:
        """Note the columns of rows."""
        self._names.update(dict.fromkeys(str(key) for key in rows[0] if key not in self._own))

    def lines(self) -> Iterator[str]:
        header = whole_rows.guess_header(self._names)
        names = [name_column(header, key, number) for number, key in enumerate(header.keys, 1)]
        if names:
            yield f"columns that are not in the output: {', '.join(names)}"


def list_own(reading: Reading) -> tuple[str, str, str, str]:
    """The columns that make a note: its text, its spans, its id and its patient."""
    id, patient = reading.id_column or "id", reading.patient_column or "patient"
    return reading.text_column or "text", SPANS, id, patient


class OutputRow(NamedTuple):
    id: str
    cells: dict[str, Any]


class WholeTable:
    """The rows of the table of the plan's notes, which get their redacted notes. A stream or a query is read
    once: ``keep`` takes its rows."""

    def __init__(self, plan: RedactPlan, find_days: FindDays | None = None) -> None:
        self._plan = plan
        self.columns, self.find_days, self.is_month_first = plan.columns, find_days, True
        self.patient_pattern = compile_pattern(plan.patient_from) if plan.patient_from else None
        self.unread = 0  # cells of date columns that were emptied
        reading, is_stream = plan.reading, plan.notes in (STREAM, None)
        path = WHERE if plan.query else INPUT if plan.notes in (STREAM, None) else plan.notes
        assert path
        self.where = "standard input" if path == INPUT else str(path)
        self.text_column, _, self.id_column, self.patient_column = self.own = list_own(reading)
        self.has_new_ids, self.has_spans = plan.new_ids is not None, plan.has_spans
        self.is_quoted = plan.is_spreadsheet_safe
        self.originals: dict[str, str] = {}  # real ids by new ones, of notes that are not yet written
        self._bad, self._path, self.delimiter = reading.bad, path, reading.delimiter
        self._read_before: deque[Row] = deque()  # rows of a stream whose notes are not yet written
        self._header: Header | None = None
        self._open: OpenColumns | None = None
        self.keep: KeepRows | None = self._keep_rows if is_stream else None
        if self.keep:
            self._take_row: Callable[[], Row | None] = lambda: (
                self._read_before.popleft() if self._read_before else None
            )
        else:
            self._header = whole_rows.read_header(path, plan.source, reading.encoding, reading.delimiter)
            rows = join_chunks(self._read_chunks(), self._open_columns().refuse)
            self._take_row = lambda: next(rows, None)

    def check_columns(self, rows: Sequence[Row]) -> None:
        """Raise an error where the options do not say what becomes of a column; ``rows`` are the first."""
        check_columns(self.columns, self.header, self.own, self.where)
        self._open = self._open_columns()
        self._open.refuse(rows)
        self.is_month_first = is_month_first(self.columns, rows)

    def read_sample(self) -> list[Row]:
        """Return the first rows of a file."""
        return next(self._read_chunks(), [])

    def _read_chunks(self) -> Iterator[list[Row]]:
        """Yield the rows of a file, chunk by chunk."""
        plan, reading = self._plan, self._plan.reading
        rows = whole_rows.read_rows(self._path, plan.source, reading.encoding, reading.delimiter)
        while chunk := list(islice(rows, CHUNK)):
            yield chunk

    def _open_columns(self) -> OpenColumns:
        return OpenColumns(self.columns, self.header, self.own, self.where)

    def _keep_rows(self, rows: list[dict[Any, Any]]) -> None:
        """Keep rows of a stream until their notes are written."""
        if self._header is None:
            self._header = whole_rows.guess_header({str(key): cell for key, cell in rows[0].items()})
            self.check_columns(rows)
        elif self._open:
            self._open.refuse(rows)
        self._read_before.extend(rows)

    def lines(self) -> Iterator[str]:
        """Say which columns were copied, by their names in the header, which is not text of a note."""
        known = {*self.own, *self.columns.dates, *self.columns.dropped}
        copied = [
            f"{name_column(self.header, key, number)}{f' (named as {type} is)' * bool(type)}"
            for number, key in enumerate(self.header.keys, 1)
            for type in [find_type(key)]
            if key not in known
        ]
        if copied:
            yield f"copied unchanged, PHI included: {', '.join(copied)}"
        if self.unread:
            yield f"{self.unread} cells of date columns are empty now: no date, or an age over 89"

    @property
    def changed(self) -> tuple[str, ...]:
        ids = (self.id_column, self.patient_column) if self.has_new_ids else ()
        return (self.text_column, SPANS, *ids)

    @property
    def header(self) -> Header:
        if self._header is None:
            raise FormatError(f"{self.where}: no documents")
        return self._header

    @property
    def written_header(self) -> Header:
        """The columns of the output."""
        added = SPANS if self.has_spans else None
        dropped = (*self.columns.dropped, *(() if added else (SPANS,)))
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
                    note = waiting.pop(id)
                    yield self._change_row(self._shift_dates(row, id, note), note)
                row, number = self._take_row(), number + 1
            number -= row is None
        if waiting or row:
            raise FormatError("the table changed while it was read; nothing was written")

    def _shift_dates(self, row: Row, id: str, redacted: Document) -> Row:
        """Return the row with its dates moved as in its note."""
        if not self.columns.dates or self.find_days is None:
            return row
        note = Document(id, "", patient=read_cell(row.get(self.patient_column)))
        note = find_patient(note, self.patient_pattern) if self.patient_pattern else note
        days = self.find_days(note)
        seen = find_written_date(redacted, days, self.is_month_first)
        moved = shift_cells(row, self.columns.dates, days, self.is_month_first, seen)
        self.unread += sum(
            cell is None and read_cell(row[column]) is not None for column, cell in moved.items()
        )
        return {**row, **moved}

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
    def keep(self) -> KeepRows | None:
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


def keep_columns(
    destination: Destination, plan: RedactPlan, find_days: FindDays | None = None
) -> TableDestination | None:
    """Return a destination for the same path that keeps the columns of the table, if there is one table in
    and one out. ``find_days`` gives the days by which the dates of a note move."""
    is_one = plan.notes in (STREAM, None) or (plan.notes is not None and plan.notes.is_file())
    if destination.is_folder or not is_one or not is_table(plan.source, destination.format):
        return None
    overwrite = destination.overwrite or destination.path == STREAM
    table = WholeTable(plan, find_days)
    if table.keep is None:
        table.check_columns(table.read_sample())
    return TableDestination(destination.path, destination.format, overwrite=overwrite, table=table)
