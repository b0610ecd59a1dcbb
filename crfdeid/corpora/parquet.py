"""A table of notes as Parquet, with the columns of :mod:`crfdeid.corpora.table`. Needs pyarrow
(``pip install crfdeid[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.format import Format
from crfdeid.corpora.table import CHUNK, COLUMNS, build_documents, build_row
from crfdeid.errors import FormatError
from crfdeid.files import open_whole
from crfdeid.text.document import Document


def import_pyarrow() -> Any:
    """Return the module. Raises :class:`FormatError` if it is not installed."""
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
    bad: BadRows | None = None,
) -> Iterator[Document]:
    """Yield a document for each row; Parquet has an encoding already, so ``encoding`` is not used."""
    with open_file(path) as file:
        rows = (row for batch in file.iter_batches(CHUNK) for row in batch.to_pandas().to_dict("records"))
        yield from build_documents(rows, path, id_column, text_column, patient_column, bad)


def open_file(path: Path) -> Any:
    """Open a Parquet file. Raises :class:`FormatError` for another one."""
    pyarrow = import_pyarrow()
    try:
        return pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException):
        raise FormatError(f"{path}: not a Parquet file that can be read") from None


def read_schema(path: Path) -> Any:
    """Return the names and types of the columns, as pyarrow has them."""
    with open_file(path) as file:
        return file.schema_arrow


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the cells of each row with the types that they have."""
    with open_file(path) as file:
        for batch in file.iter_batches(CHUNK):
            yield from batch.to_pylist()


def save_corpus(documents: Iterable[Document], path: Path) -> None:
    """Write a row for each document."""
    pyarrow = import_pyarrow()
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    with open_whole(path, "wb") as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        rows = map(build_row, documents)
        while chunk := list(islice(rows, CHUNK)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema))


FORMAT = Format("parquet", (".parquet",), read=read, save_corpus=save_corpus, has_columns=True)
