"""Names of people by lists, and what a note says of people besides their names: ages, professions and
employers.

Names (Douglass 2005, section 5.1.1 and table 5.1): an ambiguous name needs an initial, a prefix or a second
name beside it; a popular or unambiguous one needs nothing. Whether it is the name of a patient or of a doctor
is a guess.

Ages: Tafvizi 2011, section 2.5.7 and tables 2.5 and 2.6, which look only for ages from 90 to 125, since only
those are PHI under HIPAA. i2b2 2014 marks every age: the rules for younger ages use the same phrases and are
ours. The papers' rule systems have no professions and employers; i2b2 2014 marks both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import filterfalse

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import LONG_S, Beside, Edges, IndexedNote, after_blank
from crfdeid.rules.rule import (
    PREFIXES,
    SHORTEST_CAPITALS,
    SMALL_PREFIXES,
    find_name_from,
    find_run_end,
    is_initial,
    is_joined,
    is_name_part,
    is_nameable,
    is_thing_name,
    match_at_numbers,
    match_at_words,
    measure_entry,
    rule,
)
from crfdeid.text import ages

DOUGLASS = "Douglass 2005, section 5.1.1"
TABLE = "Douglass 2005, table 5.1"
NOT_INITIALS = word_set("a i")  # with no full stop
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
WITH_A_SURNAME = PREFIXES - {"st", "san", "mac", "la", "los", "el", "al"}


@rule("PATIENT", f"{DOUGLASS} (initials)", guess=True)
def initials_surname(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Initials before a surname: "J. Ruiz", "B.M. Nowak"; with no full stop, only one that is not a word."""
    for index in note.find_capitalised(LETTERS):
        name = index + 1
        if not is_initial(note, index) or name >= len(note) or len(note.word(name)) < 3:
            continue
        if is_surname_of_initial(note, lists, index, name) and is_name_start(note, index):
            first = index - 1 if has_second_initial(note, index) else index
            yield note.edges(first, name + 1)


def is_surname_of_initial(note: IndexedNote, lists: Lists, index: int, name: int) -> bool:
    """Whether word ``name`` is a surname that the initial ``index`` can belong to."""
    word = note.lowered[name]
    is_popular = word in lists.popular_surnames
    if not note.is_capitalised(name) or is_thing_name(note, name):
        return False
    if note.gap(name) == " ":
        return (is_popular or lists.is_clear_surname(word)) and note.lowered[index] not in NOT_INITIALS
    if word in lists.eponyms and not is_popular and is_item_mark(note, index):
        return False
    return note.gap(name) in (". ", ".") and word in lists.surnames


def is_item_mark(note: IndexedNote, index: int) -> bool:
    """Whether the letter can be the mark of a list's item: it is the first word of its line."""
    return index == 0 or "\n" in note.gap(index)


def is_name_start(note: IndexedNote, index: int) -> bool:
    """Whether an initial can begin a name: it does not end a unit, "A&W" or a hyphenated word."""
    return note.gap(index)[-1:] not in tuple("/&-'%")


def has_second_initial(note: IndexedNote, index: int) -> bool:
    """Whether another initial precedes the one at ``index``."""
    return index > 0 and is_initial(note, index - 1) and note.gap(index) in (".", ". ")


@rule("PATIENT", f"{TABLE} (last name prefixes)", guess=True)
def surname_prefix(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A surname with a prefix: "van der Berg", "O'Malley", "de la Cruz", "Mc Donald"; one of no list after
    a first name of none: "Everard van Tijlen"."""
    for index in note.find_words(WITH_A_SURNAME):
        apostrophe = index + 1 < len(note) and note.gap(index + 1) == "'"
        if note.lowered[index] in ("o", "d") and not (apostrophe and note.is_capitalised(index)):
            continue
        stop = find_run_end(note, index, lambda i: note.lowered[i] in PREFIXES, 3)
        if stop == len(note) or not is_joined(note, stop) or not is_nameable(note, lists, stop):
            continue
        word = note.lowered[stop]
        if word in lists.eponyms or is_thing_name(note, stop):
            continue
        if apostrophe or word in lists.names:
            yield note.edges(index, stop + 1)
        elif is_unlisted_name(note, lists, index - 1) and word not in lists.place_words:
            yield note.edges(index - 1, stop + 1)


def is_unlisted_name(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether the word can be a first name before a prefix: it has a capital, the prefix has none, and it is
    in no list of words or places."""
    if index < 0 or note.gap(index + 1) != " " or note.word(index + 1) not in SMALL_PREFIXES:
        return False
    word = note.lowered[index]
    return is_nameable(note, lists, index) and not lists.is_ordinary(word) and word not in lists.place_words


@rule("PATIENT", f"{DOUGLASS} (first names before last names)", guess=True)
def first_and_surname(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A first name of the list, an initial if any, and a surname of the list or a word of none."""
    for index in note.find_capitalised(lists.first_names):
        if note.gap(index) == "-":
            continue
        last = index + 1
        if last < len(note) and is_initial(note, last) and is_joined(note, last):
            last += 1
        follows = last < len(note) and is_joined(note, last) and is_full_name(note, lists, index, last)
        if follows and (edges := find_name_from(note, lists, index)):
            yield edges


def is_full_name(note: IndexedNote, lists: Lists, first: int, last: int) -> bool:
    """Whether the words ``first`` and ``last`` make a name: not both of them may be ordinary words."""
    if note.lowered[last] in PREFIXES:
        return is_name_part(note, lists, last)
    name, surname = note.lowered[first], note.lowered[last]
    if not is_nameable(note, lists, last) or is_thing_name(note, last):
        return False
    if surname in lists.eponyms and name not in lists.popular_names:
        return False
    if note.word(last).isupper() and not note.word(first).isupper():
        return False
    clear = name in lists.popular_names or lists.is_clear_first_name(name)
    return clear or (lists.is_clear_surname(surname) and name not in lists.eponyms)


@rule("PATIENT", TABLE, guess=True)
def surname_comma_first(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Last name, comma, first name: "RUIZ, ANA M"."""
    for index in note.find_capitalised(lists.first_names):
        if not index or note.gap(index) not in (", ", ","):
            continue
        surname, name = note.lowered[index - 1], note.lowered[index]
        if not is_nameable(note, lists, index - 1) or (
            surname in lists.first_names and not lists.is_clear_surname(surname)
        ):
            continue
        if not lists.is_ordinary(surname) or name in lists.popular_names or lists.is_clear_first_name(name):
            more = find_name_from(note, lists, index, 2)
            yield (
                note.starts[find_surname_start(note, lists, index - 1)],
                more[1] if more else note.ends[index],
            )


def find_surname_start(note: IndexedNote, lists: Lists, index: int) -> int:
    """Return the index of the first word of a surname, which may have a hyphen or apostrophe."""
    tied = index > 0 and note.gap(index) in ("'", "-")
    return index - 1 if tied and is_name_part(note, lists, index - 1) else index


@rule("PATIENT", f"{TABLE} (popular names)", guess=True)
def popular_name(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """One of the most common first names with a capital; without one, if it is not a word."""
    for index in note.find_words(lists.popular_names):
        word = note.lowered[index]
        if word in lists.eponyms or word in lists.place_words or is_thing_name(note, index):
            continue
        if note.is_capitalised(index) or not lists.is_ordinary(word):
            yield note.edges(index, index + 1)


@rule("PATIENT", f"{TABLE} (popular names)", guess=True)
def popular_surname(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """One of the most common surnames with a capital, except common words (Brown, Young)."""
    return find_listed(note, note.capitalised_words & lists.popular_surnames)


@rule("PATIENT", f"{TABLE} (unambiguous names)", guess=True)
def clear_first_name(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised first name that is not a common or medical word, place or eponym."""
    return find_listed(note, filter(lists.is_clear, note.capitalised_words & lists.first_names))


@rule("PATIENT", f"{TABLE} (unambiguous names)", guess=True)
def clear_surname(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised surname that is not a common or medical word, place or eponym."""
    return find_listed(note, filter(lists.is_clear, note.capitalised_words & lists.surnames))


def find_listed(note: IndexedNote, names: Iterable[str]) -> Iterator[Edges]:
    """Yield the places of capitalised words, except short ones in capitals: they are abbreviations."""
    for word in filterfalse(note.is_written_small, names):
        for index in note.find_capitalised_places(word):
            short = len(word) < SHORTEST_CAPITALS and note.word(index).isupper()
            if not short and not is_thing_name(note, index):
                yield note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS} (approximate matching)", guess=True)
def misspelt_name(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised word of no list that is one of the most common first names except for a slip
    or two: "Willaim"."""
    for word in filter(lists.is_misspelling, note.capitalised_words):
        if not note.is_written_small(word):
            places = note.find_capitalised_places(word)
            yield from (note.edges(i, i + 1) for i in places if not is_thing_name(note, i))


LISTED = (
    surname_comma_first, first_and_surname, initials_surname, surname_prefix, popular_name, popular_surname,
    clear_first_name, clear_surname, misspelt_name,
)  # fmt: skip


BEFORE_PROFESSION = re.compile(
    r"(?:\bretired (?:as an? )?|[- ]year[- ]old |\b(?:being|serving as|she is|he is) an? "
    r"|\bwork(?:s|ed|ing)?(?: full[- ]time| part[- ]time)? as an? "
    r"|\boccupation(?:\s*[:=]\s*|\s+is an? )"
    r"|\b(?:became|employed as|career as|former|job as) an? (?:retired |former |self-employed )?)$",
    re.IGNORECASE,
)
LAST_WORDS = word_set("retired old a an occupation former employed")  # with which it can end
EMPLOYER = re.compile(
    r"(?:employer|employed|works?|worked|working|insurance|insurer)"
    r"(?:\s*[:=]\s*|(?: \w+){0,2}? (?:for|at|by|with) )(?:the )?",
    re.IGNORECASE,
)
EMPLOYER_WORDS = word_set("employer employed works work worked working insurance insurer")
NEAR = 40  # characters before a profession

TABLES = "Tafvizi 2011, section 2.5.7"
TABLE_5 = re.compile(r"\b(?:age|he is|she is|patient is)[ ]{0,2}(?:an?[ ])?$", re.IGNORECASE)
AGE_WORD = re.compile(r"\b(?:aged?|ages|age of|ages?(?:/sex|/sx)?[ ]*[:=])[ \t]*$", re.IGNORECASE)
OF_A_LIFE = re.compile(
    r"\b(?:alive|died|dead|deceased|living|diagnosed|onset|menarche|menopause) at $", re.IGNORECASE
)
LIFE_WORDS = word_set("alive died dead deceased living diagnosed onset menarche menopause")
TABLE_6 = (
    r"(?:[ ]?-?[ ]?(?:years?|yrs?\.?)[ -]?old|[ ](?:years?|yrs?)[ ]of[ ]age|[ -]?y\.?[ ]?/?o\b\.?|[ -]?y/o"
    r"|[ ]?yrs?[ ]?/?o\b|[ ]?yo[mf]\b|[ ]?y[mf]\b)"
)
OLD, YOUNG = r"(?P<phi>9\d|1[01]\d|12[0-5])(?!\d)", r"(?P<phi>[1-8]?\d)(?!\d)"
EDGE = r"(?<![\d./-])"
MEASURE = re.compile(
    r"(?:\.\d|/\d|%|[ -]?(?:mg|ml|cm|mm|kg|lb|lbs|bpm|units?|hours?|days?|weeks?|months?|mos?|wks?)\b)",
    re.IGNORECASE,
)
WARM = 94  # from here on, a number before F is rather degrees Fahrenheit than the age of a woman
NO_AGE = re.compile(r"(?:temp\w*|\bt|tmax|fever|°|\btc|technetium)\W*(?:of |to )?$", re.IGNORECASE)
BIRTH = re.compile(r"\b(?:dob|born|birth)\b[^\n]+\d ?\($", re.IGNORECASE)
LAST_SIGNS = frozenset("deEDfFnNsStTaA:=xX") | {LONG_S}  # with which the phrases can end
ONES, TEENS, TENS = ("|".join(words) for words in (ages.ONES, ages.TEENS, ages.TENS))


def has_phrase_before(pattern: re.Pattern[str], match: re.Match[str], note: IndexedNote) -> bool:
    """Whether the phrase precedes the number, and no unit follows it."""
    before = note.text[max(0, match.start() - 24) : match.start()]
    if before.rstrip(" \t\n")[-1:] not in LAST_SIGNS:
        return False
    return bool(pattern.search(before)) and not MEASURE.match(note.text, match.end())


old_age_before = match_at_numbers(
    "old_age_before", "AGE", f"{TABLES}, table 2.5",
    "90 to 125 after \"age\", \"he is\", \"she is\", \"patient is\".", EDGE + OLD,
    lambda match, note: has_phrase_before(TABLE_5, match, note), Beside(lengths=(2, 3)),
)  # fmt: skip
old_age_after = match_at_numbers(
    "old_age_after", "AGE", f"{TABLES}, table 2.6",
    "90 to 125 before \"years old\", \"y.o.\", \"yrs of age\" and the like.", EDGE + OLD + TABLE_6,
    beside=Beside(next=("-", "y", "Y", *after_blank(" -yY"))),
)  # fmt: skip
age_before = match_at_numbers(
    "age_before", "AGE", "ours, after table 2.5", "0 to 125 after \"age\", \"aged\" or a field for it.",
    EDGE + r"(?P<phi>[1-9]?\d|1[01]\d|12[0-5])(?!\d)",
    lambda match, note: has_phrase_before(AGE_WORD, match, note),
    Beside(words=word_set("age aged ages")),
)  # fmt: skip
age_after = match_at_numbers(
    "age_after", "AGE", "ours, after table 2.6",
    "0 to 89 before \"years old\", \"y.o.\", \"yrs of age\" and the like.", EDGE + YOUNG + TABLE_6,
    beside=Beside(next=("-", "y", "Y", *after_blank(" -yY"))),
)  # fmt: skip
age_of_life = match_at_numbers(
    "age_of_life", "AGE", "ours", "0 to 125 after \"died at\", \"alive at\", \"diagnosed at\" and the like.",
    EDGE + r"(?P<phi>[1-9]?\d|1[01]\d"
           r"|12[0-5])(?!\d)(?!:)",
    lambda match, note: has_phrase_before(OF_A_LIFE, match, note), Beside(before=" \n", words=LIFE_WORDS),
)  # fmt: skip
age_decade = match_at_numbers(
    "age_decade", "AGE", "ours", "The decade of a life: \"in her 60s\".",
    r"(?:(?<=his )|(?<=her )|(?<=early )|(?<=late )|(?<=their ))[1-9]0'?s\b",
    beside=Beside(next="'sS" + LONG_S),
)  # fmt: skip
age_in_words = match_at_words(
    "age_in_words", "AGE", "ours", "\"fifty-year-old\", \"eighty-two years old\".",
    f"{ONES}|{TENS}|{TEENS}".split("|"),
    rf"(?P<phi>(?:{TENS})(?:[ -](?:{ONES}))?|{TEENS}|{ONES})(?:[ -]years?[ -]old|[ ]years?[ ]of[ ]age)\b",
)  # fmt: skip

age_and_sex = match_at_numbers(
    "age_and_sex", "AGE", "ours", "An age and a sex: \"67M\", \"33/F\", \"67 year male\".",
    rf"{EDGE}(?P<phi>[1-9]\d?)(?:/?[MF]\b|[ ](?:year[ ]|yr[ ])?(?-i:male|female))(?![/.])",
    lambda match, note: not NO_AGE.search(note.text[max(0, match.start() - 24) : match.start()])
    and (not match[0].endswith(("F", "f")) or "/" in match[0] or int(match["phi"]) < WARM),
    Beside(next=(*"/mMfF", *after_blank("yYmf"))),
)  # fmt: skip
age_after_birth = match_at_numbers(
    "age_after_birth", "AGE", "ours", "In parentheses, after a date of birth.",
    r"(?<=\()(?P<phi>[1-9]?\d|1[01]\d)(?= ?(?:y|\)))",
    lambda match, note: BIRTH.search(note.text[max(0, match.start() - 40) : match.start()]),
    Beside(before="("),
)  # fmt: skip

AGES = (
    old_age_after,
    old_age_before,
    age_after,
    age_before,
    age_of_life,
    age_decade,
    age_in_words,
    age_and_sex,
    age_after_birth,
)


@rule("PROFESSION", "ours")
def profession(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A profession of the list after "retired", "works as a", "Occupation:" and the like."""
    for last in note.find_words(LAST_WORDS):
        first = last + 1
        if first == len(note) or note.lowered[first] not in lists.professions.first_words:
            continue
        if not (length := measure_entry(note, lists.professions, first)):
            continue
        if BEFORE_PROFESSION.search(note.text[max(0, note.starts[first] - NEAR) : note.starts[first]]):
            begin = last if note.word_before(first) in ("retired", "former") else first
            yield note.edges(begin, first + length)


@rule("ORGANIZATION", "ours")
def employer(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Capitalised words after "works for", "Employer:" or "Insurance:"; at least one is not a common word,
    or all are an entry of the list."""
    for index in note.find_words(EMPLOYER_WORDS):
        match = EMPLOYER.match(note.text, note.starts[index])
        first = note.find_index(match.end()) if match else None
        if match is None or first is None or not note.is_capitalised(first):
            continue
        listed = measure_entry(note, lists.organizations, first)
        stop = first + listed if listed else find_run_end(note, first, note.is_capitalised, 4)
        is_field = match[0].rstrip().endswith((":", "="))
        if is_field or listed or any(is_nameable(note, lists, i) for i in range(first, stop)):
            yield note.edges(first, stop)


OCCUPATIONS = (profession, employer)
