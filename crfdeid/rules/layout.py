"""Names by their place on the page: the initials at the foot of a note, the name over an address, and the
name in the head of a page. They need no list of names, so a rare name is found as well as a frequent one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from crfdeid.lexicon.names import DOTTED, TITLES
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.beside import Beside
from crfdeid.rules.name_words import FUNCTION_WORDS
from crfdeid.rules.note import Edges, Note
from crfdeid.rules.rule import rule

OURS = "ours (layout)"
INITIALS = re.compile(
    r"(?:^[ \t]*|(?<=[.!?] ))(?P<author>[A-Z]{2,4}|[a-z]{2,4})[/:](?P<typist>[A-Z]{2,4}|[a-z]{2,4})"
    r"(?:[/:]\w{1,10})?(?=[ \t]*$|[ \t]+[DT]{1,2}[: ]{1,2}\d)",
    re.MULTILINE,
)
TYPISTS = tuple(  # begin with a fixed sign, so that the search is quick
    re.compile(rf"{sign}(?:[A-Z]{{2,4}}|[a-z]{{2,4}})(?=[/:\s]|\Z)") for sign in "/:"
)
AFTER_INITIALS = re.compile(
    r"\s*(?:[DT]{1,2}|dd|dt|date|dictated|transcribed|copy|copies|cc|job|doc)\b", re.IGNORECASE
)
HOUSE_OR_BOX = re.compile(r"\n[ \t]*(?:\d{1,6}[^\W\d]?[ ]|[pP]\.?[ ]?[oO]\.?[ ]?[^\W\d])")
NOT_BLANK = re.compile(r"\S")
SHORT_DATE = re.compile(r"\d{1,2}[/-]\d{1,2}[/-]\d{2}")
NAME_WORD = r"[^\W\d_](?:[^\W\d_]|['.-](?=[^\W\d_]))*\.?"
OVER_ADDRESS = re.compile(
    rf"^[ \t]*(?:(?:to|{'|'.join(TITLES)})[.:]?[ \t]+)?(?P<name>{NAME_WORD}(?:,?[ ]{NAME_WORD}){{1,3}}?)"
    rf"(?:,?[ ](?:{DOTTED})\.?)?[ \t]*\n"
    r"(?=[ \t]*(?:\d{1,6}[a-z]?[ ](?:[\w.'-]+[ ]){1,4}(?:st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd"
    r"|boulevard|ct|court|pl|place|ter|terrace|way|hwy|highway|pkwy|parkway|cir|circle|sq|square|trl|trail)\b"
    r"|p\.?[ ]?o\.?[ ]?box[ ]\d))",
    re.MULTILINE | re.IGNORECASE,
)
PAGE_HEAD = re.compile(
    r"^(?:[^\n]{2,60}(?:[ ]{2,}|\t[ ]*))?(?P<name>[A-Z][A-Z'-]{2,}(?:,[ ]?[A-Z][A-Z'-]*(?:[ ][A-Z]\.?)?)?)"
    r"(?:[ ]{2,}|[ ]*\t[ ]*)(?=\d{1,2}[/-]\d{1,2}[/-]\d{2,4}[ \t]*(?:$|[ ]{2}))",
    re.MULTILINE,
)


@rule("DOCTOR", OURS)
def footer_initials(note: Note, lists: Lists) -> Iterator[Edges]:
    """The initials of who dictated and who typed, alone in a line before dates, copies or the end of the
    note: "JRM/abc"."""
    places = {place for at in find_typists(note.text) for place in find_authors(note, at)}
    for match in filter(None, (INITIALS.match(note.text, place) for place in places)):
        is_last = not NOT_BLANK.search(note.text, match.end())
        is_abbreviation = all(lists.is_ordinary(match[name].lower()) for name in ("author", "typist"))
        if AFTER_INITIALS.match(note.text, match.end()) or (is_last and not is_abbreviation):
            yield match.span("author")
            yield match.span("typist")


def find_typists(text: str) -> Iterator[int]:
    """Yield the offsets of the signs between the initials of an author and those of a typist."""
    return (match.start() for pattern in TYPISTS for match in pattern.finditer(text))


def find_authors(note: Note, at: int) -> Iterator[int]:
    """Yield where :data:`INITIALS` can begin, if the author's end at ``at``: at the word, or at the blanks
    before it that begin its line."""
    index = bisect_left(note.starts, at) - 1
    if note.ends[index] == at:
        start = note.starts[index]
        yield start
        before = note.gap(index)
        yield start - len(before) + len(before.rstrip(" \t"))


@rule("PATIENT", OURS, guess=True)
def name_over_address(note: Note, lists: Lists) -> Iterator[Edges]:
    """A line of two to four words, in any case, over a line with a house number and a street."""
    ends = (match.start() for match in HOUSE_OR_BOX.finditer(note.text))
    for match in match_lines(note.text, OVER_ADDRESS, ends):
        words = re.findall(r"[^\W\d_]+", match["name"])
        is_phrase = any(word.lower() in FUNCTION_WORDS - {"will", "may"} for word in words)
        is_titled = all(word.istitle() for word in words)
        if not is_phrase and (is_titled or not all(lists.is_ordinary(word.lower()) for word in words)):
            yield match.span("name")


@rule("PATIENT", OURS, guess=True)
def name_in_page_head(note: Note, lists: Lists) -> Iterator[Edges]:
    """A word in capitals, or "LAST, FIRST", in a column of a line that ends with a column that is a date."""
    starts = note.find_numbers(Beside(before=["  ", "\t ", "\t"]))
    dates = (start for start in starts if SHORT_DATE.match(note.text, start))
    for match in match_lines(note.text, PAGE_HEAD, dates):
        words = re.findall(r"[a-z]+", match["name"].lower())
        if not any(lists.is_ordinary(word) for word in words[:1]):
            yield match.span("name")


def match_lines(text: str, pattern: re.Pattern[str], offsets: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begins where a line does, in the lines of these offsets."""
    line, low = -1, 0
    for offset in sorted(offsets):
        start = max(line, text.rfind("\n", low, offset) + 1)
        if start != line and (match := pattern.match(text, start)):
            yield match
        line, low = start, offset


RULES = (footer_initials, name_over_address, name_in_page_head)
