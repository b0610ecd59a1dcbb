"""A note as rules see it, and what a rule is.

A note is read once into words and indexed by their lowercased text, so that a rule visits only the places
where one of its words occurs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from crfdeid.rules.beside import ALL, LONGEST, Beside, chain_lists, group_by, sign_after
from crfdeid.rules.lists import Entries, Lists
from crfdeid.rules.words import find_edges
from crfdeid.text.document import Span

Edges = tuple[int, int]  # half-open offsets

HEADER = 400  # characters at the top of a note that can hold the note's own date
CENTURY = r"(?:18|19|20|21)\d\d"
HEADER_YEAR = re.compile(
    rf"(?<![\d./-])(?:(?P<iso>{CENTURY})-\d\d?-\d\d?|\d\d?[/-]\d\d?[/-](?P<us>{CENTURY}))(?!\d)"
)
BORN = re.compile(r"(?:dob|birth|born)\W*\Z", re.IGNORECASE)
CASED_WORDS = 30  # fewer words do not show whether a note is written without capitals
CAPITAL_SHARE = 0.01  # words with a capital, at most, in a note that is written without capitals
EARLIEST, LATEST = 1880, 2199  # surrogate dates can be in the future
YEARS_BEFORE, YEARS_AFTER = 120, 10  # years around the year in the header that a note can mention

PLACE_GAP = re.compile(
    r"[ \t]{1,2}|[-'.&/]|\.? ?[-'&]? ?|\. {1,2}"
)  # between the words of one name of a place
NAME_GAP = re.compile(r" {1,2}|[-']|\. ?")  # between the words of one person's name


class Note:
    """The words of ``text``: word ``i`` is ``text[starts[i]:ends[i]]``; ``indices`` gives the places of each
    lowercased word."""

    def __init__(self, text: str) -> None:
        self.text = text
        edges = find_edges(text)
        self.starts, self.ends, self.numbers = edges.starts, edges.ends, edges.numbers
        self._capitals, self._smalls = edges.capitals, edges.smalls
        self.words = [text[start:end] for start, end in zip(self.starts, self.ends)]
        self.lowered = self._lower_words()
        places: defaultdict[str, list[int]] = defaultdict(list)
        for index, word in enumerate(self.lowered):
            places[word].append(index)
        self.indices = dict(places)
        self.vocabulary = frozenset(places)

    def _lower_words(self) -> list[str]:
        if not self.text.isascii():
            return [word.lower() for word in self.words]
        lowered = self.text.lower()
        return [lowered[start:end] for start, end in zip(self.starts, self.ends)]

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def number_starts(self) -> list[int]:
        return [self.starts[index] for index in self.numbers]

    @cached_property
    def _starts_by_next(self) -> Mapping[str, list[int]]:
        ends = map(self.ends.__getitem__, self.numbers)
        return group_by((sign_after(self.text, end) for end in ends), self.number_starts)

    @cached_property
    def _starts_by_sign_before(self) -> Mapping[str, list[int]]:
        return group_by((self.text[start - 1 : start] for start in self.number_starts), self.number_starts)

    @cached_property
    def _starts_by_length(self) -> Mapping[int, list[int]]:
        lengths = (self.ends[index] - self.starts[index] for index in self.numbers)
        return group_by((min(length, LONGEST) for length in lengths), self.number_starts)

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

    @cached_property
    def is_caseless(self) -> bool:
        """Whether the note is written without capitals, so that they have no meaning."""
        return len(self) >= CASED_WORDS and len(self._capitals) <= CAPITAL_SHARE * len(self)

    @cached_property
    def lowercase_words(self) -> frozenset[str]:
        """The words that this note also writes without a capital; none if it has no capitals."""
        return frozenset() if self.is_caseless else frozenset(map(self.words.__getitem__, self._smalls))

    @cached_property
    def capitalised_words(self) -> frozenset[str]:
        """The lowercased words that are capitalised somewhere, as :meth:`is_capitalised` says."""
        if self.is_caseless:
            return frozenset(word for word in self.vocabulary if word[0].isalpha())
        return frozenset(map(self.lowered.__getitem__, self._capitals))

    @cached_property
    def year(self) -> int | None:
        """The year of the note: the latest year in a full date at its top, except a date of birth."""
        top = self.number_starts[: bisect_left(self.number_starts, HEADER)]
        dates = (HEADER_YEAR.match(self.text, start, HEADER) for start in top)
        years = (date["iso"] or date["us"] for date in dates if date and not self._is_birth(date.start()))
        return max(map(int, years), default=None)

    def _is_birth(self, start: int) -> bool:
        """Whether a word for birth precedes the date at ``start``, with no other word between them."""
        index = bisect_left(self.starts, start)
        return BORN.search(self.text, self.starts[index - 1] if index else 0, start) is not None

    def is_plausible_year(self, year: int) -> bool:
        """Whether the note can mention a year (four digits): one near its own, if that is known."""
        if self.year is None:
            return EARLIEST <= year <= LATEST
        return self.year - YEARS_BEFORE <= year <= self.year + YEARS_AFTER

    def find_words(self, words: Collection[str]) -> Iterator[int]:
        """Yield the indices of the (lowercased) ``words`` that occur, word by word."""
        for word in self.vocabulary.intersection(words):
            yield from self.indices[word]

    def is_capitalised(self, index: int) -> bool:
        """Whether a word begins with a capital, or with any letter in a note without capitals."""
        return self.words[index][0].isupper() or (self.is_caseless and self.words[index][0].isalpha())

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


def find_entries(note: Note, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries, the longest at each place."""
    for first in note.vocabulary.intersection(entries.first_words):
        for index in note.indices[first]:
            if length := measure_entry(note, entries, index):
                yield index, index + length


def measure_entry(note: Note, entries: Entries, index: int) -> int:
    """Return how many words the longest entry that begins at ``index`` has; 0 if there is none."""
    longer = entries.longer.get(note.lowered[index])
    if longer and index + 1 < len(note):
        for phrase in longer.get(note.lowered[index + 1], ()):
            if has_phrase(note, index, phrase):
                return len(phrase)
    return int(note.lowered[index] in entries.single)


def has_phrase(note: Note, index: int, phrase: tuple[str, ...]) -> bool:
    """Whether the words of ``phrase`` begin at ``index``, with only a :data:`PLACE_GAP` between them."""
    size = len(phrase)
    if tuple(note.lowered[index : index + size]) != phrase:
        return False
    return all(PLACE_GAP.fullmatch(note.gap(i)) for i in range(index + 1, index + size))


def find_capitalised_entries(note: Note, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries in which all words of four letters or more, and the first, are
    capitalised."""
    for first in note.capitalised_words.intersection(entries.first_words):
        for index in filter(note.is_capitalised, note.indices[first]):
            stop = index + measure_entry(note, entries, index)
            if stop > index and all(
                note.is_capitalised(i) or len(note.words[i]) < 4 for i in range(index, stop)
            ):
                yield index, stop


def find_run_end(
    note: Note, first: int, accept: Callable[[int], bool], most: int, gap: re.Pattern[str] = NAME_GAP
) -> int:
    """Return the end of the run of words from ``first`` that ``accept`` takes; ``first`` if it takes none.
    The run has at most ``most`` words, with a ``gap`` between each two."""
    index = first
    while index < len(note) and index - first < most and accept(index):
        index += 1
        if index < len(note) and not is_joined(note, index, gap):
            break
    return index


def is_joined(note: Note, index: int, gap: re.Pattern[str] = NAME_GAP) -> bool:
    """Whether word ``index`` continues a name that the word before it is part of. A full stop joins two
    words only after an initial or a short form such as St."""
    between = note.gap(index)
    if not gap.fullmatch(between):
        return False
    return not between.startswith(".") or len(note.words[index - 1]) <= 2


NAME_TYPES = frozenset(["PATIENT", "DOCTOR"])  # types
RuleFunction = Callable[[Note, Lists], Iterable[Edges]]


def word_set(text: str) -> frozenset[str]:
    """Split a text at white space: the rules write their own short lists so."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Rule:
    """``guess``: the type is only the most likely one. Where another rule finds the same name by a clue to
    its type, the name gets that type."""

    name: str
    type: str
    source: str
    find: RuleFunction
    guess: bool = False

    @property
    def about(self) -> str:
        """The first paragraph of the rule's docstring on one line."""
        return " ".join((self.find.__doc__ or "").split("\n\n")[0].split())


class Finding(NamedTuple):
    """A span and the rule that found it. The span's type can differ from the type of a rule that
    guesses."""

    span: Span
    rule: Rule


def find_all(note: Note, lists: Lists, rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings of each rule; they may overlap."""
    return [
        Finding(Span(start, end, rule.type), rule)
        for rule in rules
        for start, end in set(rule.find(note, lists))
    ]


def rule(type: str, source: str, guess: bool = False) -> Callable[[RuleFunction], Rule]:
    """Turn a function into a rule with the function's name; its docstring describes the rule."""
    return lambda find: Rule(find.__name__, type, source, find, guess)


def match_at_numbers(
    name: str,
    type: str,
    source: str,
    about: str,
    pattern: str,
    valid: Callable[[re.Match[str], Note], object] = lambda match, note: True,
    beside: Beside = ALL,
) -> Rule:
    """Build a rule that matches ``pattern`` wherever digits begin. It finds the group ``phi``, or else the
    whole match, if ``valid`` accepts the match. ``beside`` holds for each number that the pattern matches:
    the others need no match."""
    compiled = re.compile(pattern, re.IGNORECASE)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for start in note.find_numbers(beside):
            if (match := compiled.match(note.text, start)) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)


def match_at_words(
    name: str,
    type: str,
    source: str,
    about: str,
    words: Iterable[str],
    pattern: str,
    valid: Callable[[re.Match[str], Note], object] = lambda match, note: True,
) -> Rule:
    """Build a rule as :func:`match_at_numbers` does, for places where one of the lowercased words begins."""
    compiled, triggers = re.compile(pattern, re.IGNORECASE), frozenset(words)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: Note, lists: Lists) -> Iterator[Edges]:
        for index in note.find_words(triggers):
            if (match := compiled.match(note.text, note.starts[index])) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)
