"""A configuration with runs, read and checked before anything is trained.

    base = "wi_deid"                      # a configuration in the same folder, or a shipped one
    name = "all groups"                   # the name of the base's row
    [[run]]
    name = "no lists"
    without = ["dictionary"]              # or: with, features
    window = 3                            # or: window = { dictionary = 0 }
    without_templates = ["pos", "lower[-1]|lower[0]"]    # an observation, or one template
    crf.c1 = 0.3                          # any key of a configuration

A run with another ``algorithm`` or ``system`` starts with an empty ``[crf]`` or ``[options]``. Further
tables are ``[grid]`` and ``[random]`` (:mod:`crfdeid.ablate.search`; a run of a search that equals the base
is left out), ``[cross_validation]`` (``folds``, ``seed``), ``[selection]``
(:mod:`crfdeid.ablate.selection`) and ``[learning_curve]`` (numbers of ``documents``, ``seed``).
``seeds = [1, 2, 3]`` repeats each run in which something is drawn (:mod:`crfdeid.ablate.run`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crfdeid import resources
from crfdeid.ablate import feature_groups, search, selection
from crfdeid.ablate.run import (
    SETTINGS,
    Change,
    Run,
    build_base_config,
    build_run,
    check_keys,
    read_count,
    read_seeds,
    read_toml,
    read_value,
    repeat_runs,
)
from crfdeid.ablate.selection import Selection, read_selection
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.evaluate import published_tables
from crfdeid.text.gazetteer import Gazetteer

PLAN_KEYS = ("base", "name", "seed", "seeds", "published", "z_tests", "run", "grid", "random")
SECTIONS = {
    "cross_validation": ("folds", "seed"),
    "learning_curve": ("documents", "seed"),
    "selection": selection.KEYS,
}


@dataclass(frozen=True)
class Plan:
    """``runs[0]`` is the base. ``fold_count`` is 0 without cross-validation; ``published`` maps a paper's
    table to the rows that it shows (empty: all rows), each with the paper's name of it or ""; ``z_tests``
    adds Tafvizi's comparison, ``selection`` chooses features of the base."""

    name: str
    runs: tuple[Run, ...]
    seed: int = 0
    fold_count: int = 0
    fold_seed: int = 0
    sample_seed: int = 0
    published: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    z_tests: bool = False
    selection: Selection | None = None

    @property
    def base(self) -> Run:
        return self.runs[0]

    @property
    def corpora(self) -> set[str]:
        """The names of all corpora that the runs use."""
        return {name for run in self.runs for name in (*run.train, run.test)}


def read_plan(name: str | Path, change: Change = lambda config: config) -> Plan:
    """Read the plan in a file, or in the shipped configuration ``name``; ``change`` is applied to the base
    of every run. Raises :class:`ConfigurationError` and :class:`TemplateError`."""
    path = resources.find_file("configs", str(name), ".toml")
    table = read_toml(path)
    where = str(path)
    check_keys(table, (*SETTINGS, *PLAN_KEYS, *SECTIONS), where)
    curve, folds = (read_section(table, key, where) for key in ("learning_curve", "cross_validation"))
    runs = read_runs(table, curve, path, change)
    if curve and folds:
        raise ConfigurationError(f"{where}: learning_curve and cross_validation: wanted one of them")
    runs = repeat_runs(runs, read_seeds(table, where), bool(folds), where)
    check_runs(runs, where)
    seed, section = read_value(table, "seed", 0, where), read_section(table, "selection", where)
    return Plan(
        path.stem,
        tuple(runs),
        seed,
        read_count(folds, "folds", 2, f"{where}: cross_validation") if folds else 0,
        read_value(folds, "seed", seed, where),
        read_value(curve, "seed", seed, where),
        read_published(table.get("published", {}), runs, folds, where),
        read_value(table, "z_tests", False, where),
        read_selection(section, runs[0].config, bool(folds), where) if "selection" in table else None,
    )


def read_runs(table: Mapping[str, Any], curve: Mapping[str, Any], path: Path, change: Change) -> list[Run]:
    """Return the base, the listed runs and those of a search, and then each of them by size of corpus."""
    where = str(path)
    base = Run(read_value(table, "name", "base", where), change(build_base_config(table, path)))
    listed = [build_run(row, base, path, change) for row in read_run_tables(table, where)]
    searched = [build_run(row, base, path, change) for row in search.expand_search(table, where)]
    runs = [base, *listed, *(run for run in searched if replace(run, name=base.name) != base)]
    return [*runs, *(part for run in runs for part in build_curve_runs(run, curve, where))]


def read_run_tables(table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return the tables ``[[run]]``, each with a name."""
    rows = table.get("run", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ConfigurationError(f"{where}: run: wanted [[run]]")
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("name"), str) or not row["name"].strip():
            raise ConfigurationError(f"{where}: run {number} has no name")
    return rows


def build_curve_runs(run: Run, curve: Mapping[str, Any], where: str) -> Iterator[Run]:
    """Yield the run with fewer training documents, once for each size in ``[learning_curve]``."""
    if not curve:
        return
    sizes = curve.get("documents")
    if not isinstance(sizes, list) or not sizes or not all(type(n) is int and n > 0 for n in sizes):
        raise ConfigurationError(f"{where}: learning_curve.documents: wanted numbers of documents")
    for size in sizes:
        yield replace(run, name=f"{run.name}, {size} documents", documents=size)


def check_runs(runs: Sequence[Run], where: str) -> None:
    """Raise :class:`ConfigurationError` on two runs of one name or one folder, and where the templates of a
    run cannot be read or name an unknown observation."""
    seen: dict[str, str] = {}
    tables: dict[Path, Gazetteer] = {}
    for run in runs:
        if not run.folder:
            raise ConfigurationError(f"{where}: run {run.name!r}: wanted a name with letters or digits")
        for folder in (run.folder, f"{run.folder}-folds"):
            if folder in seen:
                raise ConfigurationError(f"{where}: runs {seen[folder]!r} and {run.name!r} have one name")
            seen[folder] = run.name
        feature_groups.check_groups(run.config, f"{where}: run {run.name}", tables)


def read_published(
    published: Any, runs: Sequence[Run], folds: Mapping[str, Any], where: str
) -> dict[str, dict[str, str]]:
    """Return the row titles by name of a paper's table. ``published`` is a name, a list of names, or a table
    of names with row titles: a list, or a table by the paper's names of the rows."""
    if isinstance(published, str):
        published = [published]
    if isinstance(published, list):
        published = dict.fromkeys(published, ())
    if not isinstance(published, dict):
        raise ConfigurationError(f"{where}: published: wanted a name, names, or a list of rows for each name")
    titles = [run.name for run in runs]
    if folds:
        titles += [folds_title(title, folds["folds"]) for title in titles]
    return {
        name: read_rows(rows, titles, f"{where}: published.{name}")
        for name, rows in published.items()
        if published_tables.read_table(name)
    }


def read_rows(rows: Any, titles: Sequence[str], where: str) -> dict[str, str]:
    """Return the paper's name, or "", of each row that its table shows."""
    if isinstance(rows, list | tuple):
        rows = dict.fromkeys(rows, "")
    elif isinstance(rows, dict):
        rows = {title: name for name, title in rows.items()}
    else:
        raise ConfigurationError(f"{where}: wanted a list of rows, or a table of rows by the paper's names")
    for row in rows:
        if row not in titles:
            raise ConfigurationError(f"{where}: no row {row}{did_you_mean(row, titles)}")
    return rows


def folds_title(title: str, folds: int) -> str:
    """The title of a run's row in cross-validation."""
    return f"{title}, {folds} folds"


def read_section(table: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """Return the table ``[key]``, empty where it is missing."""
    section = table.get(key, {})
    if not isinstance(section, dict):
        raise ConfigurationError(f"{where}: {key}: wanted a table")
    check_keys(section, SECTIONS[key], f"{where}: {key}")
    return section
