"""Scores: sums over the matches of each document.

An array keeps four numbers for each document and (element, type): keys in gold, keys in system,
gold keys with a match, system keys with a match. Every figure, average and resample is a sum over
that array.

The challenge's script adds up the documents' figures in a special order, the order of a set of their names,
as Python 2.7 keeps one, and it means them with numpy. The order decides the last printed digit of a mean
that is halfway between two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate.matching import (
    ALL_CRITERIA,
    CRITERIA,
    Cell,
    Criterion,
    ScoredDocument,
    build_scored_document,
    count_matches,
    pair_documents,
)
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme
from crfdeid.text.scheme import read_scheme as read_scheme

SMALLEST = 8  # slots of a new table
BITS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives, false negatives. A ratio 0/0 is 0.

    >>> both = Counts(1, 3, 0) + Counts(0, 0, 3)
    >>> both.precision, both.recall, both.f1
    (0.25, 0.25, 0.25)
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return harmonic_mean(self.precision, self.recall)


def ratio(part: float, whole: float) -> float:
    """The quotient; 0 where ``whole`` is 0."""
    return part / whole if whole else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """F1, from the two ratios and not from the counts, as the script computes it: 38/64 is 0.59375
    exactly, but the script gets a little less, and prints 0.5937."""
    return ratio(2 * (precision * recall), precision + recall)


class Macro(NamedTuple):
    """Means over documents and population standard deviations. ``f1`` is the harmonic mean of the
    two means, nan where both are 0 (the script prints no number there)."""

    precision: float
    recall: float
    f1: float
    precision_sd: float
    recall_sd: float


@dataclass(frozen=True)
class Scores:
    """``statistics[criterion]`` is an array [document, cell, 4] of gold keys, system keys, matched
    gold keys and matched system keys; a cell is an (element, type)."""

    scheme: Scheme
    hipaa: str
    ids: tuple[str, ...]
    patients: tuple[str, ...]
    cells: tuple[Cell, ...]
    statistics: Mapping[Criterion, np.ndarray]

    def __str__(self) -> str:
        return format_scores(self)

    @cached_property
    def _order(self) -> list[int]:
        return order_as_script(self.ids)

    def count_by_document(self, criterion: Criterion, element: str = "", type: str = "") -> np.ndarray:
        """An array [document, 3] of tp, fp, fn: of all, of one element, or of one type."""
        element, type = element.upper(), type.upper()
        wanted = [element in ("", cell[0]) and type in ("", cell[1]) for cell in self.cells]
        return count_outcomes(self.statistics[criterion][:, wanted].sum(axis=1))

    def micro(self, criterion: Criterion, element: str = "", type: str = "") -> Counts:
        """The counts of all documents together."""
        counts = self.count_by_document(criterion, element, type).sum(axis=0)
        return Counts(*(int(number) for number in counts))

    def macro(self, criterion: Criterion, element: str = "", type: str = "") -> Macro:
        """The averages of the documents' figures."""
        tp, fp, fn = self.count_by_document(criterion, element, type)[self._order].T
        precision, recall = ratios(tp, tp + fp), ratios(tp, tp + fn)
        means = float(precision.mean()), float(recall.mean())
        f1 = harmonic_mean(*means) if sum(means) else math.nan
        return Macro(*means, f1, float(precision.std()), float(recall.std()))


def ratios(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The quotients element by element; 0/0 is 0."""
    quotients: np.ndarray = np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) != 0)
    return quotients


def count_outcomes(statistics: np.ndarray) -> np.ndarray:
    """Compute tp, fp, fn from the four statistics in the last axis. Where the relaxed criterion
    matches two keys of one side to one of the other, the script counts the matches of the smaller
    side, and on a tie those of the system."""
    gold, system, gold_matched, system_matched = np.moveaxis(statistics, -1, 0)
    tp = np.where(gold < system, gold_matched, system_matched)
    return np.stack([tp, system - system_matched, gold - gold_matched], axis=-1)


def score(
    gold: Sequence[Document],
    system: Sequence[Document],
    scheme: Scheme | None = None,
    hipaa: str = "script",
    missing: str = "error",
) -> Scores:
    """Compare documents of the same ids, in any order. The default scheme is i2b2 2014's.
    ``hipaa`` is ``script`` or ``list`` (with IDNUM); ``missing="ignore"`` leaves out gold documents
    that the system does not have, as the script does. Raises what
    :func:`crfdeid.evaluate.matching.pair_documents` and :meth:`Scheme.check` raise."""
    scheme = scheme or read_scheme()
    pairs = [
        (build_scored_document(g, scheme), build_scored_document(s, scheme))
        for g, s in pair_documents(gold, system, missing)
    ]
    return score_pairs(pairs, scheme, hipaa)


def score_pairs(
    pairs: Sequence[tuple[ScoredDocument, ScoredDocument]], scheme: Scheme, hipaa: str = "script"
) -> Scores:
    """Count the matches of each pair (gold, system) under every criterion."""
    kept = scheme.hipaa | (scheme.hipaa_published if hipaa == "list" else frozenset())
    found = {
        criterion: [count_matches(g, s, criterion, kept) for g, s in pairs] for criterion in ALL_CRITERIA
    }
    cells = sorted({cell for documents in found.values() for counts in documents for cell in counts})
    return Scores(
        scheme=scheme,
        hipaa=hipaa,
        ids=tuple(g.document.id for g, _ in pairs),
        patients=tuple(g.document.patient or g.document.id for g, _ in pairs),
        cells=tuple(cells),
        statistics={criterion: build_array(documents, cells) for criterion, documents in found.items()},
    )


def build_array(documents: Sequence[Mapping[Cell, Sequence[int]]], cells: Sequence[Cell]) -> np.ndarray:
    """Build the array [document, cell, 4] of counts by cell."""
    array = np.zeros((len(documents), len(cells), 4), dtype=np.int64)
    column = {cell: number for number, cell in enumerate(cells)}
    for row, counts in enumerate(documents):
        for cell, numbers in counts.items():
            array[row, column[cell]] = numbers
    return array


def format_scores(scores: Scores, types: bool = False) -> str:
    """Format micro precision, recall and F1 under the three criteria: all, HIPAA, each category
    (and each type). The counts are the strict ones."""
    rows = list_rows(scores, types)
    width = max(len(title) for title, *_ in rows) + 1
    head = " " * (width + 21) + "".join(f"   {name:<20}" for name in CRITERIA).rstrip()
    names = " " * width + f"{'gold':>7}{'system':>7}{'right':>7}" + "   P      R      F1    " * 3
    return "\n".join([head, names.rstrip(), *(format_line(scores, width, *row) for row in rows)])


def list_rows(scores: Scores, types: bool) -> list[tuple[str, bool, str, str]]:
    """List title, HIPAA subset, element and type of each row that has a span on either side."""
    rows = [("all", False, "", "")]
    if scores.scheme.hipaa:
        rows.append(("HIPAA", True, "", ""))
    for category, members in scores.scheme.categories.items():
        rows.append((category, False, category, ""))
        if types and tuple(members) != (category,):
            rows += [("  " + type, False, category, type) for type in members]
    present = {name for cell in scores.cells for name in cell} | {""}
    return [row for row in rows if {row[2].upper(), row[3].upper()} <= present]


def format_line(scores: Scores, width: int, title: str, hipaa: bool, element: str, type: str) -> str:
    """Format one row of :func:`list_rows`."""
    strict, relaxed, token = (scores.micro(Criterion(c, hipaa), element, type) for c in CRITERIA)
    sizes = f"{strict.tp + strict.fn:7}{strict.tp + strict.fp:7}{strict.tp:7}"
    figures = (f"   {c.precision:.4f} {c.recall:.4f} {c.f1:.4f}" for c in (strict, relaxed, token))
    return f"{title:<{width}}{sizes}{''.join(figures)}"


def order_as_script(ids: Sequence[str]) -> list[int]:
    """Return the positions of the ids in the order of the script, whose files are read by name.

    The script makes a dictionary of each side, a set of its keys, and the set of the keys of both; each
    keeps its keys as :func:`order_keys` says.

    >>> ids = ["100-01", "101-01", "102-01", "103-01", "104-01", "105-01"]
    >>> [ids[position] for position in order_as_script(ids)]
    ['105-01', '101-01', '104-01', '100-01', '102-01', '103-01']
    """
    positions = {id.encode(): position for position, id in enumerate(ids)}
    keys: Iterable[bytes] = sorted(positions)
    for _ in range(3):
        keys = order_keys(keys)
    return [positions[key] for key in keys]


def order_keys(keys: Iterable[bytes]) -> list[bytes]:
    """Return different keys in the order of a table of Python 2.7 (64 bits) that they are added to: four
    times as many slots, or twice above 50,000 keys, when two of three are taken."""
    table: list[bytes | None] = [None] * SMALLEST
    for number, key in enumerate(keys, 1):
        insert_key(table, key)
        if number * 3 >= len(table) * 2:
            table = grow_table(table, number * (2 if number > 50_000 else 4))
    return [key for key in table if key is not None]


def grow_table(table: Sequence[bytes | None], least: int) -> list[bytes | None]:
    """Return a table of more than ``least`` slots with the same keys."""
    grown: list[bytes | None] = [None] * max(SMALLEST, 1 << least.bit_length())
    for key in table:
        if key is not None:
            insert_key(grown, key)
    return grown


def insert_key(table: list[bytes | None], key: bytes) -> None:
    """Put a key into the first free slot of its probe sequence."""
    mask = len(table) - 1
    rest = hash_key(key)
    slot = rest & mask
    while table[slot & mask] is not None:
        slot = (5 * slot + rest + 1) & BITS
        rest >>= 5
    table[slot & mask] = key


def hash_key(key: bytes) -> int:
    """Return Python 2.7's hash of a byte string, without a sign.

    >>> hash_key(b"100-01"), hash_key(b"")
    (13455315717272786609, 0)
    """
    if not key:
        return 0
    value = key[0] << 7
    for byte in key:
        value = (1000003 * value ^ byte) & BITS
    value ^= len(key)
    return BITS - 1 if value == BITS else value
