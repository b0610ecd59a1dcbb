"""The observations of :mod:`crfdeid.feature_extraction.spanish` for all tokens of a batch at once.
Expressions are matched only at tokens that can begin one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.structure_columns import find_last, shift_right
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import FULL_STOP, NONE, ValueNumbers
from crfdeid.feature_extraction.spanish import (
    EXPRESSIONS,
    MENTIONS,
    MOST_PAIRS,
    SUBJECTS,
    can_begin,
    find_expressions,
    find_stem,
    find_subject,
)


def mark_expressions(name: str, columns: ValueNumbers, batch: Batch) -> Ints:
    """The numbers of the parts and kinds of expressions."""
    found = np.full(len(batch), NONE, np.int32)
    places = np.flatnonzero(columns.number_texts(name, partial(can_begin, name))[batch.texts])
    owners = np.searchsorted(places, batch.bounds)
    for number, document in enumerate(batch.documents):
        own = places[owners[number] : owners[number + 1]]
        matches = list(find_expressions(name, document.text, batch.starts[own].tolist()))
        mark_matches(name, columns, batch, number, matches, found)
    return found


def mark_matches(
    name: str,
    columns: ValueNumbers,
    batch: Batch,
    number: int,
    matches: list[tuple[int, int, str]],
    found: Ints,
) -> None:
    """Write the numbers of the expressions of one document."""
    begin, end = batch.bounds[number], batch.bounds[number + 1]
    starts = batch.starts[begin:end]
    firsts = begin + np.searchsorted(starts, [start for start, _, _ in matches])
    stops = begin + np.searchsorted(starts, [stop for _, stop, _ in matches])
    for (_, _, kind), first, stop in zip(matches, firsts.tolist(), stops.tolist()):
        found[first + 1 : stop] = columns.number(name, f"I{kind}")
        found[first] = columns.number(name, f"B{kind}")


def follow_mentions(name: str, columns: ValueNumbers, batch: Batch) -> Ints:
    """The numbers of the last mentions and their distances."""
    places = np.flatnonzero(columns.number_texts(name, lambda text: bool(find_stem(name, text)))[batch.texts])
    found = np.full(len(batch), NONE, np.int32)
    if not len(places):
        return found
    marked = np.zeros(len(batch), bool)
    marked[places] = True
    where = shift_right(find_last(marked))
    since = np.maximum(
        shift_right(find_last((batch.flags & FULL_STOP) != 0)), batch.line_first[batch.line] - 1
    )
    tokens = np.flatnonzero(where > since)
    pairs = np.minimum((tokens - where[tokens]) // 2, MOST_PAIRS)
    texts = batch.texts[where[tokens]]
    keys, back = np.unique(texts.astype(np.int64) * (MOST_PAIRS + 1) + pairs, return_inverse=True)
    lowered = columns.vocabulary.lowered
    numbers = [
        columns.number(name, f"{find_stem(name, lowered[key // (MOST_PAIRS + 1)])}.{key % (MOST_PAIRS + 1)}")
        for key in keys.tolist()
    ]
    found[tokens] = np.array(numbers, np.int32)[back]
    return found


def es_subject(columns: ValueNumbers, batch: Batch) -> Ints:
    kinds = ["", *SUBJECTS.values()]
    of_texts = columns.number_texts("subject", lambda text: kinds.index(find_subject(text)))
    subject = of_texts[batch.texts]
    where = shift_right(find_last(subject > 0))
    numbers = np.array([NONE, *(columns.number("es_subject", kind) for kind in kinds[1:])], np.int32)
    return np.where(where >= batch.line_first[batch.line], numbers[subject[where]], NONE).astype(np.int32)


FAST: dict[str, Callable[[ValueNumbers, Batch], Ints]] = {
    **{name: partial(mark_expressions, name) for name in EXPRESSIONS},
    **{name: partial(follow_mentions, name) for name in MENTIONS},
    "es_subject": es_subject,
}
