"""The texts of slots that are not PHI (terms, pronouns, measurements), and ages."""

from __future__ import annotations

from random import Random

import regex

from crfdeid.lexicon.names import WRITTEN_TITLES
from crfdeid.synthetic import invented
from crfdeid.synthetic.drawing import choose_pattern, read_list
from crfdeid.text import ages

ONES = ("zero", *ages.ONES, *ages.TEENS)
TENS = ("_", "_", *ages.TENS)

PRONOUNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "he": (("she",), ("he",)),
    "him": (("her",), ("him",)),
    "his": (("her",), ("his",)),
    "himself": (("herself",), ("himself",)),
    "sex": (
        ("female", "female", "woman", "F", "lady", "female"),
        ("male", "male", "man", "M", "gentleman", "male"),
    ),
    "title": WRITTEN_TITLES,
    "person": (("lady", "woman", "patient"), ("gentleman", "man", "patient")),
}
CHILD = {
    "sex": (("girl", "female"), ("boy", "male")),
    "person": (("girl", "child"), ("boy", "child")),
    "title": (("Miss",), ("Master",)),
}


def choose_pronoun(name: str, sex: str, age: int, rng: Random) -> str:
    """Choose the form of a pronoun, title or the like for the patient's sex and age.

    >>> choose_pronoun("his", "F", 40, Random(1))
    'her'
    """
    forms = CHILD[name] if age < 16 and name in CHILD else PRONOUNS[name]
    return rng.choice(forms[sex == "M"])


def choose_term(kind: str, rng: Random) -> str:
    """Choose a disease, a drug, a dose …"""
    if kind in ("dose", "labvalue"):
        return draw_measurement(kind, rng)
    if invented.is_invented(kind, rng):
        return invented.fill_words(draw_measurement(kind, rng), rng)
    if kind == "topic":
        return rng.choice(read_list(rng.choice(("mesh_headings", "medical_words")))).lower()
    if kind == "relation":
        kind = rng.choice(("relation_f", "relation_m"))
    if kind == "disease" and rng.random() < 0.12 and (others := read_list("medical_words")):
        return rng.choice(others)
    return rng.choice(read_list(kind))


MEASURES = ("duration", "time", "weight", "bp", "temp", "pulse", "number")
RANGE = regex.compile(r"\{([\d.]+)-([\d.]+)\}")
CHOICE = regex.compile(r"\[([^\[\]]*)\]")


def draw_measurement(kind: str, rng: Random) -> str:
    """Draw a measurement in one of its shapes (patterns/clinical.txt)."""
    text = CHOICE.sub(lambda match: rng.choice(match[1].split("|")), choose_pattern(kind, rng))
    return RANGE.sub(lambda match: draw_between(match[1], match[2], rng), text)


def draw_between(low: str, high: str, rng: Random) -> str:
    """Draw a number in the range, with as many decimals as ``low``.

    >>> draw_between("7", "7", Random(1)), draw_between("0.50", "0.5", Random(1))
    ('7', '0.50')
    """
    if "." not in low:
        return str(rng.randint(int(low), int(float(high))))
    return f"{rng.uniform(float(low), float(high)):.{len(low.partition('.')[2])}f}"


def fill_measure(name: str, variant: str | None, rng: Random) -> str:
    """Draw a measurement; the ``variant`` of a number is its range.

    >>> fill_measure("number", "7-7", Random(1))
    '7'
    """
    if name != "number":
        return draw_measurement(name, rng)
    low, high = str(variant).split("-")
    return draw_between(low, high, rng)


def spell_number(number: int) -> str:
    """Write a number below 200 in words.

    >>> spell_number(45), spell_number(90)
    ('forty-five', 'ninety')
    """
    if number >= 100:
        return "one hundred" + (f" {spell_number(number - 100)}" if number > 100 else "")
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


def write_age(years: int, variant: str | None, rng: Random) -> str:
    """Write an age as a number, in words, as a decade, as years and a half, or as months of an infant.

    >>> write_age(45, "number", Random(1)), write_age(45, "decade", Random(1))
    ('45', '40s')
    """
    years = max(years, 1)
    if variant == "months":
        return str(rng.randint(1, 23))
    if variant == "fraction":
        return choose_pattern("half_years", rng).format(n=(n := rng.randint(1, 14)), word=spell_number(n))
    if variant == "words":
        return spell_number(years)
    if variant == "decade":
        return f"{max(years // 10, 2) * 10}{rng.choice(('s', 's', chr(39) + 's'))}"
    return str(years)
