"""Dates: Tafvizi 2011, section 2.5.2 and table 2.2; Douglass 2005, section 5.1.3."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.lists import Lists
from crfdeid.rules.rule import Edges, Note, at_numbers, at_words, rule

TABLE = "Tafvizi 2011, table 2.2"
DOUGLASS = "Douglass 2005, section 5.1.3"

MONTHS = {
    name: number
    for number, names in enumerate(
        """january jan;february feb;march mar;april apr;may;june jun;july jul;august aug;september sep sept
        ;october oct;november nov;december dec""".split(";"), 1
    )
    for name in names.split()
}  # fmt: skip
MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
WORDY = frozenset(["may", "march", "mar", "jan", "dec", "apr", "sep", "jun", "aug"])  # words, names, abbreviations too
DAY, YEAR = r"(?P<day>3[01]|[12]\d|0?[1-9])", r"(?P<year>(?:1[89]|2[01])\d\d|['’]?\d\d)"
FREE = r"(?<![\d][/.-])(?<![./-])"  # where a date may begin
END = r"(?![\d])(?![/.-]\d)"
LONGEST_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

# What makes a/b a measurement: before it, and behind it.
MEASURED = re.compile(
    r"(?:\b(?:bp|blood pressure|strength|grade|scale|pain|pulses?|reflexes|dtrs?|murmur|stage|score|apgars?|gcs|rated?|motor"
    r"|power|vision|va|od|os|ou|level|ratio|every|q|x|age|ages|times|peep|ips|vent|psv|simv|cpap|bipap|insulin|position"
    r"|sensation|dose|take|tab|about|approximately|nearly|over|the|trop|edema|grip|triceps|biceps|deltoids?|quads?"
    r"|dp|pt|op|gag|ros|i/?o|jvp|a/?o|alert|oriented|clock|mm|for|only|left|right|lower|upper|with)[ :=of]*|[><=±~+*#%$(][ ]?)$",
    re.IGNORECASE,
)
UNIT = re.compile(
    r"[ -]?(?:strength|tab|tabs|tablets?|pills?|caps?|mg|mcg|ml|cc|units?|hours?|hrs?|days?|weeks?|wks?|months?|years?|yrs?|murmur"
    r"|systolic|sem|hsm|diastolic|pain|of the|pack|ppd|inch|in\b|cm|mm|ft|dose|scale|motor|throughout|bilaterally|b/l|beers?|drinks?"
    r"|percent|%|[+]|x\b|amp|ns\b|nodes?|lymph|positive|vessels?|lobes?|sutures?|to\b|reps?|nsr|lpm|liters?|l\b|g\b|kg|lbs?|edema|in\b"
    r"|a\b|way|cup|bottle|strips?|visits?|sets?|trials?|normal|sided?|ventilation|peep|rll|lll)",
    re.IGNORECASE,
)
ON = re.compile(
    r"\b(?:on|since|from|until|till|dated?|by|through|thru|of|before|after|as of|in|to|starting|started|last|due|seen|admitted|labs?"
    r"|ct|mri|cxr|echo|ekg|ecg|exam|visit|dob|d|t|done|obtained|performed|drawn|and|next|appt|appointment|post|surgery|admission)[ :]*$",
    re.IGNORECASE,
)
# Words for what happened to a patient: beside these a year alone is a date.
EVENTS = frozenset(
    """surgery resection transplant transplantation cabg pci stent stents mi stroke cva tia infarction appendectomy
    cholecystectomy hysterectomy mastectomy lumpectomy tonsillectomy thyroidectomy nephrectomy colectomy laminectomy
    fusion replacement tkr thr arthroplasty arthroscopy repair bypass catheterization cath angioplasty ablation
    pacemaker icd biopsy diagnosed diagnosis dx chemotherapy chemo radiation xrt fracture injury accident mva
    delivery cesarean section amputation hospitalized hospitalization admission admitted colonoscopy endoscopy
    egd echo echocardiogram mri ct dialysis pneumonia cancer lymphoma leukemia melanoma carcinoma excision
    procedure operation implant implanted placed removed removal ligation tubal hernia cataract dvt pe quit
    retired born married divorced died graduated immigrated treated tah bso turp orif avr mvr ppm""".split()
)
NEAR = 6  # words between a year and its event
SINCE = frozenset("in since until till before after around circa early late mid during from year summer fall winter spring ca".split())
WEEKDAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays mon tue tues wed weds thu thur thurs fri""".split()
)
SEASONS = frozenset("spring summer fall autumn winter".split())
HOLIDAYS = re.compile(
    r"(?:christmas(?: eve| day)?|xmas|easter|thanksgiving(?: day)?|halloween|hanukkah|chanukah|passover|yom kippur|rosh hashanah"
    r"|ramadan|new year(?:['’]?s)?(?: eve| day)?|valentine['’]?s day|mother['’]?s day|father['’]?s day|memorial day|labor day"
    r"|veterans day|independence day|fourth of july|columbus day|st\.? patrick['’]?s day|presidents['’]? day|mlk day|good friday"
    r"|mardi gras|cinco de mayo|diwali|groundhog day|election day|patriots['’]? day)\b",
    re.IGNORECASE,
)
HOLIDAY_WORDS = frozenset(
    """christmas xmas easter thanksgiving halloween hanukkah chanukah passover yom rosh ramadan new valentine mother father
    memorial labor veterans independence fourth columbus st presidents mlk good mardi cinco diwali groundhog election
    patriots""".split()
)


def day_of_month(match: re.Match[str], note: Note) -> bool:
    """Whether month, day and year, as far as the pattern has them, make a date of this note."""
    said = match.groupdict()
    month = said.get("month")
    number = (MONTHS.get(month.lower()) or int(month)) if month else 1
    day = int(said.get("day") or 1)
    return day <= LONGEST_MONTH[number - 1] and plausible_year(said.get("year"), note)


def plausible_year(year: str | None, note: Note) -> bool:
    """Two digits can be a year of any century."""
    return year is None or len(digits := year.lstrip("'’")) == 2 or note.plausible(int(digits))


def numeric(name: str, about: str, pattern: str) -> object:
    return at_numbers(name, "DATE", TABLE, about, FREE + pattern + END, day_of_month)


MM, SEPARATOR = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<s>[/.-])"
date_mdy = numeric("date_mdy", "mm/dd/(yy)yy, with / - or full stops.", rf"{MM}{SEPARATOR}{DAY}(?P=s){YEAR}")
date_dmy = numeric("date_dmy", "dd/mm/(yy)yy.", rf"{DAY}{SEPARATOR}{MM}(?P=s){YEAR}")
date_ydm = numeric("date_ydm", "(yy)yy/dd/mm.", rf"{YEAR}{SEPARATOR}{DAY}(?P=s){MM}")
date_ymd = numeric("date_ymd", "(yy)yy/mm/dd.", rf"{YEAR}{SEPARATOR}{MM}(?P=s){DAY}")
compact_date = at_numbers(
    "compact_date", "DATE", "ours", "Eight digits that are year, month and day.",
    r"(?<![\w.-])(?P<year>(?:19|2[01])\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?![\d-])", day_of_month,
)  # fmt: skip


def no_measurement(match: re.Match[str], note: Note) -> bool:
    """a/b is a date where a word says so, or where nothing beside it makes it a measurement."""
    before = note.text[max(0, match.start() - 20) : match.start()]
    if not day_of_month(match, note) or UNIT.match(note.text, match.end()):
        return False
    if ON.search(before) or match[0].startswith("0"):
        return not match["day"] == "10" or match[0].startswith("0") or bool(re.search(r"\b(on|since|until|dated)[ :]*$", before))
    return not MEASURED.search(before) and int(match["day"]) not in (2, 3, 4, 5, 6, 10)


month_and_day = at_numbers(
    "month_and_day", "DATE", f"{DOUGLASS} (Month/Day)",
    "mm/dd, or mm-dd after a word for it, that is no score, fraction, dose or pressure.",
    rf"(?<![\d][/.:-])(?<![./\\-]){MM}(?P<s>/){DAY}(?!\d)(?![/.-]\d)(?!/\w)", no_measurement,
)  # fmt: skip
month_and_year = at_numbers(
    "month_and_year", "DATE", f"{DOUGLASS} (Month/Year)", "mm/yyyy; mm/yy where yy can be no day.",
    rf"{FREE}{MM}[/-](?P<year>(?:1[89]|2[01])\d\d|3[2-9]|[4-9]\d|0\d)(?!\d)(?![/.%-]\d?)",
    lambda match, note: plausible_year(match["year"], note) and not UNIT.match(note.text, match.end())
    and (len(match["year"]) == 4 or ON.search(note.text[max(0, match.start() - 20) : match.start()])),
)  # fmt: skip
day_month_year = at_numbers(
    "day_month_year", "DATE", TABLE, "dd month, (yy)yy; the year may be missing: \"3 March\", \"3-Mar-61\", \"the 3rd of March\".",
    rf"(?<![\d./])(?:the )?{DAY}(?:st|nd|rd|th)?(?:[ ]of[ ]|[ -]|)?{MONTH}(?:,?[ -]?{YEAR}(?![\d/]))?",
    lambda match, note: day_of_month(match, note)
    and (match["month"].lower() not in WORDY or match["year"] or note.text[match.start("month")].isupper()),
)  # fmt: skip
month_day_year = at_words(
    "month_day_year", "DATE", TABLE, "Month dd, with or without (yy)yy: \"March 3rd, 2061\", \"Mar. 3\", \"Jan 3-5\".",
    MONTHS,
    rf"{MONTH}[ -]?(?:the[ ])?{DAY}(?:st|nd|rd|th)?(?![\d])(?![./:]\d)(?!%)(?:[ ]?-[ ]?(?:3[01]|[12]\d|[1-9])(?![\d/]))?"
    rf"(?:(?:,[ ]?|[ ]|-|/)(?P<year>(?:1[89]|2[01])\d\d|['’]\d\d)(?!\d))?",
    lambda match, note: day_of_month(match, note)
    and (match["month"].lower() not in WORDY or match[0][0].isupper()) and not re.match(r" ?(?:mg|ml|cc|units)\b", note.text[match.end() :match.end() + 6]),
)  # fmt: skip
month_of_year = at_words(
    "month_of_year", "DATE", DOUGLASS, "Month and year: \"March of 2061\", \"Mar '61\", \"March, 2061\".",
    MONTHS, rf"{MONTH}(?:[ ]of[ ]|,?[ ]|-|/)(?P<year>(?:1[89]|2[01])\d\d|['’]\d\d)(?!\d)",
    lambda match, note: plausible_year(match["year"], note),
)  # fmt: skip


@rule("DATE", DOUGLASS)
def month_alone(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised month by itself; one that is a word or name too, after "in", "since" and such."""
    for index in note.places(MONTHS):
        word = note.lowered[index]
        told = note.before(index) in SINCE | {"this", "last", "next", "of", "by", "and", "through"}
        if note.capital(index) and (told or (word not in WORDY and len(word) > 3)):
            yield note.edges(index, index + 1)


@rule("DATE", DOUGLASS)
def weekday(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised day of the week; "Sat" and "Sun" after "on", "this" and the like."""
    for index in note.places(WEEKDAYS):
        if note.capital(index):
            yield note.edges(index, index + 1)
    for index in note.places(["sat", "sun"]):
        if note.capital(index) and note.before(index) in ("on", "this", "last", "next", "until", "by", "since", "every"):
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def season(note: Note, lists: Lists) -> Iterator[Edges]:
    """A season with a year, or after "last", "this", "in the": "summer of 2061"."""
    for index in note.places(SEASONS):
        year = re.compile(r",? (?:of )?((?:1[89]|2[01])\d\d|['’]\d\d)(?!\d)").match(note.text, note.ends[index])
        if year and plausible_year(year[1], note):
            yield note.starts[index], year.end()
        elif note.lowered[index] not in ("fall", "spring") and note.before(index) in ("last", "this", "next", "the"):
            yield note.edges(index, index + 1)


holiday = at_words(
    "holiday", "DATE", "ours", "A holiday.", HOLIDAY_WORDS, HOLIDAYS.pattern,
    lambda match, note: match[0][0].isupper(),
)  # fmt: skip


@rule("DATE", f"{DOUGLASS} (the 1st)")
def ordinal_day(note: Note, lists: Lists) -> Iterator[Edges]:
    """A day as "the 3rd" after "on", "until" and such, where no noun follows."""
    for index in note.places(["st", "nd", "rd", "th"]):
        day = index - 1
        if index > 1 and note.gap(index) == "" and note.words[day].isdigit() and 1 <= int(note.words[day]) <= 31:
            told = re.search(r"\b(?:on|until|since|by|from) the $", note.text[max(0, note.starts[day] - 12) : note.starts[day]])
            if told and re.compile(r"[.,;)\n]|$| (?:and|at|for|to|with|of)\b").match(note.text, note.ends[index]):
                yield note.starts[day], note.ends[index]


def years(note: Note) -> Iterator[int]:
    """The numbers that stand for themselves and could be years of this note."""
    for index in note.numbers:
        word = note.words[index]
        if len(word) == 4 and note.plausible(int(word)) and free(note, index):
            yield index


def free(note: Note, index: int) -> bool:
    """Whether a number has nothing numeric stuck to it, and no unit behind it."""
    start, end = note.starts[index], note.ends[index]
    before, after = note.text[start - 1 : start], note.text[end : end + 2]
    stuck = after[:1] in tuple("%:-") or (after[:1] in tuple("/.,") and after[1:].isdigit())
    return not (before and before in ".,/:-#$") and not stuck and note.after(index) not in UNITS


UNITS = frozenset(
    "mg mcg ml cc units unit g gm gram grams cal calories kcal hours hrs h am pm lbs kg iu ft feet steps copies ng pg ms beats".split()
)


@rule("DATE", f"{TABLE} (medical events); Douglass 2005, section 5.1.3")
def year_beside_event(note: Note, lists: Lists) -> Iterator[Edges]:
    """A year by itself with a word for a medical or life event close by in its line."""
    for index in years(note):
        around = range(max(0, index - NEAR), min(len(note), index + NEAR + 1))
        line_start = note.text.rfind("\n", 0, note.starts[index])
        if any(note.lowered[i] in EVENTS and note.starts[i] > line_start for i in around):
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def year_after_preposition(note: Note, lists: Lists) -> Iterator[Edges]:
    """A year after "in", "since", "until" and the like."""
    for index in years(note):
        if note.before(index) in SINCE and note.gap(index).strip() in ("", "-"):
            yield note.edges(index, index + 1)


decade = at_numbers(
    "decade", "DATE", "ours", "A decade: 1990s, 1990's, the '90s.",
    r"(?:(?<!\d)(?:1[89]|20|21)\d0['’]?s|(?<=the )\d0['’]?s(?= |\.)|(?<=['’])\d0s)\b",
    lambda match, note: len(match[0]) > 4 or not re.search(r"(?:his|her|in|into) the $", note.text[:0]),
)  # fmt: skip

RULES = (
    date_mdy, date_dmy, date_ymd, date_ydm, compact_date, day_month_year, month_day_year, month_of_year, month_and_day,
    month_and_year, month_alone, weekday, season, holiday, ordinal_day, year_beside_event, year_after_preposition, decade,
)  # fmt: skip
