"""The taggers by name: what ``system = "..."`` in a configuration may say.

Each is a module with one face::

    Options                                       frozen dataclass of its own settings, the
                                                  configuration's table [options]
    train(line, documents, folder, on_iteration)  leave the system's own files in ``folder``
    load(folder, line) -> Tagger                  ``tag(document) -> Document``

``line`` is the experiment's tokenizer, sequences and features (:mod:`crfdeid.feature_extraction.pipeline`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from crfdeid import config
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, did_you_mean

SYSTEMS = {
    "crf": "crfdeid.systems.crf",
    "svm": "crfdeid.systems.linear.svm",
    "two_stage": "crfdeid.systems.stacking.two_stage",
    "multi": "crfdeid.systems.stacking.multi",
    "hmm": "crfdeid.systems.hmm.hmm",
    "snow": "crfdeid.systems.linear.snow",
    "rules": "crfdeid.systems.rule_based.rules",
    "heuristic": "crfdeid.systems.rule_based.heuristic",
    "rnn": "crfdeid.systems.rnn.rnn",
}
WITHOUT_FEATURES: tuple[str, ...] = ("rnn", "hmm", "rules", "heuristic", "multi")
UNTRAINED = ("rules", "heuristic")  # they learn nothing, and can be used by name


def module(name: str) -> ModuleType:
    """The system's module. Raises :class:`ConfigurationError` where there is none of that name."""
    if name not in SYSTEMS:
        raise ConfigurationError(f"system = {name!r}: no such system{did_you_mean(name, SYSTEMS)}")
    return import_module(SYSTEMS[name])


def options(name: str, table: dict[str, Any]) -> Any:
    """The system's ``Options`` of a configuration's table."""
    kind = module(name).Options
    known = [f.name for f in fields(kind)]
    for key in table:
        if key not in known:
            raise ConfigurationError(
                f"options.{key}: no option of the system {name}{did_you_mean(key, known)}"
            )
    try:
        return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"options of the system {name}: {error}") from None


def check(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the system does not exist or cannot use these settings."""
    check_crf(settings.algorithm, settings.crf)
    options(settings.system, settings.options)
    if not settings.features and settings.system not in WITHOUT_FEATURES:
        raise ConfigurationError("features is not set")


def check_crf(algorithm: str, settings: dict[str, Any]) -> None:
    """Raise :class:`ConfigurationError` on a setting that CRFsuite's algorithm does not have."""
    import pycrfsuite

    known = pycrfsuite.Trainer(algorithm=algorithm, verbose=False).params()
    for name, value in settings.items():
        if name not in known:
            raise ConfigurationError(f"crf.{name}: no setting of {algorithm}{did_you_mean(name, known)}")
        if not isinstance(value, int | float | str):
            raise ConfigurationError(f"crf.{name} = {value!r}: wanted a number")


def build_config(table: dict[str, Any], where: str) -> Config:
    """As :func:`crfdeid.config.build`, and check the system's settings too."""
    return _checked(config.build(table, where), where)


def read_config(name: str | Path = config.DEFAULT, **changes: Any) -> Config:
    """As :func:`crfdeid.config.read`, and check the system's settings too."""
    return _checked(config.read(name, **changes), str(config.find(name)))


def apply_changes(settings: Config, changes: Iterable[str]) -> Config:
    """As :func:`crfdeid.config.apply_changes`, and check the system's settings too."""
    return _checked(config.apply_changes(settings, changes), "--set")


def _checked(settings: Config, where: str) -> Config:
    try:
        check(settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    return settings
