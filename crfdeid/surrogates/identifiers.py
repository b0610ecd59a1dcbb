"""Identifiers: the same pattern of digits and letters (Tafvizi 2011, section 5.1.1), the same
surrogate however the number is grouped, and no check digit that holds."""

from __future__ import annotations

import string

import regex

from crfdeid.surrogates import check_digits
from crfdeid.surrogates.keys import Draws
from crfdeid.surrogates.writing import words

LABELS = words(
    "mrn mr ssn ss npi dea id no nr acct account number unit record medical health plan policy lic license "
    "licence vin sn serial model ref fin csn ext extension and"
)
WORD = regex.compile(r"\p{L}+")
TRIES = 64


def canonical(text: str) -> str:
    """
    >>> canonical("12-34 ab")
    '1234AB'
    """
    return "".join(c for c in text if c.isalnum()).upper()


def patterned(text: str, draws: Draws, *what: object) -> str:
    """Each digit another digit or the same, each letter a letter of its case, all else kept. The
    whole differs from ``text``, and fails every check that such a number could carry.

    >>> made = patterned("AB-1234x", Draws(b"secret", "7"), "id")
    >>> made[2], made[3:7].isdigit(), made[:2].isupper(), made[7].islower()
    ('-', True, True, True)
    """
    bare = canonical(text)
    for number in range(TRIES):
        made = laid(text, draws, *what, bare, number)
        if made != text and not check_digits.holds(made):
            return made
    return made


def laid(text: str, draws: Draws, *what: object) -> str:
    stream, out = draws.stream(*what), []
    for index, character in enumerate(text):
        if not character.isalnum():
            out.append(character)
        elif character.isdecimal():
            first = character != "0" and not any(c.isalnum() for c in text[:index])
            out.append(str(1 + next(stream) % 9 if first else next(stream) % 10))
        else:
            letter = string.ascii_uppercase[next(stream) % 26]
            out.append(letter.lower() if character.islower() else letter)
    return "".join(out)


def identifier(text: str, draws: Draws) -> str | None:
    """``text`` with its number replaced; words that only say what it is stay. None where there is
    no number in it.

    >>> identifier("MRN 1234567", Draws(b"secret", "7"))[:4]
    'MRN '
    """
    if not canonical(text):
        return None
    labels = [m for m in WORD.finditer(text) if m[0].lower() in LABELS]
    start = 0
    for match in labels:  # those at the beginning, parted from the number
        between = text[start : match.start()]
        if canonical(between) or text[match.end() : match.end() + 1].isdecimal():
            break
        start = match.end()
    if not canonical(text[start:]):
        start = 0
    return text[:start] + patterned(text[start:], draws, "identifier")
