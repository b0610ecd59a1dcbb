"""Runs with several seeds: how much a figure depends on chance.

A seed goes into the options of a system that has one, and draws the folds of a cross-validation and the
samples of a learning curve. A run in which nothing is drawn stays one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from crfdeid.ablate.run import Run
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.systems import registry

WANTED = "wanted a system with a seed, cross_validation or learning_curve"


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
