"""What stays readable after the system's spans are taken out, whatever their type.

A gold span leaks where one of its letters or digits is in no system span; a span without
any leaks where no system span touches it. Words are runs of letters, digits and
underscores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crfdeid.evaluate.scores import Counts, ratio
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import mask_spans

WORD = re.compile(r"\w+")


class Tally(NamedTuple):
    """The columns of what is kept per document: characters of gold, of system and of
    both; gold spans, those that a system span touches, those that leak; words."""

    gold: int
    system: int
    common: int
    spans: int
    touched: int
    leaks: int
    words: int


@dataclass(frozen=True)
class Leakage:
    """``statistics`` is an array [document, column of Tally]."""

    patients: tuple[str, ...]
    statistics: np.ndarray

    def total(self) -> Tally:
        return Tally(*(int(number) for number in self.statistics.sum(axis=0)))

    def characters(self) -> np.ndarray:
        """An array [document, 3] of tp, fp, fn, counting characters."""
        gold, system, common = self.statistics[:, :3].T
        return np.stack([common, system - common, gold - common], axis=1)

    def figures(self) -> dict[str, float]:
        """Ratios, 0 where the denominator is; a corpus without gold leaks nothing."""
        total = self.total()
        characters = Counts(*(int(number) for number in self.characters().sum(axis=0)))
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
    """Of gold and system documents of the same text."""
    rows = [count_characters(gold, system) for gold, system in pairs]
    patients = tuple(gold.patient or gold.id for gold, _ in pairs)
    return Leakage(patients, np.array(rows, dtype=np.int64).reshape(len(rows), len(Tally._fields)))


def count_characters(gold: Document, system: Document) -> Tally:
    right, found = mask_document(gold), mask_document(system)
    touched = sum(bool(found[span.start : span.end].any()) for span in set(gold.spans))
    leaking = sum(is_leaked(gold, span, found) for span in set(gold.spans))
    return Tally(
        gold=int(right.sum()),
        system=int(found.sum()),
        common=int((right & found).sum()),
        spans=len(set(gold.spans)),
        touched=touched,
        leaks=leaking,
        words=sum(1 for _ in WORD.finditer(gold.text)),
    )


def mask_document(document: Document) -> np.ndarray:
    """True at each character that a span covers."""
    return np.frombuffer(mask_spans(len(document.text), document.spans), dtype=bool)


def is_leaked(gold: Document, span: Span, found: np.ndarray) -> bool:
    """
    >>> note = Document("n", "J. Roe")
    >>> is_leaked(note, Span(0, 6, "DOCTOR"), np.array([1, 0, 0, 1, 1, 1]))
    False
    >>> is_leaked(note, Span(0, 6, "DOCTOR"), np.array([1, 1, 1, 1, 1, 0]))
    True
    """
    covered = found[span.start : span.end]
    letters = [kept for kept, character in zip(covered, gold.text_of(span)) if character.isalnum()]
    return not all(letters) if letters else not covered.any()


def sum_groups(values: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Rows summed by group, in the groups' alphabetical order."""
    names, places = np.unique(np.array(groups, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), *values.shape[1:]), dtype=values.dtype)
    np.add.at(sums, places, values)
    return sums


def format_leakage(exposure: Leakage) -> str:
    return "\n".join(f"{name:<26}{value:8.4f}" for name, value in exposure.figures().items())
