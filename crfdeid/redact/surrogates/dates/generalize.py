"""Write the year or the quarter of each date in a text, and nothing more exact."""

from __future__ import annotations

from datetime import date

from crfdeid.lexicon import english
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates.parser import DateExpression
from crfdeid.redact.surrogates.dates.resolve import (
    NO_NOTE_DATE,
    complete_year,
    find_nearest,
    make_date,
    resolve_day,
)

YEAR, QUARTER = UNITS = ("year", "quarter")
MIDDLE = 15  # the day that decides for a month without a day


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
        return str(complete_year(year, note_date or NO_NOTE_DATE))
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
    near = note_date or NO_NOTE_DATE
    years = [complete_year(year, near)] if year else [near.year - 1, near.year, near.year + 1]
    if expression.holiday:
        return find_nearest([english.find_holiday(expression.holiday, each) for each in years], near)
    if month and not day and not has_year:
        return find_nearest([make_date(each, month.value, MIDDLE) for each in years], near)
    return resolve_day(year, month, day, near, later)
