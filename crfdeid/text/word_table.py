"""Tables of words: what general text knows of a word, such as its cluster, how frequent it is, and how often
it has a capital.

A table is a gazetteer whose entries are a word and its values, ``rosa|0132|11|-2``; its head names them:
``# columns: cluster frequency capitals``. A word has several entries where its capitals tell it apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.text.gazetteer import Gazetteer, read_entries, read_gazetteer

COLUMNS = re.compile(r"^# columns: (.+)$", re.MULTILINE)
MARK = "|"
UNKNOWN = "none"  # the value of a word of letters that the table does not have


@dataclass(frozen=True)
class WordTable(Gazetteer):
    """``columns[name]`` maps a word, as it is written in the table, to its value."""

    columns: Mapping[str, Mapping[str, str]] = field(repr=False, default_factory=dict)


def find_value(values: Mapping[str, str], text: str) -> str | None:
    """Return the value of the text as it is written, else in lower case, else with a first capital. A text
    with other characters than letters has no value where the table does not have it.

    >>> values = {"rosa": "flower", "Rosa": "name"}
    >>> [find_value(values, text) for text in ("Rosa", "ROSA", "xyz", "7")]
    ['name', 'flower', 'none', None]
    """
    for form in (text, text.lower(), text.capitalize()):
        if (found := values.get(form)) is not None:
            return found
    return UNKNOWN if text.isalpha() else None


def read_list(path: Path) -> Gazetteer:
    """Read the list at ``path``: a :class:`WordTable` where its head names columns, else a gazetteer. Raises
    :class:`FormatError` as :func:`parse_table` and :func:`crfdeid.text.gazetteer.read_gazetteer` do."""
    with path.open(encoding="utf-8") as file:
        head = "".join(takewhile(lambda line: line.startswith("#"), file))
    columns = COLUMNS.search(head)
    return parse_table(path, columns[1].split(), read_entries(path)) if columns else read_gazetteer(path)


def parse_table(path: Path, columns: Sequence[str], entries: Sequence[str]) -> WordTable:
    """Make a table of a list's entries. Raises :class:`FormatError` at an entry with another number of
    values, where there is no entry, or where a column's name is not small letters."""
    if not all(re.fullmatch("[a-z]+", name) for name in columns):
        raise FormatError(f"{path}: columns: wanted names of small letters")
    if not entries:
        raise FormatError(f"{path}: no entries")
    for number, entry in enumerate(entries, 1):
        if entry.count(MARK) != len(columns):
            raise FormatError(f"{path}, entry {number}: wanted a word and {len(columns)} values")
    width = len(columns) + 1
    values = MARK.join(entries).split(MARK)  # row after row; one search is quicker than one per entry
    words = values[::width]
    found = {name: dict(zip(words, values[place::width])) for place, name in enumerate(columns, 1)}
    return WordTable(path.stem, frozenset(map(str.lower, words)), frozenset(), frozenset(), found)
