"""Shift the dates of a patient by the same number of days and write them in their own form.

The shift follows Douglass (2005, section 2.4.1): some years, rounded to whole weeks so that weekdays stay,
and a few more weeks, so that seasons nearly stay. Every day moves by the same number of days, so intervals
stay. What a text leaves out (the year of "3/7", the month of "the 12th") is chosen so that the day is nearest
to the note's own date.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from crfdeid.lexicon import english
from crfdeid.lexicon.letters import match_case
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates.parser import DateExpression, DateField
from crfdeid.redact.surrogates.dates.resolve import (
    FUTURE_YEARS,
    NO_NOTE_DATE,
    WRITTEN_BY,
    complete_year,
    find_nearest,
    generalize_text,
    make_date,
    resolve_day,
)
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.text import ages

DEFAULT_YEARS, DEFAULT_WEEKS = 25, 2
NO_DAYS = "|".join(english.WEEKDAY_NAMES + english.SEASONS)
WEEKDAY_OR_SEASON = regex.compile(
    rf"(?:on|in|the|every|last|next|this|\s|[.,]|(?:{NO_DAYS})(?:'?s)?|-|/|to|and|or)+", regex.IGNORECASE
)

AROUND = regex.compile(  # after a holiday
    rf"\s*(?:(?P<days>weekend|wk?nd|week)|(?P<time>{parser.HOLIDAY_TIME}))\b", regex.IGNORECASE
)
PARTS_OF_MONTH = ("early", "mid", "late")
JOINED = regex.compile(r"\d-\p{L}")

Edit = tuple[int, int, str]  # text[start:end] becomes this string


@dataclass(frozen=True)
class Shift:
    """``days`` is a number of whole weeks: about ``years`` years and a few weeks. Both may be negative."""

    years: int
    days: int

    @property
    def direction(self) -> int:
        """The sign of the weeks beyond the years: 1, -1, or 0."""
        rest = self.days - round(self.years * 365.25 / 7) * 7
        return (rest > 0) - (rest < 0)


class DateShifter:
    """Shifts the dates of one patient. ``month_first`` decides how "3/7" is read."""

    DEFAULT_YEARS, DEFAULT_WEEKS = DEFAULT_YEARS, DEFAULT_WEEKS
    MONTH_FIRST, DAY_FIRST = parser.MONTH_FIRST, parser.DAY_FIRST

    def __init__(self, shift: Shift, month_first: bool = True) -> None:
        self.shift, self.month_first = shift, month_first

    @classmethod
    def draw(cls, choices: KeyedChoices, years: int, weeks: int, month_first: bool) -> DateShifter:
        """A shifter that moves dates by at most ``years`` years and ``weeks`` weeks."""
        return cls(draw_shift(choices, years, weeks), month_first)

    def move_by(self, days: int) -> None:
        """Use this shift, in whole weeks, in place of the one that was drawn."""
        if days != self.shift.days:
            self.shift = Shift(round(days / 365.25), days)

    def find_note_date(self, texts: list[str]) -> date | None:
        """Return the note's own date, given the texts of all its dates."""
        return find_note_date(texts, self.month_first)

    def shift_text(self, text: str, note_date: date | None, after: str = "") -> str | None:
        """Shift all dates in ``text``, which ``after`` follows in the note. Return None if it cannot be
        read or would not change."""
        return shift_text(text, self.shift, note_date, self.month_first, after)

    def generalize_text(self, text: str, unit: str, note_date: date | None) -> str | None:
        """Write the year or the quarter of all dates in ``text``. Return None if it cannot be read."""
        return generalize_text(text, unit, note_date, self.month_first)

    def shows_old_age(self, text: str, note_date: date | None, is_birth: bool = False) -> bool:
        """Whether a birth on this date means an age over 89 on ``note_date``; ``is_birth``: it is one."""
        return shows_old_age(text, note_date, is_birth)

    @staticmethod
    def is_weekday_or_season(text: str) -> bool:
        """Whether ``text`` is only a weekday or a season, which a shift of whole weeks keeps."""
        return is_weekday_or_season(text)

    @staticmethod
    def find_order(text: str) -> str | None:
        """Return ``MONTH_FIRST`` or ``DAY_FIRST`` if a numeric date proves one of them."""
        return parser.find_order(text)

    find_habit, is_month_first = staticmethod(parser.find_habit), staticmethod(parser.is_month_first)


def draw_shift(choices: KeyedChoices, years: int = DEFAULT_YEARS, weeks: int = DEFAULT_WEEKS) -> Shift:
    """Draw a shift of 1 to ``years`` years and 1 to ``weeks`` weeks, both forward or back. With 0 weeks,
    dates keep their season to about three days."""

    def draw_signed(most: int, key: str) -> int:
        return (1 + choices.draw_number(most, key)) * choices.choose((1, -1), key, "way") if most else 0

    drawn = draw_signed(years, "shift years")
    return Shift(drawn, round(drawn * 365.25 / 7) * 7 + 7 * draw_signed(weeks, "shift weeks"))


def is_weekday_or_season(text: str) -> bool:
    """
    >>> is_weekday_or_season("Mondays"), is_weekday_or_season("winter 2067")
    (True, False)
    """
    return WEEKDAY_OR_SEASON.fullmatch(text) is not None


def find_note_date(texts: list[str], month_first: bool = True) -> date | None:
    """Find the note's own date: the first whole date in the year that most of the note's days belong to.
    Dates with a year of four digits are preferred. Between years with equally many days the latest is
    chosen, because a birthday is not the note's date.

    >>> find_note_date(["3/4/1950", "5/1/2067", "5/3/2067", "4/9"])
    datetime.date(2067, 5, 1)
    """
    with_long_year: list[date] = []
    with_short_year: list[date] = []
    for text in texts:
        for expression in parser.parse_dates(text, month_first) or ():
            y, m, d = (expression.find(unit) for unit in "ymd")
            if y and m and d and (day := make_date(complete_year(y, WRITTEN_BY), m.value, d.value)):
                (with_long_year if len(y.text) == 4 else with_short_year).append(day)
    days = with_long_year or with_short_year
    years = Counter(day.year for day in {*days})
    best = max(years, key=lambda year: (years[year], year), default=None)
    return next((day for day in days if day.year == best), None)


def shows_old_age(text: str, note_date: date | None, is_birth: bool = False) -> bool:
    """Whether a person born on the date in ``text`` is over 89 on ``note_date``: the Safe Harbor allows no
    year that shows such an age. A date that ``is_birth`` is not after the note.

    >>> [shows_old_age(text, date(2067, 5, 1)) for text in ("3/4/1970", "born 3/4/1978")]
    [True, False]
    >>> [shows_old_age("3/4/70", date(2067, 5, 1), is_birth) for is_birth in (False, True)]
    [False, True]
    """
    if note_date is None:
        return False
    years = [e.find("y") or e.find("decade") for e in parser.parse_dates(text) or ()]
    future, last = 0 if is_birth else FUTURE_YEARS, note_date.year - ages.OLDEST - 1
    return any(year and complete_year(year, note_date, future) <= last for year in years)


def shift_text(
    text: str, shift: Shift, note_date: date | None = None, month_first: bool = True, after: str = ""
) -> str | None:
    """Shift all dates in ``text``, which ``after`` follows. Return None if it cannot be read or would not
    change.

    >>> back = Shift(-10, -3647)
    >>> texts = ("03/07/2067", "3rd of March", "Mar '67", "the 12th", "'67")
    >>> [shift_text(text, back, date(2067, 3, 7)) for text in texts]
    ['03/12/2057', '8th of March', "Mar '57", 'the 17th', "'57"]
    >>> texts = ("Labor Day", "Labor Day weekend", "Thanksgiving break")
    >>> [shift_text(text, back, date(2067, 3, 7)) for text in texts]
    ['September 11', 'mid September weekend', 'fall break']
    """
    expressions = parser.parse_dates(text, month_first)
    if not expressions:
        return None
    note_date = note_date or NO_NOTE_DATE
    edits: list[Edit] = []
    padded = has_padding(text, [field for expression in expressions for field in expression.fields])
    for number, expression in enumerate(expressions):
        new = shift_expression(expression, shift, note_date, expressions[number + 1 :], padded)
        if new is None:
            return None
        if expression.holiday and (around := AROUND.match(text + after, expression.holiday_range[1])):
            first = write_part_of_month(new[0]) if around["days"] else write_season(new[0], around["time"])
            new = [first, *new[1:]]
        edits += new
    out = apply_edits(text, edits)
    return None if out == text else out


def shift_expression(
    expression: DateExpression, shift: Shift, note_date: date, later: list[DateExpression], padded: bool
) -> list[Edit] | None:
    """The edits that shift one expression; None if the day does not exist. ``later`` holds the expressions
    that follow it in the text."""
    fields = {unit: expression.find(unit) for unit in ("y", "m", "d", "decade")}
    year, month, day = fields["y"], fields["m"], fields["d"]
    if fields["decade"]:
        return shift_decade(fields["decade"], shift)
    if expression.holiday:
        return shift_holiday(expression, shift, note_date)
    if year and not month and not day:
        return [write_year_field(year, complete_year(year, note_date) + shift.years)]
    if month and not day and not year and not any(e.find("y") for e in later):
        step = shift.direction
        return [(month.start, month.end, write_month_field(month, (month.value - 1 + step) % 12 + 1, padded))]
    moved = add_days(resolve_day(year, month, day, note_date, later), shift)
    return None if moved is None else write_date(expression, moved, padded)


def shift_decade(field: DateField, shift: Shift) -> list[Edit]:
    """Move a decade with its middle year, at least to the next decade."""
    moved = (field.value + 5 + shift.years) // 10 * 10
    if moved == field.value:
        moved += 10 if shift.years > 0 else -10
    return [(field.start, field.end, f"{moved % 100:02}" if len(field.text) == 2 else str(moved))]


def shift_holiday(expression: DateExpression, shift: Shift, note_date: date) -> list[Edit] | None:
    """Write the shifted day as month and day, because it is rarely a holiday; the month for some weeks."""
    year = expression.find("y")
    years: Sequence[int] = range(note_date.year - 1, note_date.year + 2)
    if year:
        years = [complete_year(year, note_date)]
    moved = add_days(
        find_nearest([english.find_holiday(expression.holiday, y) for y in years], note_date), shift
    )
    if moved is None:
        return None
    start, end = expression.holiday_range
    day = "" if expression.holiday in english.FASTS else f" {moved.day}"
    out = [(start, end, f"{english.MONTHS[moved.month - 1]}{day}")]
    return [*out, write_year_field(year, moved.year)] if year else out


def write_part_of_month(edit: Edit) -> Edit:
    """Write only the part of the month, because a weekend or week follows, which no day of a month has.

    >>> write_part_of_month((0, 9, "August 25"))
    (0, 9, 'late August')
    """
    start, end, written = edit
    month, _, day = written.partition(" ")
    if not day:
        return edit
    part = PARTS_OF_MONTH[min((int(day) - 1) // 10, 2)]
    return start, end, f"{part} {month}"


def write_season(edit: Edit, like: str) -> Edit:
    """Write only the season, because a break or holidays follow, which no day of a month has. ``like`` is the
    word that follows, with its capitals.

    >>> write_season((0, 9, "December 30"), "Holidays")
    (0, 9, 'Winter')
    """
    start, end, written = edit
    month = english.MONTHS.index(written.split()[0]) + 1
    return start, end, match_case(english.SEASONS[month % 12 // 3], like)


def add_days(day: date | None, shift: Shift) -> date | None:
    try:
        return day and day + timedelta(shift.days)
    except OverflowError:
        return None


# Writing a day in the form of an expression


def apply_edits(text: str, edits: list[Edit]) -> str:
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def has_padding(text: str, fields: list[DateField]) -> bool:
    """Whether days and months of one digit are written with a zero. If every number has two digits, the form
    decides: 10/12/2067 is padded, October 12 is not."""
    numbers = [f.text for f in fields if f.unit in "md" and f.text.isdecimal()]
    if any(len(n) == 1 for n in numbers):
        return False
    is_joined = JOINED.search(text) is not None  # 07-Mar
    return any(n[0] == "0" for n in numbers) or is_joined or not any(c.isalpha() for c in text)


def write_date(expression: DateExpression, moved: date, padded: bool) -> list[Edit]:
    """The edits that write ``moved`` into the fields of the expression."""
    edits = []
    for field in expression.fields:
        if field.unit == "y":
            edits.append(write_year_field(field, moved.year))
        elif field.unit == "m":
            edits.append((field.start, field.end, write_month_field(field, moved.month, padded)))
        elif field.unit == "d":
            edits.append((field.start, field.end, write_day_field(field, moved.day, padded)))
    if expression.shared and move_neighbour(expression, moved).month != moved.month:
        edits[-1] = add_month(expression, moved, edits[-1], padded)
    return edits


def move_neighbour(expression: DateExpression, moved: date) -> date:
    """The new day of the neighbour that shares its month with this expression ("March 3-5")."""
    later = expression.fields[-1].value - next(f.value for f in expression.shared if f.unit == "d")
    return moved - timedelta(later)


def add_month(expression: DateExpression, moved: date, edit: Edit, padded: bool) -> Edit:
    """Write a day with its own month, because the two days of "March 25-28" now lie in different months."""
    start, end, day = edit
    month = next(f for f in expression.shared if f.unit == "m")
    written, month_leads = write_month_field(month, moved.month, padded), month.start < start
    between = " "
    if month.text.isdecimal():
        between = "/"
        month_leads = month.start < next(f.start for f in expression.shared if f.unit == "d")
    return start, end, f"{written}{between}{day}" if month_leads else f"{day}{between}{written}"


def write_month_field(field: DateField, number: int, padded: bool) -> str:
    if field.text.isdecimal():
        return write_number(number, field.text, padded)
    return english.write_month(number, field.text)


def write_day_field(field: DateField, number: int, padded: bool) -> str:
    if field.text.isdecimal():
        return write_number(number, field.text, padded)
    return english.write_ordinal_like(number, field.text)


def write_number(number: int, like: str, padded: bool) -> str:
    return f"{number:02}" if len(like) == 2 and (padded or like[0] == "0") else str(number)


def write_year_field(field: DateField, year: int) -> Edit:
    return field.start, field.end, f"{year % 100:02}" if len(field.text) == 2 else f"{year:04}"
