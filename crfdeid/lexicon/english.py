"""The words of dates in English: months, weekdays, ordinals, and US holidays with their days; the forms of
medicine that are not PHI; and the articles.

A month may also be written in Spanish. Holidays of other calendars are not read; they become a marker.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from difflib import get_close_matches

import regex

from crfdeid.lexicon import Language, spanish
from crfdeid.lexicon.letters import word_set

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth",
    "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
FULL_MONTHS = {name.lower(): n for n, name in enumerate(MONTHS, 1)}
ABBREVIATED_MONTHS = {"sept": 9} | {name[:3]: n for name, n in FULL_MONTHS.items() if name[3:]}  # not "may"
MONTH_NUMBERS = FULL_MONTHS | ABBREVIATED_MONTHS
AMBIGUOUS_MONTHS = frozenset(
    ["may", "march", "mar", "jan", "dec", "apr", "sep", "jun", "aug"]
)  # also words, names or abbreviations
MONTH_PATTERN = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
FULL_WEEKDAYS = tuple(name.lower() for name in WEEKDAYS)
WEEKDAY_NAMES = (*FULL_WEEKDAYS, "tues", "thurs", "weds", "thur", *(name[:3] for name in FULL_WEEKDAYS))
SEASONS = ("winter", "spring", "summer", "fall", "autumn")
STOP_WORDS = frozenset(  # that Spanish does not have
    """the of and to is that for with was on are at be this by from an not she his her has have which or were
    been but will had their there""".split()  # noqa: SIM905
)

# month, day
FIXED = {
    "new years day": (1, 1), "new years eve": (12, 31), "new years": (1, 1), "new year": (1, 1),
    "groundhog day": (2, 2), "valentines day": (2, 14), "st patricks day": (3, 17), "cinco de mayo": (5, 5),
    "juneteenth": (6, 19), "independence day": (7, 4), "halloween": (10, 31), "veterans day": (11, 11),
    "christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "xmas": (12, 25),
    "xmas day": (12, 25), "xmas eve": (12, 24), "boxing day": (12, 26),
}  # fmt: skip
# weekday (Monday is 0), and the month and day on which it is at the earliest
MOVABLE = {
    "martin luther king day": (0, 1, 15), "mlk day": (0, 1, 15), "presidents day": (0, 2, 15),
    "patriots day": (0, 4, 15), "mothers day": (6, 5, 8), "memorial day": (0, 5, 25),
    "fathers day": (6, 6, 15), "labor day": (0, 9, 1), "columbus day": (0, 10, 8),
    "election day": (1, 11, 2), "thanksgiving": (3, 11, 22), "thanksgiving day": (3, 11, 22),
}  # fmt: skip
# days after Easter Sunday
EASTER = {
    "mardi gras": -47, "ash wednesday": -46, "lent": -46, "palm sunday": -7, "good friday": -2,
    "easter saturday": -1, "easter sat": -1, "easter": 0, "easter sunday": 0, "easter sun": 0,
    "easter monday": 1, "easter mon": 1,
}  # fmt: skip
FASTS = frozenset(["lent"])  # of some weeks
HOLIDAY_NAMES = (*FIXED, *MOVABLE, *EASTER)

# Services that people are seen by, parts of any hospital, and words before these that name none.
ARTICLE = regex.compile(r"(?<![\w'’.-])a(n?)\s+(?=\w)", regex.IGNORECASE)
AN_BEFORE = regex.compile(  # vowels, letters that are read one by one, and eight, eleven, eighteen
    r"""\W*(?: (?!U\p{Lu}{1,3}\b)
    (?i: [ai] | o(?!nc?e\b) | e(?![uw]) | u(?!ni[tvqof]|ro|se|t(?:i[lc]|ah|e\b)|k[ir]|va)
    | y(?=[^aeiouy\W]) | heir | hour | honou?r )
    | (?!(?:ST|MT|FT|SAN|NEW|LOS|LAS)\b)[FHLMNRSX](?:\p{Lu}{1,2}\b|-)
    | (?:8\d* | 1[18](?:\d{3})? | 18\d\d)(?!\d) )""",
    regex.VERBOSE,
)
BEFORE = 4  # characters: an article and spaces
ARTICLE_LENGTH = 40  # characters behind an article that decide which it is

SERVICES = word_set("gi ent gyn ob icu ccu picu sicu micu nicu pacu ems")
PARTS = word_set("clinic office floor unit ward service services department team laboratory lab suite system")
GENERIC = word_set("the general day care and of community postanesthesia surgeon healthcare")
ANY, EVEN = 2.0, 0.5  # probabilities
# Texts that are not PHI of a type beside these: before, the text itself, behind, and below which probability.
STAYS: dict[str, list[tuple[str, str, str, float]]] = {
    "DATE": [
        ("", r"#?\d{1,2}[-‐–]0", "", ANY),  # a suture: no month has a day 0
        ("", r"[CTLS]\d{1,2}(?: ?[-/] ?[CTLS]?\d{1,2})?", "", ANY),  # vertebrae
        (
            r"\b(?:strength|power|motor|pain|score|scale|graded?|rat(?:es?|ed|ing))\b[^.;\n]{0,24}(?<!\bon)\s$",
            r"[0-5]/5|\d{1,2}/10", "", ANY,
        ),
        (
            "", r"[0-5]/5|\d/10",
            r"\s+(?:strength|power|throughout|bilateral|pain|motor|in (?:all|both|the)\b)", ANY,
        ),
    ],
    "ZIP": [(r"\b(?:cpt-?\d?|icd(?:-?\d+)?|code)\b[^\n]{0,12}\n?$", r"\d{5}", "", ANY)],
    "COUNTRY": [("", r"(?:African|Asian|Latin|Native)(?:[- ]American)?", "", EVEN),
                (r"(?:African|Asian|Latin|Native)[- ]$", "American", "", EVEN)],
    "HOSPITAL": [("", r"(?:African|Asian|Latin|Native)[- ]American", "", EVEN)],
    "PATIENT": [(r"\d[ ]?$", r"[AP]\.?M\b\.?", "", ANY)],
    "DOCTOR": [(r"\d[ ]?$", r"[AP]\.?M\b\.?", "", ANY)],
    "": [  # a number of whatever type
        (r"\btime:?[ ]*$", r"\d{4}", "", ANY),
        (r"\b(?:para|gravida|g\d+,? ?p)[ :]*$", r"\d(?:-?\d){2,3}", "", ANY),
        (r"(?<!\d)1:$", r"\d{1,3},?000", "", ANY),
        (r"\d\.$", r"\d[\d/.-]*", "", EVEN),  # a measure that was cut
    ],
}  # fmt: skip

LANGUAGE = Language(
    "english",
    stop_words=STOP_WORDS,
    model="english",
    rules="rules",
    sure_rules="sure_rules",
    repair="crfdeid.repair:BY_SCHEME",
    surrogates="crfdeid.redact.surrogates.patient:PatientSurrogates",
    medicine="crfdeid.redact.run.tagging:drop_medical",
    written="crfdeid.synthetic.written_filler:WRITTEN",
    months=MONTHS,
    weekdays=WEEKDAYS,
)


def parse_month(word: str) -> int | None:
    """Return the number of a month's name, also if it is misspelt.

    >>> parse_month("Sept"), parse_month("Febuary"), parse_month("marzo"), parse_month("Monday")
    (9, 2, 3, None)
    """
    low = word.lower()
    number = MONTH_NUMBERS.get(low) or spanish.MONTH_NUMBERS.get(low)
    if number or len(low) < 5 or low in WEEKDAY_NAMES or low in SEASONS:
        return number
    similar = get_close_matches(low, FULL_MONTHS, n=1, cutoff=0.8)
    return FULL_MONTHS[similar[0]] if similar else None


def write_month(number: int, like: str) -> str:
    """Write a month's name in the length, language and capitals of ``like``.

    >>> write_month(11, "MAR"), write_month(9, "Sept"), write_month(1, "december"), write_month(2, "marzo")
    ('NOV', 'Sept', 'january', 'febrero')
    """
    low = like.lower()
    name = spanish.MONTHS[number - 1] if low in spanish.MONTH_NUMBERS else MONTHS[number - 1]
    if low in ABBREVIATED_MONTHS:
        name = name[:4] if low == "sept" and number in (6, 7, 9) else name[:3]
    return name.upper() if like.isupper() else name.lower() if like.islower() else name.capitalize()


def write_ordinal(number: int) -> str:
    """A number with its ordinal ending.

    >>> write_ordinal(1), write_ordinal(12), write_ordinal(23)
    ('1st', '12th', '23rd')
    """
    endings = {} if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{endings.get(number % 10, 'th')}"


def write_ordinal_like(number: int, like: str) -> str:
    """Write an ordinal in digits or in a word, with the capitals of ``like``.

    >>> write_ordinal_like(22, "3rd"), write_ordinal_like(2, "Third"), write_ordinal_like(1, "12TH")
    ('22nd', 'Second', '1ST')
    """
    name = write_ordinal(number) if like[0].isdigit() else ORDINALS[number - 1]
    return name.upper() if like[-2:].isupper() else name.capitalize() if like[0].isupper() else name


def takes_an(text: str) -> bool:
    """Whether "an" is written before a text and not "a".

    >>> [takes_an(text) for text in ("engineer", "Usher", "university teacher", "RN", "nurse")]
    [True, True, False, True, False]
    >>> [takes_an(text) for text in ("Utah", "UCLA", "Honolulu", "Ypsilanti", "8th", "81", "18", "118")]
    [False, False, False, True, True, True, True, False]
    """
    return AN_BEFORE.match(text) is not None


def find_articles(text: str, start: int = 0) -> Iterator[tuple[int, bool]]:
    """Yield where the word after an article begins, from ``start`` on, and whether the article is "an". An
    article that the word does not fit is left out.

    >>> [*find_articles("a nurse of an Ohio firm, a engineer")]
    [(2, False), (14, True)]
    """
    for match in ARTICLE.finditer(text, start):
        is_an = len(match[1]) > 0
        if takes_an(text[match.end() : match.end() + ARTICLE_LENGTH]) == is_an:
            yield match.end(), is_an


def has_an_before(text: str, at: int) -> bool:
    """Whether "an" is before ``text[at:]`` and fits it.

    >>> has_an_before("of an 8-year-old", 6), has_an_before("of a 7-year-old", 5)
    (True, False)
    """
    return next(find_articles(text, max(0, at - BEFORE)), None) == (at, True)


def find_holiday(name: str, year: int) -> date:
    """Return the day of a holiday in :data:`HOLIDAY_NAMES`.

    >>> find_holiday("thanksgiving", 2023), find_holiday("memorial day", 2024)
    (datetime.date(2023, 11, 23), datetime.date(2024, 5, 27))
    """
    if name in FIXED:
        return date(year, *FIXED[name])
    if name in EASTER:
        return find_easter(year) + timedelta(EASTER[name])
    weekday, *earliest = MOVABLE[name]
    first = date(year, *earliest)
    return first + timedelta((weekday - first.weekday()) % 7)


def find_easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar: the anonymous algorithm of Nature 13 (1876), p. 487, as in
    Meeus, Astronomical Algorithms (1991), chapter 8.

    >>> find_easter(2024)
    datetime.date(2024, 3, 31)
    """
    cycle, (century, rest) = year % 19, divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    leap_years, year_rest = divmod(rest, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * cycle + century - leap_centuries - correction + 15) % 30
    sunday = (32 + 2 * century_rest + 2 * leap_years - moon - year_rest) % 7
    late = (cycle + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
