"""Reading text files, and writing files that are never left half-written."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from crfdeid.errors import FormatError


@contextmanager
def open_whole(
    path: Path | str, mode: str = "w", encoding: str | None = "utf-8", private: bool = False
) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces ``path`` when the block ends without an error, and is removed
    otherwise. Text is written without newline translation. Only the owner can read a ``private`` file,
    from its first byte and whatever the umask; so with its folder, if that is new."""
    path = Path(path)
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    newline = None if "b" in mode else ""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, mode, encoding=None if "b" in mode else encoding, newline=newline) as file:
            yield file
        if not private:  # a temporary file is private
            os.chmod(name, 0o666 & ~read_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def try_lock(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed. Return False if another process has the lock. The
    lock of a killed process ends with it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make the names of the folder's files durable, after a file was put there."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def read_text(path: Path | str, encoding: str = "utf-8") -> str:
    """Return the file's text with its line ends as they are. Raises :class:`FormatError` where the file
    cannot be read or is not in ``encoding`` (the error gives the byte offset)."""
    try:
        return decode_text(Path(path).read_bytes(), str(path), encoding)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from None


def decode_text(data: bytes, where: str, encoding: str = "utf-8") -> str:
    """Decode ``data``, which came from ``where``. Raises :class:`FormatError` as :func:`read_text` does."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{where}: not {encoding}: byte {error.start} cannot be decoded; --encoding names another"
        ) from None
    except LookupError:
        raise FormatError(f"{encoding}: no such encoding") from None
