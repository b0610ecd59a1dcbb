"""Where numba keeps compiled loops, so that not every worker process compiles them again.

numba keeps them beside the source, or in the user's cache folder. On a cluster the package is often
read-only, and the user of the workers has no home; then numba refuses to start. So a folder that only this
user can write is named for it. Nobody else may write there, because numba runs what it finds in it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from crfdeid import resources

VARIABLE = "NUMBA_CACHE_DIR"


def choose_cache_folder() -> None:
    """Name a folder for numba where the environment does not, and neither the package nor the home of the
    user can be written. It is for processes that have not imported numba yet."""
    home = Path(os.path.expanduser("~"))
    if VARIABLE in os.environ or is_writable(resources.PACKAGE) or is_writable(home):
        return
    folder = Path(tempfile.gettempdir()) / f"crfdeid-numba-{os.getuid()}"
    os.environ[VARIABLE] = str(folder if is_private(folder) else tempfile.mkdtemp(prefix="crfdeid-numba-"))


def is_writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def is_private(folder: Path) -> bool:
    """Make the folder if it is missing. Return whether it is this user's, and only this user can write."""
    try:
        folder.mkdir(0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
