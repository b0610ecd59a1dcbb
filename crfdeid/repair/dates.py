"""Forms for dates: words and times beside them, two dates in one span, and numbers that are not dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from crfdeid.lexicon.english import MONTHS, WEEKDAYS
from crfdeid.lexicon.names import CAPITALIZED_TITLES
from crfdeid.repair.spans import NAMES, Context, Spans, cut, join_neighbours, late, move_edges, search_tail
from crfdeid.text.document import Range, Span

REACH = 24  # characters before a date in which a form looks for what announces it
LINE = 60  # characters before an acuity in which a form looks for the eyes

# Words and times beside a date.
DATE_WORDS = r"(?:on|in|at|from|since|until|through|by|to|and|or|with|for|was|is|seen|dated|who|when)"
CLOCK_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?"
TIME = rf"(?:[ \t]?@[ \t]*(?:{CLOCK_TIME}|\d{{4}})|[\s,]+(?:at\s+)?{CLOCK_TIME})"
ORDINAL_WORD = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|(?:twenty|thirty)[ -]?\w+(?:st|nd|rd|th)|\w+(?:first|second|th|ieth)|first|"
    r"second|third|\w*ties|\d{2,4}s)\b(?!\s+(?:day|week|month|time|one|person|attempt))"
)
DATE_BEFORE = late(
    rf"(?:{DATE_WORDS}\s+)*the\s+(?={ORDINAL_WORD})|(?:{DATE_WORDS}\s+)+|"
    r"\d{1,2}\.[ \t]+(?=\d{1,2}[/.-]\d)|(?:D|T|DD|DT|TD)[:\s]\s*(?=\d)",
    re.IGNORECASE,
)
DATE_AFTER = late(rf"(?:\s+{DATE_WORDS}|{TIME}|(?<!Year)(?<!Years)['’]s)+$", re.IGNORECASE)
PART_BEFORE = late(r"(?i:(?:the\s+)?(?:end|start|beginning|middle|(?:first|last)\s+week)\s+of\s+)(?=\w)")

MONTH = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|Sept)\b\.?"
WEEKDAY = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in WEEKDAYS)}|Tues|Weds|Thurs?)\b\.?"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
YEAR = r"(?:(?:19|20)\d{2}|['’]\d{2})"
NUMERIC = r"(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2})"
NAMED = rf"(?:{DAY}[ -]?{MONTH}|{MONTH}[ ]?{DAY})(?:,?[ -]?(?:\d{{4}}|['’]?\d{{2}}))?"
MONTH_OF_YEAR = rf"{MONTH}(?:[ -]{YEAR})?"
WHOLE = rf"(?:{WEEKDAY},?[ ])?(?:{NUMERIC}|{NAMED})(?!\w)"
DATE_PARTS = (
    *MONTHS,
    *WEEKDAYS,
    *(name[:3] for name in (*MONTHS, *WEEKDAYS)),
    "sept",
    "tues",
    "weds",
    "thurs?",
)
FEASTS = (
    "hallowe['’]?en|michaelmas|candlemas|martinmas|lammas|whitsun|hogmanay|juneteenth|christmas|easter|pentecost|"
    "epiphany|ascension|advent|lent|thanksgiving|passover|purim|hanukkah|diwali|holi|eid|ramadan|nowruz|vesak|"
    "chuseok|songkran"
)
OF_DATES = f"spring|summer|autumn|fall|winter|x?mas|{FEASTS}|new|year|eve|day|mid|early|late|the|term|season"
NOT_DATE = rf"(?!(?i:{'|'.join(DATE_PARTS)}|{OF_DATES})\b)"
CORE = rf"(?:{WHOLE}|{YEAR}|{MONTH_OF_YEAR})\Z"
SIGN = "[0-9OoIl]"  # what a scan makes of a digit
SMALL_BEFORE = late(  # baby Oct, R 2004, not l3 Oct
    rf"(?:{NOT_DATE}(?!{SIGN}{{1,2}}[ ])(?:[^\W\d_A-Z][\w'’.]*|[A-Z])[ ]){{1,3}}(?={CORE})"
)
NAME_BEFORE = late(
    rf"({NOT_DATE}[A-Z][\w'’-]+(?:[ ]{NOT_DATE}[A-Z][\w'’-]+)?)[ ](?={CORE})"
)  # Roth 30.11.1990
TWO_DATES = late(rf"({WHOLE})(?:[ ]?[–—-][ ]|[ ]?[–—][ ]?|,[ ]|[ ]?;[ ])({WHOLE})")
TWO_DAYS = late(r"(\d{1,2}/\d{1,2}(?:/\d{2,4})?)[ ]?[–—-][ ]?(\d{1,2}/\d{1,2}(?:/\d{2,4})?)\Z")  # 4/13-4/15
OF_YEAR = rf"(?:{MONTH}[ ])?{YEAR}"
TWO_YEARS = late(  # "1955-1971" is one span
    rf"({OF_YEAR})(?:[ ](?:[–—-]|to|until)[ ]|[–—])({OF_YEAR})\Z", re.IGNORECASE
)
YEARS = late(YEAR)
WEEKDAY_GAP = late(r",?[ ](?:the[ ])?", re.IGNORECASE)
OF_WEEKDAY = late(WEEKDAY, re.IGNORECASE)
FEAST = late(FEASTS, re.IGNORECASE)
OF_FEAST = late(r"(?:['’]?s[ ])?(?:Day|day|Eve|eve)\b(?:[ ]weekend)?(?:,?[ ]\d{4})?")  # St. Joseph's Day
CAPITALISED = late(r"(?:St\.?[ ]|Saint[ ])?[A-Z][\w’'-]+(?:[ ][A-Z][\w’'-]+)?")
BESIDE = late(r"[ ]?")
OF_DAY = late(
    rf"(?:{NUMERIC}|{NAMED}|\d{{1,2}}[/.-]\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})(?!\w).*",
    re.IGNORECASE,
)
SCANNED = late(  # 3O/4/8O, l3 Feb, 22-Nov-l937
    rf"(?<![\w/.-])(?:(?P<days>{SIGN}{{1,2}}([/.-]){SIGN}{{1,2}}\2{SIGN}{{2,4}})"
    rf"|(?P<day>{SIGN}{{1,2}})[ -]?{MONTH}(?:[ -](?P<year>[12Il]{SIGN}{{3}}|{SIGN}{{2}}))?)(?!\w)(?<!\.)"
)
DAYS_AFTER = late(  # of "Aug 6", where ", 7 and 8" follows
    r"((?:, ?\d{1,2}(?:st|nd|rd|th)?)*,? (?:and|&|or) \d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d\b)?)"
    r"(?=[.,;:)](?!\d)|[ ]?[–—-][ ]|[\r\n]|\Z| ?\(| (?:he|she|they|was|were|with|for|at|in|on|to|but|and|due"
    r"|by|of|when|as|which|because|after|before|while)\b)"
)
LAST_NUMBER = late(rf"{MONTH}[ ]?(\d{{1,2}})(?:st|nd|rd|th)?\Z", re.IGNORECASE)
SHORT_NUMBER = late(r"(?<!\d)\d{1,2}(?!\d)")
LETTERS = late("[OoIl]")
HOUR_AFTER = late(r"(?<=\w)[\s,–—@-]+\d{1,2}\Z")  # of "6 Dec 11", where ":02" follows
HOUR_NEXT = late(r":[0-5]\d|\+[0-6](?!\d)|[ ]?[ap]\.?m\b")
NUMBER_AFTER = late(r"(?<=[^\W\d_])\.?[ \t]+\d{1,3}\Z")  # of "Feb 47", where ".1" follows
DECIMALS = late(r"[.,]\d")

SURNAME_FEAST = late("Christmas|Easter|Pentecost|Lent|Holi|Noel|Halloween")
NOT_SURNAME = late(
    r"(?i:['’]s|[ ](?:day|eve|morning|night|week|weekend|dinner|break|holiday|time|party|19|20))"
)
INITIAL, ONE_WORD = late(r"[A-Z]\."), late(r"[A-Z][a-z]+")
TITLE_BEFORE = late(rf"\b(?:{CAPITALIZED_TITLES}|Nurse|Sister)\.? \Z")

# Numbers that are not dates.
CLOCK = late(r"(?:[01]\d|2[0-3])[0-5]\d")
HOUR = late(r"0\d[0-5]\d|1[0-7][0-5]\d")  # of the day; notes of corpora have years up to 2200
TIME_BEFORE = late(r"(?i:(?<!last )(?<!first )(?<!this )(?<!that )\btime):?[ \t]*\Z")
HOURS = late(
    r"(?i:(?:(?:time|at|@)\s*)?(?:[01]?\d|2[0-3])(?::[0-5]\d|h[0-5]\d|[0-5]\d\s?(?:h|hrs?)|h)"
    r"|time\s+\d{1,2}[.:]\d{2}(?:\s?[–-]\s?\d{1,2}[.:]\d{2})?)"
)
CLOCKS = late(r"(?<![\w.:/,$#-])(?:0\d|1[0-7]|2[1-3])[0-5]\d(?![\w.:/]|-\d{3}\b)")  # times that are not years
ENOUGH = 3  # times of a note that writes them as four digits, or as 7.45
CLOCK_BEFORE = late(
    r"(?:\A|[\r\n][ \t*•>]*|[~@→][ \t]?|(?i:\b(?:at|approx|by|til|till))[ \t]|\b\d{4}[ \t]?[-–→/][ \t]?)\Z"
)
CLOCK_AFTER = late(r"[ \t]?[-–→][ \t]?(?:[01]\d|2[0-3])[0-5]\d\b")
STOPPED = late(r"([01]?\d|2[0-3])\.([0-5]\d)")  # 7.45
LINE_TIMES = late(r"(?m)^[ \t]*(?:[01]?\d|2[0-3])\.([0-5]\d)(?=[ \t])")
LINE_BEFORE = late(r"(?:\A|[\r\n])[ \t]*\Z")
HALF_DAY = late(r" ?[ap]\.?m\b", re.IGNORECASE)
LAST_DAY = 31
RATIO = late(r"(\d{1,2})(?:[-–]\d{1,2})?[ ]?/[ ]?(\d{1,2})")
GRADES = late(r"\d{1,2}[/–-]\d{1,2}[/–-]\d")  # a note on three scores: the year of a date has two digits
WEEKS, MONTHS_OF_YEAR = 52, 12
DATE_GOES_ON = late(r"[/.-]\w")
BRITISH = late(  # a note that writes durations as n/7, n/52, n/12
    r"\d/52\b|\b(?:TDS|QDS|BD|tds|qds|bd|b\.d\.)(?!\w)|(?<![^\W_])[xX×] ?\d{1,2}/(?:7|12)\b"
    r"|\d/(?:7|12) (?i:ago|hx|history|pregnant|old|later|course|supply|script|more)\b"
)
DAY_CUE = late(
    r"(?i:\b(?:on|since|from|dated?|by|until|till|due|born|died|of|the|d\.?o\.?b\.?|MRI|CT|CXR|XR|USS|echo|scan"
    rf"|bloods|{WEEKDAY})):?[ \t]+\Z"
)
HOUR_BESIDE = late(r" (?:(?:at|@) ?)?\d{1,2}[:.]\d\d(?!\d)")
DAYS_OR_MONTHS = late(r"(?:[1-9]|10|14)(?:[–-]\d{1,2})? ?/ ?7|(?:[1-9]|1[0-2])(?:[–-]\d{1,2})? ?/ ?12")
SCALES = (  # scales and scores that are written n/m
    r"ACT|AIMS|AMTS?|APACHE|ASA|AUDIT(?:-C)?|Abbey|Allred|Apgars?|APGARS?|BADL|BPI|BPP|Barthel|Beighton|Berg|Borg|"
    r"Braden|Bristol|C-?SSRS|CAGE|CAM(?:-ICU)?|CES-D|CFS|CGI|CIWA(?:-Ar)?|CPOT|CURB(?:-65)?|Child-Pugh|Constant|"
    r"DAS28|DLQI|DMS|ECOG|EDSS|EPDS|ESAS|FAST|FIM|FLACC|FOUR|Fazekas|GAD-?[27]?|GAF|GCS|GDS|Gleason|GMFCS|"
    r"HADS?|HAM-D|HOOS|Harris|IADL|IIEF|IPSS|ISS|K10|KOOS|Katz|LEFS|Lawton|MADRS|MELD|MMSE|MMT|MRC|MSQ|MTA|MUST|"
    r"Mayo|Mini-?Cog|MoCA|MOCA|mJOA|mRS|NEWS2?|NIHSS|NRS|Norton|Nurick|OHS|OKS|Oswestry|Oxford|PASI|PC-PTSD(?:-5)?|"
    r"PCL-5|PEWS|PHQ-?[289]?|PPS|PSQI|pain|Pain|power|Power|RASS|Ranson|Rockall|Rivermead|SF-36|SLUMS|SOFA|"
    r"SpO2|TUG|VAS|Waterlow|WOMAC|Wells|Y-BOCS|reflexes|strength|Strength|murmur|SEM|PSM|grade|score|scored|Score|"
    r"ER|PR|VA|vision|nodes|MEWS|Downes|Silverman|Finnegan|Pediatric Glasgow|6-?CIT|ADL|ADLs|CDR|dose|doses"
)
SCALE_BEFORE = late(
    rf"\b(?:{SCALES})(?:[ \t]*\([^()\n]{{1,12}}\))?(?:[ \t]+(?:score|of|was|is|at|now|today))?[:=]?[ \t]*\Z"
)
SPINE_BEFORE = late(r"(?<![^\W_])[CTLS]\Z")  # C5/6, L4/5
ACUITY = late(r"6 ?/ ?(?:4|5|6|9|12|18|24|36|60)|[1-5] ?/ ?60")
EYES = late(r"\b(?:VA|BCVA|UCVA|Snellen|acuity|acuities|OD|OS|[RL]E)\b")
ORDINAL = late(r"\d{1,2}(?:[–-]\d{1,2})?(?i:st|nd|rd|th)")
NOT_DAY_AFTER = late(
    r"[ \t]*(?i:%?ile\b|(?:per)?centile|ed\b|edition|floor|grade|attempt|toe|finger|rib|digit|ray|mt\b|mc\b|"
    r"nerve|cn\b|ics\b|intercostal|generation|degree|trimester|stage|line|dose|ventricle|meta(?:tars|carp)al|cousin|child|"
    r"pregnancy|time\b(?![:.]?[ ]*\d)|hour\b|period\b|cert\b|ass(?:is)?t\b|pod\b|gr\b)"
)
DURATION_BEFORE = late(r"(?<![^\W_])[xX×] ?\Z")  # x 3/7
PAGE_BEFORE = late(r"\b(?i:pg|page|sheet)[.:]? ?\Z")
WHO = (  # sat
    r"(?:\b(?i:he|she|they|we|i|who|has|have|had|having|father|mother|mum|mom|dad|wife|husband|son|daughter|patient)"
    r"|(?<![^\W_])(?!(?:Fri|On|This|Last|Next|Every|Since|From|Till?|Until|By|For)\b)[A-Z][a-z’'-]+) "
)
WHERE = (
    r" (?i:with (?:him|her|them|us|me)|beside|next to|up (?:in|on|and)"
    r"|(?:by|on|in|at) (?:the|a|his|her|my|their)(?! (?:morning|afternoon|evening|weekend)))\b"
)
NOT_DATES = (
    Context("(?i:sats?) (?:3[2-9]|[4-9]\\d|100)%?", after=r"(?![ ]?(?:m?c?g|ml|units?)\b)"),
    Context(
        "(?i:sats?)", after=r" (?:(?i:was|is|of|were|now) )?(?:[4-9]\d|100)(?!\d)(?! ?(?:m?c?g|ml|units?)\b)"
    ),
    Context("sat|SAT", after=r" (?i:down)\b"),
    Context("sat|SAT", before=WHO, after=WHERE),
    Context("(?i:sat)", after=r" (?i:sh?ri aka?al)\b"),
    Context("sun|SUN", before=r"\b(?i:the|hot) ", after=r"\s*(?:[.,;)!?]|\Z)"),
    Context("MAR", before=r"\b(?i:the|e)[ -]", after=r"(?![ .]?\d)"),  # a chart of medicines
    Context("(?i:christmas)", after=r" (?i:disease|factor)\b"),
    Context(r"\d{1,2}", before=r"(?<![^\s(,:;])[A-Z]|\b(?i:year|yr|grade) "),  # V10, Year 10
    Context(r"\d\d?-\d\d", before=r"(?<![^\s(,:;])\."),  # .30-06
    Context(r"\d{1,2} ?[–-] ?\d{1,2}", before=r"\b(?i:timings?|opening hours):?[ \t]*"),
    Context(r"\d{1,2}(?:/\d{1,2}){3,}|\d{1,3} ?(?:m?c?g|kg|ml|cm|mm)"),
    Context("(?i:(?:[a-z]+[ -])?(?:[a-z]+th|first|second|third))", after=r" (?i:(?:per)?centile)\b"),
    Context(  # times in a list
        r"(?:[01]?\d|2[0-3])\.[0-5]\d",
        after=r"(?:, \d{1,2}\.[0-5]\d)*, \d{1,2}\.(?:3[2-9]|[45]\d)(?![\d.])",
    ),
)

NOT_DATE_VALUES = late("|".join(context.form for context in NOT_DATES))


def trim_date_words(text: str, spans: Sequence[Span]) -> Spans:
    """Words or a time beside a date are not part of it, nor "end of" before a month, nor the hours of a time,
    the weeks of a pregnancy or a number with decimals that go on behind it."""
    for span in spans:
        if span.type == "DATE":
            value = text[span.start : span.end]
            before = DATE_BEFORE.match(value) or PART_BEFORE.match(value) or SMALL_BEFORE.match(value)
            after = search_tail(DATE_AFTER, value)
            if not after and HOUR_NEXT.match(text, span.end):
                after = search_tail(HOUR_AFTER, value)
            elif not after and DECIMALS.match(text, span.end):
                after = search_tail(NUMBER_AFTER, value)
            yield from cut(span, text, before, after)
        else:
            yield span


def widen_scans(text: str, spans: Sequence[Span]) -> Spans:
    """What a scan wrote with letters for digits is part of the date: l3 Feb, 22-Nov-l937, 3O/4/8O."""

    def find_edges(span: Span) -> Range | None:
        if span.type != "DATE":
            return None
        for found in SCANNED.finditer(text, max(0, span.start - REACH), span.end + REACH):
            is_scan = LETTERS.search("".join(filter(None, found.group("days", "day", "year"))))
            if is_scan and found.start() < span.end and span.start < found.end():
                return found.span()
        return None

    return move_edges(text, spans, find_edges)


def widen_lists(text: str, spans: Sequence[Span]) -> Spans:
    """The later days of the same month in a list are part of the date: "Aug 6, 7 and 8"."""

    def find_edges(span: Span) -> Range | None:
        found = DAYS_AFTER.match(text, span.end) if span.type == "DATE" else None
        first = LAST_NUMBER.search(text, span.start, span.end) if found else None
        if not (found and first):
            return None
        days = [int(day) for day in (first[1], *SHORT_NUMBER.findall(found[1]))]
        is_rising = all(one < other for one, other in pairwise(days)) and days[-1] <= LAST_DAY
        return (span.start, found.end(1)) if is_rising else None

    return move_edges(text, spans, find_edges)


def split_name_and_date(text: str, spans: Sequence[Span]) -> Spans:
    """Words with a capital before a whole date, a month or a year are a name beside it."""
    for span in spans:
        match = NAME_BEFORE.match(text, span.start, span.end) if span.type == "DATE" else None
        if match:
            yield replace(span, end=match.end(1), type="PATIENT")
            yield replace(span, start=match.end())
        else:
            yield span


def split_dates(text: str, spans: Sequence[Span]) -> Spans:
    """The two ends of a period are two dates, also two dates in a list and two years."""
    for span in spans:
        while span.type == "DATE" and (
            match := TWO_DATES.match(text, span.start, span.end)
            or TWO_DAYS.match(text, span.start, span.end)
            or TWO_YEARS.match(text, span.start, span.end)
        ):
            yield replace(span, end=match.end(1))
            span = replace(span, start=match.start(2))
        yield span


def join_weekdays(text: str, spans: Sequence[Span]) -> Spans:
    """A weekday and the day beside it are one date."""

    def find_type(first: Span, second: Span) -> str | None:
        if not (first.type == second.type == "DATE" and WEEKDAY_GAP.fullmatch(text, first.end, second.start)):
            return None
        pairs = (first, second), (second, first)
        return first.type if any(_is_weekday_of(text, *pair) for pair in pairs) else None

    return join_neighbours(spans, find_type)


def join_feasts(text: str, spans: Sequence[Span]) -> Spans:
    """A feast and its year, and the name of a feast before "Day", are one date."""

    def find_type(first: Span, second: Span) -> str | None:
        if second.type != "DATE" or not BESIDE.fullmatch(text, first.end, second.start):
            return None
        of_year = FEAST.fullmatch(text, first.start, first.end) and YEARS.fullmatch(
            text, second.start, second.end
        )
        of_day = OF_FEAST.fullmatch(text, second.start, second.end) and CAPITALISED.fullmatch(
            text, first.start, first.end
        )
        return "DATE" if of_year or of_day else None

    return join_neighbours(spans, find_type)


def join_feast_names(text: str, spans: Sequence[Span]) -> Spans:
    """A feast behind an initial, or behind a first name with a title, is the surname: "Dr. Ana Christmas"."""

    def find_type(first: Span, second: Span) -> str | None:
        if first.type not in NAMES or second.type != "DATE" or second.start != first.end + 1:
            return None
        is_name = SURNAME_FEAST.fullmatch(text, second.start, second.end) and not NOT_SURNAME.match(
            text, second.end
        )
        is_first = INITIAL.fullmatch(text, first.start, first.end) or (
            ONE_WORD.fullmatch(text, first.start, first.end)
            and TITLE_BEFORE.search(text, max(0, first.start - REACH), first.start)
        )
        return first.type if is_name and is_first else None

    return join_neighbours(spans, find_type)


def _is_weekday_of(text: str, weekday: Span, day: Span) -> bool:
    return bool(
        OF_WEEKDAY.fullmatch(text, weekday.start, weekday.end) and OF_DAY.fullmatch(text, day.start, day.end)
    )


def drop_dates(text: str, spans: Sequence[Span]) -> Spans:
    """A time, a duration, a score, levels of the spine, a ratio that no calendar has, an ordinal before what
    it counts, the saturation and the verb "sat" are not dates."""
    kept = [span for span in spans if not (_is_time(text, span) or _is_noted_time(text, span))]
    kept = [span for span in kept if not _is_other_word(text, span)]
    ratios = {span: found for span in kept if (found := _read_ratio(text, span))}
    if not ratios:
        return kept
    is_british = BRITISH.search(text) is not None
    return [
        span
        for span in kept
        if span not in ratios
        or not (
            _is_duration(text, span, ratios[span], is_british)
            or _is_score(text, span)
            or _is_acuity(text, span)
        )
    ]


def _read_ratio(text: str, span: Span) -> tuple[int, int] | None:
    """Return the two numbers of a date that has no more, such as 3/7."""
    found = RATIO.fullmatch(text, span.start, span.end) if span.type == "DATE" else None
    return (int(found[1]), int(found[2])) if found and not DATE_GOES_ON.match(text, span.end) else None


def _is_duration(text: str, span: Span, ratio: tuple[int, int], is_british: bool) -> bool:
    """Whether the ratio is not a date: 34/40 has no month, 2/52 are two weeks, and 3/7 are three days in a
    note that writes durations so, except behind a word that announces a day."""
    first, second = ratio
    if second == WEEKS or not (first and second):
        return True
    if min(first, second) > MONTHS_OF_YEAR and second != first + 1:  # 95/96 is a winter
        return True
    if not DAYS_OR_MONTHS.fullmatch(text, span.start, span.end):
        return False
    if DURATION_BEFORE.search(text, max(0, span.start - REACH), span.start):
        return True
    if not is_british or HOUR_BESIDE.match(text, span.end):
        return False
    return not DAY_CUE.search(text, max(0, span.start - REACH), span.start)


def _is_score(text: str, span: Span) -> bool:
    before = max(0, span.start - REACH)
    return bool(
        SCALE_BEFORE.search(text, before, span.start)
        or SPINE_BEFORE.search(text, before, span.start)
        or PAGE_BEFORE.search(text, before, span.start)
    )


def _is_acuity(text: str, span: Span) -> bool:
    before = max(0, span.start - LINE)
    return bool(
        ACUITY.fullmatch(text, span.start, span.end)
        and EYES.search(text, before, span.end + REACH)
        and not DAY_CUE.search(text, before, span.start)
    )


def _is_other_word(text: str, span: Span) -> bool:
    """Whether a date is one of :data:`NOT_DATES`. Few dates have their values, which are asked first."""
    if span.type != "DATE" or not NOT_DATE_VALUES.fullmatch(text, span.start, span.end):
        return False
    return any(context.matches(text, span) for context in NOT_DATES)


def _is_time(text: str, span: Span) -> bool:
    if span.type not in ("STREET", "DATE"):
        return False
    is_clock = CLOCK.fullmatch(text, span.start, span.end)
    if is_clock and TIME_BEFORE.search(text, max(0, span.start - REACH), span.start):
        return True
    if span.type != "DATE":
        return False
    if HOUR.fullmatch(text, span.start, span.end):
        return True
    if ORDINAL.fullmatch(text, span.start, span.end):
        return NOT_DAY_AFTER.match(text, span.end) is not None
    value = text[span.start : span.end]
    return bool(HOURS.fullmatch(value) or GRADES.fullmatch(value)) and not DATE_GOES_ON.match(text, span.end)


def _is_noted_time(text: str, span: Span) -> bool:
    """Whether a date is the time of an entry in a note that has many: "2030" beside 0715 and 1140, "9.05"
    where another line begins with 7.45."""
    if span.type != "DATE":
        return False
    before = max(0, span.start - REACH)
    if CLOCK.fullmatch(text, span.start, span.end):
        is_entry = CLOCK_BEFORE.search(text, before, span.start) or CLOCK_AFTER.match(text, span.end)
        return bool(is_entry) and len(set(CLOCKS.findall(text))) >= ENOUGH
    found = STOPPED.fullmatch(text, span.start, span.end)
    if not found or DATE_GOES_ON.match(text, span.end):
        return False
    if int(found[2]) > LAST_DAY or HALF_DAY.match(text, span.end):
        return True
    if not LINE_BEFORE.search(text, before, span.start):
        return False
    minutes = LINE_TIMES.findall(text)
    return len(minutes) >= ENOUGH and any(int(minute) > LAST_DAY for minute in minutes)
