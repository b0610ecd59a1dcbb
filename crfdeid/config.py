"""The settings of one system as plain data, and their defaults.

Every key of a file in ``configs/`` is a field of :class:`Config`; an unknown key is refused, and the
message suggests the nearest known one. ``base`` names another configuration that this one changes; corpora
are arguments of the command. What depends on the system (its name, its options, CRFsuite's settings)
is checked by :func:`crfdeid.systems.registry.check`.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from crfdeid import files
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.text.document import Document
from crfdeid.text.scheme import read_map
from crfdeid.text.tokenizer import SEQUENCES, TOKENIZERS

SEVERAL_RUNS = {"run", "grid", "random", "cross_validation"}
DEFAULT = "english"


@dataclass(frozen=True)
class Config:
    """The settings of one trained system.

    ``types`` is a map (:mod:`crfdeid.text.scheme`) that gives the training spans other types, and sets
    ``scheme`` to theirs. ``features`` are feature groups (template files) in order.
    ``training_gazetteers`` are types whose training spans become gazetteers ``training_TYPE``;
    ``CITY+us_cities`` adds the words of a shipped list (He et al. 2015, section 2.2, have one dictionary for
    both). ``clusters`` is the list of the observation ``cluster``: a file of :mod:`crfdeid.clusters`, or
    the shipped list. ``tables`` are files of tables of words; templates name them as the files are named, and
    a shipped table of the same name is not used.
    ``recall_bias`` is subtracted from the score of the label O at every token, so that doubtful tokens are
    tagged. ``type_bias`` is added, by type, to the scores of the type's labels: a negative one asks more of
    every token before it is tagged so. With ``constraints = "bio"`` a CRF never gives a sequence of labels
    that BIO does not allow; without it such sequences are repaired (:mod:`crfdeid.text.bio`). ``decode`` says
    which spans a CRF gives: the spans of the ``best`` labels of the sequence, or with ``risk`` those whose
    own probability is above ``span_threshold`` (by type; :mod:`crfdeid.systems.threshold`). ``span_mark``
    is the token of a span that has its label B, the ``first`` or with ``decode = "risk"`` the ``last``. With
    ``repair`` the spans are repaired after tagging, where the language has forms for the scheme
    (:mod:`crfdeid.repair`).
    With ``min_patients`` above 0 a CRF has only features of the notes of at least as many patients, and none
    with a number of four digits or more (:mod:`crfdeid.feature_extraction.long_numbers`).
    ``language`` is the language of the notes, in which ``redact`` writes surrogates.
    ``crf`` holds CRFsuite's own settings, and ``options`` another ``system``'s."""

    features: tuple[str, ...] = ()
    system: str = "crf"
    scheme: str = "i2b2-2014"
    types: str = ""
    tokenizer: str = "fine"
    sequence: str = "document"
    pos: str = ""
    training_gazetteers: tuple[str, ...] = ()
    clusters: str = "clusters"
    tables: tuple[str, ...] = ()
    overlaps: str = "refuse"
    recall_bias: float = 0.0
    type_bias: dict[str, float] = field(default_factory=dict)
    constraints: str = "none"
    decode: str = "best"
    span_threshold: dict[str, float] = field(default_factory=dict)
    span_mark: str = "first"
    algorithm: str = "lbfgs"
    repair: bool = True
    min_patients: int = 0
    language: str = ENGLISH
    crf: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.types:
            object.__setattr__(self, "scheme", read_map(self.types).scheme.name)
        choices = {
            "tokenizer": tuple(TOKENIZERS),
            "sequence": SEQUENCES,
            "overlaps": ("refuse", "longest"),
            "constraints": ("none", "bio"),
            "decode": ("best", "risk"),
            "span_mark": ("first", "last"),
            "algorithm": ("lbfgs", "l2sgd", "ap", "pa", "arow"),
        }
        for name, allowed in choices.items():
            if (value := getattr(self, name)) not in allowed:
                raise ConfigurationError(f"{name} = {value!r}: wanted one of {', '.join(allowed)}")
        find_language(self.language)

    def map_types(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents with the types of ``types``. Raises :class:`SchemeError` where one has none."""
        return read_map(self.types).apply_all(documents) if self.types else iter(documents)

    def to_table(self) -> dict[str, Any]:
        """Return the settings as plain values that JSON and TOML can hold. English is left out, as earlier
        models have no language."""
        table = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        return {name: v for name, v in table.items() if (name, v) != ("language", ENGLISH)}


def find(name: str | Path = DEFAULT) -> Path:
    """Return the configuration file ``name``, or the shipped configuration of that name."""
    return files.find_file("configs", str(name), ".toml")


def read(name: str | Path = DEFAULT, **changes: Any) -> Config:
    """Read a configuration file, or a shipped configuration of that name, with ``changes`` on top.
    The system and its options are not checked: :func:`crfdeid.systems.registry.read_config` does both."""
    path = find(name)
    return build(read_table(path) | changes, str(path))


def read_table(path: Path) -> dict[str, Any]:
    """Read the file's table on top of the table of its ``base``: a file beside it, or a shipped
    configuration."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    if table.keys() & SEVERAL_RUNS:
        wanted = "crfdeid ablate runs it; wanted the settings of one run"
        raise ConfigurationError(f"{path}: describes several runs: {wanted}")
    table["crf"] = flatten_keys(table.get("crf", {}))
    if "base" not in table:
        return table
    name = table.pop("base")
    beside = path.parent / name
    below = read_table(beside if beside.is_file() else find(name))
    return below | table | {"crf": below["crf"] | table["crf"]}


def apply_changes(settings: Config, changes: Iterable[str]) -> Config:
    """Return the configuration with changes ``KEY=VALUE`` on top; values are in TOML's notation.

    >>> apply_changes(Config(features=("lexical",)), ['sequence="line"', "crf.c1=0.5"]).crf
    {'c1': 0.5}
    """
    table: dict[str, Any] = settings.to_table()
    for change in changes:
        try:
            key, value = change.split("=", 1)
            parsed = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, tomllib.TOMLDecodeError):
            raise ConfigurationError(f"--set {change}: wanted {describe_wanted(change)}") from None
        if key.startswith("crf."):
            table["crf"] = table["crf"] | {key.removeprefix("crf."): parsed}
        else:
            table[key] = parsed
    return build(table, "--set")


def describe_wanted(change: str) -> str:
    """Say what is wanted in place of a change that is not KEY=VALUE in TOML's notation.

    >>> print(describe_wanted("overlaps=longest"))
    a text in quotes: --set 'overlaps="longest"'
    >>> describe_wanted("features=[lexical]")
    'KEY=VALUE, a text in quotes'
    """
    key, equals, value = change.partition("=")
    if equals and re.fullmatch(r"[\w./-]+", value):
        return f"a text in quotes: --set '{key}=\"{value}\"'"
    return "KEY=VALUE, a text in quotes"


def flatten_keys(table: dict[str, Any], head: str = "") -> dict[str, Any]:
    """Return nested tables as one table with dotted keys, which are CRFsuite's names.

    >>> flatten_keys({"c1": 0.1, "feature": {"minfreq": 2}})
    {'c1': 0.1, 'feature.minfreq': 2}
    """
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= flatten_keys(value, f"{head}{key}.") if isinstance(value, dict) else {head + key: value}
    return flat


def build(table: dict[str, Any], where: str) -> Config:
    """Make a configuration of a table. Raises :class:`ConfigurationError`, which begins with ``where``, on
    an unknown key or a value of the wrong kind."""
    known = {f.name: f for f in fields(Config)}
    for key, value in table.items():
        if key not in known:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, known)}")
        if not is_of_kind(value, str(known[key].type)):
            raise ConfigurationError(f"{where}: {key} = {value!r}: wanted {known[key].type}")
    settings: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    try:
        return Config(**settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def is_of_kind(value: Any, kind: str) -> bool:
    """Whether a value of TOML fits a field's annotation.

    >>> is_of_kind(["lexical"], "tuple[str, ...]"), is_of_kind("lexical", "tuple[str, ...]")
    (True, False)
    >>> is_of_kind({"AGE": -1}, "dict[str, float]"), is_of_kind({"AGE": "low"}, "dict[str, float]")
    (True, False)
    """
    if kind == "dict[str, float]":
        return isinstance(value, dict) and all(is_of_kind(number, "float") for number in value.values())
    if kind.startswith("tuple"):
        return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "bool":
        return isinstance(value, bool)
    return isinstance(value, dict if kind.startswith("dict") else str)
