"""Parse dates as people write them, so that they can be written again in the same form.

A text such as "3/7 and 3/9" holds several date expressions. An expression consists of fields (year, month,
day), each with its offsets in the text. Between the fields only known fillers may occur (:data:`FILLER`). If
a digit or word of the text remains unread, the whole text is not read, because no part of it may be kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import regex

from crfdeid.lexicon import english

MON = r"(?P<mon>\p{L}{3,10})\b\.?"
TH = r"(?:st|nd|rd|th)"
YEAR = r"(?:[12]\d{3})(?!\d)"
SHORT = r"\d\d(?!\d)(?!,?\s+(?:and|&|or)\s+\d)"  # in "March 7, 67", but not in "March 29, 30 and 31"
SEP = r"[\s,./–-]*"
ORDINAL = "|".join(english.ORDINALS).replace("-", r"[-\s]")
HOLIDAY = "|".join(sorted(english.HOLIDAY_NAMES, key=len, reverse=True))
HOLIDAY = HOLIDAY.replace("-", r"[-\s]?").replace("'", "['’]?").replace("years", "year['’]?s")
HOLIDAY = regex.sub(r"\bst ", r"st\.? ", HOLIDAY)
HOLIDAY = regex.sub(
    r"(?<=patrick|stephen|saint|soul|valentine|mother|father|president|veteran|patriot)s",
    "['’]?s['’]?",
    HOLIDAY,
)
TO = r"\s*(?:-|–|—|to|through|thru|and|&)\s*"

SOURCES = {
    "ymd": rf"(?P<y>{YEAR[:-6]})\s?(?P<s>[/.\s–-])\s?(?P<m>\d\d?)\s?(?P=s)\s?(?P<d>\d\d?)(?!\d)",
    "ym": rf"(?P<y>{YEAR[:-6]})\s?[/-]\s?(?P<m>\d\d?)(?!\s?[\d/-])",
    "abc": r"(?P<a>\d\d?)\s?(?P<s>[/.–-])\s?(?P<b>\d\d?)\s?(?P=s)\s?['’]?(?P<y>\d{4}|\d\d)(?!\d)",
    "abc spaced": rf"(?P<a>\d\d?)\s(?P<b>\d\d?)\s(?P<y>{YEAR})",
    "my": rf"(?P<m>\d\d?)\s?[/.-]\s?(?P<y>{YEAR})",
    "ddm": rf"(?P<d>\d\d?)(?P<th>{TH})?{TO}(?P<d2>\d\d?)(?P<th2>{TH})?{SEP}"
    rf"(?:day\s+of\s+|of\s+|de\s+)?{MON}"
    rf"(?:{SEP}(?:of\s+|de\s+|del\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?",
    "ab": r"(?P<a>\d\d?)\s?(?P<s>[/.-])\s?(?P<b>\d\d?)(?!\d)",
    "dmy": rf"(?P<d>\d\d?)(?P<mon>\p{{L}}{{3}})['’]?(?P<y>{YEAR}|\d\d(?!\d))",
    "dm": rf"(?P<d>\d\d?)(?P<th>{TH})?{SEP}(?:day\s+of\s+|of\s+|de\s+)?{MON}"
    rf"(?:{SEP}(?:of\s+|de\s+|del\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?",
    "dmo": rf"(?P<word>{ORDINAL})\s+(?:day\s+)?of\s+{MON}(?:{SEP}(?P<y>{YEAR}))?",
    "mdd": rf"{MON}\s*(?P<d>\d\d?)(?P<th>{TH})?{TO}(?P<d2>\d\d?)(?P<th2>{TH})?(?![\d/])"
    rf"(?:,?\s*(?P<y>{YEAR}))?",
    "md": rf"{MON}{SEP}(?:the\s+)?(?P<d>\d\d?)(?P<th>{TH})?(?!\d)"
    rf"(?:(?:\s*,\s*['’]?|\s+['’]|[/-])(?P<y>{YEAR}|{SHORT})|\s+(?P<y>{YEAR}))?",
    "mo": rf"{MON}{SEP}(?:of\s+|de\s+|del\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d))",
    "mon": MON,
    "digits": r"(?P<all>\d{8}|\d{6})(?!\d)",
    "decade": r"['’]?(?P<decade>(?:[12]\d)?\d0)['’]?s\b",
    "year": rf"(?P<y>{YEAR})",
    "short": r"['’](?P<y>\d\d)(?!\d)",
    "th": rf"(?P<d>\d\d?)(?P<th>{TH})",
    "ordinal": rf"(?P<word>{ORDINAL})",
    "day": r"(?P<d>\d\d?)(?!\d)",
}  # fmt: skip
FORMS = {name: regex.compile(form, regex.IGNORECASE) for name, form in SOURCES.items()}
HOLIDAYS = regex.compile(
    rf"(?P<holiday>{HOLIDAY})(?:\b|(?=time\b))(?:\s*,?\s+(?:of\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?",
    regex.IGNORECASE,
)
FILLER = regex.compile(
    r"""[\s,.;:()\[\]/&+–—~'’-]+
    | (?:[Tt]|(?<!\d))\d\d?:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[ap]\.?m\.?|z|hrs?|h)?
    | (?:the|of|on|in|at|to|through|thru|until|till|and|or|from|between|early|late|mid|beginning|end|since
    |before|after|by|day|week|weekend|morning|afternoon|evening|night|noon|around|about|circa|de|del|el|y
    |date|dated|NO_DAYS)s?\b
    """.replace("NO_DAYS", "|".join((*english.WEEKDAY_NAMES, *english.SEASONS))),
    regex.VERBOSE | regex.IGNORECASE,
)
# Words around a holiday that say nothing more of it.
BEFORE_HOLIDAY = regex.compile(
    rf"(?:last|next|this|past|previous|following|every|each|over|during)\s+(?={HOLIDAY})", regex.IGNORECASE
)
HOLIDAY_TIME = r"breaks?|holidays?|vacations?|recess|season|time"
AFTER_HOLIDAY = regex.compile(
    rf"\s*(?:{HOLIDAY_TIME}|weekend|wk?nd|week|dinner|lunch|brunch|meal|party|gathering|celebrations?|visit|trip"
    r"|fast(?:ing)?|feast|festival|festivities|prayers?|eve)\b",
    regex.IGNORECASE,
)
NUMERIC = regex.compile(r"(?<![\d/.-])(\d\d?)([/.-])(\d\d?)\2(?:\d{4}|\d\d)(?!\d)")
NAMED_MONTHS = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in english.MONTHS) + "|Sept"
SPOKEN = regex.compile(
    rf"(?P<day>(?<![\d/.-])\d\d?(?:{TH})?[ ](?:of[ ])?(?:{NAMED_MONTHS})\b)"
    rf"|(?:{NAMED_MONTHS})\b\.?[ ](?:the[ ])?\d\d?(?:{TH})?(?!\d)"
)
# Separators of the days of one month in a list.
LIST = regex.compile(r"[\s,]*(?:and|&|or|to|-|–)?[\s,]*(?:the\s+)?", regex.IGNORECASE)

BEFORE_DAY = regex.compile(
    r"(?:the|on|of|thru|through|to|until|till|by|from|since|and|,|-)\s*$", regex.IGNORECASE
)  # what may precede a day without a month
CLOCK, NO_WORD, SPACE = map(regex.compile, (r"\d\d?:\d\d", r"[^\p{L}0-9 ]", r"\s"))
MAX_LENGTH = 200  # characters; nobody writes a longer date
MONTH_FIRST, DAY_FIRST = "month first", "day first"
HABIT = "{} by habit"


class DateField(NamedTuple):
    """A part of a date. ``unit`` is y, m, d or decade; ``text`` is the part as written, at the offsets
    ``start`` to ``end``."""

    unit: str
    value: int
    start: int
    end: int
    text: str

    @classmethod
    def from_group(cls, unit: str, value: int, match: regex.Match[str], group: str) -> DateField:
        return cls(unit, value, match.start(group), match.end(group), match[group])


@dataclass(frozen=True)
class DateExpression:
    """One date of a text. ``holiday_range`` gives the offsets of the holiday's name. If the expression is
    only a day that shares the month of a neighbour ("March 3-5", "3-5 March"), ``shared`` holds the fields
    of that neighbour."""

    fields: tuple[DateField, ...]
    holiday: str = ""
    holiday_range: tuple[int, int] = (0, 0)
    shared: tuple[DateField, ...] = ()

    def find(self, unit: str) -> DateField | None:
        """The field with this unit, also a shared one."""
        return next((field for field in (*self.fields, *self.shared) if field.unit == unit), None)

    def is_day_only(self) -> bool:
        return [field.unit for field in self.fields] == ["d"]


def find_order(text: str) -> str | None:
    """Return the order of day and month if a numeric date proves it.

    >>> find_order("25/12/2066"), find_order("12/25/66"), find_order("1/2/66")
    ('day first', 'month first', None)
    """
    match = NUMERIC.search(text)
    if not match:
        return None
    a, b = int(match[1]), int(match[3])
    return DAY_FIRST if 31 >= a > 12 >= b else MONTH_FIRST if 31 >= b > 12 >= a else None


def find_habit(text: str) -> str | None:
    """Return the order of day and month in a date with the name of a month, as people speak: who writes "3rd
    June" or "26 Mar" rather writes 7/10/24 for the seventh of October. Other notations say nothing of it.

    >>> [find_habit(text) for text in ("3rd June 1991", "June 3, 1991", "21-JUN-2022", "5 MAY")]
    ['day first by habit', 'month first by habit', None, None]
    """
    found = SPOKEN.search(text)
    return None if not found else HABIT.format(DAY_FIRST if found["day"] else MONTH_FIRST)


def is_month_first(orders: Counter[str]) -> bool:
    """Whether "3/7" is March 7, by the counts of what :func:`find_order` and :func:`find_habit` return: what
    more dates prove, otherwise the habit, otherwise yes.

    >>> is_month_first(Counter({"day first": 1, "month first by habit": 3})), is_month_first(Counter())
    (False, True)
    """
    proofs, habits = (
        orders[form.format(DAY_FIRST)] - orders[form.format(MONTH_FIRST)] for form in ("{}", HABIT)
    )
    return (proofs or habits) <= 0


def parse_dates(text: str, month_first: bool = True) -> list[DateExpression] | None:
    """Parse the whole ``text``. Return an empty list for a weekday or season, and None if the text cannot
    be read completely as dates.

    >>> [[(f.unit, f.value) for f in e.fields] for e in parse_dates("Jan-Feb 2067")]
    [[('m', 1)], [('y', 2067), ('m', 2)]]
    >>> parse_dates("some time ago") is None, parse_dates("Monday")
    (True, [])
    """
    if len(text) > MAX_LENGTH:
        return None
    expressions = parse_short(text, month_first)
    return None if expressions is None else list(expressions)


@lru_cache(maxsize=4096)  # each date of a note is parsed four times
def parse_short(text: str, month_first: bool) -> tuple[DateExpression, ...] | None:
    found: list[DateExpression] = []
    at = 0
    while at < len(text):
        step = parse_at(text, at, month_first)
        if step:
            expressions = place_in_list(text, at, step[0], found)
            if expressions is None:
                return None
            if found and is_year_of(found[-1], expressions[0], text, at):
                day = found.pop()
                expressions = [replace(day, fields=(*expressions[0].fields, *day.fields))]
            found, at = found + expressions, step[1]
        elif match := match_filler(text, at, found):
            at = match.end()
        else:
            return None
    return tuple(found) if found or any(c.isalpha() for c in text) else None


def match_filler(text: str, at: int, found: list[DateExpression]) -> regex.Match[str] | None:
    """Match words at ``at`` that say nothing of a date; ``found`` are the dates before them."""
    if found and at == found[-1].holiday_range[1] > 0 and (match := AFTER_HOLIDAY.match(text, at)):
        return match
    return BEFORE_HOLIDAY.match(text, at) or FILLER.match(text, at)


def is_year_of(day: DateExpression, year: DateExpression, text: str, at: int) -> bool:
    """Whether the year at ``at`` belongs to the day before it: "Jan 7, 9 and 11, 2067"."""
    is_year = [field.unit for field in year.fields] == ["y"] and not year.holiday
    if not is_year or not day.find("d") or not day.find("m") or day.find("y"):
        return False
    return not text[max(field.end for field in day.fields) : at].strip(" ,")


def place_in_list(
    text: str, at: int, expressions: list[DateExpression], before: list[DateExpression]
) -> list[DateExpression] | None:
    """Decide what a day without a month means. After another day of a list it shares that day's month
    ("March 3, 5 and 7"). A single number elsewhere in a longer text may mean anything: return None. Other
    ``expressions`` that start at ``at`` are returned unchanged."""
    if not expressions[0].is_day_only() or expressions[0].shared:
        return expressions
    day, last = expressions[0].fields[0], before[-1] if before else None
    if last and last.find("m") and (last_day := last.find("d")):
        end = max(field.end for field in last.fields)
        year_follows = any(field.unit == "y" and field.start > last_day.start for field in last.fields)
        if LIST.fullmatch(text, end, at) and not year_follows:
            return [DateExpression(expressions[0].fields, shared=(*last.fields, *last.shared))]
    is_day = not day.text.isdigit() or text.strip() == day.text or BEFORE_DAY.search(text, 0, at)
    return expressions if is_day else None


def parse_at(text: str, at: int, month_first: bool) -> tuple[list[DateExpression], int] | None:
    """Parse the expressions that start at ``at``; also return the offset where they end."""
    if match := HOLIDAYS.match(text, at):
        name = NO_WORD.sub("", match["holiday"].lower())
        return [DateExpression(read_groups(match, "y"), name, match.span("holiday"))], match.end()
    if text[at].isdigit() and CLOCK.match(text, at):
        return None
    for name, form in FORMS.items():
        if (match := form.match(text, at)) and (expressions := build_expressions(name, match, month_first)):
            return expressions, match.end()
    return None


def build_expressions(name: str, match: regex.Match[str], month_first: bool) -> list[DateExpression] | None:
    """The expressions in a match of the form ``name``; None if a value is impossible (month 13)."""
    if name == "digits":
        return read_digits(match)
    fields = list(read_groups(match, "m", "d", "y"))
    if name.startswith("ab"):
        fields += read_two_numbers(match, month_first)
    if "mon" in match.groupdict():
        number = english.parse_month(match["mon"])
        if number is None:
            return None
        fields.append(DateField("m", number, match.start("mon"), match.end("mon"), read_month_word(match)))
    if match.groupdict().get("word"):
        number = english.ORDINALS.index(SPACE.sub("-", match["word"].lower())) + 1
        fields.append(DateField.from_group("d", number, match, "word"))
    if match.groupdict().get("decade"):
        fields.append(DateField.from_group("decade", int(match["decade"]), match, "decade"))
    if not all(map(is_possible, fields)):
        return None
    if name not in ("mdd", "ddm"):
        return [DateExpression(tuple(fields))]
    return split_day_range(name, match, fields)


def split_day_range(
    name: str, match: regex.Match[str], fields: list[DateField]
) -> list[DateExpression] | None:
    """The two expressions of "March 3-5" (``mdd``) or "3-5 March" (``ddm``); the day that is not next to the
    month shares the fields of the other."""
    days = [[field for field in fields if field.unit == "d"], [*read_groups(match, "d2")]]
    own, other = days if name == "mdd" else days[::-1]
    whole = DateExpression((*(field for field in fields if field.unit != "d"), *own))
    day_only = DateExpression(tuple(other), shared=whole.fields)
    return [whole, day_only][:: 1 if name == "mdd" else -1] if is_possible(days[1][0]) else None


def read_groups(match: regex.Match[str], *units: str) -> tuple[DateField, ...]:
    """The named groups that matched, as fields. A day's field includes its ending (``th``)."""
    groups = match.groupdict()
    out = []
    for unit in units:
        if groups.get(unit):
            start, end = match.span(unit)
            ending = {"d": "th", "d2": "th2"}.get(unit)
            end = match.end(ending) if ending and groups.get(ending) else end
            out.append(DateField(unit[0], int(groups[unit]), start, end, match.string[start:end]))
    return tuple(out)


def read_two_numbers(match: regex.Match[str], month_first: bool) -> tuple[DateField, ...]:
    """Read "3/7" as month and day; a number above 12 is the day. Two numbers that cannot be month and day are
    month and short year ("3/67")."""
    a, b = int(match["a"]), int(match["b"])
    units = ("m", "d") if (month_first or b > 12) and a <= 12 else ("d", "m")
    if (b > 31 or b == 0) and "y" not in match.groupdict():
        units = ("m", "y")
    pairs = zip(units, ("a", "b"))
    return tuple(DateField.from_group(unit, int(match[group]), match, group) for unit, group in pairs)


def read_digits(match: regex.Match[str]) -> list[DateExpression] | None:
    """Read 20670307, 03072067 or 030767."""
    text, start = match["all"], match.start("all")
    layouts = {8: ("yyyymmdd", "mmddyyyy"), 6: ("mmddyy", "yymmdd")}[len(text)]
    for layout in layouts:
        fields = []
        for unit in "ymd":
            first, last = layout.index(unit), layout.rindex(unit) + 1
            value = text[first:last]
            fields.append(DateField(unit, int(value), start + first, start + last, value))
        year = fields[0]
        if all(map(is_possible, fields)) and (len(year.text) == 2 or 1800 <= year.value <= 2299):
            return [DateExpression(tuple(fields))]
    return None


def read_month_word(match: regex.Match[str]) -> str:
    """The month as written. "May" between hyphens becomes "Mar", because it is an abbreviation there and the
    new month must be abbreviated too."""
    start, end = match.span("mon")
    has_hyphen = match.string[start - 1 : start] == "-" or match.string[end : end + 1] == "-"
    word = match["mon"]
    return word[:2] + ("R" if word.isupper() else "r") if has_hyphen and word.lower() == "may" else word


def is_possible(field: DateField) -> bool:
    if field.unit == "y":
        return len(field.text) == 2 or 1000 <= field.value <= 2999
    return field.unit == "decade" or 1 <= field.value <= {"m": 12, "d": 31}[field.unit]
