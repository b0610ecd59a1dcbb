"""The initials of surrogates: a secret permutation of the letters for each kind of thing.

A patient's hospitals and streets are often known. So their letters say nothing about those of people, and
those of doctors nothing about those of patients where all notes are known.
"""

from __future__ import annotations

from itertools import chain

from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.text_forms import fold

PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS = "patients", "doctors", "institutions", "streets", "hosts"
THINGS = (PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS)
LETTERS = ("BCDGHLMPRSW", "AEFJKNTV", "IOUYZ")  # many, fewer and few names begin with these; none with Q, X


class Initials:
    """The permutations of one patient. A letter becomes one with which about as many names begin."""

    def __init__(self, choices: KeyedChoices) -> None:
        self.choices = choices
        self.letters: dict[str, dict[str, str]] = {}  # by thing, when they are first asked for

    def find_letters(self, thing: str) -> dict[str, str]:
        """The permutation for a kind of thing."""
        if thing not in self.letters:
            pairs = (self.choices.permute(group, thing).items() for group in LETTERS)
            self.letters[thing] = dict(chain.from_iterable(pairs))
        return self.letters[thing]

    def replace_letter(self, letter: str, thing: str = PATIENTS) -> str:
        """Replace an initial, in the same case."""
        plain = fold(letter)[:1].upper()
        new = self.find_letters(thing).get(plain)
        if new is None:
            new = self.choices.choose(LETTERS[0], "letter", thing, plain or letter)
        return new if letter.isupper() else new.lower()

    def replace_letters(self, letters: str, thing: str = PATIENTS) -> str:
        return "".join(self.replace_letter(letter, thing) for letter in letters)

    def choose_initial(self, name: str, thing: str = PATIENTS) -> str:
        """The capital that the surrogate of ``name`` begins with."""
        return self.replace_letter(name[0].upper(), thing).upper()

    def invent_name(self, name: str, thing: str = PATIENTS) -> str:
        """Replace a name letter by letter, if nothing else remains."""
        return self.replace_letter(name[0].upper(), thing) + self.replace_letters(name[1:] or "x", thing)
