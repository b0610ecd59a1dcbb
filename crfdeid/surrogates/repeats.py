"""Where strings found somewhere in a patient's notes occur again.

What the tagger found once and missed elsewhere is found by its text. The brake: a name that is also
a word ("May", "Rice", "Foley") is only taken where it is written and stands as a name does; what is
left so is told by offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import regex

from crfdeid.document import Document, Span
from crfdeid.surrogates import ages, dates, kinds, lists
from crfdeid.surrogates.finder import FEW, LEAST_WITHIN, NUMBERS, RUN, Finder, Sight, String
from crfdeid.surrogates.names import PARTICLES, SUFFIXES
from crfdeid.surrogates.plain import plain
from crfdeid.surrogates.writing import WORD, bare, folded, words

LEAST_OF_NUMBER, LEAST_OF_DATE, LEAST_OF_PLACE = 5, 5, 4
LAST_FOUR = 4
NO_NAMES = PARTICLES | SUFFIXES
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
LEFT, RIGHT = regex.compile(r"\S*$"), regex.compile(r"\S*")  # they match everywhere
ADDRESS = regex.compile(
    r"[@\\~_\d]|://|www\.|\.(?:pdf|docx?|txt|jpe?g|com|org|net|edu|gov)\b", regex.IGNORECASE
)
ACTS = words(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)


def finder(strings: Mapping[str, Iterable[str]]) -> Finder:
    """What finds the texts of each type again."""
    return Finder(found for type, texts in strings.items() for t in texts for found in looked_for(t, type))


def looked_for(text: str, type: str) -> Iterator[String]:
    kind = kinds.of(type)
    if kind == kinds.NAME:
        yield from names(text, type)
    elif kind == kinds.AGE:
        yield from old_ages(text, type)
    elif kind in NUMBERS:
        yield from number(RUN.findall(plain(text).text), type, kind)
    elif not (kind == kinds.DATE and dates.only_weekday(text)):  # those may stand
        found = tuple(RUN.findall(plain(text).text))
        core = text.strip()
        acronym = core.isupper() and core.isalpha() and len(core) < 6
        if found:
            yield String(found, type, "all" if acronym else "", found[0] if len(found) == 1 else "")


def names(text: str, type: str) -> Iterator[String]:
    """Each word of a name, its plural, and the first names that it may be short for or is shortened to."""
    for match in WORD.finditer(text):
        word, _ = bare(match[0])
        found, low = tuple(RUN.findall(plain(word).text)), folded(word)
        if len(low) < 2 or low in NO_NAMES or low in lists.words("titles") or not found:
            continue
        yield String(found, type, "all" if len(word) < 4 and word.isupper() else "", low)
        if len(low) > 2:
            ending = "es" if low[-1] in "sxz" else "s"
            yield String((*found[:-1], found[-1] + ending), type, "first", low, True)
        for other in (*lists.shortened().get(low, ()), *lists.nicknames().get(low, ())):
            yield String((folded(other),), type, "", folded(other), True)


def old_ages(text: str, type: str) -> Iterator[String]:
    """The words and numbers of an age that is over 89: others may stand."""
    if ages.treated(text) not in (text, None):
        for match in (*ages.OLD.finditer(text), *ages.NUMBER.finditer(text)):
            if not match[0].isdecimal() or int(match[0]) > ages.OLDEST:
                yield String(tuple(RUN.findall(plain(match[0]).text)), type, derived=True)


def number(groups: list[str], type: str, kind: str) -> Iterator[String]:
    """A number, a short one also as it is grouped, and of an identifier the last four digits."""
    text = "".join(groups)
    if text:
        yield String((text,), type)
    if len(groups) > 1 and len(text) < FEW:
        yield String(tuple(groups), type)
    if kind == kinds.IDENTIFIER and len(text) > LAST_FOUR + 2 and text[-LAST_FOUR:].isdigit():
        yield String((text[-LAST_FOUR:],), type, derived=True)


def missed(document: Document, finder: Finder, taken: Iterable[Span]) -> list[Span]:
    """The repeats outside the spans ``taken`` that are to be replaced."""
    taken = sorted(taken)
    inside = covered(document.text, taken)
    ends_of_names = {span.end for span in taken if kinds.of(span.type) == kinds.NAME}
    starts_of_names = {span.start for span in taken if kinds.of(span.type) == kinds.NAME}
    there = finder.sights(document.text, inside)
    parts = in_addresses(document.text, finder)
    names = [sight.span for sight in there if kinds.of(sight.span.type) == kinds.NAME]
    starts_of_names |= {span.start for span in names}  # two words that may be names, side by side, are
    ends_of_names |= {span.end for span in names}
    found = [
        sight.span
        for sight in there
        if sure(document.text, sight, beside(document.text, sight.span, starts_of_names, ends_of_names))
    ]
    for part in parts:
        if not any(inside[part.start : part.end]) and not any(part.overlaps(span) for span in found):
            found.append(part)
    return found


def seen(text: str, finder: Finder) -> Iterator[Sight]:
    """Where the strings that were found themselves stand, also as parts of longer words; those in an
    ordinary word or in another name (the Ander of Anderson) are none."""
    yield from (sight for sight in finder.sights(text) if not sight.string.derived)
    for sight, word in finder.within(text):
        listed = word in lists.folds("surnames") or word in lists.folds("first_names")
        if sight.string.size > LEAST_WITHIN and distinct(sight.string) and not listed and not ordinary(word):
            yield sight


def in_addresses(text: str, finder: Finder) -> Iterator[Span]:
    """Names that are parts of what looks like an address, or like the name of a user or file."""
    for sight, _ in finder.within(text):
        span = sight.span
        around = LEFT.search(text, max(0, span.start - 80), span.start)[0] + RIGHT.match(text, span.end)[0]
        if distinct(sight.string) and ADDRESS.search(around):
            yield span


def tells(name: str, finder: Finder) -> bool:
    """Whether the name of a note or patient holds a name or number of the patient."""
    return any(
        kinds.of(sight.string.type) == kinds.NAME or sight.string.size >= LEAST_OF_NUMBER
        for sight in seen(name, finder)
        if kinds.of(sight.string.type) in (kinds.NAME, *NUMBERS)
    )


def distinct(string: String) -> bool:
    return not ordinary(string.root) and string.root not in lists.words("dates")


def ordinary(word: str) -> bool:
    return word in lists.words("medical_words", "eponyms", "hospital_words", "common_words")


def covered(text: str, spans: Iterable[Span]) -> bytearray:
    """A mark for each character of the text that a span covers."""
    inside = bytearray(len(text))
    for span in spans:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    return inside


def beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalised word has a name for a neighbour."""
    near = span.start - 1 in ends or span.end + 1 in starts
    return near and text[span.start].isupper()


def sure(text: str, sight: Sight, neighbour: bool) -> bool:
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
    return named(text, span, string.root, neighbour)


def told_as_age(text: str, span: Span) -> bool:
    before = AGED.search(text, max(0, span.start - 12), span.start)
    return bool(before or YEARS.match(text, span.end))


def named(text: str, span: Span, low: str, neighbour: bool) -> bool:
    """Whether a single word stands as a name. One that is no other word always does; an ordinary or
    a medical word does where it is capitalised within a sentence and no medical word
    follows (Foley catheter), or begins one and does what people do; a month, beside a name or title."""
    if neighbour or TITLE.search(text, max(0, span.start - 12), span.start):
        return True
    if len(low) < 3 or low in lists.words("dates"):
        return False
    medical = low in lists.words("medical_words", "eponyms", "hospital_words")
    if not medical and low not in lists.words("common_words"):
        return True
    if not text[span.start : span.end].istitle():
        return False
    after = AFTER.match(text, span.end)
    if medical and DETERMINER.search(text, max(0, span.start - 8), span.start):
        return False
    if medical and after and after["word"].lower() in lists.words("medical_words"):
        return False
    begins = SENTENCE_END.search(text, max(0, span.start - 8), span.start)
    return not begins or bool(after and (after["of"] or after["word"] in ACTS))
