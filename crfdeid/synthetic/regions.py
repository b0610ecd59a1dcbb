"""Names of many regions, as notes in English write them.

``lists/regions.txt`` gives each region a weight and the shares of its habits:

- ``western``: the first name is an American one; ``single``: the person has one name
- ``family_first``: the full name begins with the family name
- ``composed``: a name is built from the syllables of the region (``lists/regional_syllables.txt``)
- ``two``: two surnames; ``fathers``: the last name is the first name of a man
- ``feminine``: the surname of a woman has its ending; ``patronymic``: the middle name has the father's name
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

import regex

from crfdeid.synthetic import invented
from crfdeid.synthetic.drawing import choose_weighted, draw, read_list

AMERICAN = "american"  # a mixture of all regions, with most names English
ACCENTS = 0.12  # the share of people whose names keep their accents
MISSPELT = 0.03
STROKES = str.maketrans("đĐøØłŁıßæÆðÐþÞœŒ", "dDoOlLisaAdDtToO")
SEXES = {"F": "female", "M": "male"}
SPACINGS = (("{}{}", 40), ("{}-{}", 22), ("{}-{cap}", 13), ("{} {cap}", 22), ("{}{cap}", 3))
FEMININE = (
    ("ov", "ova"), ("ev", "eva"), ("in", "ina"), ("skyy", "ska"), ("sky", "skaya"), ("ski", "ska"),
    ("cki", "cka"), ("ý", "á"),
)  # fmt: skip


@dataclass(frozen=True)
class Region:
    """``names`` holds the listed names by kind (surname, female, male, middle_female, middle_male);
    ``syllables`` the beginnings and ends of invented names by kind."""

    name: str
    weight: float
    habits: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    syllables: Mapping[str, tuple[list[str], list[str]]] = field(default_factory=dict)

    def follows(self, habit: str, rng: Random) -> bool:
        """Whether a person of the region follows the habit."""
        return rng.random() < self.habits.get(habit, 0.0)


@cache
def read_regions() -> dict[str, Region]:
    """Read the regions with their names and syllables."""
    names: dict[str, dict[str, list[str]]] = {}
    for region, kind, name in (entry.split("|") for entry in read_list("regional_names")):
        names.setdefault(region, {}).setdefault(kind, []).append(name)
    return {
        region.name: replace(region, names=names.get(region.name, {}), syllables=read_syllables(region.name))
        for region in map(parse_region, read_list("regions"))
    }


def parse_region(line: str) -> Region:
    """Read a line of ``lists/regions.txt``.

    >>> parse_region("arabic 3: single .02").habits
    {'single': 0.02}
    """
    head, _, habits = line.partition(":")
    words = habits.split()
    name, weight = head.split()
    return Region(name, float(weight), dict(zip(words[::2], map(float, words[1::2]))))


def read_syllables(region: str) -> dict[str, tuple[list[str], list[str]]]:
    """Read the beginnings and ends of a region's invented names, by kind."""
    found = {}
    for line in read_list("regional_syllables"):
        head, _, parts = line.partition(": ")
        name, kind = head.split()
        if name == region:
            starts, ends = parts.split(" | ")
            found[kind] = (starts.split(), ends.split())
    return found


def choose_region(rng: Random) -> str:
    """Choose the name of a region by weight."""
    return choose_weighted(rng, ((region.weight, name) for name, region in read_regions().items()))


def draw_given_name(region: Region, sex: str, part: str, rng: Random, accents: bool) -> str:
    """Draw a first name of the region for a person of that sex."""
    return draw(part, lambda: make_name(region, SEXES[sex], rng, accents))


def draw_middle_name(region: Region, sex: str, part: str, rng: Random, accents: bool) -> str:
    """Draw a middle name: a particle of the region (Van, Kaur), a patronymic, else a first name."""
    particles = region.names.get(f"middle_{SEXES[sex]}", ())
    if particles and rng.random() < 0.7:
        return respell(rng.choice(particles), rng, accents)
    if region.follows("patronymic", rng):
        return draw(part, lambda: add_patronymic(make_name(region, "male", rng, accents), sex))
    return draw_given_name(region, sex, part, rng, accents)


def draw_family_name(region: Region, sex: str, part: str, rng: Random, accents: bool) -> str:
    """Draw a last name, of one or two surnames; all of it and each surname belong to the part."""
    kind = "male" if region.follows("fathers", rng) else "surname"

    def make_one() -> str:
        name = draw(part, lambda: make_name(region, kind, rng, accents))
        return add_feminine_ending(name) if sex == "F" and region.follows("feminine", rng) else name

    link = ("-" if rng.random() < 0.3 else " ") if region.follows("two", rng) else ""
    return draw(part, lambda: link.join((make_one(), make_one())) if link else make_one())


def make_name(region: Region, kind: str, rng: Random, accents: bool) -> str:
    """Make a listed, composed or misspelt name of the kind, in one of its spellings."""
    if kind in region.syllables and region.follows("composed", rng):
        starts, ends = region.syllables[kind]
        name = (rng.choice(starts) + rng.choice(ends)).replace("_", " ").replace("--", "-")
    else:
        name = rng.choice(region.names[kind])
    if region.name in ("chinese", "korean"):
        name = space_syllables(name, rng)
    name = respell(name, rng, accents)
    return invented.misspell(name, rng) if name[1:].islower() and rng.random() < MISSPELT else name


def respell(name: str, rng: Random, accents: bool) -> str:
    """Write a name without its accents, except for people whose names keep them.

    >>> respell("Nguyễn", Random(1), False), respell("Øystein", Random(1), False)
    ('Nguyen', 'Oystein')
    """
    if accents:
        return name
    parts = unicodedata.normalize("NFKD", name.translate(STROKES).replace("ʻ", "'"))
    return "".join(character for character in parts if not unicodedata.combining(character))


def space_syllables(name: str, rng: Random) -> str:
    """Join, hyphenate or space the two syllables of a name (Minjun, Min-jun, Min Jun).

    >>> sorted({space_syllables("Min-jun", Random(n)) for n in range(99)})
    ['Min Jun', 'Min-Jun', 'Min-jun', 'MinJun', 'Minjun']
    """
    first, hyphen, second = name.partition("-")
    if not hyphen:
        return name
    second = second[:1].lower() + second[1:]
    shape = choose_weighted(rng, ((weight, shape) for shape, weight in SPACINGS))
    return shape.format(first, second, cap=second[:1].upper() + second[1:])


def add_feminine_ending(name: str) -> str:
    """Give a Slavic surname the ending of a woman's.

    >>> add_feminine_ending("Petrov"), add_feminine_ending("Kowalski"), add_feminine_ending("Koval")
    ('Petrova', 'Kowalska', 'Koval')
    """
    for ending, other in FEMININE:
        if name.endswith(ending):
            return name.removesuffix(ending) + other
    return name


def add_patronymic(father: str, sex: str) -> str:
    """Make the patronymic of a Russian first name.

    >>> add_patronymic("Ivan", "M"), add_patronymic("Sergei", "F")
    ('Ivanovich', 'Sergeevna')
    """
    stem = regex.sub(r"(?<=[^aeiou])(iy|y|i)$|(?<=[aeo])[iy]$|a$", "", father)
    soft = "e" if father[-1] in "iy" else "o"
    return stem + soft + ("vich" if sex == "M" else "vna")
