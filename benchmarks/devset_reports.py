"""The MTSamples reports made into gold: line breaks restored, placeholders found, what
survives of dates, ages and places labelled; reports with anything unsettled left out.

Placeholders found: ``Dr. X``, ``Dr. XYZ`` (and a few surviving surnames after a title),
``Drs. X and Y``, ``Mr. ABC``, ``Ms. A``, ``Mr. T``, ``ABC, M.D.``, ``RE: ABC``, ``Sample Patient``,
``Sample Doctor``, ``Sample Address``, ``ABCD General Hospital``, ``XYZ Medical Center``, a bare
``ABCD`` after "admitted to", ``MM/DD/YYYY``, ``Month DD, YYYY``.
"""

# ruff: noqa: E501 (a regular expression reads best on one line)

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")

MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
HOLDER = r"(?:ABC|Abc|ABCD|Abcd|ABCDE|XYZ|Xyz|XXX+|Xxx+|XY)"
LETTER = r"[A-Z](?![A-Za-z])(?!\.[A-Z])"
SURNAME = r"(?:Mc)?[A-Z][a-z]{2,}"
NAME = rf"(?:{HOLDER}\b|{LETTER}|{SURNAME}(?: {SURNAME})?)"
STATE = (
    "Alabama|Alaska|Arizona|Arkansas|California|Florida|Georgia|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|"
    "Maine|Massachusetts|Michigan|Mississippi|Missouri|Montana|Nebraska|Nevada|New Jersey|New Mexico|New York|Ohio|"
    "North Carolina|South Carolina|South Dakota|North Dakota|Oklahoma|Oregon|Pennsylvania|Tennessee|Texas|Utah|Vermont|"
    "Virginia|Wisconsin|Wyoming|Minnesota|Maryland|Washington"
)
CITY = "Seattle|Houston|Wichita|Albuquerque|Las Vegas|San Francisco|Detroit|Chicago|Boston|Brooklyn|Tucson|Dallas|Baltimore"
COUNTRY = "Mexico|Germany|Haiti|Vietnam|India|Israel|Korea|Cuba|Ukraine|Japan|China|Canada|Tanzania|Iraq|England|Italy"
BEFORE_PLACE = r"\b(?:in|from|of|to|near|visiting|Las Vegas,|[A-Z][a-z]+,) "
NUMBER_WORD = (
    "(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy)"
)
AT = r"\b(?:admitted|presents?|presented|transferred|transfer|discharged|referred|seen|taken|brought|remained|transplant)\b"

# (type, pattern, replaced): the span is group 1 wherever the pattern has one; the earlier pattern wins.
PATTERNS: list[tuple[str, str, bool]] = [
    ("DATE", r"MM/DD/YYYY|Month DD, YYYY", True),
    ("HOSPITAL", rf"\b(?:{HOLDER}|Sample) (?:General |Memorial |Regional )?(?:Hospital|Medical Center|Clinic|Surgery Center)\b", True),
    ("HOSPITAL", r"\bUIHC\b", False),
    ("HOSPITAL", rf"{AT}(?: \w+)? (?:to|at|from|via)(?: the)? ({HOLDER})\b(?! [A-Z])", True),
    ("DOCTOR", rf"\b(?:Drs?|DR|Doctor)\b\.? +({NAME})", True),
    ("DOCTOR", rf"\b(?:Drs?)\b\.? +[A-Z](?: and | & |/|, )({LETTER})", True),
    ("DOCTOR", rf"\b({HOLDER})(?=, (?:M\.?D|D\.?O|O\.?D|Ph\.?D|LCSW))", True),
    ("DOCTOR", r"\bSample Doctor\b", True),
    ("PATIENT", rf"\b(?:Mr|Mrs|Ms|Miss)\b\.? +(Sample Patient|{NAME})", True),
    ("PATIENT", rf"\b(?:RE|Re): +(?:Mrs?\. )?({HOLDER}|Sample Patient)\b", True),
    ("PATIENT", rf"\b(?:have seen|I saw|patient,|patient) ({HOLDER})\b", True),
    ("PATIENT", r"\bSample Patient\b", True),
    ("STREET", r"\bSample Address\b", True),
    ("DATE", r"(?<![\d/.-])\d{1,2}[/-]\d{1,2}[/-](?:19|20)?\d\d(?![\d/-])", False),
    ("DATE", rf"\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:, ?(?:19|20)\d\d)?\b", False),
    ("DATE", rf"\b{MONTH},? (?:of )?(?:19|20)\d\d\b", False),
    ("DATE", rf"(?i:\b(?:in|since|until|of|last|this|from|or|to|and|early|late|by|before|for|on)) ({MONTH})\b", False),
    ("DATE", r"\b(?:spring|summer|winter|fall|autumn) of (?:19|20)\d\d\b", False),
    ("DATE", r"\b((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Christmas|Thanksgiving)\b", False),
    ("DATE", r"(?<![\d/.-])(?:1[0-2]|0?[1-9])/(?:19|20)\d\d(?!\d)", False),
    ("DATE", r"\b(?:in|since|from|of|late|early|until|dated|the|On|In) ((?:1[0-2]|0?[1-9])/(?:0\d|9\d))(?![\d/])", False),
    ("DATE", r"\b(?:on|On|since|until|dated) ((?:1[0-2]|0?[1-9])/(?:3[01]|2\d|1[3-9]))(?![\d/])", False),
    ("DATE", r"\b(?:in|since|from|until|In|Since|early|late|year|through|and|about|around) ((?:19[3-9]\d|200\d|2010)(?:'?s)?)\b(?! ?(?:hours|cc|m[Ll]|mg|cal|k?cal|units|grams|pounds))", False),
    ("AGE", r"(?<![\d/.])(\d{1,3}(?:-1/2)?)[- ]+(?:years?|yrs?)[- ]+(?:of age|old)", False),
    ("AGE", r"\b(\d{1,3})[- ]?(?:y/o|yo|y\.o\.)(?!\w)", False),
    ("AGE", rf"\b({NUMBER_WORD}(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)[- ]+years?[- ]+(?:of age|old)", False),
    ("AGE", r"\b(?:age|aged|ages|Age)(?: of| at| is|:)? +(\d{1,3})(?! (?:weeks|months|days|wks))\b", False),
    ("AGE", r"\bages (?:of )?\d+ and (\d+)\b", False),
    ("AGE", r"\b(?:in|since) (?:his|her|their) (?:early |mid |late |mid-|late-)?(\d0'?s)", False),
    ("STATE", rf"{BEFORE_PLACE}(?:State of )?({STATE})\b(?! [A-Z])", False),
    ("CITY", rf"{BEFORE_PLACE}({CITY})\b(?! [A-Z])", False),
    ("COUNTRY", rf"{BEFORE_PLACE}({COUNTRY})\b(?! [A-Z])", False),
]  # fmt: skip
COMPILED = [(type, re.compile(pattern), replaced) for type, pattern, replaced in PATTERNS]

# What, outside the spans, makes a report unsettled: it may be PHI, and a rule cannot tell.
UNSETTLED = re.compile(
    rf"""\b\w*(?:XX|XYZ|YYYY|ABC|Abc|Xyz|Xxx)\w* | \bSample[ ](?:Patient|Doctor|Name|Hospital)
    | \b(?:Dr|Drs|Mr|Mrs|Ms|Miss)\b\.?[ ]+[A-Z] | \b[A-Z]\w+,[ ](?:M\.?D|D\.?O|R\.?N|Ph\.?D)\b
    | \b(?i:retired|unemployed|occupation|homemaker|housewife|profession|employer|employment|teacher|professor|student|career|\bjob\b)
    | \b(?:works?|worked|employed|working)[ ](?:as|for|at|in|by|with|on|part|full)\b
    | (?:month|week|day)s?[ -]+old | \b(?:last|this|the|in|the[ ]early)[ ](?:summer|winter|spring|autumn)\b
    | (?i:serial|lot[ ](?:number|\#)|model[ ](?:number|\#)|room[ ]\#?\d{{3}}|claim[ ]number|record[ ]?(?:number|\#|no)) | 12345
    | \b\d{{3}}-\d{{4}}\b | [@]\w | www\.
    | \b(?:{MONTH.replace("|May|", "|")[3:-1]})\b | \bMay\b(?=[ ]\d) | \b(?:Spring|Summer|Winter|Easter|Halloween)\b
    | \b[A-Z][a-z]+[ ](?:Hospital|Medical[ ]Center|Nursing[ ]Home|University|College|High[ ]School|County|Institute|Hospice|Manor|Church)\b
    | \b(?:University|College|City|State)[ ]of\b | \b(?:{STATE}|{CITY}|{COUNTRY})\b
    | \b(?:wife|husband|son|daughter|mother|father|brother|sister|partner|named|name[ ]is),?[ ]"?[A-Z][a-z]+
    | (?<![\d/.-])(?:1[0-2]|0?[1-9])/(?:0\d|[89]\d|3[01]|2[1-46-9]|1[3-57-9])(?![\d/])(?!th)
    | (?<![\d.,/])(?:19[3-9]\d|200\d|2010)\b(?![ ]?(?:hours|cc|m[Ll]|mg|k?cal|units|grams|pounds)|\d|\.\d)
    | \b(?i:ages?|aged)(?:[ ]of|[ ]at)?:?[ ]+\d
    | \b(?:mother|father|brother|sister|son|daughter|died|deceased)s?\b[^.\n]{{0,40}}\b\d\d\b(?!\d|[ ](?:mg|years[ ]ago))""",
    re.VERBOSE,
)

# Reports found by reading to name people, employers, schools or hospitals in ways no rule settles.
SET_ASIDE = frozenset(map(int, re.findall(r"\d+", """
2 16 32 53 73 76 131 150 273 301 315 321 329 345 364 378 379 381 390 487 527 532 542 547 550 580 606 614 657
665 722 754 772 787 823 852 900 907 918 978 1098 1104 1124 1193 1194 1200 1210 1220 1303 1311 1347 1357 1358
1361 1365 1379 1390 1451 1464 1468 1479 1481 1594 1604 1613 1697 1702 1711 1729 1749 1761 1762 1768 1772
1775 1777 1779 1780 1781 1782 1788 1789 1790 1791 1795 1796 1797 1800 1801 1802 1804 1815 1884 1904 1906
1917 1921 1947 1949 1966 2084 2092 2095 2126 2204 2217 2240 2244 2304 2366 2425 2427 2458 2553 2576 2640
2644 2777 2784 2798 2801 2809 2865 2944 2951 2983 2998 3079 3093 3094 3159 3175 3176 3189 3274 3277 3288
3330 3332 3334 3336 3339 3341 3356 3368 3396 3398 3399 3403 3410 3448 3485 3608 3770 3896 4086 4268 4279
4452 4540 4806 4987
""")))  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A stretch of a report that is PHI, and whether it is a placeholder to be replaced."""

    start: int
    end: int
    type: str
    replaced: bool


def restored(text: str) -> str:
    """The report with its line breaks: they were lost and show as a comma without a space after it.

    >>> restored("HISTORY: , A cough.,PLAN:,1.  Rest.,2.  Fluids, 1,000 mL.")
    'HISTORY: A cough.\\n\\nPLAN:\\n1. Rest.\\n2. Fluids, 1,000 mL.'
    """
    text = re.sub(r": +, *", ": ", text)
    text = re.sub(r":,(?=\S)", ":\n", text)
    text = re.sub(r":, +", ": ", text)
    text = re.sub(r",+(?=[A-Z][A-Z /&()-]{3,60}:)", "\n\n", text)
    text = re.sub(r",(?=\d{1,2}[.)] )|(?<=[.?!:;)\"]),(?=\S)|,(?=[A-Z])", "\n", text)
    return re.sub(r" {2,}", " ", text).strip(" ,\n")


def found(text: str) -> list[Found]:
    """The PHI of a restored report, in order, none overlapping."""
    taken: list[Found] = []
    for type, pattern, replaced in COMPILED:
        for match in pattern.finditer(text):
            start, end = match.span(1 if pattern.groups else 0)
            if not any(start < other.end and other.start < end for other in taken):
                taken.append(Found(start, end, type, replaced))
    return sorted(taken, key=lambda item: item.start)


def unsettled(text: str, items: list[Found]) -> re.Match | None:
    """The first thing outside ``items`` that may be PHI and may not."""
    for match in UNSETTLED.finditer(text):
        if not any(match.start() < item.end and item.start < match.end() for item in items):
            return match
    return None


def settled(path: Path = DATA) -> Iterator[tuple[str, str, list[Found]]]:
    """Id, restored text and PHI of each report of which every word is settled, in an order
    that is fixed and has nothing to do with what they are about."""
    with path.open(encoding="utf-8") as lines:
        reports = sorted(map(json.loads, lines), key=lambda report: sha256(report["id"].encode()).digest())
    for report in reports:
        text = restored(report["text"])
        if int(report["id"][3:]) in SET_ASIDE or len(text) < 500:
            continue
        items = found(text)
        if not unsettled(text, items):
            yield report["id"], text, items
