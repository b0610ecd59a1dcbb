"""Reading a configuration's table key by key, with faults that name the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text


def load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def known(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, keys)}")


def typed(table: Mapping[str, Any], key: str, default: Any, where: str) -> Any:
    """The value of a key, of the default's type."""
    value = table.get(key, default)
    if type(value) is not type(default):
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {type(default).__name__}")
    return value


def at_least(table: Mapping[str, Any], key: str, least: int, where: str) -> int:
    if type(value := table.get(key)) is not int or value < least:
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {least} or more")
    return value


def names(row: Mapping[str, Any], key: str, where: str) -> list[str]:
    found = row.get(key, [])
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ConfigurationError(f"{where}: {key} = {found!r}: wanted a list of names")
    return found
