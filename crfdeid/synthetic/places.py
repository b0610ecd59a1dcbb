"""Hospitals, towns, streets, employers: drawn from lists, or built from names and patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from crfdeid.synthetic import invented, people
from crfdeid.synthetic.drawing import belongs, draw, listed, pattern
from crfdeid.synthetic.numbers import number


@dataclass(frozen=True)
class Hospital:
    full: str
    acronym: str
    nick: str


@dataclass(frozen=True)
class Town:
    """A city with the state it is in (name and postal abbreviation) and a zip code there."""

    city: str
    state: str
    abbr: str
    zip: str


def town(rng: Random, part: str) -> Town:
    """A real town with its state and zip (``Dayton|OH|454`` in the list), or an invented
    one in a real state."""
    states = dict(line.split("|") for line in listed("state_names"))
    known = [line.split("|") for line in listed("towns") if belongs(line.split("|")[0], part)]
    city, abbr, start = rng.choice(known)
    if rng.random() < 0.65:
        city = draw(part, lambda: city_name(rng))
        abbr = rng.choice(list(states)) if rng.random() < 0.5 else abbr
    return Town(city, states[abbr], abbr, start + number("zip", rng)[len(start) :])


def city_name(rng: Random) -> str:
    if rng.random() < 0.45 and (cities := listed("us_cities")):
        return people.named(rng.choice(cities))
    name = invented.place(rng)
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


def hospital(rng: Random, part: str) -> Hospital:
    known = [name for name in listed("hospitals", part) if " " in name]
    full = (
        rng.choice(known)
        if known and rng.random() < 0.3
        else draw(part, lambda: patterned("hospital", rng, part))
    )
    return Hospital(full, acronym(full), nick(full))


def organization(rng: Random, part: str) -> str:
    known = listed("organizations", part)
    return (
        rng.choice(known)
        if known and rng.random() < 0.35
        else draw(part, lambda: patterned("organization", rng, part))
    )


def department(rng: Random, part: str) -> str:
    return draw(part, lambda: patterned("ward", rng, part))


def location(rng: Random, part: str) -> str:
    return draw(part, lambda: patterned("location", rng, part))


def patterned(kind: str, rng: Random, part: str) -> str:
    parts: dict[str, Callable[[], str]] = {
        "sur": lambda: people.surname(rng, part),
        "sur2": lambda: people.surname(rng, part),
        "city": lambda: draw(part, lambda: city_name(rng)),
        "place": lambda: invented.place(rng),
        "saint": lambda: f"{rng.choice(('St.', 'St.', 'Saint', 'St'))} {rng.choice(listed('saints'))}",
        "word": lambda: rng.choice(listed("place_words")),
        "state": lambda: rng.choice(listed("state_names")).split("|")[1],
        "number": lambda: str(rng.randint(1, 30)),
    }
    shape = pattern(kind, rng)
    return shape.format(**{name: make() for name, make in parts.items() if f"{{{name}}}" in shape})


def acronym(full: str) -> str:
    """
    >>> acronym("University of Idaho Medical Center")
    'UIMC'
    """
    letters = [word[0] for word in full.replace("-", " ").split() if word[0].isupper()]
    return "".join(letters) if len(letters) > 1 else full[:3].upper() + "H"


def nick(full: str) -> str:
    """What staff call it.

    >>> nick("St. Luke's Medical Center"), nick("Dayton General Hospital")
    ("St. Luke's", 'Dayton General')
    """
    words = full.removeprefix("Hospital of ").removeprefix("University of ").split()
    kept = (
        words[:2]
        if words[0] in ("St.", "Saint", "St") or words[1:2] in (["General"], ["Memorial"])
        else words[:1]
    )
    return " ".join(kept).rstrip(",")


NTH = ("2nd", "3rd", "4th", "5th", "12th", "42nd", "First", "Second", "Third", "Ninth")
DIRECTIONS = ("N.", "S.", "E.", "W.", "North", "South", "West", "East")


def street(rng: Random, part: str) -> str:
    """A house number and a street, or a post office box."""
    nth, kind = rng.choice(NTH), rng.choice(listed("street_types"))
    return pattern("street", rng).format(
        no=rng.choice((rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 19999))),
        road=road(rng, part),
        type=kind,
        TYPE=kind.upper(),
        nth=nth,
        NTH=nth.upper(),
        unit=rng.choice((str(rng.randint(1, 40)), f"{rng.randint(1, 9)}{rng.choice('ABC')}")),
        dir=rng.choice(DIRECTIONS),
    )


def road(rng: Random, part: str) -> str:
    """What a street is named after: a person, a tree, a town."""
    chance = rng.random()
    if chance < 0.25:
        return people.surname(rng, part)
    if chance < 0.7:
        return rng.choice(listed("place_words"))
    return invented.place(rng) if chance < 0.9 else people.first_name(rng, "F")
