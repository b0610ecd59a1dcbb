"""Leakage: what stays readable after the system's spans are removed, whatever their type.

A gold span leaks if one of its letters or digits is in no system span; a span without letters and
digits leaks if no system span touches it. Words are runs of letters, digits and underscores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate.scores import Counts, ratio
from crfdeid.text.document import Document, Span, mask_spans

WORD = re.compile(r"\w+")


class Tally(NamedTuple):
    """The counts of one document: characters of gold, of system and of both; gold spans, those that
    a system span touches, those that leak; words."""

    gold: int
    system: int
    common: int
    spans: int
    touched: int
    leaks: int
    words: int


@dataclass(frozen=True)
class Leakage:
    """``statistics`` is an array [document, field of Tally]; ``patients`` has the patient of each
    document."""

    patients: tuple[str, ...]
    statistics: np.ndarray

    def total(self) -> Tally:
        """The counts of all documents together."""
        return Tally(*(int(number) for number in self.statistics.sum(axis=0)))

    def count_characters(self) -> np.ndarray:
        """An array [document, 3] of tp, fp, fn, counted in characters."""
        gold, system, common = self.statistics[:, :3].T
        return np.stack([common, system - common, gold - common], axis=1)

    def figures(self) -> dict[str, float]:
        """The printed figures by name. A ratio 0/0 is 0; a corpus without gold spans has no leak."""
        total = self.total()
        characters = Counts(*(int(number) for number in self.count_characters().sum(axis=0)))
        leaks = self.statistics[:, Tally._fields.index("leaks")]
        return {
            "character precision": characters.precision,
            "character recall": characters.recall,
            "character f1": characters.f1,
            "any-overlap recall": ratio(total.touched, total.spans),
            "covered recall": ratio(total.spans - total.leaks, total.spans),
            "leaks per 1000 words": ratio(1000 * total.leaks, total.words),
            "leaks per document": float(leaks.mean()),
            "documents without a leak": float((leaks == 0).mean()),
            "patients without a leak": float((sum_groups(leaks, self.patients) == 0).mean()),
        }


def measure_leakage(pairs: Sequence[tuple[Document, Document]]) -> Leakage:
    """Measure pairs of a gold and a system document of the same text."""
    rows = [tally_document(gold, system) for gold, system in pairs]
    patients = tuple(gold.patient or gold.id for gold, _ in pairs)
    return Leakage(patients, np.array(rows, dtype=np.int64).reshape(len(rows), len(Tally._fields)))


def tally_document(gold: Document, system: Document) -> Tally:
    """Count one pair; identical gold spans count once."""
    gold_mask, system_mask = mask_document(gold), mask_document(system)
    touched = sum(bool(system_mask[span.start : span.end].any()) for span in set(gold.spans))
    leaks = sum(not is_covered for _, is_covered in find_covered(gold, system))
    return Tally(
        gold=int(gold_mask.sum()),
        system=int(system_mask.sum()),
        common=int((gold_mask & system_mask).sum()),
        spans=len(set(gold.spans)),
        touched=touched,
        leaks=leaks,
        words=sum(1 for _ in WORD.finditer(gold.text)),
    )


def mask_document(document: Document) -> np.ndarray:
    """An array that is true at each character that a span covers."""
    return np.frombuffer(mask_spans(len(document.text), document.spans), dtype=bool)


def is_leaked(gold: Document, span: Span, mask: np.ndarray) -> bool:
    """Whether a gold span leaks, given the mask of the system's spans.

    >>> note = Document("n", "J. Roe")
    >>> is_leaked(note, Span(0, 6, "DOCTOR"), np.array([1, 0, 0, 1, 1, 1]))
    False
    >>> is_leaked(note, Span(0, 6, "DOCTOR"), np.array([1, 1, 1, 1, 1, 0]))
    True
    """
    covered = mask[span.start : span.end]
    letters = [hidden for hidden, character in zip(covered, gold.text_of(span)) if character.isalnum()]
    return not all(letters) if letters else not covered.any()


def find_covered(gold: Document, system: Document) -> Iterator[tuple[Span, bool]]:
    """Yield each gold span, and whether it does not leak; identical ones once."""
    mask = mask_document(system)
    for span in sorted(set(gold.spans)):
        yield span, not is_leaked(gold, span, mask)


def sum_groups(values: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Sum the rows of each group, in the groups' alphabetical order."""
    names, places = np.unique(np.array(groups, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]), dtype=values.dtype)
    np.add.at(sums, places, values)
    return sums


def format_leakage(leakage: Leakage) -> str:
    """Format the figures, one on each line."""
    return "\n".join(f"{name:<26}{value:8.4f}" for name, value in leakage.figures().items())
