"""What IdentiFinder counts (Bikel, Schwartz & Weischedel 1999, section 3.2): classes, words, and words
after words.

A word goes with one of 14 features of how it is written (their table 3.1). Both are one number,
the *symbol* ``word * len(FEATURES) + feature``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import regex

FEATURES = (
    "twoDigitNum", "fourDigitNum", "containsDigitAndAlpha", "containsDigitAndDash", "containsDigitAndSlash",
    "containsDigitAndComma", "containsDigitAndPeriod", "otherNum", "allCaps", "capPeriod", "firstWord",
    "initCap", "lowerCase", "other",
)  # fmt: skip
PATTERNS = [
    regex.compile(pattern)
    for pattern in (
        r"\d\d", r"\d{4}", r"(?=.*\d).*\p{L}.*", r"(?=.*\d).*-.*", r"(?=.*\d).*/.*", r"(?=.*\d).*,.*",
        r"(?=.*\d).*\..*", r".*\d.*", r"\p{Lu}+", r"\p{Lu}\.", r"(?!)", r"\p{Lu}.*",
        r"\p{Ll}+", r"(?s).*",
    )
]  # fmt: skip
END_WORD, UNKNOWN = 0, 1  # words of every model: the end of a class, and a word that was not seen
END = END_WORD * len(FEATURES) + FEATURES.index("other")


class Region(NamedTuple):
    """Words of one class that follow each other."""

    symbols: list[int]
    kind: int


class Counts(NamedTuple):
    """How often what was seen, one row each, sorted: ``turns`` (class before, word before, class),
    ``firsts`` (class before, class, symbol), ``nexts`` (class, symbol before, symbol), and their counts
    in the last column. Class number ``classes`` is the start of a sequence, and its end."""

    turns: np.ndarray
    firsts: np.ndarray
    nexts: np.ndarray


def feature(word: str, first: bool) -> int:
    """The number of the first feature that the word has; capitals say little of a sequence's
    first word, which has one of its own.

    >>> [FEATURES[feature(w, False)] for w in ("90", "A8956-67", "11/9/89", "BBN", "Sally", ",")]
    ['twoDigitNum', 'containsDigitAndAlpha', 'containsDigitAndSlash', 'allCaps', 'initCap', 'other']
    >>> FEATURES[feature("Sally", True)], FEATURES[feature("BBN", True)]
    ('firstWord', 'allCaps')
    """
    number = next(n for n, pattern in enumerate(PATTERNS) if pattern.fullmatch(word))
    return FEATURES.index("firstWord") if first and FEATURES[number] in ("initCap", "lowerCase") else number


def count(sequences: Iterable[Sequence[Region]], classes: int) -> Counts:
    """The counts of sequences of regions."""
    turns: Counter[tuple[int, ...]] = Counter()
    firsts: Counter[tuple[int, ...]] = Counter()
    nexts: Counter[tuple[int, ...]] = Counter()
    for regions in sequences:
        before, word = classes, END_WORD
        for symbols, kind in regions:
            turns[before, word, kind] += 1
            firsts[before, kind, symbols[0]] += 1
            for one, other in zip(symbols, [*symbols[1:], END]):
                nexts[kind, one, other] += 1
            before, word = kind, symbols[-1] // len(FEATURES)
        turns[before, word, classes] += 1
    return Counts(*map(rows, (turns, firsts, nexts)))


def rows(counter: Counter[tuple[int, ...]]) -> np.ndarray:
    return np.array([(*key, counter[key]) for key in sorted(counter)], np.int32).reshape(-1, 4)
