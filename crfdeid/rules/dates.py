"""Dates: Tafvizi 2011, section 2.5.2 and table 2.2; Douglass 2005, section 5.1.3. Years by
themselves are in :mod:`crfdeid.rules.years`, and what a/b measures in
:mod:`crfdeid.rules.measurements`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.measurements import dated, measured
from crfdeid.rules.rule import Rule, at_numbers, at_words, rule
from crfdeid.rules.word_forms import words

TABLE = "Tafvizi 2011, table 2.2"
DOUGLASS = "Douglass 2005, section 5.1.3"

NAMES = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(NAMES, 1) for name in names.split()}
LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)  # days of the months
WORDY = words("may march mar jan dec apr sep jun aug")  # words, names and abbreviations too

MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
MM, DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
MM2, DAY2 = r"(?P<month>1[0-2]|0[1-9])", r"(?P<day>3[01]|[12]\d|0[1-9])"
YYYY = r"(?:1[89]|2[01])\d\d"
YEAR = rf"(?P<year>{YYYY}|['’]?\d\d)"
LONG_YEAR = rf"(?P<year>{YYYY}|['’]\d\d)(?!\d)"
SEPARATOR = r"(?P<s>[/.-])"
FREE = r"(?<![\d][/.-])(?<![./])(?<!\w-)"  # where a date may begin
END = r"(?![\d])(?![/.-]\d)"
DOSE = re.compile(r" ?(?:mg|mcg|ml|cc|units)\b")
CLEARLY = words("in since until last next this early late mid")
TOLD = words(
    """in since until till before after around early late mid during this last next of by and through"""
)


def day_of_month(match: re.Match[str], note: Note) -> bool:
    """Whether month, day and year, as far as the pattern has them, make a date."""
    said = match.groupdict()
    month = said.get("month")
    number = (MONTHS.get(month.lower()) or int(month)) if month else 1
    return int(said.get("day") or 1) <= LONGEST[number - 1]


def numeric(name: str, about: str, pattern: str) -> Rule:
    return at_numbers(name, "DATE", TABLE, about, FREE + pattern + END, day_of_month)


date_mdy = numeric(
    "date_mdy", "mm/dd/(yy)yy, with hyphens or full stops too.", rf"{MM}{SEPARATOR}{DAY}(?P=s){YEAR}"
)
date_dmy = numeric("date_dmy", "dd/mm/(yy)yy.", rf"{DAY}{SEPARATOR}{MM}(?P=s){YEAR}")
date_ymd = numeric(
    "date_ymd", "yyyy/mm/dd; yy/mm/dd of two digits each.",
    rf"(?:(?P<year>{YYYY}){SEPARATOR}{MM}(?P=s){DAY}|\d\d/(?:1[0-2]|0[1-9])/(?:3[01]|[12]\d|0[1-9]))",
)  # fmt: skip
date_ydm = numeric(
    "date_ydm", "yyyy/dd/mm; yy/dd/mm of two digits each.",
    rf"(?:(?P<year>{YYYY}){SEPARATOR}{DAY}(?P=s){MM}|\d\d/(?:3[01]|[12]\d|0[1-9])/(?:1[0-2]|0[1-9]))",
)  # fmt: skip
compact_date = at_numbers(
    "compact_date", "DATE", "ours", "Eight digits that are year, month and day.",
    rf"(?<![\w.-])(?P<year>(?:19|2[01])\d\d){MM2}{DAY2}(?![\d-])", day_of_month,
)  # fmt: skip
month_and_day = at_numbers(
    "month_and_day", "DATE", f"{DOUGLASS} (Month/Day)",
    "mm/dd that is no score, fraction, dose or pressure; mm-dd after a word for a date.",
    rf"(?<![\d][/.:])(?<![./\\])(?<![a-z]-)(?:{MM}/{DAY}|(?<=on )(?:1[0-2]|0[1-9])-(?:3[01]|[12]\d|0[1-9]))"
    r"(?!\w)(?![/.]\d)(?!/\w)",
    lambda match, note: day_of_month(match, note) and not measured(match, note.text),
)  # fmt: skip
month_and_year = at_numbers(
    "month_and_year", "DATE", f"{DOUGLASS} (Month/Year)",
    "mm/yyyy; mm/yy after a word for a date, where yy can be no day.",
    rf"{FREE}{MM}[/-](?P<year>{YYYY}|3[2-9]|[4-9]\d|0\d)(?!\d)(?![/.%-]\d?)",
    lambda match, note: note.plausible(int(match["year"])) if len(match["year"]) == 4
    else dated(match, note.text) and not measured(match, note.text),
)  # fmt: skip
day_month_year = at_numbers(
    "day_month_year", "DATE", TABLE,
    "dd month, (yy)yy; the year may be missing: \"3 March\", \"3-Mar-61\", \"the 3rd of March\".",
    rf"(?<![\d./])(?<!\d-){DAY}(?:st|nd|rd|th)?(?:[ ]of[ ]|[ -]|){MONTH}(?:,?[ -]?{YEAR}(?![\d/]))?",
    lambda match, note: day_of_month(match, note)
    and (match["month"].lower() not in WORDY or match["year"] or match["month"][0].isupper()),
)  # fmt: skip
month_day_year = at_words(
    "month_day_year", "DATE", TABLE,
    "Month dd, with or without (yy)yy: \"March 3rd, 2061\", \"Mar. 3\", \"Jan 3-5\".", MONTHS,
    rf"{MONTH}[ -]?(?:the[ ])?{DAY}(?:st|nd|rd|th)?(?![\d])(?![./:]\d)(?!%)"
    rf"(?:[ ]?-[ ]?(?:3[01]|[12]\d|[1-9])(?![\d/]))?(?:(?:,[ ]?|[ ]|-|/){LONG_YEAR})?",
    lambda match, note: day_of_month(match, note) and not DOSE.match(note.text, match.end())
    and (match["month"].lower() not in WORDY or match[0][0].isupper() or note.caseless),
)  # fmt: skip
month_of_year = at_words(
    "month_of_year", "DATE", DOUGLASS, "Month and year: \"March of 2061\", \"Mar '61\", \"March, 2061\".",
    MONTHS, rf"{MONTH}(?:[ ]of[ ]|,?[ ]|-|/)(?:{LONG_YEAR}|(?<=-)\d\d(?![\d/-]))",
)  # fmt: skip


@rule("DATE", DOUGLASS)
def month_alone(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised month by itself; one that is a word or name too, after "in", "since" and such."""
    for index in note.places(MONTHS):
        word = note.lowered[index]
        told = note.before(index) in (TOLD if note.words[index][0].isupper() else CLEARLY)
        if note.capital(index) and (told or (word not in WORDY and len(word) > 3)):
            yield note.edges(index, index + 1)


@rule("DATE", f"{DOUGLASS} (the 1st)")
def ordinal_day(note: Note, lists: Lists) -> Iterator[Edges]:
    """A day as "the 3rd" after "on", "until" and such, where no noun follows."""
    for index in note.places(["st", "nd", "rd", "th"]):
        day = index - 1
        if (
            index > 1
            and note.gap(index) == ""
            and note.words[day].isdecimal()
            and 1 <= int(note.words[day]) <= 31
        ):
            before = note.text[max(0, note.starts[day] - 12) : note.starts[day]]
            if ORDINAL_BEFORE.search(before) and ORDINAL_AFTER.match(note.text, note.ends[index]):
                yield note.starts[day], note.ends[index]


ORDINAL_BEFORE = re.compile(r"\b(?:on|until|since|by|from) the $", re.IGNORECASE)
ORDINAL_AFTER = re.compile(r"[.,;)\n]|$| (?:and|at|for|to|with|of)\b")

RULES = (
    date_mdy, date_dmy, date_ymd, date_ydm, compact_date, day_month_year, month_day_year, month_of_year,
    month_and_day, month_and_year, month_alone, ordinal_day,
)  # fmt: skip
