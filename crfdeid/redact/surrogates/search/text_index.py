"""A text prepared for search, where a few strings are in it, and what each of its words can be for many.

The text is normalized and split into the runs of its letters and digits. ``str.find`` reads it fifty times as
fast as a walk through its words, so this is the quicker way where a patient has few strings. A string does
not overlap itself as a whole word: so the search goes on behind each place.

Where a patient has many strings, each different word is looked at once (:class:`WordRoles`): it can begin a
phrase, hold a name beside digits or inside a longer word, or begin a number. The time of a search is in
proportion to the text, however many strings there are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

import numpy as np

from crfdeid.lexicon.letters import NormalizedText, normalize
from crfdeid.redact.surrogates.search.search_strings import RUN

PREFIX = 4  # letters by which a name inside a word is looked up
FEW = 100  # names that are looked for one by one
LETTERS = re.compile(r"[^\W\d_]{2,}")
PARTS = re.compile(r"\d+|\D+")  # of a word

MAX_WORD = 60  # characters before a name inside a word, and from it on, that count as the word

Range = tuple[int, int]
ASCII = 128


class TextIndex:
    """``low`` is the normalized text. What else a search asks for is computed when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.normalized: NormalizedText = normalize(text)
        self.low = self.normalized.text

    def find_words(self, wanted: AbstractSet[str]) -> list[int]:
        """Return the numbers of the ``wanted`` words, in order."""
        here = self.vocabulary & wanted
        return [number for number, word in enumerate(self.words) if word in here] if here else []

    @cached_property
    def words(self) -> list[str]:
        """The runs of letters and digits in ``low``, in order."""
        if self.low.isascii():
            return self.low.encode().translate(ONLY_WORDS).decode().split()
        return RUN.findall(self.low)

    @cached_property
    def vocabulary(self) -> set[str]:
        return set(self.words)

    @cached_property
    def runs(self) -> list[Range]:
        """The range of each word in ``low``."""
        edges = np.flatnonzero(np.diff(self._is_in_word, prepend=False, append=False)).tolist()
        return list(zip(edges[::2], edges[1::2]))

    @cached_property
    def places(self) -> np.ndarray:
        """The offset in ``low`` of each letter and digit."""
        return np.flatnonzero(self._is_in_word)

    @cached_property
    def squeezed(self) -> str:
        """The words without what is between them."""
        return self._codes[self._is_in_word].tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each word in ``squeezed``, and its length."""
        return [0, *accumulate(map(len, self.words))]

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.frombuffer(self.low.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def _is_in_word(self) -> np.ndarray:
        """Whether each character of ``low`` is a letter or digit."""
        codes = self._codes
        is_in_word = IS_ALNUM[np.minimum(codes, ASCII)]
        if not self.low.isascii():
            others = np.flatnonzero(codes >= ASCII)
            is_in_word[others] = [self.low[at].isalnum() for at in others.tolist()]
        return is_in_word


IS_ALNUM = np.array([*(chr(code).isalnum() for code in range(ASCII)), False])
ONLY_WORDS = bytes(code if code < ASCII and chr(code).isalnum() else ord(" ") for code in range(256))


def find_each(low: str, string: str) -> Iterator[Range]:
    """Yield the ranges of a string that do not overlap."""
    size, at = len(string), low.find(string)
    while at >= 0:
        yield at, at + size
        at = low.find(string, at + size)


def find_words(low: str, word: str) -> Iterator[Range]:
    """Yield the ranges of a whole word.

    >>> list(find_words("okafor, okafors, okafor_7", "okafor"))
    [(0, 6), (17, 23)]
    """
    for start, end in find_each(low, word):
        if not low[end : end + 1].isalnum() and not (start and low[start - 1].isalnum()):
            yield start, end


def find_beside_digits(low: str, name: str) -> Iterator[Range]:
    """Yield the ranges of a name where it touches digits but no letter.

    >>> list(find_beside_digits("30990453smith, smith, smithy7", "smith"))
    [(8, 13)]
    """
    for start, end in find_each(low, name):
        around = [sign for sign in (low[start - 1 : start], low[end : end + 1]) if sign.isalnum()]
        if around and all(map(str.isdecimal, around)):
            yield start, end


def find_number_starts(index: TextIndex, number: str) -> Iterator[int]:
    """Yield the offsets in the joined words where a number is, from the beginning of a word or of a part of
    it that has only digits or no digits."""
    low, squeezed = index.low, index.squeezed
    at = squeezed.find(number)
    while at >= 0:
        place = int(index.places[at])
        before = low[place - 1] if place else ""
        if not before.isalnum() or before.isdecimal() != low[place].isdecimal():
            yield at
        at = squeezed.find(number, at + 1)


def find_inside(low: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the offsets of a name in longer words, each with that word.

    >>> list(find_inside("anderson and ander", "ander"))
    [(0, 'anderson')]
    """
    for start, end in find_each(low, name):
        first = start
        while first and start - first < MAX_WORD and low[first - 1].isalnum():
            first -= 1
        following = RUN.match(low, end, max(end, start + MAX_WORD))
        last = following.end() if following else end
        if last - first > end - start:
            yield start, low[first:last]


class WordRoles:
    """The roles of the words of a patient's notes. ``firsts`` are the first words of phrases, ``names`` those
    that are found beside digits, ``numbers`` what is found however it is grouped, and ``inner`` the names
    that are found inside words; they are numbered in their order.

    ``beside_digits`` has by word the offsets of names, ``inside`` the numbers of names and their offsets, and
    ``numbers`` the offsets where a number may begin, with its sizes."""

    def __init__(
        self,
        firsts: Collection[str],
        names: Collection[str],
        numbers: Collection[str],
        inner: Sequence[str],
    ) -> None:
        self.beside_digits: dict[str, list[tuple[int, str]]] = {}
        self.inside: dict[str, list[tuple[int, int]]] = {}
        self.numbers: dict[str, list[tuple[int, set[int]]]] = {}
        self._names, self._inner = names, inner
        self._seen: set[str] = set()
        self._sizes: dict[str, set[int]] = defaultdict(set)  # of the numbers that begin with a text
        for number in numbers:
            for length in range(1, len(number) + 1):
                self._sizes[number[:length]].add(len(number))
        self._roles = {*firsts, *self._sizes}
        self.numbers = {word: [(0, sizes)] for word, sizes in self._sizes.items()}
        self._by_prefix: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(inner):
            self._by_prefix[name[:PREFIX]].append(index)

    def find_hits(self, index: TextIndex) -> list[int]:
        """Return the numbers of the words of a text that play a role, in order."""
        self._look_at(index.vocabulary - self._seen)
        return index.find_words(self._roles)

    def find_inside(self, index: TextIndex) -> list[int]:
        """Return the numbers of the words of a text that have a name inside."""
        self._look_at(index.vocabulary - self._seen)
        return index.find_words(self.inside.keys())

    def _look_at(self, words: set[str]) -> None:
        """Keep the roles of new words."""
        self._seen |= words
        for word in self._list_with_names(words):
            if places := list(self._find_inside(word)):
                self.inside[word] = places
        for word in words:
            if not word.isalpha():
                self._look_at_digits(word)

    def _look_at_digits(self, word: str) -> None:
        """Keep the roles of a word that has digits."""
        if word.isdecimal():
            return
        if numbers := list(self._find_numbers(word)):
            self.numbers[word] = numbers
            self._roles.add(word)
        places = [(match.start(), match[0]) for match in LETTERS.finditer(word) if match[0] in self._names]
        if places:
            self.beside_digits[word] = places
            self._roles.add(word)

    def _list_with_names(self, words: Iterable[str]) -> Iterable[str]:
        """Return the words that have a name inside or, where there are many names, all words."""
        if len(self._inner) > FEW:
            return words
        joined, found = "\n".join(["", *words, ""]), set()
        for name in self._inner:
            at = joined.find(name)
            while at >= 0:
                end = joined.index("\n", at)
                found.add(joined[joined.rindex("\n", 0, at) + 1 : end])
                at = joined.find(name, end)
        return found

    def _find_inside(self, word: str) -> Iterator[tuple[int, int]]:
        """Yield the names in a longer word; the places of one name do not overlap."""
        ends: dict[int, int] = {}
        for at in range(len(word) - PREFIX + 1):
            for index in self._by_prefix.get(word[at : at + PREFIX], ()):
                name = self._inner[index]
                if at >= ends.get(index, 0) and len(name) < len(word) and word.startswith(name, at):
                    ends[index] = at + len(name)
                    yield index, at

    def _find_numbers(self, word: str) -> Iterator[tuple[int, set[int]]]:
        """Yield the offsets where a number may begin: a number has whole parts of digits or letters."""
        for match in PARTS.finditer(word):
            if sizes := self._sizes.get(match[0]):
                yield match.start(), sizes
