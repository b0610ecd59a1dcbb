"""Writing a moved date in the form that it had."""

from __future__ import annotations

from datetime import date, timedelta

import regex

from crfdeid.redact.surrogates.dates import months
from crfdeid.redact.surrogates.dates.parser import DateExpression, Field

Edit = tuple[int, int, str]  # text[start:end] becomes this


def applied(text: str, edits: list[Edit]) -> str:
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def padding(text: str, fields: list[Field]) -> bool:
    """Whether days and months of one digit have a zero before them; told by those that have one
    digit, else by the form: 10/12/2067 has, October 12 has not."""
    numbers = [f.text for f in fields if f.unit in "md" and f.text.isdecimal()]
    if any(len(n) == 1 for n in numbers):
        return False
    joined = regex.search(r"\d-\p{L}", text) is not None  # 07-Mar
    return any(n[0] == "0" for n in numbers) or joined or not any(c.isalpha() for c in text)


def written(moment: DateExpression, moved: date, padded: bool) -> list[Edit]:
    """The edits that write ``moved``."""
    edits = []
    for f in moment.fields:
        if f.unit == "y":
            edits.append(edit(f, moved.year))
        elif f.unit == "m":
            edits.append((f.start, f.end, month_text(f, moved.month, padded)))
        elif f.unit == "d":
            edits.append((f.start, f.end, day_text(f, moved.day, padded)))
    if moment.beside and day_beside(moment, moved).month != moved.month:
        edits[-1] = with_month(moment, moved, edits[-1], padded)
    return edits


def day_beside(moment: DateExpression, moved: date) -> date:
    """The day to which the day is moved beside which this one is said ("March 3-5")."""
    later = moment.fields[0].value - next(f.value for f in moment.beside if f.unit == "d")
    return moved - timedelta(later)


def with_month(moment: DateExpression, moved: date, edit: Edit, padded: bool) -> Edit:
    """The days of "March 25-28" now lie in two months: this one is said with its own."""
    start, end, day = edit
    month = next(f for f in moment.beside if f.unit == "m")
    said, first = month_text(month, moved.month, padded), month.start < start
    between = " "
    if month.text.isdecimal():
        between, first = "/", month.start < next(f.start for f in moment.beside if f.unit == "d")
    return start, end, f"{said}{between}{day}" if first else f"{day}{between}{said}"


def month_text(field: Field, number: int, padded: bool) -> str:
    if field.text.isdecimal():
        return number_text(number, field.text, padded)
    return months.written(number, field.text)


def day_text(field: Field, number: int, padded: bool) -> str:
    if field.text.isdecimal():
        return number_text(number, field.text, padded)
    return months.ordinal(number, field.text)


def number_text(number: int, like: str, padded: bool) -> str:
    return f"{number:02}" if len(like) == 2 and (padded or like[0] == "0") else str(number)


def edit(field: Field, year: int) -> Edit:
    return field.start, field.end, f"{year % 100:02}" if len(field.text) == 2 else f"{year:04}"
