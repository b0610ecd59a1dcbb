"""The findings that somebody looked at and allowed: a file with hashes, and no text."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from crfdeid import files
from crfdeid.errors import FormatError
from crfdeid.lexicon.letters import fold

SALT = re.compile(r"salt ([0-9a-f]{32})")
HASH = re.compile(r"[0-9a-f]{32}")
HEAD = "# Allowed by python -m crfdeid.check --allow-all: hashes of texts that are no PHI.\n"


class AllowList:
    """The texts that are allowed, of any type, whatever their capitals and blanks. The salt keeps two
    repositories from being compared; who has the file can still test a guess."""

    def __init__(self, path: Path) -> None:
        """Read the list; begin one where there is no file. Raises :class:`FormatError` for another file."""
        self.path, self.salt, self.hashes = path, secrets.token_hex(16), set[str]()
        if path.exists():
            self._read(files.read_text(path).splitlines())

    def _read(self, lines: Iterable[str]) -> None:
        told = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
        match = SALT.fullmatch(told[0][1].strip()) if told else None
        if not match:
            raise FormatError(f"{self.path}: no salt; wanted a file that --allow-all has written")
        self.salt = match[1]
        for number, line in told[1:]:
            text = line.partition("#")[0].strip()
            if not HASH.fullmatch(text):
                raise FormatError(f"{self.path}, line {number}: wanted a hash of 32 digits")
            self.hashes.add(text)

    def hash(self, text: str) -> str:
        return hmac.digest(bytes.fromhex(self.salt), normalize(text).encode(), hashlib.sha256).hex()[:32]

    def has(self, text: str) -> bool:
        return self.hash(text) in self.hashes

    def add(self, texts: Iterable[str]) -> int:
        """Allow texts, and write the file. Return how many are new."""
        new = {self.hash(text) for text in texts} - self.hashes
        self.hashes |= new
        with files.open_whole(self.path) as file:
            file.write(HEAD + f"salt {self.salt}\n" + "".join(f"{each}\n" for each in sorted(self.hashes)))
        return len(new)


def normalize(text: str) -> str:
    return " ".join(fold(text).split())
