"""What is searched for in a patient's notes, and the finder of these strings however they are written.

Words are found as whole words, in any case, with marks and line breaks between them. Numbers are found by
their digits and letters only, however these are grouped ("447-19-02" is "4471902").
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.names import PARTICLES, SUFFIXES
from crfdeid.redact.surrogates.text_forms import WORD, fold, normalize, split_possessive
from crfdeid.text import ages
from crfdeid.text.document import Span
from crfdeid.text.spans import keep_leftmost

RUN = regex.compile(r"[^\W_]+")
GAP = regex.compile(r"[\W_]{1,60}")
MAX_WORD = 60
MIN_WITHIN = 4  # letters of a name that is also searched inside longer words
MIN_GROUPED = 6  # a shorter number is found only as it was written, or with hyphens
LAST_FOUR = 4
NUMBERS = (kinds.IDENTIFIER, kinds.PHONE, kinds.EMAIL, kinds.URL, kinds.IP, kinds.USERNAME, kinds.ZIP)
NEVER_SEARCHED = PARTICLES | SUFFIXES

Range = tuple[int, int]


class SearchString(NamedTuple):
    """A string to search for. ``words`` are normalized; a number is a single word. ``capitals`` says
    which letters must be capitals: ``""`` none, ``all``, or ``first``. ``root`` is the word that decides
    whether the string is an ordinary word. A ``derived`` string was not found itself but follows from
    one that was."""

    words: tuple[str, ...]
    type: str
    capitals: str = ""
    root: str = ""
    derived: bool = False

    @property
    def size(self) -> int:
        return sum(map(len, self.words))


class Mention(NamedTuple):
    """An occurrence of a search string in a text."""

    span: Span
    string: SearchString


# The strings that follow from a found text


def derive_strings(text: str, type: str) -> Iterator[SearchString]:
    """Yield the strings to search for after ``text`` was found with this type."""
    kind = kinds.kind_of(type)
    if kind == kinds.NAME:
        yield from derive_names(text, type)
    elif kind == kinds.AGE:
        yield from derive_old_ages(text, type)
    elif kind in NUMBERS:
        yield from derive_numbers(RUN.findall(normalize(text).text), type, kind)
    elif not (kind == kinds.DATE and DateShifter.is_weekday_or_season(text)):  # those may be kept
        words = tuple(RUN.findall(normalize(text).text))
        core = text.strip()
        is_acronym = core.isupper() and core.isalpha() and len(core) < 6
        if words:
            yield SearchString(words, type, "all" if is_acronym else "", words[0] if len(words) == 1 else "")


def derive_names(text: str, type: str) -> Iterator[SearchString]:
    """Yield each word of a name, its plural, its nicknames, and the first names it may be a nickname of."""
    for match in WORD.finditer(text):
        word, _ = split_possessive(match[0])
        words, low = tuple(RUN.findall(normalize(word).text)), fold(word)
        if len(low) < 2 or low in NEVER_SEARCHED or low in name_pools.load_lowercase("titles") or not words:
            continue
        yield SearchString(words, type, "all" if len(word) < 4 and word.isupper() else "", low)
        if len(low) > 2:
            ending = "es" if low[-1] in "sxz" else "s"
            yield SearchString((*words[:-1], words[-1] + ending), type, "first", low, True)
        for other in (*name_pools.load_nicknames().get(low, ()), *name_pools.load_full_names().get(low, ())):
            yield SearchString((fold(other),), type, "", fold(other), True)


def derive_old_ages(text: str, type: str) -> Iterator[SearchString]:
    """Yield the words and numbers of an age over 89; younger ages may be kept."""
    if ages.generalise_age(text) not in (text, None):
        for match in (*ages.OLD.finditer(text), *ages.NUMBER.finditer(text)):
            if not match[0].isdecimal() or int(match[0]) > ages.OLDEST:
                yield SearchString(tuple(RUN.findall(normalize(match[0]).text)), type, derived=True)


def derive_numbers(groups: list[str], type: str, kind: str) -> Iterator[SearchString]:
    """Yield a number, a short number also as it is grouped, and the last four digits of an identifier."""
    text = "".join(groups)
    if text:
        yield SearchString((text,), type)
    if len(groups) > 1 and len(text) < MIN_GROUPED:
        yield SearchString(tuple(groups), type)
    if kind == kinds.IDENTIFIER and len(text) > LAST_FOUR + 2 and text[-LAST_FOUR:].isdigit():
        yield SearchString((text[-LAST_FOUR:],), type, derived=True)


# Finding them


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

    def find_mentions(self, text: str, taken: Sequence[int] = b"") -> list[Mention]:
        """Find the mentions in order, without overlaps and outside the ``taken`` characters. ``taken`` has an
        entry per character of ``text``, or none at all."""
        normalized = normalize(text)
        low, runs = normalized.text, [match.span() for match in RUN.finditer(normalized.text)]
        found = []
        for (start, end), string in (*self._find_words(low, runs), *self._find_numbers(low, runs)):
            start, end = normalized.find_original_range(start, end)
            if has_capitals(text[start:end], string) and not (taken and any(taken[start:end])):
                found.append(Mention(Span(start, end, string.type), string))
        # The longest of those that start at the same offset, and none that overlaps an earlier one.
        found.sort(key=lambda mention: (mention.span.start, -mention.span.end, mention.string))
        return keep_leftmost(found, lambda mention: mention.span)

    def _find_words(self, low: str, runs: Iterable[Range]) -> Iterator[tuple[Range, SearchString]]:
        for start, end in runs:
            for string in self.by_first_word.get(low[start:end], ()):
                if (last := match_further_words(low, end, string)) is not None:
                    yield (start, last), string

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
