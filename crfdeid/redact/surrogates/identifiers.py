"""The surrogates of identifiers: the same pattern of digits and letters (Tafvizi 2011, section 5.1.1),
the same surrogate however the number is grouped, and no valid check digit.

A surrogate with a valid check digit could be somebody's number.

>>> passes_luhn("4111111111111111"), passes_npi("1234567893"), passes_nhs("9434765919")
(True, True, True)
>>> passes_dea("AB1234563"), passes_vin("1M8GDM9AXKP042788")
(True, True)
"""

from __future__ import annotations

import string
from collections.abc import Callable

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.redact.surrogates.text_forms import word_set

LABELS = word_set(
    "mrn mr ssn ss npi dea id no nr acct account number unit record medical health plan policy lic license "
    "licence vin sn serial model ref fin csn ext extension and"
)
WORD = regex.compile(r"\p{L}+")
MAX_TRIES = 64
LAST_FOUR = 4
MIN_CHECKED = 8  # characters; shorter numbers carry no check digit
VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9))
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


class Identifiers:
    """The surrogates of one patient's identifiers. If all notes of the patient are known, no surrogate
    is another real identifier and no two identifiers share one. The last four digits of an identifier,
    written without the rest, become the last four digits of its surrogate. ``assigned`` holds the
    earlier surrogates of places and numbers; new ones are added to it."""

    def __init__(self, choices: KeyedChoices, facts: PatientFacts, assigned: dict[str, str]) -> None:
        self.choices, self.assigned = choices, assigned
        texts = facts.list_texts(kinds.IDENTIFIER) if facts.complete else ()
        self.real = frozenset(remove_marks(split_label(text)[1]) for text in texts)
        self.taken = {surrogate: key for key, surrogate in assigned.items()}
        for number in sorted(self.real):  # in this order, whatever the order of the notes
            self._assign(number)

    def replace_identifier(self, text: str) -> str | None:
        """Replace the number in ``text`` and keep its label. Return None without a letter or digit."""
        if not remove_marks(text):
            return None
        label, written = split_label(text)
        number = remove_marks(written)
        wholes = sorted(real for real in self.real if len(real) > LAST_FOUR + 2 and real.endswith(number))
        if len(number) == LAST_FOUR and number.isdecimal() and wholes:
            return label + fill_pattern(self._assign(wholes[0])[-LAST_FOUR:], written)
        if number in self.real:
            return label + fill_pattern(self._assign(number), written)
        return label + self._draw(written, number)

    def _assign(self, number: str) -> str:
        """The surrogate of a real identifier, both without marks."""
        key = f"number {number}"
        if key not in self.assigned:
            self.assigned[key] = remove_marks(self._draw(number, number))
            self.taken[self.assigned[key]] = key
        return self.assigned[key]

    def _draw(self, text: str, number: str) -> str:
        def is_refused(candidate: str) -> bool:
            bare = remove_marks(candidate)
            return bare in self.real or self.taken.get(bare, f"number {number}") != f"number {number}"

        return replace_characters(text, self.choices, "identifier", is_refused=is_refused)


def remove_marks(text: str) -> str:
    """Return the letters and digits of ``text`` in capitals.

    >>> remove_marks("12-34 ab")
    '1234AB'
    """
    return "".join(c for c in text if c.isalnum()).upper()


def split_label(text: str) -> tuple[str, str]:
    """Split the leading words that only name the kind of number from the number.

    >>> split_label("MRN 1234567"), split_label("MRN")
    (('MRN ', '1234567'), ('', 'MRN'))
    """
    start = 0
    for match in (m for m in WORD.finditer(text) if m[0].lower() in LABELS):  # parted from the number
        if remove_marks(text[start : match.start()]) or text[match.end() : match.end() + 1].isdecimal():
            break
        start = match.end()
    start += len(text[start:]) - len(text[start:].lstrip())
    return (text[:start], text[start:]) if remove_marks(text[start:]) else ("", text)


def fill_pattern(characters: str, pattern: str) -> str:
    """Put ``characters`` in the places of the letters and digits of ``pattern``, in the same case.

    >>> fill_pattern("93K", "1-2x")
    '9-3k'
    """
    rest = iter(characters)
    return "".join((next(rest).lower() if c.islower() else next(rest)) if c.isalnum() else c for c in pattern)


def replace_characters(
    text: str,
    choices: KeyedChoices,
    *key: object,
    is_refused: Callable[[str], bool] = lambda candidate: False,
) -> str:
    """Replace each digit by a digit and each letter by a letter of its case, and keep everything else.
    The result differs from ``text``, has other last four characters if it is long, and passes no check
    that such a number may carry. ``is_refused`` rejects further candidates; if it rejects all that are
    tried, the first of them is used.

    >>> made = replace_characters("AB-1234x", KeyedChoices(b"secret", "7"), "id")
    >>> made[2], made[3:7].isdigit(), made[:2].isupper(), made[7].islower()
    ('-', True, True, True)
    """
    bare, fallback = remove_marks(text), text
    for number in range(MAX_TRIES):
        candidate = draw_characters(text, choices, *key, bare, number)
        if candidate == text or passes_check(candidate) or ends_alike(remove_marks(candidate), bare):
            continue
        if not is_refused(candidate):
            return candidate
        fallback = candidate if fallback == text else fallback
    return fallback


def draw_characters(text: str, choices: KeyedChoices, *key: object) -> str:
    """Draw a random character for each letter and digit. A first digit other than 0 does not become 0."""
    stream, out = choices.stream_bytes(*key), []
    for index, character in enumerate(text):
        if not character.isalnum():
            out.append(character)
        elif character.isdecimal():
            is_first = character != "0" and not any(c.isalnum() for c in text[:index])
            out.append(str(1 + next(stream) % 9 if is_first else next(stream) % 10))
        else:
            letter = string.ascii_uppercase[next(stream) % 26]
            out.append(letter.lower() if character.islower() else letter)
    return "".join(out)


def ends_alike(a: str, b: str) -> bool:
    """Whether long numbers share their last four characters."""
    return len(b) > LAST_FOUR + 1 and a[-LAST_FOUR:] == b[-LAST_FOUR:]


# Check digits


def passes_check(text: str) -> bool:
    """Whether ``text`` passes a check that numbers of its form carry. Fewer than eight characters pass
    none."""
    bare = remove_marks(text)
    if len(bare) < MIN_CHECKED or not bare.isascii():
        return False
    if bare.isdigit():
        return passes_luhn(bare) or passes_npi(bare) or passes_nhs(bare)
    return passes_dea(bare) or passes_vin(bare)


def passes_luhn(digits: str) -> bool:
    """The check of payment cards, Canadian SINs and many others."""
    doubled = (int(d) * (1 + n % 2) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def passes_npi(digits: str) -> bool:
    """The check of the US National Provider Identifier: Luhn with the prefix 80840."""
    return len(digits) == 10 and digits[0] in "12" and passes_luhn("80840" + digits)


def passes_nhs(digits: str) -> bool:
    """The check of the English NHS number: modulo 11."""
    if len(digits) != 10:
        return False
    rest = 11 - sum(int(d) * weight for d, weight in zip(digits, range(10, 1, -1))) % 11
    return rest != 10 and rest % 11 == int(digits[9])


def passes_dea(text: str) -> bool:
    """The check of the registration number of a US prescriber."""
    digits = text[2:]
    if len(text) != 9 or not text[0].isalpha() or not digits.isdigit():
        return False
    d = list(map(int, digits))
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def passes_vin(text: str) -> bool:
    """The check of North American vehicle identification numbers: modulo 11, in the ninth character."""
    if len(text) != 17 or any(c in "IOQ" for c in text):
        return False
    total = sum((int(c) if c.isdigit() else VIN_VALUES[c]) * w for c, w in zip(text, VIN_WEIGHTS))
    return text[8] == ("X" if total % 11 == 10 else str(total % 11))
