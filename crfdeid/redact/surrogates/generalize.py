"""Less exact texts: ages in bands, dates to the year or quarter, ZIP to three digits, towns to the state."""

from __future__ import annotations

from datetime import date

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, remove_marks
from crfdeid.policy import DATE_UNITS, is_country, is_state
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.age_bands import WIDTH, band_age
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import UNIT_LENGTH, find_state_beside
from crfdeid.redact.surrogates.places import STATES, generalise_zip, parse_state
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


def generalize(
    document: Document, span: Span, to: str, dates: DateShifter, note_date: date | None
) -> str | None:
    """Make the text of a span less exact; ``to`` is a unit of dates, or the years of a band of ages. None if
    it cannot be read, or no list has the place."""
    text, kind = document.text_of(span), kinds.kind_of(span.type)
    if kind == kinds.DATE:
        return dates.generalize_text(text, to or DATE_UNITS[0], note_date)
    if kind == kinds.AGE:
        after = document.text[span.end : span.end + UNIT_LENGTH]
        return band_age(text, after, int(to.partition(" ")[0]) if to else WIDTH)
    if kind == kinds.ZIP:
        return generalise_zip(text) if any(c.isdecimal() for c in text) else None
    if kind in (kinds.STATE, kinds.COUNTRY):
        return text if is_state(text) or parse_state(text) or is_country(text) else None
    return find_state(fold(text), find_state_beside(document, span)) if kind in PLACES else None


def find_state(name: str, beside: str | None) -> str | None:
    """The name of the state written beside a place, otherwise that of the first state or country in which the
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
