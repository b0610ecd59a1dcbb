"""The values of contextual observations for all tokens of a batch at once, as numbers.

:mod:`crfdeid.feature_extraction.context` defines the observations, in plain Python for one document. The
functions here give the same values by array operations (the tests compare the two). An observation without
a function here uses the plain definition, so every template works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from crfdeid.engine.arrays import spanish_columns, structure_columns
from crfdeid.engine.arrays.batch import AT_ONCE, Batch, GazetteerPhrases, PlainStretches, Stretches
from crfdeid.engine.arrays.structure_columns import (
    find_fields,
    find_last,
    number_headings,
    number_lowered,
    shift_right,
)
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import (
    ALPHABETIC,
    CAPITALISED,
    CASED,
    FULL_STOP,
    LINE_END,
    LONG,
    LOWERED_ALPHABETIC,
    NONE,
    TITLE,
    WITH_CAPITAL,
    WITH_SMALL,
    GrowableArray,
    TextNumbers,
    TokenVocabulary,
    form,
)
from crfdeid.feature_extraction.context import RARE, address_kind, chunk_shape, find_kinds, is_cue
from crfdeid.feature_extraction.pipeline import Extractor
from crfdeid.feature_extraction.templates import Contextual
from crfdeid.feature_extraction.token import YES, OfLowered, Value
from crfdeid.text.gazetteer import Gazetteer

# Their value is some token's lowered text.
BY_LOWERED_TEXT = ("field", "word_before", "word_after", *structure_columns.BY_LOWERED_TEXT)
NEAR = 6  # positions in a line that are distinguished
PHRASE = "phrase_"  # before the name of a gazetteer whose whole entries are found
OF_STRETCH = ("chunk", "written_as")  # their value depends on the text between white space
EDGE = 4  # lines at the top and at the bottom that are distinguished
REMEMBERED = 50_000  # stretches whose values are kept at once


def text_observations(names: Iterable[str], extractor: Extractor) -> dict[str, Callable[[str], Value]]:
    """The observations that depend only on a token's text, for a :class:`TokenVocabulary`."""
    lowered: dict[str, Callable[[str], Value]] = {
        name: OfLowered(str) for name in names if name in BY_LOWERED_TEXT
    }
    return lowered | {name: extractor.lexical[name] for name in names if name in extractor.lexical}


class ContextColumns:
    """Columns of value numbers. ``number(name, value)`` gives the number of a value, -1 for no value;
    ``compiled`` are compiled functions for some of the observations in :data:`FAST`. Other columns of the
    same vocabulary can lend their ``phrases``, which find the same entries in the same batches."""

    def __init__(
        self,
        contextual: Contextual,
        gazetteers: Mapping[str, Gazetteer],
        vocabulary: TokenVocabulary,
        number: Callable[[str, Value], int],
        make_stretches: Callable[[], Stretches] = PlainStretches,
        compiled: Mapping[str, Callable[[ContextColumns, Batch], Ints]] | None = None,
        lender: ContextColumns | None = None,
    ) -> None:
        self.contextual, self.gazetteers, self.number = contextual, gazetteers, number
        self.make_stretches, self.lender = make_stretches, lender
        self.fast = {**FAST, **(compiled or {})}
        self.forget(vocabulary)

    def forget(self, vocabulary: TokenVocabulary) -> None:
        """Begin with another vocabulary, which is empty."""
        self.vocabulary = vocabulary
        self.stretches, self.of_stretch = self.make_stretches(), self._make_arrays()
        self.numbered: tuple[Batch, np.ndarray] | None = None
        self.of_text: dict[str, TextNumbers] = {}
        self.headings: dict[tuple[str, bytes], int] = {}
        for phrases in vars(self).get("phrases", {}).values():
            phrases.forget(vocabulary)

    def forget_batch(self) -> None:
        """Let go of the last batch, whose arrays can be large."""
        self.numbered = None

    def column(self, name: str, batch: Batch) -> np.ndarray:
        """The value numbers [tokens] of an observation, or [values, tokens] if it has several values."""
        if batch.extra_columns and name in batch.extra_columns[0]:
            return self._number_column(
                name, (v for columns in batch.extra_columns for v in columns[name]), len(batch)
            )
        if name in self.vocabulary.values and name not in BY_LOWERED_TEXT:
            return self.vocabulary.values[name].rows[batch.texts]
        if name in self.fast:
            return self.fast[name](self, batch)
        if name.startswith(PHRASE):
            return self._phrase_column(name, batch)
        if is_cue(name):
            return structure_columns.observe_cues(name, find_kinds(name, self.gazetteers), self, batch)
        return self._plain_column(name, batch)

    def number_texts(self, key: str, find: Callable[[str], int]) -> Ints:
        """As :meth:`crfdeid.engine.arrays.vocabulary.ValueNumbers.number_texts`."""
        if key not in self.of_text:
            lowered = self.vocabulary.lowered
            self.of_text[key] = TextNumbers(self.vocabulary, lambda place: map(find, lowered[place:]))
        return self.of_text[key].rows

    def number_values(self, name: str, values: Sequence[Value]) -> np.ndarray:
        """The numbers of some values, as an array."""
        return np.array([self.number(name, value) for value in values], np.int32)

    def _phrase_column(self, name: str, batch: Batch) -> np.ndarray:
        return self.phrases[name].column(
            name.removeprefix(PHRASE), batch, self.number_values(name, (YES, "B", "I"))
        )

    @cached_property
    def phrases(self) -> dict[str, GazetteerPhrases]:
        """The gazetteers of whole entries, by the names of the observations."""
        found: dict[str, GazetteerPhrases] = {}
        lent = self.lender.phrases if self.lender else {}
        for name in (name for name in self.contextual if name.startswith(PHRASE) and name in lent):
            if lent[name].gazetteers[list_name := name.removeprefix(PHRASE)] is self.gazetteers[list_name]:
                found[name] = lent[name]
        names = [name for name in self.contextual if name.startswith(PHRASE) and name not in found]
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            lists = [name.removeprefix(PHRASE) for name in some]
            own = GazetteerPhrases({name: self.gazetteers[name] for name in lists}, self.vocabulary)
            found |= dict.fromkeys(some, own)
        return found

    def stretch_column(self, name: str, batch: Batch) -> np.ndarray:
        """The column of an observation in :data:`OF_STRETCH`."""
        if self.numbered is None or self.numbered[0] is not batch:
            self.numbered = batch, self._number_stretches(batch) + 1
        return self.of_stretch[name].rows[self.numbered[1]]

    def _number_stretches(self, batch: Batch) -> np.ndarray:
        """The number of each token's stretch; the values of new stretches are observed."""
        if len(self.stretches) > REMEMBERED:
            self.stretches = self.make_stretches()
            self.of_stretch = self._make_arrays()
        numbers, new = self.stretches.number(batch)
        if len(new):
            self._observe_stretches(batch, *new.T)
        return numbers

    def _observe_stretches(self, batch: Batch, first: Ints, stop: Ints) -> None:
        """Observe the stretches that begin at the tokens ``first`` and end before ``stop``."""
        owners, starts = batch.document[first].tolist(), batch.starts[first].tolist()
        places = zip(owners, starts, batch.ends[stop - 1].tolist())
        texts = [batch.documents[owner].text[a:b] for owner, a, b in places]
        for name, values in self.of_stretch.items():
            if name == "chunk":
                forms, is_end = list(map(form, texts)), (batch.flags[first] & LINE_END) != 0
                shapes = {like: self.number(name, chunk_shape(like)) for like in dict.fromkeys(forms)}
                values.extend([NONE if end else shapes[like] for like, end in zip(forms, is_end.tolist())])
            else:
                sizes = (stop - first).tolist()
                kinds = [address_kind(text) if size > 2 else None for text, size in zip(texts, sizes)]
                known = {kind: self.number(name, kind) for kind in dict.fromkeys(kinds)}
                values.extend([known[kind] for kind in kinds])

    def _make_arrays(self) -> dict[str, GrowableArray]:
        """For each observation the values of stretches, from 1 on; the first is that of a token by itself."""
        found = {name: GrowableArray(np.int32) for name in OF_STRETCH if name in self.contextual}
        for values in found.values():
            values.append(NONE)
        return found

    def _plain_column(self, name: str, batch: Batch) -> np.ndarray:
        """The column of an observation from its plain definition."""
        documents = (batch.tokenized(number) for number in range(len(batch.documents)))
        return self._number_column(
            name, (value for document in documents for value in self.contextual[name](document)), len(batch)
        )

    def _number_column(self, name: str, column: Iterable[Value], size: int) -> np.ndarray:
        """The numbers of the values in ``column``, one value (or a tuple of values) for each token."""
        values = list(column)
        most = max((len(v) for v in values if isinstance(v, tuple)), default=1)
        found = np.full((most, size), NONE, np.int32)
        for index, value in enumerate(values):
            for row, one in enumerate(value if isinstance(value, tuple) else (value,)):
                found[row, index] = self.number(name, one)
        return found if most > 1 else found[0]


def line_position(columns: ContextColumns, batch: Batch) -> np.ndarray:
    before = np.arange(len(batch)) - batch.line_first[batch.line]
    return _number_counts(columns, "line_position", before)


def line_left(columns: ContextColumns, batch: Batch) -> np.ndarray:
    after = batch.line_stop[batch.line] - 1 - np.arange(len(batch))
    return _number_counts(columns, "line_left", after)


def _number_counts(columns: ContextColumns, name: str, counts: np.ndarray) -> np.ndarray:
    """The value numbers of counts [tokens]; counts from ``NEAR`` - 1 on are one value."""
    numbers = columns.number_values(name, [str(n) for n in range(NEAR)])
    return numbers[np.minimum(counts, NEAR - 1)]


def line_case(columns: ContextColumns, batch: Batch) -> np.ndarray:
    bounds = np.append(batch.line_first, len(batch))
    count, cased, capital, small = count_words(batch, bounds, ALPHABETIC, CASED, WITH_CAPITAL, WITH_SMALL)
    lower, upper = columns.number_values("line_case", ("lower", "upper"))
    is_lower = (cased > 0) & (capital == 0)
    is_upper = (count > 1) & (cased > 0) & (small == 0)
    return np.where(is_lower, lower, np.where(is_upper, upper, NONE)).astype(np.int32)[batch.line]


def document_case(columns: ContextColumns, batch: Batch) -> np.ndarray:
    count, capital, small = count_words(batch, batch.bounds, ALPHABETIC, WITH_CAPITAL, WITH_SMALL)
    lower, upper = columns.number_values("document_case", ("lower", "upper"))
    values = np.where(capital <= count * RARE, lower, np.where(small <= count * RARE, upper, NONE))
    return np.where(capital + small > 0, values, NONE).astype(np.int32)[batch.document]


def count_words(batch: Batch, bounds: np.ndarray, *flags: int) -> list[np.ndarray]:
    """Count the words with each flag in the parts of the batch that ``bounds`` [parts + 1] delimit."""
    found: list[np.ndarray] = []
    for flag in flags:
        wanted = ALPHABETIC | flag
        total = np.zeros(len(batch) + 1, np.int32)
        np.cumsum((batch.flags & wanted) == wanted, out=total[1:])
        found.append(np.diff(total[bounds]))
    return found


def page_position(columns: ContextColumns, batch: Batch) -> np.ndarray:
    owner = batch.document[batch.line_first]
    lines = np.bincount(owner, minlength=len(batch.documents))
    first = np.cumsum(lines) - lines
    number = np.arange(len(owner)) - first[owner]
    left = lines[owner] - 1 - number
    top = columns.number_values("page_position", [f"top{n}" for n in range(EDGE)])
    bottom = columns.number_values("page_position", [f"bottom{n}" for n in range(EDGE)])
    last = EDGE - 1
    below = np.where(left <= last, bottom[np.minimum(left, last)], NONE)
    return np.where(number <= last, top[np.minimum(number, last)], below).astype(np.int32)[batch.line]


def heading(columns: ContextColumns, batch: Batch) -> np.ndarray:
    numbers = number_headings(columns, "heading", batch)
    is_heading = numbers != NONE
    latest = find_last(is_heading)
    owner = batch.document[batch.line_first]
    known = (latest != NONE) & (owner[latest] == owner)
    return np.where(known, np.maximum(numbers[latest], NONE), NONE).astype(np.int32)[batch.line]


def field(columns: ContextColumns, batch: Batch) -> np.ndarray:
    return number_lowered(columns, "field", batch, *find_fields(batch))


def word_before(columns: ContextColumns, batch: Batch) -> np.ndarray:
    before = shift_right(find_last((batch.flags & LOWERED_ALPHABETIC) != 0))
    return number_lowered(columns, "word_before", batch, before, before >= batch.line_first[batch.line])


def word_after(columns: ContextColumns, batch: Batch) -> np.ndarray:
    size = len(batch)
    nearest = size - 1 - find_last(((batch.flags & LOWERED_ALPHABETIC) != 0)[::-1])[::-1]
    after = np.concatenate([nearest[1:], [size]])[:size]
    return number_lowered(columns, "word_after", batch, after, after < batch.line_stop[batch.line])


def chunk(columns: ContextColumns, batch: Batch) -> np.ndarray:
    return columns.stretch_column("chunk", batch)


def written_as(columns: ContextColumns, batch: Batch) -> np.ndarray:
    return columns.stretch_column("written_as", batch)


def titled(columns: ContextColumns, batch: Batch) -> np.ndarray:
    found = np.full(len(batch), NONE, np.int32)
    names = _after_titles(batch, np.flatnonzero(batch.flags & TITLE))
    if not len(names):
        return found
    lower, size = columns.vocabulary.lower.rows, len(columns.vocabulary.lower_numbers)
    capital = np.flatnonzero(batch.flags & CAPITALISED)
    of_names, of_capital = (
        batch.document[w] * np.int64(size) + lower[batch.texts[w]] for w in (names, capital)
    )
    found[capital[np.isin(of_capital, of_names)]] = columns.number("titled", YES)
    return found


def _after_titles(batch: Batch, titles: np.ndarray) -> np.ndarray:
    """The indices of capitalised words of three letters or more after titles."""
    stop = batch.bounds[batch.document[titles] + 1]
    stops = np.append((batch.flags & FULL_STOP) != 0, False)
    after = np.where(stops[titles + 1], titles + 2, titles + 1)
    after = after[after < stop]
    wanted = ALPHABETIC | CAPITALISED | LONG
    return after[(batch.flags[after] & wanted) == wanted]


FAST: dict[str, Callable[[ContextColumns, Batch], np.ndarray]] = {
    **structure_columns.FAST,
    **spanish_columns.FAST,
} | {
    observe.__name__: observe
    for observe in (
        line_position, line_left, line_case, document_case, page_position, heading, field, word_before,
        word_after, chunk, written_as, titled,
    )
}  # fmt: skip
