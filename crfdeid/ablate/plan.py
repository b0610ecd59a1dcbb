"""A configuration of runs, read and checked before anything is trained.

    base = "wi_deid"                      # a configuration beside the file, or a shipped one
    name = "all groups"                   # what the base's row is called
    [[run]]
    name = "no lists"
    without = ["dictionary"]              # or: with, features
    window = 3                            # or: window = { dictionary = 0 }
    without_templates = ["pos", "lower[-1]|lower[0]"]    # an observation, or one template
    crf.c1 = 0.3                          # any key of an experiment

A run that names another ``algorithm`` or ``system`` begins with an empty ``[crf]`` or
``[options]``. Tables of their own are ``[grid]`` and ``[random]`` (:mod:`crfdeid.ablate.search`;
a run of theirs that is the base over again is left out), ``[cross_validation]`` (``folds``,
``seed``) and ``[learning_curve]`` (numbers of ``documents``, ``seed``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crfdeid import resources
from crfdeid.ablate import feature_groups, search
from crfdeid.ablate.run import (
    SETTINGS,
    Change,
    Run,
    build_base_config,
    build_run,
    check_keys,
    read_count,
    read_table,
    read_value,
)
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.evaluate import published_tables

PLAN_KEYS = ("base", "name", "seed", "published", "z_tests", "run", "grid", "random")
TABLES = {"cross_validation": ("folds", "seed"), "learning_curve": ("documents", "seed")}


@dataclass(frozen=True)
class Plan:
    """``runs[0]`` is the base. ``folds`` is 0 without cross-validation; ``published`` maps a paper's
    table to the rows it is about (none: all); ``z_tests`` asks for Tafvizi's comparison as well."""

    name: str
    runs: tuple[Run, ...]
    seed: int = 0
    folds: int = 0
    folds_seed: int = 0
    sample_seed: int = 0
    published: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    z_tests: bool = False

    @property
    def base(self) -> Run:
        return self.runs[0]

    @property
    def corpora(self) -> set[str]:
        """The names of all corpora that a run wants."""
        return {name for run in self.runs for name in (*run.train, run.test)}


def read_plan(name: str | Path, change: Change = lambda settings: settings) -> Plan:
    """The plan of a file, or of a shipped configuration of that name; ``change`` is made to the
    base of every run. Raises :class:`ConfigurationError` and :class:`TemplateError`."""
    path = resources.find_file("configs", str(name), ".toml")
    table = read_table(path)
    where = str(path)
    check_keys(table, (*SETTINGS, *PLAN_KEYS, *TABLES), where)
    base = change(build_base_config(table, path))
    first = Run(read_value(table, "name", "base", where), base)
    runs = [first, *(build_run(row, first, path, change) for row in read_run_tables(table, where))]
    searched = [build_run(row, first, path, change) for row in search.expand_search(table, where)]
    runs += [run for run in searched if replace(run, name=first.name) != first]
    curve, folds = (read_section(table, key, where) for key in ("learning_curve", "cross_validation"))
    if curve and folds:
        raise ConfigurationError(f"{where}: learning_curve and cross_validation: wanted one of them")
    runs = [*runs, *(part for run in runs for part in build_curve_runs(run, curve, where))]
    check_runs(runs, where)
    seed = read_value(table, "seed", 0, where)
    return Plan(
        path.stem,
        tuple(runs),
        seed,
        read_count(folds, "folds", 2, f"{where}: cross_validation") if folds else 0,
        read_value(folds, "seed", seed, where),
        read_value(curve, "seed", seed, where),
        read_published(table.get("published", {}), runs, folds, where),
        read_value(table, "z_tests", False, where),
    )


def read_run_tables(table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The tables ``[[run]]``."""
    found = table.get("run", [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ConfigurationError(f"{where}: run: wanted [[run]]")
    for number, row in enumerate(found, 1):
        if not isinstance(row.get("name"), str) or not row["name"].strip():
            raise ConfigurationError(f"{where}: run {number} has no name")
    return found


def build_curve_runs(run: Run, curve: Mapping[str, Any], where: str) -> Iterator[Run]:
    """The runs on fewer documents that a learning curve asks for."""
    if not curve:
        return
    sizes = curve.get("documents")
    if not isinstance(sizes, list) or not sizes or not all(type(n) is int and n > 0 for n in sizes):
        raise ConfigurationError(f"{where}: learning_curve.documents: wanted numbers of documents")
    for size in sizes:
        yield replace(run, name=f"{run.name}, {size} documents", documents=size)


def check_runs(runs: Sequence[Run], where: str) -> None:
    """No name twice, nor two of the same folder; every group's templates can be read and bound."""
    seen: dict[str, str] = {}
    for run in runs:
        if not run.folder:
            raise ConfigurationError(f"{where}: run {run.name!r}: wanted a name with letters or digits")
        for folder in (run.folder, f"{run.folder}-folds"):
            if folder in seen:
                raise ConfigurationError(f"{where}: runs {seen[folder]!r} and {run.name!r} have one name")
            seen[folder] = run.name
        feature_groups.check_groups(run.settings, f"{where}: run {run.name}")


def read_published(
    wanted: Any, runs: Sequence[Run], folds: Mapping[str, Any], where: str
) -> dict[str, tuple[str, ...]]:
    """``published`` as a name, a list of names, or a table of name to row titles."""
    named = {wanted: []} if isinstance(wanted, str) else wanted
    named = dict.fromkeys(named, ()) if isinstance(named, list) else named
    titles = [run.name for run in runs]
    if folds:
        titles += [folds_title(title, folds["folds"]) for title in titles]
    if not isinstance(named, dict) or not all(isinstance(rows, list | tuple) for rows in named.values()):
        raise ConfigurationError(f"{where}: published: wanted a name, names, or a list of rows for each name")
    for name, rows in named.items():
        published_tables.read_table(name)
        for row in rows:
            if row not in titles:
                raise ConfigurationError(
                    f"{where}: published.{name}: no row {row}{did_you_mean(row, titles)}"
                )
    return {name: tuple(rows) for name, rows in named.items()}


def folds_title(title: str, folds: int) -> str:
    """What the row of a run in cross-validation is called."""
    return f"{title}, {folds} folds"


def read_section(table: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    found = table.get(key, {})
    if not isinstance(found, dict):
        raise ConfigurationError(f"{where}: {key}: wanted a table")
    check_keys(found, TABLES[key], f"{where}: {key}")
    return found
