"""The vocabulary: distinct token texts by number, with what array operations need to know about each.

A document is then an array of numbers, and a question about tokens' texts is a look-up in a table
with that array. The properties of a text are computed only once, when the text is new;
:class:`TextNumbers` are numbers that are made when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Protocol

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.feature_extraction.token import KINDS, OF_SHAPE, YES, Affix, OfLowered, OfTable, OfWords, Value
from crfdeid.lexicon.names import OBSERVED_TITLES

NONE = -1
(
    LINE_END,  # white space: only a line end is such a token
    ALPHABETIC,
    LOWERED_ALPHABETIC,  # differs from ALPHABETIC: lowered, U+0130 is two characters
    CAPITALISED,
    LONG,  # three characters or more
    TITLE,
    COLON,
    FULL_STOP,
    CASED,
    WITH_CAPITAL,
    WITH_SMALL,
) = (1 << bit for bit in range(11))


MARKS = {":": COLON, ".": FULL_STOP, **dict.fromkeys(OBSERVED_TITLES, TITLE)}


def flags(text: str) -> int:
    """The flags of a text as bits, except those of single words and marks (:data:`MARKS`)."""
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
    """Whether a character is a titlecase letter: a capital and a small letter in one, such as U+01C5."""
    return character.istitle() and not character.isupper()


class GrowableArray:
    """An array with one number for each text. Appended numbers wait in a list until the array is used."""

    def __init__(self, kind: type[np.generic]) -> None:
        self.array: np.ndarray = np.zeros(1024, kind)
        self.size = 0
        self.waiting: list[int] = []

    def append(self, value: int) -> None:
        self.waiting.append(value)

    def extend(self, values: Iterable[int]) -> None:
        self.waiting += values

    @property
    def rows(self) -> np.ndarray:
        """The array; it can have spare rows at the end."""
        if self.waiting:
            end = self.size + len(self.waiting)
            self.array = enlarge(self.array, end)
            self.array[self.size : end] = self.waiting
            self.size = end
            self.waiting.clear()
        return self.array


def enlarge(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or a copy with at least ``size`` rows and at least half as many rows again."""
    if len(array) >= size:
        return array
    longer = np.zeros((max(size, len(array) * 3 // 2), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def pad_last(array: Floats, width: int, value: float) -> Floats:
    """Return the array with ``value`` up to ``width`` in the last dimension; where it has that, itself."""
    if array.shape[-1] == width:
        return array
    found = np.full((*array.shape[:-1], width), value)
    found[..., : array.shape[-1]] = array
    return found


def form(text: str) -> str:
    """The form of a text: its shape if it is ASCII, otherwise the text itself. Texts of one form have equal
    flags and the same values of the observations in :data:`crfdeid.feature_extraction.token.OF_SHAPE`."""
    return text.translate(KINDS) if text.isascii() else text


class TokenVocabulary:
    """Texts by number. ``observations`` are functions of a text by name, and ``number(name, value)`` gives
    the number of a value: ``values[name].rows[text]`` is that of a text's value, -1 where it has none."""

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
        self.forms: list[str] = []
        self.known_forms: dict[str, str] = {}  # one string for each form

    def __len__(self) -> int:
        return len(self.strings)

    def number_texts(self, texts: Sequence[str]) -> list[int]:
        """The numbers of texts; adds those that are new."""
        self.add([text for text in dict.fromkeys(texts) if text not in self.numbers])
        return [self.numbers[text] for text in texts]

    def add(self, texts: Sequence[str]) -> None:
        """Add distinct new texts, in order."""
        if not texts:
            return
        place = len(self)
        lowered = [text.lower() for text in texts]
        self.numbers.update(zip(texts, range(place, place + len(texts))))
        self.strings += texts
        self.lowered += lowered
        numbers = self.lower_numbers
        self.lower.extend([numbers.setdefault(text, len(numbers)) for text in lowered])
        forms = [form(text) for text in texts]
        self.forms += map(self.known_forms.setdefault, forms, forms)
        for like in set(forms) - self.flags_of.keys():
            self.flags_of[like] = flags(like)
        self.flags.extend([self.flags_of[like] | MARKS.get(low, 0) for like, low in zip(forms, lowered)])
        for name, table in self.values.items():
            table.extend(self.number_values(name, self.observations[name], self.number_of, place))

    def number_values(
        self,
        name: str,
        observe: Callable[[str], Value],
        number: Callable[[str, Value], int],
        place: int,
    ) -> list[int]:
        """The numbers of the values of an observation, for the texts from ``place`` on."""
        texts = self.strings[place:], self.lowered[place:], self.forms[place:]
        values = observe_texts(name, observe, *texts)
        known = {value: number(name, value) for value in dict.fromkeys(values)}
        return [known[value] for value in values]


def observe_texts(
    name: str,
    observe: Callable[[str], Value],
    texts: Sequence[str],
    lowered: Sequence[str],
    forms: Sequence[str],
) -> list[Value]:
    """The values of an observation for some texts, which are also given in lower case and by their forms."""
    if isinstance(observe, OfWords):
        words = observe.words
        return [YES if text in words else None for text in lowered]
    if isinstance(observe, OfLowered):
        return [observe.of_lowered(text) for text in lowered]
    if isinstance(observe, OfTable):
        return observe.observe_all(texts)
    if isinstance(observe, Affix):
        part = observe.part
        if all(map(str.isascii, texts)):
            return list(map(itemgetter(part), lowered))
        return [low[part] if text.isascii() else observe(text) for text, low in zip(texts, lowered)]
    if name in OF_SHAPE:
        known = {like: observe(like) for like in set(forms)}
        return [known[like] for like in forms]
    return [observe(text) for text in texts]


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
    """The sizes for a column of an observation: the numbers of values and of texts."""

    vocabulary: TokenVocabulary
    headings: dict[tuple[str, bytes], int]

    def number(self, name: str, value: Value) -> int:
        """The number of a value, -1 for none."""
        ...

    def number_texts(self, key: str, find: Callable[[str], int]) -> Ints:
        """The numbers ``find`` gives the vocabulary's texts in lower case; kept under ``key``."""
        ...
