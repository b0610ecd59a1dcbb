"""Where numba keeps compiled loops, so that not every process compiles them again.

numba keeps them beside the source, or in the user's folder of caches. Where the package is read-only and the
user has no home that can be written, as in many containers and on many clusters, numba refuses to start. So a
folder that only this user can write is named for it; nobody else may write there, because numba runs what it
finds in it. Where not even that is possible, loops are compiled for each process.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Any

from numba.core import config

from crfdeid import resources

numba_settings: Any = config
NAME = "crfdeid-numba-{user}"  # of a folder for temporary files


def choose_cache_folder() -> bool:
    """Name a folder for numba where it finds none that it can write. Return whether loops are kept."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folders = [Path(numba_settings.CACHE_DIR)] if numba_settings.CACHE_DIR else []
    folders.append(resources.PACKAGE / "engine" / "__pycache__")
    if not caches.startswith("~"):  # a user whom the system does not know has no home
        folders.append(Path(caches) / "numba")
    if any(map(is_writable, folders)):
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
    return True


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


ARE_KEPT = choose_cache_folder()  # what njit's option "cache" is everywhere
# The options of njit.
OPTIONS: dict[str, Any] = {"nogil": True, "cache": ARE_KEPT}
BARE: dict[str, Any] = {**OPTIONS, "_nrt": False}
INLINED: dict[str, Any] = {**OPTIONS, "inline": "always"}  # an array as an argument costs as much as a sum
