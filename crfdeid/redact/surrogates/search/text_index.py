"""A text prepared for search, and where a few strings are in it.

The text is normalized and split into the runs of its letters and digits. ``str.find`` reads it fifty times as
fast as a walk through its words, so this is the quicker way where a patient has few strings
(:mod:`word_roles` is for many). A string does not overlap itself as a whole word: so the search goes on
behind each place.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

import numpy as np

from crfdeid.lexicon.letters import NormalizedText, normalize
from crfdeid.redact.surrogates.search.search_strings import RUN

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
