"""Instruments, signs and brands that are in no list: surnames before things, and words like a product's.

In real notes surnames are the names of instruments too, and most brands are in no list. So neither a listed
surname nor an unknown word with a capital is enough to be PHI: the words around it decide.
"""

from __future__ import annotations

from functools import cache
from random import Random

import regex

from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.invented import invent_surname

SHARE = {"eponym": 0.4, "device_name": 0.25, "drug": 0.06, "instrument": 1.0, "brand": 1.0}
WORD = regex.compile(r"\{([a-z_]+)\}")


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
