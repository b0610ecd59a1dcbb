"""Where the words of a text are."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d+")
CAPITAL, SMALL, DIGIT = 2, 3, 4  # halved: 1 for letters, 2 for digits
KINDS = bytes(
    DIGIT if sign.isdigit() else CAPITAL if sign.isupper() else SMALL if sign.islower() else 0
    for sign in map(chr, range(128))
).ljust(256, b"\0")


@dataclass(frozen=True, slots=True)
class WordEdges:
    """Word ``i`` is ``text[starts[i]:ends[i]]``. ``numbers`` are the indices of the words of digits, and
    ``capitals`` and ``smalls`` of those that begin with a capital or a small letter."""

    starts: list[int]
    ends: list[int]
    numbers: list[int]
    capitals: list[int]
    smalls: list[int]


def find_edges(text: str) -> WordEdges:
    """Return the words of a text: runs of letters, and runs of digits.

    >>> find_edges("J. de Wit 3mg")
    WordEdges(starts=[0, 3, 6, 10, 11], ends=[1, 5, 9, 11, 13], numbers=[3], capitals=[0, 2], smalls=[1, 4])
    """
    return _find_ascii(text) if text.isascii() else _find_any(text)


def _find_ascii(text: str) -> WordEdges:
    kinds = np.frombuffer(b"\0%b\0" % text.encode("ascii").translate(KINDS), np.uint8)
    halves = kinds >> 1
    changes = np.flatnonzero(halves[1:] != halves[:-1])
    starts, ends = changes[halves[changes + 1] > 0], changes[halves[changes] > 0]
    first = kinds[starts + 1]
    groups = (np.flatnonzero(first == kind).tolist() for kind in (DIGIT, CAPITAL, SMALL))
    return WordEdges(starts.tolist(), ends.tolist(), *groups)


def _find_any(text: str) -> WordEdges:
    edges = [match.span() for match in WORD.finditer(text)]
    first = [text[start] for start, _ in edges]
    tests = (str.isdecimal, str.isupper, str.islower)
    groups = ([index for index, sign in enumerate(first) if test(sign)] for test in tests)
    return WordEdges([start for start, _ in edges], [end for _, end in edges], *groups)
