"""Names that are in no list: built from syllables, or changed from listed names.

They keep a model from relying on its gazetteers: a third of the people and places of
real notes are in none.
"""

from __future__ import annotations

from functools import cache
from random import Random

from crfdeid.synthetic.drawing import read_list


@cache
def read_syllables(culture: str | None = None) -> tuple[tuple[list[str], ...], ...]:
    """Read the beginnings, middles and ends of family names, of every culture or of one."""
    rows = (line.split(": ") for line in read_list("syllables"))
    return tuple(
        tuple(part.replace("~", "").split(" ") for part in row.split(" | "))
        for name, row in rows
        if culture in (None, name)
    )


def invent_surname(rng: Random) -> str:
    """Invent a family name of a random culture."""
    start, middle, end = rng.choice(read_syllables())
    return rng.choice(start) + (rng.choice(middle) if rng.random() < 0.4 else "") + rng.choice(end)


def invent_first_name(rng: Random) -> str:
    """Invent a first name."""
    return "".join(rng.choice(part.split()) for part in read_list("first_name_syllables")[0].split(" | "))


def invent_place(rng: Random) -> str:
    """Invent the name of a town."""
    start, middle, end = read_syllables("english")[0]
    name = rng.choice(start) + (rng.choice(middle) if rng.random() < 0.3 else "") + rng.choice(end)
    return (
        name
        if rng.random() < 0.7
        else invent_surname(rng) + rng.choice(("ville", "burg", "ton", " Springs", " City", "boro"))
    )


def misspell(name: str, rng: Random) -> str:
    """Misspell ``name`` with one typo: a letter doubled, lost, swapped or changed."""
    if len(name) < 4:
        return name
    at = rng.randrange(1, len(name) - 1)
    a, b, rest = name[at], name[at + 1], name[at + 2 :]
    vowel = rng.choice("aeiouy") if a in "aeiouy" else a
    changed = rng.choice((a + a + b, b, b + a if b.islower() and a.islower() else a + b, vowel + b))
    return name[:at] + changed + rest


def permute_letters(name: str, rng: Random) -> str:
    """Put the letters of ``name`` in another order, as the surrogates of i2b2 2006 have them."""
    letters = list(name.lower())
    rng.shuffle(letters)
    return "".join(letters).strip("-' .").capitalize() or name
