"""A table of notes as CSV: a row a note, read and written through pandas in chunks.

Columns are named by ``id_column``, ``text_column`` and ``patient_column``; a column ``spans`` holds
the spans as JSON, as in :mod:`crfdeid.corpora.jsonl`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfdeid.corpora.jsonl import as_table, build, loaded
from crfdeid.corpora.storage import opened
from crfdeid.errors import FormatError
from crfdeid.files import read_text
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from pandas import DataFrame

SUFFIXES = (".csv",)
COLUMNS = ("id", "patient", "text", "spans")
CHUNK = 1000  # notes in memory at once


def read(
    path: Path,
    encoding: str = "utf-8",
    id_column: str = "id",
    text_column: str = "text",
    patient_column: str | None = None,
) -> Iterator[Document]:
    import pandas

    options = {"dtype": str, "keep_default_na": False, "chunksize": CHUNK}
    try:
        if cuts_at_nul() and holds_nul(path, encoding):
            raise FormatError(f"{path}: a NUL character, where this pandas would cut a text off; wanted 3.1")
        with opened(path, encoding) as file, pandas.read_csv(file, **options) as chunks:
            rows = (row for chunk in chunks for row in _rows(chunk, path))
            yield from from_rows(rows, path, id_column, text_column, patient_column)
    except UnicodeError:
        read_text(path, encoding)  # knows the offset within the whole file
        raise
    except pandas.errors.EmptyDataError:
        raise FormatError(f"{path}: not a CSV table: it is empty") from None
    except pandas.errors.ParserError as error:
        line = re.search(r"line \d+", str(error))  # the rest of the message is not ours to repeat
        where = f"{path}, {line[0]}" if line else path
        raise FormatError(f"{where}: not a CSV table that can be read") from None


def cuts_at_nul() -> bool:
    """Whether the rest of a cell is lost after a NUL character, as before pandas 3.1."""
    import pandas

    return pandas.read_csv(io.StringIO('text\n"a\0b"'), dtype=str)["text"][0] == "a"


def holds_nul(path: Path, encoding: str) -> bool:
    with opened(path, encoding) as file:
        return any("\0" in part for part in iter(lambda: file.read(1 << 20), ""))


def _rows(chunk: DataFrame, path: Path) -> list[dict[str, Any]]:
    """The rows. Where the first has a cell too many, pandas would take the first column for an index
    and name every cell wrongly."""
    if chunk.index.nlevels > 1 or chunk.index.dtype.kind != "i":
        raise FormatError(f"{path}: its rows have more cells than its header")
    return chunk.to_dict("records")


def from_rows(
    rows: Iterable[Mapping[str, Any]],
    path: Path,
    id_column: str,
    text_column: str,
    patient_column: str | None,
) -> Iterator[Document]:
    for number, row in enumerate(rows, 1):
        wanted = [id_column, text_column, *([patient_column] if patient_column else [])]
        if {"start", "end", "type"} <= row.keys():
            raise FormatError(f"{path}: a table of spans, which holds no notes; wanted a row a note")
        for column in wanted:
            if column not in row:
                raise FormatError(f"{path}: no column {column}; there are {', '.join(map(str, row))}")
        where = f"{path}, row {number}"
        spans, patient = _cell(row.get("spans")), _cell(row.get(patient_column or "patient"))
        table = {"text": row[text_column], "spans": loaded(spans, where) if spans else [], "patient": patient}
        if (id := _cell(row[id_column])) is not None:
            table["id"] = id
        yield build(table, where, number)


def _cell(value: Any) -> str | None:
    """What a cell says, None if it is empty. Beside empty cells, pandas holds whole numbers as floats.

    >>> _cell(7.0), _cell("07"), _cell(""), _cell(float("nan"))
    ('7', '07', None, None)
    """
    if value is None or value == "" or value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_row(document: Document) -> dict[str, str]:
    table = as_table(document)
    return {
        "id": document.id,
        "patient": document.patient or "",
        "text": document.text,
        "spans": json.dumps(table["spans"]),
    }


def render(documents: Iterable[Document]) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    for document in documents:
        writer.writerow(as_row(document))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()
