"""Ages: Tafvizi 2011, section 2.5.7 and tables 2.5 and 2.6, which look for ages from 90 to 125
alone, since only those are PHI under HIPAA. i2b2 2014 marks every age: the rules for
younger ones use the same phrases and are ours."""

from __future__ import annotations

import re

from crfdeid.rules.rule import Note, at_numbers

TABLES = "Tafvizi 2011, section 2.5.7"
BEFORE = re.compile(r"\b(?:age|aged|age of|he is|she is|patient is|is a|is an|age:|ages?:)[ ]{0,2}(?:an?[ ])?$", re.IGNORECASE)
CLEAR = re.compile(r"\b(?:aged?|age of|ages?:|ages?)[ ]{0,2}$", re.IGNORECASE)
AFTER = (
    r"(?:[ ]?-?[ ]?(?:years?|yrs?\.?)[ -]?old|[ ]years?[ ]of[ ]age|[ ]yrs?[ ]of[ ]age|[ -]?y\.?/?o\b\.?|[ -]?y\.o\."
    r"|[ -]?y/o|[ ]?yr(?:s)?[ ]?/?o\b|[ ]?yo[mf]\b|[ ]?y[mf]\b)"
)
OLD, YOUNG = r"(?P<phi>9\d|1[01]\d|12[0-5])(?!\d)", r"(?P<phi>[1-8]?\d)(?!\d)"
EDGE = r"(?<![\d./-])"
MEASURES = re.compile(r"(?:\.\d|/|%|[ -]?(?:mg|ml|cm|mm|kg|lb|lbs|bpm|units?|hours?|days?|weeks?|months?|mos?)\b)", re.IGNORECASE)


def told_before(match: re.Match[str], note: Note) -> bool:
    """Whether a phrase of table 2.5 stands before, and no unit behind."""
    return bool(BEFORE.search(note.text[max(0, match.start() - 14) : match.start()])) and not MEASURES.match(note.text, match.end())


def age_word_before(match: re.Match[str], note: Note) -> bool:
    return bool(CLEAR.search(note.text[max(0, match.start() - 10) : match.start()])) and not MEASURES.match(note.text, match.end())


old_age_before = at_numbers(
    "old_age_before", "AGE", f"{TABLES}, table 2.5", "90 to 125 after \"age\", \"he is\", \"she is\", \"patient is\".", EDGE + OLD, told_before
)  # fmt: skip
old_age_after = at_numbers(
    "old_age_after", "AGE", f"{TABLES}, table 2.6", "90 to 125 before \"years old\", \"y.o.\", \"yrs of age\" and the like.", EDGE + OLD + AFTER
)  # fmt: skip
age_before = at_numbers(
    "age_before", "AGE", "ours, after table 2.5", "0 to 89 after \"age\" or \"aged\".", EDGE + YOUNG, age_word_before
)  # fmt: skip
age_after = at_numbers(
    "age_after", "AGE", "ours, after table 2.6", "0 to 89 before \"years old\", \"y.o.\", \"yrs of age\" and the like.", EDGE + YOUNG + AFTER
)  # fmt: skip

RULES = (old_age_after, old_age_before, age_after, age_before)
