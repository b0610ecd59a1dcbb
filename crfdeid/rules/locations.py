"""Places: Douglass 2005, section 5.1.2; Tafvizi 2011, section 2.5.3; Sibanda & Uzuner 2006, section 4.1.
Addresses and rooms are found by numbers and the words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import RULE_CREDENTIAL_WORDS
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import LONG_S, Beside, Edges, IndexedNote, after_blank
from crfdeid.rules.rule import (
    FUNCTION_WORDS,
    PLACE_GAP,
    SHORTEST_CAPITALS,
    find_capitalised_entries,
    find_entries,
    find_run_end,
    is_thing_name,
    match_at_numbers,
    match_at_words,
    rule,
)

TAFVIZI = "Tafvizi 2011, section 2.5.3"
DOUGLASS = "Douglass 2005, section 5.1.2"
STREET_WORDS = (
    "Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Circle|Cir"
    "|Way|Parkway|Pkwy|Highway|Hwy|Turnpike|Tpke|Pike|Trail|Trl|Alley|Crescent|Plaza|Loop|Row|Path|Crossing|Hill"
    "|Heights|Landing|Commons|Park|Run|Extension|Ext"
)
ZIP_BEFORE = re.compile(r"(?:\b[A-Z]{2}|\b[A-Z][a-z]{3,}|(?i:zip(?: code)?:?)),? {1,2}$")

# Small letters and capitals, and those that a pattern without case takes for them.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\u0130\u0131\u017f\u212a"
street_address = match_at_numbers(
    "street_address", "STREET", "Tafvizi 2011, section 2.5.3 (street, parkway); ours",
    "A house number, one to four capitalised words, and a word for a street.",
    rf"\d{{1,5}}[A-Z]?[ ](?!(?-i:[AP]M)\b)(?:[NSEW]\.?[ ])?"
    rf"(?-i:(?:(?:[A-Z][^\W\d]*(?:['-][^\W\d]+)*\.?|\d+(?:st|nd|rd|th))\s){{1,4}})"
    rf"(?-i:{STREET_WORDS}|{STREET_WORDS.upper()})\b"
    r"(?:,?[ ](?:Apt|Apartment|Suite|Unit|Ste|\#)\.?[ ]?\#?\w{1,5})?",
    beside=Beside(next=(*LETTERS, *after_blank("0ABCDEFGHIJKLMNOPQRSTUVWXYZnsew" + LONG_S))),
)  # fmt: skip
post_box = match_at_words(
    "post_box", "STREET", "ours", "A post office box.",
    ["p", "po"], r"P\.?[ ]?O\.?[ ]Box[ ]\d+",
)  # fmt: skip
zip_code = match_at_numbers(
    "zip_code", "ZIP", "ours", "Five digits, or nine, after a state or its abbreviation, or at \"ZIP\".",
    r"\d{5}(?:-\d{4})?(?![\d-])",
    lambda match, note: ZIP_BEFORE.search(note.text[max(0, match.start() - 16) : match.start()]),
    Beside(lengths=[5]),
)  # fmt: skip
room = match_at_words(
    "room", "ROOM", "ours", "The number of a room or bed.",
    ["room", "rm", "bed"], r"(?:room|rm\.?|bed)[ ](?:no\.?[ ]|\#[ ]?"
                           r"|number[ ])?(?P<phi>\d{2,4}[A-D]?|[A-Z]{1,2}-?\d{2,4})\b",
)  # fmt: skip


SHORTEST_TOWN = 4  # letters of a town in capitals that no list has
FIELD = re.compile(r"\bstate:\s*$", re.IGNORECASE)
ZIP_AFTER = re.compile(r",? {1,2}\d{5}(?!\d)")


@rule("STATE", f"{DOUGLASS}; Sibanda & Uzuner 2006, section 4.1")
def state(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A state of the US."""
    return (
        note.edges(a, b)
        for a, b in find_capitalised_entries(note, lists.states)
        if not is_thing_name(note, b - 1, b - a)
    )


@rule("CITY", DOUGLASS)
def city_before_state(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Capitalised words before a comma and a state: "Reading, MA"."""
    for index in find_state_starts(note, lists):
        if has_town_before(note, lists, index):
            yield note.edges(find_town_start(note, lists, index), index)


def find_state_starts(note: IndexedNote, lists: Lists) -> Iterator[int]:
    """Yield the index of each state's first word and of each abbreviation in capitals."""
    for index in note.find_capitalised(lists.state_abbreviations):
        if note.word(index).isupper():
            yield index
    for first, _ in find_entries(note, lists.states):
        yield first


def find_town_start(note: IndexedNote, lists: Lists, stop: int) -> int:
    """Return the index of the first of at most three capitalised words of a town that ends before ``stop``;
    ``stop`` if there is none."""
    first = stop
    while first and stop - first < 3 and note.is_capitalised(first - 1) and len(note.word(first - 1)) > 1:
        if note.lowered[first - 1] in FUNCTION_WORDS or (
            first < stop and not PLACE_GAP.fullmatch(note.gap(first))
        ):
            break
        first -= 1
        if is_listed_town(note, lists, first, stop):
            break
    word = note.lowered[stop - 1]
    return stop if lists.is_ordinary(word) and not is_listed_town(note, lists, first, stop) else first


def is_listed_town(note: IndexedNote, lists: Lists, first: int, stop: int) -> bool:
    """Whether the words are a town of the lists."""
    return tuple(note.lowered[first:stop]) in lists.cities.get(note.lowered[first], ())


@rule("STATE", f"{DOUGLASS}; Sibanda & Uzuner 2006, section 4.1")
def state_abbreviation(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A state's abbreviation after a town and a comma, or before a ZIP code."""
    for index in note.find_capitalised(lists.state_abbreviations):
        if not (note.word(index).isupper() or note.is_caseless(index)):
            continue
        field = FIELD.search(note.text[max(0, note.starts[index] - 24) : note.starts[index]])
        if field or has_town_before(note, lists, index) or ZIP_AFTER.match(note.text, note.ends[index]):
            yield note.edges(index, index + 1)


def has_town_before(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a town and a comma, or a listed town, precede the word. An abbreviation that is also a
    credential or a word (MD, PA, IN, OR, ME) needs a listed town."""
    if not index or note.gap(index) not in (", ", " "):
        return False
    first = find_town_start(note, lists, index)
    if note.gap(index) == " " and note.lowered[index] in RULE_CREDENTIAL_WORDS:
        return False
    is_word = note.lowered[index] in RULE_CREDENTIAL_WORDS | FUNCTION_WORDS | {"in", "or", "me", "hi", "oh"}
    if note.gap(index) == " " or is_word:
        is_plain = is_word and note.gap(index) == " " and lists.is_ordinary(note.lowered[index - 1])
        return is_listed_town(note, lists, first, index) and not is_plain
    is_short = note.word(index - 1).isupper() and len(note.word(index - 1)) < SHORTEST_TOWN
    return first < index and not (is_short and not is_listed_town(note, lists, first, index))


WORDS_BEFORE = word_set("cape fort lake mount los")
WORDS_AFTER = word_set("street parkway town ville harbor")
# Words that a place follows.
INDICATORS = word_set(
    """lives live living lived comes came coming visiting returns returned resides residing resident
    moved moving born raised grew native originally immigrated emigrated traveled travelled travel
    trip flew vacation vacationing hails retired relocated"""
)
FROM_COUNTRIES = word_set("nut nuts pig pigs ink sage")  # things that are called by a country
# Towns so large that their name is one after an indicator, though words of medicine and people have it too.
LARGE_TOWNS = word_set(
    """amarillo anchorage bangkok berlin boston columbus fresno glasgow helsinki manila nairobi
    philadelphia phoenix seoul shanghai warsaw"""
)
TO_A_PLACE = re.compile(r"(?:[a-z]+ ){0,2}(?:in|from|to|near|at|outside|of) (?=[A-Z])")
# The same in small letters, or in capitals: then the place is one of the lists.
TO_A_LISTED_PLACE = re.compile(TO_A_PLACE.pattern.replace("A-Z", "a-z"), re.IGNORECASE)
NOT_A_PLACE = word_set(
    """ed er icu micu sicu ccu nicu picu pacu or osh home rehab hospital clinic work bed school church
    college snf nursing house unit floor room ward baseline prison jail court"""
)
# Towns whose names are studies, rules, drugs or abbreviations in a note.
NOT_TOWNS = word_set("framingham ottawa norco plano osh wells lanoxin rome bethesda vienna")


@rule("CITY", f"{TAFVIZI} (unambiguous list)")
def clear_city(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A town of the lists that is not a common or medical word and not a name of people."""
    for first, stop in find_capitalised_entries(note, lists.clear_cities):
        word = note.word(first)
        short = stop - first == 1 and len(word) < SHORTEST_CAPITALS and word.isupper()
        if (
            note.lowered[first] not in NOT_TOWNS
            and not short
            and not is_thing_name(note, stop - 1, stop - first)
        ):
            yield note.edges(first, stop)


@rule("LOCATION-OTHER", f"{TAFVIZI} (ambiguous list)")
def place_by_neighbour(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A word after cape, fort, lake, mount, los, or before harbor, ville, town: "Cape Cod"."""
    for index in note.find_words(WORDS_BEFORE):
        if index + 1 < len(note) and is_place_pair(note, lists, index + 1, index + 1):
            yield note.edges(index, index + 2)
    for index in note.find_words(WORDS_AFTER - {"street", "parkway"}):
        if index and is_place_pair(note, lists, index, index - 1):
            yield note.edges(index - 1, index + 1)


def is_place_pair(note: IndexedNote, lists: Lists, second: int, name: int) -> bool:
    """Whether word ``second`` and the one before it are capitalised, with a space between them, and word
    ``name`` of the two can be a place: an ordinary word can if only its first letter is a capital ("Elm
    Street")."""
    both = note.is_capitalised(second - 1) and note.is_capitalised(second) and note.gap(second) == " "
    word = note.word(name)
    return both and not is_excluded(note, lists, name, word.istitle() and len(word) > 2)


@rule("STREET", f"{TAFVIZI} (street, parkway)")
def street_by_name(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised word before Street or Parkway."""
    for index in note.find_words(WORDS_AFTER & {"street", "parkway"}):
        if index and is_place_pair(note, lists, index, index - 1):
            yield note.edges(index - 1, index + 1)


def is_excluded(note: IndexedNote, lists: Lists, index: int, known: bool = False) -> bool:
    """Whether the word cannot be a place: it is ordinary and not ``known`` as a name, or this note writes
    it small."""
    word = note.lowered[index]
    known = known or word in lists.place_words or word in lists.names
    return (
        word in FUNCTION_WORDS
        or word in NOT_A_PLACE
        or note.is_written_small(word)
        or (lists.is_ordinary(word) and not known)
    )


@rule("COUNTRY", DOUGLASS)
def country(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A country that is not also a name of people."""
    entries = find_capitalised_entries(note, lists.countries)
    return (note.edges(a, b) for a, b in entries if note.word_after(b - 1) not in FROM_COUNTRIES)


@rule("CITY", f"{DOUGLASS} (comes from, visiting from, returns to); Sibanda & Uzuner 2006, section 4.1")
def place_indicator(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Capitalised words, or a listed town in any case, after "lives in", "comes from", "returns to"."""
    for index in note.find_words(INDICATORS):
        match = TO_A_PLACE.match(note.text, note.ends[index] + 1)
        first = note.find_index(match.end()) if match else None
        if first is not None and not is_excluded(note, lists, first):
            stop = find_run_end(
                note, first, lambda i: note.is_capitalised(i) and not is_excluded(note, lists, i), 3
            )
            if not (note.word(first).isupper() and len(note.word(first)) < 5):
                yield note.edges(first, stop)
        elif not match and (edges := find_listed_place(note, lists, index)):
            yield edges


def find_listed_place(note: IndexedNote, lists: Lists, indicator: int) -> Edges | None:
    """Return the longest town of the lists that an indicator announces, in any case; not an ordinary word."""
    match = TO_A_LISTED_PLACE.match(note.text, note.ends[indicator] + 1)
    first = note.find_index(match.end()) if match else None
    if first is None:
        return None
    for stop in range(find_run_end(note, first, lambda _: True, 3), first, -1):
        is_word = stop - first == 1 and is_word_rather_than_town(note, lists, first)
        if is_listed_town(note, lists, first, stop) and not is_word:
            return note.edges(first, stop)
    return None


def is_word_rather_than_town(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a listed town is an ordinary word in small letters ("returned to normal")."""
    word = note.lowered[index]
    return word in NOT_A_PLACE | NOT_TOWNS or (lists.is_ordinary(word) and word not in LARGE_TOWNS)


RULES = (
    street_address, post_box, zip_code, room, street_by_name, city_before_state, state_abbreviation, state,
    country, clear_city, place_indicator, place_by_neighbour,
)  # fmt: skip
