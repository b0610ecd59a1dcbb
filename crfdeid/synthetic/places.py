"""Hospitals, towns, streets and employers, drawn from lists or built from names and patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import regex

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
    """Draw a hospital of the part, listed or invented. One in eight has a tail (at a town, a campus, Inc.),
    which its short names do not have."""
    known = [name for name in read_list("hospitals", part) if " " in name]
    tail = fill_pattern("hospital_tail", rng, part) if rng.random() < TAILED else ""
    base = rng.choice(known) if known and rng.random() < LISTED else ""
    if not base or not is_in_part(base + tail, part):
        full = draw(part, lambda: fill_pattern("hospital", rng, part) + tail)
        base = full.removesuffix(tail)
    return Hospital(base + tail, make_acronym(base), make_nickname(base))


def write_hospital(full: str, rng: Random) -> str:
    """Write a hospital's full name as somebody types it: mostly as it is; else with abbreviations, with small
    letters, in capitals, or with a capital in every word."""
    chance = rng.random()
    if chance < 0.06:
        return SHORTENED.sub(lambda match: rng.choice(SHORT[match[0]]), full)
    if chance < 0.08:
        return SHORTENED.sub(lambda match: match[0].lower(), full)
    if chance < 0.1:
        return full.upper()
    if chance < 0.14:
        return full.replace(" of ", " Of ").replace(" and ", " And ").replace(" at ", " At ")
    return full.replace(" and ", " & ") if chance < 0.16 else full


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
        "letter": lambda: rng.choice("ABCDEN"),
        "side": lambda: rng.choice(("North", "South", "East", "West", "Downtown", "Midtown", "Northeast")),
        "brand": lambda: rng.choice(read_list("hospital_brands")),
        "trade": lambda: invent_trade_name(rng),
        "first": lambda: people.draw_first_name(rng, rng.choice("FM")),
        "m": lambda: f"{rng.choice('ABCDEFGHJLMRSTW')}. {rng.choice('ABCDEFGHJLMRSTW')}.",
    }
    shape = choose_pattern(kind, rng)
    return shape.format(**{name: make() for name, make in parts.items() if f"{{{name}}}" in shape})


def invent_trade_name(rng: Random) -> str:
    """Invent a health system's name with a capital inside, or in capitals.

    >>> invent_trade_name(Random(4))
    'OneEagle'
    """
    word = rng.choice(read_list("place_words"))
    if rng.random() < 0.2:
        return "".join(rng.sample("ABCDEHLMNPRSUVW", 3)) + rng.choice((" Health", "Health", " Medical", ""))
    begin, end = (
        rng.choice(("Care", "Med", "Health", "One", "True")),
        rng.choice(("Health", "Care", "Med", "One")),
    )
    return f"{begin}{word}" if rng.random() < 0.4 else f"{word}{end}"


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
    words = BEGINNINGS.sub("", full).split() or full.split()
    is_pair = words[0] in PAIR_WORDS or words[1:2] in (["General"], ["Memorial"])
    return " ".join(words[: 2 if is_pair else 1]).rstrip(",")


TAILED, LISTED = 0.125, 0.25  # the shares of hospitals with a tail, and from a list
BEGINNINGS = regex.compile(
    r"^(?:The )?(?:(?:Children's |Presbyterian )?Hospital (?:of|at) |University of |Medical Center of )?"
)
PAIR_WORDS = frozenset(
    ("St.", "Saint", "St", "Mt.", "Mount", "Our", "Holy", "Sacred", "Good", "Fort", "Lake", "Naval", "Bon")
)
SHORT = {
    "Hospital": ("Hosp", "Hosp."),
    "Medical Center": ("Med Ctr", "Med Center", "Medical Ctr", "Med. Ctr.", "MC"),
    "Health Center": ("Hlth Ctr", "Health Ctr"),
    "Memorial": ("Mem", "Meml", "Mem."),
    "Regional": ("Reg", "Reg.", "Regl"),
    "Community": ("Comm", "Comm."),
    "General": ("Gen", "Gen."),
    "University": ("Univ", "Univ."),
    "Children's": ("Childrens", "Child's"),
    "Clinic": ("Clin.", "Clinic"),
}
SHORTENED = regex.compile("|".join(rf"\b{word}\b" for word in SHORT))
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
    """Draw the name of a street: a person's, a tree's or a town's name."""
    chance = rng.random()
    if chance < 0.25:
        return people.draw_surname(rng, part)
    if chance < 0.7:
        return rng.choice(read_list("place_words"))
    return invented.invent_place(rng) if chance < 0.9 else people.draw_first_name(rng, "F")
