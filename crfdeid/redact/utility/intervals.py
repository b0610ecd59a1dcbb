"""Intervals between dates: how many pairs of dates are as far apart in a release as in the original.

An interval is kept to the day if both dates moved by the same number of days, and to the year if the
difference of their years is the same. Dates with one shift are counted together, so that all pairs of a
patient cost no more than the dates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

from crfdeid.redact.surrogates.dates import find_nearest, make_date
from crfdeid.redact.utility.content import Day

CENTURIES = {False: (0,), True: (-100, 0, 100)}


class MovedDate(NamedTuple):
    """A date of the original. ``days`` and ``years`` are what it moved by; None where the release has no date
    in its place, or one of the two names no day. ``is_whole``: the original names the day."""

    is_whole: bool
    days: int | None = None
    years: int | None = None


def move_date(before: Day, after: Day | None) -> MovedDate:
    """Compare a date with what is in its place. A year of two digits is of the century in which it moves
    least.

    >>> from datetime import date
    >>> whole, short = Day(2061, date(2061, 3, 7)), Day(1962, date(1962, 3, 7), True)
    >>> move_date(whole, Day(2062)), move_date(whole, short)
    (MovedDate(is_whole=True, days=None, years=1), MovedDate(is_whole=True, days=365, years=1))
    """
    is_whole = before.day is not None
    if after is None:
        return MovedDate(is_whole)
    if before.day is None or after.day is None:
        return MovedDate(is_whole, None, after.year - before.year)
    days = [
        make_date(after.year + more, after.day.month, after.day.day) for more in CENTURIES[after.is_short]
    ]
    nearest = find_nearest(days, before.day) or after.day
    return MovedDate(is_whole, (nearest - before.day).days, nearest.year - before.year)


@dataclass(frozen=True)
class Intervals:
    """``days`` counts the pairs of dates that name a day, ``same_days`` those as many days apart in the
    release; ``years`` counts all pairs, of years too, ``same_years`` those as many days or years apart.

    >>> moved = [MovedDate(True, 7, 0), MovedDate(True, 7, 0), MovedDate(True, 8, 0), MovedDate(False)]
    >>> Intervals.count(moved)
    Intervals(days=3, same_days=1, years=6, same_years=3)
    """

    days: int = 0
    same_days: int = 0
    years: int = 0
    same_years: int = 0

    @classmethod
    def count(cls, dates: Iterable[MovedDate]) -> Intervals:
        """Count the pairs among some dates."""
        moved = Counter(dates)
        days = count_pairs(Counter(date.days for date in moved.elements() if date.days is not None))
        years = count_pairs(Counter(date.years for date in moved.elements() if date.years is not None))
        both = count_pairs(Counter(date[1:] for date in moved.elements() if date.days is not None))
        whole = sum(date.is_whole for date in moved.elements())
        return cls(comb(whole, 2), days, comb(moved.total(), 2), days + years - both)

    def __add__(self, other: Intervals) -> Intervals:
        return Intervals(*(a + b for a, b in zip(self.list_counts(), other.list_counts())))

    def __sub__(self, other: Intervals) -> Intervals:
        return Intervals(*(a - b for a, b in zip(self.list_counts(), other.list_counts())))

    def list_counts(self) -> tuple[int, int, int, int]:
        return self.days, self.same_days, self.years, self.same_years


def count_pairs(groups: Counter[object]) -> int:
    """Count the pairs of members of one group.

    >>> count_pairs(Counter("aabbbc"))
    4
    """
    return sum(comb(count, 2) for count in groups.values())
