"""Finding the files that ship with the package: templates, gazetteers, configurations, models.

In a wheel they lie inside the package (``crfdeid/features``); in a checkout and in
an editable install, beside it (``features``).
"""

from __future__ import annotations

from pathlib import Path

from crfdeid.errors import ConfigurationError, did_you_mean

PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The shipped folder ``name``: inside the package first, then beside it."""
    inside, beside = PACKAGE / name, PACKAGE.parent / name
    return inside if inside.is_dir() else beside


def find(kind: str, name: str, suffix: str) -> Path:
    """A user's file if ``name`` is a path that exists, else the shipped file of that name.

    >>> find("configs/schemes", "i2b2-2014", ".toml").name
    'i2b2-2014.toml'
    """
    if (given := Path(name)).is_file():
        return given
    shipped = folder(kind) / (name if name.endswith(suffix) else name + suffix)
    if shipped.is_file():
        return shipped
    known = sorted(path.name.removesuffix(suffix) for path in folder(kind).glob("*" + suffix))
    meant = did_you_mean(Path(name).name.removesuffix(suffix), known)
    raise ConfigurationError(f"{name}: no such file, and no {kind} of that name{meant}")
