"""Finding the files that ship with the package: templates, gazetteers, configurations, models.

In a wheel they are inside the package (``crfdeid/features``); in a checkout and in an editable
install they are beside it (``features``).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crfdeid.errors import ConfigurationError, did_you_mean

PACKAGE = Path(__file__).resolve().parent
COMPILING: list[Callable[[], None]] = []  # to be called once where compiling the loops takes long


def find_folder(name: str) -> Path:
    """Return the shipped folder ``name``: inside the package, else beside it."""
    inside, beside = PACKAGE / name, PACKAGE.parent / name
    return inside if inside.is_dir() else beside


def list_names(folder: str, suffix: str) -> list[str]:
    """Return the names of the shipped files of a folder, without their suffix."""
    return sorted(path.name.removesuffix(suffix) for path in find_folder(folder).glob("*" + suffix))


def find_file(folder: str, name: str, suffix: str) -> Path:
    """Return the user's file if ``name`` is the path of one, else the shipped file ``name`` of ``folder``.
    Raises :class:`ConfigurationError` if there is neither.

    >>> find_file("configs/schemes", "i2b2-2014", ".toml").name
    'i2b2-2014.toml'
    """
    if (path := Path(name)).is_file():
        return path
    shipped = find_folder(folder) / (name if name.endswith(suffix) else name + suffix)
    if shipped.is_file():
        return shipped
    meant = did_you_mean(Path(name).name.removesuffix(suffix), list_names(folder, suffix))
    raise ConfigurationError(f"{name}: no such file, and no file of that name in {folder}{meant}")
