"""The columns of word tables as observations: ``table_NAME_COLUMN`` is the value of a token's word in table
NAME, and ``table_NAME_COLUMN3`` the first three characters of it. Of the digits of a cluster, fewer
characters are a larger cluster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crfdeid.errors import TemplateError, did_you_mean
from crfdeid.feature_extraction.token import Value
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.word_table import WordTable, find_value

NAME = re.compile(r"table_(\w+)_([a-z]+)(\d*)")


class Column(NamedTuple):
    """A column of a table, and how many characters of its values count (all for ``None``)."""

    table: str
    column: str
    length: int | None


def is_column(name: str) -> bool:
    """Whether an observation is a column of a word table."""
    return NAME.fullmatch(name) is not None


def read_column(name: str) -> Column:
    """Return what an observation's name says.

    >>> read_column("table_es_words_cluster3")
    Column(table='es_words', column='cluster', length=3)
    """
    table, column, length = NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    return Column(table, column, int(length) if length else None)


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
    return OfTable(table.columns[wanted.column], wanted.length)


@dataclass(frozen=True)
class OfTable:
    """The observation of the first ``length`` characters of a text's value in a table.

    >>> OfTable({"rosa": "0132"}, 2)("Rosa"), OfTable({"rosa": ""}, 2)("rosa")
    ('01', None)
    """

    values: Mapping[str, str]
    length: int | None

    def __call__(self, text: str) -> Value:
        return (find_value(self.values, text) or "")[: self.length] or None

    def observe_all(self, texts: Sequence[str]) -> list[Value]:
        """Observe many texts, most of which the table has as they are written: twice as fast."""
        found = map(self.values.get, texts)
        return [self(t) if value is None else value[: self.length] or None for t, value in zip(texts, found)]
