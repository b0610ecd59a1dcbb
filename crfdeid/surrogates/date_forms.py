"""Reading dates as people write them, so that they can be written again in the same form.

A date is a list of moments; a moment is the fields that say it, each with its place in the text.
Everything between the fields must be known filler (:data:`FILLER`): a text of which any
digit or word stays unread is not read at all, for nothing of it may be left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import regex

from crfdeid.surrogates import holidays, months

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
    """``before`` are the fields of the other end of a range that is not said in full ("March 3-5")."""

    fields: tuple[Field, ...]
    holiday: str = ""
    place: tuple[int, int] = (0, 0)  # of the holiday
    before: tuple[Field, ...] = ()

    def of(self, unit: str) -> Field | None:
        return next((f for f in (*self.fields, *self.before) if f.unit == unit), None)


MON = r"(?P<mon>\p{L}{3,10})\b\.?"
TH = r"(?:st|nd|rd|th)"
YEAR = r"(?:[12]\d{3})(?!\d)"
SEP = r"[\s,./–-]*"
ORDINAL = "|".join(sorted(months.ORDINALS, key=len, reverse=True)).replace("-", r"[-\s]")
HOLIDAY = "|".join(sorted(holidays.NAMES, key=len, reverse=True))
HOLIDAY = HOLIDAY.replace("years", "year['’]?s").replace("st pat", r"st\.? pat")
HOLIDAY = regex.sub(
    r"(?<=patrick|valentine|mother|father|president|veteran|patriot)s\b", "['’]?s['’]?", HOLIDAY
)
TO = r"\s*(?:-|–|—|to|through|thru|and|&)\s*"

# Tried in this order at each place.
FORMS = {
    "ymd": rf"(?P<y>{YEAR[:-6]})\s?(?P<s>[/.-])\s?(?P<m>\d\d?)\s?(?P=s)\s?(?P<d>\d\d?)(?!\d)",
    "abc": r"(?P<a>\d\d?)\s?(?P<s>[/.-])\s?(?P<b>\d\d?)\s?(?P=s)\s?['’]?(?P<y>\d{4}|\d\d)(?!\d)",
    "my": rf"(?P<m>\d\d?)\s?[/.-]\s?(?P<y>{YEAR})",
    "ab": r"(?P<a>\d\d?)\s?(?P<s>[/.-])\s?(?P<b>\d\d?)(?!\d)",
    "dm": rf"(?P<d>\d\d?)(?P<th>{TH})?\b{SEP}(?:day\s+of\s+|of\s+|de\s+)?{MON}"
    rf"(?:{SEP}(?:of\s+|de\s+|del\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?",
    "dmo": rf"(?P<word>{ORDINAL})\s+(?:day\s+)?of\s+{MON}(?:{SEP}(?P<y>{YEAR}))?",
    "mdd": rf"{MON}\s*(?P<d>\d\d?)(?P<th>{TH})?{TO}(?P<d2>\d\d?)(?P<th2>{TH})?(?![\d/])"
    rf"(?:,?\s*(?P<y>{YEAR}))?",
    "md": rf"{MON}{SEP}(?:the\s+)?(?P<d>\d\d?)(?P<th>{TH})?(?!\d)"
    rf"(?:(?:\s*,\s*|\s+['’]|[/-])(?P<y>{YEAR}|\d\d(?!\d))|\s+(?P<y>{YEAR}))?",
    "mo": rf"{MON}{SEP}(?:of\s+|de\s+|del\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d))",
    "mon": MON,
    "digits": r"(?P<all>\d{8}|\d{6})(?!\d)",
    "decade": r"['’]?(?P<decade>(?:[12]\d)?\d0)['’]?s\b",
    "year": rf"(?P<y>{YEAR})",
    "short": r"['’](?P<y>\d\d)(?!\d)",
    "th": rf"(?P<d>\d\d?)(?P<th>{TH})\b",
    "ordinal": rf"(?P<word>{ORDINAL})\b",
    "day": r"(?P<d>\d\d?)(?!\d)",
}  # fmt: skip
FORMS = {name: regex.compile(form, regex.IGNORECASE) for name, form in FORMS.items()}
HOLIDAYS = regex.compile(
    rf"(?P<holiday>{HOLIDAY})\b(?:\s*,?\s+(?:of\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?", regex.IGNORECASE
)
FILLER = regex.compile(
    r"""[\s,.;:()\[\]/&+–—~'’-]+
    | (?:[Tt]|(?<!\d))\d\d?:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[ap]\.?m\.?\b|z\b|hrs?\b|h\b)?
    | (?:the|of|on|in|at|to|through|thru|until|till|and|or|from|between|early|late|mid|beginning|end|since
    |before|after|by|day|week|weekend|morning|afternoon|evening|night|noon|around|about|circa|de|del|el|y
    |date|dated|WEEKDAYS|winter|spring|summer|fall|autumn)s?\b
    """.replace("WEEKDAYS", "|".join(months.WEEKDAY_NAMES)),
    regex.VERBOSE | regex.IGNORECASE,
)
NUMERIC = regex.compile(r"(?<![\d/.-])(\d\d?)([/.-])(\d\d?)\2(?:\d{4}|\d\d)(?!\d)")


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
            moments, at = step
            found += moments
        elif match := FILLER.match(text, at):
            at = match.end()
        else:
            return None
    return found if found or any(c.isalpha() for c in text) else None


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
    if name in ("abc", "ab"):
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
    first = Moment(tuple(known))
    if name != "mdd":
        return [first]
    second = Moment(fields(match, "d2"), before=first.fields)
    return [first, second] if possible(second.fields[0]) else None


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
