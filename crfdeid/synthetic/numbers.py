"""Telephone numbers, e-mail addresses, record numbers and other identifiers."""

from __future__ import annotations

import string
from random import Random

import regex

from crfdeid.synthetic import invented
from crfdeid.synthetic.drawing import choose_pattern

SETS = {"#": string.digits, "^": "23456789", "A": "ABCDEFGHJKLMNPRSTVWXYZ", "a": string.ascii_lowercase}
DOMAINS = [
    *("com", "org", "net", "edu") * 4, "gov", "us", "info", "co.uk", "ca", "com.au", "health", "care",
    "clinic", "me",
]  # fmt: skip
SITES = ["aol", "gmail", "yahoo", "hotmail", "verizon", "comcast", "partners", "outlook"]


def fill_signs(shape: str, rng: Random) -> str:
    """Replace the signs of ``shape`` (patterns/numbers.txt) by digits and letters; no number begins with 0.

    >>> fill_signs("(^##) ###-####", Random(2))
    '(211) 524-4939'
    """
    text = "".join(rng.choice(SETS[sign]) if sign in SETS else sign for sign in shape)
    return str(rng.randint(1, 9)) + text[1:] if shape[0] == "#" else text


def draw_number(kind: str, rng: Random) -> str:
    """Draw an identifier of the kind."""
    return fill_signs(choose_pattern(kind, rng), rng)


def draw_email(rng: Random, first: str, last: str) -> str:
    """Draw an e-mail address for a person of that name."""
    first, last = (regex.sub(r"\W", "", name.lower()) for name in (first, last))
    name = rng.choice(
        (
            f"{first}.{last}",
            f"{first[:1]}{last}",
            f"{first}{rng.randint(1, 99)}",
            f"{last}_{first[:1]}",
            f"{first}{last}",
        )
    )
    return f"{name}@{draw_domain(rng)}"


def draw_domain(rng: Random) -> str:
    """Draw the domain of a provider or an invented hospital."""
    if rng.random() < 0.4:
        return f"{rng.choice(SITES)}.{rng.choice(DOMAINS)}"
    place = invented.invent_place(rng).lower().replace(" ", "")
    return f"{place}{rng.choice(('', 'hospital', 'health', 'clinic'))}.{rng.choice(DOMAINS)}"


def draw_url(rng: Random) -> str:
    """Draw a web address."""
    page = rng.choice(
        ("", "/portal", "/patients", "/directions", "/~" + draw_number("username", rng), "/index.html")
    )
    return rng.choice(("www.", "http://www.", "https://", "http://")) + draw_domain(rng) + page
