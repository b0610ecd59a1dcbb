"""The language models of IdentiFinder (Bikel, Schwartz & Weischedel 1999, sections 3.2 and 3.3).

The model writes a text class by class: the class, given the class before and its last word; its first
word; each next word, given the one before; a mark that ends the class. A word has one of 14 features
(:mod:`crfdeid.systems.hmm.counts`). Each probability is mixed with those of shorter contexts:

    Pr(NC | NC-1, w-1)     -> Pr(NC | NC-1)         -> Pr(NC)       -> 1 / classes
    Pr(<w,f> | NC, NC-1)   -> Pr(<w,f> | begin, NC) -> Pr(<w,f> | NC) -> Pr(w | NC) Pr(f | NC)
    Pr(<w,f> | <w,f>-1, NC)                         -> Pr(<w,f> | NC) -> Pr(w | NC) Pr(f | NC)

and the last two with 1 / words and 1 / features.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from crfdeid.systems.hmm.counts import FEATURES, Counts

REMEMBERED = 20_000  # pairs of words, and words, whose probabilities are cached

Level = tuple[np.ndarray, np.ndarray, np.ndarray]  # counts: of the outcome, of all, of distinct ones


def smooth(levels: Sequence[Level], floor: np.ndarray | float) -> np.ndarray:
    """Mix the estimates of all levels, from the longest context to the shortest, and ``floor``. The weight
    of a level is (1 - c_before / c) / (1 + distinct / c), where c is the count of its context and c_before
    that of the level before it.

    >>> count, all, distinct = np.array(2), np.array(4), np.array(2)
    >>> round(float(smooth([(count, all, distinct)], 0.1)), 4)    # 2/3 * 2/4 + 1/3 * 0.1
    0.3667
    """
    found = np.asarray(floor, float)
    for number in reversed(range(len(levels))):
        counted, total, distinct = levels[number]
        before = levels[number - 1][1] if number else 0
        some = np.maximum(total, 1)
        weight = np.where(total > 0, (1 - before / some) / (1 + distinct / some), 0.0)
        found = weight * counted / some + (1 - weight) * found
    return found


class Bigrams:
    """The logarithms of the probabilities of one table of counts. Rows are the classes before (the last is
    the start of a sequence), columns the classes (in :meth:`turns` the last is its end)."""

    def __init__(self, counts: Counts, classes: int, words: int) -> None:
        self.classes, self.words = classes, words
        self._turns, self._firsts = _group_rows(counts.turns, 1), _group_rows(counts.firsts, 2)
        self._nexts: dict[int, dict[int, dict[int, int]]] = {}
        self._count_turns(counts.turns)
        self._count_firsts(counts.firsts)
        self._count_words(counts)
        for kind, before, symbol, number in counts.nexts.tolist():
            self._nexts.setdefault(before, {}).setdefault(symbol, {})[kind] = number
        self.turns, self.first = cache(self._turn), lru_cache(REMEMBERED)(self._first)
        self.after, self.context = lru_cache(REMEMBERED)(self._after), cache(self._context)

    def _count_turns(self, turns: np.ndarray) -> None:
        size = self.classes + 1
        pairs = np.zeros((size, size))
        np.add.at(pairs, (turns[:, 0], turns[:, 2]), turns[:, 3])
        self.turn_levels = [_make_level(pairs, 1), _make_level(pairs.sum(axis=0), 0)]

    def _count_firsts(self, firsts: np.ndarray) -> None:
        shape = self.classes + 1, self.classes
        totals, distinct = np.zeros(shape), np.zeros(shape)
        np.add.at(totals, (firsts[:, 0], firsts[:, 1]), firsts[:, 3])
        np.add.at(distinct, (firsts[:, 0], firsts[:, 1]), 1)
        self.first_totals = totals, distinct
        begun = _count_distinct(firsts[:, [1, 2]], self.classes)
        self.begin_totals = totals.sum(axis=0), begun

    def _count_words(self, counts: Counts) -> None:
        """Count each class's symbols, words and features at all places."""
        seen = np.concatenate([counts.firsts[:, [1, 2, 3]], counts.nexts[:, [0, 2, 3]]])
        kinds, symbols, numbers = seen.T
        size = len(FEATURES)
        self.total = np.bincount(kinds, numbers, self.classes)
        self.distinct = _count_distinct(seen[:, :2], self.classes)
        words = np.column_stack([kinds, symbols // size])
        self.distinct_words = _count_distinct(words, self.classes)
        self.features = np.zeros((size, self.classes))
        np.add.at(self.features, (symbols % size, kinds), numbers)
        self._symbols: dict[int, dict[int, int]] = {}
        self._words: dict[int, dict[int, int]] = {}
        for kind, symbol, number in seen.tolist():
            for table, item in ((self._symbols, symbol), (self._words, symbol // size)):
                row = table.setdefault(item, {})
                row[kind] = row.get(kind, 0) + number

    def _row(self, known: dict[int, int] | None) -> np.ndarray:
        row = np.zeros(self.classes)
        for kind, number in (known or {}).items():
            row[kind] = number
        return row

    def class_level(self, symbol: int) -> tuple[Level, np.ndarray]:
        """Return the level Pr(<w,f> | NC), and the mixture of the levels below it."""
        word, shape = divmod(symbol, len(FEATURES))
        words = self._row(self._words.get(word)), self.total, self.distinct_words
        features = self.features[shape], self.total, (self.features > 0).sum(axis=0)
        floor = smooth([words], 1 / self.words) * smooth([features], 1 / len(FEATURES))
        return (self._row(self._symbols.get(symbol)), self.total, self.distinct), floor

    def _turn(self, word: int) -> np.ndarray:
        """Return [class before, class]: the class follows the word."""
        counted = np.zeros((self.classes + 1, self.classes + 1))
        for before, _, kind, number in self._turns.get(word, ()):
            counted[before, kind] = number
        levels = [_make_level(counted, 1), *self.turn_levels]
        return _log(smooth(levels, 1 / (self.classes + 1)))

    def _first(self, symbol: int) -> np.ndarray:
        """Return [class before, class] of the first word of a class."""
        counted = np.zeros((self.classes + 1, self.classes))
        for before, kind, _, number in self._firsts.get(symbol, ()):
            counted[before, kind] = number
        own, floor = self.class_level(symbol)
        begin = counted.sum(axis=0), *self.begin_totals
        return _log(smooth([(counted, *self.first_totals), begin, own], floor))

    def _after(self, before: int, symbol: int) -> np.ndarray:
        """Return [class] of the next word in a class, or of its end."""
        own, floor = self.class_level(symbol)
        counted = self._row(self._nexts.get(before, {}).get(symbol))
        return _log(smooth([(counted, *self.context(before)), own], floor))

    def _context(self, before: int) -> tuple[np.ndarray, np.ndarray]:
        """Return [class] the counts of all words after this one, and of the distinct ones."""
        total, distinct = np.zeros(self.classes), np.zeros(self.classes)
        for kinds in self._nexts.get(before, {}).values():
            for kind, number in kinds.items():
                total[kind] += number
                distinct[kind] += 1
        return total, distinct


def _make_level(counted: np.ndarray, axis: int) -> Level:
    return counted, counted.sum(axis=axis, keepdims=True), (counted > 0).sum(axis=axis, keepdims=True)


def _log(values: np.ndarray) -> np.ndarray:
    logarithms: np.ndarray = np.log(values)
    return logarithms


def _count_distinct(pairs: np.ndarray, classes: int) -> np.ndarray:
    """Count the distinct second values of each class, the first value."""
    return np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=classes)


def _group_rows(table: np.ndarray, column: int) -> dict[int, list[list[int]]]:
    found: dict[int, list[list[int]]] = {}
    for row in table.tolist():
        found.setdefault(row[column], []).append(row)
    return found
