"""Writing a moved date in the form that it had."""

from __future__ import annotations

from datetime import date, timedelta

import regex

from crfdeid.surrogates import months
from crfdeid.surrogates.date_forms import Field, Moment

Edit = tuple[int, int, str]  # text[start:end] becomes this


def applied(text: str, edits: list[Edit]) -> str:
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def padding(text: str, fields: list[Field]) -> bool:
    """Whether days and months of one digit have a zero before them; told by those that have one
    digit, else by the form: 10/12/2067 has, October 12 has not."""
    numbers = [f.text for f in fields if f.unit in "md" and f.text.isdigit()]
    if any(len(n) == 1 for n in numbers):
        return False
    joined = regex.search(r"\d-\p{L}", text) is not None  # 07-Mar
    return any(n[0] == "0" for n in numbers) or joined or not any(c.isalpha() for c in text)


def written(moment: Moment, moved: date, padded: bool) -> list[Edit]:
    """The edits that write ``moved``."""
    edits = []
    for f in moment.fields:
        if f.unit == "y":
            edits.append(edit(f, moved.year))
        elif f.unit == "m":
            edits.append((f.start, f.end, month_text(f, moved.month, padded)))
        elif f.unit == "d":
            edits.append((f.start, f.end, day_text(f, moved.day, padded)))
    if moment.before and first_month(moment, moved) != moved.month:
        start, end, text = edits[-1]  # the two days of "March 3-5" now lie in two months
        edits[-1] = (start, end, f"{months.written(moved.month, month_of(moment).text)} {text}")
    return edits


def month_of(moment: Moment) -> Field:
    return next(f for f in moment.before if f.unit == "m")


def first_month(moment: Moment, moved: date) -> int:
    """The month to which the first day of the range is moved."""
    later = moment.fields[0].value - next(f.value for f in moment.before if f.unit == "d")
    return (moved - timedelta(later)).month


def month_text(field: Field, number: int, padded: bool) -> str:
    if field.text.isdigit():
        return number_text(number, field.text, padded)
    return months.written(number, field.text)


def day_text(field: Field, number: int, padded: bool) -> str:
    if field.text.isdigit():
        return number_text(number, field.text, padded)
    return months.ordinal(number, field.text)


def number_text(number: int, like: str, padded: bool) -> str:
    return f"{number:02}" if len(like) == 2 and (padded or like[0] == "0") else str(number)


def edit(field: Field, year: int) -> Edit:
    return field.start, field.end, f"{year % 100:02}" if len(field.text) == 2 else f"{year:04}"
