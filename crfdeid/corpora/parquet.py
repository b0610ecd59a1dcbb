"""A table of notes as Parquet, with the columns of :mod:`crfdeid.corpora.table`. Needs pyarrow
(``pip install crfdeid[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from crfdeid.corpora.bad_rows import BadRows
from crfdeid.corpora.format import Format
from crfdeid.corpora.table import (
    CHUNK,
    COLUMNS,
    KeepRows,
    build_documents,
    build_row,
    join_chunks,
)
from crfdeid.errors import FormatError, show_install
from crfdeid.files import open_whole
from crfdeid.text.document import Document


def import_pyarrow() -> Any:
    """Return the module. Raises :class:`FormatError` if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FormatError(f"parquet needs pyarrow: {show_install('parquet')}") from None
    return pyarrow


def read(
    path: Path,
    encoding: str = "utf-8",
    id_column: str = "id",
    text_column: str = "text",
    patient_column: str | None = None,
    keep: KeepRows | None = None,
    bad: BadRows | None = None,
) -> Iterator[Document]:
    """Yield a document for each row; Parquet has an encoding and nulls already, so ``encoding`` is not used,
    and a text NULL is a text. ``keep`` is that of :func:`crfdeid.corpora.table.read`."""
    check_columns(path, {id_column, text_column, patient_column or "patient", "spans"})
    rows = read_rows(path, keep)
    yield from build_documents(rows, path, id_column, text_column, patient_column, bad, nulls=())


def check_columns(path: Path, names: set[str]) -> None:
    """Raise :class:`FormatError` where two columns have one name, and where one of ``names`` does not hold
    texts or numbers."""
    types = import_pyarrow().types
    kinds = (types.is_string, types.is_large_string, types.is_integer, types.is_floating, types.is_null)
    schema = read_schema(path)
    if len(set(schema.names)) < len(schema.names):
        raise FormatError(f"{path}: two of its columns have one name")
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if field.name in names and not any(is_kind(kind) for is_kind in kinds):
            raise FormatError(f"{path}: column {field.name} holds neither texts nor numbers")


@contextmanager
def open_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file. Raises :class:`FormatError` for another one, also while the block reads it: the
    checksums of its pages are compared."""
    pyarrow = import_pyarrow()
    try:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (OSError, UnicodeDecodeError, pyarrow.ArrowException):
        raise FormatError(f"{path}: not a Parquet file that can be read") from None


def read_schema(path: Path) -> Any:
    """Return the names and types of the columns, as pyarrow has them."""
    with open_file(path) as file:
        return file.schema_arrow


def read_rows(path: Path, keep: KeepRows | None = None) -> Iterator[dict[str, Any]]:
    """Yield the cells of each row with the types that they have."""
    with open_file(path) as file:
        yield from join_chunks((batch.to_pylist() for batch in file.iter_batches(CHUNK)), keep)


@contextmanager
def open_writer(path: Path, schema: Any) -> Iterator[Any]:
    """Open pyarrow's writer of a file that appears whole; its pages have checksums."""
    writer = import_pyarrow().parquet.ParquetWriter
    with open_whole(path, "wb") as file, writer(file, schema, write_page_checksum=True) as opened:
        yield opened


def save_corpus(documents: Iterable[Document], path: Path) -> None:
    """Write a row for each document."""
    pyarrow = import_pyarrow()
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    with open_writer(path, schema) as writer:
        rows = map(build_row, documents)
        while chunk := list(islice(rows, CHUNK)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema))


FORMAT = Format("parquet", (".parquet",), read=read, save_corpus=save_corpus, has_columns=True)
