"""The days of US holidays. Those of other calendars are not read; they become a marker."""

from __future__ import annotations

from datetime import date, timedelta

from dateutil.easter import easter

FIXED = {
    "new years day": (1, 1), "new years eve": (12, 31), "new years": (1, 1), "valentines day": (2, 14),
    "st patricks day": (3, 17), "independence day": (7, 4), "halloween": (10, 31), "veterans day": (11, 11),
    "christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "xmas": (12, 25),
    "juneteenth": (6, 19),
}  # fmt: skip
# month, weekday (Monday is 0), which of them (-1: the last)
MOVING = {
    "martin luther king day": (1, 0, 3), "mlk day": (1, 0, 3), "presidents day": (2, 0, 3),
    "patriots day": (4, 0, 3), "mothers day": (5, 6, 2), "memorial day": (5, 0, -1), "fathers day": (6, 6, 3),
    "labor day": (9, 0, 1), "columbus day": (10, 0, 2), "thanksgiving": (11, 3, 4),
    "thanksgiving day": (11, 3, 4),
}  # fmt: skip
OF_EASTER = {"easter": 0, "easter sunday": 0, "good friday": -2, "easter monday": 1}
NAMES = (*FIXED, *MOVING, *OF_EASTER)


def day(name: str, year: int) -> date:
    """The day of a holiday of :data:`NAMES`.

    >>> day("thanksgiving", 2023), day("memorial day", 2024), day("good friday", 2024)
    (datetime.date(2023, 11, 23), datetime.date(2024, 5, 27), datetime.date(2024, 3, 29))
    """
    if name in FIXED:
        return date(year, *FIXED[name])
    if name in OF_EASTER:
        return easter(year) + timedelta(OF_EASTER[name])
    month, weekday, which = MOVING[name]
    first = date(year, month, 1)
    days = [first + timedelta(n) for n in range(31) if (first + timedelta(n)).month == month]
    return [day for day in days if day.weekday() == weekday][which if which < 0 else which - 1]
