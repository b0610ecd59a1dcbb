"""Notes from a database: the rows of a query, read in batches by SQLAlchemy.

A query is read once, as a stream is. So the notes of a patient must follow one another (ORDER BY), except
with ``--by note``. No message has the address of the database, which may hold a password, nor text of a row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crfdeid.corpora import table
from crfdeid.corpora.reading import Reading
from crfdeid.errors import ConfigurationError, FormatError, show_id
from crfdeid.redact.plan import Query
from crfdeid.text.document import Document

URL_VARIABLE = "CRFDEID_SQL_URL"
BATCH = 1000  # rows in memory at once
WHERE = Path("--sql")  # in messages, where a file would be


def build_reader(query: Query, reading: Reading) -> Callable[[], Iterator[Document]]:
    """Return a function that reads the notes of the query. Raises :class:`ConfigurationError` if SQLAlchemy
    is not installed."""
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        raise ConfigurationError("sqlalchemy not installed: pip install 'crfdeid[sql]'") from None
    url = os.environ.get(URL_VARIABLE, "") if query.url == "env" else query.url
    columns = reading.id_column or "id", reading.text_column or "text", reading.patient_column
    return lambda: refuse_repeated(table.build_documents(read_rows(url, query.text), WHERE, *columns))


def read_rows(url: str, query: str) -> Iterator[Mapping[Any, Any]]:
    """Yield the rows of a query by column. Raises :class:`FormatError` where the database refuses it."""
    import sqlalchemy
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as connection:
            streamed = connection.execution_options(stream_results=True, yield_per=BATCH)
            for row in streamed.execute(sqlalchemy.text(query)):
                yield row._mapping
    except (SQLAlchemyError, ImportError) as error:
        cause = type(getattr(error, "orig", None) or error).__name__
        raise FormatError(f"{WHERE}: the database or its driver refused: {cause}") from None


def refuse_repeated(notes: Iterator[Document]) -> Iterator[Document]:
    """Yield the notes. Raises :class:`FormatError` if an id occurs twice, or there are no notes."""
    seen: set[str] = set()
    for number, note in enumerate(notes, 1):
        if note.id in seen:
            raise FormatError(f"{WHERE}: document {show_id(note.id, f'number {number}')} occurs twice")
        seen.add(note.id)
        yield note
    if not seen:
        raise FormatError(f"{WHERE}: the query gives no notes")
