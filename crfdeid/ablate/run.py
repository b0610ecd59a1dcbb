"""A run, how it changes the base, its repetitions with other seeds, and the keys of a configuration's tables.

A seed goes into the options of a system that has one, and draws the folds of a cross-validation and the
samples of a learning curve. A run in which nothing is drawn stays one row.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from crfdeid.ablate import feature_groups
from crfdeid.config import Config, flatten_keys
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.systems import registry

SETTINGS = tuple(f.name for f in fields(Config))
RUN_KEYS = ("name", "base", "without", "with", "without_templates", "window", "train", "test")
TRAIN, TEST = "train", "test"  # the corpora of the command line; --corpus adds others

Change = Callable[[Config], Config]
Value = TypeVar("Value")
WANTED = "wanted a system with a seed, cross_validation or learning_curve"


@dataclass(frozen=True)
class Run:
    """One row of the table. ``templates`` maps a group to the text of its template file where a window or
    left-out templates change it; ``train`` and ``test`` name corpora; ``documents`` is the number of
    training documents, 0 for all. ``seed`` takes the place of the plan's, and ``repeats`` is the name of the
    run that has the first seed (:func:`repeat_runs`)."""

    name: str
    config: Config
    templates: Mapping[str, str] = field(default_factory=dict, repr=False)
    train: tuple[str, ...] = (TRAIN,)
    test: str = TEST
    documents: int = 0
    seed: int | None = None
    repeats: str = ""

    @property
    def group(self) -> str:
        """The name that the run shares with its repetitions of other seeds."""
        return self.repeats or self.name

    @property
    def folder(self) -> str:
        """The name of the run's folder.

        >>> Run("No lists, c1=0.1", Config(("lexical",))).folder
        'no-lists-c1-0_1'
        >>> Run("recall_bias=-1.0", Config(("lexical",))).folder
        'recall_bias-minus-1_0'
        """
        name = re.sub(r"=-(?=\d)", "=minus-", self.name.lower().replace(".", "_"))
        return re.sub(r"[^a-z0-9_]+", "-", name).strip("-")


def build_base_config(table: Mapping[str, Any], path: Path) -> Config:
    """Build the configuration of the file itself: its ``base`` with the settings of ``table``."""
    settings = {key: value for key, value in table.items() if key in SETTINGS}
    if "base" not in table:
        return registry.build_config(settings | {"crf": flatten_keys(settings.get("crf", {}))}, str(path))
    return change_config(read_base(table["base"], path), settings, str(path))


def read_base(name: str, path: Path) -> Config:
    """Read the configuration ``name``: a file in the folder of ``path``, or a shipped one."""
    beside = path.parent / name
    return registry.read_config(beside if beside.is_file() else name)


def change_config(config: Config, changes: Mapping[str, Any], where: str) -> Config:
    """Return ``config`` with ``changes``. Another algorithm starts with an empty ``crf`` table, another
    system with an empty ``options`` table."""
    table = config.to_table()
    if changes.get("algorithm", config.algorithm) != config.algorithm:
        table["crf"] = {}
    if changes.get("system", config.system) != config.system:
        table["options"] = {}
    for key in {"crf", "options"} & changes.keys():
        if not isinstance(changes[key], dict):
            raise ConfigurationError(f"{where}: {key} = {changes[key]!r}: wanted a table")
        table[key] = table[key] | (flatten_keys(changes[key]) if key == "crf" else changes[key])
    others = {key: value for key, value in changes.items() if key not in ("crf", "options")}
    return registry.build_config(table | others, where)


def build_run(row: Mapping[str, Any], base: Run, path: Path, change: Change) -> Run:
    """Build the run of one ``[[run]]`` table. ``change`` is applied to a base that the run itself names."""
    where = f"{path}: run {row['name']}"
    check_keys(row, (*SETTINGS, *RUN_KEYS), where)
    start = change(read_base(row["base"], path)) if "base" in row else base.config
    config = change_config(start, {key: value for key, value in row.items() if key in SETTINGS}, where)
    without, added, without_templates = (
        read_names(row, key, where) for key in ("without", "with", "without_templates")
    )
    features = feature_groups.change_groups(config.features, without, added, where)
    window = feature_groups.read_windows(features, row.get("window"), where)
    templates = feature_groups.rewrite_groups(features, window, without_templates, where)
    features = tuple(group for group in features if templates.get(group) != "")
    train = row.get("train", TRAIN)
    return Run(
        row["name"],
        change_config(config, {"features": list(features)}, where),
        {group: text for group, text in templates.items() if text},
        tuple([train] if isinstance(train, str) else read_names(row, "train", where)),
        read_value(row, "test", TEST, where),
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises :class:`ConfigurationError` where it is not one."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def check_keys(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    """Raise :class:`ConfigurationError` on a key that is not in ``keys``."""
    for key in table:
        if key not in keys:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, keys)}")


def read_value(table: Mapping[str, Any], key: str, default: Value, where: str) -> Value:
    """Return the value of a key, which must have the default's type."""
    value = table.get(key, default)
    if type(value) is not type(default):
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {type(default).__name__}")
    return value


def read_count(table: Mapping[str, Any], key: str, least: int, where: str) -> int:
    """Return the value of a key, which must be a whole number of at least ``least``."""
    if type(value := table.get(key)) is not int or value < least:
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {least} or more")
    return value


def read_names(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    """Return the value of a key, which must be a list of strings; empty without the key."""
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ConfigurationError(f"{where}: {key} = {value!r}: wanted a list of names")
    return value


def read_seeds(table: Mapping[str, Any], where: str) -> list[int]:
    """Return the seeds; empty without the key. Raises :class:`ConfigurationError` where they are not two or
    more different whole numbers."""
    seeds = table.get("seeds", [])
    whole = isinstance(seeds, list) and all(type(seed) is int and seed >= 0 for seed in seeds)
    if not whole or len(set(seeds)) != len(seeds) or len(seeds) == 1:
        raise ConfigurationError(f"{where}: seeds = {seeds!r}: wanted two or more different whole numbers")
    return list(seeds)


def repeat_runs(runs: Sequence[Run], seeds: Sequence[int], is_folded: bool, where: str) -> list[Run]:
    """Return the runs, each followed by itself with the other seeds; the first seed keeps the run's name.
    Raises :class:`ConfigurationError` where no run depends on a seed."""
    if not seeds:
        return list(runs)
    repeated = [own for run in runs for own in repeat_run(run, seeds, is_folded)]
    if len(repeated) == len(runs):
        raise ConfigurationError(f"{where}: seeds: nothing in the runs is drawn; {WANTED}")
    return repeated


def repeat_run(run: Run, seeds: Sequence[int], is_folded: bool) -> Iterator[Run]:
    if not (is_folded or run.documents or has_seed(run.config)):
        yield run
        return
    for place, seed in enumerate(seeds):
        name = f"{run.name}, seed {seed}" if place else run.name
        config = run.config
        if has_seed(config):
            config = replace(config, options=config.options | {"seed": seed})
        yield replace(run, name=name, config=config, seed=seed, repeats=run.name if place else "")


def has_seed(config: Config) -> bool:
    """Whether the options of the system have a seed."""
    options = registry.find_system(config.system).options
    return "seed" in {field.name for field in fields(cast(Any, options))}
