"""A configuration with runs, read and checked before anything is trained.

    base = "wi_deid"                      # a configuration in the same folder, or a shipped one
    name = "all groups"                   # the name of the base's row
    [[run]]
    name = "no lists"
    without = ["dictionary"]              # or: with, features
    window = 3                            # or: window = { dictionary = 0 }
    without_templates = ["pos", "lower[-1]|lower[0]"]    # an observation, or one template
    crf.c1 = 0.3                          # any key of a configuration

A run with another ``algorithm`` or ``system`` starts with an empty ``[crf]`` or ``[options]``. Further tables
are ``[grid]`` and ``[random]`` (a search; a run of it that equals the base is left out),
``[cross_validation]`` (``folds``, ``seed``), ``[selection]`` (:mod:`crfdeid.ablate.selection`) and
``[learning_curve]`` (numbers of ``documents``, ``seed``). ``seeds = [1, 2, 3]`` repeats each run in which
something is drawn (:mod:`crfdeid.ablate.run`).

    [grid]                                # every combination
    crf.c1 = [0.01, 0.1, 1.0]
    window = [1, 2]

    [random]                              # random draws
    number = 20
    seed = 1
    crf.c2 = { low = 0.001, high = 10.0, log = true }
    sequence = ["line", "sentence"]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from crfdeid import files
from crfdeid.ablate import feature_groups, selection
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

RANGE = ("low", "high", "log")
WANTED_RANGE = "wanted low <= high, and low > 0 where log = true"

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
    path = files.find_file("configs", str(name), ".toml")
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
    """Return the base, the listed runs, the runs of a search, and then each of them by size of corpus."""
    where = str(path)
    base = Run(read_value(table, "name", "base", where), change(build_base_config(table, path)))
    listed = [build_run(row, base, path, change) for row in read_run_tables(table, where)]
    searched = [build_run(row, base, path, change) for row in expand_search(table, where)]
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


def expand_search(table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return the runs of ``[grid]`` and ``[random]`` as tables like ``[[run]]``."""
    for key in ("grid", "random"):
        if not isinstance(table.get(key, {}), dict):
            raise ConfigurationError(f"{where}: {key}: wanted a table")
    every = expand_grid(table.get("grid", {}), f"{where}: grid")
    return [*every, *draw_runs(table.get("random", {}), f"{where}: random")]


def expand_grid(table: Mapping[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """Yield a run for every combination of the values.

    >>> [run["name"] for run in expand_grid({"crf": {"c1": [0.1, 1], "c2": [1]}}, "")]
    ['c1=0.1 c2=1', 'c1=1 c2=1']
    """
    choices = dict(flatten_choices(table))
    for key, values in choices.items():
        if not isinstance(values, list) or not values:
            raise ConfigurationError(f"{where}: {key} = {values!r}: wanted a list of values")
    if choices:
        for values in product(*choices.values()):
            yield build_run_table(dict(zip(choices, values)))


def draw_runs(table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Draw ``number`` different runs. Each value comes from a list, or from a range: ``log`` draws
    uniformly in the logarithm. Real values are rounded to four digits."""
    if not table:
        return []
    choices = dict(flatten_choices(table))
    number, seed = choices.pop("number", None), choices.pop("seed", 0)
    if type(number) is not int or number < 1 or type(seed) is not int:
        raise ConfigurationError(f"{where}: wanted number = 1 or more, and seed = a whole number")
    if not choices:
        raise ConfigurationError(f"{where}: wanted a setting to draw")
    random, runs = Random(seed), {}
    for _ in range(100 * number):
        found = build_run_table(
            {key: draw_value(random, choice, f"{where}: {key}") for key, choice in choices.items()}
        )
        runs[found["name"]] = found
        if len(runs) == number:
            return list(runs.values())
    raise ConfigurationError(f"{where}: number = {number}: there are only {len(runs)} different runs")


def draw_value(random: Random, choice: Any, where: str) -> Any:
    """Draw from a list, or from a range ``{ low, high, log }``."""
    if isinstance(choice, list) and choice:
        return random.choice(choice)
    if not isinstance(choice, dict):
        raise ConfigurationError(f"{where} = {choice!r}: wanted a list or {{ low, high }}")
    for key in choice:
        if key not in RANGE:
            raise ConfigurationError(f"{where}.{key}: wanted a part of a range{did_you_mean(key, RANGE)}")
    low, high, log = choice.get("low"), choice.get("high"), choice.get("log", False)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        raise ConfigurationError(f"{where}: {WANTED_RANGE}")
    if low > high or (log and low <= 0):
        raise ConfigurationError(f"{where}: {WANTED_RANGE}")
    if type(low) is int and type(high) is int and not log:
        return random.randint(low, high)
    drawn = math.exp(random.uniform(math.log(low), math.log(high))) if log else random.uniform(low, high)
    return float(f"{drawn:.4g}")


def flatten_choices(table: Mapping[str, Any], head: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the lists and ranges of a nested table with their dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict) and RANGE[0] not in value:
            yield from flatten_choices(value, f"{head}{key}.")
        else:
            yield head + key, value


def build_run_table(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Build the table of a run from dotted settings, which are also its name.

    >>> build_run_table({"crf.c1": 0.1, "window": 3})
    {'name': 'c1=0.1 window=3', 'crf': {'c1': 0.1}, 'window': 3}
    """
    table: dict[str, Any] = {}
    for key, value in settings.items():
        head, _, rest = key.partition(".")
        if rest:
            table.setdefault(head, {})[rest] = value
        else:
            table[key] = value
    name = " ".join(f"{key.removeprefix('crf.')}={format_value(value)}" for key, value in settings.items())
    return {"name": name, **table}


def format_value(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)
