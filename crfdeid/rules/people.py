"""What a note says of people besides their names: ages, professions and employers.

Ages: Tafvizi 2011, section 2.5.7 and tables 2.5 and 2.6, which look only for ages from 90 to 125, since only
those are PHI under HIPAA. i2b2 2014 marks every age: the rules for younger ages use the same phrases and are
ours. The papers' rule systems have no professions and employers; i2b2 2014 marks both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import Edges, IndexedNote
from crfdeid.rules.rule import (
    find_run_end,
    is_nameable,
    match_at_numbers,
    match_at_words,
    measure_entry,
    rule,
)
from crfdeid.rules.words import LONG_S, Beside, after_blank
from crfdeid.text import ages

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
TEMPERATURE = re.compile(r"(?:temp\w*|\bt|tmax|fever|°)\W*(?:of |to )?$", re.IGNORECASE)
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
    lambda match, note: not TEMPERATURE.search(note.text[max(0, match.start() - 24) : match.start()])
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
    """Capitalised words after "works for", "Employer:" or "Insurance:"; at least one is no common word,
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
