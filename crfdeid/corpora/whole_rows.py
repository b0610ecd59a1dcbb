"""The whole rows of a table of notes: all columns, with their names, order and, in Parquet, types.

:mod:`crfdeid.corpora.table` reads of a row what makes a document. A release keeps the other cells too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from crfdeid.corpora import parquet, table
from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError

Row = Mapping[str, Any]
UNNAMED = re.compile(r"Unnamed: \d+")  # what pandas calls a column without a name


@dataclass(frozen=True)
class Header:
    """The columns of a table: ``keys`` are those of its rows, ``names`` those that its file has (two columns
    of a CSV file can have one name), ``schema`` is the one of pyarrow for Parquet."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    schema: Any = None

    def change_columns(self, texts: Sequence[str], dropped: Sequence[str], added: str | None) -> Header:
        """Return the columns with those in ``texts`` as text, without ``dropped``, and ``added`` at the end
        if there is no such column."""
        names = {key: name for key, name in zip(self.keys, self.names) if key not in dropped}
        if added:
            names.setdefault(added, added)
        schema = self.schema
        if schema is not None:
            string = parquet.import_pyarrow().string()
            fields = [(key, string if key in (*texts, added) else schema.field(key).type) for key in names]
            schema = parquet.import_pyarrow().schema(fields)
        return Header(tuple(names), tuple(names.values()), schema)


def read_header(path: Path, format: str, encoding: str = "utf-8", delimiter: str = ",") -> Header:
    """Read the names of the columns of a file. Raises :class:`FormatError` for a file without rows."""
    if format == parquet.FORMAT.name:
        schema = parquet.read_schema(path)
        return Header(tuple(schema.names), tuple(schema.names), schema)
    first = next(iter(read_rows(path, format, encoding, delimiter)), None)
    if first is None:
        raise FormatError(f"{path}: no documents")
    with open_text(path, encoding) as file:
        names = next(csv.reader((line for line in file if line.strip()), delimiter=delimiter))
    if len(names) != len(first):
        raise FormatError(f"{path}: its rows have more cells than its header")
    return Header(tuple(first), (names[0].removeprefix("\ufeff"), *names[1:]))


def guess_header(row: Row) -> Header:
    """Return the columns of a row of a CSV stream, whose own first line is no longer there."""
    return Header(tuple(row), tuple(UNNAMED.sub("", key) for key in row))


def read_rows(path: Path, format: str, encoding: str = "utf-8", delimiter: str = ",") -> Iterator[Row]:
    """Yield the rows of a CSV or Parquet file."""
    if format == parquet.FORMAT.name:
        yield from parquet.read_rows(path)
        return
    for chunk in table.read_chunks(path, encoding, delimiter):
        yield from ({str(key): value for key, value in row.items()} for row in chunk.to_dict("records"))


def render_rows(header: Header, rows: Iterable[Row], delimiter: str = ",") -> Iterator[str]:
    """Yield the text of a CSV table: the names of the columns, then a piece for each row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL, delimiter=delimiter)
    cells = ([show_cell(row[key]) for key in header.keys] for row in rows)
    for line in chain([header.names], cells):
        writer.writerow(line)
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def show_cell(value: Any) -> str:
    """Return a cell as text, an empty one where there is no value.

    >>> show_cell(7), show_cell(None), show_cell(float("nan"))
    ('7', '', '')
    """
    return "" if value is None or value != value else str(value)


def save_rows(header: Header, rows: Iterable[Row], path: Path) -> None:
    """Write a Parquet table; columns that came from CSV are texts."""
    pyarrow = parquet.import_pyarrow()
    text = header.schema is None
    schema = pyarrow.schema([(name, pyarrow.string()) for name in header.names]) if text else header.schema
    cells = iter([show_cell(row[key]) if text else row[key] for key in header.keys] for row in rows)
    with parquet.open_writer(path, schema) as writer:
        while chunk := list(islice(cells, table.CHUNK)):
            arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*chunk), schema)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
