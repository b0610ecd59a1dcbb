"""All surrogates of one patient, and the days by which the patient's dates move."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter

import regex

from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import ENGLISH
from crfdeid.lexicon.letters import remove_invisible
from crfdeid.policy import BIRTH, CONTEXT
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.contacts import Contacts
from crfdeid.redact.surrogates.dates import DateShifter, draw_shift
from crfdeid.redact.surrogates.generalize import generalize
from crfdeid.redact.surrogates.identifiers import Identifiers, replace_characters
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import DOCTORS, KeyedChoices
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts, PatientHistory, is_doctor
from crfdeid.redact.surrogates.places import Places, find_state_beside, generalise_zip, is_us
from crfdeid.text import ages
from crfdeid.text.document import Document, Span

ALL_PATIENTS = "doctors of all patients"  # the key of their surrogates, unlike that of any patient
UNDATED = date(2026, 1, 1)  # when a note without a date may have been written, at the latest
SENTENCE_BEFORE = regex.compile(r"(?:^|[.!?][\"'”’)\]]*\s|\n[ \t\r]*\n)\s*[\"“‘'(]?$")
UNDATED_YEARS = range(2000, UNDATED.year + 1)
MOST_YEARS = 130  # of a life; a later date, as 9999-12-31, is not one of the patient's
MOST_DAYS = 7 * 26_115  # 500 years and 26 weeks, the most that a run draws
WANTED = "wanted whole weeks, as 14 or -7308, which keep the weekdays"


@dataclass(frozen=True)
class Rules:
    """The options of surrogates; they are keys of the map file. Dates shift by at most ``years`` years and
    ``weeks`` weeks. ``zip`` is ``surrogate`` or ``three`` (the three digits that the Safe Harbor allows),
    and ``check_digits`` one of :data:`identifiers.CHECK_POLICIES`. With ``same_doctors`` a doctor has one
    surrogate in the notes of all patients. The notes are in this ``language``."""

    years: int = DateShifter.DEFAULT_YEARS
    weeks: int = DateShifter.DEFAULT_WEEKS
    zip: str = "surrogate"
    check_digits: str = "same"
    same_doctors: bool = False
    language: str = field(default=ENGLISH, repr=False)  # the hash of the options has the others


@dataclass(frozen=True)
class Makers:
    """The classes that make the surrogates of each kind in a language."""

    names: type[Names] = Names
    institutions: type[Institutions] = Institutions
    places: type[Places] = Places
    identifiers: type[Identifiers] = Identifiers
    contacts: type[Contacts] = Contacts
    dates: type[DateShifter] = DateShifter


def is_birth(document: Document, span: Span) -> bool:
    """Whether a date is one of birth, by the words before it."""
    before = document.text[max(0, span.start - CONTEXT) : span.start]
    return kinds.kind_of(span.type) == kinds.DATE and BIRTH.search(before) is not None


def is_old_age(document: Document, span: Span) -> bool:
    """Whether a span is an age over 89."""
    text = document.text_of(span)
    return kinds.kind_of(span.type) == kinds.AGE and ages.generalise_age(text) not in (text, None)


class PatientSurrogates:
    """Makes the surrogates of one patient, in English. Equal arguments give equal surrogates. ``facts`` are
    collected from all notes that are redacted together. ``assigned_names`` are earlier surrogates of names;
    ``assigned`` holds the surrogates of places and numbers, and new ones are added to it. With
    ``keeps_states`` a town becomes a town of its own state."""

    makers = Makers()
    is_word: Callable[[str], bool] | None = None  # true of the folded words of another language

    def __init__(
        self,
        secret: bytes,
        id: str,
        facts: PatientFacts | None = None,
        rules: Rules | None = None,
        assigned_names: dict[str, str] | None = None,
        assigned: dict[str, str] | None = None,
        keeps_states: bool = False,
    ) -> None:
        self.facts, self.rules = facts or PatientFacts(), rules or Rules()
        self.choices = KeyedChoices(secret, id)
        self.assigned = {} if assigned is None else assigned
        of_doctors = make_doctors(secret, self.makers.names) if self.rules.same_doctors else None
        makers, check_digits = self.makers, self.rules.check_digits
        self.names = makers.names(self.choices, self.facts, assigned_names, of_doctors)
        self.institutions = makers.institutions(self.choices, self.facts, self.names, self.assigned)
        self.places = makers.places(self.choices, self.facts, self.institutions, keeps_states)
        self.identifiers = makers.identifiers(self.choices, self.facts, self.assigned, check_digits)
        self.contacts = makers.contacts(self.choices, self.facts, self.names)
        if type(self.places) is Places:
            self.contacts.replace_area = self.places.replace_area
        self.dates = makers.dates.draw(
            self.choices, self.rules.years, self.rules.weeks, self.facts.month_first
        )
        self.latest: date | None = None  # date of the notes, where one of them names a birth
        self.old_births: set[date] = set()  # more than 89 years before

    def note_births(self, documents: Sequence[Document]) -> None:
        """Note which births the notes of the patient show to be of a person over 89. A note that has no other
        date than the birth does not show it by itself."""
        births, others = set[date | None](), set[date | None]()
        for note in documents:
            for span in note.spans:
                if kinds.kind_of(span.type) == kinds.DATE:
                    (births if is_birth(note, span) else others).add(self._find_date_of(note, [span]))
        days, first = births - {None}, min(filter(None, births), default=UNDATED)
        if births:
            seen = (day for day in others - births if day and day.year - first.year <= MOST_YEARS)
            self.latest = max(seen, default=None)
        if self.latest:
            last = self.latest.year - ages.OLDEST - 1
            self.old_births = {day for day in days if day and day.year <= last}

    def shows_old_birth(self, document: Document, span: Span) -> bool:
        """Whether a date is of a birth that a note of the patient shows to be more than 89 years ago."""
        if kinds.kind_of(span.type) != kinds.DATE:
            return False
        if is_birth(document, span) and self.dates.shows_old_age(document.text_of(span), self.latest, True):
            return True
        return bool(self.old_births) and self._find_date_of(document, [span]) in self.old_births

    def find_note_date(self, document: Document) -> date | None:
        """Return the note's own date, which completes dates without a year or month: a birth only where the
        note has no other whole date."""
        dates = [span for span in document.spans if kinds.kind_of(span.type) == kinds.DATE]
        others = [span for span in dates if not is_birth(document, span)]
        return self._find_date_of(document, others) or self._find_date_of(document, dates)

    def _find_date_of(self, document: Document, spans: Iterable[Span]) -> date | None:
        return self.dates.find_note_date([document.text_of(span) for span in spans])

    def shows_old_year(self, document: Document, span: Span) -> bool:
        """Whether the real year of a date shows an age over 89: that the patient lived then. A note without
        a whole date other than a birth is taken for one of :data:`UNDATED`; if it has an age over 89, all
        years of birth show it, and if it has no age, those of two digits that may."""
        births = {each for each in document.spans if is_birth(document, each)}
        dates = (each for each in document.spans if kinds.kind_of(each.type) == kinds.DATE)
        note_date = self._find_date_of(document, (each for each in dates if each not in births))
        text, is_born = document.text_of(span), span in births
        if self.dates.shows_old_age(text, note_date or UNDATED, is_born and note_date is not None):
            return True
        if note_date or not is_born:
            return False
        aged = [each for each in document.spans if kinds.kind_of(each.type) == kinds.AGE]
        if not aged:  # born in '21 may be 1921
            return any(self.dates.shows_old_age(text, date(year, 1, 1), True) for year in UNDATED_YEARS)
        return any(is_old_age(document, each) for each in aged)

    def make_surrogate(self, document: Document, span: Span, note_date: date | None = None) -> str | None:
        """Make the surrogate of a span. Return None if its text cannot be read. The surrogate equals the text
        only if :func:`may_stay` says so, or for an age up to 89."""
        text, kind = remove_invisible(document.text_of(span)), kinds.kind_of(span.type)
        if kind == kinds.AGE:
            made = ages.generalise_age(text, document.text[span.end : span.end + kinds.UNIT_LENGTH])
            return made and ages.write_decade(text, made)
        if may_stay(document, span):
            return text
        if kind == kinds.DATE:
            after = document.text[span.end : span.end + kinds.UNIT_LENGTH]
            made = self.dates.shift_text(text, note_date, after)
            return made and begin_sentence(document, span, made)
        if kind == kinds.CITY:
            return self.places.replace_city(text, find_state_beside(document, span))
        knows_doctors = self.facts.complete or self.rules.same_doctors
        if kind == kinds.NAME and knows_doctors and is_doctor(span.type):
            made = self.names.replace_names(text, DOCTORS)
        else:
            made = REPLACERS[kind](self, text) if kind in REPLACERS else None
        return made if made != text else None

    def generalize(self, document: Document, span: Span, to: str, note_date: date | None) -> str | None:
        """Make the text of a span less exact, as :func:`generalize` does."""
        return generalize(document, span, to, self.dates, note_date)

    @staticmethod
    def is_place(kind: str, text: str) -> bool:
        """Whether a text is a state or country of another language than English, which a policy may keep."""
        return False

    def replace_zip(self, text: str) -> str | None:
        if not any(c.isdecimal() for c in text):
            return None
        return generalise_zip(text) if self.rules.zip == "three" else self.places.replace_zip(text)

    def replace_room(self, text: str) -> str | None:
        return replace_characters(text, self.choices, "room") if any(c.isalnum() for c in text) else None


REPLACERS: dict[str, Callable[[PatientSurrogates, str], str | None]] = {
    kinds.NAME: lambda patient, text: patient.names.replace_names(text),
    kinds.USERNAME: lambda patient, text: patient.contacts.replace_username(text),
    kinds.STREET: lambda patient, text: patient.institutions.replace_street(text),
    kinds.STATE: lambda patient, text: patient.places.replace_state(text),
    kinds.ZIP: PatientSurrogates.replace_zip,
    kinds.COUNTRY: lambda patient, text: patient.places.replace_country(text),
    kinds.HOSPITAL: lambda patient, text: patient.institutions.replace_institution(text),
    kinds.ORGANIZATION: lambda patient, text: patient.institutions.replace_institution(text),
    kinds.DEPARTMENT: lambda patient, text: patient.institutions.replace_department(text),
    kinds.PLACE: lambda patient, text: patient.institutions.replace_place(text),
    kinds.ROOM: PatientSurrogates.replace_room,
    kinds.PROFESSION: lambda patient, text: patient.institutions.replace_job(text),
    kinds.PHONE: lambda patient, text: patient.contacts.replace_phone(text),
    kinds.EMAIL: lambda patient, text: patient.contacts.replace_email(text),
    kinds.URL: lambda patient, text: patient.contacts.replace_url(text),
    kinds.IP: lambda patient, text: patient.contacts.replace_ip(text),
    kinds.IDENTIFIER: lambda patient, text: patient.identifiers.replace_identifier(text),
}  # by the kind of a text, for kinds that need nothing but the text


def begin_sentence(document: Document, span: Span, made: str) -> str:
    """Return a surrogate with a capital where the real text begins a sentence with one: "Thanksgiving break"
    becomes "Fall break" there."""
    is_first = document.text[span.start].isupper() and made[0].islower()
    if is_first and SENTENCE_BEFORE.search(document.text, max(0, span.start - CONTEXT), span.start):
        return made[0].upper() + made[1:]
    return made


def make_doctors(secret: bytes, make: type[Names] = Names) -> Names:
    """The surrogates of doctors that are the same for all patients: they depend only on the name."""
    return make(KeyedChoices(secret, ALL_PATIENTS), PatientFacts(complete=False))


def may_stay(document: Document, span: Span) -> bool:
    """Whether a span may be kept: a weekday or season (a shift of whole weeks keeps them), or the USA in an
    American address."""
    text, kind = document.text_of(span), kinds.kind_of(span.type)
    if kind == kinds.DATE:
        return DateShifter.is_weekday_or_season(text) and any(c.isalpha() for c in text)
    return kind == kinds.COUNTRY and is_us(text) and is_in_address(document, span)


def is_in_address(document: Document, span: Span) -> bool:
    """Whether a city, state or ZIP code ends just before the span. The document's spans do not overlap."""
    at = bisect_left(document.spans, span.start, key=attrgetter("start"))
    before = document.spans[max(at - 1, 0) : at]
    return any(
        s.type in ("CITY", "STATE", "ZIP") and 0 <= span.start - s.end <= kinds.MAX_GAP for s in before
    )


def check_shifts(shifts: Mapping[str, int]) -> dict[str, int]:
    """Return the shifts. Raises :class:`ConfigurationError` for one that :func:`explain_wrong` refuses."""
    for number, (patient, days) in enumerate(shifts.items(), 1):
        if wrong := explain_wrong(days) if patient else "an empty id":
            raise ConfigurationError(f"the shift of patient number {number}: {wrong}")
    return dict(shifts)


def explain_wrong(days: int) -> str | None:
    """Say why dates cannot move by these days, if they cannot.

    >>> explain_wrong(-7308), explain_wrong(0)
    (None, '0 days do not hide a date')
    >>> explain_wrong(10)
    '10 days; wanted whole weeks, as 14 or -7308, which keep the weekdays'
    """
    if not days:
        return "0 days do not hide a date"
    if days % 7:
        return f"{days} days; {WANTED}"
    return f"{days} days; wanted at most {MOST_DAYS}" if abs(days) > MOST_DAYS else None


def draw_days(secret: bytes, identity: str, rules: Rules) -> int:
    """Draw the days of a patient."""
    return draw_shift(KeyedChoices(secret, identity), rules.years, rules.weeks).days


def choose_days(given: int | None, drawn: int, history: PatientHistory | None) -> int:
    """Choose between the days of a table, those that are drawn, and those by which a map has moved earlier
    notes of the patient. Raises :class:`ConfigurationError` if the table says others than the map."""
    earlier = None
    if history is not None and (history.pairs or history.days is not None):
        earlier = drawn if history.days is None else history.days
    if given is not None and earlier not in (None, given):
        raise ConfigurationError("the map has another shift for a patient, from earlier notes")
    return next(days for days in (given, earlier, drawn) if days is not None)
