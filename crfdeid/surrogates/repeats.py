"""Where strings found somewhere in a patient's notes occur again.

What the tagger found once and missed elsewhere is found by its text. The brake: a name that is also
a word ("May", "Rice", "Foley") is only taken where it is written and stands as a name does; what is
left so is told by offset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import regex

from crfdeid.document import Document, Span
from crfdeid.surrogates import dates, kinds, lists
from crfdeid.surrogates.names import PARTICLES, SUFFIXES
from crfdeid.surrogates.writing import WORD, bare, words

LEAST_OF_NUMBER, LEAST_OF_DATE, LEAST_OF_PLACE = 5, 6, 4
NO_NAMES = PARTICLES | SUFFIXES
DETERMINER = regex.compile(r"\b(?:the|a|an|this|his|her|no|new|old)\s+$", regex.IGNORECASE)
RUN = regex.compile(r"\w+")
EDGES = regex.compile(r"^\W+|\W+$")
TITLE = regex.compile(r"\b(?:mr|mrs|ms|miss|dr|drs|doctor|prof|nurse)\.?\s+$", regex.IGNORECASE)
SENTENCE_END = regex.compile(r"(?:^|[.!?:;\n\r\-*#>])[\s\"'(\[]*$")
AFTER = regex.compile(r"(?P<of>['’]s)?\s+(?P<word>\w+)")
ACTS = words(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
NUMBERS = (kinds.IDENTIFIER, kinds.PHONE, kinds.EMAIL, kinds.URL, kinds.IP, kinds.USERNAME, kinds.ZIP)
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)


class String(NamedTuple):
    text: str  # lowercased
    type: str
    acronym: bool  # counts where it is written in capitals alone
    derived: bool = False  # never found itself: a nickname of a name that was


class Finder:
    """Finds the strings of a patient, whole words of any case. ``strings`` are texts by type."""

    def __init__(self, strings: Mapping[str, Iterable[str]]) -> None:
        starts: dict[str, list[String]] = defaultdict(list)
        for string in sorted({s for type, texts in strings.items() for t in texts for s in made(t, type)}):
            if first := RUN.search(string.text):
                starts[first[0]].append(string)
        self.starts = {first: sorted(found, key=lambda s: -len(s.text)) for first, found in starts.items()}

    def occurrences(self, text: str) -> Iterator[tuple[Span, String]]:
        """The longest string at each place."""
        low = lowered(text)
        free = 0
        for match in RUN.finditer(low):
            strings = self.starts.get(match[0])
            if strings is None or (start := match.start()) < free:
                continue
            for string in strings:
                end = start + len(string.text)
                if low.startswith(string.text, start) and ends(low, end) and fits(text[start:end], string):
                    yield Span(start, end, string.type), string
                    free = end
                    break


def made(text: str, type: str) -> Iterator[String]:
    """The strings to look for: the text without outer marks and, of a name, each of its words."""
    if kinds.of(type) == kinds.AGE or (kinds.of(type) == kinds.DATE and dates.only_weekday(text)):
        return  # these may stand
    core = EDGES.sub("", text)
    acronym = core.isupper() and core.isalpha() and len(core) < 6
    if kinds.of(type) != kinds.NAME:
        if core:
            yield String(lowered(core), type, acronym)
        return
    for match in WORD.finditer(text):
        word, _ = bare(match[0])
        low = lowered(word)
        if len(word) > 1 and low not in NO_NAMES and low not in lists.words("titles"):
            yield String(low, type, len(word) < 4 and word.isupper())
            for short in lists.shortened().get(low, ()):
                yield String(short.lower(), type, False, True)


def lowered(text: str) -> str:
    """Lowercased without a change of length (``İ`` would grow)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def ends(text: str, end: int) -> bool:
    return end == len(text) or not (text[end - 1].isalnum() and (text[end].isalnum() or text[end] == "_"))


def fits(written: str, string: String) -> bool:
    return not string.acronym or written.isupper()


def missed(document: Document, finder: Finder, taken: Iterable[Span]) -> list[Span]:
    """The repeats outside the spans ``taken`` that are to be replaced."""
    taken = sorted(taken)
    inside = bytearray(len(document.text))
    for span in taken:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    ends_of_names = {span.end for span in taken if kinds.of(span.type) == kinds.NAME}
    starts_of_names = {span.start for span in taken if kinds.of(span.type) == kinds.NAME}
    there = [
        (span, string)
        for span, string in finder.occurrences(document.text)
        if not any(inside[span.start : span.end])
    ]
    names = [span for span, _ in there if kinds.of(span.type) == kinds.NAME]
    starts_of_names |= {span.start for span in names}  # two words that may be names, side by side, are
    ends_of_names |= {span.end for span in names}
    return [
        span
        for span, string in there
        if sure(document.text, span, string, beside(document.text, span, starts_of_names, ends_of_names))
    ]


def beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalised word has a name for a neighbour."""
    near = span.start - 1 in ends or span.end + 1 in starts
    return near and text[span.start].isupper()


def sure(text: str, span: Span, string: String, neighbour: bool) -> bool:
    """Whether an occurrence is PHI beyond doubt enough to replace it."""
    kind = kinds.of(span.type)
    if kind in NUMBERS:
        return sum(c.isalnum() for c in string.text) >= LEAST_OF_NUMBER
    if kind == kinds.DATE:
        return len(string.text) >= LEAST_OF_DATE and any(c.isdigit() for c in string.text)
    if kind in PLACES and len(string.text) < LEAST_OF_PLACE and not string.acronym:
        return False
    if kind in PLACES and not string.text.isalpha():
        return True
    if kind not in (kinds.NAME, *PLACES):
        return False
    return named(text, span, string.text, neighbour)


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
