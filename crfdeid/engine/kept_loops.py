"""Where numba keeps compiled loops, so that not every process compiles them again.

numba keeps them beside the source, or in the user's folder of caches. Where the package is read-only and the
user has no home that can be written, as in many containers and on many clusters, numba refuses to start. So a
folder that only this user can write is named for it; nobody else may write there, because numba runs what it
finds in it. Where not even that is possible, loops are compiled for each process.

numba does not read a folder that it cannot write. So where one has kept loops already (``crfdeid warm`` in an
image, or by the owner of an installation), they are linked into a folder for this user.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import config, event
from numba.core.caching import _CacheLocator

from crfdeid import files

numba_settings: Any = config
NAME = "crfdeid-numba-{user}"  # of a folder for temporary files
LONG = 1.0  # seconds of compiling after which it is announced


def choose_cache_folder() -> bool:
    """Name a folder for numba where it finds none that it can write, or has loops in one that it cannot.
    Return whether loops are kept."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folders = [Path(numba_settings.CACHE_DIR)] if numba_settings.CACHE_DIR else []
    folders.append(files.PACKAGE / "engine" / "__pycache__")
    if not caches.startswith("~"):  # a user whom the system does not know has no home
        folders.append(Path(caches) / "numba")
    linked = [] if is_writable(folders[0]) else list(find_loops())
    if not linked and any(map(is_writable, folders)):
        return True
    try:
        folder = Path(tempfile.gettempdir()) / NAME.format(user=os.getuid())
        numba_settings.CACHE_DIR = str(
            folder if is_private(folder) else tempfile.mkdtemp(prefix="crfdeid-numba-")
        )
    except OSError:
        warnings.warn(
            "no folder can be written: compiled loops are not kept, and each run compiles them for a minute; "
            "NUMBA_CACHE_DIR names a folder", stacklevel=2,
        )  # fmt: skip
        return False
    link_loops(linked)
    return True


def find_loops() -> Iterator[tuple[Path, str]]:
    """Yield the files of the loops that numba has kept, each with its name in a folder of numba's."""
    named = numba_settings.CACHE_DIR
    for folder in sorted({path.parent for path in (files.PACKAGE / "engine").rglob("*.py")}):
        place = _CacheLocator.get_suitable_cache_subpath(str(folder / "loops.py"))
        kept = Path(named) / place if named else folder / "__pycache__"
        yield from ((file, f"{place}/{file.name}") for file in sorted(kept.glob("*.nb[ic]")))


def link_loops(files: list[tuple[Path, str]]) -> None:
    """Link the files into numba's folder; numba replaces a link when it keeps another loop of that name."""
    for file, name in files:
        link = Path(numba_settings.CACHE_DIR, name)
        with suppress(OSError):  # one more loop is compiled
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(file.absolute())


class Compiling(event.Listener):
    """Counts the loops that are compiled, and announces it where it takes long."""

    def __init__(self) -> None:
        self.count, self.depth, self.begun, self.seconds = 0, 0, 0.0, 0.0
        self.is_announced = False

    def on_start(self, event: Any) -> None:
        if not self.depth:
            self.begun = time.monotonic()
        self.depth += 1
        self.announce()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        self.announce()
        if not self.depth:
            self.count += 1
            self.seconds += time.monotonic() - self.begun

    def announce(self) -> None:
        """Call those who want to hear of it once, as soon as it has taken long."""
        if not self.is_announced and self.seconds + time.monotonic() - self.begun > LONG:
            self.is_announced = True
            for call in files.COMPILING:
                call()


def is_writable(folder: Path) -> bool:
    """Whether a file can be made in the folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_private(folder: Path) -> bool:
    """Make the folder if it is missing. Return whether it is this user's, and only this user can write."""
    try:
        folder.mkdir(0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


COMPILING = Compiling()
event.register("numba:compile", COMPILING)
ARE_KEPT = choose_cache_folder()  # what njit's option "cache" is everywhere
# The options of njit.
OPTIONS: dict[str, Any] = {"nogil": True, "cache": ARE_KEPT}
BARE: dict[str, Any] = {**OPTIONS, "_nrt": False}
INLINED: dict[str, Any] = {**OPTIONS, "inline": "always"}  # an array as an argument costs as much as a sum
