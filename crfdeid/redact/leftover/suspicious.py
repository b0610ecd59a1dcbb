"""Find what looks like PHI in a redacted note outside the replacements: kinds and offsets, never text.

Nothing of it was found in the patient's notes (that would be a survivor), and most of it is not PHI. The list
shows a person where to look first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from crfdeid.lexicon.letters import fold
from crfdeid.lexicon.names import CREDENTIAL_SEARCH, TITLE_SEARCH
from crfdeid.lexicon.ordinary import (
    LEAST_SHARE,
    find_share,
    is_ordinary,
    is_rare_word,
    load_capitals,
    load_clinical_words,
)
from crfdeid.lexicon.word_lists import load_lowercase
from crfdeid.redact.leftover.unknown_words import SearchedText, find_listed_names, find_unknown_words
from crfdeid.redact.surrogates import identifiers
from crfdeid.redact.surrogates.search import find_days, list_starts
from crfdeid.text.document import Document, Span, mask_spans

MIN_DIGITS, MIN_GLUED, MAX_BACK, WHOLE_PHONE = 6, 2, 40, 10
# Patterns begin with few characters and look back later, because then the search is fast.
CAPITAL = "[A-ZÀ-ÖØ-Þ]"
NAME = rf"(?P<name>{CAPITAL}[^\W\d_]['’\w-]*)"
LETTERS, LETTERS_BEFORE = re.compile(r"[^\W\d_]+"), re.compile(r"[^\W\d_]+$")
SITE = re.compile(r"(?:https?:/|www[.,])\S*[^\W_]", re.IGNORECASE)
SITE_PARTS = ("www", "http")  # one is in each
SITE_ENDING = re.compile(r"\.(?:com|org|net|edu|gov)\b(?:/\S*[^\W_])?", re.IGNORECASE)
HOST_BEFORE = re.compile(r"[\w-][\w.-]*$")
HOST, LOGIN = re.compile(r"@[^\W\d_][\w-]*(?:\.[\w-]+)*"), re.compile(r"[\w.+-]+$")
NUMBER = re.compile(r"\d(?<![\w/.,-]\d)(?:\d{5,}|\d{1,4}(?:[ -]\d{2,5})+)(?![\w/]|[.,]\d)")
GLUED_NUMBER = re.compile(r"\d(?<!\d\d)\d{7,}")  # beside a slash or letters
DOTTED_PHONE = re.compile(r"(?<![\w./,-])(?:1\.)?(?:\d{3}\.)?\d{3}\.?\d{4}(?![\w/-]|[.,]\d)")
PHONE_BEFORE = re.compile(r"\b(?:tel|phone|ph|fax|cell|mobile|call|pager|home|work)[.:]?\s*$", re.IGNORECASE)
NUMBER_PARTS = ("000000", "00 00", "00-00")  # one is in each, where all digits are 0
MISREAD_NUMBER = re.compile(r"(?:\d|[OoIlSB](?=\d))[\dOoIlSB]{1,3}(?:-[\dOoIlSB]{2,4}){1,3}(?![\w-])")
MISREAD_ENDING = re.compile(r"-[\dOoIlSB]{2,4}(?![\w-])")
GLUED_DIGITS = re.compile("0000*")  # where all digits are 0
PRESCRIBER, VEHICLE = re.compile(r"\d{7}(?!\w)"), re.compile(r"[A-HJ-NPR-Z\d]{17}(?!\w)")
VEHICLE_SIGNS = bytes.maketrans(b"ABCDEFGHJKLMNPRSTUVWXYZ123456789", b"0" * 32)
VEHICLE_PART = b"0" * 17
AGE = re.compile(r"(?:9\d|1[0-2]\d)(?![\d./,]\d)")
AGE_AFTER = re.compile(r"[-\s]*(?:years?\b|yrs?\b|y/?o\b|y\.o)", re.IGNORECASE)
ORDINAL = re.compile(r"(?:st|nd|rd|th)(?=\s+(?:birthday|b-?day))", re.IGNORECASE)
AGE_BEFORE = re.compile(r"\b(?:aged?|age\s(?:of|is)|turned|turning)[:\s]\s*$", re.IGNORECASE)
UNIT = re.compile(r"\d|\.\d|\s*(?:degree|%|percent)", re.IGNORECASE)
AGE_WORD = re.compile(
    r"[Nn][Ii][Nn][Ee][Tt][Yy](?:[-\s]\w+)?(?=[-\s]+[Yy]ear)|NINETY(?:[-\s]\w+)?(?=[-\s]+YEAR)"
)
TITLE = re.compile(
    rf"{TITLE_SEARCH}\.?\s+(?:{CAPITAL}\.\s?)?"
    rf"(?:{NAME}|(?P<misread>\d[a-z]{{3}}[\w'’-]*))"
)
CREDENTIAL = re.compile(CREDENTIAL_SEARCH)
NAME_BEFORE = re.compile(rf"{NAME},?\s+$")
TYPIST, AUTHOR = (
    re.compile(rf"/\s?{CAPITAL}{{2,4}}(?=\s*(?:\n|$)|\s+[DT]{{1,2}}[: ]+\d)"),
    re.compile(rf"(?:^|\n|[.!?]\s){CAPITAL}{{2,4}}\s?$"),
)
INITIAL = re.compile(rf"{CAPITAL}\.\s?{NAME}")
SPACED = re.compile(rf"{CAPITAL}(?:[ .]{CAPITAL}){{3,}}(?!\w)")


class Suspicion(NamedTuple):
    """A place that looks like PHI: ``kind`` is one of :data:`KINDS`."""

    start: int
    end: int
    kind: str


# How probable it is that a place is PHI, by kind; for words by the logistic regression below. Both were
# fitted on the development set, of whose gold spans one in ten was left out (906 places, 231 of them PHI).
SURVIVOR = "survivor"
PROBABILITIES = {
    SURVIVOR: 0.9, "known name": 0.5, "e-mail": 0.9, "web address": 0.8, "check digit": 0.8,
    "long number": 0.85, "date": 0.9, "age": 0.8, "spaced letters": 0.3,
}  # fmt: skip
KIND_WEIGHTS = {"listed name": -0.6, "unknown word": -2.4, "title": 0.8, "initials": -0.3, "glued": 1.4}
BASE, PRODUCT, SMALL, CLINICAL, UPPER, CUED, COMMA, INFLECTED, BEFORE_SMALL, TOWN = (
    0.8, -1.9, -2.0, -0.6, -1.0, 1.1, 0.8, -1.0, -1.9, 0.6,
)  # fmt: skip
PRODUCTS = ("drug_words", "clinical_names", "makers", "abbreviations", "eponyms")
TOWNS = ("us_cities", "world_cities", "english_towns")
CUE = re.compile(r"\b(?:by|cc|from|to|for|signed|pt|patient|in|at|of)[:.]?\s*$", re.IGNORECASE)
INFLECTION = re.compile(
    r"(?:ing|ed|al|ous|able|ive|ic|ment|ology|oma|itis|ine|ol|in|ate|ium|cin)$", re.IGNORECASE
)
NAME_AFTER, SMALL_AFTER = re.compile(r",? [A-Z][a-z]|,[A-Z]"), re.compile(r"\s[a-z]")

Ranges = Iterator[tuple[int, int]]


def find_suspicious(document: Document, survivors: Sequence[Span] = ()) -> list[Suspicion]:
    """Find what looks like PHI outside the spans of a redacted document and outside the ``survivors``, which
    are listed already. Where kinds overlap, the first of :data:`KINDS` counts."""
    mask = mask_spans(len(document.text), [*document.spans, *survivors])
    found, searched = [], SearchedText(document)
    for kind, find in KINDS.items():
        for start, end in find(searched):
            if not any(mask[start:end]):
                found.append(Suspicion(start, end, kind))
                mask[start:end] = b"\1" * (end - start)
    return sorted(found)


def estimate_probability(document: Document, place: Suspicion) -> float:
    """Return how probable it is that a place is PHI, in a release whose tagger missed one span in ten."""
    if place.kind in PROBABILITIES:
        return PROBABILITIES[place.kind]
    words = LETTERS.findall(document.text[place.start : place.end])
    weights = BASE + KIND_WEIGHTS[place.kind] + weigh_word(words[-1] if words else "")
    weights += weigh_context(document.text, place.start, place.end)
    return 1 / (1 + math.exp(-weights))


def weigh_word(word: str) -> float:
    """The sum of what a word says by itself."""
    folded = fold(word)
    return (
        PRODUCT * (folded in load_lowercase(*PRODUCTS) or folded in load_clinical_words())
        + SMALL * (load_capitals().get(folded, 0) < 0)
        + CLINICAL * (folded in load_clinical_words())
        + UPPER * word.isupper()
        + INFLECTED * (INFLECTION.search(word) is not None)
        + TOWN * (folded in load_lowercase(*TOWNS))
    )


def weigh_context(text: str, start: int, end: int) -> float:
    """The sum of what the words beside a place say."""
    return (
        CUED * (CUE.search(text, max(0, start - MAX_BACK), start) is not None)
        + COMMA * (NAME_AFTER.match(text, end) is not None)
        + BEFORE_SMALL * (SMALL_AFTER.match(text, end) is not None)
    )


def begins_word(text: str, at: int) -> bool:
    """Whether no letter or digit is before an offset."""
    return not at or not text[at - 1].isalnum()


def find_emails(searched: SearchedText) -> Ranges:
    text = searched.text
    for match in HOST.finditer(text):
        if login := LOGIN.search(text, max(0, match.start() - MAX_BACK), match.start()):
            yield login.start(), match.end()


def find_web_addresses(searched: SearchedText) -> Ranges:
    """Yield what begins or ends like the address of a page."""
    text = searched.text
    if any(part in searched.low for part in SITE_PARTS):
        yield from (match.span() for match in SITE.finditer(text))
    for match in SITE_ENDING.finditer(text):
        if host := HOST_BEFORE.search(text, max(0, match.start() - MAX_BACK), match.start()):
            yield host.start(), match.end()


def find_ages(searched: SearchedText) -> Ranges:
    """Yield ages over 89: numbers before "years" or a birthday or after "aged", and words."""
    text = searched.text
    for match in AGE.finditer(text):
        start, end = match.span()
        if begins_word(text, start) and text[start - 1 : start] not in ("/", ".", ",", "-"):
            before = AGE_BEFORE.search(text, max(0, start - 12), start) and not UNIT.match(text, end)
            if ordinal := ORDINAL.match(text, end):
                yield start, ordinal.end()
            elif before or AGE_AFTER.match(text, end):
                yield start, end
    if "ninety" in searched.low:
        yield from (match.span() for match in AGE_WORD.finditer(text))


def find_dates(searched: SearchedText) -> Ranges:
    """Yield whole dates: those that were found have moved and are replacements."""
    low = searched.low
    if "00" in searched.zeros and len(low) == len(searched.text):
        for place, _ in find_days(low, list_starts(low)):
            if begins_word(low, place[0]):
                yield place


def find_glued(searched: SearchedText) -> Ranges:
    """Yield capitalized letters that touch a replacement of a number, and letters that touch digits."""
    text = searched.text
    for span in searched.spans:
        after = text[span.end - 1].isdigit() and LETTERS.match(text, span.end)
        before = text[span.start].isdigit() and LETTERS_BEFORE.search(
            text, max(0, span.start - MAX_BACK), span.start
        )
        for match in (after, before):
            if match and len(match[0]) >= MIN_GLUED and match[0][0].isupper():
                yield match.span()
    for match in GLUED_DIGITS.finditer(searched.zeros):
        start, end = match.span()
        before = LETTERS_BEFORE.search(text, max(0, start - MAX_BACK), start)
        after = LETTERS.match(text, end)
        words = [
            word for word in (before, after) if word and len(word[0]) >= MIN_GLUED and word[0][0].isupper()
        ]
        if any(not is_rare_word(fold(word[0])) for word in words):
            yield min(start, words[0].start()), max(end, words[-1].end())


def find_checked(searched: SearchedText) -> Ranges:
    """Yield the numbers and codes that pass a check."""
    text = searched.text
    prescribers = PRESCRIBER.finditer(text) if "0000000" in searched.zeros else ()
    vehicles = VEHICLE.finditer(text) if VEHICLE_PART in text.encode().translate(VEHICLE_SIGNS) else ()
    for matches, more in ((find_numbers(searched), 0), (prescribers, 2), (vehicles, 0)):
        for match in matches:
            start = match.start() - more
            if start >= 0 and begins_word(text, start) and identifiers.find_checks(text[start : match.end()]):
                yield start, match.end()


def find_numbers(searched: SearchedText) -> Iterator[re.Match[str]]:
    """Yield the numbers of several digits, also grouped ones."""
    if any(part in searched.zeros for part in NUMBER_PARTS):
        yield from NUMBER.finditer(searched.text)


def find_long_numbers(searched: SearchedText) -> Ranges:
    """Yield numbers of six digits or more, also those in which a scanner took digits for letters."""
    text = searched.written  # a small l is read as 1, a capital L is not
    has_misread = MISREAD_ENDING.search(text)
    misread = MISREAD_NUMBER.finditer(text) if has_misread else ()
    for match in (*find_numbers(searched), *(each for each in misread if begins_word(text, each.start()))):
        if sum(map(str.isdigit, match[0])) >= MIN_DIGITS:
            yield match.span()
    yield from find_glued_numbers(searched)


def find_glued_numbers(searched: SearchedText) -> Ranges:
    """Yield numbers of eight digits or more beside letters or a slash, and telephone numbers with points."""
    text = searched.text
    if "00000000" in searched.zeros:
        found = (match.span() for match in GLUED_NUMBER.finditer(text))
        yield from ((start, end) for start, end in found if not is_decimal(text, start))
    if ".0000" in searched.zeros or "000.0" in searched.zeros:
        for match in DOTTED_PHONE.finditer(text):
            start, size = match.start(), sum(map(str.isdigit, match[0]))
            is_phone = size >= WHOLE_PHONE or PHONE_BEFORE.search(text, max(0, start - MAX_BACK), start)
            if "." in match[0] and is_phone:
                yield match.span()


def is_decimal(text: str, start: int) -> bool:
    """Whether the digits at ``start`` follow the point of a number."""
    return start > 1 and text[start - 1] in ".," and text[start - 2].isdigit()


def find_titled(searched: SearchedText) -> Ranges:
    """Yield the names next to titles and credentials."""
    text = searched.text
    found = [match for match in TITLE.finditer(text) if begins_word(text, match.start())]
    for match in CREDENTIAL.finditer(text):
        if before := NAME_BEFORE.search(text, max(0, match.start() - MAX_BACK), match.start()):
            found.append(before)
    for match in found:
        group = "name" if match["name"] else "misread"
        if is_possible_name(fold(match[group])):
            yield match.span(group)


def find_initials(searched: SearchedText) -> Ranges:
    """Yield the initials of who dictated and typed (ABC/DEF), and names after an initial."""
    text = searched.text
    for match in TYPIST.finditer(text):
        author = AUTHOR.search(text, max(0, match.start() - 7), match.start())
        if author:
            yield author.end() - len(author[0].lstrip("\n.!? ")), match.end()
        if text[match.start() - 1 : match.start()].isalpha():  # also where only the author was replaced
            yield match.start() + 1, match.end()
    for match in INITIAL.finditer(text):
        if begins_word(text, match.start()) and is_possible_name(fold(match["name"])):
            yield match.span()


def find_spaced_letters(searched: SearchedText) -> Ranges:
    text = searched.text
    return (match.span() for match in SPACED.finditer(text) if begins_word(text, match.start()))


def is_possible_name(folded: str) -> bool:
    """Whether a capitalized word beside a title or an initial may be a name."""
    return (not is_ordinary(folded) and len(folded) > 2) or find_share(folded) >= LEAST_SHARE / 4


KNOWN_NAME = "known name"  # of a patient of the table, in small letters: redact.known_patients finds it
KINDS: dict[str, Callable[[SearchedText], Ranges]] = {
    "e-mail": find_emails,
    "web address": find_web_addresses,
    "check digit": find_checked,
    "long number": find_long_numbers,
    "date": find_dates,
    "age": find_ages,
    "title": find_titled,
    "initials": find_initials,
    "glued": find_glued,
    "spaced letters": find_spaced_letters,
    "listed name": find_listed_names,
    "unknown word": find_unknown_words,
}
ORDER = (KNOWN_NAME, *KINDS)  # the most suspicious first
