"""Names of months and weekdays, and ordinal numbers, in English."""

from __future__ import annotations

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def write_ordinal(number: int) -> str:
    """A number with its ordinal ending.

    >>> write_ordinal(1), write_ordinal(12), write_ordinal(23)
    ('1st', '12th', '23rd')
    """
    endings = {} if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{endings.get(number % 10, 'th')}"
