"""A table of notes as CSV: a row a note, read and written through pandas in chunks.

Columns are named by ``id_column``, ``text_column`` and ``patient_column``; a column ``spans`` holds
the spans as JSON, as in :mod:`crfdeid.corpora.jsonl`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crfdeid.corpora.jsonl import as_table, build, loaded
from crfdeid.document import Document
from crfdeid.faults import FormatFault

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

    options = {"dtype": str, "keep_default_na": False, "chunksize": CHUNK, "encoding": encoding}
    try:
        with pandas.read_csv(path, **options) as chunks:
            rows = (row for chunk in chunks for row in chunk.to_dict("records"))
            yield from from_rows(rows, path, id_column, text_column, patient_column)
    except UnicodeDecodeError as error:
        raise FormatFault(f"{path}: not {encoding}: byte {error.start} cannot be decoded") from None
    except (OSError, pandas.errors.ParserError, pandas.errors.EmptyDataError, LookupError) as error:
        raise FormatFault(f"{path}: not a CSV table that can be read ({type(error).__name__})") from None


def from_rows(
    rows: Iterable[Mapping[str, Any]],
    path: Path,
    id_column: str,
    text_column: str,
    patient_column: str | None,
) -> Iterator[Document]:
    for number, row in enumerate(rows, 1):
        wanted = [id_column, text_column, *([patient_column] if patient_column else [])]
        for column in wanted:
            if column not in row:
                raise FormatFault(f"{path}: no column {column}; there are {', '.join(map(str, row))}")
        where = f"{path}, row {number}"
        spans = loaded(row["spans"], where) if row.get("spans") else []
        patient = row.get(patient_column or "patient") or None
        table = {"id": row[id_column], "text": row[text_column], "spans": spans, "patient": patient}
        yield build(table, where, number)


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
