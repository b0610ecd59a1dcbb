"""A run: an experiment by its differences from another."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from crfdeid.ablate import feature_groups
from crfdeid.config import Config, flatten_keys
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.systems import registry

SETTINGS = tuple(f.name for f in fields(Config))
RUN_KEYS = ("name", "base", "without", "with", "without_templates", "window", "train", "test")
TRAIN, TEST = "train", "test"  # the corpora of the command; --corpus names others

Change = Callable[[Config], Config]


@dataclass(frozen=True)
class Run:
    """``templates`` are the texts of those groups' files that differ from the groups' own, for a
    window or left-out templates; ``train`` and ``test`` name corpora; ``documents`` is how many
    of the training documents are used, 0 for all."""

    name: str
    settings: Config
    templates: Mapping[str, str] = field(default_factory=dict, repr=False)
    train: tuple[str, ...] = (TRAIN,)
    test: str = TEST
    documents: int = 0

    @property
    def folder(self) -> str:
        """
        >>> Run("No lists, c1=0.1", Config(("lexical",))).folder
        'no-lists-c1-0_1'
        """
        return re.sub(r"[^a-z0-9_]+", "-", self.name.lower().replace(".", "_")).strip("-")


def build_base_config(table: Mapping[str, Any], path: Path) -> Config:
    """The experiment that a table's own settings make of its ``base``."""
    below = read_base(table["base"], path) if "base" in table else None
    own = {key: value for key, value in table.items() if key in SETTINGS}
    if below is None:
        return registry.build_config(own | {"crf": flatten_keys(own.get("crf", {}))}, str(path))
    return change_config(below, own, str(path))


def read_base(name: str, path: Path) -> Config:
    beside = path.parent / name
    return registry.read_config(beside if beside.is_file() else name)


def change_config(settings: Config, own: Mapping[str, Any], where: str) -> Config:
    """``settings`` with the changes of ``own``."""
    table = settings.table()
    if own.get("algorithm", settings.algorithm) != settings.algorithm:
        table["crf"] = {}
    if own.get("system", settings.system) != settings.system:
        table["options"] = {}
    for key in {"crf", "options"} & own.keys():
        if not isinstance(own[key], dict):
            raise ConfigurationError(f"{where}: {key} = {own[key]!r}: wanted a table")
        table[key] = table[key] | (flatten_keys(own[key]) if key == "crf" else own[key])
    others = {key: value for key, value in own.items() if key not in ("crf", "options")}
    return registry.build_config(table | others, where)


def build_run(row: Mapping[str, Any], base: Run, path: Path, change: Change) -> Run:
    where = f"{path}: run {row['name']}"
    check_keys(row, (*SETTINGS, *RUN_KEYS), where)
    start = change(read_base(row["base"], path)) if "base" in row else base.settings
    own = {key: value for key, value in row.items() if key in SETTINGS}
    laid = change_config(start, own, where)
    without, added = read_names(row, "without", where), read_names(row, "with", where)
    features = feature_groups.change_groups(laid.features, without, added, where)
    window = feature_groups.read_windows(features, row.get("window"), where)
    texts = feature_groups.rewrite_groups(
        features, window, read_names(row, "without_templates", where), where
    )
    kept = [group for group in features if texts.get(group) != ""]
    train = row.get("train", TRAIN)
    return Run(
        row["name"],
        change_config(laid, {"features": kept}, where),
        {group: text for group, text in texts.items() if text},
        tuple([train] if isinstance(train, str) else read_names(row, "train", where)),
        read_value(row, "test", TEST, where),
    )


def read_table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def check_keys(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, keys)}")


def read_value(table: Mapping[str, Any], key: str, default: Any, where: str) -> Any:
    """The value of a key, of the default's type."""
    value = table.get(key, default)
    if type(value) is not type(default):
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {type(default).__name__}")
    return value


def read_count(table: Mapping[str, Any], key: str, least: int, where: str) -> int:
    if type(value := table.get(key)) is not int or value < least:
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {least} or more")
    return value


def read_names(row: Mapping[str, Any], key: str, where: str) -> list[str]:
    found = row.get(key, [])
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ConfigurationError(f"{where}: {key} = {found!r}: wanted a list of names")
    return found
