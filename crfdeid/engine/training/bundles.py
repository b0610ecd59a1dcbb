"""Bundles: attributes that come to a token together.

A text at an offset of the window always brings the same dozen attributes. Contextual observations
with few values behave in the same way when they are taken together: a corpus has a few thousand
combinations of heading, place in the line and shapes of neighbours, and each brings two dozen
attributes. So a token has a few bundles instead of many attributes, and a bundle's weights are summed
only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.training.numbering import number_few_keys

FEW = 1 / 50  # combinations are few if they are at most this share of the number of tokens


@dataclass(frozen=True)
class Lists:
    """Item i holds ``values[ends[i] : ends[i + 1]]``."""

    ends: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.ends) - 1


@dataclass(frozen=True)
class _Group:
    """``numbers`` [tokens] is each token's row of ``kinds`` [combinations, columns]."""

    numbers: np.ndarray
    kinds: np.ndarray


class Bundles:
    """Combines columns of attributes [tokens], -1 where a token has none, to few columns of bundles."""

    def __init__(self, tokens: int, few: float = FEW) -> None:
        self.most = int(tokens * few)
        self.groups: list[_Group] = []
        self.single: list[_Group] = []

    def add(self, column: np.ndarray) -> None:
        """Combine a column with the first group that has few combinations with it."""
        last = int(column.max(initial=NONE))
        if last == NONE:
            return
        first = int(np.min(column, where=column != NONE, initial=last))
        size = last - first + 2  # code 0 stands for no attribute
        codes = np.where(column == NONE, 0, column - (first - 1))
        for place, group in enumerate(self.groups):
            if (
                found := number_few_keys(group.numbers.astype(np.int64) * size + codes, self.most)
            ) is not None:
                kinds, numbers = found
                more = kinds % size + (first - 1)
                more[kinds % size == 0] = NONE
                both = np.column_stack([group.kinds[kinds // size], more.astype(np.int32)])
                self.groups[place] = _Group(numbers, both)
                return
        if (found := number_few_keys(codes.astype(np.int64), self.most)) is not None:
            kinds, numbers = found
            more = np.where(kinds == 0, NONE, kinds + (first - 1)).astype(np.int32)
            self.groups.append(_Group(numbers, more[:, None]))
        else:
            every = np.arange(first - 1, first + size - 1, dtype=np.int32)
            every[0] = NONE
            self.single.append(_Group(codes.astype(np.int32), every[:, None]))

    def columns(self) -> tuple[list[np.ndarray], Lists]:
        """Columns of bundles [tokens], and the attributes of each bundle. Forgets the columns that were
        added."""
        columns, lists, count = [], [], 0
        groups = [*self.groups, *self.single]
        self.groups, self.single = [], []
        while groups:  # one after the other, so that no column is in memory twice
            group = groups.pop(0)
            columns.append(group.numbers)
            columns[-1] += count
            lists.append(list_rows(group.kinds))
            count += len(group.kinds)
        return columns, concatenate(lists)


def list_rows(kinds: np.ndarray) -> Lists:
    """List the values of each row of ``kinds`` [items, columns] that are not -1.

    >>> list_rows(np.array([[4, -1], [5, 6]]))
    Lists(ends=array([0, 1, 3]), values=array([4, 5, 6]))
    """
    is_value = kinds != NONE
    return Lists(np.concatenate([[0], np.cumsum(is_value.sum(axis=1))]), kinds[is_value])


def concatenate(lists: Sequence[Lists]) -> Lists:
    """Put the items of all lists one after the other."""
    ends, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    for one in lists:
        ends.append(one.ends[1:] + ends[-1][-1])
        values.append(one.values)
    return Lists(np.concatenate(ends), np.concatenate(values))
