"""The surrogates of identifiers: the same pattern of digits and letters (Tafvizi 2011, section 5.1.1).

A number has the same surrogate however it is grouped. Some numbers carry a check in their last or ninth
character. A release tells a missed real number from a surrogate where surrogates never pass a check and real
numbers do. So a surrogate passes the checks that the real number passes, and no others (``same``). The
other choice, ``never``, makes sure that no surrogate is somebody's card or prescriber number.

>>> sorted(find_checks("4111-1111-1111-1111")), sorted(find_checks("1234567893"))
(['luhn'], ['npi'])
>>> [sorted(find_checks(text)) for text in ("9434765919", "AB1234563", "1M8GDM9AXKP042788", "1234567")]
[['nhs'], ['dea'], ['vin'], []]
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator

import regex

from crfdeid.lexicon.letters import remove_marks, word_set
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PatientFacts

CHECK_POLICIES = ("same", "never")
MIN_CHECKED = 8  # characters; shorter numbers carry no check digit
VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9))
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)

LABELS = word_set(
    "mrn mr ssn ss npi dea id no nr acct account number unit record medical health plan policy lic license "
    "licence vin sn serial model ref fin csn ext extension and"
)
WORD = regex.compile(r"\p{L}+")
MAX_TRIES = 64
CHECKED_TRIES = 20_000  # one number in 750 passes the check of a vehicle, if X is its check digit
LAST_FOUR = 4


class Identifiers:
    """The surrogates of one patient's identifiers. If all notes of the patient are known, no surrogate
    is another real identifier and no two identifiers share one. The last four digits of an identifier,
    written without the rest, become the last four digits of its surrogate. ``assigned`` holds the
    earlier surrogates of places and numbers; new ones are added to it. ``check_digits`` is one of
    :data:`CHECK_POLICIES`."""

    def __init__(
        self, choices: KeyedChoices, facts: PatientFacts, assigned: dict[str, str],
        check_digits: str = "same",
    ) -> None:  # fmt: skip
        self.choices, self.assigned, self.check_digits = choices, assigned, check_digits
        texts = facts.list_texts(kinds.IDENTIFIER) if facts.complete else ()
        self.real = frozenset(remove_marks(split_label(text)[1]) for text in texts)
        long = (real for real in sorted(self.real, reverse=True) if len(real) > LAST_FOUR + 2)
        self.by_last_four = {real[-LAST_FOUR:]: real for real in long}  # the first one in order
        self.taken = {surrogate: key for key, surrogate in assigned.items()}
        for number in sorted(self.real):  # in this order, whatever the order of the notes
            self._assign(number)

    def replace_identifier(self, text: str) -> str | None:
        """Replace the number in ``text`` and keep its label. Return None without a letter or digit."""
        if not remove_marks(text):
            return None
        label, written = split_label(text)
        number = remove_marks(written)
        if number.isdecimal() and (whole := self.by_last_four.get(number)):
            return label + fill_pattern(self._assign(whole)[-LAST_FOUR:], written)
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
            is_taken = self.taken.get(bare, f"number {number}") != f"number {number}"
            return is_taken or bare in self.real or breaks_policy(self.check_digits, number, bare)

        tries = CHECKED_TRIES if find_checks(number) else MAX_TRIES
        return replace_characters(text, self.choices, "identifier", is_refused=is_refused, tries=tries)


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
    tries: int = MAX_TRIES,
) -> str:
    """Replace each digit by a digit and each letter by a letter of its case, and keep everything else.
    The result differs from ``text``, and has other last four characters if it is long. ``is_refused`` rejects
    further candidates; if it rejects all that are tried, the first of them is used.

    >>> made = replace_characters("AB-1234x", KeyedChoices(b"secret", "7"), "id")
    >>> made[2], made[3:7].isdigit(), made[:2].isupper(), made[7].islower()
    ('-', True, True, True)
    """
    bare, fallback = remove_marks(text), text
    for number in range(tries):
        candidate = draw_characters(text, choices, *key, bare, number)
        if candidate == text or ends_alike(remove_marks(candidate), bare):
            continue
        if not is_refused(candidate):
            return candidate
        fallback = candidate if fallback == text else fallback
    return fallback


def draw_characters(text: str, choices: KeyedChoices, *key: object) -> str:
    """Draw a random character for each letter and digit. A number begins with 0 as the real one does."""
    stream, out, length = choices.stream_bytes(*key), list[str](), sum(map(str.isalnum, text))
    for index, character in enumerate(text):
        if not character.isalnum():
            out.append(character)
        elif character.isdecimal():
            is_first = length > 1 and not any(c.isalnum() for c in text[:index])
            out.append(draw_digit(stream, character, is_first))
        else:
            letter = string.ascii_uppercase[next(stream) % 26]
            out.append(letter.lower() if character.islower() else letter)
    return "".join(out)


def draw_digit(stream: Iterator[int], digit: str, is_first: bool) -> str:
    if is_first:
        return "0" if digit == "0" else str(1 + next(stream) % 9)
    return str(next(stream) % 10)


def ends_alike(a: str, b: str) -> bool:
    """Whether long numbers share their last four characters.

    >>> ends_alike("994471", "124471"), ends_alike("94471", "24471")  # few numbers of five digits are left
    (True, False)
    """
    return len(b) > LAST_FOUR + 1 and a[-LAST_FOUR:] == b[-LAST_FOUR:]


def find_checks(text: str) -> frozenset[str]:
    """Return the names of the checks that ``text`` passes. Fewer than eight characters pass none."""
    bare = remove_marks(text)
    if len(bare) < MIN_CHECKED or not bare.isascii():
        return frozenset()
    return frozenset(name for name, passes in CHECKS.items() if passes(bare))


def breaks_policy(policy: str, real: str, surrogate: str) -> bool:
    """Whether a surrogate must not replace a real number under one of :data:`CHECK_POLICIES`.

    >>> breaks_policy("same", "1234567893", "1234567894"), breaks_policy("never", "1234567", "1234567893")
    (True, True)
    >>> breaks_policy("same", "1234567894", "1234567893"), breaks_policy("same", "1234567894", "1234567895")
    (True, False)
    """
    found = find_checks(surrogate)
    return bool(found) if policy == "never" else find_checks(real) != found


def passes_luhn(digits: str) -> bool:
    """The check of payment cards, Canadian SINs and many others."""
    if not digits.isdigit():
        return False
    doubled = (int(d) * (1 + n % 2) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def passes_npi(digits: str) -> bool:
    """The check of the US National Provider Identifier: Luhn with the prefix 80840."""
    return len(digits) == 10 and digits[0] in "12" and passes_luhn("80840" + digits)


def passes_nhs(digits: str) -> bool:
    """The check of the English NHS number: modulo 11."""
    if len(digits) != 10 or not digits.isdigit():
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


CHECKS: dict[str, Callable[[str], bool]] = {
    "luhn": passes_luhn, "npi": passes_npi, "nhs": passes_nhs, "dea": passes_dea, "vin": passes_vin,
}  # fmt: skip
