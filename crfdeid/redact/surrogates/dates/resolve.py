"""Which day the fields of a date mean. What a text leaves out is chosen nearest to the note's own date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from crfdeid.redact.surrogates.dates.parser import DateExpression, Field

NO_NOTE_DATE = date(2010, 7, 1)  # used for a note without a date
FUTURE_YEARS = 10  # a note's latest plans are at most this many years ahead


def make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def complete_year(year: Field, note_date: date) -> int:
    """Complete a year of two digits: the last such year that is at most ten years after ``note_date``,
    because births are far from the note's date more often than plans are.

    >>> complete_year(Field("y", 67, 0, 2, "67"), date(2061, 1, 1))
    2067
    """
    if len(year.text) == 4:
        return year.value
    latest = note_date.year + FUTURE_YEARS
    return latest - (latest - year.value) % 100


def resolve_day(
    year: Field | None, month: Field | None, day: Field | None, note_date: date, later: list[DateExpression]
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
