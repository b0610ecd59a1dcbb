"""Contextual observations for all tokens of a batch, compiled by numba: those that take long in array
operations (:mod:`crfdeid.engine.arrays.context_columns`). Each function goes through the tokens once.
Stretches are numbered by the numbers of their texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numba import njit

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.context_columns import ContextColumns
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import (
    ALPHABETIC,
    CAPITALISED,
    CASED,
    COLON,
    FULL_STOP,
    LONG,
    LOWERED_ALPHABETIC,
    NONE,
    TITLE,
    WITH_CAPITAL,
    WITH_SMALL,
    enlarge,
)
from crfdeid.engine.kept_loops import BARE
from crfdeid.feature_extraction.context import RARE
from crfdeid.feature_extraction.token import YES

NAME = ALPHABETIC | CAPITALISED | LONG

MIX = np.uint64(0x9E3779B97F4A7C15)


def number_words(name: str, fill: Callable[..., None], columns: ContextColumns, batch: Batch) -> Ints:
    """The numbers of the words that ``fill`` finds for each token in its line."""
    found = np.full(len(batch), NONE, np.int32)
    values = columns.vocabulary.values[name].rows
    fill(batch.texts, batch.flags, batch.line_first, batch.line_stop, values, found)
    return found


@njit(**BARE)
def fill_fields(texts, flags, first, stop, values, found):
    """The word before the nearest colon to the left."""
    for line in range(len(first)):
        last = NONE
        for t in range(first[line] + 2, stop[line]):
            if flags[t - 1] & COLON and flags[t - 2] & LOWERED_ALPHABETIC:
                last = values[texts[t - 2]]
            found[t] = last


@njit(**BARE)
def fill_words_before(texts, flags, first, stop, values, found):
    """The nearest word to the left."""
    for line in range(len(first)):
        last = NONE
        for t in range(first[line], stop[line]):
            found[t] = last
            if flags[t] & LOWERED_ALPHABETIC:
                last = values[texts[t]]


@njit(**BARE)
def fill_words_after(texts, flags, first, stop, values, found):
    """The nearest word to the right."""
    for line in range(len(first)):
        last = NONE
        for t in range(stop[line] - 1, first[line] - 1, -1):
            found[t] = last
            if flags[t] & LOWERED_ALPHABETIC:
                last = values[texts[t]]


def number_cases(name: str, fill: Callable[..., None], columns: ContextColumns, batch: Batch) -> Ints:
    """The numbers of the cases that ``fill`` finds for each line or document."""
    found = np.full(len(batch), NONE, np.int32)
    lower, upper = columns.number_values(name, ("lower", "upper")).tolist()
    bounds = np.append(batch.line_first, len(batch)) if name == "line_case" else batch.bounds
    fill(batch.flags, bounds, lower, upper, found)
    return found


@njit(**BARE)
def fill_line_cases(flags, bounds, lower, upper, found):
    """``lower`` in lines without capitals, ``upper`` in those of several words without small letters."""
    for line in range(len(bounds) - 1):
        words = cased = capital = small = 0
        for t in range(bounds[line], bounds[line + 1]):
            if flags[t] & ALPHABETIC:
                words += 1
                cased += 1 if flags[t] & CASED else 0
                capital += 1 if flags[t] & WITH_CAPITAL else 0
                small += 1 if flags[t] & WITH_SMALL else 0
        if cased and not capital:
            found[bounds[line] : bounds[line + 1]] = lower
        elif words > 1 and cased and not small:
            found[bounds[line] : bounds[line + 1]] = upper


@njit(**BARE)
def fill_document_cases(flags, bounds, lower, upper, found):
    """``lower`` in documents with few capitals, ``upper`` in those with few small letters."""
    for d in range(len(bounds) - 1):
        words = capital = small = 0
        for t in range(bounds[d], bounds[d + 1]):
            if flags[t] & ALPHABETIC:
                words += 1
                capital += 1 if flags[t] & WITH_CAPITAL else 0
                small += 1 if flags[t] & WITH_SMALL else 0
        if capital + small == 0:
            continue
        if capital <= words * RARE:
            found[bounds[d] : bounds[d + 1]] = lower
        elif small <= words * RARE:
            found[bounds[d] : bounds[d + 1]] = upper


def titled(columns: ContextColumns, batch: Batch) -> Ints:
    found = np.full(len(batch), NONE, np.int32)
    vocabulary = columns.vocabulary
    seen = np.zeros(len(vocabulary.lower_numbers), np.int32)
    lower = vocabulary.lower.rows
    fill_titled(batch.texts, batch.flags, batch.bounds, lower, seen, columns.number("titled", YES), found)
    return found


@njit(**BARE)
def fill_titled(texts, flags, bounds, lower, seen, number, found):
    """Mark the capitalised words that follow a title anywhere in their document. ``seen`` [lowered texts] is
    the last document, from 1 on, in which a text follows a title."""
    for d in range(len(bounds) - 1):
        any_name, end = False, bounds[d + 1]
        for t in range(bounds[d], end):
            if flags[t] & TITLE:
                u = t + 2 if t + 1 < end and flags[t + 1] & FULL_STOP else t + 1
                if u < end and flags[u] & NAME == NAME:
                    seen[lower[texts[u]]] = d + 1
                    any_name = True
        if any_name:
            for t in range(bounds[d], end):
                if flags[t] & CAPITALISED and seen[lower[texts[t]]] == d + 1:
                    found[t] = number


COMPILED: dict[str, Callable[[ContextColumns, Batch], Ints]] = {
    "field": partial(number_words, "field", fill_fields),
    "word_before": partial(number_words, "word_before", fill_words_before),
    "word_after": partial(number_words, "word_after", fill_words_after),
    "line_case": partial(number_cases, "line_case", fill_line_cases),
    "document_case": partial(number_cases, "document_case", fill_document_cases),
    "titled": titled,
}


class CompiledStretches:
    """A hash table of runs of text numbers (:class:`crfdeid.engine.arrays.batch.Stretches`): stretch n
    has the texts ``pool[bounds[n] : bounds[n + 1]]``."""

    def __init__(self) -> None:
        self.slots = np.full(1 << 12, NONE, np.int32)
        self.pool = np.zeros(1 << 12, np.int32)
        self.bounds = np.zeros(1 << 11, np.int64)
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """As :meth:`crfdeid.engine.arrays.batch.Stretches.number`."""
        size = len(batch)
        self.pool = enlarge(self.pool, int(self.bounds[self.count]) + size)
        self.bounds = enlarge(self.bounds, self.count + size // 2 + 2)
        if 2 * (self.count + size // 2) > len(self.slots):
            self.slots = np.full(1 << int(4 * (self.count + size // 2)).bit_length(), NONE, np.int32)
            fill_slots(self.slots, self.pool, self.bounds, self.count)
        found, new = np.empty(size, np.int64), np.empty((size // 2, 2), np.int64)
        arrays = self.slots, self.pool, self.bounds
        tokens = batch.texts, batch.starts, batch.ends, batch.bounds
        before, self.count = self.count, number_stretches(*tokens, *arrays, self.count, found, new)
        return found, new[: self.count - before]


@njit(**BARE)
def find_slot(texts, first, stop, slots, pool, bounds):
    """The slot of a stretch, or the free slot where it belongs."""
    value = np.uint64(stop - first)
    for i in range(first, stop):
        value = (value ^ np.uint64(texts[i])) * MIX
        value ^= value >> np.uint64(32)
    mask = np.uint64(len(slots) - 1)
    slot = value & mask
    while slots[slot] != NONE:
        start = bounds[slots[slot]]
        if bounds[slots[slot] + 1] - start == stop - first:
            same = True
            for i in range(stop - first):
                same &= pool[start + i] == texts[first + i]
            if same:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(**BARE)
def fill_slots(slots, pool, bounds, count):
    """Put all stretches into empty slots."""
    for number in range(count):
        slots[find_slot(pool, bounds[number], bounds[number + 1], slots, pool, bounds)] = number


@njit(**BARE)
def number_stretches(texts, starts, ends, documents, slots, pool, bounds, count, found, new):
    """Fill ``found`` [tokens] with stretch numbers, and ``new`` with the bounds of new stretches; return the
    number of stretches. ``documents`` are the bounds of the documents' tokens."""
    known = count
    for d in range(len(documents) - 1):
        first = documents[d]
        while first < documents[d + 1]:
            stop = first + 1
            while stop < documents[d + 1] and ends[stop - 1] == starts[stop]:
                stop += 1
            number = np.int64(NONE)
            if stop > first + 1:
                slot = find_slot(texts, first, stop, slots, pool, bounds)
                if slots[slot] == NONE:
                    slots[slot] = count
                    start = bounds[count]
                    for i in range(stop - first):
                        pool[start + i] = texts[first + i]
                    bounds[count + 1] = start + stop - first
                    new[count - known, 0], new[count - known, 1] = first, stop
                    count += 1
                number = np.int64(slots[slot])
            for t in range(first, stop):
                found[t] = number
            first = stop
    return count
