"""Texts that no list has: names that are built from syllables or changed from listed names, and instruments,
signs and brands.

Such names keep a model from relying on its gazetteers: a third of the people and places of real notes are
in none. In real notes surnames are the names of instruments too, and most brands are in no list. So neither
a listed surname nor an unknown word with a capital is enough to be PHI: the words around it decide.
"""

from __future__ import annotations

from functools import cache
from random import Random

import regex

from crfdeid.synthetic.drawing import read_list

SHARE = {"eponym": 0.4, "device_name": 0.25, "drug": 0.06, "instrument": 1.0, "brand": 1.0}
WORD = regex.compile(r"\{([a-z_]+)\}")


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


def is_invented(kind: str, rng: Random) -> bool:
    """Draw whether the next term of this kind is an invented one (``patterns/terms.txt``)."""
    return kind in SHARE and rng.random() < SHARE[kind]


def fill_words(pattern: str, rng: Random) -> str:
    """Replace ``{surname}``, ``{brand}`` and the names of lists in a pattern by words."""
    return WORD.sub(lambda match: draw_word(match[1], rng), pattern)


def draw_word(kind: str, rng: Random) -> str:
    """Draw a surname, a brand, or an entry of the list ``kind``."""
    if kind == "surname":
        return draw_surname(rng)
    return draw_brand(rng) if kind == "brand" else rng.choice(read_list(kind))


def draw_surname(rng: Random) -> str:
    """Draw a surname of the train part, or invent one."""
    return rng.choice(read_list("surnames", "train")) if rng.random() < 0.5 else invent_surname(rng)


@cache
def read_brand_syllables() -> tuple[list[str], ...]:
    """Read the beginnings, middles and ends of brands."""
    return tuple(part.split() for part in read_list("brand_syllables")[0].split(" | "))


def draw_brand(rng: Random) -> str:
    """Invent the name of a product.

    >>> draw_brand(Random(1)), draw_brand(Random(2))
    ('Clarvist', 'Zolalnol')
    """
    start, middle, end = read_brand_syllables()
    return rng.choice(start) + (rng.choice(middle) if rng.random() < 0.5 else "") + rng.choice(end)
