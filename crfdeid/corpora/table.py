"""A table of notes as CSV, a row for each note. pandas reads it in chunks.

``id_column``, ``text_column`` and ``patient_column`` name the columns; a column ``spans`` holds
the spans as JSON, as in :mod:`crfdeid.corpora.jsonl`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from crfdeid.corpora.bad_rows import BadRows, RowReader
from crfdeid.corpora.format import Format
from crfdeid.corpora.jsonl import build_document, build_item, parse_json
from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError
from crfdeid.files import refuse_undecodable
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("id", "patient", "text", "spans")
OPTIONS = "--id-column, --text-column and --patient-column name others"
NULLS = ("NULL", "\\N")  # what databases write for no value
CHUNK = 1000  # notes in memory at once

KeepRows = Callable[[list[dict[Any, Any]]], object]


def read(
    path: Path,
    encoding: str = "utf-8",
    id_column: str = "id",
    text_column: str = "text",
    patient_column: str | None = None,
    keep: KeepRows | None = None,
    bad: BadRows | None = None,
    delimiter: str = ",",
) -> Iterator[Document]:
    """Yield a document for each row. Before they are yielded, ``keep`` gets the rows of a chunk; ``bad`` gets
    a bad row."""
    chunks = (chunk.to_dict("records") for chunk in read_chunks(path, encoding, delimiter))
    rows = join_chunks(chunks, keep)
    short = find_short_rows(path, encoding, delimiter)
    yield from build_documents(rows, path, id_column, text_column, patient_column, bad, short)


def join_chunks(chunks: Iterable[list[Any]], keep: KeepRows | None = None) -> Iterator[Any]:
    """Yield the rows of the chunks. ``keep`` gets a chunk as a whole before its first row is yielded."""
    for rows in chunks:
        if keep and rows:
            keep(rows)
        yield from rows


def find_short_rows(path: Path, encoding: str, delimiter: str) -> set[int]:
    """Return the numbers of the rows with fewer cells than the header, such as the last one of a file that
    was cut short; pandas takes their missing cells for empty ones. A pipe can be read only once: it has none.
    """
    if not path.is_file():
        return set()
    with open_text(path, encoding) as file:
        csv.field_size_limit(sys.maxsize)
        rows = (row for row in csv.reader(file, delimiter=delimiter) if row and (row[1:] or row[0].strip()))
        try:
            width = len(next(rows, ()))
            return {number for number, row in enumerate(rows, 1) if len(row) < width}
        except csv.Error:  # a carriage return ends the rows; pandas reads such a table
            return set()


def read_chunks(path: Path, encoding: str, delimiter: str = ",", size: int = CHUNK) -> Iterator[DataFrame]:
    """Yield the rows of a table of texts, ``size`` at a time. No message has text of a cell or a header."""
    import pandas

    try:
        with open_text(path, encoding) as file:
            source: Any = NulRefuser(file, path) if cuts_at_nul() else file
            options: Any = {"dtype": str, "keep_default_na": False, "chunksize": size, "sep": delimiter}
            with pandas.read_csv(source, **options) as chunks:
                for chunk in chunks:
                    yield _check_header(chunk, path)
    except UnicodeError:
        refuse_undecodable(path, encoding)
    except pandas.errors.EmptyDataError:
        raise FormatError(f"{path}: not a CSV table: it is empty") from None
    except pandas.errors.ParserError as error:
        line = re.search(r"line \d+", str(error))  # the rest of the message may quote the note
        where = f"{path}, {line[0]}" if line else path
        raise FormatError(f"{where}: not a CSV table that can be read") from None


def cuts_at_nul() -> bool:
    """Whether this version of pandas (before 3.1) loses the rest of a cell after a NUL character."""
    import pandas

    return bool(pandas.read_csv(io.StringIO('text\n"a\0b"'), dtype=str)["text"][0] == "a")


class NulRefuser:
    """Reads a text file. Raises :class:`FormatError` where it comes to a NUL character."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self.file, self.path = file, path

    def __iter__(self) -> Iterator[str]:
        return iter(self.file)

    def read(self, size: int = -1) -> str:
        text = self.file.read(size)
        if "\0" in text:
            what = "a NUL character, at which this version of pandas ends a cell; wanted pandas 3.1"
            raise FormatError(f"{self.path}: {what}")
        return text


def _check_header(chunk: DataFrame, path: Path) -> DataFrame:
    """Return the rows. Where the first row has one cell more than the header, pandas
    would take the first column as the index and give every cell a wrong name."""
    if chunk.index.dtype.kind != "i":
        raise FormatError(f"{path}: its rows have more cells than its header")
    return chunk


def build_documents(
    rows: Iterable[Mapping[Any, Any]],
    path: Path,
    id_column: str,
    text_column: str,
    patient_column: str | None,
    bad: BadRows | None = None,
    short: Container[int] = (),
    nulls: Container[str] = NULLS,
) -> Iterator[Document]:
    """Yield a document for each row. Raises :class:`FormatError` where a column does not exist, at the rows
    ``short``, which have too few cells, and at a text that is one of ``nulls``."""
    reader = RowReader(path, bad)
    for number, row in enumerate(rows, 1):
        wanted = [id_column, text_column, *([patient_column] if patient_column else [])]
        if {"start", "end", "type"} <= row.keys():
            raise FormatError(f"{path}: a table of spans, which holds no notes; wanted a row for each note")
        for column in wanted:
            if column not in row:
                raise FormatError(f"{path}: no column {column} among the {len(row)} of its header; {OPTIONS}")
        id, patient = read_cell(row[id_column]), read_cell(row.get(patient_column or "patient"))
        where = f"{path}, row {number}"
        text = row[text_column]
        build = partial(_build_document, row, where, number, id, patient, text)
        if number in short:
            build = partial(refuse_short_row, where)
        elif text is None or (isinstance(text, str) and text in nulls):
            build = partial(refuse_null, where)
        yield from reader.build(number, id or "", build)


def refuse_short_row(where: str) -> Document:
    raise FormatError(f"{where}: fewer cells than the header; was the file cut short?")


def refuse_null(where: str) -> Document:
    raise FormatError(f"{where}: its text is NULL; wanted a text, or nothing for an empty note")


def _build_document(
    row: Mapping[Any, Any], where: str, number: int, id: str | None, patient: str | None, text: Any
) -> Document:
    spans = read_cell(row.get("spans"))
    item = {"text": text, "spans": parse_json(spans, where) if spans else [], "patient": patient}
    return build_document(item if id is None else item | {"id": id}, where, number)


def read_cell(value: Any) -> str | None:
    """Return a cell's text, None if it is empty. In a column with empty cells, pandas keeps whole
    numbers as floats.

    >>> read_cell(7.0), read_cell("07"), read_cell(""), read_cell(float("nan"))
    ('7', '07', None, None)
    """
    if value is None or value == "" or value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def build_row(document: Document) -> dict[str, str]:
    """Build the row of a document: the text of each cell by column."""
    item = build_item(document)
    return {
        "id": document.id,
        "patient": document.patient or "",
        "text": document.text,
        "spans": json.dumps(item["spans"]),
    }


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the header, then a row for each document; every cell is quoted."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    for document in documents:
        writer.writerow(build_row(document))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


FORMAT = Format("table", (".csv",), read=read, render_corpus=render_corpus, has_columns=True)
