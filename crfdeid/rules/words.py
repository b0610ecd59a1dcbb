"""The words of a text: where they are, where capitals have no meaning, and what is beside the numbers.

A rule of numbers says what it needs beside them (:class:`Beside`), so that it is asked only where it can
match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from crfdeid.text.word_cache import remember_words

Key = TypeVar("Key")

LONG_S = "\u017f"  # a pattern that ignores case takes it for an s
SIGNS = 5_000  # pairs of signs whose answer is kept
LONGEST = 11  # digits: a longer number counts as one of 11

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f][^\W\d_]*)*|\d+")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
OTHER, LETTER, CAPITAL, SMALL, DIGIT = range(5)  # halved, of ASCII: 1 for letters, 2 for digits
CASED_WORDS = 30  # fewer words of letters do not show whether they are written without capitals
CAPITAL_SHARE = 0.01  # words with a capital, at most, in a paragraph that is written without capitals


def find_kind(sign: str) -> int:
    """Return the kind of a character; ``LETTER`` is a letter without case."""
    if sign.isdecimal():
        return DIGIT
    return CAPITAL if sign.isupper() else SMALL if sign.islower() else LETTER if sign.isalpha() else OTHER


ASCII = [chr(code) for code in range(128)]
KINDS = bytes(map(find_kind, ASCII)).ljust(256, b"\0")
LOWERED = "".join(sign.lower() if sign.isalnum() else " " for sign in ASCII).encode().ljust(256)


@dataclass(frozen=True, slots=True)
class Words:
    """Word ``i`` of a text is ``text[starts[i]:ends[i]]``, in lower case ``lowered[i]``, and ``kinds[i]`` is
    the kind of its first character."""

    starts: list[int]
    ends: list[int]
    lowered: list[str]
    kinds: bytes


def read_words(text: str) -> Words:
    """Return the words of a text: runs of letters, and runs of digits.

    >>> read_words("J. de Wit 3mg").lowered, read_words("J. de Wit 3mg").kinds
    (['j', 'de', 'wit', '3', 'mg'], b'\\x02\\x03\\x02\\x04\\x03')
    """
    return _read_ascii(text) if text.isascii() else _read_any(text)


def _read_ascii(text: str) -> Words:
    signs = text.encode("ascii")
    kinds = np.frombuffer(b"\0%b\0" % signs.translate(KINDS), np.uint8)
    halves = kinds >> 1
    edges = np.flatnonzero(halves[1:] != halves[:-1])
    is_start, is_end = halves[edges + 1] > 0, halves[edges] > 0
    lowered = signs.translate(LOWERED)
    if len(touching := edges[is_start & is_end]):  # the edge of letters and digits, as in 3mg
        lowered = _insert_blanks(lowered, touching.tolist())
    starts = edges[is_start]
    return Words(
        starts.tolist(), edges[is_end].tolist(), lowered.decode("ascii").split(), kinds[starts + 1].tobytes()
    )


def _insert_blanks(signs: bytes, places: list[int]) -> bytes:
    return b" ".join(signs[start:end] for start, end in zip([0, *places], [*places, len(signs)]))


def _read_any(text: str) -> Words:
    edges = [match.span() for match in WORD.finditer(text)]
    words = [text[start:end] for start, end in edges]
    kinds = bytes(find_kind(word[0]) for word in words)
    lowered = [word.lower() for word in words]
    return Words([start for start, _ in edges], [end for _, end in edges], lowered, kinds)


def find_caseless(text: str, words: Words) -> list[range]:
    """Return the paragraphs that are written without capitals, so that capitals have no meaning there, as
    ranges of the indices of their words.

    The paragraphs that are not in capitals only are judged together. If they have capitals, each paragraph of
    :data:`CASED_WORDS` words of letters is judged by itself.
    """
    counts = [(words_of, *_count_cases(words.kinds, words_of)) for words_of in split_paragraphs(text, words)]
    mixed = [count for count in counts if count[2] > CAPITAL_SHARE * (count[1] + count[2]) or not count[1]]
    if not _lack_capitals(sum(capitals for _, capitals, _ in mixed), sum(smalls for *_, smalls in mixed)):
        mixed = [count for count in mixed if _lack_capitals(count[1], count[2])]
    return [words_of for words_of, *_ in mixed]


def split_paragraphs(text: str, words: Words) -> list[range]:
    """Return the indices of the words of each paragraph. A blank line ends a paragraph."""
    firsts = [bisect_left(words.starts, match.end()) for match in BLANK_LINE.finditer(text)]
    return [range(a, b) for a, b in pairwise([0, *firsts, len(words.starts)]) if a < b]


def _count_cases(kinds: bytes, words: range) -> tuple[int, int]:
    return kinds.count(CAPITAL, words.start, words.stop), kinds.count(SMALL, words.start, words.stop)


def _lack_capitals(capitals: int, smalls: int) -> bool:
    letters = capitals + smalls
    return letters >= CASED_WORDS and capitals <= CAPITAL_SHARE * letters


@dataclass(frozen=True)
class Beside:
    """What numbers a rule needs: one of the signs ``next`` directly behind the digits (:func:`sign_after`),
    one of ``before`` directly before them (:func:`sign_before`; "" is the start of the text), or a number of
    digits in ``lengths``, where :data:`LONGEST` is also more. The first of the three that is not empty
    counts; none: all numbers. A note has one of the lowercased ``words``, where there are any.

    >>> sorted(Beside(next="-/").next)
    ['-', '/']
    >>> Beside(lengths=[3, 7]) == Beside(lengths=(7, 3))
    True
    """

    next: Collection[str] = ()
    before: Collection[str] = ()
    lengths: Collection[int] = ()
    words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in ("next", "before", "lengths"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))


ALL = Beside()


@remember_words(SIGNS)
def sign_after(two: str) -> str:
    """Return the first of the ``two`` signs after a number; a blank with the sign after it, where "0" is any
    digit. At the end of the text there are fewer.

    >>> [sign_after(two) for two in ("rd", " 4", " m", "")]
    ['r', ' 0', ' m', '']
    """
    sign = two[:1]
    if sign != " ":
        return sign
    return " 0" if two[1:].isdecimal() else two


@remember_words(SIGNS)
def sign_before(two: str) -> str:
    """Return the last of the ``two`` signs before a number; a blank with a blank or a tab before it.

    >>> [sign_before(two) for two in ("x(", "a ", "  ", "\\t ", "")]
    ['(', ' ', '  ', '\\t ', '']
    """
    return two if two in ("  ", "\t ") else two[-1:]


def after_blank(signs: str) -> tuple[str, ...]:
    """Return the signs as :func:`sign_after` gives them after a blank."""
    return tuple(f" {sign}" for sign in signs)


def group_by(keys: Iterable[Key], values: Iterable[int]) -> Mapping[Key, list[int]]:
    """Return the values of each key, in order."""
    groups: dict[Key, list[int]] = {}
    for key, value in zip(keys, values):
        if key in groups:
            groups[key].append(value)
        else:
            groups[key] = [value]
    return groups


def chain_lists(groups: Mapping[Key, list[int]], keys: Collection[Key]) -> list[int]:
    """Return the values of those keys that the groups have. Groups are few.

    >>> chain_lists({"-": [4, 9], "/": [6], "": [12]}, ["/", ".", "-"])
    [4, 9, 6]
    """
    return [value for key, values in groups.items() if key in keys for value in values]
