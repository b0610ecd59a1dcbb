"""The runs of a search: every combination of a grid, or a number of random draws, or both.

[grid]
crf.c1 = [0.01, 0.1, 1.0]
window = [1, 2]

[random]
number = 20
seed = 1
crf.c2 = { low = 0.001, high = 10.0, log = true }
sequence = ["line", "sentence"]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from crfdeid.errors import ConfigurationError, did_you_mean

RANGE = ("low", "high", "log")
WANTED_RANGE = "wanted low <= high, and low > 0 where log = true"


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
