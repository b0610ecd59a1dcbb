"""People, and every form in which their names are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import regex

from crfdeid.synthetic import invented
from crfdeid.synthetic.drawing import choose_pattern, choose_weighted, draw, read_list

PARTICLES = (
    "van ", "Van ", "van der ", "Van Der ", "de ", "De ", "de la ", "De La ", "O'", "Mc", "Mac", "St. ",
    "von ",
    "Del ", "D'", "El-",
)  # fmt: skip
CREDENTIALS = ("MD", "DO", "RN", "NP", "PA")  # initials that would be read as credentials
SHAPED = ("full", "formal")
MIDDLE = regex.compile(r" ?\{(m|M|middle)\}\.?")


@dataclass(frozen=True)
class Person:
    """``sex`` is ``F`` or ``M``; ``middle`` and ``suffix`` (Jr., III) may be empty."""

    first: str
    middle: str
    last: str
    suffix: str
    sex: str


def draw_person(rng: Random, part: str, sex: str | None = None, last: str | None = None) -> Person:
    """Invent a person; ``last`` is their surname, if it must be that one."""
    sex = sex or rng.choice("FM")
    return Person(
        first=draw(part, lambda: draw_first_name(rng, sex)),
        middle=draw(part, lambda: draw_first_name(rng, sex)) if rng.random() < 0.6 else "",
        last=last or draw_surname(rng, part),
        suffix=rng.choice(("Jr.", "Jr", "Sr.", "II", "III", "IV"))
        if sex == "M" and rng.random() < 0.05
        else "",
        sex=sex,
    )


def draw_first_name(rng: Random, sex: str) -> str:
    """Draw a first name: a common, listed, invented or misspelt one …"""
    common = read_list("female_names" if sex == "F" else "male_names")
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
    if variant == "nick":
        return rng.choice(find_nicknames(person.first))
    if variant == "initials":
        return write_initials(person, rng)
    shape = choose_pattern(variant, rng) if variant in SHAPED else f"{{{variant}}}"
    if not person.middle:
        shape = MIDDLE.sub("", shape)
    return add_suffix(shape.format(**name_fields(person)), person.suffix, variant)


def write_initials(person: Person, rng: Random) -> str:
    """Write the initials in a shape that does not read as a credential."""
    fields = name_fields(person)
    for _ in range(20):
        text = choose_pattern("initials", rng).format(**fields)
        if text.replace(".", "").upper() not in CREDENTIALS:
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
