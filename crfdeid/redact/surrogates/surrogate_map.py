"""The map from real texts to surrogates in one encrypted file, the most sensitive file of all.

It holds the secret, so that later notes are redacted alike; the names given so far, so that they stay
when new notes join; and every pair of real text and surrogate, so that its owner can undo a redaction.
The file is replaced as a whole, and only its owner can read it.

    file: magic and version, salt, check, nonce, then JSON in AES-256-GCM, under a key of scrypt
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import files
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import PatientHistory

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_VARIABLE = "CRFDEID_MAP_KEY"
MAGIC, VERSION = b"crfdeid map ", b"1\n"
SALT, CHECK, NONCE = 16, 16, 12  # bytes
HEAD = len(MAGIC) + len(VERSION)


class MapError(CrfdeidError):
    """The map is damaged, has a newer version, or needs another key."""


@dataclass
class SurrogateMap:
    """The content of a map file. ``patients`` holds the history of each patient by its identity."""

    secret: bytes = field(repr=False)
    rules: Rules = field(default_factory=Rules)
    patients: dict[str, PatientHistory] = field(default_factory=dict, repr=False)


def read_key(path: Path | None) -> bytes:
    """Read the key of the map from a file, or from the environment if ``path`` is None."""
    if path is not None:
        return keyed_choice.read_secret(path)
    key = os.environ.get(KEY_VARIABLE, "").strip().encode()
    if len(key) < keyed_choice.MIN_KEY_BYTES:
        raise ConfigurationError(
            f"the map needs a key of at least {keyed_choice.MIN_KEY_BYTES} bytes: --map-key FILE, "
            f"or the environment variable {KEY_VARIABLE}"
        )
    return key


def read_map(path: Path, key: bytes) -> SurrogateMap:
    """Raises :class:`MapError` if the key is wrong or the file was changed."""
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
    salt, check, nonce, sealed = split_bytes(data[HEAD:], SALT, CHECK, NONCE)
    inner_key, expected_check = derive_keys(key, salt)
    if len(nonce) < NONCE:
        raise MapError(f"{path}: damaged: the file ends too early")
    if not hmac.compare_digest(check, expected_check):
        raise MapError(f"{path}: not the key of this map, or damaged in its head")
    return decrypt_map(path, build_cipher(inner_key), nonce, sealed, data[:HEAD] + salt)


def decrypt_map(path: Path, cipher: AESGCM, nonce: bytes, sealed: bytes, head: bytes) -> SurrogateMap:
    from cryptography.exceptions import InvalidTag

    try:
        table = json.loads(cipher.decrypt(nonce, sealed, head))
        patients = {id: PatientHistory(**history) for id, history in table["patients"].items()}
        return SurrogateMap(bytes.fromhex(table["secret"]), Rules(**table["rules"]), patients)
    except (InvalidTag, ValueError, KeyError, TypeError):
        raise MapError(f"{path}: damaged: the content was changed") from None


def write_map(map: SurrogateMap, path: Path, key: bytes) -> None:
    """Replace ``path`` by the whole new map. If an error occurs, the file stays as it is."""
    salt, nonce = secrets.token_bytes(SALT), secrets.token_bytes(NONCE)
    inner_key, check = derive_keys(key, salt)
    patients = {id: asdict(history) for id, history in map.patients.items()}
    table = {"secret": map.secret.hex(), "rules": asdict(map.rules), "patients": patients}
    sealed = build_cipher(inner_key).encrypt(nonce, json.dumps(table).encode(), MAGIC + VERSION + salt)
    try:
        with files.open_whole(path, "wb", private=True) as file:
            file.write(MAGIC + VERSION + salt + check + nonce + sealed)
    except OSError as error:
        raise MapError(f"{path}: cannot be written: {error.strerror or error}") from None


def derive_keys(key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """Derive the encryption key, and a check that distinguishes a wrong key from damage."""
    import hashlib

    derived = hashlib.scrypt(key, salt=salt, n=2**14, r=8, p=1, dklen=32 + CHECK)
    return derived[:32], derived[32:]


def build_cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise ConfigurationError("a map needs cryptography: pip install 'crfdeid[redact]'") from None
    return AESGCM(key)


def split_bytes(data: bytes, *lengths: int) -> list[bytes]:
    """Split ``data`` into pieces of these lengths and the rest."""
    pieces, at = [], 0
    for length in lengths:
        pieces.append(data[at : at + length])
        at += length
    return [*pieces, data[at:]]
