"""Find whole dates by their day, whatever their notation: 3/7/2061, March 7, 2061, 2061-03-07, 7MAR61.

>>> [keys for _, keys in find_days("3/7/2061, march 15, 2061 and 2061-03-15", (0, 10, 29))]
[('61-03-07', '61-07-03'), ('61-03-15',), ('61-03-15',)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crfdeid.lexicon import english, spanish

MONTHS = english.MONTH_NUMBERS | spanish.MONTH_NUMBERS
MONTH_STARTS = frozenset(month[:3] for month in MONTHS)
FIRST_LETTERS = frozenset("0123456789").union(month[0] for month in MONTHS)
MONTH = rf"(?:{'|'.join(MONTHS)})"
TH = r"(?:st|nd|rd|th)?"
DAY = re.compile(
    rf"""(?<![\w/.-])(?:
    (?P<numbers>\d\d?[/.-]\d\d?[/.-](?:\d{{4}}|\d\d) | \d{{4}}[/.-]\d\d?[/.-]\d\d?)
    | (?P<digits>[12]\d{{7}})
    | (?P<month1>{MONTH})\.?[ ]*(?P<day1>\d\d?){TH}(?:,\s*'?|\s+'?)(?P<year1>\d{{4}}|\d\d)
    | (?P<day2>\d\d?){TH}[\s-]?(?:of\s+|de\s+)?(?P<month2>{MONTH})
        (?:\.?,?[\s-]+(?:de\s+)?|')?(?P<year2>\d{{4}}|\d\d)
    )(?![\w/]|-\d)""",
    re.VERBOSE,
)


NUMBER = re.compile(r"\d+")
LONGEST = max(map(len, MONTHS))


def list_starts(low: str) -> Iterator[int]:
    """Yield the offsets in a normalized text where a date may begin: at a number, or at the month before it.

    >>> list(list_starts("seen 3/7 and in march. 15"))
    [5, 7, 23, 16]
    """
    for match in NUMBER.finditer(low):
        yield match.start()
        end = match.start()
        while end and low[end - 1] == " ":
            end -= 1
        end -= low[end - 1 : end] == "."
        start = end
        while start and end - start <= LONGEST and low[start - 1].isalpha():
            start -= 1
        if low[start:end] in MONTHS:
            yield start


def find_days(low: str, starts: Iterable[int]) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Yield the range of each whole date of a normalized text, and its keys (YY-MM-DD): two if day and month
    can be exchanged. A key has no century, because some writers leave it out. ``starts`` are the offsets
    where a word or number begins."""
    for start in starts:
        if low[start] in FIRST_LETTERS and (low[start].isdigit() or low[start : start + 3] in MONTH_STARTS):
            match = DAY.match(low, start)
            if match and (keys := tuple(dict.fromkeys(read_keys(match)))):
                yield match.span(), keys


def read_keys(match: re.Match[str]) -> Iterator[str]:
    groups = match.groupdict()
    if match["digits"]:
        text = match["digits"]
        yield from write_key(text[:4], text[4:6], text[6:])
        return
    if match["numbers"]:
        a, b, c = re.split(r"[/.-]", match["numbers"])
        if len(a) == 4:
            yield from write_key(a, b, c)
            return
        yield from write_key(c, a, b)
        yield from write_key(c, b, a)
        return
    n = "1" if match["month1"] else "2"
    yield from write_key(groups[f"year{n}"], str(MONTHS[groups[f"month{n}"]]), groups[f"day{n}"])


def write_key(year: str, month: str, day: str) -> Iterator[str]:
    if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        yield f"{year[-2:]}-{int(month):02}-{int(day):02}"
