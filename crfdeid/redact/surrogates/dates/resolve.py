"""Which day is meant: what a date leaves out is that which brings it nearest to the note's own date."""

from __future__ import annotations

from datetime import date, timedelta

from crfdeid.redact.surrogates.dates.parser import DateExpression, Field

SOON = 10  # years from a note's date to its latest plans


def valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def century(year: Field, near: date) -> int:
    """A year of two digits in full: the last that is no more than ten years after ``near``, for more
    births than plans lie far away.

    >>> century(Field("y", 67, 0, 2, "67"), date(2061, 1, 1))
    2067
    """
    if len(year.text) > 2:
        return year.value
    years = [century + year.value for century in range(0, 10_000, 100)]
    return max((full for full in years if full <= near.year + SOON), default=years[0])


def resolved(
    year: Field | None, month: Field | None, day: Field | None, near: date, later: list[DateExpression]
) -> date | None:
    """The day that is meant. Without a day it is the middle of the month."""
    if year and month:
        return valid(century(year, near), month.value, day.value if day else 15)
    if month:
        if following := next((m.of("y") for m in later if m.of("y")), None):
            full = century(following, near)
            after = next((m.of("m") for m in later if m.of("m")), None)
            full -= bool(after and after.value < month.value)
            return valid(full, month.value, day.value if day else 15)
        years = (near.year - 1, near.year, near.year + 1, *range(near.year - 4, near.year + 5))
        return nearest([valid(y, month.value, day.value) for y in years] if day else [], near)
    if day:
        around = [near.replace(day=1) + timedelta(n) for n in range(-45, 75)]
        return nearest([d for d in around if d.day == day.value], near)
    return None


def nearest(days: list[date | None], near: date) -> date | None:
    return min((d for d in days if d), key=lambda d: abs((d - near).days), default=None)
