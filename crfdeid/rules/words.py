"""Where the words of a text are."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# Letters with their combining marks, or digits.
WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d+")
LETTER, DIGIT = 1, 2
KINDS = np.zeros(128, np.uint8)
KINDS[ord("A") : ord("Z") + 1] = KINDS[ord("a") : ord("z") + 1] = LETTER
KINDS[ord("0") : ord("9") + 1] = DIGIT


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
    codes = np.frombuffer(text.encode("ascii"), np.uint8)
    kinds = np.zeros(len(codes) + 2, np.uint8)
    kinds[1:-1] = KINDS[codes]
    changes = np.flatnonzero(kinds[1:] != kinds[:-1])
    starts, ends = changes[kinds[changes + 1] > 0], changes[kinds[changes] > 0]
    first = codes[starts]
    groups = (first < ord("A"), (first >= ord("A")) & (first <= ord("Z")), first >= ord("a"))
    return WordEdges(starts.tolist(), ends.tolist(), *(np.flatnonzero(group).tolist() for group in groups))


def _find_any(text: str) -> WordEdges:
    edges = [match.span() for match in WORD.finditer(text)]
    first = [text[start] for start, _ in edges]
    tests = (str.isdecimal, str.isupper, str.islower)
    groups = ([index for index, sign in enumerate(first) if test(sign)] for test in tests)
    return WordEdges([start for start, _ in edges], [end for _, end in edges], *groups)
