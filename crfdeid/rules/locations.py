"""Places: Douglass 2005, section 5.1.2; Tafvizi 2011, section 2.5.3."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_clues import FUNCTION
from crfdeid.rules.name_parts import ENOUGH, of_a_thing
from crfdeid.rules.phrases import capitalised, run
from crfdeid.rules.rule import rule
from crfdeid.rules.states import city_before_state, state, state_abbreviation
from crfdeid.rules.word_forms import words

TAFVIZI = "Tafvizi 2011, section 2.5.3"
DOUGLASS = "Douglass 2005, section 5.1.2"
BEFORE = words("cape fort lake mount los")
AFTER = words("street parkway town ville harbor")
# Phrases that a place follows.
INDICATORS = words(
    """lives live living lived comes came coming visiting returns returned resides residing resident
    moved moving born raised grew native originally immigrated emigrated traveled travelled travel
    trip flew vacation vacationing hails retired relocated"""
)
TO_A_PLACE = re.compile(r"(?:[a-z]+ ){0,2}?(?:in|from|to|near|at|outside|of) (?=[A-Z])")
NOT_A_PLACE = words(
    """ed er icu micu sicu ccu nicu picu pacu or osh home rehab hospital clinic work bed school church
    college snf nursing house unit floor room ward baseline prison jail court"""
)
# Towns that a note speaks of as a study, a rule, a drug or an abbreviation.
NOT_TOWNS = words("framingham ottawa norco plano osh wells lanoxin rome bethesda vienna")


@rule("CITY", f"{TAFVIZI} (unambiguous list)")
def clear_city(note: Note, lists: Lists) -> Iterator[Edges]:
    """A town of the lists that is no common or medical word and no name of people."""
    for first, stop in capitalised(note, lists.clear_cities):
        word = note.words[first]
        short = stop - first == 1 and len(word) < ENOUGH and word.isupper()
        if note.lowered[first] not in NOT_TOWNS and not short and not of_a_thing(note, stop - 1):
            yield note.edges(first, stop)


@rule("LOCATION-OTHER", f"{TAFVIZI} (ambiguous list)")
def place_by_neighbour(note: Note, lists: Lists) -> Iterator[Edges]:
    """A word after cape, fort, lake, mount, los, or before harbor, ville, town: "Cape Cod"."""
    for index in note.places(BEFORE):
        if index + 1 < len(note) and tied(note, lists, index + 1, index + 1):
            yield note.edges(index, index + 2)
    for index in note.places(AFTER - {"street", "parkway"}):
        if index and tied(note, lists, index, index - 1):
            yield note.edges(index - 1, index + 1)


def tied(note: Note, lists: Lists, second: int, name: int) -> bool:
    """Whether word ``second`` and the one before are capitalised, a blank apart, and word ``name`` of
    the two can be a place's; a common word can with a capital and small letters ("Elm Street")."""
    both = note.capital(second - 1) and note.capital(second) and note.gap(second) == " "
    word = note.words[name]
    return both and not brake(note, lists, name, word.istitle() and len(word) > 2)


@rule("STREET", f"{TAFVIZI} (street, parkway)")
def street_by_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised word before Street or Parkway."""
    for index in note.places(AFTER & {"street", "parkway"}):
        if index and tied(note, lists, index, index - 1):
            yield note.edges(index - 1, index + 1)


def brake(note: Note, lists: Lists, index: int, known: bool = False) -> bool:
    """A common or medical word, unless it is ``known``, or one that this note writes small, is no
    place."""
    word = note.lowered[index]
    known = known or word in lists.places or word in lists.named
    return word in FUNCTION or word in NOT_A_PLACE or word in note.small or (lists.plain(word) and not known)


@rule("COUNTRY", DOUGLASS)
def country(note: Note, lists: Lists) -> Iterator[Edges]:
    """A country that is not also a name of people."""
    return (note.edges(a, b) for a, b in capitalised(note, lists.countries))


@rule("CITY", f"{DOUGLASS} (comes from, visiting from, returns to); Sibanda & Uzuner 2006, section 4.1")
def place_indicator(note: Note, lists: Lists) -> Iterator[Edges]:
    """Capitalised words after "lives in", "comes from", "returns to" and the like."""
    for index in note.places(INDICATORS):
        match = TO_A_PLACE.match(note.text, note.ends[index] + 1)
        first = note.index_at.get(match.end()) if match else None
        if first is not None and not brake(note, lists, first):
            stop = run(note, first, lambda i: note.capital(i) and not brake(note, lists, i), 3)
            if stop > first and not (note.words[first].isupper() and len(note.words[first]) < 5):
                yield note.edges(first, stop)


RULES = (
    street_by_name, city_before_state, state_abbreviation, state, country,
    clear_city, place_indicator, place_by_neighbour,
)  # fmt: skip
