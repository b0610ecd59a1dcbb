"""Dates moved by one shift per patient, written as they were.

The shift is Douglass's (2005, section 2.4.1): some years, rounded to whole weeks so that weekdays
stay, and a few weeks more, so that seasons nearly stay. Days are moved exactly, hence intervals
are kept; what a text leaves out (the year of "3/7", the month of "the 12th") is that which brings
it nearest to the note's own date.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from crfdeid.redact.surrogates import ages
from crfdeid.redact.surrogates.dates import holidays, months, parser
from crfdeid.redact.surrogates.dates.format import Edit, applied, edit, month_text, padding, written
from crfdeid.redact.surrogates.dates.parser import DateExpression, Field
from crfdeid.redact.surrogates.dates.resolve import century, nearest, resolved, valid
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

YEARS, WEEKS = 25, 2
UNANCHORED = date(2010, 7, 1)  # stands for the date of a note that has none
NO_DAYS = "|".join(months.WEEKDAY_NAMES + months.SEASONS)
KEPT = regex.compile(
    rf"(?:on|in|the|every|last|next|this|\s|[.,]|(?:{NO_DAYS})(?:'?s)?|-|/|to|and|or)+", regex.IGNORECASE
)


@dataclass(frozen=True)
class Shift:
    """``days`` are whole weeks, about ``years`` years and some weeks."""

    years: int
    days: int

    @property
    def direction(self) -> int:
        """Of the weeks beyond the years: 1, -1, or 0."""
        rest = self.days - round(self.years * 365.25 / 7) * 7
        return (rest > 0) - (rest < 0)


def drawn(draws: KeyedChoices, years: int = YEARS, weeks: int = WEEKS) -> Shift:
    """From 1 to ``years`` years and 1 to ``weeks`` weeks, either way. Without weeks the seasons
    stay to the day or three."""

    def either_way(most: int, what: str) -> int:
        return (1 + draws.number(most, what)) * draws.choice((1, -1), what, "way") if most else 0

    chosen = either_way(years, "shift years")
    return Shift(chosen, round(chosen * 365.25 / 7) * 7 + 7 * either_way(weeks, "shift weeks"))


def only_weekday(text: str) -> bool:
    """Whether ``text`` is only a weekday or a season: a shift of whole weeks keeps it.

    >>> only_weekday("Mondays"), only_weekday("winter 2067")
    (True, False)
    """
    return KEPT.fullmatch(text) is not None


def note_date(texts: list[str], month_first: bool = True) -> date | None:
    """The note's own date: of its whole dates, those with a year of four digits if there are any,
    the first in the year in which most days lie (on a tie the latest: a birthday is not the note's date).

    >>> note_date(["3/4/1950", "5/1/2067", "5/3/2067", "4/9"])
    datetime.date(2067, 5, 1)
    """
    long, short = [], []
    for text in texts:
        for moment in parser.read(text, month_first) or ():
            y, m, d = (moment.of(unit) for unit in "ymd")
            if y and m and d and (found := valid(century(y, UNANCHORED), m.value, d.value)):
                (long if len(y.text) == 4 else short).append(found)
    said = long or short
    years = Counter(day.year for day in {*said})
    best = max(years, key=lambda year: (years[year], year), default=None)
    return next((day for day in said if day.year == best), None)


def tells_age(text: str, near: date | None, month_first: bool = True) -> bool:
    """Whether who was born then is over 89 at ``near``: the Safe Harbor lets no year stand that shows it.

    >>> tells_age("3/4/1970", date(2067, 5, 1)), tells_age("born 3/4/1978", date(2067, 5, 1))
    (True, False)
    """
    if near is None:
        return False
    years = [m.of("y") or m.of("decade") for m in parser.read(text, month_first) or ()]
    return any(year and century(year, near) <= near.year - ages.OLDEST - 1 for year in years)


def shifted(text: str, shift: Shift, near: date | None = None, month_first: bool = True) -> str | None:
    """``text`` with its moments moved, None where it cannot be read or would not change.

    >>> back = Shift(-10, -3647)
    >>> said = ("03/07/2067", "3rd of March", "Mar '67", "the 12th", "'67")
    >>> [shifted(text, back, date(2067, 3, 7)) for text in said]
    ['03/12/2057', '8th of March', "Mar '57", 'the 17th', "'57"]
    """
    moments = parser.read(text, month_first)
    if not moments:
        return None
    near = near or UNANCHORED
    edits: list[Edit] = []
    padded = padding(text, [f for moment in moments for f in moment.fields])
    for number, moment in enumerate(moments):
        new = rewritten(moment, shift, near, moments[number + 1 :], padded)
        if new is None:
            return None
        edits += new
    out = applied(text, edits)
    return None if out == text else out


def rewritten(
    moment: DateExpression, shift: Shift, near: date, later: list[DateExpression], padded: bool
) -> list[Edit] | None:
    """The edits that move one moment; None where no such day is."""
    fields = {unit: moment.of(unit) for unit in ("y", "m", "d", "decade")}
    year, month, day = fields["y"], fields["m"], fields["d"]
    if fields["decade"]:
        return decade(fields["decade"], shift)
    if moment.holiday:
        return holiday(moment, shift, near)
    if year and not month and not day:
        return [edit(year, century(year, near) + shift.years)]
    if month and not day and not year and not any(m.of("y") for m in later):
        step = shift.direction
        return [(month.start, month.end, month_text(month, (month.value - 1 + step) % 12 + 1, padded))]
    moved = moved_day(resolved(year, month, day, near, later), shift)
    return None if moved is None else written(moment, moved, padded)


def moved_day(day: date | None, shift: Shift) -> date | None:
    try:
        return day and day + timedelta(shift.days)
    except OverflowError:
        return None


def decade(field: Field, shift: Shift) -> list[Edit]:
    """The decade of its middle year, and another one in any case."""
    moved = (field.value + 5 + shift.years) // 10 * 10
    if moved == field.value:
        moved += 10 if shift.years > 0 else -10
    return [(field.start, field.end, f"{moved % 100:02}" if len(field.text) == 2 else str(moved))]


def holiday(moment: DateExpression, shift: Shift, near: date) -> list[Edit] | None:
    """The shifted day by its month and number: no holiday lies there."""
    year = moment.of("y")
    years = [century(year, near)] if year else range(near.year - 1, near.year + 2)
    moved = moved_day(nearest([holidays.day(moment.holiday, y) for y in years], near), shift)
    if moved is None:
        return None
    start, end = moment.place
    out = [(start, end, f"{months.MONTHS[moved.month - 1]} {moved.day}")]
    return [*out, edit(year, moved.year)] if year else out
