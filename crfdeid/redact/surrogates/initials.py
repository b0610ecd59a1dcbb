"""The initials of surrogates: a secret permutation of the letters for each kind of thing.

A patient's hospitals and streets are often known. So their letters say nothing about those of people, and
those of doctors nothing about those of patients where all notes are known.
"""

from __future__ import annotations

from crfdeid.lexicon.letters import fold
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS = "patients", "doctors", "institutions", "streets", "hosts"
THINGS = (PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS)
LETTERS = ("BCDGHLMPRSW", "AEFJKNTV", "IOUYZ")  # many, fewer and few names begin with these; none with Q, X
GROUPS = {letter: letters for letters in LETTERS for letter in letters}


class Initials:
    """The permutations of one patient. A letter becomes one with which about as many names begin."""

    def __init__(self, choices: KeyedChoices) -> None:
        self.choices = choices
        self.shared: dict[str, Initials] = {}  # by thing, those whose permutation for patients is used for it
        self._permuted: dict[tuple[str, str], dict[str, str]] = {}  # by letters and thing

    def find_letter(self, letter: str, thing: str) -> str | None:
        """What a capital becomes for a kind of thing; None for one of no permutation. Only the letters that
        permute with it are permuted."""
        if thing in self.shared:
            return self.shared[thing].find_letter(letter, PATIENTS)
        if not (letters := GROUPS.get(letter)):
            return None
        if (letters, thing) not in self._permuted:
            self._permuted[letters, thing] = self.choices.permute(letters, thing)
        return self._permuted[letters, thing][letter]

    def replace_letter(self, letter: str, thing: str = PATIENTS) -> str:
        """Replace an initial, in the same case."""
        plain = fold(letter)[:1].upper()
        new = self.find_letter(plain, thing)
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
