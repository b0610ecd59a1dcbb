"""Names by their place on the page: the initials at the foot of a note, the name over an address, and the
name in the head of a page. They need no list of names, so a rare name is found as well as a frequent one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.lists import Lists
from crfdeid.rules.name_words import FUNCTION_WORDS
from crfdeid.rules.rule import Edges, Note, rule

OURS = "ours (layout)"
INITIALS = re.compile(
    r"(?:^[ \t]*|(?<=[.!?] ))(?P<author>[A-Z]{2,4}|[a-z]{2,4})[/:](?P<typist>[A-Z]{2,4}|[a-z]{2,4})"
    r"(?:[/:]\w{1,10})?(?=[ \t]*$|[ \t]+[DT]{1,2}[: ]{1,2}\d)",
    re.MULTILINE,
)
AFTER_INITIALS = re.compile(
    r"\s*(?:[DT]{1,2}|dd|dt|date|dictated|transcribed|copy|copies|cc|job|doc)\b", re.IGNORECASE
)
NAME_WORD = r"[^\W\d_](?:[^\W\d_]|['.-](?=[^\W\d_]))*\.?"
OVER_ADDRESS = re.compile(
    rf"^[ \t]*(?:(?:to|mr|mrs|ms|miss|dr)[.:]?[ \t]+)?(?P<name>{NAME_WORD}(?:,?[ ]{NAME_WORD}){{1,3}})"
    r"(?:,?[ ](?:m\.?d\.?|d\.?o\.?|r\.?n\.?|ph\.?d\.?))?[ \t]*\n"
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
    for match in INITIALS.finditer(note.text):
        rest = note.text[match.end() :]
        is_abbreviation = all(lists.is_ordinary(match[name].lower()) for name in ("author", "typist"))
        if AFTER_INITIALS.match(rest) or not (rest.strip() or is_abbreviation):
            yield match.span("author")
            yield match.span("typist")


@rule("PATIENT", OURS, guess=True)
def name_over_address(note: Note, lists: Lists) -> Iterator[Edges]:
    """A line of two to four words, in any case, over a line with a house number and a street."""
    for match in OVER_ADDRESS.finditer(note.text):
        words = re.findall(r"[^\W\d_]+", match["name"])
        is_phrase = any(word.lower() in FUNCTION_WORDS - {"will", "may"} for word in words)
        is_titled = all(word.istitle() for word in words)
        if not is_phrase and (is_titled or not all(lists.is_ordinary(word.lower()) for word in words)):
            yield match.span("name")


@rule("PATIENT", OURS, guess=True)
def name_in_page_head(note: Note, lists: Lists) -> Iterator[Edges]:
    """A word in capitals, or "LAST, FIRST", in a column of a line that ends with a column that is a date."""
    for match in PAGE_HEAD.finditer(note.text):
        words = re.findall(r"[a-z]+", match["name"].lower())
        if not any(lists.is_ordinary(word) for word in words[:1]):
            yield match.span("name")


RULES = (footer_initials, name_over_address, name_in_page_head)
