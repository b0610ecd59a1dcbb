"""The checks that numbers carry in their last or ninth character.

A release tells a missed real number from a surrogate where surrogates never pass a check and real numbers
do. So a surrogate passes the checks that the real number passes (``same``), and others by chance. The other
choice, ``never``, makes sure that no surrogate is somebody's card or prescriber number.

>>> sorted(find_checks("4111-1111-1111-1111")), sorted(find_checks("1234567893"))
(['luhn'], ['npi'])
>>> [sorted(find_checks(text)) for text in ("9434765919", "AB1234563", "1M8GDM9AXKP042788", "1234567")]
[['nhs'], ['dea'], ['vin'], []]
"""

from __future__ import annotations

from collections.abc import Callable

from crfdeid.lexicon.letters import remove_marks

POLICIES = ("same", "never")
MIN_CHECKED = 8  # characters; shorter numbers carry no check digit
VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9))
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def find_checks(text: str) -> frozenset[str]:
    """Return the names of the checks that ``text`` passes. Fewer than eight characters pass none."""
    bare = remove_marks(text)
    if len(bare) < MIN_CHECKED or not bare.isascii():
        return frozenset()
    return frozenset(name for name, passes in CHECKS.items() if passes(bare))


def breaks_policy(policy: str, real: str, surrogate: str) -> bool:
    """Whether a surrogate must not replace a real number under one of :data:`POLICIES`.

    >>> breaks_policy("same", "1234567893", "1234567894"), breaks_policy("never", "1234567", "1234567893")
    (True, True)
    >>> breaks_policy("same", "1234567894", "1234567893")
    False
    """
    found = find_checks(surrogate)
    return bool(found) if policy == "never" else not find_checks(real) <= found


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
