"""Encrypted entries, one after the other, in a file that only grows.

    entry: length, check of the length, nonce, then the content in AES-256-GCM

The number of an entry is part of what is authenticated, so that no entry can be moved or left out before
another. The check of the length distinguishes an entry that was not written to its end from a damaged one.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from crfdeid.errors import ConfigurationError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LENGTH, CHECK, NONCE, TAG = 4, 16, 12, 16  # bytes
FRAME = LENGTH + CHECK


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
        raise ConfigurationError("a map needs cryptography: pip install 'crfdeid[redact]'") from None
    return AESGCM(key)
