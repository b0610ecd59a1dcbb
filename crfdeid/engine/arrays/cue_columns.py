"""The observations of :mod:`crfdeid.feature_extraction.cues` for all tokens of a batch at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.structure_columns import find_last, shift_right
from crfdeid.engine.arrays.text_numbers import ValueNumbers
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.feature_extraction.cues import FAR, LAST, NAME, NO_CUE, NUMBERS, Kinds, find_kind


def observe(name: str, kinds: Kinds, columns: ValueNumbers, batch: Batch) -> Ints:
    """The value numbers [tokens] of the observation ``name``."""
    observation, table = NAME.fullmatch(name).groups()
    names = ["", *sorted({*kinds.values(), *NUMBERS})]
    number = {kind: place for place, kind in enumerate(names)}
    found = columns.number_texts(f"cues {table}", lambda lowered: number[find_kind(kinds, lowered)])
    return FAST[observation](name, names, columns, batch, found[batch.texts])


def cue_before(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    where = shift_right(find_last(kind > 0))
    return number_near(name, names, columns, kind, where, where >= batch.line_first[batch.line])


def cue_after(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    size = len(batch)
    where = size - 1 - shift_right(find_last(kind[::-1] > 0))[::-1]
    return number_near(name, names, columns, kind, where, where < batch.line_stop[batch.line])


def number_near(
    name: str, names: list[str], columns: ValueNumbers, kind: Ints, where: Ints, valid: np.ndarray
) -> Ints:
    """The numbers of the kinds at ``where`` [tokens] with their distances; of no cue where not ``valid``."""
    numbers = [[columns.number(name, f"{one}.{far}") for far in range(FAR + 1)] for one in names]
    far = np.minimum(np.abs(np.arange(len(kind)) - where), FAR)
    near = np.array(numbers, np.int32)[kind[np.where(valid, where, 0)], far]
    return np.where(valid, near, columns.number(name, NO_CUE)).astype(np.int32)


def cues(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    places = np.flatnonzero(kind)
    line, own = batch.line[places], kind[places].astype(np.int64)
    changes = np.append(True, (np.diff(line) != 0) | (np.diff(own) != 0))[: len(places)]
    places, line, own = places[changes], line[changes], own[changes]
    state = own.copy()
    for back in range(1, LAST):  # the state's digits are the kinds of the last cues
        inside = shift_right(line, back) == line
        state += np.where(inside, shift_right(own, back), 0) * len(names) ** back
    marked = np.zeros(len(batch), bool)
    marked[places] = True
    after = np.append(0, np.cumsum(marked))[:-1] - 1  # which of the places is the last before each token
    valid = (after != NONE) & (np.append(line, NONE)[after] == batch.line)
    keys, back_to = np.unique(state, return_inverse=True)
    numbers = np.array([columns.number(name, name_state(key, names)) for key in keys.tolist()], np.int32)
    values = np.append(numbers[back_to], NONE)[np.where(valid, after, NONE)]
    return np.where(valid, values, columns.number(name, NO_CUE)).astype(np.int32)


def name_state(state: int, names: list[str]) -> str:
    """The value of a state.

    >>> name_state(2 * 3 + 1, ["", "code", "street"])
    'street.code'
    """
    last: list[str] = []
    while state:
        state, kind = divmod(state, len(names))
        last.append(names[kind])
    return ".".join(reversed(last))


FAST: dict[str, Callable[[str, list[str], ValueNumbers, Batch, Ints], Ints]] = {
    observation.__name__: observation for observation in (cue_before, cue_after, cues)
}
