"""People, and every form in which their names are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import regex

from crfdeid.lexicon.names import CREDENTIALS
from crfdeid.synthetic import frames, invented, regions
from crfdeid.synthetic.drawing import choose_pattern, choose_weighted, draw, read_list

PARTICLES = (
    "van ", "Van ", "van der ", "Van Der ", "de ", "De ", "de la ", "De La ", "O'", "Mc", "Mac", "St. ",
    "von ",
    "Del ", "D'", "El-",
)  # fmt: skip
SHAPED = ("full", "formal")
WEAK = 0.08  # the share of people whose surname is short or an ordinary word
MIDDLE = regex.compile(r" ?\{(m|M|middle)\}\.?")


@dataclass(frozen=True)
class Person:
    """``sex`` is ``F`` or ``M``; ``middle`` and ``suffix`` (Jr., III) may be empty; ``order`` is
    ``given_first``, ``family_first``, or ``single`` for a person of one name."""

    first: str
    middle: str
    last: str
    suffix: str
    sex: str
    region: str = regions.AMERICAN
    order: str = "given_first"


def draw_person(
    rng: Random, part: str, sex: str | None = None, last: str | None = None, region: str | None = None
) -> Person:
    """Invent a person; ``last`` is their surname and ``region`` their region, if it must be that one."""
    sex, region = sex or rng.choice("FM"), region or regions.choose_region(rng)
    person = (
        draw_american(rng, part, sex)
        if region == regions.AMERICAN
        else draw_regional(rng, part, sex, regions.read_regions()[region])
    )
    if not last and rng.random() < WEAK:
        last = draw_weak_surname(rng, part)
    return replace(person, last=last) if last and person.order != "single" else person


def draw_american(rng: Random, part: str, sex: str) -> Person:
    """Invent a person of the mixture of regions."""
    return Person(
        first=draw(part, lambda: draw_first_name(rng, sex)),
        middle=draw(part, lambda: draw_first_name(rng, sex)) if rng.random() < 0.6 else "",
        last=draw_surname(rng, part),
        suffix=draw_suffix(rng, sex),
        sex=sex,
    )


def draw_regional(rng: Random, part: str, sex: str, region: regions.Region) -> Person:
    """Invent a person of a region."""
    accents = rng.random() < regions.ACCENTS
    last = regions.draw_family_name(region, sex, part, rng, accents)
    if region.follows("single", rng):
        return Person(last, "", last, "", sex, region.name, "single")
    western = region.follows("western", rng)
    first = (
        draw(part, lambda: rng.choice(read_common(sex)))
        if western
        else regions.draw_given_name(region, sex, part, rng, accents)
    )
    middle = regions.draw_middle_name(region, sex, part, rng, accents) if rng.random() < 0.4 else ""
    family_first = not western and region.follows("family_first", rng)
    suffix = "" if family_first else draw_suffix(rng, sex)
    order = "family_first" if family_first else "given_first"
    return Person(first, middle, last, suffix, sex, region.name, order)


def draw_suffix(rng: Random, sex: str) -> str:
    """Draw the suffix of a name, which few men have."""
    suffixes = ("Jr.", "Jr", "Sr.", "II", "III", "IV")
    return rng.choice(suffixes) if sex == "M" and rng.random() < 0.05 else ""


def read_common(sex: str) -> tuple[str, ...]:
    """Read the common first names in the US of that sex."""
    return read_list("female_names" if sex == "F" else "male_names")


def draw_first_name(rng: Random, sex: str) -> str:
    """Draw a first name: a common, listed, invented or misspelt one …"""
    common = read_common(sex)
    kinds: list[tuple[float, Callable[[], str]]] = [
        (40, lambda: rng.choice(common)),
        (30, lambda: rng.choice(read_list("first_names") or common)),
        (18, lambda: invented.invent_first_name(rng)),
        (5, lambda: invented.misspell(rng.choice(common), rng)),
        (3, lambda: invented.invent_surname(rng)),
        (2, lambda: rng.choice(read_list("word_names"))),
        (2, lambda: "-".join(rng.sample(common, 2))),
    ]
    return fix_case(choose_weighted(rng, kinds)())


def draw_surname(rng: Random, part: str) -> str:
    """Draw a surname of the part: a common, listed, invented or misspelt one, an ordinary word …"""
    common, all_of_them = read_list("common_surnames"), read_list("surnames") or read_list("common_surnames")
    kinds: list[tuple[float, Callable[[], str]]] = [
        (20, lambda: rng.choice(common)),
        (30, lambda: rng.choice(all_of_them)),
        (24, lambda: invented.invent_surname(rng)),
        (8, lambda: rng.choice(read_list("word_names"))),
        (4, lambda: rng.choice(read_list("eponym_names"))),
        (6, lambda: invented.misspell(rng.choice(all_of_them), rng)),
        (2, lambda: invented.permute_letters(rng.choice(common), rng)),
        (3, lambda: add_particle(rng.choice(common), rng)),
        (3, lambda: f"{rng.choice(common)}-{rng.choice(all_of_them)}"),
    ]
    make = choose_weighted(rng, kinds)
    return draw(part, lambda: fix_case(make()))


def draw_weak_surname(rng: Random, part: str) -> str:
    """Draw a surname that says little by itself: of two or three letters, or an ordinary word."""
    kinds: list[tuple[float, tuple[str, ...]]] = [
        (5, read_short_surnames()),
        (4, read_list("word_names")),
        (1, frames.read_words()),
    ]
    return draw(part, lambda: fix_case(rng.choice(choose_weighted(rng, kinds))))


@cache
def read_short_surnames() -> tuple[str, ...]:
    """Read the surnames of two or three letters of all regions, without accents, in order."""
    listed = {name for region in regions.read_regions().values() for name in region.names.get("surname", ())}
    listed |= {*read_list("common_surnames"), *read_list("surnames")}
    plain = {fix_case(regions.respell(name, Random(0), accents=False)) for name in listed}
    return tuple(sorted(name for name in plain if 1 < len(name) < 4 and name.isalpha() and name.isascii()))


def fix_case(name: str) -> str:
    """Write a listed name, which may be all in one case, with the capitals of a name.

    >>> fix_case("GARCIA"), fix_case("o'neil"), fix_case("McKay")
    ('Garcia', "O'Neil", 'McKay')
    """
    return name.title() if name.isupper() or name.islower() else name


def add_particle(name: str, rng: Random) -> str:
    """Put a particle such as "van" before a surname."""
    return rng.choice(PARTICLES) + name


def write_name(person: Person, variant: str, rng: Random) -> str:
    """Write the name in a shape of the variant.

    >>> write_name(Person("Ana", "Maria", "Ruiz", "", "F"), "last", Random(3))
    'Ruiz'
    """
    if person.order == "single" and variant != "initials":
        return person.last
    if variant == "nick":
        return rng.choice(find_nicknames(person.first))
    if variant == "initials":
        return write_initials(person, rng)
    kind = "family_first" if variant == "full" and person.order == "family_first" else variant
    shape = choose_pattern(kind, rng) if variant in SHAPED else f"{{{variant}}}"
    if not person.middle:
        shape = MIDDLE.sub("", shape)
    return add_suffix(shape.format(**name_fields(person)), person.suffix, variant)


def write_initials(person: Person, rng: Random) -> str:
    """Write the initials in a shape that does not read as a credential."""
    fields = name_fields(person)
    for _ in range(20):
        text = choose_pattern("initials", rng).format(**fields)
        if not text.replace(".", "").upper().endswith((*CREDENTIALS, "DO")):
            return text
    return "{F}.{M}.{L}.".format(**fields)


def name_fields(person: Person) -> dict[str, str]:
    """Return the values for the fields of a shape."""
    first, middle, last = person.first, person.middle or person.last, person.last
    f, m, z = first[0].upper(), middle[0].upper(), last[0].upper()
    return {
        "first": first, "middle": middle, "last": last, "FIRST": first.upper(), "LAST": last.upper(),
        "f": f, "m": m, "l": z, "F": f, "M": m, "L": z,
        "fm_low": f"{f}{m}{z}".lower(), "fl_low": f"{f}{z}".lower(),
    }  # fmt: skip


def add_suffix(text: str, suffix: str, variant: str) -> str:
    """Add Jr. or III to a full or formal name."""
    if not suffix or variant not in ("full", "formal"):
        return text
    if variant == "full":
        return f"{text}, {suffix}" if suffix.startswith(("J", "S")) else f"{text} {suffix}"
    last, comma, rest = text.partition(",")
    return f"{last} {suffix}{comma}{rest}"


def find_nicknames(first: str) -> list[str]:
    """Return the short forms of a first name: the listed ones (``Robert: Bob Bobby``), else its beginning.

    >>> find_nicknames("Zyntia")
    ['Zyn']
    """
    for line in read_list("nicknames"):
        name, _, short = line.partition(":")
        if name == first:
            return short.split()
    return [first[:3] if len(first) > 4 else first]
