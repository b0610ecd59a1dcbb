"""One study's SQLite file: transactions that are on disk when they return, and a few small tables.

The server's threads share one connection under one lock. Several processes may open the same store, because
every write is one immediate transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crfdeid.review.study import schema
from crfdeid.review.study.errors import DiskFullError, StoreError


class Store:
    """Raises :class:`StoreError` as :func:`crfdeid.review.study.schema.open_connection` does."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.lock = threading.RLock()
        self.connection = schema.open_connection(self.path)
        self.depth = 0  # of nested transactions

    def close(self) -> None:
        with self.lock:
            self.connection.close()

    def fetch_all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.lock, translate_errors(self.path):
            return self.connection.execute(sql, values).fetchall()

    def fetch_one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row, or None."""
        rows = self.fetch_all(sql, *values)
        return rows[0] if rows else None

    def execute(self, sql: str, *values: Any) -> None:
        """Execute one statement in a transaction."""
        with self.transaction() as connection:
            connection.execute(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction: when the block ends, all of it is on disk, or none. Inside another transaction it
        is a part of that one. Raises :class:`DiskFullError`."""
        with self.lock, translate_errors(self.path):
            if not self.depth:
                self.connection.execute("BEGIN IMMEDIATE")
            self.depth += 1
            try:
                yield self.connection
                if self.depth == 1:
                    self.connection.execute("COMMIT")
            except BaseException:
                if self.depth == 1 and self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self.depth -= 1

    def read_setting(self, key: str) -> str | None:
        row = self.fetch_one("SELECT value FROM study WHERE key = ?", key)
        return row[0] if row else None

    def write_setting(self, key: str, value: str) -> None:
        sql = "INSERT INTO study VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"
        self.execute(sql, key, value)


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as :class:`DiskFullError` or :class:`StoreError`, without the statement's
    values."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_WRITE:
            raise DiskFullError() from None
        raise StoreError(f"{path}: {getattr(error, 'sqlite_errorname', 'damaged')}: {error}") from None
