"""One study's SQLite file: its tables, and transactions that are on disk when they return.

The log of actions only grows (triggers refuse any other change); ``states`` holds the fold of the log, for
speed. The tables hold offsets and types, and no note text. The server's threads share one connection under
one lock. Several processes may open the same store, because every write is one immediate transaction.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crfdeid.review.study.errors import DiskFullError, StoreError

APPLICATION_ID = 0x63726664  # "crfd" in SQLite's file header
VERSION = 2

TABLES = """
CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, patient TEXT, part TEXT NOT NULL, file TEXT NOT NULL,
    fingerprint TEXT NOT NULL, length INTEGER NOT NULL, words INTEGER NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL);
CREATE INDEX notes_of_patient ON notes(patient);
CREATE TABLE readers(name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT) WITHOUT ROWID;
CREATE TABLE actions(
    book TEXT NOT NULL, note INTEGER NOT NULL, version INTEGER NOT NULL, by TEXT NOT NULL, at REAL NOT NULL,
    action TEXT NOT NULL, PRIMARY KEY(book, note, version)) WITHOUT ROWID;
CREATE TRIGGER actions_stay BEFORE UPDATE ON actions BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER actions_last BEFORE DELETE ON actions BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TABLE states(
    book TEXT NOT NULL, note INTEGER NOT NULL, version INTEGER NOT NULL, undo INTEGER NOT NULL,
    redo INTEGER NOT NULL, undo_group TEXT, redo_group TEXT, done INTEGER NOT NULL, marks INTEGER NOT NULL,
    decided INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY(book, note)) WITHOUT ROWID;
CREATE TABLE closed(note INTEGER NOT NULL, reader TEXT NOT NULL, PRIMARY KEY(note, reader)) WITHOUT ROWID;
CREATE TABLE seen(note INTEGER NOT NULL, reader TEXT NOT NULL, PRIMARY KEY(note, reader)) WITHOUT ROWID;
CREATE TABLE times(
    reader TEXT NOT NULL, note INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY(reader, note)) WITHOUT ROWID;
CREATE TABLE systems(
    name TEXT PRIMARY KEY, number INTEGER NOT NULL, at REAL NOT NULL,
    notes_read INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE found(
    system TEXT NOT NULL, note INTEGER NOT NULL, spans TEXT NOT NULL, count INTEGER NOT NULL, doubt REAL,
    PRIMARY KEY(system, note)) WITHOUT ROWID;
"""
# Added by version 2. ``sessions`` and ``browsers`` hold hashes of cookies; ``shown`` the parts of a note that
# were on a reader's screen; ``questions`` what readers wrote.
TABLES_OF_2 = """
CREATE TABLE sessions(
    token TEXT PRIMARY KEY, reader TEXT, owner INTEGER NOT NULL, used REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE browsers(
    token TEXT NOT NULL, reader TEXT NOT NULL, PRIMARY KEY(token, reader)) WITHOUT ROWID;
CREATE TABLE shown(
    reader TEXT NOT NULL, note INTEGER NOT NULL, stretches TEXT NOT NULL,
    PRIMARY KEY(reader, note)) WITHOUT ROWID;
CREATE TABLE questions(
    id INTEGER PRIMARY KEY, note INTEGER NOT NULL, reader TEXT NOT NULL, start INTEGER, "end" INTEGER,
    text TEXT NOT NULL, at REAL NOT NULL, answer TEXT, answered_by TEXT);
CREATE INDEX questions_of_note ON questions(note);
CREATE TABLE preferences(reader TEXT PRIMARY KEY, keys TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assignments(
    note INTEGER NOT NULL, reader TEXT NOT NULL, PRIMARY KEY(note, reader)) WITHOUT ROWID;
"""
# The parts of the states that lists need, by note, without reading the states themselves.
INDEX = """CREATE INDEX IF NOT EXISTS states_of_note
           ON states(note, book, version, done, marks, decided)"""


class Store:
    """Raises :class:`StoreError` as :func:`crfdeid.review.study.store.open_connection` does."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.lock = threading.RLock()
        self.connection = open_connection(self.path)
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


def open_connection(path: Path) -> sqlite3.Connection:
    """Open the store at ``path``; create it where there is none, readable only by its owner.

    With the write-ahead log and ``synchronous=FULL``, a commit is on disk when it returns. Raises
    :class:`StoreError` where the file is not a store, is of a newer version, or can be read by others.
    """
    is_new = create_file(path)
    connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        if is_new:
            create_tables(connection)
        check_version(connection, path)
        upgrade(connection)
        connection.execute(INDEX)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        return connection
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"{path}: cannot be opened as a store: {error}") from None
    except BaseException:
        connection.close()
        raise


def create_file(path: Path) -> bool:
    """Create an empty file of mode 0600 unless the file exists; return whether it is empty."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None
    if not path.is_file():
        raise StoreError(f"{path}: not a file; wanted a study's store")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise StoreError(f"{path}: mode {mode:o} lets others read it; chmod 600 first")
    return path.stat().st_size == 0


def create_tables(connection: sqlite3.Connection) -> None:
    header = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    connection.executescript(f"BEGIN IMMEDIATE; {header} {TABLES} {TABLES_OF_2} COMMIT;")


def upgrade(connection: sqlite3.Connection) -> None:
    """Add to a store of version 1 the tables of version 2; what it holds stays as it is."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version < VERSION:
        header = f"PRAGMA user_version = {VERSION};"
        connection.executescript(f"BEGIN IMMEDIATE; {header} {TABLES_OF_2} COMMIT;")


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path}: an SQLite file, but not a study's store")
    if not 1 <= version <= VERSION:
        raise StoreError(f"{path}: a store of version {version}; this program reads 1 to {VERSION}")
