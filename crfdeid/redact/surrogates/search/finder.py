"""Find strings in a text however they are written.

Words are found as whole words, in any case, with marks and line breaks between them; names also beside
digits, split at the end of a line, and in spaced letters. Numbers are found by their digits and letters only,
however these are grouped ("447-19-02" is "4471902"), whole dates by their day.

A text has many words and a patient few strings. So each different word of a patient's notes is looked at
once (:class:`WordRoles`), and a search goes only through the places of the words that play a role. The time
of a search is in proportion to the text, however long or repetitive a string is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.search.days import find_days
from crfdeid.redact.surrogates.search.search_strings import MIN_GROUPED, NUMBERS, SearchString
from crfdeid.redact.surrogates.search.text_index import Range, TextIndex
from crfdeid.redact.surrogates.search.word_roles import MAX_WORD, WordRoles
from crfdeid.text.document import Span
from crfdeid.text.spans import keep_leftmost

GAP = regex.compile(r"[\W_]{1,60}")
MAX_NUMBER = 64  # characters of a number that is found however it is grouped
MIN_WITHIN = 4  # letters of a name that is also searched inside longer words
MIN_SPACED = 4  # letters of a name that is also searched in spaced letters
LINE_END = re.compile(r"-[ \t]*\r?\n[ \t]*")
LETTER = re.compile(r"[^\W\d_]")
SPACED = re.compile(r"[ .][^\W_][ .][^\W_][ .]")  # is in all spaced letters

Words = tuple[str, ...]
Place = tuple[Range, SearchString]


class Mention(NamedTuple):
    """An occurrence of a search string in a text."""

    span: Span
    string: SearchString


class Finder:
    """Finds strings in the texts of one patient."""

    def __init__(self, strings: Iterable[SearchString]) -> None:
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
        self.sizes: dict[str, set[int]] = defaultdict(set)  # words of the phrases with this first word
        for words in self.phrases:
            self.sizes[words[0]].add(len(words))
        self.inner = [s for s in ordered if kinds.kind_of(s.type) == kinds.NAME and is_searched_in_words(s)]
        inner_words = [string.words[0] for string in self.inner]
        has_days = any("-" in first for first in self.sizes)
        self.roles = WordRoles(self.sizes, self.names, self.numbers, inner_words, has_days)

    def find_mentions(self, index: TextIndex, taken: Sequence[int] = b"") -> list[Mention]:
        """Find the mentions in order, without overlaps and outside the ``taken`` characters. ``taken`` has an
        entry per character of the text, or none at all."""
        normalized, found = index.normalized, []
        for (start, end), string in self._find_places(index):
            start, end = normalized.find_original_range(start, end)
            if has_capitals(index.text[start:end], string) and not (taken and any(taken[start:end])):
                found.append(Mention(Span(start, end, string.type), string))
        # The longest of those that start at the same offset, and none that overlaps an earlier one.
        found.sort(key=lambda mention: (mention.span.start, -mention.span.end, mention.string))
        return keep_leftmost(found, lambda mention: mention.span)

    def _find_places(self, index: TextIndex) -> Iterator[Place]:
        """Yield the places of all strings."""
        low = index.low
        hits = self.roles.find_hits(index)
        yield from self._find_phrases(index, hits)
        yield from self._find_numbers(index, hits)
        for start, end in (*find_split_words(index), *find_spaced_words(index)):
            word = "".join(LETTER.findall(low[start:end]))
            yield from (((start, end), string) for string in self.names.get(word, ()))
        if self.roles.days:
            starts = (index.runs[n][0] for n in hits if index.words[n] in self.roles.days)
            for place, keys in find_days(low, starts):
                yield from ((place, string) for key in keys for string in self.phrases.get((key,), ()))

    def _find_phrases(self, index: TextIndex, hits: Sequence[int]) -> Iterator[Place]:
        low, words = index.low, index.words
        for n in hits:
            if sizes := self.sizes.get(words[n]):
                start, end = index.runs[n]
                for size in sizes:
                    for string in self.phrases.get(tuple(words[n : n + size]), ()):
                        if (last := match_further_words(low, end, string)) is not None:
                            yield (start, last), string
            else:
                yield from self._find_beside_digits(words[n], index.runs[n][0])

    def _find_beside_digits(self, word: str, start: int) -> Iterator[Place]:
        """Yield the names that touch digits; they must have capitals ("30990453SMITH")."""
        for at, name in self.roles.beside_digits.get(word, ()):
            place = (start + at, start + at + len(name))
            for string in self.names[name]:
                yield place, string._replace(capitals=string.capitals or "first")

    def _find_numbers(self, index: TextIndex, hits: Sequence[int]) -> Iterator[Place]:
        for n in hits:
            for at, sizes in self.roles.numbers.get(index.words[n], ()):
                start = index.starts[n] + at
                for number in {index.squeezed[start : start + size] for size in sizes}:
                    if strings := self.numbers.get(number):
                        place = locate_number(index.low, index.runs, index.starts, start, len(number))
                        yield from ((place, string) for string in strings if place)

    def find_in_words(self, index: TextIndex) -> list[tuple[Mention, str]]:
        """Find the mentions of names inside longer words, name by name, each with that word."""
        found = []
        for n in self.roles.find_inside(index):
            for number, at in self.roles.inside[index.words[n]]:
                (start, end), size = index.runs[n], self.inner[number].size
                at += start
                start, end = max(start, at - MAX_WORD), min(end, at + max(size, MAX_WORD))
                if end - start > size:
                    found.append((number, at, index.low[start:end]))
        return [(self._make_mention(index, number, at), word) for number, at, word in sorted(found)]

    def _make_mention(self, index: TextIndex, number: int, at: int) -> Mention:
        string = self.inner[number]
        return Mention(Span(*index.normalized.find_original_range(at, at + string.size), string.type), string)


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
        before = bisect_right(index.runs, (match.start(), 0)) - 1
        if 0 <= before < len(index.runs) - 1:
            (start, end), (next, last) = index.runs[before], index.runs[before + 1]
            if (end, next) == match.span():
                yield start, last


def find_spaced_words(index: TextIndex) -> Iterator[Range]:
    """Yield the ranges of single letters with a space or point between each two: ``o k a f o r``."""
    low = index.low
    if not SPACED.search(low):
        return
    letters = [run for run in index.runs if run[1] - run[0] == 1 and low[run[0]].isalpha()]
    first = 0
    for number, (_, end) in enumerate(letters):
        is_last = letters[number + 1 : number + 2] != [(end + 1, end + 2)] or low[end] not in " ."
        if is_last and number - first + 1 >= MIN_SPACED:
            yield letters[first][0], end
        first = number + 1 if is_last else first


def is_searched_in_words(string: SearchString) -> bool:
    """Whether a string is distinctive enough to be searched inside longer words."""
    is_plain_word = len(string.words) == 1 and not string.derived and not string.capitals
    return is_plain_word and string.size >= MIN_WITHIN


def match_further_words(low: str, at: int, string: SearchString) -> int | None:
    """Return the end of the string whose first word ends at ``at``; None if its other words do not follow."""
    for word in string.words[1:]:
        gap = GAP.match(low, at)
        if not gap or not may_separate(gap[0], string) or not low.startswith(word, gap.end()):
            return None
        at = gap.end() + len(word)
    return None if low[at : at + 1].isalnum() else at


def may_separate(gap: str, string: SearchString) -> bool:
    """Whether ``gap`` may occur between the words of a string: a single mark in a numeric date, otherwise at
    most two marks and one line break."""
    marks = "".join(gap.split())
    if kinds.kind_of(string.type) == kinds.DATE and all(word.isdigit() for word in string.words):
        return marks in ("/", "-", ".", "–") and len(gap) <= 3
    return len(marks) <= 2 and gap.count("\n") <= 1


def has_capitals(text: str, string: SearchString) -> bool:
    """Whether ``text`` has the capitals that the string requires."""
    if string.capitals == "all":
        return text.isupper()
    return not string.capitals or text[:1].isupper()


def locate_number(low: str, runs: Sequence[Range], starts: Sequence[int], at: int, size: int) -> Range | None:
    """The range in ``low`` of a number of ``size`` characters. ``runs`` are the ranges of letters and
    digits in ``low``, and ``starts`` their offsets when they are joined; the number begins at ``at`` of
    the joined runs. None if the characters around or between the runs show that it is another number."""
    first, last = bisect_right(starts, at) - 1, bisect_right(starts, at + size - 1) - 1
    start = runs[first][0] + at - starts[first]
    end = runs[last][0] + at + size - starts[last]
    for before, after in pairwise(runs[first : last + 1]):
        if not may_group(low[before[1] : after[0]], low[before[1] - 1], low[after[0]], size):
            return None
    continues = (start > runs[first][0] and are_alike(low[start - 1], low[start])) or (
        end < runs[last][1] and are_alike(low[end - 1], low[end])
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
