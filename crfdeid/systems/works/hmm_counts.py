"""The counts of IdentiFinder (Bikel, Schwartz & Weischedel 1999, section 3.2): classes, words, and words
after words.

Each word has one of 14 features of how it is written (their table 3.1). Word and feature together are one
number, the *symbol* ``word * len(FEATURES) + feature``. A sequence is cut into regions of one class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import regex

from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.text import bio
from crfdeid.text.document import Document, Token

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
RESERVED = ["+end+", "+unknown+"]  # their spellings; a note's words of these spellings have other numbers
END = END_WORD * len(FEATURES) + FEATURES.index("other")


TypedTokens = list[tuple[list[Token], str]]  # a sequence as stretches of tokens, each with its type


class Region(NamedTuple):
    """Consecutive words of one class."""

    symbols: list[int]
    kind: int


class Counts(NamedTuple):
    """Sorted rows of what was seen, with the count in the last column: ``turns`` (class before, word
    before, class), ``firsts`` (class before, class, symbol) and ``nexts`` (class, symbol before, symbol).
    Class number ``classes`` is the start of a sequence, and its end."""

    turns: np.ndarray
    firsts: np.ndarray
    nexts: np.ndarray


def find_feature(word: str, first: bool) -> int:
    """Return the number of the first feature that the word has. The ``first`` word of a sequence has a
    feature of its own in place of those of capitals, which mean little there.

    >>> [FEATURES[find_feature(w, False)] for w in ("90", "A8956-67", "11/9/89", "BBN", "Sally", ",")]
    ['twoDigitNum', 'containsDigitAndAlpha', 'containsDigitAndSlash', 'allCaps', 'initCap', 'other']
    >>> FEATURES[find_feature("Sally", True)], FEATURES[find_feature("BBN", True)]
    ('firstWord', 'allCaps')
    """
    number = next(n for n, pattern in enumerate(PATTERNS) if pattern.fullmatch(word))
    return FEATURES.index("firstWord") if first and FEATURES[number] in ("initCap", "lowerCase") else number


def find_symbol(vocabulary: Mapping[str, int], word: str, first: bool) -> int:
    """Return the symbol of a word; ``first`` says whether it begins a sequence."""
    return vocabulary.get(word, UNKNOWN) * len(FEATURES) + find_feature(word, first)


def split_by_type(pipeline: Pipeline, documents: Iterable[Document]) -> Iterator[TypedTokens]:
    """Yield each sequence as the tokens of single spans (with the type), and the tokens between spans
    (with the type "")."""
    for document in map(pipeline.resolve_overlaps, documents):
        tokenized, sequences = pipeline.tokenize_document(document)
        labels = bio.encode(tokenized.tokens, document.spans)
        for part in sequences:
            found: TypedTokens = []
            for index in part:
                label = labels[index]
                if label[0] == "B" or not found or found[-1][1] != label[2:]:
                    found.append(([], label[2:]))
                found[-1][0].append(tokenized.tokens[index])
            yield found


def number_words(words: Iterable[str]) -> dict[str, int]:
    """Return the numbers of the words, which follow the numbers of :data:`RESERVED`."""
    return {word: number for number, word in enumerate(words, len(RESERVED))}


def select_words(sequences: Sequence[TypedTokens], vocabulary: Mapping[str, int]) -> dict[str, int]:
    """Return the part of the vocabulary that occurs in these sequences."""
    return {
        token.text: vocabulary[token.text] for parts in sequences for tokens, _ in parts for token in tokens
    }


def make_regions(
    sequences: Iterable[TypedTokens], types: Sequence[str], vocabulary: Mapping[str, int]
) -> Iterator[list[Region]]:
    """Yield each sequence as regions; a class is an index into ``types``."""
    classes = {type: number for number, type in enumerate(types)}
    for parts in sequences:
        start = parts[0][0][0]
        yield [
            Region([find_symbol(vocabulary, t.text, t is start) for t in tokens], classes[type])
            for tokens, type in parts
        ]


def count_regions(sequences: Iterable[Sequence[Region]], classes: int) -> Counts:
    """Count the regions, words and pairs of words of all sequences."""
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
    return Counts(*map(sort_rows, (turns, firsts, nexts)))


def sort_rows(counter: Counter[tuple[int, ...]]) -> np.ndarray:
    """Return the keys and their counts as sorted rows [keys, 4]."""
    return np.array([(*key, counter[key]) for key in sorted(counter)], np.int32).reshape(-1, 4)
