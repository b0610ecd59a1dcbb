"""Stretches of words that rules share: entries of a list, runs of capitalised words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from crfdeid.rules.indexed_note import Note
from crfdeid.rules.lists import Phrases

CLOSE = re.compile(r"[ \t]{1,2}|[-'’.&/]|\.? ?[-'’&]? ?|\. {1,2}")  # between the words of one name of a place
NAME_GAP = re.compile(r" {1,2}|[-'’]|\. ?")  # between the words of one person's name


def entries(note: Note, phrases: Phrases) -> Iterator[tuple[int, int]]:
    """The index ranges of whole entries, the longest at each place."""
    for first in note.vocabulary & phrases.keys():
        group = phrases[first]
        single = (first,) in group
        longer = len(group) > single
        for index in note.at[first]:
            length = max((len(p) for p in group if stands(note, index, p)), default=0) if longer else 1
            if length:
                yield index, index + length


def stands(note: Note, index: int, phrase: tuple[str, ...]) -> bool:
    """Whether the words of ``phrase`` stand at ``index`` with little between them."""
    size = len(phrase)
    if size == 1:
        return True
    if tuple(note.lowered[index : index + size]) != phrase:
        return False
    return all(CLOSE.fullmatch(note.gap(i)) for i in range(index + 1, index + size))


def capitalised(note: Note, phrases: Phrases) -> Iterator[tuple[int, int]]:
    """The index ranges of whole entries each of whose words of four letters or more is capitalised."""
    for first, stop in entries(note, phrases):
        if note.capital(first) and all(note.capital(i) or len(note.words[i]) < 4 for i in range(first, stop)):
            yield first, stop


def run(
    note: Note, first: int, accept: Callable[[int], bool], most: int, gap: re.Pattern[str] = NAME_GAP
) -> int:
    """The end of the run of words from ``first`` that ``accept`` takes, ``first`` if there is none."""
    index = first
    while index < len(note) and index - first < most and accept(index):
        index += 1
        if index < len(note) and not joined(note, index, gap):
            break
    return index


def joined(note: Note, index: int, gap: re.Pattern[str] = NAME_GAP) -> bool:
    """Whether word ``index`` goes on with what the word before it began. A full stop joins
    only after an initial or a short form such as St."""
    between = note.gap(index)
    if not gap.fullmatch(between):
        return False
    return not between.startswith(".") or len(note.words[index - 1]) <= 2
