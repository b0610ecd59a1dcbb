"""The people and places of a note, and the texts that fill its slots.

A :class:`PatientWorld` is one patient with the people and places around them, the same in all
their notes; a :class:`Cast` is that world on the day of one note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from random import Random

from crfdeid.synthetic import clinical, dates, invented, numbers, people, places
from crfdeid.synthetic.drawing import choose_weighted, read_list
from crfdeid.synthetic.frames import INVENTED, LISTED, Frame, Slot, span_type
from crfdeid.synthetic.people import Person
from crfdeid.synthetic.pieces import Piece

JOB_PREFIXES = (
    "retired",
    "former",
    "part-time",
    "senior",
    "assistant",
    "freelance",
    "self-employed",
    "night",
)
NUMBERS = (
    "phone", "pager", "fax", "ipaddr", "ssn", "healthplan", "account", "license", "vehicle", "device",
    "bioid", "idnum", "npi", "nhs", "postcode", "uk_phone",
)  # fmt: skip
# A filler writes the text of a slot, in the form of the slot's variant.
Filler = Callable[["Cast", str | None], str]


@dataclass(frozen=True)
class PatientWorld:
    """``first_note`` is the day of the first note; the keys of ``staff`` are doctor, doctor2, doctor3
    and nurse."""

    part: str
    patient: Person
    dob: date
    first_note: date
    record: str
    staff: dict[str, Person]
    hospital: places.Hospital
    hospital2: places.Hospital
    town: places.Town
    hospital_town: places.Town


def draw_world(rng: Random, part: str) -> PatientWorld:
    """Invent a patient with the people and places around them."""
    age = max(0, min(101, int(rng.gauss(62, 19)))) if rng.random() < 0.93 else rng.randint(0, 17)
    # Half of the notes have the shifted years of the 2014 corpus, half have years of our time.
    year = rng.randint(2059, 2152) if rng.random() < 0.5 else rng.randint(1986, 2026)
    first_note = date(year, 1, 1) + timedelta(rng.randrange(365))
    return PatientWorld(
        part=part,
        patient=people.draw_person(rng, part),
        dob=first_note - timedelta(age * 365.25 + rng.randrange(5, 360)),
        first_note=first_note,
        record=numbers.draw_number("medicalrecord", rng),
        staff={role: people.draw_person(rng, part) for role in ("doctor", "doctor2", "doctor3", "nurse")},
        hospital=places.draw_hospital(rng, part),
        hospital2=places.draw_hospital(rng, part),
        town=places.draw_town(rng, part),
        hospital_town=places.draw_town(rng, part),
    )


class Cast:
    """``rng`` makes the random choices of the note; ``today`` is its day; ``town`` is the town of
    addresses (in a letterhead, that of the hospital)."""

    def __init__(self, world: PatientWorld, rng: Random, today: date) -> None:
        self.world, self.rng, self.today = world, rng, today
        self.town = world.town
        self.numeric = dates.choose_numeric_shape(rng) if rng.random() < 0.8 else None
        self.used: dict[str, str] = {}

    def render(self, frame: Frame) -> list[Piece]:
        """Make the choices of the frame and fill its slots."""
        pieces: list[Piece] = []
        for part in frame.parts:
            chosen = self.rng.choice(part.branches) if not isinstance(part, (str, Slot)) else (part,)
            pieces += [self.fill(inner) if isinstance(inner, Slot) else Piece(inner) for inner in chosen]
        return pieces

    def fill(self, slot: Slot) -> Piece:
        """Fill a slot."""
        text = FILLERS[slot.name](self, slot.variant)
        return Piece(text[:1].upper() + text[1:] if slot.capital else text, span_type(slot.name))

    def once(self, key: str, make: Callable[[], str]) -> str:
        """Return a value that mostly stays the same in the note: the first one made for ``key``."""
        if key not in self.used or self.rng.random() < 0.1:
            self.used[key] = make()
        return self.used[key]

    @property
    def age(self) -> int:
        return max(0, int((self.today - self.world.dob).days / 365.25))


def write_person(cast: Cast, person: Person, variant: str | None) -> str:
    if cast.rng.random() < 0.02:
        person = replace(person, last=invented.misspell(person.last, cast.rng))
    return people.write_name(person, variant or "full", cast.rng)


def staff_filler(role: str) -> Filler:
    return lambda cast, variant: write_person(cast, cast.world.staff[role], variant)


def fill_stranger(cast: Cast, variant: str | None) -> str:
    """Write the name of a new person. The staff of a hospital come from anywhere."""
    return write_person(cast, people.draw_person(cast.rng, cast.world.part), variant)


def fill_relative(cast: Cast, variant: str | None) -> str:
    """Write the name of a relative, most of whom come from the patient's region."""
    patient, rng = cast.world.patient, cast.rng
    last = patient.last if rng.random() < 0.5 else None
    region = patient.region if rng.random() < 0.85 else None
    return write_person(cast, people.draw_person(rng, cast.world.part, last=last, region=region), variant)


def day_filler(choose: Callable[[Cast], date]) -> Filler:
    return lambda cast, variant: dates.write_date(choose(cast), variant or "numeric", cast.rng, cast.numeric)


def fill_age(cast: Cast, variant: str | None) -> str:
    return clinical.write_age(cast.age, variant, cast.rng)


def draw_relative_age(rng: Random) -> int:
    """Draw the age of a relative, or the age at which something happened to them: mostly an adult."""
    return rng.randint(30, 96) if rng.random() < 0.85 else rng.randint(1, 30)


def write_hospital(cast: Cast, hospital: places.Hospital, variant: str | None) -> str:
    if variant and variant != "full":
        return str(getattr(hospital, variant))
    return places.write_hospital(hospital.full, cast.rng)


def fill_other_hospital(cast: Cast, variant: str | None) -> str:
    """Write the name of the other hospital, or of one that is named once only."""
    is_new = cast.rng.random() < 0.5
    hospital = places.draw_hospital(cast.rng, cast.world.part) if is_new else cast.world.hospital2
    return write_hospital(cast, hospital, variant)


def fill_state(cast: Cast, variant: str | None) -> str:
    return cast.town.state if variant == "full" else cast.town.abbr


def fill_city(cast: Cast, variant: str | None) -> str:
    return cast.town.city


def fill_employer(cast: Cast, variant: str | None) -> str:
    return places.draw_organization(cast.rng, cast.world.part)


@cache
def read_jobs() -> list[str]:
    """Read the listed jobs, sorted by code point: the notes of a seed depend on this order."""
    return sorted(read_list("jobs"))


def fill_profession(cast: Cast, variant: str | None) -> str:
    kind = choose_weighted(cast.rng, ((3, "jobs"), (1, "professions")))
    job = cast.rng.choice(read_jobs() if kind == "jobs" else read_list(kind)).lower()
    return f"{cast.rng.choice(JOB_PREFIXES)} {job}" if cast.rng.random() < 0.12 else job


def fill_country(cast: Cast, variant: str | None) -> str:
    return cast.rng.choice(read_list("nations"))


def fill_email(cast: Cast, variant: str | None) -> str:
    person = cast.rng.choice([cast.world.patient, *cast.world.staff.values()])
    return numbers.draw_email(cast.rng, person.first, person.last)


def number_filler(kind: str) -> Filler:
    return lambda cast, variant: numbers.draw_number(kind, cast.rng)


def fill_record(cast: Cast, variant: str | None) -> str:
    return cast.world.record if cast.rng.random() < 0.9 else numbers.draw_number("medicalrecord", cast.rng)


def fill_username(cast: Cast, variant: str | None) -> str:
    """Write a login, half of the time with the initials of one of the staff."""
    login = numbers.draw_number("username", cast.rng)
    person = cast.rng.choice(list(cast.world.staff.values()))
    letters = (person.first[0] + person.last[0]).lower()
    return (
        letters + login.lstrip("abcdefghijklmnopqrstuvwxyz")
        if login[0].islower() and cast.rng.random() < 0.5
        else login
    )


def fill_room(cast: Cast, variant: str | None) -> str:
    number = cast.rng.randint(2, 1200)
    bed = cast.rng.choice("AB12")
    return cast.rng.choice((f"{number}", f"{number:03}", f"{number}{bed}", f"{number:03}-{bed}"))


def fill_author(cast: Cast, variant: str | None) -> str:
    """Write the author of a published article (``Ruiz AB``), who is not PHI."""
    initials = "".join(cast.rng.choices("ABCDEFGHJKLMPRSTW", k=cast.rng.choice((1, 2, 2))))
    return f"{people.draw_surname(cast.rng, cast.world.part)} {initials}"


def term_filler(name: str) -> Filler:
    return lambda cast, variant: clinical.choose_term(name, cast.rng)


def pronoun_filler(name: str) -> Filler:
    return lambda cast, variant: clinical.choose_pronoun(name, cast.world.patient.sex, cast.age, cast.rng)


def measure_filler(name: str) -> Filler:
    return lambda cast, variant: clinical.fill_measure(name, variant, cast.rng)


FILLERS: dict[str, Filler] = {
    "patient": lambda cast, variant: write_person(cast, cast.world.patient, variant),
    "relative": fill_relative,
    **{role: staff_filler(role) for role in ("doctor", "doctor2", "doctor3", "nurse")},
    "someone": fill_stranger,
    "date": day_filler(lambda cast: dates.draw_recent_day(cast.today, cast.rng)),
    "past_date": day_filler(lambda cast: dates.draw_past_day(cast.today, cast.rng)),
    "next_date": day_filler(lambda cast: dates.draw_next_day(cast.today, cast.rng)),
    "dob": day_filler(lambda cast: cast.world.dob),
    "today": day_filler(lambda cast: cast.today),
    "age": fill_age,
    "relative_age": lambda cast, variant: clinical.write_age(draw_relative_age(cast.rng), variant, cast.rng),
    "hospital": lambda cast, variant: write_hospital(cast, cast.world.hospital, variant),
    "hospital2": fill_other_hospital,
    "organization": fill_employer,
    "profession": fill_profession,
    "country": fill_country,
    "street": lambda cast, variant: cast.once(
        f"street {cast.town}", lambda: places.draw_street(cast.rng, cast.world.part)
    ),
    "city": fill_city,
    "state": fill_state,
    "zip": lambda cast, variant: cast.town.zip,
    "department": lambda cast, variant: places.draw_department(cast.rng, cast.world.part),
    "location_other": lambda cast, variant: places.draw_location(cast.rng, cast.world.part),
    "room": fill_room,
    "username": fill_username,
    "email": fill_email,
    "url": lambda cast, variant: numbers.draw_url(cast.rng),
    "medicalrecord": fill_record,
    **{kind: number_filler(kind) for kind in NUMBERS},
    **{name: term_filler(name) for name in (*LISTED, *INVENTED)},
    "author": fill_author,
    **{name: pronoun_filler(name) for name in clinical.PRONOUNS},
    **{name: measure_filler(name) for name in clinical.MEASURES},
}
