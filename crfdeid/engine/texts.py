"""Distinct token texts by number, and what array operations need to know of each.

A document is then an array of numbers, and a question about a token's text is a table looked
up with that array. What is known of a text is worked out once, when it is first seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from crfdeid.observations import Value
from crfdeid.page import TITLES

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


def flags(text: str) -> int:
    """The answers to the yes/no questions above, as bits."""
    lowered = text.lower()
    answers = (
        text.isspace(),
        text.isalpha(),
        lowered.isalpha(),
        text[0].isupper(),
        len(text) > 2,
        lowered in TITLES,
        text == ":",
        text == ".",
        any(c.isupper() or c.islower() or c.istitle() for c in text),
        any(c.isupper() or is_titlecase(c) for c in text),
        any(c.islower() or is_titlecase(c) for c in text),
    )
    return sum(1 << bit for bit, answer in enumerate(answers) if answer)


def is_titlecase(character: str) -> bool:
    """Whether it is neither small nor a capital but both, as U+01C5 is."""
    return character.istitle() and not character.isupper()


class Grown:
    """A table with one row a text; what was appended is laid into the array when it is asked for."""

    def __init__(self, kind: type) -> None:
        self.array, self.size = np.zeros(1024, kind), 0
        self.waiting: list = []

    def append(self, value) -> None:
        self.waiting.append(value)

    @property
    def rows(self) -> np.ndarray:
        if self.waiting:
            end = self.size + len(self.waiting)
            self.array = enlarged(self.array, end)
            self.array[self.size : end] = self.waiting
            self.size = end
            self.waiting.clear()
        return self.array


def enlarged(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or one half as long again or longer, so that it has ``size`` rows."""
    if len(array) >= size:
        return array
    longer = np.zeros((max(size, len(array) * 3 // 2), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


class Texts:
    """``observations`` are functions of a text by name; ``coded`` names those whose values are kept
    as numbers, told by ``number(name, value)``: ``values[name].rows[text]`` is -1 where the
    observation has nothing to say. ``fresh`` holds what was said of the latest texts, until it
    is taken away."""

    def __init__(
        self,
        observations: Mapping[str, Callable[[str], Value]],
        coded: Iterable[str],
        number: Callable[[str, Value], int],
    ) -> None:
        self.observations, self.number_of = observations, number
        self.numbers: dict[str, int] = {}
        self.strings: list[str] = []
        self.lowered: list[str] = []
        self.lower_numbers: dict[str, int] = {}
        self.flags, self.lower = Grown(np.int16), Grown(np.int32)
        self.values = {name: Grown(np.int32) for name in coded}
        self.fresh: list[dict[str, Value]] = []

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
        self.flags.append(flags(text))
        self.lower.append(self.lower_numbers.setdefault(lowered, len(self.lower_numbers)))
        said = {name: observe(text) for name, observe in self.observations.items()}
        for name, table in self.values.items():
            table.append(self.number_of(name, said[name]))
        self.fresh.append(said)
        return number
