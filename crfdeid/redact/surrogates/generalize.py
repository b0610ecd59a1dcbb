"""Less exact texts: ages in bands, dates to the year or quarter, ZIP to three digits, towns to the state."""

from __future__ import annotations

from datetime import date

import regex

from crfdeid.lexicon import english, word_lists
from crfdeid.lexicon.letters import fold, remove_marks
from crfdeid.policy import DATE_UNITS, is_country, is_state
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.places import STATES, find_state_beside, generalise_zip, parse_state
from crfdeid.text import ages
from crfdeid.text.document import Document, Span

PLACES = (
    kinds.CITY,
    kinds.STREET,
    kinds.HOSPITAL,
    kinds.ORGANIZATION,
    kinds.DEPARTMENT,
    kinds.PLACE,
    kinds.ROOM,
)
GENERALIZED = (kinds.DATE, kinds.AGE, kinds.ZIP, kinds.STATE, kinds.COUNTRY, *PLACES)
HASH_LENGTH = 16  # hexadecimal digits: 64 bits

# Bands of ages: 67 becomes 60-69, and all ages over 89 become 90+.
WIDTH = 10  # years
TENS = ages.TENS[:-1]  # from 90 on there is one band
DECADES = ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties"]
PEOPLE = ["sexagenarian", "septuagenarian", "octogenarian"]
NUMBERS = {
    **{word: number for number, word in enumerate(ages.ONES + ages.TEENS, 1)},
    **{word: 10 * number for number, word in enumerate(TENS, 2)},
}
SPELLED = regex.compile(
    rf"""(?: (?P<ten>{"|".join(TENS)}) (?:[-\s]+(?P<one>{ages.SMALL}))?
    | (?P<word>{"|".join(ages.TEENS + ages.ONES)}) )\b""",
    regex.VERBOSE | regex.IGNORECASE,
)
# All words are known here (:func:`ages.generalise_age`), so that few can begin or end in another.
WHOLE = regex.compile(rf"\b(?:{'|'.join((*DECADES, *PEOPLE, 'teenager', 'teen'))})s?", regex.IGNORECASE)
DECIMALS = regex.compile(r"(?<=\d)\.\d+")
EXACT = regex.compile(
    r"(?<!\s)\s+and\s+a\s+half|(?:early|middle|mid|late|almost|nearly)[-\s]*", regex.IGNORECASE
)
RANGE = regex.compile(
    r"(?P<low>\d+)(?:['’]?s\b)?(?:\s*(?:-|–|to|or|and)\s*(?P<high>\d+)(?:['’]?s\b)?)?(?!\+|\d)"
)
FIRST_BAND = regex.compile(r"^\d+-(\d+)")
UNITS = (("mon|mo|m/o|mes", 12), ("week|wk|w/o|semana", 52), ("day|d/o|día", 365), ("hour|hr", 8766))
PER_YEAR = [(regex.compile(rf"[\s-]*(?:{words})", regex.IGNORECASE), number) for words, number in UNITS]


def generalize(
    document: Document, span: Span, to: str, dates: DateShifter, note_date: date | None
) -> str | None:
    """Make the text of a span less exact; ``to`` is a unit of dates, or the years of a band of ages. None if
    it cannot be read, or no list has the place."""
    text, kind = document.text_of(span), kinds.kind_of(span.type)
    if kind == kinds.DATE:
        return dates.generalize_text(text, to or DATE_UNITS[0], note_date)
    if kind == kinds.AGE:
        after = document.text[span.end : span.end + kinds.UNIT_LENGTH]
        is_an = english.has_an_before(document.text, span.start)
        return band_age(text, after, int(to.partition(" ")[0]) if to else WIDTH, is_an)
    if kind == kinds.ZIP:
        return generalise_zip(text) if any(c.isdecimal() for c in text) else None
    if kind in (kinds.STATE, kinds.COUNTRY):
        return text if is_state(text) or parse_state(text) or is_country(text) else None
    return find_state(fold(text), find_state_beside(document, span)) if kind in PLACES else None


def find_state(name: str, beside: str | None) -> str | None:
    """The name of the state written beside a place, otherwise of the first state or country in which the
    lists have a town of this (folded) name.

    >>> find_state("boston", None), find_state("oakwood hospital", "OH"), find_state("oakwood hospital", None)
    ('Massachusetts', 'Ohio', None)
    """
    code = beside or word_lists.locate_towns("city_states").get(name)
    return STATES[code] if code else word_lists.locate_towns("city_countries").get(name)


def hash_text(text: str, type: str, choices: KeyedChoices) -> str:
    """The keyed hash of a text, the same however its letters are cased and its parts are marked.

    >>> choices = KeyedChoices(b"secret", "7")
    >>> hash_text("447-19", "IDNUM", choices) == hash_text("44719", "IDNUM", choices)
    True
    """
    return f"[{type}:{choices.digest('hash', type, remove_marks(fold(text))).hex()[:HASH_LENGTH]}]"


# Bands of ages


def band_age(text: str, after: str = "", width: int = WIDTH, has_an: bool = False) -> str | None:
    """Return ``text`` with each age as the band of ``width`` years that holds it, in the unit that follows.
    None if it cannot be read (:func:`ages.generalise_age`). ``has_an``: the article "an" is before it.

    >>> [band_age(text) for text in ("67", "67-year-old", "forty-five", "mid 70s", "93", "18 months")]
    ['60-69', '60-69-year-old', '40-49', '70-79', '90+', '0-119 months']
    >>> band_age("67", width=5), band_age("65-72 years"), band_age("teenager"), band_age("elder")
    ('65-69', '60-79 years', '10-19', None)
    >>> band_age("18", has_an=True)
    'under 20'
    """
    is_age = ages.generalise_age(text, after) is not None
    capped = ages.generalise_age(DECIMALS.sub("", text), after) if is_age else None
    if capped is None:
        return None
    plain = EXACT.sub("", ages.HALF.sub("", WHOLE.sub(write_number, SPELLED.sub(write_number, capped))))
    made = RANGE.sub(lambda match: write_band(match, plain[match.end() :] or after, width), plain)
    return FIRST_BAND.sub(write_under, made) if has_an and not english.takes_an(made) else made


def write_number(match: regex.Match[str]) -> str:
    """Write a number word in digits.

    >>> write_number(SPELLED.match("forty-five")), write_number(WHOLE.match("sixties"))
    ('45', '60')
    """
    words = match.groupdict()
    if found := [word.lower() for word in words.values() if word]:
        return str(sum(NUMBERS[word] for word in found))
    word = match[0].lower().removesuffix("s")
    if word.startswith("teen"):
        return "10"
    if word in PEOPLE:
        return str(10 * (PEOPLE.index(word) + 6))
    return str(10 * (DECADES.index(f"{word}s") + 2))


def write_under(match: regex.Match[str]) -> str:
    """Write a band as an adjective with a vowel: "an 8-year-old" would become "an 0-9-year-old".

    >>> write_under(FIRST_BAND.match("10-19-year-old"))
    'under 20'
    """
    return f"under {int(match[1]) + 1}"


def write_band(match: regex.Match[str], rest: str, width: int) -> str:
    """The band of an age, or from the band of the first to that of the second; ``rest`` follows it."""
    per_year = next((number for pattern, number in PER_YEAR if pattern.match(rest)), 1)
    size = width * per_year
    low, high = int(match["low"]), int(match["high"] or match["low"])
    last = (ages.OLDEST + 1) * per_year - 1
    return f"{low // size * size}-{min(high // size * size + size - 1, last)}"
