"""Ages: Tafvizi 2011, section 2.5.7 and tables 2.5 and 2.6, which look only for ages from 90 to 125,
since only those are PHI under HIPAA. i2b2 2014 marks every age: the rules for younger ages use
the same phrases and are ours."""

from __future__ import annotations

import re

from crfdeid.lexicon.letters import word_set
from crfdeid.rules.beside import LONG_S, Beside, after_blank
from crfdeid.rules.note import Note
from crfdeid.rules.rule import match_at_numbers, match_at_words
from crfdeid.text import ages

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


def has_phrase_before(pattern: re.Pattern[str], match: re.Match[str], note: Note) -> bool:
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

RULES = (
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
