"""Open the files that are read, and put the files that are written in place.

A file appears whole or not at all: it is written under another name and moved. So does a folder: its files
are written beside it, and move after the last one is written. A new folder gets its name by one rename.
Into a folder that exists the files move one by one. Meanwhile the staged folder is called ``.NAME.moving``,
and is the journal: what is in it is still to move. If a run is killed, readers refuse the folder, and the
next run that writes there moves the rest first.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from crfdeid import files
from crfdeid.errors import FormatError, show_id

LONGEST_NAME = 200  # bytes; file systems allow 255, and temporary names are longer
TAGGED_BY = ".tagged_by.json"  # the file that says what tagged a folder
MOVING = ".moving"  # ends the name of a staged folder whose files move
WINDOWS_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))]
)  # a file of such a name cannot be opened there


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


def list_folder(folder: Path, suffixes: Iterable[str] = (), recursive: bool = False) -> list[Path]:
    """Return the folder's files with one of the suffixes, or all if ``suffixes`` is empty, sorted by
    name; with ``recursive`` also the files of the folders in it. Hidden files are not documents. Raises
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
        raise FormatError(f"{path}: holds files; --overwrite replaces files of the same name")


def write_file(pieces: Iterable[str], path: Path, overwrite: bool = False) -> None:
    """Write the pieces of text to one file."""
    if path.is_dir():
        raise FormatError(f"{path}: is a folder; wanted a file to write")
    refuse_existing(path, overwrite)
    files.clear_leftovers(path)
    with files.open_whole(path) as file:
        file.writelines(pieces)


@contextmanager
def stage_folder(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``folder``. Its files are those of ``folder`` when the block ends
    without an error, and are removed otherwise. Files that a killed run had yet to move are moved first.

    Raises :class:`FormatError` at a file, at a folder with files unless ``overwrite``, and where another run
    writes it."""
    if folder.is_file():
        raise FormatError(f"{folder}: is a file; wanted a folder to write into")
    with files.hold_output(folder):
        finish_moving(folder)
        refuse_existing(folder, overwrite)
        files.clear_leftovers(folder)
        with files.make_folder_beside(folder) as staged:
            yield staged
            refuse_existing(folder, overwrite)  # another program may have filled it meanwhile
            with files.hold_signals():
                put_in_place(staged, folder)


def put_in_place(staged: Path, folder: Path) -> None:
    """Give a new folder its name, or move the files into one that exists, which keeps its permissions."""
    try:
        if folder.exists():
            journal = name_journal(folder)
            staged.rename(journal)
            move_files(journal, folder)
        else:
            staged.chmod(0o777 & ~files.read_umask())
            staged.rename(folder)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise FormatError(f"{folder}: another run moves files into it") from None
        raise


def move_files(journal: Path, folder: Path) -> None:
    for path in sorted(journal.iterdir()):
        os.replace(path, folder / path.name)
    journal.rmdir()


def finish_moving(folder: Path) -> None:
    """Move what a killed run has left to move. Raises :class:`FormatError` where a running one moves it."""
    journal = name_journal(folder)
    try:
        descriptor = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    except OSError:
        return
    try:
        if not files.try_lock(descriptor):
            raise FormatError(f"{folder}: another run moves files into it")
        with files.hold_signals():
            move_files(journal, folder)
    finally:
        os.close(descriptor)
