"""Open the files that are read, and put the files that are written in place.

A file appears whole or not at all: it is written under another name and moved. Of folders, see
:mod:`crfdeid.corpora.staging`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from crfdeid import files
from crfdeid.errors import FormatError, show_id

LONGEST_NAME = 200  # bytes; file systems allow 255, and temporary names are longer
MOVING = ".moving"  # ends the name of a staged folder whose files move
WINDOWS_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))]
)  # a file of such a name cannot be opened there

_read_pipes: set[tuple[int, int]] = set()  # device and number of each


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[TextIO]:
    """Open a file as text whose lines end only at ``\\n``; no line end is translated.

    Raises :class:`FormatError` where the file cannot be read or decoded, also while the block
    reads from it.
    """
    files.check_encoding(encoding)
    try:
        with open(path, encoding=encoding, newline="\n") as file:
            yield file
    except UnicodeError:
        files.refuse_undecodable(path, encoding)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from None


def refuse_missing(path: Path) -> None:
    """Raise :class:`FormatError` where the path does not exist, may not be looked at, or is a named pipe."""
    try:
        path.stat()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file or folder") from None
    except (OSError, ValueError) as error:  # no permission, a name too long, a NUL in it
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    files.refuse_named_pipe(path)


def refuse_second_reading(path: Path) -> None:
    """Raise :class:`FormatError` at a pipe that this process has read before: the rest of it, or nothing,
    would be taken for the whole."""
    if path.is_fifo():
        found = path.stat()
        pipe = found.st_dev, found.st_ino
        if pipe in _read_pipes:
            raise FormatError(f"{path}: a pipe can be read only once, and is needed again; wanted a file")
        _read_pipes.add(pipe)


def list_folder(folder: Path, suffixes: Iterable[str] = (), recursive: bool = False) -> list[Path]:
    """Return the folder's files with one of the suffixes, or all if ``suffixes`` is empty, sorted by
    name; with ``recursive`` those of the folders in it too. Hidden files are not documents. Raises
    :class:`FormatError` at a broken link or a pipe, and where only some files have moved into the folder."""
    if recursive:
        return [path for each in list_folders(folder) for path in list_folder(each, suffixes)]
    refuse_half_moved(folder)
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise FormatError(f"{folder}: {error.strerror or error}") from None
    wanted = sorted(path for path in paths if not suffixes or path.suffix.lower() in suffixes)
    for path in wanted:
        if not (path.is_file() or path.is_dir()):
            raise FormatError(f"{path}: neither a file nor a folder; a broken link or a pipe holds no note")
    return [path for path in wanted if path.is_file()]


def name_journal(folder: Path) -> Path:
    """The name of the staged folder while its files move."""
    whole = folder.absolute()
    return whole.with_name(f".{whole.name}{MOVING}") if whole.name else whole / MOVING


def refuse_half_moved(folder: Path) -> None:
    """Raise :class:`FormatError` at a folder into which a run moves files, or was killed while it did."""
    if name_journal(folder).exists():
        raise FormatError(
            f"{folder}: the last run that wrote there has not moved all files into it: it was stopped, or is "
            f"at work; run its command again"
        )


def list_folders(folder: Path) -> Iterator[Path]:
    """Yield the folder and all folders below it, by name, without hidden and linked ones."""
    yield folder
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not (path.is_symlink() or path.name.startswith(".")):
            yield from list_folders(path)


def file_stem(id: str) -> str:
    """Return ``id`` as the stem of a file name. Raises :class:`FormatError` where it cannot be one.

    >>> file_stem("110-01")
    '110-01'
    """
    unsafe = not id or id.startswith(".") or re.search(r'[/\\:*?"<>|]|[. ]$', id) or not id.isprintable()
    if unsafe or id.partition(".")[0].lower() in WINDOWS_NAMES or len(id.encode()) > LONGEST_NAME:
        raise FormatError(f"the id of {show_id(id)} cannot name a file; jsonl and table hold any id")
    return id


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise :class:`FormatError` at a file, or a folder that is not empty, unless ``overwrite``."""
    if overwrite or not path.exists():
        return
    if path.is_file():
        raise FormatError(f"{path}: exists; --overwrite replaces it")
    if path.is_dir() and any(path.iterdir()):
        raise FormatError(f"{path}: holds files; --overwrite replaces those of the same name")


def write_file(pieces: Iterable[str], path: Path, overwrite: bool = False) -> None:
    """Write the pieces of text to one file."""
    if path.is_dir():
        raise FormatError(f"{path}: is a folder; wanted a file to write")
    refuse_existing(path, overwrite)
    files.clear_leftovers(path)
    with files.open_whole(path) as file:
        file.writelines(pieces)
