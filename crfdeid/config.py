"""What a configuration may say, and its defaults.

The dataclass is the documentation: every key of a file in ``configs/`` is a field
below, and a key that is not is refused with the nearest one. ``base`` names another
configuration that this one changes; corpora are arguments of the command.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from crfdeid import resources
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.systems import registry
from crfdeid.text.tokenizer import SEQUENCES, TOKENIZERS

SEVERAL_RUNS = {"run", "grid", "random", "cross_validation"}
DEFAULT = "english"


@dataclass(frozen=True)
class Config:
    """One trained system. ``features`` are feature groups (template files) in order;
    ``training_gazetteers`` are types whose training spans become lists ``training_TYPE``
    (He et al. 2015, section 2.2); ``recall_bias`` is taken off the score of the label O at
    every token, so that what is in doubt is tagged; with ``constraints`` "bio" a CRF never gives labels
    that BIO does not allow (else they are repaired, :mod:`crfdeid.text.bio`); ``crf`` holds CRFsuite's own
    settings, and ``options`` those of another ``system``."""

    features: tuple[str, ...] = ()
    system: str = "crf"
    scheme: str = "i2b2-2014"
    tokenizer: str = "fine"
    sequence: str = "document"
    pos: str = ""
    training_gazetteers: tuple[str, ...] = ()
    overlaps: str = "refuse"
    recall_bias: float = 0.0
    constraints: str = "none"
    algorithm: str = "lbfgs"
    crf: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choices = {
            "tokenizer": tuple(TOKENIZERS),
            "sequence": SEQUENCES,
            "overlaps": ("refuse", "longest"),
            "constraints": ("none", "bio"),
            "algorithm": ("lbfgs", "l2sgd", "ap", "pa", "arow"),
        }
        for name, allowed in choices.items():
            if (value := getattr(self, name)) not in allowed:
                raise ConfigurationError(f"{name} = {value!r}: wanted one of {', '.join(allowed)}")
        check_crf(self.algorithm, self.crf)
        registry.options(self.system, self.options)
        if not self.features and self.system not in registry.WITHOUT_FEATURES:
            raise ConfigurationError("features is not set")

    def table(self) -> dict[str, Any]:
        """The settings as plain values, as TOML or JSON would hold them."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


def check_crf(algorithm: str, settings: dict[str, Any]) -> None:
    """Raise :class:`ConfigurationError` on a setting that CRFsuite's algorithm lacks."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    for name, value in settings.items():
        if name not in trainer.params():
            raise ConfigurationError(
                f"crf.{name}: no setting of {algorithm}{did_you_mean(name, trainer.params())}"
            )
        if not isinstance(value, int | float | str):
            raise ConfigurationError(f"crf.{name} = {value!r}: wanted a number")


def read(name: str | Path = DEFAULT, **changes: Any) -> Config:
    """The experiment of a file, or of a shipped configuration of that name, with
    ``changes`` on top."""
    path = resources.find("configs", str(name), ".toml")
    return build(table_at(path) | changes, str(path))


def table_at(path: Path) -> dict[str, Any]:
    """The file's table, laid over that of its ``base``: a file beside it, or a shipped configuration."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    if table.keys() & SEVERAL_RUNS:
        wanted = "python -m crfdeid.ablate runs it; wanted the settings of one"
        raise ConfigurationError(f"{path}: describes several runs: {wanted}")
    table["crf"] = flat(table.get("crf", {}))
    if "base" not in table:
        return table
    name = table.pop("base")
    beside = path.parent / name
    below = table_at(beside if beside.is_file() else resources.find("configs", name, ".toml"))
    return below | table | {"crf": below["crf"] | table["crf"]}


def apply_changes(settings: Config, changes: Iterable[str]) -> Config:
    """Return the configuration with changes ``KEY=VALUE`` on top; values are in TOML's notation.

    >>> apply_changes(Config(features=("lexical",)), ['sequence="line"', "crf.c1=0.5"]).crf
    {'c1': 0.5}
    """
    table: dict[str, Any] = settings.table()
    for change in changes:
        try:
            key, value = change.split("=", 1)
            parsed = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, tomllib.TOMLDecodeError):
            raise ConfigurationError(f"--set {change}: wanted KEY=VALUE, a text in quotes") from None
        if key.startswith("crf."):
            table["crf"] = table["crf"] | {key.removeprefix("crf."): parsed}
        else:
            table[key] = parsed
    return build(table, "--set")


def flat(table: dict[str, Any], head: str = "") -> dict[str, Any]:
    """Nested tables under dotted keys, which are CRFsuite's names.

    >>> flat({"c1": 0.1, "feature": {"minfreq": 2}})
    {'c1': 0.1, 'feature.minfreq': 2}
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{head}{key}.") if isinstance(value, dict) else {head + key: value}
    return found


def build(table: dict[str, Any], where: str) -> Config:
    """An experiment of a table whose keys are among the fields and of their kinds."""
    known = {f.name: f for f in fields(Config)}
    for key, value in table.items():
        if key not in known:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, known)}")
        if not fits(value, str(known[key].type)):
            raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {known[key].type}")
    try:
        return Config(**{k: tuple(v) if isinstance(v, list) else v for k, v in table.items()})
    except ConfigurationError as fault:
        raise ConfigurationError(f"{where}: {fault}") from None


def fits(value: Any, kind: str) -> bool:
    """
    >>> fits(["lexical"], "tuple[str, ...]"), fits("lexical", "tuple[str, ...]")
    (True, False)
    """
    if kind.startswith("tuple"):
        return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, dict if kind.startswith("dict") else str)
