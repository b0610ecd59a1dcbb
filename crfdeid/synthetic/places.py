"""Hospitals, towns, streets and employers, drawn from lists or built from names and patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from crfdeid.synthetic import invented, people
from crfdeid.synthetic.drawing import choose_pattern, draw, is_in_part, read_list
from crfdeid.synthetic.numbers import draw_number


@dataclass(frozen=True)
class Hospital:
    full: str
    acronym: str
    nick: str


@dataclass(frozen=True)
class Town:
    """A city, its state (name and postal abbreviation) and one of its zip codes."""

    city: str
    state: str
    abbr: str
    zip: str


def draw_town(rng: Random, part: str) -> Town:
    """Draw a real town with its state and zip code (``Dayton|OH|454`` in the list), or an invented
    one in a real state."""
    states = dict(line.split("|") for line in read_list("state_names"))
    known = [line.split("|") for line in read_list("towns") if is_in_part(line.split("|")[0], part)]
    city, abbr, start = rng.choice(known)
    if rng.random() < 0.65:
        city = draw(part, lambda: draw_city_name(rng))
        abbr = rng.choice(list(states)) if rng.random() < 0.5 else abbr
    return Town(city, states[abbr], abbr, start + draw_number("zip", rng)[len(start) :])


def draw_city_name(rng: Random) -> str:
    """Draw the name of a town, listed or invented."""
    if rng.random() < 0.45 and (cities := read_list("us_cities")):
        return people.fix_case(rng.choice(cities))
    name = invented.invent_place(rng)
    if rng.random() < 0.25:
        name = (
            rng.choice(
                (
                    "North",
                    "South",
                    "East",
                    "West",
                    "New",
                    "Lake",
                    "Fort",
                    "Mount",
                    "Port",
                    "Glen",
                    "San",
                    "Saint",
                    "St.",
                )
            )
            + " "
            + name
        )
    return name


def draw_hospital(rng: Random, part: str) -> Hospital:
    """Draw a hospital of the part, listed or invented."""
    known = [name for name in read_list("hospitals", part) if " " in name]
    full = (
        rng.choice(known)
        if known and rng.random() < 0.3
        else draw(part, lambda: fill_pattern("hospital", rng, part))
    )
    return Hospital(full, make_acronym(full), make_nickname(full))


def draw_organization(rng: Random, part: str) -> str:
    """Draw an organization of the part, listed or invented."""
    known = read_list("organizations", part)
    return (
        rng.choice(known)
        if known and rng.random() < 0.35
        else draw(part, lambda: fill_pattern("organization", rng, part))
    )


def draw_department(rng: Random, part: str) -> str:
    """Draw the name of a ward."""
    return draw(part, lambda: fill_pattern("ward", rng, part))


def draw_location(rng: Random, part: str) -> str:
    """Draw the name of another place."""
    return draw(part, lambda: fill_pattern("location", rng, part))


def fill_pattern(kind: str, rng: Random, part: str) -> str:
    """Build a name from a pattern of the kind."""
    parts: dict[str, Callable[[], str]] = {
        "sur": lambda: people.draw_surname(rng, part),
        "sur2": lambda: people.draw_surname(rng, part),
        "city": lambda: draw(part, lambda: draw_city_name(rng)),
        "place": lambda: invented.invent_place(rng),
        "saint": lambda: f"{rng.choice(('St.', 'St.', 'Saint', 'St'))} {rng.choice(read_list('saints'))}",
        "word": lambda: rng.choice(read_list("place_words")),
        "state": lambda: rng.choice(read_list("state_names")).split("|")[1],
        "number": lambda: str(rng.randint(1, 30)),
    }
    shape = choose_pattern(kind, rng)
    return shape.format(**{name: make() for name, make in parts.items() if f"{{{name}}}" in shape})


def make_acronym(full: str) -> str:
    """Return the acronym of a hospital's name.

    >>> make_acronym("University of Idaho Medical Center")
    'UIMC'
    """
    letters = [word[0] for word in full.replace("-", " ").split() if word[0].isupper()]
    return "".join(letters) if len(letters) > 1 else full[:3].upper() + "H"


def make_nickname(full: str) -> str:
    """Return the short name that staff use.

    >>> make_nickname("St. Luke's Medical Center"), make_nickname("Dayton General Hospital")
    ("St. Luke's", 'Dayton General')
    """
    words = full.removeprefix("Hospital of ").removeprefix("University of ").split()
    first_words = (
        words[:2]
        if words[0] in ("St.", "Saint", "St") or words[1:2] in (["General"], ["Memorial"])
        else words[:1]
    )
    return " ".join(first_words).rstrip(",")


NTH = ("2nd", "3rd", "4th", "5th", "12th", "42nd", "First", "Second", "Third", "Ninth")
DIRECTIONS = ("N.", "S.", "E.", "W.", "North", "South", "West", "East")


def draw_street(rng: Random, part: str) -> str:
    """Draw a house number and a street, or a post office box."""
    nth, kind = rng.choice(NTH), rng.choice(read_list("street_types"))
    return choose_pattern("street", rng).format(
        no=rng.choice((rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 19999))),
        road=draw_road(rng, part),
        type=kind,
        TYPE=kind.upper(),
        nth=nth,
        NTH=nth.upper(),
        unit=rng.choice((str(rng.randint(1, 40)), f"{rng.randint(1, 9)}{rng.choice('ABC')}")),
        dir=rng.choice(DIRECTIONS),
    )


def draw_road(rng: Random, part: str) -> str:
    """Draw the name of a street: that of a person, a tree or a town."""
    chance = rng.random()
    if chance < 0.25:
        return people.draw_surname(rng, part)
    if chance < 0.7:
        return rng.choice(read_list("place_words"))
    return invented.invent_place(rng) if chance < 0.9 else people.draw_first_name(rng, "F")
