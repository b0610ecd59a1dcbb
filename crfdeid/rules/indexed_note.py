"""A note as rules see it, read once into words by their lowercased text, so that a rule visits the
places where one of its words stands and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cached_property

from crfdeid.rules.lists import Phrases

Edges = tuple[int, int]  # half-open offsets

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d+")
HEADER = 400  # characters at the top of a note in which its own date stands
CENTURY = r"(?:18|19|20|21)\d\d"
HEADER_YEAR = re.compile(
    rf"(?P<born>(?:dob|birth|born)\W*)?(?<![\d./-])"
    rf"(?:(?P<iso>{CENTURY})-\d\d?-\d\d?|\d\d?[/-]\d\d?[/-](?P<us>{CENTURY}))(?!\d)",
    re.IGNORECASE,
)
CASED_WORDS = 30  # words to know it by
CAPITAL_SHARE = 0.01  # of the words begin with one in a note that is written without
EARLIEST, LATEST = 1880, 2199  # surrogate dates lie in the future
YEARS_BEFORE, YEARS_AFTER = 120, 10  # years around the header's that a note can speak of

PLACE_GAP = re.compile(
    r"[ \t]{1,2}|[-'’.&/]|\.? ?[-'’&]? ?|\. {1,2}"
)  # between the words of one name of a place
NAME_GAP = re.compile(r" {1,2}|[-'’]|\. ?")  # between the words of one person's name


class Note:
    """``words`` are those of ``text``; word ``i`` is ``text[starts[i]:ends[i]]``."""

    def __init__(self, text: str) -> None:
        self.text = text
        edges = [match.span() for match in WORD.finditer(text)]
        self.starts = [start for start, _ in edges]
        self.ends = [end for _, end in edges]
        self.words = [text[start:end] for start, end in edges]
        self.lowered = [word.lower() for word in self.words]
        self.indices: dict[str, list[int]] = {}
        for index, word in enumerate(self.lowered):
            self.indices.setdefault(word, []).append(index)
        self.vocabulary = frozenset(self.indices)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def numbers(self) -> list[int]:
        """The indices of the words that are digits."""
        return sorted(i for word, places in self.indices.items() if word[0].isdecimal() for i in places)

    @cached_property
    def number_starts(self) -> list[int]:
        return [self.starts[index] for index in self.numbers]

    @cached_property
    def index_at(self) -> dict[int, int]:
        """The word that begins at an offset."""
        return {start: index for index, start in enumerate(self.starts)}

    @cached_property
    def is_caseless(self) -> bool:
        """Whether the note is written without capitals, so that they tell nothing."""
        capitals = sum(word[0].isupper() for word in self.words)
        return len(self.words) >= CASED_WORDS and capitals <= CAPITAL_SHARE * len(self.words)

    @cached_property
    def lowercase_words(self) -> frozenset[str]:
        """The words that this note also writes without a capital."""
        return frozenset() if self.is_caseless else frozenset(w for w in self.words if w[0].islower())

    @cached_property
    def year(self) -> int | None:
        """The year of the note: the latest of the whole dates at its top but for a date of birth."""
        dates = HEADER_YEAR.finditer(self.text, 0, HEADER)
        return max((int(date["iso"] or date["us"]) for date in dates if not date["born"]), default=None)

    def is_plausible_year(self, year: int) -> bool:
        """Whether the note can speak of that year (of four digits), near its own if that is known."""
        if self.year is None:
            return EARLIEST <= year <= LATEST
        return self.year - YEARS_BEFORE <= year <= self.year + YEARS_AFTER

    def find_words(self, words: Collection[str]) -> Iterator[int]:
        """The indices at which one of the (lowercased) ``words`` stands, word by word."""
        for word in self.vocabulary.intersection(words):
            yield from self.indices[word]

    def is_capitalised(self, index: int) -> bool:
        """Whether a word begins with a capital, or no word of the note does."""
        return self.words[index][0].isupper() or (self.is_caseless and self.words[index][0].isalpha())

    def gap(self, index: int) -> str:
        """The text between word ``index - 1`` and word ``index``."""
        return self.text[self.ends[index - 1] if index else 0 : self.starts[index]]

    def word_before(self, index: int) -> str:
        """The lowercased word before, within the line; or nothing."""
        return self.lowered[index - 1] if index and "\n" not in self.gap(index) else ""

    def word_after(self, index: int) -> str:
        """The lowercased word after, within the line; or nothing."""
        return self.lowered[index + 1] if index + 1 < len(self) and "\n" not in self.gap(index + 1) else ""

    def edges(self, first: int, stop: int) -> Edges:
        """The offsets of the words ``first`` to ``stop``, which is not among them."""
        return self.starts[first], self.ends[stop - 1]


def find_entries(note: Note, phrases: Phrases) -> Iterator[tuple[int, int]]:
    """The index ranges of whole entries, the longest at each place."""
    for first in note.vocabulary & phrases.keys():
        group = phrases[first]
        single = (first,) in group
        longer = len(group) > single
        for index in note.indices[first]:
            length = max((len(p) for p in group if has_phrase(note, index, p)), default=0) if longer else 1
            if length:
                yield index, index + length


def has_phrase(note: Note, index: int, phrase: tuple[str, ...]) -> bool:
    """Whether the words of ``phrase`` stand at ``index`` with little between them."""
    size = len(phrase)
    if size == 1:
        return True
    if tuple(note.lowered[index : index + size]) != phrase:
        return False
    return all(PLACE_GAP.fullmatch(note.gap(i)) for i in range(index + 1, index + size))


def find_capitalised_entries(note: Note, phrases: Phrases) -> Iterator[tuple[int, int]]:
    """The index ranges of whole entries each of whose words of four letters or more is capitalised."""
    for first, stop in find_entries(note, phrases):
        if note.is_capitalised(first) and all(
            note.is_capitalised(i) or len(note.words[i]) < 4 for i in range(first, stop)
        ):
            yield first, stop


def find_run_end(
    note: Note, first: int, accept: Callable[[int], bool], most: int, gap: re.Pattern[str] = NAME_GAP
) -> int:
    """The end of the run of words from ``first`` that ``accept`` takes, ``first`` if there is none."""
    index = first
    while index < len(note) and index - first < most and accept(index):
        index += 1
        if index < len(note) and not is_joined(note, index, gap):
            break
    return index


def is_joined(note: Note, index: int, gap: re.Pattern[str] = NAME_GAP) -> bool:
    """Whether word ``index`` goes on with what the word before it began. A full stop joins
    only after an initial or a short form such as St."""
    between = note.gap(index)
    if not gap.fullmatch(between):
        return False
    return not between.startswith(".") or len(note.words[index - 1]) <= 2
