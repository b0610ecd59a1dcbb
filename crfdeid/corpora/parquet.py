"""A table of notes as Parquet, with the columns of :mod:`crfdeid.corpora.table`. Needs pyarrow
(``pip install crfdeid[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from crfdeid.corpora.format import Format
from crfdeid.corpora.table import CHUNK, COLUMNS, build_documents, build_row
from crfdeid.errors import FormatError
from crfdeid.files import open_whole
from crfdeid.text.document import Document


def _import_pyarrow() -> Any:
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
    """Yield a document for each row; Parquet has an encoding already, so ``encoding`` is not used."""
    pyarrow = _import_pyarrow()
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException):
        raise FormatError(f"{path}: not a Parquet file that can be read") from None
    with file:
        rows = (row for batch in file.iter_batches(CHUNK) for row in batch.to_pandas().to_dict("records"))
        yield from build_documents(rows, path, id_column, text_column, patient_column)


def save_corpus(documents: Iterable[Document], path: Path) -> None:
    """Write a row for each document."""
    pyarrow = _import_pyarrow()
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    with open_whole(path, "wb") as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        rows = map(build_row, documents)
        while chunk := list(islice(rows, CHUNK)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema))


FORMAT = Format("parquet", (".parquet",), read=read, save_corpus=save_corpus, has_columns=True)
