"""The map from real to surrogate, in one encrypted file: the most sensitive file of all.

It holds the secret, so that notes that arrive later are redacted alike; the names given, so that
they stay although other notes join; and every pair of real and surrogate text, so that its
holder can undo a redaction. Written whole, readable by its owner alone.

    file: magic and version, salt, check, nonce, then AES-256-GCM of JSON, under a key of scrypt
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crfdeid import files
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import PatientFacts

ENVIRONMENT = "CRFDEID_MAP_KEY"
MAGIC, VERSION = b"crfdeid map ", b"1\n"
SALT, CHECK, NONCE = 16, 16, 12
HEAD = len(MAGIC) + len(VERSION)


class MapError(CrfdeidError):
    """A map that is damaged, of a newer version, or of another key."""


@dataclass
class PatientHistory:
    """What a patient's notes said: names given, places and numbers given, votes on the order of day and
    month, and by type the real texts with their surrogates."""

    names: dict[str, str] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, dict[str, str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)

    def join(self, told: PatientFacts) -> None:
        """Add what was known before to what is known now."""
        told.names.update(dict.fromkeys(self.names, 0))
        told.orders = Counter(self.orders)
        for type, pairs in self.pairs.items():
            told.strings.setdefault(type, set()).update(pairs)

    def __repr__(self) -> str:
        return f"Past({len(self.names)} names)"  # never the names


@dataclass
class SurrogateMap:
    secret: bytes = field(repr=False)
    rules: Rules = field(default_factory=Rules)
    patients: dict[str, PatientHistory] = field(default_factory=dict, repr=False)


def passphrase(path: Path | None) -> bytes:
    """The key of the map: of a file, else of the environment."""
    if path is not None:
        return keyed_choice.read(path)
    given = os.environ.get(ENVIRONMENT, "").strip().encode()
    if len(given) < keyed_choice.LEAST_BYTES:
        raise ConfigurationError(
            f"the map wants a key of at least {keyed_choice.LEAST_BYTES} bytes: --map-key FILE, "
            f"or the environment's {ENVIRONMENT}"
        )
    return given


def read(path: Path, key: bytes) -> SurrogateMap:
    """Raises :class:`MapError` where the key is another, or the file is not as it was written."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MapError(f"{path}: {error.strerror or error}") from None
    if not data.startswith(MAGIC):
        raise MapError(f"{path}: not a map of crfdeid")
    if data[len(MAGIC) : HEAD] != VERSION:
        raise MapError(
            f"{path}: a map of another version; this crfdeid reads version {VERSION.decode().strip()}"
        )
    salt, check, nonce, sealed = cut(data[HEAD:], SALT, CHECK, NONCE)
    inner, proof = derived(key, salt)
    if len(nonce) < NONCE:
        raise MapError(f"{path}: damaged: it ends too soon")
    if not hmac.compare_digest(check, proof):
        raise MapError(f"{path}: not the key of this map, or damaged in its head")
    return opened(path, cipher(inner), nonce, sealed, data[:HEAD] + salt)


def opened(path: Path, sealer: Any, nonce: bytes, sealed: bytes, head: bytes) -> SurrogateMap:
    from cryptography.exceptions import InvalidTag

    try:
        table = json.loads(sealer.decrypt(nonce, sealed, head))
        patients = {id: PatientHistory(**past) for id, past in table["patients"].items()}
        return SurrogateMap(bytes.fromhex(table["secret"]), Rules(**table["rules"]), patients)
    except (InvalidTag, ValueError, KeyError, TypeError):
        raise MapError(f"{path}: damaged: it is not as it was written") from None


def write(vault: SurrogateMap, path: Path, key: bytes) -> None:
    """Replace ``path`` by the whole new map, or leave it as it was."""
    salt, nonce = secrets.token_bytes(SALT), secrets.token_bytes(NONCE)
    inner, proof = derived(key, salt)
    patients = {id: asdict(past) for id, past in vault.patients.items()}
    table = {"secret": vault.secret.hex(), "rules": asdict(vault.rules), "patients": patients}
    sealed = cipher(inner).encrypt(nonce, json.dumps(table).encode(), MAGIC + VERSION + salt)
    try:
        with files.whole(path, "wb", private=True) as file:
            file.write(MAGIC + VERSION + salt + proof + nonce + sealed)
    except OSError as error:
        raise MapError(f"{path}: cannot be written: {error.strerror or error}") from None


def derived(key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """The key that seals, and a proof that tells another key from damage."""
    import hashlib

    made = hashlib.scrypt(key, salt=salt, n=2**14, r=8, p=1, dklen=32 + CHECK)
    return made[:32], made[32:]


def cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise ConfigurationError("a map needs cryptography: pip install 'crfdeid[redact]'") from None
    return AESGCM(key)


def cut(data: bytes, *lengths: int) -> list[bytes]:
    """``data`` in pieces of these lengths, and the rest."""
    pieces, at = [], 0
    for length in lengths:
        pieces.append(data[at : at + length])
        at += length
    return [*pieces, data[at:]]
