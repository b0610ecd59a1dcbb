"""Which parts of a note were on a reader's screen: a note that was not shown whole cannot be finished
(Douglass 2005, section 4.1: readers missed the ends of notes)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from crfdeid.review.study.store import Store

Stretch = tuple[int, int]


def read_stretches(store: Store, reader: str, number: int) -> list[Stretch]:
    """The parts that were shown, in order and apart from each other."""
    row = store.fetch_one("SELECT stretches FROM shown WHERE reader = ? AND note = ?", reader, number)
    return [(start, end) for start, end in json.loads(row[0])] if row else []


def add_stretches(store: Store, reader: str, number: int, stretches: Iterable[Stretch]) -> list[Stretch]:
    """Remember that the parts were shown too; return all of them."""
    with store.transaction() as connection:
        merged = merge_stretches([*read_stretches(store, reader, number), *stretches])
        row = (reader, number, json.dumps(merged))
        connection.execute("INSERT OR REPLACE INTO shown VALUES(?, ?, ?)", row)
        return merged


def merge_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """
    >>> merge_stretches([(5, 9), (0, 3), (3, 4), (6, 12)])
    [(0, 4), (5, 12)]
    """
    merged: list[Stretch] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def find_unseen(text: str, stretches: Iterable[Stretch]) -> int | None:
    """The first character, white space apart, that was not shown; None where all were.

    >>> find_unseen("Dr. Ruiz\\n", [(0, 4)]), find_unseen("Dr. Ruiz\\n", [(0, 8)])
    (4, None)
    """
    end = len(text)
    gaps: list[Stretch] = []
    for start, stop in reversed(merge_stretches(stretches)):
        gaps.append((stop, end))
        end = start
    gaps.append((0, end))
    for start, stop in reversed(gaps):
        if rest := text[start:stop].lstrip():
            return stop - len(rest)
    return None
