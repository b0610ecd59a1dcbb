"""Years, decades, seasons, holidays and days of the week.

Douglass 2005, section 5.1.3, gave up on isolated years; Tafvizi 2011, table 2.2, marks one
"only if preceding or following text includes the name of a medical event".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.rule import at_numbers, at_words, rule
from crfdeid.rules.word_forms import words

TABLE = "Tafvizi 2011, table 2.2"
DOUGLASS = "Douglass 2005, section 5.1.3"
NEAR = 6  # words between a year and its event

# Words for what happened to a patient: beside these a year alone is a date.
EVENTS = words(
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
SINCE = words(
    """in since until till before after around circa early late mid during from year summer fall winter
    spring ca"""
)
UNITS = words(
    """mg mcg ml cc units unit g gm gram grams cal calories kcal hours hrs h am pm lbs kg iu ft feet
    steps copies ng pg ms beats calorie"""
)
WEEKDAYS = words(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays mon tue tues wed weds thu thur thurs fri"""
)
BEFORE_A_DAY = words("on this last next until by since every")
DATE_AFTER = re.compile(r",? \d{1,2}/\d{1,2}(?:/\d|\b)")
SEASONS = words("spring summer fall autumn winter")
OF_A_YEAR = re.compile(r",? (?:of )?((?:1[89]|2[01])\d\d|['’]\d\d)(?!\d)")
HOLIDAYS = (
    "christmas(?: eve| day)?|xmas|easter|thanksgiving(?: "
    "day)?|halloween|hanukkah|chanukah|passover|yom kippur"
    "|rosh hashanah|ramadan|new year(?:['’]?s)?(?: eve| day)?|valentine['’]?s day|mother['’]?s day"
    "|father['’]?s day|memorial day|labor day|veterans day|independence day|fourth of july|columbus day"
    "|st\\.? patrick['’]?s day|presidents['’]? day|mlk day|good friday|mardi gras|cinco de mayo|diwali"
    "|groundhog day|election day|patriots['’]? day"
)


@rule("DATE", DOUGLASS)
def weekday(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised day of the week; "Sat" and "Sun" after "on", "this" and the like."""
    for index in note.places(WEEKDAYS):
        if note.capital(index):
            yield note.edges(index, index + 1)
    for index in note.places(["sat", "sun"]):
        told = note.before(index) in BEFORE_A_DAY or DATE_AFTER.match(note.text, note.ends[index])
        if note.capital(index) and told:
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def season(note: Note, lists: Lists) -> Iterator[Edges]:
    """A season with a year, or after "last", "this", "the": "summer of 2061"."""
    for index in note.places(SEASONS):
        if year := OF_A_YEAR.match(note.text, note.ends[index]):
            yield note.starts[index], year.end()
        elif note.lowered[index] not in ("fall", "spring") and note.before(index) in ("last", "this", "the"):
            yield note.edges(index, index + 1)


holiday = at_words(
    "holiday", "DATE", "ours", "A capitalised holiday.", set(re.findall(r"(?:^|\|)(\w+)", HOLIDAYS)),
    rf"(?:{HOLIDAYS})\b", lambda match, note: match[0][0].isupper() or note.caseless,
)  # fmt: skip
decade = at_numbers(
    "decade", "DATE", "ours", "A decade: 1990s, 1990's, the '90s.",
    r"(?:(?<!\d)(?:1[89]|20|21)\d0['’]?s|(?<=['’])\d0s)\b",
)  # fmt: skip


def years(note: Note) -> Iterator[int]:
    """The numbers that stand for themselves and could be years of this note."""
    for index in note.numbers:
        word = note.words[index]
        if len(word) == 4 and word.isdecimal() and note.plausible(int(word)) and free(note, index):
            yield index


def free(note: Note, index: int) -> bool:
    """Whether a number has nothing numeric stuck to it, and no unit behind it."""
    start, end = note.starts[index], note.ends[index]
    before, after = note.text[start - 1 : start], note.text[end : end + 2]
    stuck = after[:1] in tuple("%:-") or (after[:1] in tuple("/.,") and after[1:].isdigit())
    return not (before and before in ".,/:-#$") and not stuck and note.after(index) not in UNITS


@rule("DATE", f"{TABLE} (medical events)")
def year_beside_event(note: Note, lists: Lists) -> Iterator[Edges]:
    """A year by itself with a word for a medical or life event close by in its line."""
    for index in years(note):
        around = range(max(0, index - NEAR), min(len(note), index + NEAR + 1))
        line = note.text.rfind("\n", 0, note.starts[index])
        if any(note.lowered[i] in EVENTS and note.starts[i] > line for i in around):
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def year_after_preposition(note: Note, lists: Lists) -> Iterator[Edges]:
    """A year after "in", "since", "until" and the like."""
    for index in years(note):
        if note.before(index) in SINCE and not note.gap(index).strip():
            yield note.edges(index, index + 1)


@rule("DATE", "ours")
def year_in_parentheses(note: Note, lists: Lists) -> Iterator[Edges]:
    """A year alone between parentheses."""
    for index in years(note):
        if note.gap(index).endswith("(") and note.text[note.ends[index] : note.ends[index] + 1] == ")":
            yield note.edges(index, index + 1)


RULES = (weekday, season, holiday, decade, year_beside_event, year_after_preposition, year_in_parentheses)
