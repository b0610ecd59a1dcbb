"""The map from real texts to surrogates in one encrypted file, the most sensitive file of all.

It holds the secret, so that later notes are redacted alike; the names given so far, so that they stay
when new notes join; and every pair of real text and surrogate, so that its owner can undo a redaction.
Only its owner can read the file.

    file: magic and version, salt, check, then entries of JSON in AES-256-GCM, under a key of scrypt
    entry: length, check of the length, nonce, then the content

A run owns the file while it is open and adds an entry for each patient. An entry is on the disk before its
function returns, so that a note that goes out afterwards is in the map even if the run is killed. The number
of an entry is part of what is authenticated, so that no entry can be moved or left out before another. The
check of the length distinguishes an entry that was not written to its end from a damaged one.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import files
from crfdeid.errors import ConfigurationError, CrfdeidError, show_install
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import PatientHistory

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_VARIABLE = "CRFDEID_MAP_KEY"
MAGIC, VERSION, OLD_VERSION = b"crfdeid map ", b"2\n", b"1\n"
SALT, CHECK, LENGTH, NONCE, TAG = 16, 16, 4, 12, 16  # bytes
HEAD, FRAME = len(MAGIC) + len(VERSION), LENGTH + CHECK


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


class DamagedError(ValueError):
    """An entry was changed."""


class EntryCipher:
    """Seals and opens the entries of one file. ``context`` is the head of the file."""

    def __init__(self, key: bytes, context: bytes) -> None:
        self._cipher, self._context = build_cipher(key), context
        self._check_key = hmac.digest(key, b"length of an entry", "sha256")

    def seal(self, number: int, content: bytes) -> bytes:
        nonce = secrets.token_bytes(NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, content, self._bind(number))
        return self._frame(number, len(sealed)) + sealed

    def open_all(self, data: bytes, start: int) -> tuple[list[bytes], int]:
        """Open the entries from ``start`` on. Return their contents and the end of the last whole one:
        what follows is an entry that was not written to its end. Raises :class:`DamagedError`."""
        contents: list[bytes] = []
        while start < len(data):
            end = self._find_end(data, start, len(contents))
            if end > len(data) or is_torn(data, start, end):
                break
            contents.append(self._open(len(contents), data[start + FRAME : end]))
            start = end
        return contents, start

    def _find_end(self, data: bytes, start: int, number: int) -> int:
        frame = data[start : start + FRAME]
        if len(frame) < FRAME or not any(data[start:]):
            return len(data) + 1
        length = int.from_bytes(frame[:LENGTH])
        if not hmac.compare_digest(frame, self._frame(number, length)):
            raise DamagedError
        return start + FRAME + length

    def _open(self, number: int, sealed: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(sealed[:NONCE], sealed[NONCE:], self._bind(number))
        except (InvalidTag, ValueError):
            raise DamagedError from None

    def _bind(self, number: int) -> bytes:
        return self._context + number.to_bytes(8)

    def _frame(self, number: int, length: int) -> bytes:
        """The length of an entry and its check."""
        head = length.to_bytes(LENGTH)
        return head + hmac.digest(self._check_key, number.to_bytes(8) + head, "sha256")[:CHECK]


def is_torn(data: bytes, start: int, end: int) -> bool:
    """Whether the last entry ends in zeros. A file system may leave them after a power failure, where it
    has stored the new length of a file but not its content."""
    return end == len(data) and not any(data[end - TAG :])


def build_cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise ConfigurationError(f"a map needs cryptography: {show_install('redact')}") from None
    return AESGCM(key)


class MapFile:
    """An open map. ``descriptor`` is locked; ``size`` is the end of the last entry."""

    def __init__(
        self, path: Path, descriptor: int, map: SurrogateMap, cipher: EntryCipher, entries: int, size: int
    ) -> None:
        self.path, self.map, self.entries, self.size = path, map, entries, size
        self._descriptor, self._cipher = descriptor, cipher

    def append(self, id: str, history: PatientHistory) -> None:
        """Add a patient's history and wait until it is on the disk. Raises :class:`MapError`."""
        self.refuse_changed()
        entry = self._cipher.seal(self.entries, encode_history(id, history))
        try:
            write_at(self._descriptor, entry, self.size)
            os.fsync(self._descriptor)
        except OSError as error:
            raise MapError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self.entries += 1
        self.size += len(entry)

    def refuse_changed(self) -> None:
        """Raise :class:`MapError` unless the path is still this file, with what this run wrote."""
        try:
            same = os.path.samestat(os.stat(self.path), os.fstat(self._descriptor))
        except OSError:
            same = False
        if not same or os.fstat(self._descriptor).st_size != self.size:
            raise MapError(f"{self.path}: another run changed it; further surrogates would not be in it")


def write_at(descriptor: int, data: bytes, at: int) -> None:
    while data:
        count = os.pwrite(descriptor, data, at)
        data, at = data[count:], at + count


@contextmanager
def open_map(path: Path, key: bytes) -> Iterator[MapFile]:
    """Open a map for a run. A last entry that was not written to its end is removed; a map of version 1 is
    rewritten. When the run ends well, a map whose entries are mostly replaced by later ones is rewritten.
    Raises :class:`MapError` for a map that is damaged, that another run uses, or that it changed."""
    if is_old(path):
        write_map(read_map(path, key), path, key)
    with lock_file(path) as descriptor:
        loaded = load_map(path, key)
        assert loaded.cipher is not None
        if os.fstat(descriptor).st_size > loaded.end:
            os.ftruncate(descriptor, loaded.end)
            os.fsync(descriptor)
        opened = MapFile(path, descriptor, loaded.map, loaded.cipher, loaded.entries, loaded.end)
        opened.refuse_changed()
        yield opened
        opened.refuse_changed()
        if opened.entries > 2 * len(opened.map.patients) + 1:
            write_map(opened.map, path, key)


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """Open the file and lock it until the block ends. Raises :class:`MapError` if another run has it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror or error}") from None
    try:
        refuse_locked(path, descriptor)
        with files.own_lock(descriptor):
            yield descriptor
        files.unlock(descriptor)
    finally:
        os.close(descriptor)


def refuse_locked(path: Path, descriptor: int) -> None:
    try:
        if files.try_lock(descriptor):
            return
    except OSError as error:
        raise MapError(f"{path}: cannot be locked: {error.strerror or error}") from None
    raise MapError(f"{path}: another run uses this map")
