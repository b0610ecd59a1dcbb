"""The content that programs read in a clinical text: words of medicine, measures, negations, dates and ages.

A date counts if its day, month and year are written; a year and an age count too. The words of medicine are
those of lists that ship, of English: diseases, drugs, findings and symptoms, the words of the MeSH headings,
abbreviations, eponyms. A word that people or places have as their name counts only as an eponym, where a
thing follows it (Foley catheter): elsewhere its replacement is what a release is for. Words of dates, titles,
streets and hospitals do not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import chain
from typing import NamedTuple

import regex

from crfdeid import files
from crfdeid.lexicon import english, ordinary, spanish, word_lists
from crfdeid.lexicon.letters import WORD, fold, remember_words, split_possessive, word_set
from crfdeid.redact.surrogates.dates import find_note_date, parser, resolve
from crfdeid.redact.surrogates.generalize import band_age
from crfdeid.text import ages
from crfdeid.text.gazetteer import read_entries

MEDICAL = DISEASE, DRUG, FINDING, TERM, EPONYM = (
    "diseases", "drugs", "findings", "other words of medicine", "eponyms before a thing",
)  # fmt: skip
LISTS = {DRUG: ("drug",), DISEASE: ("disease",), FINDING: ("finding", "symptom")}  # of several words
WORDS = ("medical_words", "abbreviations", "drug_words")
EPONYMS = ("eponyms", "clinical_names")
NEVER = (
    "dates", "titles", "street_words", "hospital_words", "state_abbreviations", "us_states", "nationalities",
)  # fmt: skip
MIN_LETTERS = 3
# Minus the logarithm of the probability of a word in general English: "old", "over"; "history", "abandoned".
FREQUENT, USUAL = 7, 11
SIDES = frozenset(["left", "right"])
THING = regex.compile(rf"(?:['’]?s)?[ -](?:{'|'.join(sorted(ordinary.THINGS))})\b", regex.IGNORECASE)


def find_kind(word: str, text: str = "", end: int = 0) -> str | None:
    """Return the kind of a folded word, which ends at ``end`` in its text; None if it is not of medicine.

    >>> [find_kind(word) for word in ("lisinopril", "pneumonia", "fever", "resection", "table")]
    ['drugs', 'diseases', 'findings', 'other words of medicine', None]
    >>> find_kind("foley"), find_kind("foley", "the Foley catheter", 9)
    (None, 'eponyms before a thing')
    """
    kind = load_kinds().get(word)
    return None if kind == EPONYM and not THING.match(text, end) else kind


@cache
def load_kinds() -> Mapping[str, str]:
    """Return the kind of each folded word of medicine. Words that are names, too, are only eponyms."""
    kinds = dict.fromkeys(word_lists.load_lowercase(*WORDS) - load_frequent(USUAL), TERM)
    kinds |= dict.fromkeys(word_lists.load_lowercase("drug_words"), DRUG)
    folder = files.find_folder("synthetic/lists")  # plain data; the generator itself is not imported
    for kind in (FINDING, DISEASE, DRUG):
        paths = (folder / f"{name}.txt" for name in LISTS[kind])
        entries = "\n".join(chain.from_iterable(map(read_entries, paths)))
        kinds |= dict.fromkeys(map(fold, WORD.findall(entries)), kind)
    left_out = load_names() | load_frequent(FREQUENT) - SIDES
    kept = {word: kind for word, kind in kinds.items() if len(word) >= MIN_LETTERS and word not in left_out}
    eponyms = (fold(entry) for name in EPONYMS for entry in word_lists.read_entries(name))
    return dict.fromkeys(eponyms, EPONYM) | kept


@cache
def load_names() -> frozenset[str]:
    """Return the words that people or places have as their names, and those of dates, titles and
    addresses."""
    shares = map(word_lists.load_shares, (word_lists.SURNAME, word_lists.FEMALE, word_lists.MALE))
    names = {name for each in shares for name, share in each.items() if share >= ordinary.LEAST_SHARE}
    return word_lists.load_lowercase(*NEVER, *ordinary.PLACES) | names


@cache
def load_frequent(least: int) -> frozenset[str]:
    """Return the words of general English that are as probable as this, or more."""
    rows = (entry.split("|") for entry in word_lists.load_lowercase("en_words"))
    return frozenset(word for word, _, frequency, *_ in rows if int(frequency) <= least)


MEASURE, NEGATION = "numbers with a unit", "negations"
READ = (*MEDICAL, MEASURE, NEGATION)

NEGATIONS = word_set(
    """no not without never none neither nor cannot denies denied deny denying negative absent absence cant
    couldnt didnt doesnt dont hadnt hasnt havent isnt wasnt wont wouldnt arent werent shouldnt"""
)
SCOPE = 6  # words after a negation that it may negate
SCOPE_END = re.compile(r"[.;:!?]|\n\s*\n")

UNITS = (
    "mcg|mg|kg|gm|grams?|g|µg|μg|ug|ng|pg|meq|mmol|mol|mosm|ml|cc|dl|liters?|litres?|l|units?|iu|mm|cm"
    "|inch(?:es)?|feet|ft|lbs?|pounds?|ounces?|oz|percent|bpm|mm\\s?hg|degrees?|hours?|hrs?|minutes?|mins?"
    "|seconds?|secs?|days?|weeks?|wks?|months?|mos|years?|yrs?|tablets?|tabs?|capsules?|caps?|pills?|puffs?"
    "|drops?|doses?|times|packs?|ppd|french|fr|gauge|hz|volts?|joules?|kcal|cal|mv|ma"
)
SIGNS = (  # measures that are written before their numbers
    r"bp|blood\s+pressure|hr|heart\s+rate|rr|pulse|temp(?:erature)?|spo2|sats?|weight|wt|height|ht|bmi"
)
NUMBER = r"\d+(?:[.,]\d+){0,5}"
UNIT = rf"(?:\s?|-(?=\w{{3}}))(?:%|°\s?[CF]?\b|(?:{UNITS})\b(?:/\w+)*)"
MONTH = rf"(?:{english.MONTH_PATTERN}|{'|'.join(spanish.MONTHS)})"
YEAR = r"(?:[12]\d{3}(?!\d)|['’]?\d\d(?!\w))"
TH, OF = r"(?:st|nd|rd|th)?", r"(?:of\s+|de\s+)?"
SPELLED = rf"(?:{'|'.join(ages.TENS)})(?:[-\s](?:{ages.SMALL}))?"
OLD = r"[-\s]*(?:(?:years?|yrs?|months?|mos?|weeks?|wks?|days?)\.?[-\s]*old\b|y\.?[\s/]?o\b\.?)"
LETTER = r"[^\W\d_]"
PIECES = re.compile(
    rf"""(?=\d)(?:
      (?P<date>(?<![\w/.-])(?:
          \d{{1,2}}\s?([/-])\s?\d{{1,2}}\s?\2\s?['’]?(?:\d{{4}}|\d\d)(?![\w/-])
        | \d{{1,2}}\.\d{{1,2}}\.\d{{4}}(?!\d)
        | [12]\d{{3}}([/.-])\d{{1,2}}\3\d{{1,2}}(?!\d)
        | \d{{1,2}}{TH}[\s,./-]*{OF}{MONTH}\b\.?[\s,./-]*{OF}{YEAR}))
      | (?P<age>(?<![\w.])\d{{1,3}}(?:[-–]\d{{1,3}}|\+)?
        (?:{OLD}|(?<!\d{{3}})\s?(?-i:[MF])(?!\w)))
      | (?P<measure>(?<![\w.,/-])(?=\d{{1,6}}(?!\d)){NUMBER}(?:\s?[-–/x]\s?{NUMBER}){{0,3}}{UNIT})
      | (?P<year>(?<![\w/.,-])(?:19|2[01])\d\d(?![\w/-]|[.,]\d))
      | (?P<number>{NUMBER}))
    | (?={LETTER})(?:
      (?P<named_date>\b{MONTH}\b\.?[\s./-]*\d{{1,2}}{TH}
        (?:\s*,?\s*[12]\d{{3}}(?!\d)|(?:,\s*|[/-])['’]?\d\d(?![\w:])))
      | (?P<named_age>\b(?:aged?[\s:=]+\d{{1,3}}(?:-\d{{1,3}}|\+)?(?![\w/]) | {SPELLED}{OLD}
        | (?:his|her|their)\s+(?:early|mid|late)?[\s-]*\d0['’]?s(?:\sor\solder)?\b))
      | (?P<named_measure>\b(?:{SIGNS})\b[\s:=]{{0,3}}(?:(?:of|is|was)\s)?{NUMBER}(?:/\d+)?(?![\w/-]))
      | (?P<word>{LETTER}[\w'’`]*))
    | (?P<marker>\[\*\*[^\]\n]{{0,60}}\*\*\])""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
BAND = re.compile(r"(\d+)(?:-\d+|\+)")
DATE, AGE, MARKER = "\0date", "\0age", "\0marker"  # in the row of pieces; no piece of a text is one


class Day(NamedTuple):
    """The meaning of a date: its year, and its day if it is written. ``is_short``: the year has two digits,
    so that it may be of another century."""

    year: int
    day: date | None = None
    is_short: bool = False


class Age(NamedTuple):
    """An age as it is written, folded, and the first age of its band of ten years."""

    text: str
    band: int

    def __repr__(self) -> str:
        return f"Age(band={self.band})"  # never the text


class Item(NamedTuple):
    """Something that programs read, of one of the kinds of :data:`READ`."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return f"Item({self.kind})"


@dataclass(frozen=True, repr=False)
class Content:
    """``pieces`` are all words, numbers, dates and ages in order, where a date or an age is only a place.
    ``dates`` and ``ages`` say by the number of a piece what they are. ``items`` are what programs read, and
    ``negated`` the words of medicine soon after a negation."""

    pieces: Sequence[str]
    items: Sequence[Item]
    negated: Sequence[str]
    dates: Mapping[int, Day]
    ages: Mapping[int, Age]

    def list_texts(self, *kinds: str) -> list[str]:
        """Return the texts of the items of some kinds, in order."""
        return [item.text for item in self.items if item.kind in kinds]


def read_content(text: str, month_first: bool = True) -> Content:
    """Read what a text has. ``month_first`` decides how "3/7/2061" is read.

    >>> content = read_content("No edema. Lasix 40 mg on 3/7/2061, 67M.")
    >>> [item.text for item in content.items], content.negated
    (['no', 'edema', 'lasix', '40mg'], ['edema'])
    >>> content.dates, content.ages
    ({5: Day(year=2061, day=datetime.date(2061, 3, 7), is_short=False)}, {6: Age(band=60)})
    """
    return ContentReader(text, month_first).read()


class ContentReader:
    """Collects what a text has, piece by piece."""

    def __init__(self, text: str, month_first: bool) -> None:
        self.text, self.month_first = text, month_first
        self.pieces: list[str] = []
        self.items: list[Item] = []
        self.negated: list[str] = []
        self.dates: dict[int, Day] = {}
        self.ages: dict[int, Age] = {}
        self._in_scope = self._at = 0  # words that the last negation may negate; the end of the last piece

    def read(self) -> Content:
        found = list(PIECES.finditer(self.text))
        dates = [match[0] for match in found if name_kind(match) == "date"]
        self._note_date = find_note_date(dates, self.month_first)
        for match in found:
            if self._in_scope and SCOPE_END.search(self.text, self._at, match.start()):
                self._in_scope = 0
            self.pieces.append(self._read_piece(match))
            self._at = match.end()
        return Content(self.pieces, self.items, self.negated, self.dates, self.ages)

    def _read_piece(self, match: re.Match[str]) -> str:
        """Note what a piece is; return what it is in the row of pieces."""
        text, number = fold(match[0]), len(self.pieces)
        match name_kind(match):
            case "marker":
                return MARKER
            case "date" if day := read_day(match[0], self.month_first, self._note_date):
                self.dates[number] = day
                return DATE
            case "year":
                self.dates[number] = Day(int(text))
                return DATE
            case "age" if (band := read_band(match[0])) is not None:
                self.ages[number] = Age(" ".join(text.split()), band)
                return AGE
            case "measure":
                text = "".join(text.split())
                self.items.append(Item(MEASURE, text))
            case "word":
                self._read_word(match, text)
        return text

    def _read_word(self, match: re.Match[str], text: str) -> None:
        if text in NEGATIONS:
            self.items.append(Item(NEGATION, text))
            self._in_scope = SCOPE
            return
        text = fold_word(match[0])
        if kind := find_kind(text, self.text, match.end()):
            self.items.append(Item(kind, text))
            if self._in_scope:
                self.negated.append(text)
        self._in_scope = max(0, self._in_scope - 1)


@remember_words(100_000)
def fold_word(word: str) -> str:
    """Fold a word without its possessive ending.

    >>> fold_word("Crohn's"), fold_word("Denies")
    ('crohn', 'denies')
    """
    return fold(split_possessive(word)[0])


def name_kind(match: re.Match[str]) -> str:
    """Return the kind of a piece: the name of its group, however it begins."""
    return str(match.lastgroup).removeprefix("named_")


def read_day(text: str, month_first: bool, note_date: date | None) -> Day | None:
    """Return what the text of one date says; None if there is no such day.

    >>> read_day("3/7/2061", True, None), read_day("2/31/2061", True, None)
    (Day(year=2061, day=datetime.date(2061, 3, 7), is_short=False), None)
    """
    expressions = parser.parse_dates(text, month_first) or ()
    if len(expressions) != 1:
        return None
    year, month, day = map(expressions[0].find, "ymd")
    if not (year and month and day):
        return None
    full = resolve.complete_year(year, note_date or resolve.WRITTEN_BY)
    found = resolve.make_date(full, month.value, day.value)
    return Day(full, found, len(year.text) == 2) if found else None


def read_band(text: str) -> int | None:
    """Return the first age of the band of ten years that an age is in; None if it is not an age.

    >>> [read_band(text) for text in ("67-year-old", "60-69 years old", "90+ y/o", "forty yrs old", "31F")]
    [60, 60, 90, 40, 30]
    """
    banded = band_age(text)
    found = BAND.search(banded) if banded else None
    return int(found[1]) if found else None
