"""Observations of a token by itself: the ones that feature templates name.

An observation gives a token one value, or ``None`` for no feature. *Lexical* observations depend
only on the token's text, so they are computed once per distinct text; *contextual* ones depend on the
whole document. Yes/no questions answer ``"1"`` or ``None``: a feature for every "no" doubles the cost
and adds no information.

The observations in :data:`SEVERAL` give a tuple of distinct values, or ``None``; each value makes its
own feature, ``name[offset]=value``. A template cannot join them with others: that would make a product
of features.

``table_NAME_COLUMN`` is the value of the token's word in the word table NAME, and ``table_NAME_COLUMN3``
the first three characters of it. Of the digits of a cluster, fewer characters are a larger cluster.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from crfdeid.errors import TemplateError, did_you_mean
from crfdeid.lexicon.letters import remember_words
from crfdeid.text.gazetteer import UNKNOWN, Gazetteer, TableColumn, WordTable, find_value

Value = str | tuple[str, ...] | None
SEVERAL = frozenset(["ngrams", "words_left", "words_right", "links_left", "links_right"])
YES = "1"

CAPITAL = regex.compile(r"[\p{Lu}\p{Lt}]")
SMALL = regex.compile(r"[\p{Ll}\p{Lo}\p{Lm}]")
DIGIT = regex.compile(r"\d")
PIECE = regex.compile(r"(prefix|suffix)\d|ngrams")
RUN = regex.compile(r"(.)\1+")
LONG_RUN = regex.compile(r"(\p{L})\1{2,}")
KINDS = str.maketrans({
    **dict.fromkeys(string.ascii_uppercase, "A"), **dict.fromkeys(string.ascii_lowercase, "a"),
    **dict.fromkeys(string.digits, "0"),
})  # fmt: skip
VOWELS = str.maketrans({
    **dict.fromkeys(string.ascii_letters, "c"), **dict.fromkeys("aeiouyAEIOUY", "v"),
})  # fmt: skip

NAME = re.compile(r"table_(\w+)_([a-z]+)(?:(\d+)|_(\d+))?")


def shape(text: str) -> str:
    """He et al. 2015, table 2: capitals A, small letters a, digits 0, the rest as it is.

    >>> shape("McKay"), shape("x5-3321")
    ('AaAaa', 'a0-0000')
    """
    if text.isascii():  # six times as fast
        return text.translate(KINDS)
    return CAPITAL.sub("A", SMALL.sub("a", DIGIT.sub("0", text)))


def short_shape(text: str) -> str:
    """The shape with each run of a character as one character.

    >>> short_shape("McKay"), short_shape("1998")
    ('AaAa', '0')
    """
    return collapse_runs(shape(text))


@remember_words(4096)
def collapse_runs(text: str) -> str:
    """Replace each run of a character by one character."""
    return RUN.sub(r"\1", text)


def observe_if(test: Callable[[str], object]) -> Callable[[str], Value]:
    """Make a yes/no observation of a test."""
    return lambda text: YES if test(text) else None


@dataclass(frozen=True)
class Affix:
    """The observation of the first or last letters, ``text[part]`` in lower case."""

    part: slice

    def __call__(self, text: str) -> Value:
        return text[self.part].lower()


@dataclass(frozen=True)
class OfLowered:
    """An observation that depends only on the text in lower case, of which ``of_lowered`` makes the value."""

    of_lowered: Callable[[str], Value]

    def __call__(self, text: str) -> Value:
        return self.of_lowered(text.lower())


@dataclass(frozen=True)
class OfWords(OfLowered):
    """Whether the text in lower case is one of ``words``."""

    words: Container[str]


def is_piece(name: str) -> bool:
    """Whether an observation shows letters of a word, and not the word.

    >>> [is_piece(name) for name in ("suffix3", "ngrams", "lower", "letter_pattern")]
    [True, True, False, False]
    """
    return PIECE.fullmatch(name) is not None


def restrict_words(observe: Callable[[str], Value], words: Container[str]) -> Callable[[str], Value]:
    """Make an observation that has a value only for these lower-case words."""
    return lambda text: observe(text) if text.lower() in words else None


def number_range(text: str) -> Value:
    """The possible meaning of a number: a month, a day, an age, a year; else its number of digits.

    >>> number_range("11"), number_range("31"), number_range("2067"), number_range("02114")
    ('month', 'day', 'year', '5')
    """
    if not (text.isascii() and text.isdigit()):
        return None
    if len(text) == 4 and "1890" <= text <= "2199":
        return "year"
    if len(text) > 2:
        return str(min(len(text), 12))
    number = int(text)
    if number == 0:
        return "zero"
    return "month" if number <= 12 else "day" if number <= 31 else "age" if number < 90 else "old"


def letter_pattern(text: str) -> Value:
    """The pattern of consonants and vowels, each run as one: how a word could sound.

    >>> letter_pattern("Ruiz"), letter_pattern("CABG")
    ('cvc', 'cvc')
    """
    if not text.isalpha():
        return None
    if text.isascii():  # three times as fast
        return collapse_runs(text.translate(VOWELS))
    return collapse_runs("".join("v" if c in "aeiouy" else "c" for c in text.lower()))


def is_punctuation(character: str) -> bool:
    return not character.isalnum() and not character.isspace()


def letter_case(text: str) -> str:
    """Where the capitals of a token are, so that a window of tokens shows a pattern (Tafvizi 2011, 2.4).

    >>> [letter_case(text) for text in ("Ruiz", "MRN", "A", "pain", "McKay", "5")]
    ['first', 'all', 'first', 'none', 'mixed', 'no_letters']
    """
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return "no_letters"
    capitals = [c.isupper() for c in letters]
    if not any(capitals):
        return "none"
    if capitals[0] and not any(capitals[1:]):
        return "first"
    return "all" if all(capitals) else "mixed"


def normalize_word(lowered: str) -> Value:
    """The normal form of a word in lower case (Tafvizi 2011, section 7.2.2): without accents and marks,
    digits as 0, and a letter that is written three times or more written once. ``None`` where nothing is
    left.

    >>> [normalize_word(text) for text in ("sjögren", "o’brien", "1998", "sooo", "ﬁbrosis", "--")]
    ['sjogren', 'obrien', '0000', 'so', 'fibrosis', None]
    """
    if not lowered.isascii():
        lowered = "".join(c for c in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(c))
    kept = "".join(c for c in lowered.casefold() if c.isalnum())
    return LONG_RUN.sub(r"\1", DIGIT.sub("0", kept)) or None


def is_mixture_of(text: str, *kinds: Callable[[str], bool]) -> bool:
    """Whether every character is of one of the kinds, and every kind occurs."""
    return all(any(kind(c) for kind in kinds) for c in text) and all(any(map(kind, text)) for kind in kinds)


LEXICAL: dict[str, Callable[[str], Value]] = {
    "word": lambda text: text,
    "lower": OfLowered(str),
    "normal": OfLowered(normalize_word),
    **{f"prefix{n}": Affix(slice(n)) for n in range(1, 6)},
    **{f"suffix{n}": Affix(slice(-n, None)) for n in range(1, 6)},
    "shape": shape,
    "short_shape": short_shape,
    "length": lambda text: str(min(len(text), 20)),
    "number_range": number_range,
    "letter_pattern": letter_pattern,
    "letter_case": letter_case,
    # The yes/no questions of He et al. 2015, table 2.
    "has_letter": observe_if(lambda text: any(c.isalpha() for c in text)),
    "has_capital": observe_if(lambda text: any(c.isupper() for c in text)),
    "begins_capital": observe_if(lambda text: text[0].isupper()),
    "all_capitals": observe_if(lambda text: all(c.isupper() for c in text)),
    "has_digit": observe_if(lambda text: any(c.isdigit() for c in text)),
    "all_digits": observe_if(str.isdigit),
    "has_punctuation": observe_if(lambda text: any(is_punctuation(c) for c in text)),
    "letters_and_digits": observe_if(lambda text: is_mixture_of(text, str.isalpha, str.isdigit)),
    "digits_and_punctuation": observe_if(lambda text: is_mixture_of(text, str.isdigit, is_punctuation)),
    "no_letters": observe_if(lambda text: not any(c.isalpha() for c in text)),
}

# These give an ASCII text and its shape the same value; there are far fewer shapes than texts.
OF_SHAPE = frozenset([
    "shape", "short_shape", "length", "letter_case", "has_letter", "has_capital", "begins_capital",
    "all_capitals", "has_digit", "all_digits", "has_punctuation", "letters_and_digits",
    "digits_and_punctuation", "no_letters",
])  # fmt: skip


def gazetteer_word(gazetteer: Gazetteer) -> Callable[[str], Value]:
    """Make the observation whether the lowercased token is an element of the list (He et al. 2015,
    table 2)."""
    words = gazetteer.words
    return OfWords(lambda lowered: YES if lowered in words else None, words)


def gazetteer_phrase(gazetteer: Gazetteer, lowered: Sequence[str]) -> list[Value]:
    """Whole entries among lowercased tokens: ``B`` and ``I`` on an entry of several tokens, ``1`` on an
    entry of one."""
    values: list[Value] = [None] * len(lowered)
    for start, end in gazetteer.find_matches(lowered):
        values[start:end] = [YES] if end - start == 1 else ["B", *["I"] * (end - start - 1)]
    return values


class Column(NamedTuple):
    """A column of a table, and which characters of its values count: the first ``length``, or the one at
    ``place``, from 1; all where both are ``None``."""

    table: str
    column: str
    length: int | None = None
    place: int | None = None


def is_column(name: str) -> bool:
    """Whether an observation is a column of a word table."""
    return NAME.fullmatch(name) is not None


def read_column(name: str) -> Column:
    """Return what an observation's name says.

    >>> read_column("table_es_words_cluster3")
    Column(table='es_words', column='cluster', length=3, place=None)
    >>> read_column("table_en_vectors_code_12")
    Column(table='en_vectors', column='code', length=None, place=12)
    """
    table, column, length, place = NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    return Column(table, column, int(length) if length else None, int(place) if place else None)


def observe_columns(
    names: Iterable[str], gazetteers: Mapping[str, Gazetteer]
) -> dict[str, Callable[[str], Value]]:
    """Return the observations among ``names`` that are columns of tables. Raises :class:`TemplateError` where
    a table does not have the column."""
    return {name: observe_column(name, gazetteers) for name in names if is_column(name)}


def observe_column(name: str, gazetteers: Mapping[str, Gazetteer]) -> Callable[[str], Value]:
    """Make the observation of one column."""
    wanted = read_column(name)
    table = gazetteers.get(wanted.table)
    if not isinstance(table, WordTable):
        raise TemplateError(f"{name}: {wanted.table} is not a table of words")
    if wanted.column not in table.columns:
        near = did_you_mean(wanted.column, table.columns)
        raise TemplateError(f"{name}: the table {wanted.table} has no column {wanted.column}{near}")
    return OfTable(table.columns[wanted.column], wanted.length, wanted.place)


@dataclass(frozen=True)
class OfTable:
    """The observation of a text's value in a table: its first ``length`` characters, or the one at ``place``,
    which a text has only where the table has it.

    >>> OfTable({"rosa": "0132"}, 2)("Rosa"), OfTable({"rosa": ""}, 2)("rosa")
    ('01', None)
    >>> [OfTable({"rosa": "0132"}, place=3)(text) for text in ("rosa", "lily")]
    ['3', None]
    """

    values: Mapping[str, str]
    length: int | None = None
    place: int | None = None

    def __call__(self, text: str) -> Value:
        return self._cut([find_value(self.values, text)])[0]

    def observe_all(self, texts: Sequence[str]) -> list[Value]:
        """Observe many texts, most of which the table has as they are written: twice as fast."""
        if isinstance(self.values, TableColumn):
            return self._cut(self.values.find_all(texts))
        found = map(self.values.get, texts)
        return self._cut([find_value(self.values, t) if v is None else v for t, v in zip(texts, found)])

    def _cut(self, values: Sequence[str | None]) -> list[Value]:
        """Return the characters that count of some values."""
        if self.place is None:
            return [(value or "")[: self.length] or None for value in values]
        part = slice(self.place - 1, self.place)
        return [value[part] or None if value and value != UNKNOWN else None for value in values]
