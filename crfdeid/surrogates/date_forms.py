"""Reading dates as people write them, so that they can be written again in the same form.

A date is a list of moments; a moment is the fields that say it, each with its place in the text.
Everything between the fields must be known filler (:data:`FILLER`): a text of which any
digit or word stays unread is not read at all, for nothing of it may be left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import regex

from crfdeid.surrogates import months
from crfdeid.surrogates.date_patterns import FILLER, FORMS, HOLIDAYS, LIST, NUMERIC

LEAD = regex.compile(
    r"(?:the|on|of|thru|through|to|until|till|by|from|since|and|,|-)\s*$", regex.IGNORECASE
)  # what may stand before a bare day
LONGEST = 200  # characters; nobody writes a longer date
MONTH_FIRST, DAY_FIRST = "month first", "day first"


class Field(NamedTuple):
    """``text[start:end]`` says ``value``. Units: y m d, and decade; ``text`` is as written."""

    unit: str
    value: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Moment:
    """``beside`` are the fields of the day beside which a day alone is said ("March 3-5", "3-5 March")."""

    fields: tuple[Field, ...]
    holiday: str = ""
    place: tuple[int, int] = (0, 0)  # of the holiday
    beside: tuple[Field, ...] = ()

    def of(self, unit: str) -> Field | None:
        return next((f for f in (*self.fields, *self.beside) if f.unit == unit), None)

    def is_day(self) -> bool:
        return [field.unit for field in self.fields] == ["d"]


def order(text: str) -> str | None:
    """Which order of day and month a numeric date proves.

    >>> order("25/12/2066"), order("12/25/66"), order("1/2/66")
    ('day first', 'month first', None)
    """
    match = NUMERIC.search(text)
    if not match:
        return None
    a, b = int(match[1]), int(match[3])
    return DAY_FIRST if 31 >= a > 12 >= b else MONTH_FIRST if 31 >= b > 12 >= a else None


def read(text: str, month_first: bool = True) -> list[Moment] | None:
    """The moments of a date; none for one that is only a weekday or season; None for what is no
    date that can be read whole.

    >>> [[(f.unit, f.value) for f in m.fields] for m in read("Jan-Feb 2067")]
    [[('m', 1)], [('y', 2067), ('m', 2)]]
    >>> read("some time ago") is None, read("Monday")
    (True, [])
    """
    if len(text) > LONGEST:
        return None
    found: list[Moment] = []
    at = 0
    while at < len(text):
        step = one(text, at, month_first)
        if step:
            moments, end = step
            if (moments := in_list(text, at, moments, found)) is None:
                return None
            found, at = found + moments, end
        elif match := FILLER.match(text, at):
            at = match.end()
        else:
            return None
    return found if found or any(c.isalpha() for c in text) else None


def in_list(text: str, at: int, moments: list[Moment], found: list[Moment]) -> list[Moment] | None:
    """``moments`` that begin at ``at``. A bare day is of the month that was said before it ("March 3,
    5 and 7"); a bare number elsewhere in a longer text may be anything, and is not read."""
    if not moments[0].is_day() or moments[0].beside or len(moments) > 1:
        return moments
    day, before = moments[0].fields[0], found[-1] if found else None
    if before and before.of("m") and (last := before.of("d")):
        end = max(f.end for f in before.fields)
        year_behind = any(f.unit == "y" and f.start > last.start for f in before.fields)
        if LIST.fullmatch(text, end, at) and not year_behind:
            return [Moment(moments[0].fields, beside=(*before.fields, *before.beside))]
    told = not day.text.isdigit() or text.strip() == day.text or LEAD.search(text, 0, at)
    return moments if told else None


def one(text: str, at: int, month_first: bool) -> tuple[list[Moment], int] | None:
    """The moments that begin at ``at``, and where they end."""
    if match := HOLIDAYS.match(text, at):
        name = regex.sub(r"[^a-z0-9 ]", "", match["holiday"].lower())
        return [Moment(fields(match, "y"), name, match.span("holiday"))], match.end()
    if text[at].isdigit() and regex.match(r"\d\d?:\d\d", text, pos=at):
        return None
    for name, form in FORMS.items():
        if (match := form.match(text, at)) and (moments := built(name, match, month_first)):
            return moments, match.end()
    return None


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


def built(name: str, match: regex.Match[str], month_first: bool) -> list[Moment] | None:
    """The moments of a match, or None where a value cannot be (month 13)."""
    if name == "digits":
        return digits(match)
    known = list(fields(match, "m", "d", "y"))
    if name.startswith("ab"):
        known += numeric(match, month_first)
    if "mon" in match.groupdict():
        number = months.month(match["mon"])
        if number is None:
            return None
        known.append(Field("m", number, *match.span("mon"), like(match)))
    if match.groupdict().get("word"):
        number = months.ORDINALS.index(regex.sub(r"\s", "-", match["word"].lower())) + 1
        known.append(Field("d", number, *match.span("word"), match["word"]))
    if match.groupdict().get("decade"):
        known.append(Field("decade", int(match["decade"]), *match.span("decade"), match["decade"]))
    if not all(possible(f) for f in known):
        return None
    if name not in ("mdd", "ddm"):
        return [Moment(tuple(known))]
    days = [[f for f in known if f.unit == "d"], [*fields(match, "d2")]]
    whole, alone = days if name == "mdd" else days[::-1]
    told = Moment((*(f for f in known if f.unit != "d"), *whole))
    lone = Moment(tuple(alone), beside=told.fields)
    return [told, lone][:: 1 if name == "mdd" else -1] if possible(days[1][0]) else None


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


def digits(match: regex.Match[str]) -> list[Moment] | None:
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
            return [Moment(tuple(known))]
    return None
