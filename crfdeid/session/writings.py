"""The writings in which an issued text may come back in an answer, each with the real text written alike.

Of a placeholder: with other marks, escaped for Markdown, with a possessive inside. Of a surrogate: parts of a
name, a date in other notations, a number grouped otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from crfdeid.lexicon.english import MONTHS, write_ordinal
from crfdeid.lexicon.letters import WORD, normalize, split_possessive
from crfdeid.lexicon.ordinary import is_ordinary
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.search import NUMBERS, list_days
from crfdeid.session.placeholders import PLACEHOLDER

MIN_PART = 3  # letters of a part of a name that is restored where it comes back without the others
PHONES = ("{}{}{}", "{}-{}-{}", "({}) {}-{}", "{}.{}.{}", "{} {} {}", "({}){}-{}")


@dataclass(frozen=True, slots=True)
class Writing:
    """``has_case``: it has the capitals of the text, and the real text follows them."""

    issued: str
    real: str = field(repr=False)
    has_case: bool


def list_writings(issued: str, real: str, type: str, month_first: bool = True) -> Iterator[Writing]:
    """Yield the forms of an issued text, first the text itself."""
    if match := PLACEHOLDER.fullmatch(issued):
        yield from list_placeholders(match["name"], match["number"] + match["letters"], real)
        return
    yield Writing(issued, real, True)
    kind = kinds.kind_of(type)
    if kind == kinds.NAME:
        yield from list_names(issued, real)
    elif kind == kinds.DATE:
        yield from list_dates(issued, real, month_first)
    elif kind in NUMBERS:
        yield from list_numbers(issued, real)


def list_placeholders(name: str, number: str, real: str) -> Iterator[Writing]:
    """Yield ``[NAME_1]`` and what answers make of it. Without brackets it keeps its underscore: "patient 1"
    may be anybody."""
    yield Writing(f"[{name}_{number}]", real, False)
    for mark in ("_", r"\_", " ", "-"):
        joined = f"{name}_{number}".replace("_", mark)
        yield Writing(f"[{joined}]", real, False)
        yield Writing(rf"\[{joined}\]", real, False)
        yield Writing(f"[{joined}'s]", f"{real}'s", False)
        if "_" in mark:
            yield Writing(joined, real, False)


def list_names(issued: str, real: str) -> Iterator[Writing]:
    """Yield the parts of a name, and an initial with a surname. Names are replaced word by word."""
    pairs = list(zip(WORD.findall(issued), WORD.findall(real)))
    if len(pairs) != len(WORD.findall(issued)) or len(pairs) != len(WORD.findall(real)):
        return
    parts = [(split_possessive(a)[0], split_possessive(b)[0]) for a, b in pairs]
    changed = [(a, b) for a, b in parts if is_part(a) and a.lower() != b.lower()]
    for a, b in changed:
        yield Writing(a, b, True)
    if len(changed) > 1:
        (first, real_first), *_, (last, real_last) = changed
        for dot in (".", ""):
            yield Writing(f"{first[0]}{dot} {last}", f"{real_first[0]}{dot} {real_last}", True)
            yield Writing(f"{last}, {first[0]}{dot}", f"{real_last}, {real_first[0]}{dot}", True)


def is_part(word: str) -> bool:
    """Whether a word of a surrogate name is known by itself: it is long enough and no word of a language."""
    return len(word) >= MIN_PART and not is_ordinary(word.lower())


def list_dates(issued: str, real: str, month_first: bool) -> Iterator[Writing]:
    """Yield a whole date in other notations."""
    old, new = read_date(issued, month_first), read_date(real, month_first)
    if old and new:
        pairs = zip(write_notations(old), write_notations(new))
        yield from (Writing(a, b, True) for a, b in pairs)


def read_date(text: str, month_first: bool) -> date | None:
    """The day of a whole date whose year has four digits.

    >>> read_date("3/14/2061", True), read_date("14 March 2061", True), read_date("3/14/61", True)
    (datetime.date(2061, 3, 14), datetime.date(2061, 3, 14), None)
    """
    years, keys = re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text), sorted(list_days(normalize(text).text))
    if len(years) != 1 or not 1 <= len(keys) <= 2:
        return None
    months_days = [tuple(map(int, key.split("-")[1:])) for key in keys]
    numbers = [int(digits) for digits in re.findall(r"\d+", text.replace(years[0], ""))]
    order = numbers if month_first else numbers[::-1]
    month, day = next((pair for pair in months_days if list(pair) == order), months_days[0])
    try:
        return date(int(years[0]), month, day)
    except ValueError:
        return None


def write_notations(day: date) -> Iterator[str]:
    """Yield a day in the notations that answers use, in a fixed order."""
    y, m, d, month = day.year, day.month, day.day, MONTHS[day.month - 1]
    th = write_ordinal(d)
    for mark in "/-.":
        yield from (
            f"{m}{mark}{d}{mark}{y}",
            f"{m:02}{mark}{d:02}{mark}{y}",
            f"{m:02}{mark}{d:02}{mark}{y % 100:02}",
        )
        yield f"{y}{mark}{m:02}{mark}{d:02}"
    for name in (month, month[:3], f"{month[:3]}."):
        yield from (f"{name} {d}, {y}", f"{name} {d} {y}", f"{d} {name} {y}", f"{name} {d:02}, {y}")
        yield from (f"{name} {th}, {y}", f"{th} of {name} {y}", f"{th} {name} {y}")
        yield from (f"{name} {d}", f"{name} {th}", f"{d} {name}", f"{th} of {name}")


def list_numbers(issued: str, real: str) -> Iterator[Writing]:
    """Yield a number without its marks, and a telephone number in its usual groupings."""
    a, b = (re.sub(r"[\W_]", "", text) for text in (issued, real))
    if len(a) != len(b) or not a.isalnum():
        return
    yield Writing(a, b, True)
    if len(a) == 10 and a.isdigit() and b.isdigit():
        for grouping in PHONES:
            issued, real = (grouping.format(n[:3], n[3:6], n[6:]) for n in (a, b))
            yield Writing(issued, real, True)
