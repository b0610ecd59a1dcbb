"""Placeholders: ``[PATIENT_1]``, and ``[PATIENT_1b]`` for another writing of the same name or number.

The number says whom or what is meant, so that a language model can follow a person through the text. The
letter says how it was written, so that every writing comes back as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

from crfdeid.lexicon.letters import WORD, fold, normalize, remove_marks, split_possessive
from crfdeid.redact.actions import name_type
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.search import list_days

LITERAL = "TEXT"  # the type of a text that looks like something that was issued
PLACEHOLDER = re.compile(
    r"\[(?P<name>[A-Z][A-Z0-9_]*)_(?P<number>\d{1,9})(?P<letters>[a-z]{0,3})\]", re.ASCII
)
NUMBER = re.compile(r"(?<=[_ -])\d{1,9}(?!\d)", re.ASCII)
NAME_BEFORE = re.compile(r"(?:[A-Z0-9]+\\?[_ -])+$", re.ASCII | re.IGNORECASE)
LONGEST_NAME = 60  # characters before the number of a placeholder


@dataclass
class Subject:
    """Whom or what the placeholders with one name and number mean. ``words`` are the folded words of a
    person's name, otherwise the one key of a number or day."""

    name: str
    number: int
    words: frozenset[str]
    writings: int = 1

    def __repr__(self) -> str:
        return f"Subject({self.name}_{self.number})"  # never the words


class Numbering:
    """Gives each real text a placeholder that it keeps, and never one that a text has already."""

    def __init__(self) -> None:
        self.given: dict[tuple[str, str], str] = {}  # by kind and real text
        self.subjects: dict[str, list[Subject]] = {}  # by kind
        self.reserved: set[tuple[str, int]] = set()

    def reserve(self, text: str) -> None:
        """Never give a placeholder that this text has, in any of its forms."""
        for number in NUMBER.finditer(text):
            if before := NAME_BEFORE.search(text[max(0, number.start() - LONGEST_NAME) : number.start()]):
                words = re.findall(r"[A-Z0-9]+", before[0].upper())
                names = ("_".join(words[first:]) for first in range(len(words)))
                self.reserved.update((name, int(number[0])) for name in names)

    def issue(self, type: str, real: str) -> str:
        """Return the placeholder of a real text. It has the type of the subject's first text: a name that is
        a patient's here and a doctor's there has one placeholder.

        >>> numbering = Numbering()
        >>> [numbering.issue("PATIENT", name) for name in ("Ana Ruiz", "Ben Lee", "RUIZ", "Ana Ruiz")]
        ['[PATIENT_1]', '[PATIENT_2]', '[PATIENT_1b]', '[PATIENT_1]']
        """
        kind = find_kind(type)
        if (kind, real) not in self.given:
            subject = self._find_subject(kind, type, find_words(type, real))
            letters = write_letters(subject.writings)
            self.given[kind, real] = f"[{subject.name}_{subject.number}{letters}]"
            subject.writings += 1
        return self.given[kind, real]

    def take_over(self, name: str, number: int, letters: str, type: str, real: str) -> None:
        """Continue after a placeholder that was given earlier."""
        kind = find_kind(type)
        self.given[kind, real] = f"[{name}_{number}{letters}]"
        self.reserved.add((name, number))
        subjects = self.subjects.setdefault(kind, [])
        known = next((each for each in subjects if (each.name, each.number) == (name, number)), None)
        if known is None:
            subjects.append(known := Subject(name, number, frozenset()))
        known.words |= find_words(type, real)
        known.writings = max(known.writings, read_letters(letters) + 1)

    def _find_subject(self, kind: str, type: str, words: frozenset[str]) -> Subject:
        """The one subject that has these words, or whose words these have; otherwise a new one."""
        subjects = self.subjects.setdefault(kind, [])
        found = [each for each in subjects if words and (each.words <= words or words <= each.words)]
        if len(found) == 1:
            found[0].words |= words
            return found[0]
        name = write_name(type)
        number = next(number for number in count(1) if (name, number) not in self.reserved)
        self.reserved.add((name, number))
        subjects.append(Subject(name, number, words))
        return subjects[-1]


def write_name(type: str) -> str:
    """The first part of a placeholder.

    >>> [write_name(type) for type in ("LOCATION-OTHER", "SPECIES", LITERAL)]
    ['LOCATION_OTHER', 'PHI', 'TEXT']
    """
    return LITERAL if type == LITERAL else re.sub(r"[^A-Z0-9]", "_", name_type(type).upper())


def find_kind(type: str) -> str:
    """The kind of a type; a type without one is its own kind."""
    kind = kinds.kind_of(type)
    return type if kind in (kinds.UNKNOWN, kinds.OTHER) else kind


def find_words(type: str, real: str) -> frozenset[str]:
    """The common form of all writings of one name, number or day.

    >>> sorted(find_words("PATIENT", "RUIZ, Ana M.")), find_words("PHONE", "(617) 555-0148")
    (['ana', 'ruiz'], frozenset({'6175550148'}))
    """
    kind = kinds.kind_of(type)
    if kind == kinds.NAME:
        words = frozenset(fold(split_possessive(word)[0]) for word in WORD.findall(real))
        return frozenset(word for word in words if len(word) > 1) or words
    days = list_days(normalize(real).text) if kind == kinds.DATE else set()
    key = remove_marks(real) or real
    return frozenset(days if len(days) == 1 else [key])


def read_placeholder(text: str) -> tuple[str, int, str] | None:
    """Return the name, the number and the letters of a placeholder; None for another text.

    >>> read_placeholder("[PATIENT_12b]"), read_placeholder("Ada Weber")
    (('PATIENT', 12, 'b'), None)
    """
    match = PLACEHOLDER.fullmatch(text)
    return (match["name"], int(match["number"]), match["letters"]) if match else None


def read_letters(letters: str) -> int:
    """The number of the writing with these letters (:func:`write_letters`)."""
    count = 0
    for letter in letters:
        count = 26 * count + ord(letter) - ord("a") + 1
    return max(count, 1)


def write_letters(count: int) -> str:
    """The letters of the writing with this number: none for the first, then b, c, …, z, aa.

    >>> [write_letters(count) for count in (1, 2, 26, 27, 28)]
    ['', 'b', 'z', 'aa', 'ab']
    """
    letters = ""
    while count > 0 and (letters or count > 1):
        count, rest = divmod(count - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
