"""Dates: Tafvizi 2011, section 2.5.2 and table 2.2; Douglass 2005, section 5.1.3."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from crfdeid.lexicon.english import AMBIGUOUS_MONTHS, FULL_WEEKDAYS, MONTH_NUMBERS, SEASONS, WEEKDAY_NAMES
from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import LONG_S, Beside, Edges, IndexedNote, after_blank
from crfdeid.rules.rule import Rule, match_at_numbers, match_at_words, rule

TABLE = "Tafvizi 2011, table 2.2"
DOUGLASS = "Douglass 2005, section 5.1.3"


DAY_SUFFIXES = "-adfjmnorstADFJMNORST" + LONG_S  # after the day: a hyphen, "th", "of", a month

# What a/b is: a date, or a score, strength, pressure, fraction or dose. Without this check, 132 of 292
# findings of Douglass 2005 (table 5.4) are false dates. A word for a date before it decides; else a word for
# a measurement on either side; else the numbers: out of 2 to 6 or out of 10 is rather a score.
NEAR = 24  # characters to the left that can hold a clue
SCALES = frozenset([2, 3, 4, 5, 6, 10])

DATED = re.compile(
    r"\b(?:on|since|from|until|till|dated?|by|through|thru|of|before|after|as of|in|to|start(?:ing"
    r"|ed)|last|due|seen"
    r"|admitted|admit|disch(?:arged?)?|labs?|ct|mri|cxr|echo|ekg|ecg|exam|visit|dob|d|t|done"
    r"|obtained|performed"
    r"|drawn|and|next|appt|appointment|post|surgery|admission|note|scan|biopsy|cath|colonoscopy)[ :]*$",
    re.IGNORECASE,
)
CERTAIN = re.compile(r"\b(?:on|since|until|till|dated?|dob|admitted|thru|appt)[ :]*$", re.IGNORECASE)
MEASURED = re.compile(
    r"(?:\b(?:bp|pressure|strength|grades?|scale|pain|pulses?|reflex(?:es)?|dtrs?|murmur|stage"
    r"|score|apgars?|gcs|rated?"
    r"|motor|power|vision|va|od|os|ou|level|ratio|every|q|x|ages?|times|peep|ips|vent|psv|simv"
    r"|cpap|bipap|insulin"
    r"|position|sensation|dose|take|tab|about|approximately|nearly|over|the|trop|edema|grip"
    r"|triceps|biceps|deltoids?"
    r"|quads?|dp|pt|op|gag|ros|i/?o|jvp|a/?o|alert|oriented|clock|mm|for|only|left|right|lower"
    r"|upper|with|vanderbilt"
    r"|conners|phq|gad|mmse|moca|audit|cage|recall|was|is|are|adls|iadls|passed)[ :=of]*|[><=±~+*#%$][ ]?"
    r"|\d/\d{1,2}[,;] )$",
    re.IGNORECASE,
)
UNIT = re.compile(
    r"[ -]?(?:strength|tabs?|tablets?|pills?|caps?|mg|mcg|ml|cc|units?|hours?|hrs?|days?|weeks?"
    r"|wks?|months?|years?|yrs?"
    r"|murmur|systolic|sem|hsm|diastolic|pain|of the|pack|ppd|inch|in\b|cm|mm|ft|dose|scale|motor|throughout"
    r"|bilaterally|b/l|beers?|drinks?|percent|%|[+]|x\b|amp|ns\b|nodes?|lymph|positive|vessels?"
    r"|lobes?|sutures?"
    r"|reps?|nsr|lpm|liters?|l\b|g\b|kg|lbs?|edema|a\b|way|cup|bottle|strips?|sets?|trials?|sided?"
    r"|ventilation|peep"
    r"|rll|lll|areas|adls|iadls|gra?ins?|symptoms|domains|items|recall|objects|words)",
    re.IGNORECASE,
)


def cut_text_before(match: re.Match[str], text: str) -> str:
    """Return the last characters before a match."""
    return text[max(0, match.start() - NEAR) : match.start()]


def has_date_word(match: re.Match[str], text: str) -> bool:
    """Whether a word for a date precedes the match."""
    return bool(DATED.search(cut_text_before(match, text)))


def is_measurement(match: re.Match[str], text: str) -> bool:
    """Whether a/b is a measurement rather than a date."""
    if UNIT.match(text, match.end()):
        return True
    before, lower = cut_text_before(match, text), int(re.split(r"[/-]", match[0])[1])
    if match[0].startswith("0"):
        return False
    if DATED.search(before):
        return lower == 10 and not CERTAIN.search(before)
    return bool(MEASURED.search(before)) or lower in SCALES


SHORT_MONTHS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}  # their days; a day of a pattern is at most 31

MONTH_NAME = rf"(?P<month>{'|'.join(MONTH_NUMBERS)})"
MONTH = rf"{MONTH_NAME}\b\.?"
MM, DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
MM2, DAY2 = r"(?P<month>1[0-2]|0[1-9])", r"(?P<day>3[01]|[12]\d|0[1-9])"
YYYY = r"(?:1[89]|2[01])\d\d"
YEAR = rf"(?P<year>{YYYY}|'?\d\d)"
LONG_YEAR = rf"(?P<year>{YYYY}|'\d\d)(?!\d)"
SEPARATOR = r"(?P<s>[/.-])"
START = r"(?<![\d][/.-])(?<![./])(?<!\w-)"  # where a date may begin
END = r"(?![\d])(?![/.-]\d)"
DOSE = re.compile(r" ?(?:mg|mcg|ml|cc|units)\b")
CLEAR_MONTH_CLUES = word_set("in since until last next this early late mid")
MONTH_CLUES = word_set(
    """in since until till before after around early late mid during this last next of by and through"""
)


def is_date(match: re.Match[str], note: IndexedNote) -> bool:
    """Whether the month has the day. A part of a pattern without names is not held against the calendar."""
    month = match["month"]
    if month is None:
        return True
    number = MONTH_NUMBERS.get(month.lower()) or int(month)
    return int(match["day"]) <= SHORT_MONTHS.get(number, 31)


def build_numeric_rule(name: str, about: str, pattern: str) -> Rule:
    """Build a rule for dates of numbers."""
    return match_at_numbers(name, "DATE", TABLE, about, START + pattern + END, is_date, Beside(next="/.-"))


date_mdy = build_numeric_rule(
    "date_mdy", "mm/dd/(yy)yy, with hyphens or full stops too.", rf"{MM}{SEPARATOR}{DAY}(?P=s){YEAR}"
)
date_dmy = build_numeric_rule("date_dmy", "dd/mm/(yy)yy.", rf"{DAY}{SEPARATOR}{MM}(?P=s){YEAR}")
date_ymd = build_numeric_rule(
    "date_ymd", "yyyy/mm/dd; yy/mm/dd of two digits each.",
    rf"(?:(?P<year>{YYYY}){SEPARATOR}{MM}(?P=s){DAY}|\d\d/(?:1[0-2]|0[1-9])/(?:3[01]|[12]\d|0[1-9]))",
)  # fmt: skip
date_ydm = build_numeric_rule(
    "date_ydm", "yyyy/dd/mm; yy/dd/mm of two digits each.",
    rf"(?:(?P<year>{YYYY}){SEPARATOR}{DAY}(?P=s){MM}|\d\d/(?:3[01]|[12]\d|0[1-9])/(?:1[0-2]|0[1-9]))",
)  # fmt: skip
compact_date = match_at_numbers(
    "compact_date", "DATE", "ours", "Eight digits that are year, month and day.",
    rf"(?<![\w.-])(?P<year>(?:19|2[01])\d\d){MM2}{DAY2}(?![\d-])", is_date, Beside(lengths=[8]),
)  # fmt: skip
month_and_day = match_at_numbers(
    "month_and_day", "DATE", f"{DOUGLASS} (Month/Day)",
    "mm/dd that is not a score, fraction, dose or pressure; mm-dd after a word for a date.",
    rf"(?<![\d][/.:])(?<![./\\])(?<![a-z]-)(?:{MM}/{DAY}|(?<=on )(?:1[0-2]|0[1-9])-(?:3[01]|[12]\d|0[1-9]))"
    r"(?!\w)(?![/.]\d)(?!/\w)",
    lambda match, note: is_date(match, note) and not is_measurement(match, note.text),
    Beside(next="/-"),
)  # fmt: skip
month_and_year = match_at_numbers(
    "month_and_year", "DATE", f"{DOUGLASS} (Month/Year)",
    "mm/yyyy; mm/yy after a word for a date, where yy can be no day.",
    rf"{START}{MM}[/-](?P<year>{YYYY}|3[2-9]|[4-9]\d|0\d)(?!\d)(?![/%-]|\.\d)",
    lambda match, note: note.is_plausible_year(int(match["year"])) if len(match["year"]) == 4
    else has_date_word(match, note.text) and not is_measurement(match, note.text),
    Beside(next="/-"),
)  # fmt: skip
day_month_year = match_at_numbers(
    "day_month_year", "DATE", TABLE,
    "dd month, (yy)yy; the year may be missing: "
    "\"3 March\", \"3-Mar-61\", \"03MAR2061\", \"the 3rd of March\".",
    rf"(?<![\d./])(?<!\d-){DAY}(?:st|nd|rd|th)?(?:[ ]of[ ]|[ -]|)"
    rf"{MONTH_NAME}(?:\b\.?|(?=(?:1[89]|2[01])?\d\d(?!\d)))(?:,?[ -]?{YEAR}(?![\d/]))?",
    lambda match, note: is_date(match, note)
    and (match["month"].lower() not in AMBIGUOUS_MONTHS or match["year"] or match["month"][0].isupper()),
    Beside(next=(*DAY_SUFFIXES, *after_blank(DAY_SUFFIXES))),
)  # fmt: skip
month_day_year = match_at_words(
    "month_day_year", "DATE", TABLE,
    "Month dd, with or without (yy)yy: \"March 3rd, 2061\", \"Mar. 3\", \"Jan 3-5\".", MONTH_NUMBERS,
    rf"{MONTH}[ -]?(?:the[ ])?{DAY}(?:st|nd|rd|th)?(?![\d])(?![./:]\d)(?!%)"
    rf"(?:[ ]?-[ ]?(?:3[01]|[12]\d|[1-9])(?![\d/]))?(?:(?:,[ ]?|[ ]|-|/){LONG_YEAR})?",
    lambda match, note: is_date(match, note) and not DOSE.match(note.text, match.end())
    and (match["month"].lower() not in AMBIGUOUS_MONTHS or note.is_capitalised_at(match.start())),
)  # fmt: skip
month_of_year = match_at_words(
    "month_of_year", "DATE", DOUGLASS, "Month and year: \"March of 2061\", \"Mar '61\", \"March, 2061\".",
    MONTH_NUMBERS, rf"{MONTH}(?:[ ]of[ ]|,?[ ]|-|/)(?:{LONG_YEAR}|(?<=-)\d\d(?![\d/-]))",
)  # fmt: skip


@rule("DATE", DOUGLASS)
def month_alone(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised month by itself; one that is a word or name too, after "in", "since" and such."""
    for index in note.find_words(MONTH_NUMBERS):
        word = note.lowered[index]
        has_clue = note.word_before(index) in (
            MONTH_CLUES if note.word(index)[0].isupper() else CLEAR_MONTH_CLUES
        )
        has_clue = has_clue and not (note.word(index) == "MAY" and note.word_before(index) == "this")
        if note.is_capitalised(index) and (has_clue or (word not in AMBIGUOUS_MONTHS and len(word) > 3)):
            yield note.edges(index, index + 1)


@rule("DATE", f"{DOUGLASS} (the 1st)")
def ordinal_day(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A day as "the 3rd" after "on", "until" and such, where no noun follows."""
    for index in note.find_words(["st", "nd", "rd", "th"]):
        day = index - 1
        if note.gap(index) == "" and note.word(day).isdecimal() and 1 <= int(note.word(day)) <= 31:
            two_before, start = note.starts[max(0, day - 2)], note.starts[day]
            is_after_clue = ORDINAL_BEFORE.fullmatch(note.text, two_before, start)
            if is_after_clue and ORDINAL_AFTER.match(note.text, note.ends[index]):
                yield start, note.ends[index]


ORDINAL_BEFORE = re.compile(r"(?:on|until|since|by|from) the ", re.IGNORECASE)
ORDINAL_AFTER = re.compile(r"[.,;)\n]|$| (?:and|at|for|to|with|of)\b")


# Years, decades, seasons, holidays and days of the week. Douglass 2005, section 5.1.3, gave up on isolated
# years; Tafvizi 2011, table 2.2, marks one "only if preceding or following text includes the name of a
# medical event".
EVENT_WORDS = 6  # between a year and its event

# Words for events in a life: beside these, an isolated year is a date.
EVENTS = word_set(
    """surgery resection transplant transplantation cabg pci stent stents mi stroke cva tia infarction
    appendectomy cholecystectomy hysterectomy mastectomy lumpectomy tonsillectomy thyroidectomy
    nephrectomy colectomy laminectomy fusion replacement tkr thr arthroplasty arthroscopy repair
    bypass catheterization cath angioplasty ablation pacemaker icd biopsy diagnosed diagnosis dx
    chemotherapy chemo radiation xrt fracture injury accident mva delivery cesarean section
    amputation hospitalized hospitalization admission admitted colonoscopy endoscopy egd echo
    echocardiogram mri ct dialysis pneumonia cancer lymphoma leukemia melanoma carcinoma excision
    procedure operation implant implanted placed removed removal ligation tubal hernia cataract
    dvt pe quit retired born married divorced died graduated immigrated treated tah bso turp orif
    avr mvr ppm pap mammogram dexa psa stress immunization vaccine pneumovax tetanus flu hepatitis
    tb ppd"""
)
YEAR_CLUES = word_set(
    """in since until till before after around circa early late mid during from year summer fall winter
    spring ca"""
)
UNITS = word_set(
    """mg mcg ml cc units unit g gm gram grams cal calories kcal hours hrs h am pm lbs kg iu ft feet
    steps copies ng pg ms beats calorie"""
)
WEEKDAYS = {*WEEKDAY_NAMES, *(f"{name}s" for name in FULL_WEEKDAYS)} - {"sat", "sun"}  # these are also words
BEFORE_A_DAY = word_set("on this last next until by since every")
DATE_AFTER = re.compile(r",? \d{1,2}/\d{1,2}(?:/\d|\b)")
OF_A_YEAR = re.compile(r",? (?:of )?((?:1[89]|2[01])\d\d|'\d\d)(?!\d)")
HOLIDAYS = (
    "christmas(?: eve| day)?|xmas|easter|thanksgiving(?: "
    "day)?|halloween|hanukkah|chanukah|passover|yom kippur"
    "|rosh hashanah|ramadan|new year(?:'?s)?(?: eve| day)?|valentine'?s day|mother'?s day"
    "|father'?s day|memorial day|labor day|veterans day|independence day|fourth of july|columbus day"
    "|st\\.? patrick'?s day|presidents'? day|mlk day|good friday|mardi gras|cinco de mayo|diwali"
    "|groundhog day|election day|patriots'? day"
)


@rule("DATE", DOUGLASS)
def weekday(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A capitalised day of the week; "Sat" and "Sun" after "on", "this" and the like."""
    for index in note.find_words(WEEKDAYS):
        if note.is_capitalised(index):
            yield note.edges(index, index + 1)
    for index in note.find_words(["sat", "sun"]):
        has_clue = note.word_before(index) in BEFORE_A_DAY or DATE_AFTER.match(note.text, note.ends[index])
        if note.is_capitalised(index) and has_clue:
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def season(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A season with a year, or after "last", "this", "the": "summer of 2061"."""
    for index in note.find_words(SEASONS):
        if year := OF_A_YEAR.match(note.text, note.ends[index]):
            yield note.starts[index], year.end()
        elif note.lowered[index] not in ("fall", "spring") and note.word_before(index) in (
            "last",
            "this",
            "the",
        ):
            yield note.edges(index, index + 1)


holiday = match_at_words(
    "holiday", "DATE", "ours", "A capitalised holiday.",
    set(re.findall(r"(?:^|\|)(\w+)", "|".join([HOLIDAYS, HOLIDAYS.replace("'?", "")]))),  # Mother's, Mothers
    rf"(?:{HOLIDAYS})\b(?! (?:disease|factor|tree|cactus))",
    lambda match, note: note.is_capitalised_at(match.start()),
)  # fmt: skip
decade = match_at_numbers(
    "decade", "DATE", "ours", "A decade: 1990s, 1990's, the '90s.",
    r"(?:(?<!\d)(?:1[89]|20|21)\d0'?s|(?<=')\d0s)\b",
    beside=Beside(next="'sS" + LONG_S),
)  # fmt: skip


def find_years(note: IndexedNote) -> Iterator[int]:
    """Yield the indices of the isolated numbers that can be years in this note."""
    for start in note.find_numbers(Beside(lengths=[4])):
        index = bisect_left(note.starts, start)
        word = note.word(index)
        if len(word) == 4 and note.is_plausible_year(int(word)) and is_free(note, index):
            yield index


def is_free(note: IndexedNote, index: int) -> bool:
    """Whether a number has nothing numeric attached to it, and no unit behind it."""
    start, end = note.starts[index], note.ends[index]
    before, after = note.text[start - 1 : start], note.text[end : end + 2]
    stuck = after[:1] in tuple("%:-") or (after[:1] in tuple("/.,") and after[1:].isdigit())
    return not (before and before in ".,/:-#$") and not stuck and note.word_after(index) not in UNITS


@rule("DATE", f"{TABLE} (medical events)")
def year_beside_event(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A year by itself with a word for a medical or life event close by: before it in its line, or after."""
    for index in find_years(note):
        line = bisect_left(note.starts, note.find_line_start(note.starts[index]))
        around = note.lowered[max(line, index - EVENT_WORDS) : index + EVENT_WORDS + 1]
        if not EVENTS.isdisjoint(around):
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def year_after_preposition(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A year after "in", "since", "until" and the like."""
    for index in find_years(note):
        if note.word_before(index) in YEAR_CLUES and not note.gap(index).strip():
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def year_in_parentheses(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A year alone between parentheses."""
    for index in find_years(note):
        if note.gap(index).endswith("(") and note.text[note.ends[index] : note.ends[index] + 1] == ")":
            yield note.edges(index, index + 1)


RULES = (
    date_mdy, date_dmy, date_ymd, date_ydm, compact_date, day_month_year, month_day_year, month_of_year,
    month_and_day, month_and_year, month_alone, ordinal_day, weekday, season, holiday, decade,
    year_beside_event, year_after_preposition, year_in_parentheses,
)  # fmt: skip
