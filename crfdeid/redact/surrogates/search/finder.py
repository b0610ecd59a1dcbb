"""Find strings in a text however they are written.

Words are found as whole words, in any case, with marks and line breaks between them; names also beside
digits, split at the end of a line, and in spaced letters. Numbers are found by their digits and letters only,
however these are grouped ("447-19-02" is "4471902"), whole dates by their day.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.search.days import find_days
from crfdeid.redact.surrogates.search.search_strings import MIN_GROUPED, NUMBERS, RUN, SearchString
from crfdeid.redact.surrogates.text_forms import normalize
from crfdeid.text.document import Span
from crfdeid.text.spans import keep_leftmost

GAP = regex.compile(r"[\W_]{1,60}")
MAX_WORD = 60
MIN_WITHIN = 4  # letters of a name that is also searched inside longer words
MIN_SPACED = 4  # letters of a name that is also searched in spaced letters
LINE_END = re.compile(r"-[ \t]*\r?\n[ \t]*")
LETTER, LETTERS = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_]{2,}")

Range = tuple[int, int]


class Mention(NamedTuple):
    """An occurrence of a search string in a text."""

    span: Span
    string: SearchString


class Finder:
    """Finds strings in texts."""

    def __init__(self, strings: Iterable[SearchString]) -> None:
        ordered = sorted(set(strings))
        self.numbers = [s for s in ordered if is_number(s)]
        self.names = [s for s in ordered if kinds.kind_of(s.type) == kinds.NAME and is_searched_in_words(s)]
        by_first_word: dict[str, list[SearchString]] = defaultdict(list)
        for string in ordered:
            if not is_number(string):
                by_first_word[string.words[0]].append(string)
        self.by_first_word = {
            first: sorted(strings, key=lambda s: -s.size) for first, strings in by_first_word.items()
        }
        self.has_days = any("-" in first for first in by_first_word)

    def find_mentions(self, text: str, taken: Sequence[int] = b"") -> list[Mention]:
        """Find the mentions in order, without overlaps and outside the ``taken`` characters. ``taken`` has an
        entry per character of ``text``, or none at all."""
        normalized = normalize(text)
        low, runs = normalized.text, [match.span() for match in RUN.finditer(normalized.text)]
        found = []
        for (start, end), string in self._find_places(low, runs):
            start, end = normalized.find_original_range(start, end)
            if has_capitals(text[start:end], string) and not (taken and any(taken[start:end])):
                found.append(Mention(Span(start, end, string.type), string))
        # The longest of those that start at the same offset, and none that overlaps an earlier one.
        found.sort(key=lambda mention: (mention.span.start, -mention.span.end, mention.string))
        return keep_leftmost(found, lambda mention: mention.span)

    def _find_places(self, low: str, runs: Sequence[Range]) -> Iterator[tuple[Range, SearchString]]:
        """Yield the places of all strings. ``runs`` are the ranges of letters and digits in ``low``."""
        yield from self._find_words(low, runs)
        yield from self._find_numbers(low, runs)
        for start, end in (*find_split_words(low, runs), *find_spaced_words(low, runs)):
            word = "".join(LETTER.findall(low[start:end]))
            yield from (
                ((start, end), string) for string in self.by_first_word.get(word, ()) if is_word(string)
            )
        if self.has_days:
            for place, keys in find_days(low, [start for start, _ in runs]):
                yield from ((place, string) for key in keys for string in self.by_first_word.get(key, ()))

    def _find_words(self, low: str, runs: Iterable[Range]) -> Iterator[tuple[Range, SearchString]]:
        for start, end in runs:
            word = low[start:end]
            if strings := self.by_first_word.get(word):
                for string in strings:
                    if (last := match_further_words(low, end, string)) is not None:
                        yield (start, last), string
            elif not word.isalpha() and not word.isdecimal():
                yield from self._find_beside_digits(low, start, end)

    def _find_beside_digits(self, low: str, start: int, end: int) -> Iterator[tuple[Range, SearchString]]:
        """Yield the names that touch digits; they must have capitals ("30990453SMITH")."""
        for match in LETTERS.finditer(low, start, end):
            for string in self.by_first_word.get(match[0], ()):
                if is_word(string):
                    yield match.span(), string._replace(capitals=string.capitals or "first")

    def _find_numbers(self, low: str, runs: Sequence[Range]) -> Iterator[tuple[Range, SearchString]]:
        if not self.numbers:
            return
        squeezed = "".join([low[start:end] for start, end in runs])
        starts = [0, *accumulate(end - start for start, end in runs)]
        for string in self.numbers:
            at = squeezed.find(string.words[0])
            while at >= 0:
                if place := locate_number(low, runs, starts, at, string.size):
                    yield place, string
                at = squeezed.find(string.words[0], at + 1)

    def find_in_words(self, text: str) -> Iterator[tuple[Mention, str]]:
        """Yield the mentions of names inside longer words, each with that word."""
        normalized = normalize(text)
        low = normalized.text
        for string in self.names:
            at = low.find(string.words[0])
            while at >= 0:
                start, end = at, at + string.size
                while start and at - start < MAX_WORD and low[start - 1].isalnum():
                    start -= 1
                while end - at < MAX_WORD and low[end : end + 1].isalnum():
                    end += 1
                if end - start > string.size:
                    span = Span(*normalized.find_original_range(at, at + string.size), string.type)
                    yield Mention(span, string), low[start:end]
                at = low.find(string.words[0], at + string.size)


def is_number(string: SearchString) -> bool:
    """Whether a string is found however it is grouped."""
    return kinds.kind_of(string.type) in NUMBERS and len(string.words) == 1 and not string.derived


def is_word(string: SearchString) -> bool:
    """Whether a string is a single word of a name."""
    return len(string.words) == 1 and kinds.kind_of(string.type) == kinds.NAME


def find_split_words(low: str, runs: Sequence[Range]) -> Iterator[Range]:
    """Yield the ranges of words that a hyphen splits at the end of a line."""
    for match in LINE_END.finditer(low):
        before = bisect_right(runs, (match.start(), 0)) - 1
        if 0 <= before < len(runs) - 1:
            (start, end), (next, last) = runs[before], runs[before + 1]
            if (end, next) == match.span():
                yield start, last


def find_spaced_words(low: str, runs: Sequence[Range]) -> Iterator[Range]:
    """Yield the ranges of single letters with a space or point between each two: ``o k a f o r``."""
    letters = [run for run in runs if run[1] - run[0] == 1 and low[run[0]].isalpha()]
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
