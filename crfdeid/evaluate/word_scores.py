"""Scores per word in the form of Tafvizi's tables (2011, appendix A): eight kinds of PHI
and Non-PHI, each word in exactly one.

Her eight kinds come from i2b2 2006. Each type of 2014 belongs to one of them, or to the row Other, by the
type map 2006.
Under any other scheme the rows are its categories. A word (a run of letters, digits and
underscores) has the kind of the span that touches it; if spans of several kinds touch it, the kind
that is last in the table's order counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.evaluate.leakage import WORD
from crfdeid.evaluate.scores import Counts
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme, read_map

KINDS = {
    "Patients": "PATIENT",
    "Doctors": "DOCTOR",
    "Locations": "LOCATION",
    "Hospitals": "HOSPITAL",
    "Dates": "DATE",
    "IDs": "ID",
    "Phone Numbers": "PHONE",
    "Ages": "AGE",
}  # types of i2b2 2006


@dataclass(frozen=True)
class WordScores:
    """``statistics`` is an array [document, kind, 3] of tp, fp, fn; ``kinds[0]`` is Non-PHI."""

    kinds: tuple[str, ...]
    statistics: np.ndarray

    def counts(self) -> dict[str, Counts]:
        """The counts of each kind that occurs."""
        totals = self.statistics.sum(axis=0)
        return {kind: Counts(*map(int, row)) for kind, row in zip(self.kinds, totals) if row.any()}


def measure_words(pairs: Sequence[tuple[Document, Document]], scheme: Scheme) -> WordScores:
    """Count the words of pairs of a gold and a system document of the same text."""
    types_by_kind = choose_kinds(scheme)
    kinds = ("Non-PHI", *types_by_kind)
    numbers = {type: number for number, types in enumerate(types_by_kind.values(), 1) for type in types}
    rows = [count_agreement(find_kinds(g, numbers), find_kinds(s, numbers), len(kinds)) for g, s in pairs]
    return WordScores(kinds, np.array(rows, dtype=np.int64).reshape(len(rows), len(kinds), 3))


def measure_phi_words(pairs: Sequence[tuple[Document, Document]]) -> dict[str, Counts]:
    """Count the words of PHI, of any type, and of Non-PHI (Sibanda & Uzuner 2006, section 6)."""
    total = np.zeros((2, 3), dtype=np.int64)
    for pair in pairs:
        gold, system = (find_kinds(d, dict.fromkeys((s.type for s in d.spans), 1)) for d in pair)
        total += count_agreement(gold, system, 2)
    return {kind: Counts(*map(int, row)) for kind, row in zip(("PHI", "Non-PHI"), total[::-1])}


def choose_kinds(scheme: Scheme) -> dict[str, tuple[str, ...]]:
    """Return the types of each kind of word."""
    if not scheme.name.startswith("i2b2-20"):
        return dict(scheme.categories)
    types = read_map("2006").types
    placed = {kind: tuple(t for t in scheme.types if types.get(t) == to) for kind, to in KINDS.items()}
    return placed | {"Other": tuple(type for type in scheme.types if not types.get(type))}


def find_kinds(document: Document, numbers: dict[str, int]) -> np.ndarray:
    """Return the kind of each word, 0 for Non-PHI. ``numbers`` has the kind of each type.

    >>> from crfdeid.text.document import Span
    >>> find_kinds(Document("n", "Dr. Roe-May, MD", (Span(4, 11, "DOCTOR"),)), {"DOCTOR": 2})
    array([0, 2, 2, 0], dtype=uint8)
    """
    characters = np.zeros(len(document.text) + 1, dtype=np.uint8)
    for span in document.spans:
        part = characters[span.start : span.end]
        np.maximum(part, numbers[span.type], out=part)
    bounds = [edge for word in WORD.finditer(document.text) for edge in word.span()]
    return np.maximum.reduceat(characters, bounds)[::2] if bounds else characters[:0]


def count_agreement(gold: np.ndarray, system: np.ndarray, kinds: int) -> np.ndarray:
    """Count tp, fp, fn of each kind: an array [kind, 3]."""
    right, of_gold, of_system = (
        np.bincount(words, minlength=kinds) for words in (gold[gold == system], gold, system)
    )
    return np.stack([right, of_system - right, of_gold - right], axis=1)


def format_word_scores(scores: WordScores) -> str:
    """Format the scores, a line for each kind."""
    lines = [f"{'':<16}{'words':>8}   P       R       F"]
    for kind, c in scores.counts().items():
        figures = f"{c.precision:.5f} {c.recall:.5f} {c.f1:.5f}"
        lines.append(f"{kind:<16}{c.tp + c.fn:8}   {figures}")
    return "\n".join(lines)
