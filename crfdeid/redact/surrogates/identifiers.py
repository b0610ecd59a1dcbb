"""Identifiers: the same pattern of digits and letters (Tafvizi 2011, section 5.1.1), the same
surrogate however the number is grouped, and no check digit that holds."""

from __future__ import annotations

import string
from collections.abc import Callable

import regex

from crfdeid.redact.surrogates import check_digits, kinds
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import words
from crfdeid.redact.surrogates.patient_facts import PatientFacts

LABELS = words(
    "mrn mr ssn ss npi dea id no nr acct account number unit record medical health plan policy lic license "
    "licence vin sn serial model ref fin csn ext extension and"
)
WORD = regex.compile(r"\p{L}+")
TRIES = 64
LAST_FOUR = 4


def canonical(text: str) -> str:
    """
    >>> canonical("12-34 ab")
    '1234AB'
    """
    return "".join(c for c in text if c.isalnum()).upper()


def patterned(
    text: str, draws: KeyedChoices, *what: object, refused: Callable[[str], bool] = lambda made: False
) -> str:
    """Each digit another digit or the same, each letter a letter of its case, all else kept. The
    whole differs from ``text``, of a long one the last four too, and fails every check that such a
    number could carry; it is not ``refused`` unless all that were tried are.

    >>> made = patterned("AB-1234x", KeyedChoices(b"secret", "7"), "id")
    >>> made[2], made[3:7].isdigit(), made[:2].isupper(), made[7].islower()
    ('-', True, True, True)
    """
    bare, fallback = canonical(text), text
    for number in range(TRIES):
        made = laid(text, draws, *what, bare, number)
        if made == text or check_digits.holds(made) or ends_alike(canonical(made), bare):
            continue
        if not refused(made):
            return made
        fallback = made if fallback == text else fallback
    return fallback


def ends_alike(made: str, bare: str) -> bool:
    return len(bare) > LAST_FOUR + 1 and made[-LAST_FOUR:] == bare[-LAST_FOUR:]


def laid(text: str, draws: KeyedChoices, *what: object) -> str:
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


class Identifiers:
    """Those of one patient. Where all notes are known, none is given that is another real one, and
    none twice; ``given`` holds what was given before. Of one of which the last four digits are said
    alone, the last four of its surrogate stand for them."""

    def __init__(self, draws: KeyedChoices, known: PatientFacts, given: dict[str, str]) -> None:
        self.draws, self.given = draws, given
        texts = known.texts(kinds.IDENTIFIER) if known.whole else ()
        self.real = frozenset(canonical(labelled(text)[1]) for text in texts)
        self.taken = {made: key for key, made in given.items()}
        for bare in sorted(self.real):  # in this order, whatever the order of the notes
            self.number(bare)

    def text(self, text: str) -> str | None:
        if not canonical(text):
            return None
        label, number = labelled(text)
        bare = canonical(number)
        wholes = sorted(real for real in self.real if len(real) > LAST_FOUR + 2 and real.endswith(bare))
        if len(bare) == LAST_FOUR and bare.isdecimal() and wholes:
            return label + written(self.number(wholes[0])[-LAST_FOUR:], number)
        return label + (written(self.number(bare), number) if bare in self.real else self.made(number, bare))

    def number(self, bare: str) -> str:
        """The surrogate of a real identifier, both canonical."""
        key = f"number {bare}"
        if key not in self.given:
            self.given[key] = canonical(self.made(bare, bare))
            self.taken[self.given[key]] = key
        return self.given[key]

    def made(self, text: str, bare: str) -> str:
        def refused(made: str) -> bool:
            low = canonical(made)
            return low in self.real or self.taken.get(low, f"number {bare}") != f"number {bare}"

        return patterned(text, self.draws, "identifier", refused=refused)


def written(made: str, like: str) -> str:
    """The letters and digits of ``made`` in the places and the case of those of ``like``.

    >>> written("93K", "1-2x")
    '9-3k'
    """
    rest = iter(made)
    letter = lambda c: next(rest).lower() if c.islower() else next(rest)  # noqa: E731
    return "".join(letter(c) if c.isalnum() else c for c in like)


def labelled(text: str) -> tuple[str, str]:
    """The words at the beginning that only say what it is, and the number.

    >>> labelled("MRN 1234567"), labelled("MRN")
    (('MRN ', '1234567'), ('', 'MRN'))
    """
    start = 0
    for match in (m for m in WORD.finditer(text) if m[0].lower() in LABELS):  # parted from the number
        if canonical(text[start : match.start()]) or text[match.end() : match.end() + 1].isdecimal():
            break
        start = match.end()
    start += len(text[start:]) - len(text[start:].lstrip())
    return (text[:start], text[start:]) if canonical(text[start:]) else ("", text)


def identifier(text: str, draws: KeyedChoices) -> str | None:
    """``text`` with its number replaced, whatever else is known; None where there is none in it."""
    return Identifiers(draws, PatientFacts(), {}).text(text)
