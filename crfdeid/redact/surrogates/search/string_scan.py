"""Find a few strings in a normalized text one after the other.

``str.find`` reads a text fifty times as fast as a walk through its words, so this is the quicker way where a
patient has few strings (:mod:`word_roles` is for many). A string does not overlap itself as a whole word: so
the search goes on behind each place.
"""

from __future__ import annotations

from collections.abc import Iterator

from crfdeid.redact.surrogates.search.search_strings import RUN
from crfdeid.redact.surrogates.search.text_index import Range, TextIndex

MAX_WORD = 60  # characters before a name inside a word, and from it on, that count as the word


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
