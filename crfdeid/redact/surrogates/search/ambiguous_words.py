"""Whether a string that was found elsewhere is PHI where it stands here. A name that is also a word
("May", "Rice", "Foley") is, where it is written and stands as a name does."""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.letter_case import words
from crfdeid.redact.surrogates.search.finder import NUMBERS, Mention, SearchString
from crfdeid.redact.surrogates.search.search_strings import LAST_FOUR
from crfdeid.text.document import Span

LEAST_OF_NUMBER, LEAST_OF_DATE, LEAST_OF_PLACE = 5, 5, 4
DETERMINER = regex.compile(r"\b(?:the|a|an|this|his|her|no|new|old)\s+$", regex.IGNORECASE)
TITLE = regex.compile(r"\b(?:mr|mrs|ms|miss|dr|drs|doctor|prof|nurse)\.?\s+$", regex.IGNORECASE)
SENTENCE_END = regex.compile(r"(?:^|[.!?:;\n\r\-*#>])[\s\"'(\[]*$")
AFTER = regex.compile(r"(?P<of>['’]s)?\s+(?P<word>\w+)")
YEARS = regex.compile(r"[-\s]*(?:year|yr|y\.?/?o\b|y\.o)", regex.IGNORECASE)
AGED = regex.compile(r"\b(?:age|aged|age\s*(?:of|:|is))\s*$", regex.IGNORECASE)
ENDING = regex.compile(
    r"(?:\b(?:ending|ends)(?:\s+(?:in|with))?|\blast\s+(?:four|4)(?:\s+digits)?(?:\s+(?:of|are|is))?[\w\s#:]{0,12}|"
    r"[x*]+-?)[\s:#]*$",
    regex.IGNORECASE,
)
ACTS = words(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)


def beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalised word has a name for a neighbour."""
    near = span.start - 1 in ends or span.end + 1 in starts
    return near and text[span.start].isupper()


def is_phi_here(text: str, sight: Mention, neighbour: bool) -> bool:
    """Whether an occurrence is PHI beyond doubt enough to replace it."""
    span, string = sight.span, sight.string
    kind = kinds.of(span.type)
    if kind == kinds.AGE:
        return not string.words[0].isdigit() or told_as_age(text, span)
    if kind in NUMBERS:
        ending = string.size == LAST_FOUR and ENDING.search(text, max(0, span.start - 40), span.start)
        return string.size >= LEAST_OF_NUMBER or bool(ending)
    if kind == kinds.DATE:
        return span.end - span.start >= LEAST_OF_DATE and any(c.isdigit() for c in "".join(string.words))
    if kind in PLACES and string.size < LEAST_OF_PLACE and not string.written:
        return False
    if kind in PLACES and not string.root.isalpha():
        return True
    if kind not in (kinds.NAME, *PLACES):
        return False
    return reads_as_name(text, span, string.root, neighbour)


def told_as_age(text: str, span: Span) -> bool:
    before = AGED.search(text, max(0, span.start - 12), span.start)
    return bool(before or YEARS.match(text, span.end))


def reads_as_name(text: str, span: Span, low: str, neighbour: bool) -> bool:
    """Whether a single word stands as a name. One that is no other word always does; an ordinary or
    a medical word does where it is capitalised within a sentence and no medical word
    follows (Foley catheter), or begins one and does what people do; a month, beside a name or title."""
    if neighbour or TITLE.search(text, max(0, span.start - 12), span.start):
        return True
    if len(low) < 3 or low in name_pools.words("dates"):
        return False
    medical = low in name_pools.words("medical_words", "eponyms", "hospital_words")
    if not medical and low not in name_pools.words("common_words"):
        return True
    if not text[span.start : span.end].istitle():
        return False
    after = AFTER.match(text, span.end)
    if medical and DETERMINER.search(text, max(0, span.start - 8), span.start):
        return False
    if medical and after and after["word"].lower() in name_pools.words("medical_words"):
        return False
    begins = SENTENCE_END.search(text, max(0, span.start - 8), span.start)
    return not begins or bool(after and (after["of"] or after["word"] in ACTS))


def distinct(string: SearchString) -> bool:
    return not ordinary(string.root) and string.root not in name_pools.words("dates")


def ordinary(word: str) -> bool:
    return word in name_pools.words("medical_words", "eponyms", "hospital_words", "common_words")
