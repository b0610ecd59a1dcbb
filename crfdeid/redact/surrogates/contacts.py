"""Telephone and user name. A user name that is made of a person's name is made of that person's
surrogate."""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.identifiers import patterned
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import cased, folded, words
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts

PHONE_WORDS = words(
    """x ext extn extension pager pgr page beeper bp tel telephone phone ph fax cell mobile home work office
    h w c o p f pg at or and to number no call"""
)
LETTERS = regex.compile(r"\p{L}+")
PHONE = regex.compile(
    r"(?P<country>\+?1[\s.-]*)?\(?(?P<area>[2-9]\d\d)\)?[\s./-]*(?P<local>\d{3}[\s.-]*\d{4})(?!\d)"
)
LOCAL = regex.compile(r"(?<!\d)\d{3}[\s.-]*\d{4}(?!\d)")
PIECE = regex.compile(r"\p{L}+|\d+")


class Contacts:
    def __init__(self, draws: KeyedChoices, known: PatientFacts, names: Names) -> None:
        self.draws, self.known, self.names = draws, known, names

    def phone(self, text: str) -> str | None:
        """The same digits for the same seven-digit number, with or without its area.

        >>> names = Names(draws := KeyedChoices(b"secret", "7"), PatientFacts())
        >>> a, b = (Contacts(draws, PatientFacts(), names).phone(t) for t in ("(617) 555-0148", "555-0148"))
        >>> a.endswith(b), b != "555-0148"
        (True, True)
        """
        if not any(c.isalnum() for c in text):
            return None
        match = PHONE.search(text) or LOCAL.search(text)
        if match is None:
            return self.others(text)
        groups = match.groupdict()
        local = groups.get("local") or match[0]
        inner = match[0][: len(match[0]) - len(local)]
        if area := groups.get("area"):
            cut = inner.index(area)
            inner = inner[:cut] + dialled(patterned(area, self.draws, "area")) + inner[cut + 3 :]
        new = self.local(local)
        return self.others(text[: match.start()]) + inner + new + self.others(text[match.end() :])

    def local(self, text: str) -> str:
        new = patterned(text, self.draws, "phone")
        return dialled(new) if text[0] in "23456789" and dialled(new) != text else new

    def others(self, text: str) -> str:
        """Extensions and what else is there: digits change, words that say what it is stay."""
        cut: list[str] = []
        at = 0
        for match in LETTERS.finditer(text):
            cut.append(self.digits(text[at : match.start()]))
            cut.append(
                match[0] if match[0].lower() in PHONE_WORDS else patterned(match[0], self.draws, "phone")
            )
            at = match.end()
        return "".join([*cut, self.digits(text[at:])])

    def digits(self, text: str) -> str:
        return patterned(text, self.draws, "phone") if any(c.isalnum() for c in text) else text

    def username(self, text: str) -> str | None:
        if not any(c.isalnum() for c in text):
            return None
        made = PIECE.sub(lambda match: self.piece(match[0]), text)
        return made if made != text else patterned(text, self.draws, "username")

    def piece(self, piece: str) -> str:
        """Digits; initials; a name; an initial before a name, or behind it."""
        low = folded(piece)
        if piece.isdecimal():
            return patterned(piece, self.draws, "username")
        if len(low) <= 3 and not self.is_name(low):
            return "".join(map(self.names.letter, piece))
        if not self.is_name(low) and self.is_name(low[1:]):
            return self.names.letter(piece[0]) + cased(self.names.surrogate(low[1:]).lower(), piece[1:])
        if not self.is_name(low) and self.is_name(low[:-1]):
            return cased(self.names.surrogate(low[:-1]).lower(), piece[:-1]) + self.names.letter(piece[-1])
        made = self.joined(low) if len(low) > 6 and not self.is_name(low) else self.names.surrogate(low)
        return cased(made, piece)

    def joined(self, low: str) -> str:
        """A first and a last name of the patient's people written as one, else any name."""
        for cut in range(3, len(low) - 2):
            if low[:cut] in self.known.names and low[cut:] in self.known.names:
                return (self.names.surrogate(low[:cut]) + self.names.surrogate(low[cut:])).lower()
        return self.names.surrogate(low).lower()

    def is_name(self, low: str) -> bool:
        return (
            low in self.known.names
            or name_pools.common(low)
            or (len(low) > 3 and low in name_pools.folds("surnames"))
        )


def dialled(number: str) -> str:
    """No area or exchange begins with 0 or 1."""
    return str(2 + int(number[0]) % 8) + number[1:] if number[0] in "01" else number
