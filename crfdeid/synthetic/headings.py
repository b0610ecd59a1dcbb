"""Section headings, and the ways to set them."""

from __future__ import annotations

from functools import cache
from random import Random

from crfdeid.synthetic.patterns import pattern
from crfdeid.synthetic.train_test_parts import listed


@cache
def headings() -> dict[str, list[str]]:
    return {section: row.split("|") for section, row in (line.split(": ") for line in listed("headings"))}


def heading(section: str, rng: Random) -> str:
    """A heading of the section, or now and then one that no section has."""
    if rng.random() < 0.12 or section not in headings():
        return rng.choice(listed("heading_words"))
    return rng.choice(headings()[section])


def style(rng: Random) -> str:
    """How one writer sets all headings."""
    return pattern("heading", rng).replace("/", "\n").replace("_", " ")


def dressed(heading: str, style: str) -> str:
    """
    >>> dressed("Family History", "{upper}: ")
    'FAMILY HISTORY: '
    """
    return style.format(upper=heading.upper(), title=heading, low=heading.lower())
