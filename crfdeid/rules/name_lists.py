"""Names of people by lists: Douglass 2005, section 5.1.1 and table 5.1.

An ambiguous name needs an initial, a prefix or a second name beside it; a popular or
unambiguous one stands for itself. Whether it is a patient's or a doctor's is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations

from crfdeid.rules.indexed_note import Edges, Note, joined, run
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_words import ENOUGH, PREFIXES, initial, name_from, nameable, of_a_thing, part
from crfdeid.rules.rule import rule

DOUGLASS = "Douglass 2005, section 5.1.1"
TABLE = "Douglass 2005, table 5.1"
SHORTEST, LONGEST = 5, 13  # letters of a name whose misspellings are looked for
LONG = 8  # letters from which on two slips are forgiven
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
WITH_A_SURNAME = PREFIXES - {"st", "san", "mac", "la", "los", "el", "al"}


@rule("PATIENT", f"{DOUGLASS} (initials)", guess=True)
def initials_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """Initials before a surname: "J. Ruiz", "B.M. Nowak"; with no full stop, only one that is no word."""
    for index in note.places(LETTERS):
        name = index + 1
        if not initial(note, index) or name >= len(note) or len(note.words[name]) < 3:
            continue
        if surname_of(note, lists, index, name) and starts_name(note, index):
            first = index - 1 if second_initial(note, index) else index
            yield note.edges(first, name + 1)


def surname_of(note: Note, lists: Lists, index: int, name: int) -> bool:
    """Whether word ``name`` is a surname that the initial ``index`` can belong to."""
    word = note.lowered[name]
    if not note.capital(name) or word in lists.eponyms or of_a_thing(note, name):
        return False
    if note.gap(name) == " ":
        return word in lists.clear_surnames and note.lowered[index] != "a"
    return note.gap(name) in (". ", ".") and word in lists.surnames


def starts_name(note: Note, index: int) -> bool:
    """An initial is no end of a unit, of "A&W" or of a hyphenated word."""
    return note.gap(index)[-1:] not in tuple("/&-'’%")


def second_initial(note: Note, index: int) -> bool:
    return index > 0 and initial(note, index - 1) and note.gap(index) in (".", ". ")


@rule("PATIENT", f"{TABLE} (last name prefixes)", guess=True)
def surname_prefix(note: Note, lists: Lists) -> Iterator[Edges]:
    """A surname with a prefix: "van der Berg", "O'Malley", "de la Cruz", "Mc Donald"."""
    for index in note.places(WITH_A_SURNAME):
        apostrophe = index + 1 < len(note) and note.gap(index + 1) in ("'", "’")
        if note.lowered[index] in ("o", "d") and not (apostrophe and note.capital(index)):
            continue
        stop = run(note, index, lambda i: note.lowered[i] in PREFIXES, 3)
        if not index < stop < len(note) or not joined(note, stop) or not nameable(note, lists, stop):
            continue
        word = note.lowered[stop]
        if (apostrophe or word in lists.named) and word not in lists.eponyms and not of_a_thing(note, stop):
            yield note.edges(index, stop + 1)


@rule("PATIENT", f"{DOUGLASS} (first names before last names)", guess=True)
def first_and_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """A first name of the list, an initial if any, and a surname of the list or a word of none."""
    for index in note.places(lists.first):
        if not note.capital(index) or note.gap(index) == "-":
            continue
        last = index + 1
        if last < len(note) and initial(note, last) and joined(note, last):
            last += 1
        told = last < len(note) and joined(note, last) and makes_name(note, lists, index, last)
        if told and (edges := name_from(note, lists, index)):
            yield edges


def makes_name(note: Note, lists: Lists, first: int, last: int) -> bool:
    """Whether the words ``first`` and ``last`` make a name: not both of them may be words."""
    if note.lowered[last] in PREFIXES:
        return part(note, lists, last)
    name, surname = note.lowered[first], note.lowered[last]
    if not nameable(note, lists, last) or of_a_thing(note, last):
        return False
    if surname in lists.eponyms and name not in lists.popular:
        return False
    if note.words[last].isupper() and not note.words[first].isupper():
        return False
    sure = name in lists.popular or name in lists.clear_first
    return sure or (surname in lists.clear_surnames and name not in lists.eponyms)


@rule("PATIENT", TABLE, guess=True)
def surname_comma_first(note: Note, lists: Lists) -> Iterator[Edges]:
    """Last name, comma, first name: "RUIZ, ANA M"."""
    for index in note.places(lists.first):
        if not index or note.gap(index) not in (", ", ",") or not note.capital(index):
            continue
        surname, name = note.lowered[index - 1], note.lowered[index]
        if not nameable(note, lists, index - 1) or (
            surname in lists.first and surname not in lists.clear_surnames
        ):
            continue
        if not lists.plain(surname) or name in lists.popular or name in lists.clear_first:
            more = name_from(note, lists, index, 2)
            yield note.starts[start_of_surname(note, lists, index - 1)], more[1] if more else note.ends[index]


def start_of_surname(note: Note, lists: Lists, index: int) -> int:
    """The first word of a surname of two with a hyphen or apostrophe."""
    tied = index > 0 and note.gap(index) in ("'", "’", "-")
    return index - 1 if tied and part(note, lists, index - 1) else index


@rule("PATIENT", f"{TABLE} (popular names)", guess=True)
def popular_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """One of the most common first names with a capital; without one, if it is no word."""
    for index in note.places(lists.popular):
        word = note.lowered[index]
        if word in lists.eponyms or word in lists.places or of_a_thing(note, index):
            continue
        if note.capital(index) or not lists.plain(word):
            yield note.edges(index, index + 1)


@rule("PATIENT", f"{TABLE} (unambiguous names)", guess=True)
def clear_first_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised first name that is no common or medical word, place or eponym."""
    return alone(note, lists.clear_first)


@rule("PATIENT", f"{TABLE} (unambiguous names)", guess=True)
def clear_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised surname that is no common or medical word, place or eponym."""
    return alone(note, lists.clear_surnames)


def alone(note: Note, names: frozenset[str]) -> Iterator[Edges]:
    """Capitalised words of the list. In capitals throughout, a short one is rather an abbreviation."""
    for index in note.places((note.vocabulary & names) - note.small):
        short = len(note.words[index]) < ENOUGH and note.words[index].isupper()
        if note.capital(index) and not short and not of_a_thing(note, index):
            yield note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS} (approximate matching)", guess=True)
def misspelt_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised word of no list that is one of the most common first names but for a slip
    or two: "Willaim"."""
    for word, places in note.at.items():
        if unknown(note, lists, word) and close(word, lists.popular):
            yield from (note.edges(i, i + 1) for i in places if note.capital(i) and not of_a_thing(note, i))


def unknown(note: Note, lists: Lists, word: str) -> bool:
    """Whether a word that is long enough is in no list and not written small in the note."""
    if len(word) < SHORTEST:
        return False
    known = word in lists.named or word in lists.eponyms or word in lists.places or word in note.small
    return not known and word.isalpha() and not lists.plain(word)


# Misspellings. Douglass 2005, section 5.1.1, looks for those of the most common first names. A slip
# is a letter too many, too few, another, or two that changed places. Words that differ by at
# most k slips share what is left after taking out at most k letters of each, so candidates
# come from one dictionary of such remains.
def slips(length: int) -> int:
    """How many slips a name of that length is forgiven."""
    return 0 if length < SHORTEST else 1 if length < LONG else 2


def remains(word: str, most: int) -> set[str]:
    """The word without each choice of at most so many of its letters.

    >>> sorted(remains("ana", 1))
    ['aa', 'an', 'ana', 'na']
    """
    places = range(len(word))
    taken = (set(out) for count in range(most + 1) for out in combinations(places, count))
    return {"".join(word[i] for i in places if i not in out) for out in taken}


@cache
def by_remains(names: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        for rest in remains(name, slips(len(name))):
            found.setdefault(rest, []).append(name)
    return found


@lru_cache(50_000)
def close(word: str, names: frozenset[str]) -> str | None:
    """The name that ``word`` is but for its slips; both lowercased, and with the same first letter.

    >>> names = frozenset(["william", "maria"])
    >>> close("willaim", names), close("marria", names), close("malaria", names)
    ('william', 'maria', None)
    """
    if not SHORTEST - 1 <= len(word) <= LONGEST:
        return None
    known = by_remains(names)
    candidates = {name for rest in remains(word, slips(len(word))) for name in known.get(rest, ())}
    near = (n for n in sorted(candidates) if n[0] == word[0] and distance(word, n) <= slips(len(n)))
    return next(near, None)


def distance(one: str, other: str) -> int:
    """Slips between two words (optimal string alignment).

    >>> distance("willaim", "william"), distance("jon", "john"), distance("mary", "mark")
    (1, 1, 1)
    """
    rows = list(_rows(one, other))
    return rows[-1][-1]


def _rows(one: str, other: str) -> Iterator[list[int]]:
    before, row = [], list(range(len(other) + 1))
    yield row
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        yield row


RULES = (
    surname_comma_first, first_and_surname, initials_surname, surname_prefix, popular_name, clear_first_name,
    clear_surname, misspelt_name,
)  # fmt: skip
