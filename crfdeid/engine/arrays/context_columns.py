"""Contextual observations of all tokens of a batch at once, as value numbers.

:mod:`crfdeid.feature_extraction.context` defines them, for one document and in plain Python. Here
array operations give the same values (the tests compare the two). An observation without a
function here is computed from the document itself, so every template works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.gazetteer_columns import GazetteerPhrases
from crfdeid.engine.arrays.vocabulary import (
    ALPHABETIC,
    CAPITALISED,
    CASED,
    COLON,
    FULL_STOP,
    LINE_END,
    LONG,
    LOWERED_ALPHABETIC,
    NONE,
    TITLE,
    WITH_CAPITAL,
    WITH_SMALL,
    TokenVocabulary,
)
from crfdeid.feature_extraction.context import HEADING_WORDS, address_kind, chunk_shape
from crfdeid.feature_extraction.registry import Contextual
from crfdeid.feature_extraction.templates import Extractor
from crfdeid.feature_extraction.token import YES, Value
from crfdeid.text.gazetteer import Gazetteer

BY_LOWERED_TEXT = ("field", "word_before", "word_after")  # their value is some token's lowered text
NEAR = 6  # how far positions are told apart
EDGE = 4  # lines from the top and the bottom that are told
REMEMBERED = 50_000  # stretches whose values are kept at once


def text_observations(names: Iterable[str], extractor: Extractor) -> dict[str, Callable[[str], Value]]:
    """Those of the observations that a token's text decides, for a table of texts."""
    lowered = {name: str.lower for name in names if name in BY_LOWERED_TEXT}
    return lowered | {name: extractor.lexical[name] for name in names if name in extractor.lexical}


class ContextColumns:
    """``number(name, value)`` tells a value as a number; -1 stands for none."""

    def __init__(
        self,
        contextual: Contextual,
        gazetteers: Mapping[str, Gazetteer],
        texts: TokenVocabulary,
        number: Callable[[str, Value], int],
    ) -> None:
        self.contextual, self.gazetteers, self.texts, self.number = contextual, gazetteers, texts, number
        self.phrases: dict[str, GazetteerPhrases] = {}
        self.stretches: dict[str, dict[str, int]] = {"chunk": {}, "written_as": {}}

    def column(self, name: str, batch: Batch) -> np.ndarray:
        """Value numbers [tokens]; for an observation of several values [values, tokens]."""
        if batch.extra_columns and name in batch.extra_columns[0]:
            return self._numbered(
                name, (v for columns in batch.extra_columns for v in columns[name]), len(batch)
            )
        if name in self.texts.values and name not in BY_LOWERED_TEXT:
            return self.texts.values[name].rows[batch.texts]
        if name in FAST:
            return FAST[name](self, batch)
        if name.startswith("phrase_"):
            return self._phrases(name, batch)
        return self._asked(name, batch)

    def small(self, name: str, values: Sequence[Value]) -> np.ndarray:
        """The numbers of a few values."""
        return np.array([self.number(name, value) for value in values], np.int32)

    def _phrases(self, name: str, batch: Batch) -> np.ndarray:
        if name not in self.phrases:
            gazetteer = self.gazetteers[name.removeprefix("phrase_")]
            self.phrases[name] = GazetteerPhrases(gazetteer, self.texts, self.small(name, (YES, "B", "I")))
        return self.phrases[name].column(batch)

    def _asked(self, name: str, batch: Batch) -> np.ndarray:
        pages = (batch.page(number) for number in range(len(batch.documents)))
        return self._numbered(
            name, (value for page in pages for value in self.contextual[name](page)), len(batch)
        )

    def _numbered(self, name: str, column: Iterable[Value], size: int) -> np.ndarray:
        values = list(column)
        most = max((len(v) for v in values if isinstance(v, tuple)), default=1)
        found = np.full((most, size), NONE, np.int32)
        for index, value in enumerate(values):
            for row, one in enumerate(value if isinstance(value, tuple) else (value,)):
                found[row, index] = self.number(name, one)
        return found if most > 1 else found[0]


def line_position(columns: ContextColumns, batch: Batch) -> np.ndarray:
    before = np.arange(len(batch)) - batch.line_first[batch.line]
    return _counted(columns, "line_position", before)


def line_left(columns: ContextColumns, batch: Batch) -> np.ndarray:
    after = batch.line_stop[batch.line] - 1 - np.arange(len(batch))
    return _counted(columns, "line_left", after)


def _counted(columns: ContextColumns, name: str, counts: np.ndarray) -> np.ndarray:
    numbers = columns.small(name, [str(n) for n in range(NEAR)])
    return numbers[np.minimum(counts, NEAR - 1)]


def line_case(columns: ContextColumns, batch: Batch) -> np.ndarray:
    words = (batch.flags & ALPHABETIC) != 0
    count, cased, capital, small = (
        np.bincount(batch.line, words & ((batch.flags & flag) != 0), len(batch.line_first))
        for flag in (ALPHABETIC, CASED, WITH_CAPITAL, WITH_SMALL)
    )
    lower, upper = columns.small("line_case", ("lower", "upper"))
    is_lower = (cased > 0) & (capital == 0)
    is_upper = (count > 1) & (cased > 0) & (small == 0)
    return np.where(is_lower, lower, np.where(is_upper, upper, NONE)).astype(np.int32)[batch.line]


def page_position(columns: ContextColumns, batch: Batch) -> np.ndarray:
    owner = batch.document[batch.line_first]
    lines = np.bincount(owner, minlength=len(batch.documents))
    first = np.cumsum(lines) - lines
    number = np.arange(len(owner)) - first[owner]
    left = lines[owner] - 1 - number
    top = columns.small("page_position", [f"top{n}" for n in range(EDGE)])
    bottom = columns.small("page_position", [f"bottom{n}" for n in range(EDGE)])
    last = EDGE - 1
    below = np.where(left <= last, bottom[np.minimum(left, last)], NONE)
    return np.where(number <= last, top[np.minimum(number, last)], below).astype(np.int32)[batch.line]


def heading(columns: ContextColumns, batch: Batch) -> np.ndarray:
    colons = np.flatnonzero(batch.flags & COLON)
    lines, where = np.unique(batch.line[colons], return_index=True)
    numbers = np.full(len(batch.line_first), NONE, np.int32)
    said = np.full(len(batch.line_first), NONE)  # the line itself where it has a heading
    for line, colon in zip(lines.tolist(), colons[where].tolist()):
        if words := _leading_words(columns.texts, batch, int(batch.line_first[line]), colon):
            numbers[line], said[line] = columns.number("heading", words), line
    latest = np.maximum.accumulate(said) if len(said) else said
    owner = batch.document[batch.line_first]
    known = (latest != NONE) & (owner[latest] == owner)
    return np.where(known, numbers[latest], NONE).astype(np.int32)[batch.line]


def _leading_words(texts: TokenVocabulary, batch: Batch, first: int, colon: int) -> str:
    words: list[str] = []
    for text, flags in zip(batch.texts[first:colon].tolist(), batch.flags[first:colon].tolist()):
        if len(words) == HEADING_WORDS:
            return ""
        if flags & LOWERED_ALPHABETIC:
            words.append(texts.lowered[text])
    return " ".join(words)


def field(columns: ContextColumns, batch: Batch) -> np.ndarray:
    names = np.zeros(len(batch), bool)  # a word before a colon
    names[:-1] = ((batch.flags[:-1] & LOWERED_ALPHABETIC) != 0) & ((batch.flags[1:] & COLON) != 0)
    names[batch.line_stop - 1] = False
    nearest = _latest(names)
    # The name counts after its colon, so for the second token after it.
    after = np.concatenate([[NONE, NONE], nearest[:-2]])[: len(batch)]
    return _lowered(columns, "field", batch, after, after >= batch.line_first[batch.line])


def word_before(columns: ContextColumns, batch: Batch) -> np.ndarray:
    nearest = _latest((batch.flags & LOWERED_ALPHABETIC) != 0)
    before = np.concatenate([[NONE], nearest[:-1]])[: len(batch)]
    return _lowered(columns, "word_before", batch, before, before >= batch.line_first[batch.line])


def word_after(columns: ContextColumns, batch: Batch) -> np.ndarray:
    size = len(batch)
    nearest = size - 1 - _latest(((batch.flags & LOWERED_ALPHABETIC) != 0)[::-1])[::-1]
    after = np.concatenate([nearest[1:], [size]])[:size]
    return _lowered(columns, "word_after", batch, after, after < batch.line_stop[batch.line])


def _latest(marked: np.ndarray) -> np.ndarray:
    """The index of the last marked place up to each, -1 before the first.

    >>> _latest(np.array([False, True, False])).tolist()
    [-1, 1, 1]
    """
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), NONE))


def _lowered(
    columns: ContextColumns, name: str, batch: Batch, where: np.ndarray, valid: np.ndarray
) -> np.ndarray:
    """The value numbers of the lowered texts of the tokens ``where``."""
    texts = batch.texts[np.where(valid, where, 0)]
    return np.where(valid, columns.texts.values[name].rows[texts], NONE)


def chunk(columns: ContextColumns, batch: Batch) -> np.ndarray:
    return _of_stretches(columns, "chunk", batch, 2, chunk_shape)


def written_as(columns: ContextColumns, batch: Batch) -> np.ndarray:
    return _of_stretches(columns, "written_as", batch, 3, address_kind)


def _of_stretches(
    columns: ContextColumns, name: str, batch: Batch, least: int, ask: Callable[[str], Value]
) -> np.ndarray:
    """What ``ask`` says of each stretch of ``least`` tokens or more without white space between."""
    begins = np.ones(len(batch), bool)
    begins[1:] = batch.ends[:-1] != batch.starts[1:]
    begins[batch.bounds[:-1][np.diff(batch.bounds) > 0]] = True
    first = np.flatnonzero(begins)
    sizes = np.diff(np.append(first, len(batch)))
    many = sizes >= least
    if name == "chunk":
        many &= (batch.flags[first] & LINE_END) == 0
    known = columns.stretches[name]
    if len(known) > REMEMBERED:
        known.clear()
    numbers = np.full(len(first), NONE, np.int32)
    numbers[many] = [
        _remembered(known, batch.slice(a, a + size), lambda text: columns.number(name, ask(text)))
        for a, size in zip(first[many].tolist(), sizes[many].tolist())
    ]
    return np.repeat(numbers, sizes)


def _remembered(known: dict[str, int], text: str, ask: Callable[[str], int]) -> int:
    if text not in known:
        known[text] = ask(text)
    return known[text]


def titled(columns: ContextColumns, batch: Batch) -> np.ndarray:
    found = np.full(len(batch), NONE, np.int32)
    titles = np.flatnonzero(batch.flags & TITLE)
    lower = columns.texts.lower.rows[batch.texts].astype(np.int64)
    key = batch.document * np.int64(len(columns.texts.lower_numbers) + 1) + lower
    names = key[_after_titles(batch, titles)]
    capital = np.flatnonzero(batch.flags & CAPITALISED)
    found[capital[np.isin(key[capital], names)]] = columns.number("titled", YES)
    return found


def _after_titles(batch: Batch, titles: np.ndarray) -> np.ndarray:
    """The indices of capitalised words of three letters or more after titles."""
    stop = batch.bounds[batch.document[titles] + 1]
    after = titles + 1
    stops = np.append((batch.flags & FULL_STOP) != 0, False)
    after = np.where((after < stop) & stops[np.minimum(after, len(batch))], after + 1, after)
    after = after[after < stop]
    wanted = ALPHABETIC | CAPITALISED | LONG
    return after[(batch.flags[after] & wanted) == wanted]


FAST: dict[str, Callable[[ContextColumns, Batch], np.ndarray]] = {
    observe.__name__: observe
    for observe in (
        line_position, line_left, line_case, page_position, heading, field, word_before, word_after,
        chunk, written_as, titled,
    )
}  # fmt: skip
