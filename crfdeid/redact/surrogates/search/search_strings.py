"""The strings to search in a patient's notes after a text was found in one of them.

Whole dates are searched by their day, whatever their notation: 3/7/2061, March 7, 2061, 2061-03-07, 7MAR61.

>>> [keys for _, keys in find_days("3/7/2061, march 15, 2061 and 2061-03-15", (0, 10, 29))]
[('61-03-07', '61-07-03'), ('61-03-15',), ('61-03-15',)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import regex

from crfdeid.lexicon import english, spanish, word_lists
from crfdeid.lexicon.letters import WORD, fold, normalize, remove_invisible, split_possessive
from crfdeid.lexicon.ordinary import is_ordinary
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.identifiers import LAST_FOUR
from crfdeid.redact.surrogates.institutions import SMALL_WORDS, is_identifying
from crfdeid.redact.surrogates.names import PARTICLES, SUFFIXES
from crfdeid.text import ages

MONTHS = english.MONTH_NUMBERS | spanish.MONTH_NUMBERS
MONTH_STARTS = frozenset(month[:3] for month in MONTHS)
FIRST_LETTERS = frozenset("0123456789").union(month[0] for month in MONTHS)
MONTH = rf"(?:{'|'.join(MONTHS)})"
TH = r"(?:st|nd|rd|th)?"
DAY = re.compile(
    rf"""(?<![\w/.-])(?:
    (?P<numbers>\d\d?[/.-]\d\d?[/.-](?:\d{{4}}|\d\d) | \d{{4}}[/.-]\d\d?[/.-]\d\d?)
    | (?P<digits>[12]\d{{7}})
    | (?P<month1>{MONTH})\.?[ ]*(?P<day1>\d\d?){TH}(?:,\s*'?|\s+'?)(?P<year1>\d{{4}}|\d\d)
    | (?P<day2>\d\d?){TH}[\s-]?(?:of\s+|de\s+)?(?P<month2>{MONTH})
        (?:\.?,?[\s-]+(?:de\s+)?|')?(?P<year2>\d{{4}}|\d\d)
    )(?![\w/]|-\d)""",
    re.VERBOSE,
)
FIRST_NUMBER = re.compile(
    rf"""\d(?<![\w/.-]\d)(?:
    \d?[/.-]\d\d?[/.-]\d\d | \d{{3}}[/.-]\d\d?[/.-]\d | \d{{7}}
    | \d?{TH}[\s-]?(?:of\s+|de\s+)?(?:{"|".join(sorted(MONTH_STARTS))})
    )""",
    re.VERBOSE,
)
FIRST_MONTH = re.compile(rf"(?<![\w/.-]){MONTH}\.? *(?=\d)")
RUN = re.compile(r"[^\W_]+")
MIN_GROUPED = 6  # a shorter number is found only as it was written, or with hyphens
MAX_WORDS = 32  # of a string that is searched as a whole
AGE_ENDINGS = ("", "st", "nd", "rd", "th", "yo", "yof", "yom", "yr", "yrs", "year", "years")
LOCAL_DIGITS = 7  # of a telephone number
MIN_FIRST = 5  # letters of the first word of an institution
MIN_ACRONYM = 3  # letters
MIN_LOGIN = 5  # characters of the user name of an e-mail address
NUMBERS = (kinds.IDENTIFIER, kinds.PHONE, kinds.EMAIL, kinds.URL, kinds.IP, kinds.USERNAME, kinds.ZIP)
OF_PARTS = regex.compile(
    r"(?<!\p{L})\p{L}{2,}+(?:-\p{L}{2,}+)+|\b(?:(?:van|von|der|den|de|la|le|du|del|di|da|dos)\s+)+\p{L}{2,}",
    regex.IGNORECASE,
)  # Okafor-Lee, van der Berg; a word is tried at its first letter only
SAINT = regex.compile(
    r"\b(?:St|Saint)\.?\s+(\p{L}{3,20})['\N{RIGHT SINGLE QUOTATION MARK}]s\b", regex.IGNORECASE
)
NEVER_SEARCHED = PARTICLES | SUFFIXES
ROADS = {
    word: group
    for group in (
        ("street", "st", "str"), ("avenue", "ave", "av"), ("road", "rd"), ("drive", "dr"), ("lane", "ln"),
        ("boulevard", "blvd"), ("court", "ct"), ("place", "pl"), ("terrace", "ter", "terr"),
        ("highway", "hwy"), ("parkway", "pkwy"), ("circle", "cir"), ("square", "sq"), ("trail", "trl"),
        ("route", "rte"), ("turnpike", "tpke"), ("way",), ("alley", "aly"),
    )
    for word in group
}  # fmt: skip


class SearchString(NamedTuple):
    """A string to search for. ``words`` are normalized; a number is a single word. ``capitals`` says
    which letters must be capitals: ``""`` none, ``all``, or ``first``. ``root`` is the word that decides
    whether the string is an ordinary word. A ``derived`` string was not found itself but follows from
    one that was. A ``doubtful`` one is only listed."""

    words: tuple[str, ...]
    type: str
    capitals: str = ""
    root: str = ""
    derived: bool = False
    doubtful: bool = False

    @property
    def size(self) -> int:
        return sum(map(len, self.words))


def derive_strings(text: str, type: str) -> Iterator[SearchString]:
    """Yield the strings to search for after ``text`` was found with this type. The parts of a long string are
    searched, because the work of a repetitive one would grow with the square of its length."""
    for string in derive_whole_strings(text, type):
        if len(string.words) <= MAX_WORDS:
            yield string
            continue
        for start, end in split_range(len(string.words)):
            yield string._replace(words=string.words[start:end])


def split_range(size: int) -> Iterator[tuple[int, int]]:
    """Split more than :data:`MAX_WORDS` words into parts of that size, and the rest in two halves, so that no
    part is so short that it occurs by chance.

    >>> list(split_range(70))
    [(0, 32), (32, 51), (51, 70)]
    """
    last = (size - 1) // MAX_WORDS * MAX_WORDS - MAX_WORDS
    edges = [*range(0, last + 1, MAX_WORDS), (last + size) // 2, size]
    yield from pairwise(edges)


def derive_whole_strings(text: str, type: str) -> Iterator[SearchString]:
    kind = kinds.kind_of(type)
    if kind == kinds.NAME:
        yield from derive_names(remove_invisible(text), type)
    elif kind == kinds.AGE:
        yield from derive_old_ages(text, type)
    elif kind in NUMBERS:
        yield from derive_numbers(RUN.findall(normalize(text).text), type, kind)
        if kind == kinds.EMAIL:
            yield from derive_login(text)
    elif not (kind == kinds.DATE and DateShifter.is_weekday_or_season(text)):  # those may be kept
        yield from derive_words(text, type)
        if kind == kinds.DATE:
            days = list_days(normalize(text).text)
            yield from (SearchString((day,), type, derived=True) for day in sorted(days))
        elif kind == kinds.STREET:
            yield from derive_streets(text, type)
        elif kind in (kinds.HOSPITAL, kinds.ORGANIZATION):
            yield from derive_saints(text, type)
            yield from derive_first_word(text, type)
            yield from derive_acronym(text, type)


def list_days(low: str) -> set[str]:
    """Return the keys of the whole dates in a normalized text."""
    return {key for _, keys in find_days(low, list_starts(low)) for key in keys}


def derive_words(text: str, type: str) -> Iterator[SearchString]:
    """Yield the whole text, word by word."""
    words = tuple(RUN.findall(normalize(text).text))
    core = text.strip()
    is_acronym = core.isupper() and core.isalpha() and len(core) < 6
    if words:
        yield SearchString(words, type, "all" if is_acronym else "", words[0] if len(words) == 1 else "")


def derive_names(text: str, type: str) -> Iterator[SearchString]:
    """Yield each word of a name, its plural, its nicknames and the first names it may be a nickname of, and
    names of several parts as one word."""
    yield from (SearchString((word,), type, "", word, derived=True) for word in sorted(join_parts(text)))
    for match in WORD.finditer(text):
        word, _ = split_possessive(match[0])
        words, low = tuple(RUN.findall(normalize(word).text)), fold(word)
        if len(low) < 2 or low in NEVER_SEARCHED or low in word_lists.load_lowercase("titles") or not words:
            continue
        yield SearchString(words, type, "all" if len(word) < 4 and word.isupper() else "", low)
        if len(words) > 1:  # O'Neil is also written ONeil
            yield SearchString((low,), type, "", low, derived=True)
        if len(low) > 2:
            ending = "es" if low[-1] in "sxz" else "s"
            yield SearchString((*words[:-1], words[-1] + ending), type, "first", low, True)
        for other in (*word_lists.load_nicknames().get(low, ()), *word_lists.load_full_names().get(low, ())):
            yield SearchString((fold(other),), type, "", fold(other), True)


def join_parts(text: str) -> set[str]:
    """Return the names of several parts in a text, each as one word.

    >>> sorted(join_parts("Ana Okafor-Lee, Robert van der Berg"))
    ['okaforlee', 'vanderberg']
    """
    return {fold("".join(WORD.findall(match[0]))) for match in OF_PARTS.finditer(text)}


def derive_old_ages(text: str, type: str) -> Iterator[SearchString]:
    """Yield the words and numbers of an age over 89, the numbers also as ordinals ("91st birthday")
    and with a unit ("91yo"); younger ages may be kept."""
    if ages.generalise_age(text) not in (text, None):
        for match in (*ages.OLD.finditer(text), *ages.NUMBER.finditer(text)):
            if not match[0].isdecimal():
                yield SearchString(tuple(RUN.findall(normalize(match[0]).text)), type, derived=True)
            elif int(match[0]) > ages.OLDEST:
                number = normalize(match[0]).text
                for ending in AGE_ENDINGS:
                    yield SearchString((number + ending,), type, derived=True)


def derive_numbers(groups: list[str], type: str, kind: str) -> Iterator[SearchString]:
    """Yield a number, a short number also as it is grouped, the last four digits of an identifier, and the
    local digits of a telephone number."""
    text = "".join(groups)
    if text:
        yield SearchString((text,), type)
    if len(groups) > 1 and len(text) < MIN_GROUPED:
        yield SearchString(tuple(groups), type)
    if kind == kinds.IDENTIFIER and len(text) > LAST_FOUR + 2 and text[-LAST_FOUR:].isdigit():
        yield SearchString((text[-LAST_FOUR:],), type, derived=True)
    if kind == kinds.PHONE and text.isdigit() and len(text) in (LOCAL_DIGITS + 3, LOCAL_DIGITS + 4):
        yield SearchString((text[-LOCAL_DIGITS:],), type)


def derive_login(address: str) -> Iterator[SearchString]:
    """Yield the user name of an e-mail address, unless it is an ordinary word (nurse@)."""
    login = "".join(RUN.findall(normalize(address.partition("@")[0]).text))
    if "@" in address and len(login) >= MIN_LOGIN and not is_ordinary(login):
        yield SearchString((login,), "USERNAME")


def derive_streets(text: str, type: str) -> Iterator[SearchString]:
    """Yield a street with its number and without, with the word for its kind in full and abbreviated."""
    words = RUN.findall(normalize(text).text)
    last = next((n for n in range(len(words) - 1, 0, -1) if words[n] in ROADS), 0)
    has_number = bool(words) and words[0][0].isdigit()
    names = words[1:last] if has_number else words[:last]
    if not names or not any(len(word) > 2 or word[0].isdigit() for word in names):
        return
    if has_number:  # without the word for its kind: 12 Elm
        yield SearchString(tuple(words[:last]), type)
    for road in ROADS[words[last]]:
        if len(names) < last:
            yield SearchString((*words[:last], road), type)
        yield SearchString((*names, road), type, "first", derived=True)


def derive_saints(text: str, type: str) -> Iterator[SearchString]:
    """Yield the other writings of the saint of an institution: Saint Mary's and St. Marys for St. Mary's."""
    whole = tuple(RUN.findall(normalize(text).text))
    for match in SAINT.finditer(text):
        name = fold(match[1])
        for words in ((first, *last) for last in ((name, "s"), (name + "s",)) for first in ("st", "saint")):
            if words != whole:
                yield SearchString(words, type, "first", derived=True)


def derive_first_word(text: str, type: str) -> Iterator[SearchString]:
    """Yield the first word of the name of an institution, by which people call it, unless the word is one of
    a language's, of medicine, or of many institutions."""
    words = RUN.findall(normalize(text).text)
    if len(words) > 1 and len(words[0]) >= MIN_FIRST and words[0].isalpha() and is_identifying(words[0]):
        yield SearchString((words[0],), type, "first", words[0], derived=True)


def derive_acronym(text: str, type: str) -> Iterator[SearchString]:
    """Yield the first letters of the name of an institution, in capitals (BIDMC). Those that are also another
    abbreviation are only listed."""
    words = [match[0] for match in WORD.finditer(re.split("[,;(/\n]", text)[0])]
    letters = "".join(word[0] for word in words if fold(word) not in SMALL_WORDS)
    if len(letters) >= MIN_ACRONYM and letters.isupper() and not text.isupper():
        low = fold(letters)
        is_other = low in word_lists.load_lowercase("abbreviations", "common_words", "titles")
        yield SearchString((low,), type, "all", low, derived=not is_other, doubtful=is_other)


def list_starts(low: str) -> list[int]:
    """Return the offsets in a normalized text where a date may begin: at a number that goes on like one, or
    at the month before a number. They are ordered by the numbers.

    >>> list_starts("seen 3/7/61 for 120/80 and in march. 15, 5 may")
    [5, 30, 41]
    """
    found = [(match.start(), 0, match.start()) for match in FIRST_NUMBER.finditer(low)]
    for month in MONTH_STARTS:
        at = low.find(month)
        while at >= 0:
            if match := FIRST_MONTH.match(low, at):
                found.append((match.end(), 1, at))
            at = low.find(month, at + 1)
    return [start for _, _, start in sorted(found)]


def find_days(low: str, starts: Iterable[int]) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Yield the range of each whole date of a normalized text, and its keys (YY-MM-DD): two if day and month
    can be exchanged. A key has no century, because some writers leave it out. ``starts`` are the offsets
    where a word or number begins."""
    for start in starts:
        if low[start] in FIRST_LETTERS and (low[start].isdigit() or low[start : start + 3] in MONTH_STARTS):
            match = DAY.match(low, start)
            if match and (keys := tuple(dict.fromkeys(read_keys(match)))):
                yield match.span(), keys


def read_keys(match: re.Match[str]) -> Iterator[str]:
    groups = match.groupdict()
    if match["digits"]:
        text = match["digits"]
        yield from write_key(text[:4], text[4:6], text[6:])
        return
    if match["numbers"]:
        a, b, c = re.split(r"[/.-]", match["numbers"])
        if len(a) == 4:
            yield from write_key(a, b, c)
            return
        yield from write_key(c, a, b)
        yield from write_key(c, b, a)
        return
    n = "1" if match["month1"] else "2"
    yield from write_key(groups[f"year{n}"], str(MONTHS[groups[f"month{n}"]]), groups[f"day{n}"])


def write_key(year: str, month: str, day: str) -> Iterator[str]:
    if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        yield f"{year[-2:]}-{int(month):02}-{int(day):02}"
