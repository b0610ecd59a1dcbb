"""Where documents lie: opening what is read, and putting in place what is written.

An output appears whole or not at all: a file is written under another name and
moved; a folder is filled beside its place and moved when the last document is in it.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from crfdeid import files
from crfdeid.errors import FormatError

LONGEST_NAME = 200  # bytes; file systems hold 255, and temporary names are longer


@contextmanager
def opened(path: Path, encoding: str) -> Iterator[TextIO]:
    """The file's text as a stream whose lines end at ``\\n`` alone, nothing translated.

    Raises :class:`FormatError` where it cannot be read or decoded, also while the
    block reads on.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise FormatError(f"{encoding}: no such encoding") from None
    try:
        with open(path, encoding=encoding, newline="\n") as file:
            yield file
    except UnicodeError:
        files.read_text(path, encoding)  # knows the offset within the whole file
        raise
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from None


def refuse_missing(path: Path) -> None:
    """Raise :class:`FormatError` where nothing is, or nothing that may be looked at."""
    try:
        path.stat()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file or folder") from None
    except (OSError, ValueError) as error:  # no permission, a name too long, a NUL in it
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def listed(folder: Path, suffixes: Iterable[str] = ()) -> list[Path]:
    """The folder's files, or those that end in one of ``suffixes``, sorted by name; hidden
    ones are no documents."""
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise FormatError(f"{folder}: {error.strerror or error}") from None
    return sorted(
        path for path in paths if (not suffixes or path.suffix.lower() in suffixes) and path.is_file()
    )


def stem(id: str) -> str:
    """``id`` as the stem of a file name. Raises :class:`FormatError` where it cannot be one.

    >>> stem("110-01")
    '110-01'
    """
    unsafe = not id or id.startswith(".") or re.search(r'[/\\:*?"<>|]', id) or not id.isprintable()
    if unsafe or len(id.encode()) > LONGEST_NAME:
        raise FormatError(f"document id {id!r} cannot name a file; jsonl and table hold any id")
    return id


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise :class:`FormatError` at a file, or a folder that holds anything, unless it
    may be overwritten."""
    if overwrite or not path.exists():
        return
    if path.is_file():
        raise FormatError(f"{path}: exists; --overwrite replaces it")
    if path.is_dir() and any(path.iterdir()):
        raise FormatError(f"{path}: holds files; --overwrite replaces those of the same name")


def write_file(pieces: Iterable[str], path: Path, overwrite: bool = False) -> None:
    if path.is_dir():
        raise FormatError(f"{path}: is a folder; wanted a file to write")
    refuse_existing(path, overwrite)
    with files.whole(path) as file:
        file.writelines(pieces)


@contextmanager
def staged(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """A temporary folder beside ``folder``, whose files move into it when the block
    ends without an error, and are removed otherwise."""
    if folder.is_file():
        raise FormatError(f"{folder}: is a file; wanted a folder to write into")
    refuse_existing(folder, overwrite)
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.absolute().parent))
    try:
        yield staging
        folder.mkdir(exist_ok=True)
        for path in sorted(staging.iterdir()):
            os.replace(path, folder / path.name)
    finally:
        shutil.rmtree(staging)
