"""Thresholds: how probable PHI must be for a token to be tagged, chosen after training.

A tagger without a threshold gives the most probable labels of a whole note. With a threshold t it tags each
token whose marginal P(PHI) = 1 - P(O) is at least t, with the most probable type. One model so has any
point of the curve of recall and precision. The probabilities are the model's, with its recall bias: t is
not the share of PHI that is missed. No t gives exactly the most probable labels.

Minimum-risk decoding gives the spans whose probability is worth the risk, in place of the best label
sequence. The best sequence is right as a whole or not; a score counts spans. So each span is judged by its
own probability, the sum over all labellings that have it: of the spans that are more probable than a
threshold, those without overlaps are chosen whose probabilities exceed the threshold most in sum. The
threshold says what a wrong span costs, as a part of what a wrong and a missed one cost together.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crfdeid.config import Config
from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.vocabulary import ALPHABETIC, LINE_END, NONE
from crfdeid.engine.decoding.chain import Candidates, SpanMarginals, choose_spans
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.text import bio
from crfdeid.text.document import Span
from crfdeid.text.scheme import Scheme, read_scheme

DEFAULT = "default"  # the name of the threshold of all other types

LIMIT = 0.4  # the threshold of a type that has none; chosen on MEDDOCAN's development part


@dataclass(frozen=True)
class Threshold:
    """``default`` is the threshold of types that ``by_type`` does not name; where it is ``None``, tokens
    whose most probable type has no threshold are labelled as without one. Raises
    :class:`ConfigurationError` on a number that is not above 0 and at most 1."""

    default: float | None = None
    by_type: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.default is None and not self.by_type:
            raise ConfigurationError("threshold: none is given; wanted a number, or a type with a number")
        for name, value in self.table().items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
                raise ConfigurationError(f"threshold {name}: wanted a number above 0 and at most 1")

    def table(self) -> dict[str, float]:
        """Return the numbers by name, the default first.

        >>> Threshold(0.05, {"DATE": 0.2}).table()
        {'default': 0.05, 'DATE': 0.2}
        """
        default = {} if self.default is None else {DEFAULT: self.default}
        return {**default, **dict(sorted(self.by_type.items()))}

    def __str__(self) -> str:
        """
        >>> str(Threshold(0.05, {"DATE": 0.2})), str(Threshold(0.05))
        ('0.05 DATE=0.2', '0.05')
        """
        return " ".join(f"{v:g}" if name == DEFAULT else f"{name}={v:g}" for name, v in self.table().items())

    def check_scheme(self, scheme: Scheme) -> None:
        """Raise :class:`ConfigurationError` on a type that the scheme does not have."""
        for name in self.by_type:
            if name not in scheme.types:
                wanted = f"no type of scheme {scheme.name}{did_you_mean(name, scheme.types)}"
                raise ConfigurationError(f"threshold {name}: {wanted}")

    def override(self, other: Threshold) -> Threshold:
        """Return these thresholds with those of ``other`` in their place, where it has them.

        >>> str(Threshold(0.2, {"DATE": 0.5, "AGE": 0.4}).override(Threshold(0.1, {"AGE": 0.3})))
        '0.1 AGE=0.3 DATE=0.5'
        """
        table = self.table() | other.table()
        default = table.pop(DEFAULT, None)
        return Threshold(default, table)

    def list_limits(self, types: Iterable[str]) -> np.ndarray:
        """Return the threshold of each type, not a number where it has none."""
        default = np.nan if self.default is None else self.default
        return np.array([self.by_type.get(type, default) for type in types], np.float64)


AnyThreshold = float | Mapping[str, float] | Threshold


def make_threshold(value: AnyThreshold) -> Threshold:
    """Return a number for all types, or a table of types (and ``default``), as a :class:`Threshold`.

    >>> make_threshold({"default": 0.05, "DATE": 0.2})
    Threshold(default=0.05, by_type={'DATE': 0.2})
    """
    if isinstance(value, Threshold):
        return value
    if isinstance(value, Mapping):
        return Threshold(value.get(DEFAULT), {name: t for name, t in value.items() if name != DEFAULT})
    return Threshold(value)


def parse_threshold(values: Sequence[str] | None) -> Threshold | None:
    """Return the threshold of the option's values: a number, TYPE=NUMBER, or a file; a later value overrides
    an earlier one. ``None`` where there are no values.

    >>> print(parse_threshold(["0.05", "DATE=0.2", "AGE=0.5", "DATE=0.1"]))
    0.05 AGE=0.5 DATE=0.1
    """
    table: dict[str, float] = {}
    for value in values or ():
        name, equals, number = value.partition("=")
        if Path(value).suffix in (".toml", ".json"):
            table |= read_table(Path(value))
        elif equals and name:
            table[name] = parse_number(number, value)
        else:
            table[DEFAULT] = parse_number(value, value)
    return make_threshold(table) if table else None


def parse_number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        wanted = "wanted a number, TYPE=NUMBER, or a file .toml or .json"
        raise ConfigurationError(f"--threshold {option}: {wanted}") from None


def read_table(path: Path) -> dict[str, float]:
    """Read a file of types and numbers, TOML or JSON; ``default`` is for all other types. Raises
    :class:`ConfigurationError` where it is something else."""
    parse = tomllib.loads if path.suffix == ".toml" else json.loads
    try:
        table = parse(read_text(path))
    except ValueError:
        raise ConfigurationError(f"{path}: not {path.suffix[1:].upper()}") from None
    if not isinstance(table, dict) or not table:
        raise ConfigurationError(f"{path}: wanted a table of types and numbers, such as DATE = 0.2")
    try:
        return make_threshold(table).table()
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


class Masker:
    """Labels tokens by a threshold, for a model with these labels. ``names`` are the labels of its paths."""

    def __init__(self, labels: Sequence[str], threshold: Threshold) -> None:
        types = sorted({label[2:] for label in labels if label != bio.OUTSIDE})
        self.names = [bio.OUTSIDE, *(f"{part}-{type}" for type in types for part in "BI")]
        self.type_of = np.array([types.index(label[2:]) if label != bio.OUTSIDE else -1 for label in labels])
        self.begins = np.array([*(label[0] == "B" for label in labels), False])
        limits = threshold.list_limits(types)
        self.least = 0.0 if np.isnan(limits).any() else float(limits.min(initial=1.0))
        self.limits = np.append(limits, np.inf)  # the last for tokens without a type

    def find_path(self, batch: Batch, phi: np.ndarray, likely: np.ndarray, best: np.ndarray) -> np.ndarray:
        """Return the number in ``names`` of each token's label. ``phi`` [tokens] is the probability of PHI,
        and ``likely`` the number of the most probable type, where that is at least ``least``
        (:func:`crfdeid.engine.decoding.marginals.sum_types`); ``best`` are the labels of the best path, -1
        outside the sequences.

        A line end, or a token of marks only, is tagged where the best path tags it, and marks also between
        tagged tokens of its type. Neighbours of one type are one span, except where the best path, with the
        same type for both, begins a span."""
        best_type = np.append(self.type_of, NONE)[best]
        limits = self.limits[likely]
        type = np.where(np.isnan(limits), best_type, np.where(phi >= limits, likely, NONE))
        self._drop_marks(batch, type, best_type)
        same = np.append(False, (type[1:] == type[:-1]) & (best_type[1:] == best_type[:-1]))
        begins = self.begins[best] & (best_type == type) & same
        return np.where(type < 0, 0, 2 * type + 2 - begins)

    def _drop_marks(self, batch: Batch, type: np.ndarray, best_type: np.ndarray) -> None:
        """Set the types of line ends and marks to -1, in place, where nothing but the threshold tags them."""
        added = (type >= 0) & (best_type < 0)
        type[added & (batch.flags & LINE_END != 0)] = -1
        for index in np.flatnonzero(added & (batch.flags & (LINE_END | ALPHABETIC) == 0)).tolist():
            token = batch.slice(index, index + 1)
            if not any(sign.isalnum() for sign in token) and not self._is_between(type, index):
                type[index] = -1

    @staticmethod
    def _is_between(type: np.ndarray, index: int) -> bool:
        """Whether both neighbours have the token's type."""
        return 0 < index < len(type) - 1 and bool(type[index - 1] == type[index] == type[index + 1])


def read_limits(settings: Config) -> Threshold:
    """Return the configuration's ``span_threshold``."""
    return make_threshold({DEFAULT: LIMIT} | settings.span_threshold)


def check_decode(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the system has no minimum-risk decoding, ``span_threshold`` or
    ``span_mark`` is set without it, or a threshold has no probability or a type that the scheme does not
    have."""
    if settings.decode == "risk" and settings.system != "crf":
        raise ConfigurationError(
            f"decode = 'risk': the system {settings.system} does not have it; wanted crf"
        )
    if settings.decode == "risk" or settings.system in ("rescored", "judged"):
        read_limits(settings).check_scheme(read_scheme(settings.scheme))
    elif settings.span_threshold:
        raise ConfigurationError(
            "span_threshold: only for decode = 'risk', or for the systems rescored and judged"
        )
    if settings.span_mark == "last" and (settings.decode != "risk" or settings.constraints != "none"):
        raise ConfigurationError("span_mark = 'last': only for decode = 'risk' with constraints = 'none'")


class RiskDecoder:
    """Finds the spans of a CRF by their own probabilities."""

    def __init__(self, marginals: SpanMarginals, limits: Threshold) -> None:
        self.marginals, self.limits = marginals, limits.list_limits(marginals.pairs.names)

    def find_spans(
        self, batch: Batch, emissions: np.ndarray, probabilities: bool, compiled: bool
    ) -> list[list[Span]]:
        """Return the spans of each document of a batch with these scores [tokens, labels]."""
        least = float(self.limits.min(initial=1.0))
        found = self.marginals.find(emissions, batch.first, batch.stop, least, compiled)
        kept = found.select(choose_spans(found, self.limits))
        return list_spans(batch, kept, self.marginals.pairs.names, probabilities)


def list_spans(
    batch: Batch, found: Candidates, types: Sequence[str], probabilities: bool
) -> list[list[Span]]:
    """Return the candidates as spans of each document of the batch."""
    spans: list[list[Span]] = [[] for _ in batch.documents]
    starts, ends = batch.starts[found.first].tolist(), batch.ends[found.last].tolist()
    values = np.clip(found.probabilities, 0.0, 1.0).tolist() if probabilities else [None] * len(starts)
    owners = batch.document[found.first].tolist()
    for owner, start, end, kind, value in zip(owners, starts, ends, found.types.tolist(), values):
        spans[owner].append(Span(start, end, types[kind], value))
    return spans
