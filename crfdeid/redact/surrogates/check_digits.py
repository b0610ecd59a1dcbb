"""Check digits. A surrogate that passed one by accident could be somebody's number.

>>> luhn("4111111111111111"), npi("1234567893"), dea("AB1234563"), vin("1M8GDM9AXKP042788"), nhs("9434765919")
(True, True, True, True, True)
"""

from __future__ import annotations

SHORTEST = 8
VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9))
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def holds(text: str) -> bool:
    """Whether ``text`` passes a check that numbers of its form carry; under eight characters
    none is looked for."""
    bare = "".join(c for c in text if c.isalnum()).upper()
    if len(bare) < SHORTEST or not bare.isascii():
        return False
    if bare.isdigit():
        return luhn(bare) or npi(bare) or nhs(bare)
    return dea(bare) or vin(bare)


def luhn(digits: str) -> bool:
    """Payment cards, Canadian SINs and many others."""
    doubled = (int(d) * (1 + n % 2) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def npi(digits: str) -> bool:
    """The US National Provider Identifier: Luhn behind the prefix 80840."""
    return len(digits) == 10 and digits[0] in "12" and luhn("80840" + digits)


def nhs(digits: str) -> bool:
    """The English NHS number: modulo 11."""
    if len(digits) != 10:
        return False
    rest = 11 - sum(int(d) * weight for d, weight in zip(digits, range(10, 1, -1))) % 11
    return rest != 10 and rest % 11 == int(digits[9])


def dea(text: str) -> bool:
    """The registration number of a US prescriber."""
    digits = text[2:]
    if len(text) != 9 or not text[0].isalpha() or not digits.isdigit():
        return False
    d = list(map(int, digits))
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def vin(text: str) -> bool:
    """The vehicle identification number of North America: modulo 11, at the ninth place."""
    if len(text) != 17 or any(c in "IOQ" for c in text):
        return False
    total = sum((int(c) if c.isdigit() else VIN_VALUES[c]) * w for c, w in zip(text, VIN_WEIGHTS))
    return text[8] == ("X" if total % 11 == 10 else str(total % 11))
