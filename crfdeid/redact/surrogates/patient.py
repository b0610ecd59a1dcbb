"""All surrogates of one patient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from crfdeid.redact.surrogates import ages, kinds, zips
from crfdeid.redact.surrogates.contacts import Contacts
from crfdeid.redact.surrogates.dates import shift
from crfdeid.redact.surrogates.identifiers import Identifiers, patterned
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.internet_addresses import Addresses
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.redact.surrogates.places import Places, in_us
from crfdeid.text.document import Document, Span


@dataclass(frozen=True)
class Rules:
    """What can be chosen. ``years`` and ``weeks`` bound the shift of dates (weeks are how far seasons
    may drift); ``zip`` is ``surrogate`` or ``three`` (the Safe Harbor's three digits)."""

    years: int = shift.YEARS
    weeks: int = shift.WEEKS
    zip: str = "surrogate"


class PatientSurrogates:
    """``known`` is what the notes that are looked at together say; ``fixed`` are the names given before,
    ``given`` what places and numbers were, which is added to. Equal arguments give equal surrogates."""

    def __init__(
        self,
        secret: bytes,
        id: str,
        known: PatientFacts | None = None,
        rules: Rules | None = None,
        fixed: dict[str, str] | None = None,
        given: dict[str, str] | None = None,
    ) -> None:
        self.known, self.rules = known or PatientFacts(), rules or Rules()
        self.draws = KeyedChoices(secret, id)
        self.names = Names(self.draws, self.known, fixed)
        self.given = {} if given is None else given
        self.institutions = Institutions(self.draws, self.known, self.names, self.given)
        self.places = Places(self.draws, self.known, self.institutions)
        self.identifiers = Identifiers(self.draws, self.known, self.given)
        self.contacts = Contacts(self.draws, self.known, self.names)
        self.addresses = Addresses(self.draws, self.known, self.names, self.contacts)
        self.shift = shift.drawn(self.draws, self.rules.years, self.rules.weeks)
        self.makers: dict[str, Callable[[str], str | None]] = {
            kinds.NAME: self.names.text,
            kinds.USERNAME: self.contacts.username,
            kinds.STREET: self.institutions.street,
            kinds.STATE: self.places.state,
            kinds.ZIP: self.zip,
            kinds.HOSPITAL: self.institutions.institution,
            kinds.ORGANIZATION: self.institutions.institution,
            kinds.DEPARTMENT: self.institutions.department,
            kinds.PLACE: self.institutions.place,
            kinds.ROOM: self.room,
            kinds.PROFESSION: lambda text: self.institutions.listed("jobs", text),
            kinds.PHONE: self.contacts.phone,
            kinds.EMAIL: self.addresses.email,
            kinds.URL: self.addresses.url,
            kinds.IP: self.addresses.ip,
            kinds.IDENTIFIER: self.identifiers.text,
        }

    def anchor(self, document: Document) -> date | None:
        """The note's own date, by which what its dates leave out is told."""
        said = [document.text_of(s) for s in document.spans if kinds.of(s.type) == kinds.DATE]
        return shift.note_date(said, self.known.month_first)

    def surrogate(self, document: Document, span: Span, near: date | None = None) -> str | None:
        """What stands for a span, None where it cannot be read. It equals the text only where
        :func:`stays` says so."""
        text, kind = document.text_of(span), kinds.of(span.type)
        if kind == kinds.AGE:
            return ages.treated(text, document.text[span.end : span.end + 12])
        if stays(document, span):
            return text
        if kind == kinds.DATE:
            return shift.shifted(text, self.shift, near, self.known.month_first)
        if kind == kinds.CITY:
            return self.places.city(text, state_beside(document, span))
        if kind == kinds.COUNTRY:
            return self.places.country(text)
        made = self.makers[kind](text) if kind in self.makers else None
        return made if made != text else None

    def zip(self, text: str) -> str | None:
        if not any(c.isdecimal() for c in text):
            return None
        return zips.generalised(text) if self.rules.zip == "three" else self.places.zip(text)

    def room(self, text: str) -> str | None:
        return patterned(text, self.draws, "room") if any(c.isalnum() for c in text) else None


def stays(document: Document, span: Span) -> bool:
    """Whether a span may stand as it is: a weekday or season (a shift of whole weeks keeps them), an
    age up to 89, and the US in an American address."""
    text, kind = document.text_of(span), kinds.of(span.type)
    if kind == kinds.DATE:
        return shift.only_weekday(text) and any(c.isalpha() for c in text)
    if kind == kinds.AGE:
        return ages.treated(text, document.text[span.end : span.end + 12]) == text
    return kind == kinds.COUNTRY and in_us(text) and in_address(document, span)


def in_address(document: Document, span: Span) -> bool:
    return any(
        s.type in ("CITY", "STATE", "ZIP") and 0 <= span.start - s.end <= kinds.NEAR for s in document.spans
    )


def state_beside(document: Document, span: Span) -> str | None:
    """The postal abbreviation of the state that follows a city, or of its ZIP code."""
    for other in document.spans:
        if 0 <= other.start - span.end <= kinds.NEAR:
            text = document.text_of(other)
            if other.type == "STATE":
                return zips.code(text)
            if other.type == "ZIP":
                return zips.state(text)
    return None
