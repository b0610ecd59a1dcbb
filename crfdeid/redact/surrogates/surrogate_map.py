"""The map from real texts to surrogates in one encrypted file, the most sensitive file of all.

It holds the secret, so that later notes are redacted alike; the names given so far, so that they stay
when new notes join; and every pair of real text and surrogate, so that its owner can undo a redaction.
Only its owner can read the file. A run adds an entry for each patient (:mod:`sealed_entries`).

    file: magic and version, salt, check, then entries of JSON in AES-256-GCM, under a key of scrypt
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from crfdeid import files
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.redact.surrogates.sealed_entries import EntryCipher, build_cipher

KEY_VARIABLE = "CRFDEID_MAP_KEY"
MAGIC, VERSION, OLD_VERSION = b"crfdeid map ", b"2\n", b"1\n"
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


@dataclass
class LoadedMap:
    """A map with what is needed to add entries to its file: the cipher (None for a file of version 1), the
    number of entries, and the end of the last whole one."""

    map: SurrogateMap
    cipher: EntryCipher | None = field(repr=False)
    entries: int
    end: int


def read_map(path: Path, key: bytes) -> SurrogateMap:
    """Raises :class:`MapError` if the key is wrong or the file was changed. A last entry that was not
    written to its end is left out."""
    return load_map(path, key).map


def load_map(path: Path, key: bytes) -> LoadedMap:
    """Read a map as :func:`read_map` does."""
    data = read_bytes(path)
    if not data.startswith(MAGIC):
        raise MapError(f"{path}: not a map of crfdeid")
    version = data[len(MAGIC) : HEAD]
    if version not in (VERSION, OLD_VERSION):
        raise MapError(
            f"{path}: a map of another version; this crfdeid reads versions 1 and {VERSION.decode().strip()}"
        )
    salt, check, sealed = split_bytes(data[HEAD:], SALT, CHECK)
    inner_key, expected_check = derive_keys(key, salt)
    if len(check) < CHECK:
        raise MapError(f"{path}: damaged: the file ends too early")
    if not hmac.compare_digest(check, expected_check):
        raise MapError(f"{path}: not the key of this map, or damaged in its head")
    cipher = EntryCipher(inner_key, data[:HEAD] + salt) if version == VERSION else None
    try:
        if cipher is None:
            return LoadedMap(decode_map([decrypt_old(inner_key, data, sealed)]), None, 1, len(data))
        contents, end = cipher.open_all(data, HEAD + SALT + CHECK)
        return LoadedMap(decode_map(contents), cipher, len(contents), end)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise MapError(f"{path}: damaged: the content was changed") from None


def is_old(path: Path) -> bool:
    """Whether the file is a map of version 1."""
    return read_bytes(path, HEAD) == MAGIC + OLD_VERSION


def read_bytes(path: Path, count: int = -1) -> bytes:
    """Read the first ``count`` bytes, or all, of the file itself: who can change a link could make a run
    write another file."""
    if path.is_symlink():
        raise MapError(f"{path}: is a symbolic link; wanted the map itself")
    files.refuse_named_pipe(path)
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror or error}") from None


def decrypt_old(inner_key: bytes, data: bytes, sealed: bytes) -> bytes:
    """Decrypt the content of a map of version 1, which is one piece. Raises :class:`ValueError`."""
    from cryptography.exceptions import InvalidTag

    try:
        return build_cipher(inner_key).decrypt(sealed[:NONCE], sealed[NONCE:], data[: HEAD + SALT])
    except InvalidTag:
        raise ValueError from None


def decode_map(contents: list[bytes]) -> SurrogateMap:
    """Build a map from its entries: the first holds everything, each further one a patient's history."""
    table, *later = map(json.loads, contents)
    histories = table["patients"]
    for entry in later:
        histories.update(entry)
    patients = {id: PatientHistory(**history) for id, history in histories.items()}
    return SurrogateMap(bytes.fromhex(table["secret"]), Rules(**table["rules"]), patients)


def encode_history(id: str, history: PatientHistory) -> bytes:
    """The content of a patient's entry."""
    return json.dumps({id: asdict(history)}).encode()


def write_map(map: SurrogateMap, path: Path, key: bytes) -> None:
    """Replace ``path`` by the whole new map. If an error occurs, the file stays as it is."""
    salt = secrets.token_bytes(SALT)
    inner_key, check = derive_keys(key, salt)
    patients = {id: asdict(history) for id, history in map.patients.items()}
    table = {"secret": map.secret.hex(), "rules": asdict(map.rules), "patients": patients}
    entry = EntryCipher(inner_key, MAGIC + VERSION + salt).seal(0, json.dumps(table).encode())
    try:
        with files.open_whole(path, "wb", private=True) as file:
            file.write(MAGIC + VERSION + salt + check + entry)
            file.flush()
            os.fsync(file.fileno())
        files.sync_folder(path.parent)
    except OSError as error:
        raise MapError(f"{path}: cannot be written: {error.strerror or error}") from None


def derive_keys(key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """Derive the encryption key, and a check that distinguishes a wrong key from damage."""
    import hashlib

    derived = hashlib.scrypt(key, salt=salt, n=2**14, r=8, p=1, dklen=32 + CHECK)
    return derived[:32], derived[32:]


def split_bytes(data: bytes, *lengths: int) -> list[bytes]:
    """Split ``data`` into pieces of these lengths and the rest."""
    pieces, at = [], 0
    for length in lengths:
        pieces.append(data[at : at + length])
        at += length
    return [*pieces, data[at:]]
