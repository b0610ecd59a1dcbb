"""A note as rules see it: its words, where capitals have no meaning, and what is beside the numbers.

A note is read once into words and indexed by their lowercased text, so that a rule visits only the places
where one of its words occurs. A rule of numbers says what it needs beside them (:class:`Beside`), so that it
is asked only where it can match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, islice, pairwise
from operator import and_, or_
from typing import TypeVar

import numpy as np

from crfdeid.lexicon.letters import remember_words

Key = TypeVar("Key")

LONG_S = "\u017f"  # a pattern that ignores case takes it for an s
SIGNS = 5_000  # pairs of signs whose answer is kept
LONGEST = 11  # digits: a longer number counts as one of 11

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f][^\W\d_]*)*|\d+")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
OTHER, LETTER, CAPITAL, SMALL, DIGIT = range(5)  # halved, of ASCII: 1 for letters, 2 for digits
CASED_WORDS = 30  # fewer words of letters do not show whether they are written without capitals
CAPITAL_SHARE = 0.01  # words with a capital, at most, in a paragraph that is written without capitals


def find_kind(sign: str) -> int:
    """Return the kind of a character; ``LETTER`` is a letter without case."""
    if sign.isdecimal():
        return DIGIT
    return CAPITAL if sign.isupper() else SMALL if sign.islower() else LETTER if sign.isalpha() else OTHER


ASCII = [chr(code) for code in range(128)]
KINDS = bytes(map(find_kind, ASCII)).ljust(256, b"\0")
LOWERED = "".join(sign.lower() if sign.isalnum() else " " for sign in ASCII).encode().ljust(256)


@dataclass(frozen=True, slots=True)
class Words:
    """Word ``i`` of a text is ``text[starts[i]:ends[i]]``, in lower case ``lowered[i]``, and ``kinds[i]`` is
    the kind of its first character."""

    starts: list[int]
    ends: list[int]
    lowered: list[str]
    kinds: bytes


def read_words(text: str) -> Words:
    """Return the words of a text: runs of letters, and runs of digits.

    >>> read_words("J. de Wit 3mg").lowered, read_words("J. de Wit 3mg").kinds
    (['j', 'de', 'wit', '3', 'mg'], b'\\x02\\x03\\x02\\x04\\x03')
    """
    return _read_ascii(text) if text.isascii() else _read_any(text)


def _read_ascii(text: str) -> Words:
    signs = text.encode("ascii")
    kinds = np.frombuffer(b"\0%b\0" % signs.translate(KINDS), np.uint8)
    halves = kinds >> 1
    edges = np.flatnonzero(halves[1:] != halves[:-1])
    is_start, is_end = halves[edges + 1] > 0, halves[edges] > 0
    lowered = signs.translate(LOWERED)
    if len(touching := edges[is_start & is_end]):  # the edge of letters and digits, as in 3mg
        lowered = _insert_blanks(lowered, touching.tolist())
    starts = edges[is_start]
    return Words(
        starts.tolist(), edges[is_end].tolist(), lowered.decode("ascii").split(), kinds[starts + 1].tobytes()
    )


def _insert_blanks(signs: bytes, places: list[int]) -> bytes:
    return b" ".join(signs[start:end] for start, end in zip([0, *places], [*places, len(signs)]))


def _read_any(text: str) -> Words:
    edges = [match.span() for match in WORD.finditer(text)]
    words = [text[start:end] for start, end in edges]
    kinds = bytes(find_kind(word[0]) for word in words)
    lowered = [word.lower() for word in words]
    return Words([start for start, _ in edges], [end for _, end in edges], lowered, kinds)


def find_caseless(text: str, words: Words) -> list[range]:
    """Return the paragraphs that are written without capitals, so that capitals have no meaning there, as
    ranges of the indices of their words.

    The paragraphs that are not in capitals only are judged together. If they have capitals, each paragraph of
    :data:`CASED_WORDS` words of letters is judged by itself.
    """
    counts = [(words_of, *_count_cases(words.kinds, words_of)) for words_of in split_paragraphs(text, words)]
    mixed = [count for count in counts if count[2] > CAPITAL_SHARE * (count[1] + count[2]) or not count[1]]
    if not _lack_capitals(sum(capitals for _, capitals, _ in mixed), sum(smalls for *_, smalls in mixed)):
        mixed = [count for count in mixed if _lack_capitals(count[1], count[2])]
    return [words_of for words_of, *_ in mixed]


def split_paragraphs(text: str, words: Words) -> list[range]:
    """Return the indices of the words of each paragraph. A blank line ends a paragraph."""
    firsts = [bisect_left(words.starts, match.end()) for match in BLANK_LINE.finditer(text)]
    return [range(a, b) for a, b in pairwise([0, *firsts, len(words.starts)]) if a < b]


def _count_cases(kinds: bytes, words: range) -> tuple[int, int]:
    return kinds.count(CAPITAL, words.start, words.stop), kinds.count(SMALL, words.start, words.stop)


def _lack_capitals(capitals: int, smalls: int) -> bool:
    letters = capitals + smalls
    return letters >= CASED_WORDS and capitals <= CAPITAL_SHARE * letters


@dataclass(frozen=True)
class Beside:
    """The numbers that a rule needs: one of the signs ``next`` directly behind the digits
    (:func:`sign_after`), one of ``before`` directly before them (:func:`sign_before`; "" is the start of
    the text), or a number of digits in ``lengths``, where :data:`LONGEST` is also more. The first of the
    three that is not empty counts; none: all numbers. A note has one of the lowercased ``words``, where
    there are any.

    >>> sorted(Beside(next="-/").next)
    ['-', '/']
    >>> Beside(lengths=[3, 7]) == Beside(lengths=(7, 3))
    True
    """

    next: Collection[str] = ()
    before: Collection[str] = ()
    lengths: Collection[int] = ()
    words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in ("next", "before", "lengths"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))


ALL = Beside()


@remember_words(SIGNS)
def sign_after(two: str) -> str:
    """Return the first of the ``two`` signs after a number; a blank with the sign after it, where "0" is any
    digit. At the end of the text there are fewer.

    >>> [sign_after(two) for two in ("rd", " 4", " m", "")]
    ['r', ' 0', ' m', '']
    """
    sign = two[:1]
    if sign != " ":
        return sign
    return " 0" if two[1:].isdecimal() else two


@remember_words(SIGNS)
def sign_before(two: str) -> str:
    """Return the last of the ``two`` signs before a number; a blank with a blank or a tab before it.

    >>> [sign_before(two) for two in ("x(", "a ", "  ", "\\t ", "")]
    ['(', ' ', '  ', '\\t ', '']
    """
    return two if two in ("  ", "\t ") else two[-1:]


def after_blank(signs: str) -> tuple[str, ...]:
    """Return the signs as :func:`sign_after` gives them after a blank."""
    return tuple(f" {sign}" for sign in signs)


def group_by(keys: Iterable[Key], values: Iterable[int]) -> Mapping[Key, list[int]]:
    """Return the values of each key, in order."""
    groups: dict[Key, list[int]] = {}
    for key, value in zip(keys, values):
        if key in groups:
            groups[key].append(value)
        else:
            groups[key] = [value]
    return groups


def chain_lists(groups: Mapping[Key, list[int]], keys: Collection[Key]) -> list[int]:
    """Return the values of those keys that the groups have. Groups are few.

    >>> chain_lists({"-": [4, 9], "/": [6], "": [12]}, ["/", ".", "-"])
    [4, 9, 6]
    """
    return [value for key, values in groups.items() if key in keys for value in values]


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
