"""A number for each text of a vocabulary, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import GrowableArray, TokenVocabulary
from crfdeid.feature_extraction.token import Value


class TextNumbers:
    """``find_all(place)`` gives the numbers of the vocabulary's texts from that place on."""

    def __init__(self, vocabulary: TokenVocabulary, find_all: Callable[[int], Iterable[int]]) -> None:
        self.vocabulary, self.find_all = vocabulary, find_all
        self.numbers = GrowableArray(np.int32)
        self.seen = 0

    @property
    def rows(self) -> Ints:
        """The numbers by text; the array can have spare rows at its end."""
        if self.seen < len(self.vocabulary):
            self.numbers.extend(self.find_all(self.seen))
            self.seen = len(self.vocabulary)
        return self.numbers.rows


class ValueNumbers(Protocol):
    """What a column of an observation needs: the numbers of values and of texts."""

    vocabulary: TokenVocabulary
    headings: dict[tuple[str, bytes], int]

    def number(self, name: str, value: Value) -> int:
        """The number of a value, -1 for none."""
        ...

    def number_texts(self, key: str, find: Callable[[str], int]) -> Ints:
        """The numbers ``find`` gives the vocabulary's texts in lower case; kept under ``key``."""
        ...
