"""The surrogates for the places of a text: people, places and numbers of :mod:`crfdeid.synthetic`.

In one text, the same placeholder is the same person. A form is a variant of docs/synthetic.md
(``full``, ``last``, ``numeric``); a gold span keeps its form.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from crfdeid.errors import SchemeError, did_you_mean
from crfdeid.synthetic import cast, dates, people, places
from crfdeid.synthetic.cast import Cast, PatientWorld
from crfdeid.synthetic.frames import PHI, Slot
from crfdeid.synthetic.people import Person
from crfdeid.synthetic.pieces import Piece
from crfdeid.synthetic.reidentify.convention import Place, SourceText
from crfdeid.synthetic.reidentify.renaming import NAMES, Renaming, is_renamable, split_words

SLOTS = {type: name for name, (type, _) in reversed(PHI.items())} | {"LOCATION": "city", "ID": "idnum"}
FURTHER_SLOTS = {
    "AGE": "relative_age",
    "HOSPITAL": "hospital2",
    "DATE": "past_date",
}  # from the second place on
TRIES = 100
STAFF_ROLES = ("doctor", "doctor2", "doctor3")
FEMALE = re.compile(r"\b(?:she|her|female|woman|lady|girl|mrs|ms)\b", re.IGNORECASE)
MALE = re.compile(r"\b(?:he|his|him|male|man|gentleman|boy|mr)\b", re.IGNORECASE)
YEAR = re.compile(r"\b(?:19|20|21)\d\d\b")


class SourceCast(Cast):
    """The people and places of one text. ``rename`` gives names another wording."""

    def __init__(self, source: SourceText, rng: Random, part: str, rename: Renaming | None) -> None:
        about = draw_matching_world(source, rng, part)
        self.rename = rename
        super().__init__(rename_world(about, rename) if rename else about, rng, about.first_note)
        self.numeric = dates.choose_numeric_shape(rng)
        self.patients: list[tuple[set[str], Person]] = []
        self.doctors: list[tuple[set[str], Person]] = []
        self.values: dict[tuple[str, str], str] = {}

    def fill(self, slot: Slot) -> Piece:
        text, type = super().fill(slot)
        return Piece(self.reword(text, type, slot.variant), type)

    def reword(self, text: str, type: str | None, form: str | None = None) -> str:
        """Return a name with another wording; any other text as it is."""
        if self.rename is None or type is None or not is_renamable(text, type, form):
            return text
        return self.rename(text, type)

    def make_surrogate(self, text: str, place: Place) -> str:
        """Return the surrogate for ``place``, whose text is ``text``. Raises :class:`SchemeError` for a type
        without surrogates."""
        if place.type not in SLOTS:
            where = f"the type at {place.start}-{place.end}"
            raise SchemeError(f"{where} has no surrogates{did_you_mean(place.type, SLOTS)}")
        form = self.rng.choice(place.forms) if place.forms else detect_form(text, place.type)
        if place.type in NAMES:
            return self.make_name(text, place, form)
        key = (place.type, text.casefold())
        if key not in self.values:
            self.values[key] = self.make_value(place.type, form, text)
        return self.values[key]

    def make_name(self, old: str, place: Place, form: str) -> str:
        """Return another name for the person of ``old``, or a new person's if both are alike (initials)."""
        person = self.find_person(old, place)
        while (made := people.write_name(person, form, self.rng)).casefold() == old.casefold():
            person = people.draw_person(self.rng, self.world.part)
        return self.reword(made, place.type, form)

    def make_value(self, type: str, form: str, old: str) -> str:
        """Return a value other than ``old``, if the type has enough values."""
        seen = any(known == type for known, _ in self.values)
        slot = FURTHER_SLOTS.get(type, SLOTS[type]) if seen else SLOTS[type]
        for _ in range(TRIES):
            made = self.fill(Slot(slot, form if form in PHI[slot][1] else None, False)).text
            if made.casefold() != old.casefold():
                break
            slot = FURTHER_SLOTS.get(type, SLOTS[type])
            self.town = places.draw_town(self.rng, self.world.part)
        return made

    def find_person(self, text: str, place: Place) -> Person:
        """Return the person of ``text``: a known one if it shares a word with an earlier name of theirs, else
        a new one. Every placeholder of a patient is the patient."""
        words = set(split_words(text)) or {text}
        known = self.patients if place.type == "PATIENT" else self.doctors
        for named, person in known:
            if named & words or (place.type == "PATIENT" and place.forms):
                named |= words
                return person
        person = self.draw_newcomer(place.type, len(known))
        while words & {*split_words(person.first), *split_words(person.last)}:
            person = people.draw_person(self.rng, self.world.part)
        known.append((words, person))
        return person

    def draw_newcomer(self, type: str, number: int) -> Person:
        """Return the person of the next new name of a type: the world's own people first."""
        if type == "PATIENT" and number == 0:
            return self.world.patient
        if type == "DOCTOR" and number < len(STAFF_ROLES):
            return self.world.staff[STAFF_ROLES[number]]
        return people.draw_person(self.rng, self.world.part)


def draw_matching_world(source: SourceText, rng: Random, part: str) -> PatientWorld:
    """Invent a world in which the patient has the sex and age that the text gives, and the first note is in
    the last year that the text mentions."""
    made = cast.draw_world(rng, part)
    women, men = len(FEMALE.findall(source.text)), len(MALE.findall(source.text))
    sex = made.patient.sex if women == men else "F" if women > men else "M"
    real = [(p.type, source.text[p.start : p.end]) for p in source.places if not p.replaced]
    years = [int(year) for _, text in real for year in YEAR.findall(text)]
    today = date(max(years, default=rng.randint(1995, 2012)), 1, 1) + timedelta(rng.randrange(365))
    ages = [int(text) for type, text in real if type == "AGE" and text.isdecimal()]
    age = ages[0] if ages and ages[0] < 110 else int((made.first_note - made.dob).days / 365.25)
    return replace(
        made,
        patient=people.draw_person(rng, part, sex),
        first_note=today,
        dob=today - timedelta(age * 365.25 + rng.randrange(5, 360)),
    )


def rename_world(about: PatientWorld, rename: Renaming) -> PatientWorld:
    """Give the names of a world other words; initials and acronyms follow."""

    def person(known: Person) -> Person:
        first, middle, last = (rename(name, "PATIENT") for name in (known.first, known.middle, known.last))
        return replace(known, first=first, middle=middle, last=last)

    def hospital(known: places.Hospital) -> places.Hospital:
        full = rename(known.full, "HOSPITAL")
        return places.Hospital(full, places.make_acronym(full), places.make_nickname(full))

    def town(known: places.Town) -> places.Town:
        return replace(known, city=rename(known.city, "CITY"), state=rename(known.state, "STATE"))

    return replace(
        about,
        patient=person(about.patient),
        staff={role: person(known) for role, known in about.staff.items()},
        hospital=hospital(about.hospital),
        hospital2=hospital(about.hospital2),
        town=town(about.town),
        hospital_town=town(about.hospital_town),
    )


def detect_form(text: str, type: str) -> str:
    """Detect the form of a gold span.

    >>> detect_form("Ruiz, Ana", "PATIENT"), detect_form("RS", "DOCTOR"), detect_form("May 4, 2061", "DATE")
    ('formal', 'initials', 'long')
    """
    if type in NAMES:
        if "," in text:
            return "formal"
        if text.isupper() and len(text.replace(".", "")) <= 3:
            return "initials"
        return "full" if len(text.split()) > 1 else "last"
    if type == "DATE":
        return detect_date_form(text)
    if type == "AGE":
        return "number" if any(c.isdigit() for c in text) else "words"
    if type == "STATE":
        return "abbr" if len(text) == 2 else "full"
    return "acronym" if type == "HOSPITAL" and text.isupper() and " " not in text else "full"


DATE_FORMS = (
    ("iso", r"\d{4}-\d\d?-\d\d?"),
    ("numeric", r"\d{1,4}[/.-]\d\d?[/.-]\d{1,4}"),
    ("numeric_noyear", r"\d\d?[/-]\d\d?"),
    ("year", r"\d{4}s?"),
    ("short_year", r"['’]\d\ds?"),
    ("ordinal", r"\d+(?:st|nd|rd|th)"),
    ("weekday", r"(?i)(?:mon|tue|wed|thu|fri|sat|sun)\w*"),
    ("season", r"(?i)(?:spring|summer|autumn|fall|winter)"),
    ("month_year", r"[A-Za-z]{3,9}\.?,?(?: of)? '?\d{2,4}"),
    ("month", r"[A-Za-z]{3,9}"),
    ("long_noyear", r"\D*\d{1,2}(?:st|nd|rd|th)?\D*"),
)


def detect_date_form(text: str) -> str:
    """Detect the form of a date.

    >>> [detect_date_form(text) for text in ("3/4/61", "3/4", "2061", "Tuesday", "June of 2061", "June 3rd")]
    ['numeric', 'numeric_noyear', 'year', 'weekday', 'month_year', 'long_noyear']
    """
    return next((form for form, pattern in DATE_FORMS if re.fullmatch(pattern, text)), "long")
