"""The texts by which a message names its patient, searched in the values that its allow-list keeps.

An allow-list knows the datatype of a field, and not what somebody wrote into it: a surname in a field of
codes looks like a code. The message itself names its patient, so such a value is found and emptied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from crfdeid.lexicon.letters import fold
from crfdeid.lexicon.ordinary import is_ordinary

NAME, DATE, WHOLE = "PATIENT", "DATE", ("CITY", "ZIP")
NUMBERS = ("MEDICALRECORD", "SSN", "LICENSE", "HEALTHPLAN", "ACCOUNT", "IDNUM", "PHONE", "FAX")
MIN_WORD, MIN_NUMBER = 3, 6  # characters of what is found in a part of a value; less is a whole value
MIN_WHOLE = {NAME: 2}
SHORTEST = 4  # characters of other texts
WORD, RUN, DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"[^\W_]+"), re.compile(r"[0-9]+")
NUMBER = re.compile(r"[^\W_]*[0-9][^\W_]*")
FULL_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
WRITTEN = re.compile(r"([0-9]{1,4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,4})")
URI = re.compile(r"(?:https?|urn):")
PART = re.compile(r"[^/#|:]+")  # of an address


@dataclass(frozen=True)
class OwnTexts:
    """The texts that are known of a patient: ``parts`` has the types of those that are found anywhere in a
    value, and ``wholes`` those of short ones, which are found only as a whole value."""

    parts: Mapping[str, str] = field(default_factory=dict)
    wholes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[tuple[str, str]]) -> OwnTexts:
        """Read the types and texts of names, birth dates, numbers and places."""
        parts: dict[str, str] = {}
        wholes: dict[str, str] = {}
        for type, text in facts:
            found = list(list_forms(type, text))
            size = MIN_WORD if type == NAME else MIN_NUMBER
            parts |= {form: type for form in found if len(form) >= size and type not in WHOLE}
            shortest = MIN_WHOLE.get(type, SHORTEST)
            wholes |= {form: type for form in [squeeze(text)] if found and len(form) >= shortest}
        return cls(parts, wholes)

    def __bool__(self) -> bool:
        return bool(self.wholes or self.parts)

    def find(self, text: str) -> str | None:
        """Return the type of what ``text`` says of the patient.

        >>> own = OwnTexts.of([("PATIENT", "Ng"), ("PATIENT", "Ana Mae"), ("DATE", "2001-03-07")])
        >>> own.find("MAE_A"), own.find("3/7/2001"), own.find("200103071015"), own.find("NG")
        ('PATIENT', 'DATE', 'DATE', 'PATIENT')
        >>> own.find("ng/mL"), own.find("Amae"), own.find("2001")
        (None, None, None)
        """
        whole = squeeze(text)
        if whole in self.wholes or whole in self.parts:
            return self.wholes.get(whole) or self.parts[whole]
        found = (self.parts[form] for form in list_parts(fold(text)) if form in self.parts)
        return next(found, None)

    def find_in_display(self, text: str) -> str | None:
        """Return the type of what the name of a code says of the patient. One name that is also a word does
        not: the code says the word, whoever the patient is.

        >>> own = OwnTexts.of([("PATIENT", "White"), ("PATIENT", "May"), ("PATIENT", "Okafor")])
        >>> [own.find_in_display(text) for text in ("White", "May White score", "Okafor score")]
        [None, 'PATIENT', 'PATIENT']
        """
        names = {form for form in list_parts(fold(text)) if self.parts.get(form) == NAME}
        is_word = len(names) == 1 and all(map(is_ordinary, names))
        return None if is_word else self.find(text)


def squeeze(text: str) -> str:
    """Return the letters and digits of a text without zeros before them.

    >>> squeeze("00-447 1902"), squeeze("O'Neil")
    ('4471902', 'oneil')
    """
    return "".join(RUN.findall(fold(text))).lstrip("0")


def list_forms(type: str, text: str) -> Iterator[str]:
    """Yield the writings of a text by its type; none for a type that is not searched."""
    if type == NAME:
        yield from WORD.findall(fold(text))
    elif type == DATE and (found := FULL_DATE.fullmatch(text)):
        year, month, day = found.groups()
        yield from (each.lstrip("0") for each in (year + month + day, month + day + year, day + month + year))
    elif type in NUMBERS or type in WHOLE:
        yield squeeze(text)


def list_parts(text: str) -> Iterator[str]:
    """Yield the words, numbers and dates of a value. An address has only whole parts: ``us-core-race`` is not
    a name."""
    words = PART if URI.match(text) else WORD
    yield from words.findall(text)
    yield from (run.lstrip("0") for run in NUMBER.findall(text))
    for digits in DIGITS.findall(text):
        yield digits.lstrip("0")
        yield digits[: len("20010307")].lstrip("0")  # of a date with its time
    for first, second, third in WRITTEN.findall(text):
        yield (first.zfill(2) + second.zfill(2) + third.zfill(2)).lstrip("0")
