"""The words of dates in English: months, weekdays, ordinals, and holidays with their days; the forms of
medicine that are not PHI; and the articles.

A month may also be written in Spanish. The days of feasts that follow the moon are right to a day or two,
since countries keep them by what they see of it, and a month off in a few years with a leap month.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from difflib import get_close_matches
from itertools import count
from math import floor, radians, sin

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
    "xmas day": (12, 25), "xmas eve": (12, 24), "boxing day": (12, 26), "st stephens day": (12, 26),
    "kwanzaa": (12, 26), "epiphany": (1, 6), "three kings day": (1, 6), "orthodox christmas": (1, 7),
    "lohri": (1, 13), "pongal": (1, 14), "australia day": (1, 26), "nowruz": (3, 20), "norooz": (3, 20),
    "songkran": (4, 13), "vaisakhi": (4, 13), "baisakhi": (4, 13), "anzac day": (4, 25), "canada day": (7, 1),
    "all saints day": (11, 1), "all souls day": (11, 2), "day of the dead": (11, 2),
    "guy fawkes night": (11, 5), "bonfire night": (11, 5), "remembrance day": (11, 11),
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
    "mardi gras": -47, "shrove tuesday": -47, "pancake day": -47, "mothering sunday": -21, "holy week": -7,
    "maundy thursday": -3, "holy saturday": -1, "ascension day": 39, "pentecost": 49, "whitsun": 49,
    "whit monday": 50, "corpus christi": 60, "ash wednesday": -46, "lent": -46, "palm sunday": -7,
    "good friday": -2, "easter saturday": -1, "easter sat": -1, "easter": 0, "easter sunday": 0,
    "easter sun": 0, "easter monday": 1, "easter mon": 1,
}  # fmt: skip
# days after the Hebrew new year in the autumn of the year
HEBREW = {
    "purim": -193, "passover": -163, "pesach": -163, "lag baomer": -130, "shavuot": -113, "tisha b'av": -51,
    "rosh hashanah": 0, "rosh hashana": 0, "yom kippur": 9, "sukkot": 14, "sukkos": 14, "simchat torah": 22,
    "simchas torah": 22, "hanukkah": 83, "hanukah": 83, "chanukah": 83,
}  # fmt: skip
# month and day of the Islamic year
ISLAMIC = {
    "muharram": (1, 1), "ashura": (1, 10), "mawlid": (3, 12), "milad un-nabi": (3, 12), "ramadan": (9, 1),
    "ramadhan": (9, 1), "ramazan": (9, 1), "laylat al-qadr": (9, 27), "eid-al-fitr": (10, 1), "eid": (10, 1),
    "eid-ul-fitr": (10, 1), "aidilfitri": (10, 1), "hari raya": (10, 1), "hari raya puasa": (10, 1),
    "eid-al-adha": (12, 10), "eid-ul-adha": (12, 10), "bakrid": (12, 10), "hari raya haji": (12, 10),
}  # fmt: skip
# whether the moon is full, days after it, and the month and day on which the feast is at the earliest
MOONS = {
    name: (is_full, days, month, day)
    for names, is_full, days, month, day in (
        ("chinese new year,lunar new year,cny,tet,tết,seollal,losar", False, 0, 1, 21),
        ("holi", True, 0.4, 3, 1),
        ("vesak,wesak,buddha purnima", True, 0, 4, 30),
        ("dragon boat festival", False, 4, 5, 28),
        ("raksha bandhan,rakhi", True, -0.3, 8, 2),
        ("janmashtami", True, 7.3, 8, 10),
        ("ganesh chaturthi", False, 3.5, 8, 21),
        ("mid-autumn festival,moon festival,chuseok", True, 0, 9, 9),
        ("navratri,navaratri", False, 0.5, 9, 17),
        ("durga puja", False, 6.5, 9, 23),
        ("dussehra,dasara", False, 9.5, 9, 26),
        ("diwali,deepavali,deepawali", False, -0.7, 10, 17),
        ("guru nanak jayanti", True, -0.3, 11, 1),
    )
    for name in names.split(",")
}
FASTS = frozenset(["lent", "holy week", "ramadan", "ramadhan", "ramazan"])  # of a week or some weeks
HOLIDAY_NAMES = (*FIXED, *MOVABLE, *EASTER, *HEBREW, *ISLAMIC, *MOONS)
NO_LETTERS = regex.compile(r"\P{L}+")
OTHER_CALENDARS = {NO_LETTERS.sub("", name): name for name in (*HEBREW, *ISLAMIC, *MOONS)}
LUNATION, NEW_MOON = 29.530588861, 730125.59766  # days; the ordinal of the mean new moon of January 2000
EAST = 7 / 24  # of a day: the clocks between India and China

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
NO_TITLE = r"(?<!\b(?:mr|ms|dr|mrs|miss|prof|pt|patient)\.?[ ])$"
GLEASON = (  # what follows the score
    r"(?:['’]s)?\s+(?:(?:[2-9]|10)(?=[ ,.;:()+=/]|\s|$)(?!\s*(?:y|m\b|f\b))|scores?|grades?|sum|patterns?)"
)
# As STAYS, of people.
PEOPLE: list[tuple[str, str, str, float]] = [
    (r"\d[ ]?$", r"[AP]\.?M\b\.?", "", ANY),
    ("", r"rm\.?", r"[ :#]*\d", ANY),
    ("", r"e", r"-?mail", ANY),
    (r"(?:^|[\n|;,])[ \t]*$", r"[tfpcmhw]", r":[ ]*\(?\d{3}\)?[ .-]?\d{3}", ANY),  # of a telephone
    (r"(?:(?<!\b(?:m[rs]s?|drs?|prof|st|\p{L}))[.!?]|^|\n)\s*$", r"an?", r"\s(?-i:\p{Ll}{3})", EVEN),
    (r"(?-i:\bMR )$", r"\w+graphy|imaging|spectroscopy", "", ANY),
    (  # R. africae
        r"(?:[(:]|\b(?:grew|growing|for|of|to|with|against))\s*$",
        r"(?-i:\p{Lu}\. \p{Ll}+(?:ae|ii|ius|icus|icum|eus|osa|icola|ensis|ans))",
        "",
        EVEN,
    ),
    ("", r"simpson", r"['’]s\s+(?:biplane|method|rule)", ANY),
    (NO_TITLE, r"bruce", r"\s+(?:protocol|treadmill|stage)", ANY),
    (NO_TITLE, r"gleason", GLEASON, ANY),
    (  # an eponym of two people
        NO_TITLE,
        r"(?:an? )?(?-i:\p{Lu}\p{L}+[-–]\p{Lu}\p{L}+)",
        r"(?:\s(?-i:\p{Ll}+))?\s+(?:spaces?|shunts?|catheters?|drain|tubes?|disease|syndrome|procedure|staging"
        r"|clamps?|retractors?|stains?|scale|score|classification|plates?|rods?)\b",
        ANY,
    ),
    ("", r"art", r"\s+therap", ANY),
    ("", r"max", r"\s+(?:temp|dose|assist|heart rate|hr|weight|inspir|likelihood)", ANY),
]
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
        (  # the sixth or seventh intercostal space
            "", r"(?:(?:and |or )?\w+(?:st|nd|rd|th)\b,? ?)+",
            r",?\s+(?:(?:and|or|to|through)\s+\w+(?:st|nd|rd|th)\s+)?"
            r"(?:intercostal|ribs?|interspace|metatarsals?|metacarpals?|cranial|ventricle|toes?|digits?)\b",
            ANY,
        ),
        ("", r"mid ?night", "", ANY),
        ("", r"\d{1,2}\+\d", "", ANY),  # weeks and days of a pregnancy
    ],
    "AGE": [(r"\b(?:karnofsky|kps|pps|barthel)\b[^.;\n]{0,24}$", r"\d{1,3}", r"(?!\s*-?(?:y|[mf]\b))", ANY)],
    "PROFESSION": [("", r"tailor", r"['’]?s?\s+bunion", ANY)],
    "STATE": [(r"(?<![,.])\s$", r"in", r"\s(?:19|20)\d\d\b", ANY), ("", r"m\.", r"\s(?:19|20)\d\d\b", ANY)],
    "ZIP": [(r"\b(?:cpt-?\d?|icd(?:-?\d+)?|code)\b[^\n]{0,12}\n?$", r"\d{5}", "", ANY)],
    "COUNTRY": [("", r"(?:African|Asian|Latin|Native)(?:[- ]American)?", "", EVEN),
                (r"(?:African|Asian|Latin|Native)[- ]$", "American", "", EVEN)],
    "HOSPITAL": [
        ("", r"(?:African|Asian|Latin|Native)[- ]American", "", EVEN),
        ("", r"(?:chair|bed)side", "", ANY),
        (r"\p{L},[ ]?$", r"[CS]T[1-8]|FY?[12]", "", EVEN),  # what a doctor trains for
    ],
    "PATIENT": PEOPLE,
    "DOCTOR": PEOPLE,
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
    """Return the day of a holiday in :data:`HOLIDAY_NAMES`: the first where a year has a feast twice.

    >>> find_holiday("thanksgiving", 2023), find_holiday("memorial day", 2024)
    (datetime.date(2023, 11, 23), datetime.date(2024, 5, 27))
    >>> find_holiday("diwali", 2023), find_holiday("eid alfitr", 2023), find_holiday("hanukkah", 2023)
    (datetime.date(2023, 11, 12), datetime.date(2023, 4, 22), datetime.date(2023, 12, 8))
    """
    if name in FIXED:
        return date(year, *FIXED[name])
    if name in EASTER:
        return find_easter(year) + timedelta(EASTER[name])
    if name in MOVABLE:
        weekday, *earliest = MOVABLE[name]
        first = date(year, *earliest)
        return first + timedelta((weekday - first.weekday()) % 7)
    name = OTHER_CALENDARS[NO_LETTERS.sub("", name)]
    if name in HEBREW:
        return date.fromordinal(find_hebrew_new_year(year) + HEBREW[name])
    return find_islamic(*ISLAMIC[name], year) if name in ISLAMIC else find_moon_feast(*MOONS[name], year)


def find_hebrew_new_year(year: int) -> int:
    """The ordinal of Rosh Hashanah in a year: Reingold and Dershowitz, Calendrical Calculations (2018), 8.1.

    >>> date.fromordinal(find_hebrew_new_year(2024))
    datetime.date(2024, 10, 3)
    """

    def count_days(hebrew: int) -> int:
        months = (235 * hebrew - 234) // 19
        days = 29 * months + (12_084 + 13_753 * months) // 25_920
        return days + ((3 * (days + 1)) % 7 < 3)

    before, now, after = map(count_days, range(year + 3760, year + 3763))
    return now - 1_373_427 + (2 if after - now == 356 else now - before == 382)


def find_islamic(month: int, day: int, year: int) -> date:
    """The first day of a year that has this month and day in the Islamic calendar of fixed months (same book,
    7.1)."""
    for islamic in count((year - 623) * 33 // 32):
        found = day + 29 * (month - 1) + month // 2 + (islamic - 1) * 354 + (3 + 11 * islamic) // 30 + 227_014
        if found >= date(year, 1, 1).toordinal():
            return date.fromordinal(found)
    raise AssertionError


def find_moon_feast(is_full: bool, days: float, month: int, day: int, year: int) -> date:
    """The first day from a month and day on that is ``days`` after a new moon, or a full one."""
    earliest = date(year, month, day).toordinal()
    for number in count(floor((earliest - days - NEW_MOON) / LUNATION) - 1):
        found = floor(find_moon(number + is_full / 2) + EAST + days)
        if found >= earliest:
            return date.fromordinal(found)
    raise AssertionError


def find_moon(number: float) -> float:
    """The ordinal, with the time of day, of a new moon by its number from January 2000; with a half that of
    the full moon after it. The largest terms of Meeus, Astronomical Algorithms (1991), chapter 47: to an
    hour."""
    sun, moon = radians(2.5534 + 29.1053567 * number), radians(201.5643 + 385.81693528 * number)
    return NEW_MOON + LUNATION * number - 0.407 * sin(moon) + 0.173 * sin(sun)


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
