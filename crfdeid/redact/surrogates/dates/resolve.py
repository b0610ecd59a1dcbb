"""Which day the fields of a date mean, and which year or quarter the day is in.

The parts that a text leaves out are chosen nearest to the note's own date.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from crfdeid.lexicon import english
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates.parser import DateExpression, DateField

YEAR, QUARTER = UNITS = ("year", "quarter")
MIDDLE = 15  # the day that decides for a month without a day

NO_NOTE_DATE = date(2010, 7, 1)  # used for a note without a date
FUTURE_YEARS = 10  # a note's latest plans are at most this many years ahead
WRITTEN_BY = date(2026 - FUTURE_YEARS, 7, 1)  # completes years of two digits: 2026 at most


def make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def complete_year(year: DateField, note_date: date, future: int = FUTURE_YEARS) -> int:
    """Complete a year of two digits: the last such year that is at most ``future`` years after ``note_date``,
    because births are far from the note's date more often than plans are.

    >>> [complete_year(DateField("y", 67, 0, 2, "67"), date(2061, 1, 1), future) for future in (10, 0)]
    [2067, 1967]
    """
    if len(year.text) == 4:
        return year.value
    latest = note_date.year + future
    return latest - (latest - year.value) % 100


def resolve_day(
    year: DateField | None,
    month: DateField | None,
    day: DateField | None,
    note_date: date,
    later: list[DateExpression],
) -> date | None:
    """Find the day that the fields mean. Without a day it is the middle of the month. Without a year it
    is the year of a later expression ("Jan-Feb 2067"), otherwise the one that brings the day nearest to
    ``note_date``."""
    if year and month:
        return make_date(complete_year(year, note_date), month.value, day.value if day else 15)
    if month:
        if following := next((e.find("y") for e in later if e.find("y")), None):
            full = complete_year(following, note_date)
            after = next((e.find("m") for e in later if e.find("m")), None)
            full -= bool(after and after.value < month.value)
            return make_date(full, month.value, day.value if day else 15)
        years = range(note_date.year - 4, note_date.year + 5)  # one of them has a February 29
        return find_nearest([make_date(y, month.value, day.value) for y in years] if day else [], note_date)
    if day:
        around = [note_date + timedelta(n) for n in range(-31, 32)]
        return find_nearest([d for d in around if d.day == day.value], note_date)
    return None


def find_nearest(days: Sequence[date | None], note_date: date) -> date | None:
    return min((day for day in days if day), key=lambda day: abs((day - note_date).days), default=None)


def generalize_text(
    text: str, unit: str, note_date: date | None = None, month_first: bool = True
) -> str | None:
    """Return the years or quarters of all dates in ``text``, or None if one cannot be known. Years and
    decades stay years and decades.

    >>> seen = date(2067, 5, 1)
    >>> [generalize_text(text, YEAR, seen) for text in ("3/7/2066", "March 7", "the 1990s", "Christmas")]
    ['2066', '2067', '1990s', '2066']
    >>> texts = ("3/7/2066", "2066", "Dec 2066 - Jan 2067", "Monday")
    >>> [generalize_text(text, QUARTER, seen) for text in texts]
    ['Q1 2066', '2066', 'Q4 2066, Q1 2067', None]
    """
    expressions = parser.parse_dates(text, month_first)
    if not expressions:
        return None
    periods: dict[str, None] = {}
    for number, expression in enumerate(expressions):
        period = name_period(expression, unit, note_date, expressions[number + 1 :])
        if period is None:
            return None
        periods[period] = None
    return ", ".join(periods)


def name_period(
    expression: DateExpression, unit: str, note_date: date | None, later: list[DateExpression]
) -> str | None:
    """Name the year or quarter of one date. None if its year is written nowhere and the note has no date."""
    decade, year, month = (expression.find(field) for field in ("decade", "y", "m"))
    if decade:
        return f"{decade.text}s"
    if year and not month and not expression.holiday:
        return str(complete_year(year, note_date or WRITTEN_BY))
    day = find_day(expression, note_date, later)
    if day is None:
        return None
    return str(day.year) if unit == YEAR else f"Q{(day.month + 2) // 3} {day.year}"


def find_day(expression: DateExpression, note_date: date | None, later: list[DateExpression]) -> date | None:
    """The day that an expression means, or one of its month."""
    year, month, day = (expression.find(field) for field in "ymd")
    has_year = year or any(following.find("y") for following in later)
    if note_date is None and not has_year:
        return None
    near = note_date or WRITTEN_BY
    years = [complete_year(year, near)] if year else [near.year - 1, near.year, near.year + 1]
    if expression.holiday:
        return find_nearest([english.find_holiday(expression.holiday, each) for each in years], near)
    if month and not day and not has_year:
        return find_nearest([make_date(each, month.value, MIDDLE) for each in years], near)
    return resolve_day(year, month, day, near, later)
