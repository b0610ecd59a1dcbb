"""Find strings in a text however they are written.

Words are found as whole words, in any case, with marks and line breaks between them; names also beside
digits, split at the end of a line, and in spaced letters. Numbers are found by their digits and letters only,
however these are grouped ("447-19-02" is "4471902"), whole dates by their day.

A patient has few strings: they are looked for one by one (:mod:`text_index`). Where there are many, each
different word of the notes is looked at once (:class:`WordRoles`), and a search goes only through the places
of the words that play a role. The time of a search is in proportion to the text, however long or repetitive a
string is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.search import text_index
from crfdeid.redact.surrogates.search.search_strings import (
    MIN_GROUPED,
    NUMBERS,
    SearchString,
    find_days,
    list_starts,
)
from crfdeid.redact.surrogates.search.text_index import MAX_WORD, Range, TextIndex, WordRoles
from crfdeid.text.document import Span, keep_leftmost

GAP = regex.compile(r"[\W_]{1,60}")
MAX_NUMBER = 64  # characters of a number that is found however it is grouped
MIN_WITHIN = 4  # letters of a name that is also searched inside longer words
MIN_SPACED = 4  # letters of a name that is also searched in spaced letters
FEW = 64  # strings that are looked for one by one
LINE_END = re.compile(r"-[ \t]*\r?\n[ \t]*")
LETTER = re.compile(r"[^\W\d_]")
SPACED = re.compile(r"[ .][^\W\d_][ .][^\W\d_][ .]")  # is in all spaced letters
SPACED_WORD = re.compile(rf"(?<![^\W_])[^\W\d_](?:[ .][^\W\d_]){{{MIN_SPACED - 1},}}(?![^\W_])")

Words = tuple[str, ...]
StringPlace = tuple[Range, SearchString]


class Mention(NamedTuple):
    """An occurrence of a search string in a text."""

    span: Span
    string: SearchString


class Finder:
    """Finds strings in the texts of one patient. Up to ``few`` of them are looked for one by one."""

    def __init__(self, strings: Iterable[SearchString], few: int = FEW) -> None:
        self.numbers: dict[str, list[SearchString]] = defaultdict(list)
        self.phrases: dict[Words, list[SearchString]] = defaultdict(list)
        self.names: dict[str, list[SearchString]] = defaultdict(list)  # of a single word
        ordered = sorted(set(strings))
        for string in ordered:
            if is_number(string):
                self.numbers[string.words[0]].append(string)
                continue
            self.phrases[string.words].append(string)
            if is_word(string):
                self.names[string.words[0]].append(string)
        self.firsts: dict[str, list[SearchString]] = defaultdict(list)  # phrases by their first word
        for words, strings in self.phrases.items():
            self.firsts[words[0]] += strings
        self.inner = [s for s in ordered if kinds.kind_of(s.type) == kinds.NAME and is_searched_in_words(s)]
        self.years = {words[0][:2] for words in self.phrases if "-" in words[0]}  # of whole dates
        self.is_few = len(self.firsts) + len(self.numbers) <= few

    @cached_property
    def sizes(self) -> dict[str, set[int]]:
        """How many words the phrases with this first word have."""
        return {first: {len(string.words) for string in strings} for first, strings in self.firsts.items()}

    @cached_property
    def roles(self) -> WordRoles:
        inner = [string.words[0] for string in self.inner]
        return WordRoles(self.firsts, self.names, self.numbers, inner)

    def find_mentions(self, index: TextIndex, taken: Sequence[int] = b"") -> list[Mention]:
        """Find the mentions in order, without overlaps and outside the ``taken`` characters. ``taken`` has an
        entry per character of the text, or none at all."""
        normalized, found = index.normalized, []
        for (start, end), string in self._find_places(index):
            start, end = normalized.find_original_range(start, end)
            if has_capitals(index.text[start:end], string) and not (taken and any(taken[start:end])):
                found.append(Mention(Span(start, end, string.type), string))
        # Of those that start at the same offset one; none that overlaps an earlier one.
        found.sort(key=rank_mention)
        return keep_leftmost(found, lambda mention: mention.span)

    def _find_places(self, index: TextIndex) -> Iterator[StringPlace]:
        """Yield the places of all strings."""
        low = index.low
        yield from self._scan(index) if self.is_few else self._walk(index)
        if self.names:
            for start, end in (*find_split_words(index), *find_spaced_words(index)):
                word = "".join(LETTER.findall(low[start:end]))
                yield from (((start, end), string) for string in self.names.get(word, ()))
        if any(year in low for year in self.years):
            for place, keys in find_days(low, list_starts(low)):
                yield from ((place, string) for key in keys for string in self.phrases.get((key,), ()))

    def _scan(self, index: TextIndex) -> Iterator[StringPlace]:
        """Yield the places of phrases and numbers, string by string."""
        low = index.low
        for first in [first for first in self.firsts if first in low]:
            for place in text_index.find_words(low, first):
                yield from match_phrases(low, place, self.firsts[first])
            if first in self.names:
                for place in text_index.find_beside_digits(low, first):
                    yield from self._list_beside_digits(place, first)
        for number, strings in self.numbers.items():
            for at in text_index.find_number_starts(index, number):
                yield from place_number(index, at, len(number), strings)

    def _walk(self, index: TextIndex) -> Iterator[StringPlace]:
        """Yield the places of phrases and numbers, word by word."""
        low, words = index.low, index.words
        for n in self.roles.find_hits(index):
            word, start = words[n], index.runs[n][0]
            for size in self.sizes.get(word, ()):
                yield from match_phrases(low, index.runs[n], self.phrases.get(tuple(words[n : n + size]), ()))
            for at, name in self.roles.beside_digits.get(word, ()):
                yield from self._list_beside_digits((start + at, start + at + len(name)), name)
            for at, sizes in self.roles.numbers.get(word, ()):
                first = index.starts[n] + at
                for number in {index.squeezed[first : first + size] for size in sizes}:
                    yield from place_number(index, first, len(number), self.numbers.get(number, ()))

    def _list_beside_digits(self, place: Range, name: str) -> Iterator[StringPlace]:
        """Yield a name that touches digits; it must have capitals ("30990453SMITH")."""
        for string in self.names[name]:
            yield place, string._replace(capitals=string.capitals or "first")

    def find_in_words(self, index: TextIndex) -> list[tuple[Mention, str]]:
        """Find the mentions of names inside longer words, name by name, each with that word."""
        found = self._scan_words(index) if self.is_few else self._walk_words(index)
        return [(self._make_mention(index, number, at), word) for number, at, word in sorted(found)]

    def _scan_words(self, index: TextIndex) -> Iterator[tuple[int, int, str]]:
        """Yield the number of a name, its offset, and the word that holds it; name by name."""
        for number, string in enumerate(self.inner):
            for at, word in text_index.find_inside(index.low, string.words[0]):
                yield number, at, word

    def _walk_words(self, index: TextIndex) -> Iterator[tuple[int, int, str]]:
        """Yield the same, word by word."""
        for n in self.roles.find_inside(index):
            for number, at in self.roles.inside[index.words[n]]:
                (start, end), size = index.runs[n], self.inner[number].size
                at += start
                start, end = max(start, at - MAX_WORD), min(end, at + max(size, MAX_WORD))
                if end - start > size:
                    yield number, at, index.low[start:end]

    def _make_mention(self, index: TextIndex, number: int, at: int) -> Mention:
        string = self.inner[number]
        return Mention(Span(*index.normalized.find_original_range(at, at + string.size), string.type), string)


def rank_mention(mention: Mention) -> tuple[int, int, bool, SearchString]:
    """A sort key: by offset, then the longest, names before places, and the string."""
    span, string = mention
    return span.start, -span.end, kinds.kind_of(string.type) != kinds.NAME, string


def is_number(string: SearchString) -> bool:
    """Whether a string is found however it is grouped."""
    is_code = kinds.kind_of(string.type) in NUMBERS and len(string.words) == 1 and not string.derived
    return is_code and len(string.words[0]) <= MAX_NUMBER


def is_word(string: SearchString) -> bool:
    """Whether a string is a single word of a name."""
    return len(string.words) == 1 and kinds.kind_of(string.type) == kinds.NAME


def find_split_words(index: TextIndex) -> Iterator[Range]:
    """Yield the ranges of words that a hyphen splits at the end of a line."""
    for match in LINE_END.finditer(index.low):
        before = bisect_right(index.runs, (match.start(),)) - 1
        if 0 <= before < len(index.runs) - 1:
            (start, end), (next, last) = index.runs[before], index.runs[before + 1]
            if (end, next) == match.span():
                yield start, last


def find_spaced_words(index: TextIndex) -> Iterator[Range]:
    """Yield the ranges of single letters with a space or point between each two: ``o k a f o r``."""
    if SPACED.search(index.low):
        yield from (match.span() for match in SPACED_WORD.finditer(index.low))


def is_searched_in_words(string: SearchString) -> bool:
    """Whether a string is distinctive enough to be searched inside longer words."""
    is_plain_word = len(string.words) == 1 and not string.derived and not string.capitals
    return is_plain_word and string.size >= MIN_WITHIN


def match_phrases(low: str, first: Range, strings: Iterable[SearchString]) -> Iterator[StringPlace]:
    """Yield the strings whose first word is here, where their other words follow."""
    start, end = first
    for string in strings:
        if (last := match_further_words(low, end, string)) is not None:
            yield (start, last), string


def match_further_words(low: str, at: int, string: SearchString) -> int | None:
    """Return the end of the string whose first word ends at ``at``; None if its other words do not follow."""
    first, *further = string.words
    is_date = kinds.kind_of(string.type) == kinds.DATE and first.isdigit() and all(map(str.isdigit, further))
    for word in further:
        gap = GAP.match(low, at)
        if not gap or not may_separate(gap[0], is_date) or not low.startswith(word, gap.end()):
            return None
        at = gap.end() + len(word)
    return None if low[at : at + 1].isalnum() else at


@lru_cache(maxsize=10_000)
def may_separate(gap: str, is_date: bool) -> bool:
    """Whether ``gap`` may occur between the words of a string: a single mark in a numeric date, otherwise at
    most two marks and one line break."""
    marks = "".join(gap.split())
    if is_date:
        return marks in ("/", "-", ".", "–") and len(gap) <= 3
    return len(marks) <= 2 and gap.count("\n") <= 1


def has_capitals(text: str, string: SearchString) -> bool:
    """Whether ``text`` has the capitals that the string requires."""
    if string.capitals == "all":
        return text.isupper()
    letter = LETTER.search(text) if string.capitals else None
    return not letter or letter[0].isupper()


def place_number(
    index: TextIndex, at: int, size: int, strings: Iterable[SearchString]
) -> Iterator[StringPlace]:
    """Yield the strings of a number of ``size`` characters that begins at ``at`` of the joined words."""
    if strings and (place := locate_number(index.low, index.places[at : at + size].tolist())):
        yield from ((place, string) for string in strings)


def locate_number(low: str, places: Sequence[int]) -> Range | None:
    """The range in ``low`` of a number whose characters have these offsets. None if the characters around or
    between them show that it is another number."""
    start, end = places[0], places[-1] + 1
    for last, next in pairwise(places):
        if next > last + 1 and not may_group(low[last + 1 : next], low[last], low[next], len(places)):
            return None
    continues = (start and low[start - 1].isalnum() and are_alike(low[start - 1], low[start])) or (
        low[end : end + 1].isalnum() and are_alike(low[end - 1], low[end])
    )
    return None if continues else (start, end)


def may_group(gap: str, before: str, after: str, size: int) -> bool:
    """Whether ``gap`` may group a number of ``size`` characters: marks may, and spaces between digits."""
    if size < MIN_GROUPED:
        return gap == "-"
    has_space = any(c.isspace() for c in gap)
    return len(gap) <= 3 and not (has_space and not (before.isdigit() and after.isdigit()))


def are_alike(a: str, b: str) -> bool:
    """Whether both characters are digits, or neither is."""
    return a.isdigit() == b.isdigit()
