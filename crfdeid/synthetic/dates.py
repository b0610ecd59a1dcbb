"""Dates as people write them, and the days that a note mentions.

The shapes are in patterns/dates.txt. A date never includes a time.
"""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from crfdeid.lexicon.english import MONTHS, WEEKDAYS, write_ordinal
from crfdeid.synthetic.drawing import choose_pattern, read_list

SEASONS = ("winter", "spring", "summer", "fall", "autumn", "Winter", "Spring", "Summer", "Fall")


def date_fields(day: date, suffix: str = "") -> dict[str, object]:
    """Return the values for the fields of a shape, each name with the suffix."""
    month, weekday = MONTHS[day.month - 1], WEEKDAYS[day.weekday()]
    values = {
        "m": day.month, "mm": f"{day.month:02}", "month": month, "mon": month[:3], "MON": month[:3].upper(),
        "MONTH": month.upper(), "d": day.day, "dd": f"{day.day:02}", "th": write_ordinal(day.day),
        "y": day.year, "yy": f"{day.year % 100:02}", "decade": day.year // 10 * 10,
        "weekday": weekday, "wd": weekday[:3],
    }  # fmt: skip
    return {name + suffix: value for name, value in values.items()}


def write_date(day: date, variant: str, rng: Random, numeric: str | None = None) -> str:
    """Write ``day`` in a shape of the variant; ``numeric`` is the shape that the note uses for numeric dates.

    >>> write_date(date(2067, 3, 7), "numeric", Random(1), numeric="{m}/{d}/{yy}")
    '3/7/67'
    """
    shape = numeric if numeric and variant == "numeric" else choose_pattern(variant, rng)
    end = day + timedelta(rng.randint(1, 12))
    names = {"season": rng.choice(SEASONS), "holiday": rng.choice(read_list("holidays"))}
    return shape.format(**date_fields(day), **date_fields(end, "2"), **names)


def choose_numeric_shape(rng: Random) -> str:
    """Choose the numeric shape that the writer of a note always uses."""
    return choose_pattern("numeric", rng)


def draw_past_day(day: date, rng: Random) -> date:
    """Draw a day of the past history: months to decades before ``day``."""
    return day - timedelta(int(20 + 9000 * rng.random() ** 3))


def draw_next_day(day: date, rng: Random) -> date:
    """Draw a day in the next six months."""
    return day + timedelta(
        rng.choice((1, 2, 3, 5, 7, 7, 10, 14, 14, 21, 30, 60, 90, 180)) + rng.randint(0, 3)
    )


def draw_recent_day(day: date, rng: Random) -> date:
    """Draw a day of the present illness: 0 to 20 days before ``day``, mostly the day itself."""
    return day - timedelta(max(0, rng.randint(-10, 20)))
