"""Sites for the benchmark of adapt: hospitals whose head, foot, staff, wards and numbers recur in all notes.

The texts are the documents of the written corpus's test hands, which no training has. In a site all doctors
are of one staff, hospitals and towns are of one region, and a head and a foot in the writing of that site
stand around the text. The four writings are in no training either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from crfdeid.synthetic import people, places
from crfdeid.synthetic.people import Person
from crfdeid.synthetic.pieces import Piece, build_document, tidy
from crfdeid.synthetic.written_corpus import Member, WrittenDocument, read_corpus
from crfdeid.synthetic.written_filler import Filler
from crfdeid.text.document import Document

PART = "test"  # of the names: training draws from the other part
STAFF, TOWNS, OTHERS = 18, 8, 5
SLOT = re.compile(r"\{(\w+)(?::([A-Z-]+))?\}")


@dataclass(frozen=True)
class Layout:
    """``head`` and ``foot`` have slots ``{name:TYPE}``; ``numbers`` are the forms of the site's numbers."""

    name: str
    hospital: str
    acronym: str
    head: str
    foot: str
    numbers: dict[str, str]
    date: str
    born: str
    wards: tuple[str, ...]

    def write_day(self, day: date, form: str) -> str:
        """Write a day; capital letters where the form has no sign between its parts."""
        written = day.strftime(form)
        return written if re.search(r"[ ./]", form) else written.upper()


LAYOUTS = (
    Layout(
        "northmere", "Northmere Ridge Medical Campus", "NRMC",
        "<<{acronym:HOSPITAL}>> ENC-SUM v4.2  pg 1\n"
        "PT: {last_first:PATIENT}  [{mrn:MEDICALRECORD}]  fin {fin:ACCOUNT}\n"
        "B/D {born:DATE} ({age:AGE} Y) {sex}  LOC {ward}  ATT {doctor_last:DOCTOR}  ADM {date:DATE}\n"
        "PCP {other_last_first:DOCTOR} @ {clinic:HOSPITAL} ({phone:PHONE})\n---\n",
        "\n---\nAUTH {user:USERNAME} {date:DATE} {clock} | cosign {doctor_last_first:DOCTOR}\n"
        "{hospital:HOSPITAL} * {street:STREET} * {city:CITY} {state:STATE} {zip:ZIP} * HIM x{ext:PHONE}\n",
        {"mrn": "44-#####-7", "fin": "N2########", "phone": "(806) 555-01##", "ext": "7#41", "zip": "79###"},
        "%d%b%Y", "%d%b%Y", ("7E-12", "7E-14", "OBS-3", "STEPDN 02", "7W-21"),
    ),
    Layout(
        "calderbrook", "Calderbrook and Ousedale Infirmary", "COI",
        "{hospital:HOSPITAL}\nward {ward} / cons {doctor_last:DOCTOR}\n"
        "hosp no {mrn:MEDICALRECORD}   nhs {nhs:MEDICALRECORD}\n"
        "{first_last:PATIENT} dob {born:DATE} of {street:STREET}, {city:CITY} {zip:ZIP}\n"
        "gp: {other_initial_last:DOCTOR}, {clinic:HOSPITAL}\ntyped {date:DATE} by {typist:DOCTOR}\n\n",
        "\n\npp {doctor_initial_last:DOCTOR} / {typist:DOCTOR}\nref {ref:IDNUM}\nsec tel {phone:PHONE}\n",
        {"mrn": "C/####/##", "nhs": "### ### ####", "phone": "01632 96####", "ref": "COI-##-####",
         "zip": "CB# #AB"},
        "%d.%m.%y", "%d.%m.%Y", ("Brontë", "Ousedale", "Millrace", "W14"),
    ),
    Layout(
        "tallowa", "Tallowa District Health Service", "TDHS",
        "TDHS_PROGNOTE|{mrn:MEDICALRECORD}|{last:PATIENT}|{first:PATIENT}|{born:DATE}|{sex}|{ward}|{date:DATE}"
        "|{doctor_last:DOCTOR}\nNOK: {next:PATIENT} {mobile:PHONE}  Medicare {medicare:HEALTHPLAN}\n\n",
        "\n\nEOD|{user:USERNAME}|{date:DATE}|{ref:IDNUM}|{acronym:HOSPITAL}\n",
        {"mrn": "T######", "mobile": "0491 570 ###", "medicare": "#### ##### #", "ref": "DOC######"},
        "%Y/%m/%d", "%Y/%m/%d", ("MED1", "MED2", "SURGB", "REHAB"),
    ),
    Layout(
        "kestrel", "Kestrel Point Family Health", "KPFH",
        "{short:HOSPITAL} visit. {first_last:PATIENT} ({first:PATIENT}), {age:AGE}, here {weekday_date:DATE} "
        "to see {doctor_first:DOCTOR}.\nchart {mrn:MEDICALRECORD}; card {card:HEALTHPLAN}; lives "
        "{street:STREET} ({city:CITY}); cell {phone:PHONE}\n\n",
        "\n\n{doctor_initials:DOCTOR}/{typist_initials:DOCTOR} {date:DATE}. Copy {other_last:DOCTOR}; "
        "front desk {desk:PHONE}, {acronym:HOSPITAL}, room {room:ROOM}.\n",
        {"mrn": "kp####", "card": "####-###-###-KP", "phone": "902.555.01##", "desk": "902.555.0100",
         "room": "#"},
        "%b %-d", "%Y/%m/%d", ("",),
    ),
)  # fmt: skip


class Site:
    """The staff and the region of a layout, drawn from its name."""

    def __init__(self, layout: Layout) -> None:
        rng = Random(layout.name)
        self.layout = layout
        self.staff = [people.draw_person(rng, PART, rng.choice("FM")) for _ in range(STAFF)]
        self.staff = [person for person in self.staff if person.order == "given_first"]
        self.towns = [places.draw_city_name(rng) for _ in range(TOWNS)]
        self.others = [places.draw_hospital(rng, PART).full for _ in range(OTHERS)]
        self.streets = [places.draw_street(rng, PART) for _ in range(40)]
        self.state = rng.choice(("TX", "NM", "OK"))


class SiteFiller(Filler):
    """Fills a written document with the people and places of a site."""

    def __init__(self, site: Site, document: WrittenDocument, rng: Random) -> None:
        self.site = site
        super().__init__(document, rng, PART)

    def _draw_person(self, member: Member, surnames: dict[str, str]) -> Person:
        if member.type == "DOCTOR":
            return self.rng.choice(self.site.staff)
        return super()._draw_person(member, surnames)

    def draw_town(self) -> str:
        return self.rng.choice(self.site.towns)

    def fill_hospital(self, text: str) -> str:
        own = self.rng.random() < 0.6
        if text.isupper() and len(text) <= 5:
            return self.site.layout.acronym
        name = self.site.layout.hospital if own else self.rng.choice(self.site.others)
        return name.split()[0] if len(text.split()) == 1 else name


def draw_notes(layout: Layout, seed: int = 1) -> list[Document]:
    """Return the notes of a site: a quarter of the test hands' documents, those with PHI."""
    site = Site(layout)
    documents = [d for d in read_corpus("test") if d.mentions]
    own = documents[LAYOUTS.index(layout) :: len(LAYOUTS)]
    return [draw_note(site, document, Random(f"{seed}-{layout.name}-{document.id}")) for document in own]


def draw_others(layout: Layout, seed: int = 1) -> list[Document]:
    """Return notes in a site's layout with the texts that :func:`draw_notes` leaves to other sites."""
    site, documents = Site(layout), [d for d in read_corpus("test") if d.mentions]
    del documents[LAYOUTS.index(layout) :: len(LAYOUTS)]
    return [draw_note(site, d, Random(f"{seed}-{layout.name}-{d.id}")) for d in documents]


def draw_note(site: Site, document: WrittenDocument, rng: Random) -> Document:
    """Return a document as a note of the site."""
    filler = SiteFiller(site, document, rng)
    filler.fillers = {**filler.fillers, "HOSPITAL": filler.fill_hospital}
    body = [Piece(p) if isinstance(p, str) else Piece(filler.fill(p), p.type) for p in document.parts]
    values = draw_values(site, filler, rng)
    pieces = [*fill_slots(site.layout.head, values), *body, *fill_slots(site.layout.foot, values)]
    return build_document(list(tidy(pieces)), f"{site.layout.name}-{document.id}", document.id)


def draw_values(site: Site, filler: SiteFiller, rng: Random) -> dict[str, str]:
    """Return what the slots of head and foot hold in one note."""
    patients = [filler.drawn[key] for key, member in filler.cast.items() if member.type == "PATIENT"]
    patient = patients[0] if patients else people.draw_person(rng, PART)
    doctor, other, typist = rng.sample(site.staff, 3)
    day = date(2023, 1, 1) + timedelta(rng.randrange(700))
    age = rng.randrange(19, 88)
    born = day - timedelta(age * 365 + rng.randrange(365))
    layout = site.layout
    values = {name: fill_signs(form, rng) for name, form in layout.numbers.items()}
    values |= {
        "hospital": layout.hospital,
        "acronym": layout.acronym,
        "short": layout.hospital.split()[0],
        "ward": rng.choice(layout.wards),
        "clinic": rng.choice(site.others),
        "city": rng.choice(site.towns),
        "street": rng.choice(site.streets),
        "state": site.state,
        "sex": patient.sex,
        "age": str(age),
        "date": layout.write_day(day, layout.date),
        "weekday_date": day.strftime(f"%a {layout.date}"),
        "born": layout.write_day(born, layout.born),
        "clock": f"{rng.randrange(24):02}{rng.randrange(60):02}",
        "next": people.draw_first_name(rng, rng.choice("FM")),
        "user": f"{doctor.last[:5]}{doctor.first[0]}".lower(),
        "typist": f"{typist.first[0]}{typist.last[0]}".lower(),
    }
    for head, person in (("", patient), ("doctor_", doctor), ("other_", other), ("typist_", typist)):
        values |= {
            f"{head}first": person.first, f"{head}last": person.last,
            f"{head}first_last": f"{person.first} {person.last}",
            f"{head}last_first": f"{person.last.upper()}, {person.first.upper()}",
            f"{head}initial_last": f"{person.first[0]} {person.last}",
            f"{head}initials": f"{person.first[0]}{person.last[0]}",
        }  # fmt: skip
    return values


def fill_signs(form: str, rng: Random) -> str:
    """Return the form of a number with a digit for each ``#``."""
    return re.sub("#", lambda match: str(rng.randrange(10)), form)


def fill_slots(text: str, values: dict[str, str]) -> Iterator[Piece]:
    """Yield the pieces of a head or a foot."""
    at = 0
    for match in SLOT.finditer(text):
        yield Piece(text[at : match.start()])
        yield Piece(values[match[1]], match[2])
        at = match.end()
    yield Piece(text[at:])


SOURCES: dict[str, Callable[[], list[Document]]] = {
    layout.name: (lambda layout=layout: draw_notes(layout)) for layout in LAYOUTS
}
