"""The secret, and choices that depend on it.

HMAC-SHA-256 of the patient under the secret is the patient's key; HMAC of what is replaced under
that key is the choice. Python's own generators are not used: their sequences are not promised
across versions, and a million notes must come out the same on many machines.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from crfdeid.errors import ConfigurationError

LEAST_BYTES = 16
Item = TypeVar("Item")


class KeyedChoices:
    """The choices of one patient. ``what`` names the choice: equal names, equal choices.

    >>> KeyedChoices(b"secret", "7").number(100, "shift") == KeyedChoices(b"secret", "7").number(100, "shift")
    True
    """

    def __init__(self, secret: bytes, patient: str) -> None:
        self._key = hmac.digest(secret, patient.encode(), "sha256")

    def digest(self, *what: object) -> bytes:
        return hmac.digest(self._key, repr(what).encode(), "sha256")

    def number(self, below: int, *what: object) -> int:
        """From 0 up to ``below``, exclusive."""
        return int.from_bytes(self.digest(*what)[:16]) % below

    def choice(self, items: Sequence[Item], *what: object) -> Item:
        return items[self.number(len(items), *what)]

    def shuffled(self, items: Sequence[str], *what: object) -> list[str]:
        return sorted(items, key=lambda item: self.digest(*what, item))

    def stream(self, *what: object) -> Iterator[int]:
        """Bytes without end."""
        block = 0
        while True:
            yield from self.digest(*what, block)
            block += 1

    def cycle(self, items: Sequence[str], *what: object) -> dict[str, str]:
        """A permutation of ``items`` that leaves none in its place (where there are two).

        >>> cycle = KeyedChoices(b"secret", "7").cycle("ABC", "letters")
        >>> sorted(cycle.values()), any(a == b for a, b in cycle.items())
        (['A', 'B', 'C'], False)
        """
        order = self.shuffled(items, *what)
        return dict(zip(order, [*order[1:], order[0]]))


def fresh() -> bytes:
    """A secret that nobody has written down."""
    return secrets.token_bytes(32)


def seeded(seed: int) -> bytes:
    """The secret of an experiment: no secret at all, anybody can repeat it."""
    return f"crfdeid seed {seed}".encode()


def read(path: Path) -> bytes:
    """The secret in a file, outer white space aside. Raises :class:`ConfigurationError` where it
    cannot be read, is short, or may be read by everybody."""
    try:
        secret, mode = path.read_bytes().strip(), path.stat().st_mode
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    if len(secret) < LEAST_BYTES:
        raise ConfigurationError(
            f"{path}: a key of {len(secret)} bytes; wanted at least {LEAST_BYTES}, such as: "
            "openssl rand -hex 32"
        )
    if os.name == "posix" and mode & 0o077:
        raise ConfigurationError(f"{path}: others may read this key; chmod 600 mends it")
    return secret
