"""A note as rules see it.

A note is read once into words and indexed by their lowercased text, so that a rule visits only the places
where one of its words occurs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import compress, islice
from operator import and_, or_

from crfdeid.rules.words import (
    CAPITAL,
    DIGIT,
    LETTER,
    LONGEST,
    SMALL,
    Beside,
    chain_lists,
    find_caseless,
    group_by,
    read_words,
    sign_after,
    sign_before,
)

Edges = tuple[int, int]  # half-open offsets

HEADER = 400  # characters at the top of a note that can hold the note's own date
CENTURY = r"(?:18|19|20|21)\d\d"
HEADER_YEAR = re.compile(
    rf"(?<![\d./-])(?:(?P<iso>{CENTURY})-\d\d?-\d\d?|\d\d?[/-]\d\d?[/-](?P<us>{CENTURY}))(?!\d)"
)
BORN = ("dob", "birth", "born")  # before a date, which is then not the note's
TOP_LINES = 10  # of a note
EARLIEST, LATEST = 1880, 2199  # surrogate dates can be in the future
YEARS_BEFORE, YEARS_AFTER = 120, 10  # years around the year in the header that a note can mention

IS_CAPITAL, IS_LETTER, IS_NUMBER = (
    bytes(kind in kinds for kind in range(256)) for kinds in ({CAPITAL}, {CAPITAL, LETTER, SMALL}, {DIGIT})
)


class IndexedNote:
    """The words of ``text``: word ``i`` is ``text[starts[i]:ends[i]]``; ``indices`` gives the places of each
    lowercased word."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = read_words(text)
        self.starts, self.ends, self.lowered = words.starts, words.ends, words.lowered
        self._caseless = mark_words(len(self.starts), find_caseless(text, words))
        self._capitals = mark_capitals(words.kinds, self._caseless)
        self._numbers = words.kinds.translate(IS_NUMBER)
        self._written_small: dict[str, bool] = {}
        self.indices = group_by(self.lowered, range(len(self.lowered)))
        self.vocabulary = frozenset(self.indices)

    def __len__(self) -> int:
        return len(self.starts)

    def word(self, index: int) -> str:
        """The word as it is written."""
        return self.text[self.starts[index] : self.ends[index]]

    @cached_property
    def number_starts(self) -> list[int]:
        return list(compress(self.starts, self._numbers))

    @cached_property
    def top_end(self) -> int:
        """The offset at which the first :data:`TOP_LINES` lines end with their line break, or the text."""
        line_ends = islice(re.finditer("\n", self.text), TOP_LINES - 1, TOP_LINES)
        return next((match.end() for match in line_ends), len(self.text))

    @cached_property
    def _starts_by_next(self) -> Mapping[str, list[int]]:
        text, ends = self.text, compress(self.ends, self._numbers)
        return group_by(map(sign_after, [text[end : end + 2] for end in ends]), self.number_starts)

    @cached_property
    def _starts_by_sign_before(self) -> Mapping[str, list[int]]:
        text, starts = self.text, self.number_starts
        return group_by(map(sign_before, [text[max(0, start - 2) : start] for start in starts]), starts)

    @cached_property
    def _starts_by_length(self) -> Mapping[int, list[int]]:
        starts, ends = self.number_starts, compress(self.ends, self._numbers)
        return group_by([min(end - start, LONGEST) for start, end in zip(starts, ends)], starts)

    def find_numbers(self, beside: Beside) -> Iterable[int]:
        """Return the starts of the numbers of which ``beside`` holds."""
        if beside.words and self.vocabulary.isdisjoint(beside.words):
            return ()
        if beside.next:
            return chain_lists(self._starts_by_next, beside.next)
        if beside.before:
            return chain_lists(self._starts_by_sign_before, beside.before)
        return chain_lists(self._starts_by_length, beside.lengths) if beside.lengths else self.number_starts

    def find_index(self, offset: int) -> int | None:
        """Return the index of the word that begins at an offset, or ``None``."""
        index = bisect_left(self.starts, offset)
        return index if index < len(self) and self.starts[index] == offset else None

    def find_line_start(self, offset: int) -> int:
        """Return where the line of an offset begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def is_caseless(self, index: int) -> bool:
        """Whether the word's paragraph is written without capitals, so that they have no meaning."""
        return self._caseless[index] == 1

    def is_capitalised(self, index: int) -> bool:
        """Whether a word begins with a capital, or with any letter in a paragraph without capitals."""
        return self._capitals[index] == 1

    def is_capitalised_at(self, start: int) -> bool:
        """Whether the word that begins at an offset is capitalised."""
        return (index := self.find_index(start)) is not None and self.is_capitalised(index)

    @cached_property
    def capitalised_words(self) -> frozenset[str]:
        """The lowercased words that are capitalised somewhere, as :meth:`is_capitalised` says."""
        return frozenset(compress(self.lowered, self._capitals))

    def is_written_small(self, word: str) -> bool:
        """Whether the note also writes a lowercased word without capitals, in a paragraph that has some."""
        if word not in self._written_small:  # a long note asks for a word as often as it has it
            indices = self.indices.get(word, ())
            self._written_small[word] = any(
                self.word(index) == word and not self.is_caseless(index) for index in indices
            )
        return self._written_small[word]

    @cached_property
    def year(self) -> int | None:
        """The year of the note: the latest year in a full date at its top, except a date of birth."""
        top = self.number_starts[: bisect_left(self.number_starts, HEADER)]
        dates = (HEADER_YEAR.match(self.text, start, HEADER) for start in top)
        years = (date["iso"] or date["us"] for date in dates if date and not self._is_birth(date.start()))
        return max(map(int, years), default=None)

    def _is_birth(self, start: int) -> bool:
        """Whether the word before the date at ``start`` is one for birth."""
        index = bisect_left(self.starts, start)
        return index > 0 and self.lowered[index - 1].endswith(BORN)

    def is_plausible_year(self, year: int) -> bool:
        """Whether the note can mention a year (four digits): one near its own, if that is known."""
        if self.year is None:
            return EARLIEST <= year <= LATEST
        return self.year - YEARS_BEFORE <= year <= self.year + YEARS_AFTER

    def find_words(self, words: Collection[str]) -> Iterator[int]:
        """Yield the indices of the (lowercased) ``words`` that occur, word by word."""
        for word in self.vocabulary.intersection(words):
            yield from self.indices[word]

    def find_capitalised(self, words: frozenset[str]) -> Iterator[int]:
        """Yield the indices of the (lowercased) ``words`` that occur with a capital, word by word."""
        for word in self.capitalised_words & words:
            yield from self.find_capitalised_places(word)

    def find_capitalised_places(self, word: str) -> list[int]:
        """Return the indices of a (lowercased) word where it has a capital."""
        capitals = self._capitals
        return [index for index in self.indices[word] if capitals[index]]

    def gap(self, index: int) -> str:
        """The text between word ``index - 1`` and word ``index``."""
        return self.text[self.ends[index - 1] if index else 0 : self.starts[index]]

    def word_before(self, index: int) -> str:
        """The lowercased word before, in the same line; else an empty string."""
        return self.lowered[index - 1] if index and "\n" not in self.gap(index) else ""

    def word_after(self, index: int) -> str:
        """The lowercased word after, in the same line; else an empty string."""
        return self.lowered[index + 1] if index + 1 < len(self) and "\n" not in self.gap(index + 1) else ""

    def edges(self, first: int, stop: int) -> Edges:
        """The offsets of the words from ``first`` up to, but not including, ``stop``."""
        return self.starts[first], self.ends[stop - 1]


def mark_words(count: int, chosen: Iterable[range]) -> bytearray:
    """Return one byte for each of ``count`` words: 1 in the ranges, else 0."""
    marks = bytearray(count)
    for words in chosen:
        marks[words.start : words.stop] = b"\1" * len(words)
    return marks


def mark_capitals(kinds: bytes, caseless: bytearray) -> bytes:
    """Return 1 for each word that begins with a capital; where capitals have no meaning, with any letter."""
    if 1 not in caseless:
        return kinds.translate(IS_CAPITAL)
    letters = kinds.translate(IS_LETTER)
    return bytes(map(or_, kinds.translate(IS_CAPITAL), map(and_, letters, caseless)))
