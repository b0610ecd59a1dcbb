"""A table of notes as Parquet, with the columns of :mod:`crfdeid.corpora.table`. Needs pyarrow
(``pip install crfdeid[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from crfdeid.corpora.table import CHUNK, COLUMNS, as_row, from_rows
from crfdeid.errors import FormatError
from crfdeid.files import whole
from crfdeid.text.document import Document

SUFFIXES = (".parquet",)


def _pyarrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FormatError("parquet needs pyarrow: pip install crfdeid[parquet]") from None
    return pyarrow


def read(
    path: Path,
    encoding: str = "utf-8",
    id_column: str = "id",
    text_column: str = "text",
    patient_column: str | None = None,
) -> Iterator[Document]:
    pyarrow = _pyarrow()
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException):
        raise FormatError(f"{path}: not a Parquet file that can be read") from None
    with file:
        rows = (row for batch in file.iter_batches(CHUNK) for row in batch.to_pandas().to_dict("records"))
        yield from from_rows(rows, path, id_column, text_column, patient_column)


def save(documents: Iterable[Document], path: Path) -> None:
    pyarrow = _pyarrow()
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    with whole(path, "wb") as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        rows = map(as_row, documents)
        while chunk := list(islice(rows, CHUNK)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema))
