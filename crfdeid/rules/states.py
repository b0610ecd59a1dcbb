"""States, their abbreviations, and the towns before them: Douglass 2005, section 5.1.2; Sibanda & Uzuner
2006, section 4.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_clues import CREDENTIAL_WORDS, FUNCTION
from crfdeid.rules.name_parts import of_a_thing
from crfdeid.rules.phrases import CLOSE, capitalised, entries
from crfdeid.rules.rule import rule

DOUGLASS = "Douglass 2005, section 5.1.2"
FIELD = re.compile(r"\bstate:\s*$", re.IGNORECASE)
ZIP_AFTER = re.compile(r",? {1,2}\d{5}(?!\d)")


@rule("STATE", f"{DOUGLASS}; Sibanda & Uzuner 2006, section 4.1")
def state(note: Note, lists: Lists) -> Iterator[Edges]:
    """A state of the US."""
    return (note.edges(a, b) for a, b in capitalised(note, lists.states) if not of_a_thing(note, b - 1))


@rule("CITY", DOUGLASS)
def city_before_state(note: Note, lists: Lists) -> Iterator[Edges]:
    """Capitalised words before a comma and a state: "Reading, MA"."""
    for index in state_places(note, lists):
        if after_town(note, lists, index):
            yield note.edges(town_until(note, lists, index), index)


def state_places(note: Note, lists: Lists) -> Iterator[int]:
    for index in note.places(lists.state_abbreviations):
        if note.words[index].isupper():
            yield index
    for first, _ in entries(note, lists.states):
        yield first


def town_until(note: Note, lists: Lists, stop: int) -> int:
    """The first of at most three capitalised words of a town that ends before ``stop``."""
    first = stop
    while first and stop - first < 3 and note.capital(first - 1) and len(note.words[first - 1]) > 1:
        if note.lowered[first - 1] in FUNCTION or (first < stop and not CLOSE.fullmatch(note.gap(first))):
            break
        first -= 1
        if listed(note, lists, first, stop):
            break
    word = note.lowered[stop - 1]
    return stop if lists.plain(word) and not listed(note, lists, first, stop) else first


def listed(note: Note, lists: Lists, first: int, stop: int) -> bool:
    return tuple(note.lowered[first:stop]) in lists.cities.get(note.lowered[first], ())


@rule("STATE", f"{DOUGLASS}; Sibanda & Uzuner 2006, section 4.1")
def state_abbreviation(note: Note, lists: Lists) -> Iterator[Edges]:
    """A state's abbreviation after a town and a comma, or before a ZIP code."""
    for index in note.places(lists.state_abbreviations):
        if not (note.words[index].isupper() or note.caseless):
            continue
        field = FIELD.search(note.text[max(0, note.starts[index] - 24) : note.starts[index]])
        if field or after_town(note, lists, index) or ZIP_AFTER.match(note.text, note.ends[index]):
            yield note.edges(index, index + 1)


def after_town(note: Note, lists: Lists, index: int) -> bool:
    """Whether a town and a comma, or a listed town, stand before. What is a credential or a word
    too (MD, PA, IN, OR, ME) needs a listed town."""
    if not index or note.gap(index) not in (", ", " "):
        return False
    first = town_until(note, lists, index)
    if note.gap(index) == " " and note.lowered[index] in CREDENTIAL_WORDS:
        return False
    if note.gap(index) == " " or note.lowered[index] in CREDENTIAL_WORDS | FUNCTION | {
        "in",
        "or",
        "me",
        "hi",
        "oh",
    }:
        return first < index and listed(note, lists, first, index)
    return first < index
