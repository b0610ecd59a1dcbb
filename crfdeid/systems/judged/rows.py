"""What the trees see of the possible spans of a batch: a row [columns] for each, made by array operations.

The columns are the CRF's probability, the candidates that compete with it, its place, how much of the note
is surely PHI, the values of observations at its first and last token and beside them (as numbers: the
value's place in a list that training made), and how training labels its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import Batch, list_places
from crfdeid.engine.arrays.context_columns import BY_LOWERED_TEXT, ContextColumns
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import CAPITALISED, LINE_END, TextNumbers, TokenVocabulary
from crfdeid.engine.decoding.chain import Candidates
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import resolve_names
from crfdeid.feature_extraction.token import Value
from crfdeid.systems.judged import word_evidence
from crfdeid.systems.judged.word_evidence import EMPTY, WordShares, describe_token_types

EDGE = 1e-4  # probabilities are this far from 0 and 1 at least, so that their log odds are finite
NONE = -1

Values = Mapping[str, Sequence[Value]]  # by observation, in the order of their numbers

NEAR = 40  # tokens: a sure span of the same type within them counts
LIKELY = 0.5  # the probability of a sure span
GAP = 10_000  # tokens between two notes, so that their spans are not near
RIVALS = (
    "best rival",
    "all rivals",
    "rival of the type",
    "rival of the range",
    "longer rival",
    "shorter rival",
)

SURE, POSSIBLE = 0.7, 0.3  # probabilities
OF_PLACE = ("tokens", "line length", "place in note", "capital", "after stop", "before stop")
OF_NOTE = ("log tokens", "sure spans", "share of sure ones", "share of possible ones", "share of all", "best")
OF_SIGNS = ("letters", "capitals", "digits", "signs")
MOST_SIGNS = 999  # of a token; more are not distinguished
OUTSIDE = -3  # the value of an observation beside the document


def compute_log_odds(probabilities: Floats) -> Floats:
    """Return the log odds of probabilities, finite ones also of 0 and 1."""
    inside = np.clip(probabilities, EDGE, 1.0 - EDGE)
    return np.log(inside / (1.0 - inside))


class ValueNumbers:
    """The numbers of the values of each observation. Where ``values`` are given, another value has none;
    otherwise each new value gets the next number."""

    def __init__(self, names: Iterable[str], values: Values | None = None) -> None:
        self.grows = values is None
        known = values or {name: () for name in names}
        self.numbers = {name: {value: n for n, value in enumerate(own)} for name, own in known.items()}

    def number(self, name: str, value: Value) -> int:
        """The number of a value, -1 for none."""
        own = self.numbers[name]
        if value is None:
            return NONE
        return own.setdefault(value, len(own)) if self.grows else own.get(value, NONE)

    def sort(self) -> dict[str, list[Value]]:
        """Return the values in order, those that are whole numbers by their size."""
        return {name: sorted(own, key=order_value) for name, own in self.numbers.items()}


def order_value(value: Value) -> tuple[int, int, str]:
    """What values are sorted by: numbers come first.

    >>> sorted(["b", "10", "-2", "a"], key=order_value)
    ['-2', '10', 'a', 'b']
    """
    text = str(value)
    is_number = text.removeprefix("-").isdecimal()
    return (0, int(text), text) if is_number else (1, 0, text)


class TokenValues:
    """The numbers of the values of ``names`` at tokens of batches that ``decoder`` made."""

    def __init__(self, names: Sequence[str], pipeline: Pipeline, numbers: ValueNumbers) -> None:
        if slow := sorted(set(names) & set(BY_LOWERED_TEXT)):
            raise ConfigurationError(f"options.observations: {slow[0]}: its value is a word")
        found = resolve_names(names, pipeline.gazetteers)
        self.names, self.pipeline, self.numbers = names, pipeline, numbers
        self.lexical, self.contextual = found.lexical, found.contextual
        self.columns: ContextColumns | None = None
        self.of_text: dict[str, TextNumbers] = {}

    def read(self, decoder: AdaptiveDecoder, batch: Batch) -> Callable[[str, Ints], Ints]:
        """Return a function that gives the numbers of an observation at some tokens of the batch."""
        context = self._follow(decoder)
        columns: dict[str, Ints] = {}

        def find(name: str, places: Ints) -> Ints:
            if name in self.lexical:
                found: Ints = self.of_text[name].rows[batch.texts[places]]
                return found
            if name not in columns:
                columns[name] = context.column(name, batch)
            found = columns[name][places]
            return found

        return find

    def forget(self) -> None:
        """Forget the texts of the batches."""
        self.columns, self.of_text = None, {}

    def _follow(self, decoder: AdaptiveDecoder) -> ContextColumns:
        """Return the columns of the decoder's vocabulary; begin again where it is another one."""
        vocabulary, number = decoder.decoder.vocabulary, self.numbers.number
        if self.columns is None or self.columns.vocabulary is not vocabulary:
            self.columns = ContextColumns(
                self.contextual,
                self.pipeline.gazetteers,
                vocabulary,
                number,
                *decoder.decoder.choose_arrays(),
                lender=decoder.decoder.columns,
            )
            self.of_text = {
                name: TextNumbers(vocabulary, partial(vocabulary.number_values, name, observe, number))
                for name, observe in self.lexical.items()
            }
        return self.columns


class OfTexts(NamedTuple):
    """Numbers of the texts of a vocabulary: the words' rows in ``shares``, whether they are full stops, and
    their :data:`OF_SIGNS`."""

    vocabulary: TokenVocabulary
    shares: WordShares
    rows: TextNumbers
    stops: TextNumbers
    signs: Sequence[TextNumbers]


class SpanRows:
    """Describes the candidates of batches that ``decoder`` made. ``inside`` and ``beside`` name the
    observations at the first and last token, and at the tokens before and after. With ``note_types``, the
    columns of :mod:`~crfdeid.systems.judged.word_evidence` come last."""

    def __init__(
        self,
        values: TokenValues,
        inside: Sequence[str],
        beside: Sequence[str],
        types: Sequence[str],
        note_types: bool = False,
    ) -> None:
        self.values, self.inside, self.beside, self.types = values, inside, beside, types
        self.note_types = note_types
        self.of_texts: OfTexts | None = None

    def describe(
        self, decoder: AdaptiveDecoder, batch: Batch, found: Candidates, shares: WordShares
    ) -> Floats:
        """Return the rows [candidates, columns]; the candidates' types are numbers of ``types``."""
        if not len(found.first):
            return np.zeros((0, 0), np.float32)
        of_texts = self._follow(decoder.decoder.vocabulary, shares)
        owner = batch.document[found.first]
        bounds = np.column_stack([batch.bounds[owner], batch.bounds[owner + 1]])
        far = found._replace(first=found.first + owner * GAP, last=found.last + owner * GAP)
        rows = np.append(of_texts.rows.rows[batch.texts], shares.number(EMPTY))
        parts = [
            compute_log_odds(found.probabilities)[:, None],
            found.types[:, None],
            describe_rivals(far.first, far.last, far.types, far.probabilities),
            describe_places(batch, found, bounds, of_texts),
            describe_notes(batch, found, owner),
            *self._observe(decoder, batch, found, bounds),
            shares.describe(rows, bounds, found),
        ]
        if self.note_types:
            lower = decoder.decoder.vocabulary.lower.rows[batch.texts]
            parts.append(describe_token_types(batch, found, len(self.types), lower, bounds))
        return np.concatenate([part.astype(np.float32) for part in parts], axis=1)

    def forget(self) -> None:
        """Forget the texts of the batches."""
        self.of_texts = None
        self.values.forget()

    def _follow(self, vocabulary: TokenVocabulary, shares: WordShares) -> OfTexts:
        """Return the numbers of a vocabulary's texts; begin again where it or the shares are others."""
        known = self.of_texts
        if known is None or known.vocabulary is not vocabulary or known.shares is not shares:
            self.of_texts = known = number_texts(vocabulary, shares)
        return known

    def _observe(
        self, decoder: AdaptiveDecoder, batch: Batch, found: Candidates, bounds: Ints
    ) -> list[Floats]:
        find = self.values.read(decoder, batch)
        first, last = found.first, found.last
        has_left, has_right = first > bounds[:, 0], last + 1 < bounds[:, 1]
        left, right = np.where(has_left, first - 1, first), np.where(has_right, last + 1, last)
        columns = [find(name, places) for places in (first, last) for name in self.inside]
        columns += [np.where(has_left, find(name, left), OUTSIDE) for name in self.beside]
        columns += [np.where(has_right, find(name, right), OUTSIDE) for name in self.beside]
        return [np.column_stack(columns)] if columns else []

    def list_names(self) -> list[str]:
        """Return the names of the columns."""
        own = [f"{name} {place}" for place in ("of first", "of last") for name in self.inside]
        own += [f"{name} {place}" for place in ("before", "after") for name in self.beside]
        rivals = [*RIVALS, "sure ones near"]
        of_note = word_evidence.TYPE_NAMES if self.note_types else ()
        return [
            "probability", "type", *rivals, *OF_PLACE, *OF_SIGNS, *OF_NOTE, *own, *word_evidence.SHARE_NAMES,
            *of_note,
        ]  # fmt: skip


def number_texts(vocabulary: TokenVocabulary, shares: WordShares) -> OfTexts:
    """Return the numbers of the texts of a vocabulary, which can grow."""
    strings, lowered = vocabulary.strings, vocabulary.lowered
    tests: tuple[Callable[[str], bool], ...] = (str.isalpha, str.isupper, str.isdigit, bool)

    def count_signs(is_one: Callable[[str], bool], place: int) -> Iterator[int]:
        return (min(sum(map(is_one, text)), MOST_SIGNS) for text in strings[place:])

    return OfTexts(
        vocabulary,
        shares,
        TextNumbers(vocabulary, lambda place: map(shares.number, lowered[place:])),
        TextNumbers(vocabulary, lambda place: (text == "." for text in strings[place:])),
        [TextNumbers(vocabulary, partial(count_signs, is_one)) for is_one in tests],
    )


def describe_places(batch: Batch, found: Candidates, bounds: Ints, of_texts: OfTexts) -> Floats:
    """Return the columns :data:`OF_PLACE` and :data:`OF_SIGNS` of the candidates."""
    first, last = found.first, found.last
    line = batch.line[first]
    before, after = first - 1, np.minimum(last + 1, len(batch) - 1)
    stops = of_texts.stops.rows
    signs = [np.append(0, np.cumsum(counts.rows[batch.texts])) for counts in of_texts.signs]
    columns = [
        last + 1 - first,
        batch.line_stop[line] - batch.line_first[line],
        (first - bounds[:, 0]) / (bounds[:, 1] - bounds[:, 0]),
        (batch.flags[first] & CAPITALISED) != 0,
        (first > bounds[:, 0]) & (stops[batch.texts[before]] == 1),
        (last + 1 < bounds[:, 1]) & (stops[batch.texts[after]] == 1),
        *(total[last + 1] - total[first] for total in signs),
    ]
    return np.column_stack(columns)


def describe_notes(batch: Batch, found: Candidates, owner: Ints) -> Floats:
    """Return the columns :data:`OF_NOTE` of the note of each candidate."""
    size = len(batch.documents)
    tokens = np.diff(batch.bounds)
    sure, possible, every = (
        np.bincount(owner[found.probabilities > least], minlength=size) for least in (SURE, POSSIBLE, 0.0)
    )
    best = np.zeros(size)
    np.maximum.at(best, owner, found.probabilities)
    share = 100.0 / np.maximum(tokens, 1)
    of_note = np.column_stack([np.log1p(tokens), sure, sure * share, possible * share, every * share, best])
    return of_note[owner]


def trim_candidates(batch: Batch, found: Candidates) -> Candidates:
    """Return the candidates without line ends at their ends; those that become equal are one."""
    first, last = found.first.copy(), found.last.copy()
    is_end = (batch.flags & LINE_END) != 0
    while (wide := is_end[first] & (first < last)).any():
        first[wide] += 1
    while (wide := is_end[last] & (first < last)).any():
        last[wide] -= 1
    kept = ~is_end[first]
    keys = np.column_stack([first, last, found.types])[kept]
    if not len(keys):
        return found.select(np.zeros(0, np.int64))
    keys, back = np.unique(keys, axis=0, return_inverse=True)
    probabilities = np.bincount(back.ravel(), found.probabilities[kept], len(keys))
    return Candidates(keys[:, 0], keys[:, 1], keys[:, 2], np.minimum(probabilities, 1.0))


def describe_rivals(first: Ints, last: Ints, type: Ints, mean: Floats) -> Floats:
    """Return the columns :data:`RIVALS` and the number of sure spans of the type near each candidate."""
    one, other = pair_near(first, last)
    value = mean[other]
    overlap = (first[other] <= last[one]) & (last[other] >= first[one])
    same_range = (first[other] == first[one]) & (last[other] == last[one])
    masks = [
        overlap,
        overlap & (type[other] == type[one]),
        overlap & same_range,
        overlap & (first[other] <= first[one]) & (last[other] >= last[one]),
        overlap & (first[other] >= first[one]) & (last[other] <= last[one]),
    ]
    best = [find_largest(one, np.where(mask, value, 0.0), len(first)) for mask in masks]
    total = np.bincount(one, np.where(overlap, value, 0.0), len(first))
    sure = ~overlap & (type[other] == type[one]) & (value > LIKELY)
    return np.column_stack([best[0], total, *best[1:], np.bincount(one, sure, len(first))])


def find_largest(groups: Ints, values: Floats, number: int) -> Floats:
    """The largest value of each group, 0 for a group without values; ``groups`` are sorted."""
    found = np.zeros(number)
    np.maximum.at(found, groups, values)
    return found


def pair_near(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of different candidates that overlap or are at most :data:`NEAR` tokens apart, as two
    arrays of their numbers; the first is sorted."""
    order = np.argsort(first, kind="stable")
    starts = first[order]
    reach = int((last - first).max()) + NEAR
    low = np.searchsorted(starts, first - reach)
    high = np.searchsorted(starts, last + NEAR, side="right")
    sizes = high - low
    one = np.repeat(np.arange(len(first)), sizes)
    other = order[list_places(low, sizes)]
    keep = (one != other) & (last[other] >= first[one] - NEAR)
    return one[keep], other[keep]
