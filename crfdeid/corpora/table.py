"""Tables of notes, a row a note: CSV and Parquet, read in chunks through pandas.

A column ``spans``, where there is one, holds the spans in JSON as in
:mod:`crfdeid.corpora.jsonl`, so that what is written can be read. A *spans table*
has a row a span instead, and is written only: it holds no notes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from crfdeid import files
from crfdeid.corpora import jsonl
from crfdeid.document import Document, Span
from crfdeid.faults import ConfigurationFault, FormatFault, near

if TYPE_CHECKING:
    import pandas as pd

SUFFIX = ".csv"
PARQUET_SUFFIX = ".parquet"
COLUMNS = ("id", "text", "patient", "spans")
SPAN_COLUMNS = ("id", "start", "end", "type", "text", "probability")
CHUNK = 1000  # rows


def parse(
    file: TextIO,
    where: str,
    id_column: str | None = None,
    text_column: str | None = None,
    patient_column: str | None = None,
    chunk_size: int = CHUNK,
) -> Iterator[Document]:
    """The notes of a CSV file. Columns that are not named are ``id`` (else the row's
    number), ``text``, and ``patient`` if there is one."""
    import pandas as pd

    named = id_column, text_column, patient_column
    try:
        chunks = pd.read_csv(file, dtype=str, keep_default_na=False, na_filter=False, chunksize=chunk_size)
        yield from documents_of(chunks, where, *named)
    except pd.errors.EmptyDataError:
        raise FormatFault(f"{where}: empty; wanted a table with a header") from None
    except pd.errors.ParserError as error:
        line = re.search(r"line (\d+)", str(error))
        raise FormatFault(f"{where}:{f' line {line[1]}:' if line else ''} not a CSV table") from None


def read_parquet(
    path: Path,
    id_column: str | None = None,
    text_column: str | None = None,
    patient_column: str | None = None,
    chunk_size: int = CHUNK,
) -> Iterator[Document]:
    """The notes of a Parquet file; columns as of :func:`parse`."""
    arrow, parquet = pyarrow()
    try:
        with parquet.ParquetFile(path) as table:
            chunks = (batch.to_pandas() for batch in table.iter_batches(batch_size=chunk_size))
            yield from documents_of(chunks, str(path), id_column, text_column, patient_column)
    except arrow.ArrowException:
        raise FormatFault(f"{path}: not a Parquet file") from None
    except OSError as error:
        raise FormatFault(f"{path}: {error.strerror or 'cannot be read'}") from None


def pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigurationFault("Parquet needs pyarrow: pip install crfdeid[parquet]") from None
    return pyarrow, pyarrow.parquet


def documents_of(
    chunks: Iterable[pd.DataFrame], where: str, id: str | None, text: str | None, patient: str | None
) -> Iterator[Document]:
    """The documents of the rows. Raises :class:`FormatFault` at a missing column, with
    the row where a cell is not what it should be (the first after the header is 1)."""
    number = 0
    for chunk in chunks:
        columns = list(map(str, chunk.columns))
        check(columns, where, [name for name in (id, text or "text", patient) if name])
        ids = chunk[id or "id"] if id or "id" in columns else None
        patients = chunk[patient or "patient"] if patient or "patient" in columns else None
        for index, note in enumerate(chunk[text or "text"]):
            number += 1
            at = f"{where}: row {number}"
            own = cell(ids, index, at) or f"{Path(where).stem}-{number}"
            if not isinstance(note, str):
                raise FormatFault(f"{at}: its text is missing or no text")
            spans = cell(chunk["spans"], index, at) if "spans" in columns else None
            yield Document(own, note, spans_of(spans, at), cell(patients, index, at))


def check(columns: list[str], where: str, wanted: Iterable[str]) -> None:
    if {"start", "end", "type"} <= set(columns):
        raise FormatFault(f"{where}: a table of spans, which holds no notes; wanted a row a note")
    for name in wanted:
        if name not in columns:
            raise FormatFault(f"{where}: no column {name}{near(name, columns)}")


def cell(column: pd.Series | None, index: int, where: str) -> str | None:
    """A text, a whole number as text, or None for an empty cell."""
    value = None if column is None else column.iloc[index]
    if value is None or value == "" or value != value:  # NaN
        return None
    if isinstance(value, float):  # pandas holds whole numbers beside empty cells as floats
        if not value.is_integer():
            raise FormatFault(f"{where}: an id is a text or a whole number")
        value = int(value)
    return str(value)


def spans_of(value: str | None, where: str) -> tuple[Span, ...]:
    try:
        return jsonl.spans_of(json.loads(value)) if value else ()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatFault(f"{where}: its spans are not a JSON list of start, end and type") from None


def row(document: Document) -> tuple[str, str, str, str]:
    return document.id, document.text, document.patient or "", json.dumps(jsonl.rows(document))


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    """A CSV file of notes, with their spans."""
    yield line(COLUMNS)
    yield from (line(row(document)) for document in documents)


def span_pieces(documents: Iterable[Document], header: bool = True) -> Iterator[str]:
    """A spans table; the last column only where a span has a probability is filled."""
    if header:
        yield line(SPAN_COLUMNS)
    for document in documents:
        for span in document.spans:
            sure = "" if span.probability is None else f"{span.probability:.4f}"
            yield line((document.id, span.start, span.end, span.type, document.covered(span), sure))


def line(values: Iterable[Any]) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerow(values)  # RFC 4180; quotes what holds either
    return buffer.getvalue()


def write_parquet(documents: Iterable[Document], path: Path) -> None:
    """A Parquet file of notes, a row group per :data:`CHUNK` rows."""
    arrow, parquet = pyarrow()
    schema = arrow.schema([(name, arrow.string()) for name in COLUMNS])
    waiting = iter(documents)
    with files.whole(path, "wb") as file, parquet.ParquetWriter(file, schema) as table:
        while rows := [row(document) for document, _ in zip(waiting, range(CHUNK))]:
            columns = dict(zip(COLUMNS, map(list, zip(*rows))))
            table.write_table(arrow.table(columns, schema=schema))
