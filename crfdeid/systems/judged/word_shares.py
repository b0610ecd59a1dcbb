"""How often training labels each word: inside spans of a type, as their first or last word, and beside them.

A share is that of the word's occurrences. Words of few owners (patients, or documents without one) are not
kept; like words that training does not have, they have the share :data:`UNKNOWN`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import Candidates
from crfdeid.errors import ModelError

PLACES = ("inside", "first", "last", "before", "after")
UNKNOWN = -1.0
SELDOM = 0.05  # the part of one more occurrence that counts, so that a share is never 0
EMPTY = ""  # in place of a word outside the document

Row = Sequence[Any]  # a number, then a list for each place
Words = Sequence[str]  # the lowered texts of a document's tokens
Keys = Iterable[tuple[int, int, int]]  # first token, last token, number of the type


class WordShares:
    """``table[word]`` begins with the number of the word's occurrences. A list for each of :data:`PLACES`
    follows: numbers of types, and how often the word has that place at their spans, in turns.
    ``shares[place]`` [words + 1, types] has a row for other words at its end."""

    def __init__(self, table: Mapping[str, Row], types: int) -> None:
        self.table, self.words = table, sorted(table)
        self.numbers = {word: number for number, word in enumerate(self.words)}
        self.shares = np.full((len(PLACES), len(self.words) + 1, types), UNKNOWN)
        total = np.array([table[word][0] for word in self.words], np.float64) + 1
        self.shares[:, :-1] = (SELDOM / total)[:, None]
        for place, share in enumerate(self.shares, 1):
            own = [table[word][place] for word in self.words]
            words = np.repeat(np.arange(len(own)), [len(pairs) // 2 for pairs in own])
            pairs = np.array([*chain.from_iterable(own)], np.int64).reshape(-1, 2)
            share[words, pairs[:, 0]] = (pairs[:, 1] + SELDOM) / total[words]

    def number(self, word: str) -> int:
        """The row of a word."""
        return self.numbers.get(word, len(self.words))

    def describe(self, rows: Ints, bounds: Ints, found: Candidates) -> Floats:
        """Return the columns :data:`NAMES` of candidates. ``rows`` are those of all tokens, and of one token
        more, in the place of words outside; ``bounds`` [candidates, 2] are those of the documents."""
        inside, first, last, before, after = self.shares
        type = found.types
        nobody = len(rows) - 1
        left = rows[np.where(found.first > bounds[:, 0], found.first - 1, nobody)]
        right = rows[np.where(found.last + 1 < bounds[:, 1], found.last + 1, nobody)]
        begin, end = rows[found.first], rows[found.last]
        sizes = found.last + 1 - found.first
        starts = np.cumsum(sizes) - sizes
        places, owners = found.expand()
        own = inside[rows[places], type[owners]]
        columns = [
            np.minimum.reduceat(own, starts) if len(own) else own,
            np.add.reduceat(own, starts) / sizes if len(own) else own,
            first[begin, type],
            last[end, type],
            before[left, type],
            after[right, type],
            inside[left, type],
            inside[right, type],
            first[begin].sum(axis=1),
            last[end].sum(axis=1),
            before[left].sum(axis=1),
            after[right].sum(axis=1),
            last[left].sum(axis=1),
            first[right].sum(axis=1),
        ]
        return np.column_stack(columns)

    def write(self, path: Path) -> None:
        """Write the counts."""
        whole = {"types": self.shares.shape[2], "words": self.table}
        text = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_text(text + "\n", encoding="utf-8")


NAMES = (
    "least inside", "mean inside", "first", "last", "before", "after", "inside of word before",
    "inside of word after", "first of all", "last of all", "before all", "after all", "word before ends",
    "word after begins",
)  # fmt: skip


def count_shares(documents: Iterable[tuple[str, Words, Keys]], types: int, least: int) -> WordShares:
    """Count the shares of the words of ``least`` owners or more. Each document has its owner, the lowered
    texts of its tokens and the keys of its spans."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    occurrences: Counter[str] = Counter()
    counts: dict[str, defaultdict[str, Counter[int]]] = {name: defaultdict(Counter) for name in PLACES}
    for owner, words, keys in documents:
        occurrences.update(words)
        for word in set(words):
            if len(own := owners[word]) < least:
                own.add(owner)
        for key in keys:
            for place, word in list_places(words, key):
                counts[place][word][key[2]] += 1
    table: dict[str, Row] = {
        word: (occurrences[word], *([*chain(*sorted(own[word].items()))] for own in counts.values()))
        for word, owned in owners.items()
        if len(owned) >= least and word
    }
    return WordShares(table, types)


def list_places(words: Words, key: tuple[int, int, int]) -> Iterator[tuple[str, str]]:
    """Yield the words in and beside a span, each with its place.

    >>> list(list_places(["by", "ana", "ruiz"], (1, 2, 0)))
    [('inside', 'ana'), ('inside', 'ruiz'), ('first', 'ana'), ('last', 'ruiz'), ('before', 'by')]
    """
    begin, end, _ = key
    yield from (("inside", word) for word in words[begin : end + 1])
    yield "first", words[begin]
    yield "last", words[end]
    if begin:
        yield "before", words[begin - 1]
    if end + 1 < len(words):
        yield "after", words[end + 1]


def read_shares(path: Path) -> WordShares:
    """Read the shares. Raises :class:`ModelError` where the file is missing or another one."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return WordShares({**table["words"]}, table["types"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise ModelError(f"{path}: missing, or not the word shares of a judged model") from None
