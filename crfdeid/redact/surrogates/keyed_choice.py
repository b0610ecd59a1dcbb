"""Choices that follow from a secret, the initials of names among them, and the secret itself.

The key of a patient is the HMAC-SHA-256 of the patient under the secret. A choice is the HMAC of what is
replaced under the patient's key. The generators of :mod:`random` are not used: Python does not promise the
same sequences in every version, and many machines must redact a million notes alike.

Initials are a secret permutation of the letters for each kind of thing. A patient's hospitals and streets are
often known. So their letters say nothing about those of people, and those of doctors nothing about those of
patients where all notes are known.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from crfdeid.errors import ConfigurationError
from crfdeid.files import refuse_named_pipe
from crfdeid.lexicon.letters import fold

PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS = "patients", "doctors", "institutions", "streets", "hosts"
THINGS = (PATIENTS, DOCTORS, INSTITUTIONS, STREETS, HOSTS)
LETTERS = ("BCDGHLMPRSW", "AEFJKNTV", "IOUYZ")  # many, fewer and few names begin with these; none with Q, X
GROUPS = {letter: letters for letters in LETTERS for letter in letters}

MIN_KEY_BYTES = 16
Item = TypeVar("Item")


class KeyedChoices:
    """The choices for one patient. ``key`` names a choice: the same key always gives the same choice.

    >>> first, second = KeyedChoices(b"secret", "7"), KeyedChoices(b"secret", "7")
    >>> first.draw_number(100, "shift") == second.draw_number(100, "shift")
    True
    """

    def __init__(self, secret: bytes, patient: str) -> None:
        self._key = hmac.digest(secret, patient.encode(), "sha256")

    def digest(self, *key: object) -> bytes:
        """Return 32 bytes."""
        return hmac.digest(self._key, repr(key).encode(), "sha256")

    def draw_number(self, below: int, *key: object) -> int:
        """Draw a number from 0 to ``below`` - 1."""
        return int.from_bytes(self.digest(*key)[:16]) % below

    def choose(self, items: Sequence[Item], *key: object) -> Item:
        return items[self.draw_number(len(items), *key)]

    def shuffle(self, items: Sequence[str], *key: object) -> list[str]:
        return sorted(items, key=lambda item: self.digest(*key, item))

    def stream_bytes(self, *key: object) -> Iterator[int]:
        """Yield bytes without end."""
        block = 0
        while True:
            yield from self.digest(*key, block)
            block += 1

    def permute(self, items: Sequence[str], *key: object) -> dict[str, str]:
        """Map each item to another item. No item maps to itself if there are at least two.

        >>> permutation = KeyedChoices(b"secret", "7").permute("ABC", "letters")
        >>> sorted(permutation.values()), any(a == b for a, b in permutation.items())
        (['A', 'B', 'C'], False)
        """
        order = self.shuffle(items, *key)
        return dict(zip(order, [*order[1:], order[0]]))


def make_secret() -> bytes:
    """Make a random secret of 32 bytes."""
    return secrets.token_bytes(32)


def read_key_file(path: Path) -> bytes:
    """Derive the secret from a key file, which may hold a password."""
    return stretch_password(read_secret(path))


def stretch_password(password: bytes) -> bytes:
    """Derive a secret so that each guess of the password costs the time and memory of scrypt (RFC 7914)."""
    return hashlib.scrypt(password, salt=b"crfdeid key file", n=2**14, r=8, p=1, dklen=32)


def derive_secret(seed: int) -> bytes:
    """The secret of an experiment. It protects nothing: anyone can compute it from the seed."""
    return f"crfdeid seed {seed}".encode()


def read_secret(path: Path) -> bytes:
    """Read the secret in a file, without surrounding white space. Raises :class:`ConfigurationError` if the
    file cannot be read, holds too few bytes, or other users may read it."""
    refuse_named_pipe(path)
    try:
        secret, mode = path.read_bytes().strip(), path.stat().st_mode
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    if len(secret) < MIN_KEY_BYTES:
        raise ConfigurationError(
            f"{path}: a key of {len(secret)} bytes; wanted at least {MIN_KEY_BYTES}, such as: "
            "openssl rand -hex 32"
        )
    if os.name == "posix" and mode & 0o077:
        raise ConfigurationError(f"{path}: others may read this key; chmod 600 corrects it")
    return secret


class Initials:
    """The permutations of one patient. A letter becomes one with which about as many names begin."""

    letters: Sequence[str] = LETTERS  # many, fewer and few names begin with these
    groups: Mapping[str, str] = GROUPS

    def __init__(self, choices: KeyedChoices) -> None:
        self.choices = choices
        self.shared: dict[str, Initials] = {}  # by thing, those whose permutation for patients is used for it
        self._permuted: dict[tuple[str, str], dict[str, str]] = {}  # by letters and thing

    def find_letter(self, letter: str, thing: str) -> str | None:
        """The capital that replaces a capital, for a kind of thing; None for one of no permutation. Only
        the letters that permute with it are permuted."""
        if thing in self.shared:
            return self.shared[thing].find_letter(letter, PATIENTS)
        if not (letters := self.groups.get(letter)):
            return None
        if (letters, thing) not in self._permuted:
            self._permuted[letters, thing] = self.choices.permute(letters, thing)
        return self._permuted[letters, thing][letter]

    def replace_letter(self, letter: str, thing: str = PATIENTS) -> str:
        """Replace an initial, in the same case."""
        plain = fold(letter)[:1].upper()
        new = self.find_letter(plain, thing)
        if new is None:
            new = self.choices.choose(self.letters[0], "letter", thing, plain or letter)
        return new if letter.isupper() else new.lower()

    def replace_letters(self, letters: str, thing: str = PATIENTS) -> str:
        return "".join(self.replace_letter(letter, thing) for letter in letters)

    def choose_initial(self, name: str, thing: str = PATIENTS) -> str:
        """The capital that the surrogate of ``name`` begins with."""
        return self.replace_letter(name[0].upper(), thing).upper()

    def invent_name(self, name: str, thing: str = PATIENTS) -> str:
        """Replace a name letter by letter, if nothing else remains."""
        return self.replace_letter(name[0].upper(), thing) + self.replace_letters(name[1:] or "x", thing)
