"""Where the words of a text are, and in which paragraphs capitals have no meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d+")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
OTHER, LETTER, CAPITAL, SMALL, DIGIT = range(5)  # halved, of ASCII: 1 for letters, 2 for digits
CASED_WORDS = 30  # fewer words of letters do not show whether they are written without capitals
CAPITAL_SHARE = 0.01  # words with a capital, at most, in a paragraph that is written without capitals


def find_kind(sign: str) -> int:
    """Return the kind of a character; ``LETTER`` is a letter without case."""
    if sign.isdecimal():
        return DIGIT
    return CAPITAL if sign.isupper() else SMALL if sign.islower() else LETTER if sign.isalpha() else OTHER


KINDS = bytes(map(find_kind, map(chr, range(128)))).ljust(256, b"\0")


@dataclass(frozen=True, slots=True)
class WordEdges:
    """Word ``i`` is ``text[starts[i]:ends[i]]``, and ``kinds[i]`` is the kind of its first character."""

    starts: list[int]
    ends: list[int]
    kinds: bytes


def find_edges(text: str) -> WordEdges:
    """Return the words of a text: runs of letters, and runs of digits.

    >>> find_edges("J. de Wit 3mg")
    WordEdges(starts=[0, 3, 6, 10, 11], ends=[1, 5, 9, 11, 13], kinds=b'\\x02\\x03\\x02\\x04\\x03')
    """
    return _find_ascii(text) if text.isascii() else _find_any(text)


def _find_ascii(text: str) -> WordEdges:
    kinds = np.frombuffer(b"\0%b\0" % text.encode("ascii").translate(KINDS), np.uint8)
    halves = kinds >> 1
    changes = np.flatnonzero(halves[1:] != halves[:-1])
    starts, ends = changes[halves[changes + 1] > 0], changes[halves[changes] > 0]
    return WordEdges(starts.tolist(), ends.tolist(), kinds[starts + 1].tobytes())


def _find_any(text: str) -> WordEdges:
    edges = [match.span() for match in WORD.finditer(text)]
    kinds = bytes(find_kind(text[start]) for start, _ in edges)
    return WordEdges([start for start, _ in edges], [end for _, end in edges], kinds)


def find_caseless(text: str, starts: list[int], kinds: np.ndarray) -> np.ndarray | None:
    """Return for each word whether its paragraph is written without capitals, so that they have no meaning
    there; ``None`` if no paragraph is.

    The paragraphs that are not in capitals only are judged together. If they have capitals, each paragraph of
    :data:`CASED_WORDS` words of letters is judged by itself.
    """
    firsts = find_paragraphs(text, starts)
    if not len(firsts):
        return None
    capitals, smalls = (np.add.reduceat(kinds == kind, firsts, dtype=int) for kind in (CAPITAL, SMALL))
    letters = capitals + smalls
    mixed = (smalls > CAPITAL_SHARE * letters) | (letters == 0)
    if not _lack_capitals(capitals[mixed].sum(), letters[mixed].sum()):
        mixed &= _lack_capitals(capitals, letters)
    return np.repeat(mixed, np.diff(firsts, append=len(starts))) if mixed.any() else None


def find_paragraphs(text: str, starts: list[int]) -> np.ndarray:
    """Return the index of the first word of each paragraph that has words. A blank line ends a paragraph."""
    ends = [match.end() for match in BLANK_LINE.finditer(text)]
    firsts = np.unique(np.searchsorted(starts, [0, *ends]))
    return firsts[firsts < len(starts)]


def _lack_capitals(capitals: np.ndarray, letters: np.ndarray) -> np.ndarray:
    return (letters >= CASED_WORDS) & (capitals <= CAPITAL_SHARE * letters)
