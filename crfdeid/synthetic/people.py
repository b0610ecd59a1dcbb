"""People, and every way their names are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import regex

from crfdeid.synthetic import invented
from crfdeid.synthetic.drawing import draw, listed, pattern, weighted

PARTICLES = (
    "van ", "Van ", "van der ", "Van Der ", "de ", "De ", "de la ", "De La ", "O'", "Mc", "Mac", "St. ",
    "von ",
    "Del ", "D'", "El-",
)  # fmt: skip
CREDENTIALS = ("MD", "DO", "RN", "NP", "PA")  # as initials they would read as these
SHAPED = ("full", "formal", "initials")
MIDDLE = regex.compile(r" ?\{(m|M|middle)\}\.?")


@dataclass(frozen=True)
class Person:
    """``sex`` is ``F`` or ``M``; ``middle`` and ``suffix`` (Jr., III) may be empty."""

    first: str
    middle: str
    last: str
    suffix: str
    sex: str


def person(rng: Random, part: str, sex: str | None = None, last: str | None = None) -> Person:
    sex = sex or rng.choice("FM")
    return Person(
        first=draw(part, lambda: first_name(rng, sex)),
        middle=draw(part, lambda: first_name(rng, sex)) if rng.random() < 0.6 else "",
        last=last or surname(rng, part),
        suffix=rng.choice(("Jr.", "Jr", "Sr.", "II", "III", "IV"))
        if sex == "M" and rng.random() < 0.05
        else "",
        sex=sex,
    )


def first_name(rng: Random, sex: str) -> str:
    common = listed("female_names" if sex == "F" else "male_names")
    kinds: list[tuple[float, Callable[[], str]]] = [
        (40, lambda: rng.choice(common)),
        (30, lambda: rng.choice(listed("first_names") or common)),
        (18, lambda: invented.first_name(rng)),
        (5, lambda: invented.misspelt(rng.choice(common), rng)),
        (3, lambda: invented.surname(rng)),
        (2, lambda: rng.choice(listed("word_names"))),
        (2, lambda: "-".join(rng.sample(common, 2))),
    ]
    return named(weighted(rng, kinds)())


def surname(rng: Random, part: str) -> str:
    common, all_of_them = listed("common_surnames"), listed("surnames") or listed("common_surnames")
    kinds: list[tuple[float, Callable[[], str]]] = [
        (20, lambda: rng.choice(common)),
        (30, lambda: rng.choice(all_of_them)),
        (24, lambda: invented.surname(rng)),
        (8, lambda: rng.choice(listed("word_names"))),
        (4, lambda: rng.choice(listed("eponym_names"))),
        (6, lambda: invented.misspelt(rng.choice(all_of_them), rng)),
        (2, lambda: invented.permuted(rng.choice(common), rng)),
        (3, lambda: with_particle(rng.choice(common), rng)),
        (3, lambda: f"{rng.choice(common)}-{rng.choice(all_of_them)}"),
    ]
    make = weighted(rng, kinds)
    return draw(part, lambda: named(make()))


def named(name: str) -> str:
    """A listed name, which may be all in one case, as a name is written.

    >>> named("GARCIA"), named("o'neil"), named("McKay")
    ('Garcia', "O'Neil", 'McKay')
    """
    return name.title() if name.isupper() or name.islower() else name


def with_particle(name: str, rng: Random) -> str:
    return rng.choice(PARTICLES) + name


def written(person: Person, variant: str, rng: Random) -> str:
    """The name in one shape of the variant.

    >>> written(Person("Ana", "Maria", "Ruiz", "", "F"), "last", Random(3))
    'Ruiz'
    """
    if variant == "nick":
        return rng.choice(nicknames(person.first))
    shape = pattern(variant, rng) if variant in SHAPED else f"{{{variant}}}"
    if not person.middle and variant != "initials":
        shape = MIDDLE.sub("", shape)
    text = shape.format(**fields(person))
    if text.replace(".", "").upper() in CREDENTIALS:
        return written(person, variant, rng)
    return with_suffix(text, person.suffix, variant)


def fields(person: Person) -> dict[str, str]:
    first, middle, last = person.first, person.middle or person.last, person.last
    f, m, z = first[0].upper(), middle[0].upper(), last[0].upper()
    return {
        "first": first, "middle": middle, "last": last, "FIRST": first.upper(), "LAST": last.upper(),
        "f": f, "m": m, "l": z, "F": f, "M": m, "L": z,
        "fm_low": f"{f}{m}{z}".lower(), "fl_low": f"{f}{z}".lower(),
    }  # fmt: skip


def with_suffix(text: str, suffix: str, variant: str) -> str:
    if not suffix or variant not in ("full", "formal"):
        return text
    if variant == "full":
        return f"{text}, {suffix}" if suffix.startswith(("J", "S")) else f"{text} {suffix}"
    last, comma, rest = text.partition(",")
    return f"{last} {suffix}{comma}{rest}"


def nicknames(first: str) -> list[str]:
    """What a first name is shortened to: listed (``Robert: Bob Bobby``), else its stem.

    >>> nicknames("Zyntia")
    ['Zyn']
    """
    for line in listed("nicknames"):
        name, _, short = line.partition(":")
        if name == first:
            return short.split()
    return [first[:3] if len(first) > 4 else first]
