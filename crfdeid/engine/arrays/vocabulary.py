"""Distinct token texts by number, and what array operations need to know of each.

A document is then an array of numbers, and a question about a token's text is a table looked
up with that array. What is known of a text is worked out once, when it is first seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from crfdeid.feature_extraction.context import TITLES
from crfdeid.feature_extraction.token import Value, shape

NONE = -1
(
    LINE_END,  # white space: the only such token is a line end
    ALPHABETIC,
    LOWERED_ALPHABETIC,  # not the same: U+0130 becomes two characters
    CAPITALISED,
    LONG,  # three characters or more
    TITLE,
    COLON,
    FULL_STOP,
    CASED,
    WITH_CAPITAL,
    WITH_SMALL,
) = (1 << bit for bit in range(11))


MARKS = {":": COLON, ".": FULL_STOP, **dict.fromkeys(TITLES, TITLE)}


def flags(text: str) -> int:
    """The answers to the yes/no questions above, as bits, but for those that name a word or mark."""
    answers = {
        LINE_END: text.isspace(),
        ALPHABETIC: text.isalpha(),
        LOWERED_ALPHABETIC: text.lower().isalpha(),
        CAPITALISED: text[0].isupper(),
        LONG: len(text) > 2,
        CASED: any(c.isupper() or c.islower() or c.istitle() for c in text),
        WITH_CAPITAL: any(c.isupper() or is_titlecase(c) for c in text),
        WITH_SMALL: any(c.islower() or is_titlecase(c) for c in text),
    }
    return sum(bit for bit, answer in answers.items() if answer)


def is_titlecase(character: str) -> bool:
    """Whether it is neither small nor a capital but both, as U+01C5 is."""
    return character.istitle() and not character.isupper()


class GrowableArray:
    """A table with one row a text; what was appended is laid into the array when it is asked for."""

    def __init__(self, kind: type) -> None:
        self.array, self.size = np.zeros(1024, kind), 0
        self.waiting: list = []

    def append(self, value) -> None:
        self.waiting.append(value)

    def extend(self, values: list) -> None:
        self.waiting += values

    @property
    def rows(self) -> np.ndarray:
        if self.waiting:
            end = self.size + len(self.waiting)
            self.array = enlarge(self.array, end)
            self.array[self.size : end] = self.waiting
            self.size = end
            self.waiting.clear()
        return self.array


def enlarge(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or one half as long again or longer, so that it has ``size`` rows."""
    if len(array) >= size:
        return array
    longer = np.zeros((max(size, len(array) * 3 // 2), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def form(text: str) -> str:
    """What decides all that :data:`crfdeid.feature_extraction.token.OF_SHAPE` and :func:`flags` say of a
    text: an ASCII text's shape, or another text itself."""
    return shape(text) if text.isascii() else text


class TokenVocabulary:
    """``observations`` are functions of a text by name, whose values are kept as numbers, told by
    ``number(name, value)``: ``values[name].rows[text]`` is -1 where it has nothing to say."""

    def __init__(
        self,
        observations: Mapping[str, Callable[[str], Value]],
        number: Callable[[str, Value], int],
    ) -> None:
        self.observations, self.number_of = observations, number
        self.numbers: dict[str, int] = {}
        self.strings: list[str] = []
        self.lowered: list[str] = []
        self.lower_numbers: dict[str, int] = {}
        self.flags, self.lower = GrowableArray(np.int16), GrowableArray(np.int32)
        self.values = {name: GrowableArray(np.int32) for name in observations}
        self.flags_of: dict[str, int] = {}  # by form

    def __len__(self) -> int:
        return len(self.strings)

    def of(self, texts: Iterable[str]) -> list[int]:
        """The numbers of texts, new ones among them."""
        numbers = self.numbers
        return [numbers[text] if text in numbers else self.add(text) for text in texts]

    def add(self, text: str) -> int:
        number = self.numbers[text] = len(self.strings)
        lowered = text.lower()
        self.strings.append(text)
        self.lowered.append(lowered)
        self.lower.append(self.lower_numbers.setdefault(lowered, len(self.lower_numbers)))
        like = form(text)
        if like not in self.flags_of:
            self.flags_of[like] = flags(like)
        self.flags.append(self.flags_of[like] | MARKS.get(lowered, 0))
        for name, table in self.values.items():
            table.append(self.number_of(name, self.observations[name](text)))
        return number
