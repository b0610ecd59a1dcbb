"""The forms of dates as regular expressions, tried in this order at each offset."""

from __future__ import annotations

import regex

from crfdeid.lexicon import english

MON = r"(?P<mon>\p{L}{3,10})\b\.?"
TH = r"(?:st|nd|rd|th)"
YEAR = r"(?:[12]\d{3})(?!\d)"
SHORT = r"\d\d(?!\d)(?!,?\s+(?:and|&|or)\s+\d)"  # in "March 7, 67", but not in "March 29, 30 and 31"
SEP = r"[\s,./–-]*"
ORDINAL = "|".join(english.ORDINALS).replace("-", r"[-\s]")
HOLIDAY = "|".join(sorted(english.HOLIDAY_NAMES, key=len, reverse=True))
HOLIDAY = HOLIDAY.replace("years", "year['’]?s").replace("st pat", r"st\.? pat")
HOLIDAY = regex.sub(
    r"(?<=patrick|valentine|mother|father|president|veteran|patriot)s", "['’]?s['’]?", HOLIDAY
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
    rf"(?P<holiday>{HOLIDAY})\b(?:\s*,?\s+(?:of\s+)?['’]?(?P<y>{YEAR}|\d\d(?!\d)))?", regex.IGNORECASE
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
NUMERIC = regex.compile(r"(?<![\d/.-])(\d\d?)([/.-])(\d\d?)\2(?:\d{4}|\d\d)(?!\d)")
# What separates the days of one month in a list.
LIST = regex.compile(r"[\s,]*(?:and|&|or|to|-|–)?[\s,]*(?:the\s+)?", regex.IGNORECASE)
