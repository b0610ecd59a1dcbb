"""Realistic values for the development set: people, dates, numbers, composed towns, streets and hospitals.

No list here is in the gazetteers, except those of states and countries.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import TypeVar, cast

from devset_hospitals import draw_hospital
from devset_names import build_surname, draw_person

Value = TypeVar("Value")


def split_list(text: str) -> list[str]:
    """Return the entries of a list with commas."""
    return [entry.strip() for entry in text.replace("\n", " ").split(",")]


STREETS = split_list(
    "Larkmoor, Old Quarry, Thistlewood, Brannock, Pinfold, Cistern, Hollow, Ferry, Gatepost, Knoll"
)
STREET_KINDS = split_list("St, Street, Ave, Avenue, Rd, Lane, Drive, Blvd, Court, Way, Pl")
TOWN_HEADS = split_list(
    "Ash, Brock, Calder, Dun, Elm, Glen, Hart, Kirk, Lang, Marl, North, Quarr, Red, Stan, Thorn, Wex"
)
TOWN_TAILS = split_list("ford, ville, bury, field, ton, wick, haven, dale, mere, burg")
TOWNS = split_list("Scottsbluff, Elkhart, Yuma, Bangor, Dubuque, Macon, Pocatello, Erie, Santa Rosa, Tulsa")
STATES = {
    "NE": "Nebraska", "IN": "Indiana", "AZ": "Arizona", "ME": "Maine", "IA": "Iowa", "GA": "Georgia",
    "ID": "Idaho", "PA": "Pennsylvania", "CA": "California", "OK": "Oklahoma", "TX": "Texas", "OH": "Ohio",
}  # fmt: skip
COUNTRIES = split_list("Guatemala, Ukraine, Vietnam, Ghana, Ireland, Peru, Nepal, Iraq, Portugal")
SAINTS = split_list(
    "St. Brigid's, St. Cuthbert, St. Odile, Our Lady of the Lakes, Sacred Cross, St. Ansgar's"
)
CARE = split_list(
    "Hospital, Medical Center, Regional Medical Center, Community Hospital, Health Center, Clinic"
)
JOBS = split_list("""pipe fitter, school bus driver, retired librarian, dental hygienist, trucker, seamstress,
barista, orchard worker, court stenographer, retired machinist, line cook, music teacher, postal carrier,
roofer""")
EMPLOYERS = split_list(
    "Tolliver Freight, Bright Acre Dairy, Kestrel Bank, Nordell Steel, Hollis Middle School"
)
SITES = split_list("orbit, mapletree, fastpost, northmail")
SHAPES = {"npi": ["1#########"], "digits": ["3#######", "#######", "##########"], "young": ["2#", "4#", "6#"]}


class Cast:
    """The people, dates and values of one note. The same slot always has the same value."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.known: dict[tuple[str, ...], object] = {}
        self.day = date(rng.randrange(2003, 2022), 1, 1) + timedelta(rng.randrange(365))

    def value(self, type: str, index: str = "", kind: str = "") -> str:
        """Return the text of the slot ``{TYPE<index>.kind}``."""
        if type in ("PATIENT", "DOCTOR"):
            return self.format_name(self.once(partial(draw_person, self.rng), type, index), kind or "full")
        if type == "DATE":
            return self.format_date(
                self.once(self.draw_birth if index == "3" else self.draw_date, type, index), kind
            )
        return self.once(lambda: self.draw_value(type, kind), type, index, kind)

    def once(self, draw: Callable[[], Value], *key: str) -> Value:
        """Return the value of ``key``, which ``draw`` gives the first time."""
        if key not in self.known:
            self.known[key] = draw()
        return cast(Value, self.known[key])  # a key has the type that its draw returns

    def format_name(self, person: tuple[str, str, str], kind: str) -> str:
        first, middle, last = person
        return {
            "full": f"{first} {last}",
            "middle": f"{first} {middle}. {last}",
            "last": last,
            "first": first,
            "comma": f"{last}, {first}",
            "caps": f"{last}, {first} {middle}".upper(),
            "capscomma": f"{last}, {first}".upper(),
            "capsfull": f"{first} {last}".upper(),
            "capslast": last.upper(),
            "capsfirst": first.upper(),
            "initials": first[0] + middle + last[0],
            "nick": first[:3].removesuffix("e") + "ie",
            "hl7": f"{last}^{first}^{middle}".upper(),
            "short": f"{first[0]}. {last}",
            "vista": f"{last},{first} {middle}".upper(),
            "lower": f"{first} {last}".lower(),
            "firstlower": first.lower(),
            "lowerlast": last.lower(),
            "lowercomma": f"{last}, {first}".lower(),
        }[kind]

    def draw_date(self) -> date:
        return self.day - timedelta(self.rng.choice([0, 0, 1, 2, 9, 30, 200, 900, 9000]))

    def draw_birth(self) -> date:
        return self.day - timedelta(self.rng.randrange(7000, 33000))

    def format_date(self, day: date, kind: str) -> str:
        numeric = f"{day.month}/{day.day}/{day.year}"
        forms = {
            "us": numeric,
            "us2": f"{day:%m/%d/%y}",
            "us4": f"{day:%m/%d/%Y}",
            "long": f"{day:%B} {day.day}, {day.year}",
            "iso": day.isoformat(),
            "dash": f"{day:%d-%b-%Y}",
            "noyear": f"{day.month}/{day.day}",
            "month": f"{day:%B} {day.year}",
            "year": f"{day.year}",
            "words": f"{day:%b} {day.day}".lower(),
            "weekday": f"{day:%A}",
            "monthonly": f"{day:%B}",
            "monthlower": f"{day:%B}".lower(),
            "my": f"{day:%m/%y}",
            "season": ("winter", "spring", "summer", "fall")[day.month % 12 // 3],
            "compact": f"{day:%Y%m%d}",
            "ddmmm": f"{day:%d%b%Y}".upper(),
        }
        return forms[kind or self.rng.choice(["us", "us2", "us4", "long", "iso", "dash"])]

    def fill_digits(self, shape: str) -> str:
        return "".join(str(self.rng.randrange(10)) if sign == "#" else sign for sign in shape)

    def draw_value(self, type: str, kind: str) -> str:
        rng = self.rng
        choices = {
            "HOSPITAL": lambda: self.draw_hospital(kind),
            "AGE": lambda: str(rng.randrange(19, 93)),
            "PHONE": lambda: self.fill_digits(
                rng.choice(["(5##) ###-####", "###-555-####", "###.###.####", "x#-####"])
            ),
            "FAX": lambda: self.fill_digits("(4##) 555-####"),
            "MEDICALRECORD": lambda: self.fill_digits(
                rng.choice(["#######", "########", "###-##-##", "MR######", "## ## ##"])
            ),
            "ACCOUNT": lambda: self.fill_digits(rng.choice(["V0########", "##########"])),
            "IDNUM": lambda: self.fill_digits(
                rng.choice(["S-##-#####", "########-###", "RX####/##", "#-########"])
            ),
            "HEALTHPLAN": lambda: self.fill_digits("W#########"),
            "SSN": lambda: self.fill_digits("###-##-####"),
            "URL": lambda: f"www.{build_surname(rng).lower()}.example/{rng.choice(['records', 'i', 'pt'])}",
            "DEVICE": lambda: self.fill_digits("PJN######"),
            "ZIP": lambda: self.fill_digits("#####"),
            "STREET": lambda: f"{rng.randrange(3, 9900)} {rng.choice(STREETS)} {rng.choice(STREET_KINDS)}",
            "CITY": lambda: rng.choice([rng.choice(TOWNS), rng.choice(TOWN_HEADS) + rng.choice(TOWN_TAILS)]),
            "STATE": lambda: rng.choice(list(STATES.values() if kind == "full" else STATES)),
            "COUNTRY": lambda: rng.choice(COUNTRIES),
            "PROFESSION": lambda: rng.choice(JOBS),
            "ORGANIZATION": lambda: rng.choice(EMPLOYERS),
            "DEPARTMENT": lambda: self.fill_digits(f"{build_surname(rng)} #"),
            "ROOM": lambda: self.fill_digits("##0-B"),
            "USERNAME": lambda: rng.choice("abcdklmt") + rng.choice("rsvhn") + self.fill_digits("###"),
            "EMAIL": lambda: f"{build_surname(rng).lower()}{rng.randrange(99)}@{rng.choice(SITES)}.example",
        }
        if kind in SHAPES:
            return self.fill_digits(rng.choice(SHAPES[kind]))
        value = choices[type]()
        return value.lower() if kind == "lower" else value

    def draw_hospital(self, kind: str) -> str:
        rng = self.rng
        if kind in ("any", "acronym", "saint"):
            town, surname = partial(self.draw_value, "CITY", ""), partial(build_surname, rng)
            return draw_hospital(rng, kind, town, surname)
        town = rng.choice(TOWN_HEADS) + rng.choice(TOWN_TAILS)
        names = [town, town, f"{build_surname(rng)} Memorial", rng.choice(SAINTS), rng.choice(TOWNS)]
        return f"{rng.choice(names)} {rng.choice(CARE)}"
