"""One study's SQLite file: transactions that are on disk when they return, and a few small tables.

The connection is shared by the server's threads under one lock; several processes may have the same store
open, since every write is one immediate transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crfdeid.review.study import schema
from crfdeid.review.study.errors import Full, StoreError


class Store:
    """Raises :class:`StoreError` as :func:`crfdeid.review.study.schema.opened` does."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.lock = threading.RLock()
        self.connection = schema.opened(self.path)
        self.writes = 0  # transactions that are open; they nest

    def close(self) -> None:
        with self.lock:
            self.connection.close()

    def rows(self, sql: str, *values: Any) -> list[tuple]:
        with self.lock, answered(self.path):
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> tuple | None:
        found = self.rows(sql, *values)
        return found[0] if found else None

    def write(self, sql: str, *values: Any) -> None:
        with self.writing() as connection:
            connection.execute(sql, values)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is on disk when the block ends, or nothing of it. Raises
        :class:`Full` where the disk is."""
        with self.lock, answered(self.path):
            if not self.writes:
                self.connection.execute("BEGIN IMMEDIATE")
            self.writes += 1
            try:
                yield self.connection
                if self.writes == 1:
                    self.connection.execute("COMMIT")
            except BaseException:
                if self.writes == 1 and self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self.writes -= 1

    def setting(self, key: str) -> str | None:
        found = self.row("SELECT value FROM study WHERE key = ?", key)
        return found[0] if found else None

    def set(self, key: str, value: str) -> None:
        self.write("INSERT INTO study VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                   key, value)  # fmt: skip


@contextmanager
def answered(path: Path) -> Iterator[None]:
    """SQLite's errors as faults, without the statement's values."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            raise Full() from None
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE:
            raise Full() from None
        raise StoreError(f"{path}: {getattr(error, 'sqlite_errorname', 'damaged')}: {error}") from None
