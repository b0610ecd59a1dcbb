"""Finding strings of a patient in a text, however they are written there.

Words are found whole, in any case, with any marks and line breaks between them; numbers by their
digits and letters alone, however they are grouped ("447-19-02" is "4471902").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.normalized import plain
from crfdeid.redact.surrogates.search.digit_groups import grouped
from crfdeid.text.document import Span

RUN = regex.compile(r"[^\W_]+")
GAP = regex.compile(r"[\W_]{1,60}")
LONGEST_WORD = 60
LEAST_WITHIN = 4  # letters of a name that is looked for in longer words
NUMBERS = (kinds.IDENTIFIER, kinds.PHONE, kinds.EMAIL, kinds.URL, kinds.IP, kinds.USERNAME, kinds.ZIP)


class SearchString(NamedTuple):
    """What is looked for. ``words`` are plain; those of a number are one. ``written`` says how its
    capitals must stand: ``""`` in any way, ``all`` or ``first``. ``root`` is the word that decides
    whether it is an ordinary one. ``derived``: not found itself, but made of what was."""

    words: tuple[str, ...]
    type: str
    written: str = ""
    root: str = ""
    derived: bool = False

    @property
    def size(self) -> int:
        return sum(map(len, self.words))


class Mention(NamedTuple):
    span: Span
    string: SearchString


class Finder:
    def __init__(self, strings: Iterable[SearchString]) -> None:
        chosen = sorted(set(strings))
        self.numbers = [s for s in chosen if is_number(s)]
        self.names = [s for s in chosen if kinds.of(s.type) == kinds.NAME and within_words(s)]
        starts: dict[str, list[SearchString]] = defaultdict(list)
        for string in chosen:
            if not is_number(string):
                starts[string.words[0]].append(string)
        self.starts = {first: sorted(found, key=lambda s: -s.size) for first, found in starts.items()}

    def sights(self, text: str, taken: Sequence[int] = b"") -> list[Mention]:
        """In order, none overlapping another, or a place that is ``taken`` (a mark for each character)."""
        read = plain(text)
        runs = [match.span() for match in RUN.finditer(read.text)]
        found = []
        for (start, end), string in (*self.of_words(read.text, runs), *self.of_numbers(read.text, runs)):
            start, end = read.written(start, end)
            if fits(text[start:end], string) and not (taken and any(taken[start:end])):
                found.append(Mention(Span(start, end, string.type), string))
        return apart(found)

    def of_words(
        self, low: str, runs: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], SearchString]]:
        for start, end in runs:
            for string in self.starts.get(low[start:end], ()):
                if (last := follows(low, end, string)) is not None:
                    yield (start, last), string

    def of_numbers(
        self, low: str, runs: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], SearchString]]:
        if not self.numbers:
            return
        squeezed = "".join([low[start:end] for start, end in runs])
        firsts = [0, *accumulate(end - start for start, end in runs)]
        for string in self.numbers:
            at = squeezed.find(string.words[0])
            while at >= 0:
                if place := grouped(low, runs, firsts, at, string.size):
                    yield place, string
                at = squeezed.find(string.words[0], at + 1)

    def within(self, text: str) -> Iterator[tuple[Mention, str]]:
        """Where a name is a part of a longer word, and that word."""
        read = plain(text)
        for string in self.names:
            at = read.text.find(string.words[0])
            while at >= 0:
                start, end = at, at + string.size
                while start and at - start < LONGEST_WORD and read.text[start - 1].isalnum():
                    start -= 1
                while end - at < LONGEST_WORD and read.text[end : end + 1].isalnum():
                    end += 1
                if end - start > string.size:
                    span = Span(*read.written(at, at + string.size), string.type)
                    yield Mention(span, string), read.text[start:end]
                at = read.text.find(string.words[0], at + string.size)


def is_number(string: SearchString) -> bool:
    """Whether a string is found however it is grouped."""
    return kinds.of(string.type) in NUMBERS and len(string.words) == 1 and not string.derived


def within_words(string: SearchString) -> bool:
    """Whether a string is told from other letters where it is a part of a longer word."""
    whole = len(string.words) == 1 and not string.derived and not string.written
    return whole and string.size >= LEAST_WITHIN


def apart(found: list[Mention]) -> list[Mention]:
    """The longest at each place."""
    kept: list[Mention] = []
    for sight in sorted(found, key=lambda s: (s.span.start, -s.span.end, s.string)):
        if not kept or kept[-1].span.end <= sight.span.start:
            kept.append(sight)
    return kept


def follows(low: str, at: int, string: SearchString) -> int | None:
    """Where the string ends whose first word ends at ``at``; None where its other words do not follow."""
    for word in string.words[1:]:
        gap = GAP.match(low, at)
        if not gap or not parts(gap[0], string) or not low.startswith(word, gap.end()):
            return None
        at = gap.end() + len(word)
    return None if low[at : at + 1].isalnum() else at


def parts(gap: str, string: SearchString) -> bool:
    """Whether ``gap`` may stand between the words of a string. Of a date in numbers it is a mark."""
    marks = "".join(gap.split())
    if kinds.of(string.type) == kinds.DATE and all(word.isdigit() for word in string.words):
        return marks in ("/", "-", ".", "–") and len(gap) <= 3
    return len(marks) <= 2 and gap.count("\n") <= 1


def fits(written: str, string: SearchString) -> bool:
    if string.written == "all":
        return written.isupper()
    return not string.written or written[:1].isupper()
