"""Folders that appear whole: their files are written beside them, and move after the last one is written.

A new folder gets its name by one rename. Into a folder that exists the files move one by one. Meanwhile the
staged folder is called ``.NAME.moving``, and is the journal: what is in it is still to move. If a run is
killed, readers refuse the folder, and the next run that writes there moves the rest first.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crfdeid import files
from crfdeid.corpora import storage
from crfdeid.errors import FormatError


@contextmanager
def stage_folder(folder: Path, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``folder``. Its files are those of ``folder`` when the block ends
    without an error, and are removed otherwise. What a killed run has left to move is moved first.

    Raises :class:`FormatError` at a file, at a folder with files unless ``overwrite``, and where another run
    writes it."""
    if folder.is_file():
        raise FormatError(f"{folder}: is a file; wanted a folder to write into")
    with files.hold_output(folder):
        finish_moving(folder)
        storage.refuse_existing(folder, overwrite)
        files.clear_leftovers(folder)
        with files.make_folder_beside(folder) as staged:
            yield staged
            storage.refuse_existing(folder, overwrite)  # another program may have filled it meanwhile
            with files.hold_signals():
                put_in_place(staged, folder)


def put_in_place(staged: Path, folder: Path) -> None:
    """Give a new folder its name, or move the files into one that exists, which keeps its permissions."""
    try:
        if folder.exists():
            journal = storage.name_journal(folder)
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
    journal = storage.name_journal(folder)
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
