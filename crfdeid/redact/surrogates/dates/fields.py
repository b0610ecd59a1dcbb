"""What a match of a form of dates says: fields with their places in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import regex


class Field(NamedTuple):
    """``text[start:end]`` says ``value``. Units: y m d, and decade; ``text`` is as written."""

    unit: str
    value: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class DateExpression:
    """``beside`` are the fields of the day beside which a day alone is said ("March 3-5", "3-5 March")."""

    fields: tuple[Field, ...]
    holiday: str = ""
    place: tuple[int, int] = (0, 0)  # of the holiday
    beside: tuple[Field, ...] = ()

    def of(self, unit: str) -> Field | None:
        return next((f for f in (*self.fields, *self.beside) if f.unit == unit), None)

    def is_day(self) -> bool:
        return [field.unit for field in self.fields] == ["d"]


def fields(match: regex.Match[str], *units: str) -> tuple[Field, ...]:
    """The named groups that matched, as fields; ``th`` belongs to its day."""
    groups = match.groupdict()
    out = []
    for unit in units:
        if groups.get(unit):
            start, end = match.span(unit)
            ending = {"d": "th", "d2": "th2"}.get(unit)
            end = match.end(ending) if ending and groups.get(ending) else end
            out.append(Field(unit[0], int(groups[unit]), start, end, match.string[start:end]))
    return tuple(out)


def like(match: regex.Match[str]) -> str:
    """The month as written; May between hyphens as the abbreviation that it is there."""
    start, end = match.span("mon")
    hyphens = match.string[start - 1 : start] == "-" or match.string[end : end + 1] == "-"
    word = match["mon"]
    return word[:2] + ("R" if word.isupper() else "r") if hyphens and word.lower() == "may" else word


def possible(field: Field) -> bool:
    low, high = {"m": (1, 12), "d": (1, 31)}.get(field.unit, (0, 2999))
    return low <= field.value <= high and (len(field.text) < 4 or field.unit != "y" or field.value >= 1000)


def numeric(match: regex.Match[str], month_first: bool) -> tuple[Field, ...]:
    """Day and month of two numbers; what cannot be a month is the day. Two that cannot be both are
    a month and a short year (3/67)."""
    a, b = int(match["a"]), int(match["b"])
    units = ("m", "d") if (month_first or b > 12) and a <= 12 else ("d", "m")
    if a <= 12 and (b > 31 or b == 0) and "y" not in match.groupdict():
        units = ("m", "y")
    pairs = zip(units, ("a", "b"))
    return tuple(Field(unit, int(match[group]), *match.span(group), match[group]) for unit, group in pairs)


def digits(match: regex.Match[str]) -> list[DateExpression] | None:
    """20670307, 03072067 or 030767."""
    text, start = match["all"], match.start("all")
    cuts = {8: ("yyyymmdd", "mmddyyyy"), 6: ("mmddyy", "yymmdd")}[len(text)]
    for cut in cuts:
        known = []
        for unit in "ymd":
            first, last = cut.index(unit), cut.rindex(unit) + 1
            value = text[first:last]
            known.append(Field(unit, int(value), start + first, start + last, value))
        year = known[0]
        if all(map(possible, known)) and (len(year.text) == 2 or 1800 <= year.value <= 2299):
            return [DateExpression(tuple(known))]
    return None
