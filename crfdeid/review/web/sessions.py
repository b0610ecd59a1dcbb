"""The address of the server, one-time keys, and the sessions of cookies."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field

IDLE_SECONDS = 12 * 3600.0  # after which an unused session ends


@dataclass(frozen=True)
class Address:
    """The host names and the port of the server; ``secure`` is TLS."""

    names: tuple[str, ...]
    port: int
    secure: bool = False

    @property
    def hosts(self) -> frozenset[str]:
        """The values of ``Host`` that a request may have.

        >>> sorted(Address(("127.0.0.1", "::1"), 8000).hosts)
        ['127.0.0.1:8000', '[::1]:8000']
        """
        bracketed = [f"[{name}]" if ":" in name else name for name in self.names]
        default = 443 if self.secure else 80
        bare = bracketed if self.port == default else []
        return frozenset([f"{name}:{self.port}" for name in bracketed] + bare)

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"{'https' if self.secure else 'http'}://{host}" for host in self.hosts)

    @property
    def cookie(self) -> str:
        """The cookie's name. It contains the port, because browsers send a cookie to every port of a host.
        With TLS, the prefix ``__Host-`` prevents other hosts from setting it."""
        return f"{'__Host-' if self.secure else ''}crfdeid-{self.port}"

    @property
    def url(self) -> str:
        name = f"[{self.names[0]}]" if ":" in self.names[0] else self.names[0]
        return f"{'https' if self.secure else 'http'}://{name}:{self.port}/"


@dataclass
class Session:
    """``reader`` is the name that was picked; ``used`` is when the session was last used (monotonic
    seconds)."""

    reader: str | None = None
    used: float = field(default_factory=time.monotonic)


class Sessions:
    """One-time keys, and the sessions that they open. Keys and tokens are stored as hashes."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.sessions: dict[str, Session] = {}

    def create_key(self) -> str:
        key = secrets.token_urlsafe(32)
        self.keys.add(hash_secret(key))
        return key

    def redeem(self, key: str) -> str | None:
        """Exchange a key for the token of a new session; None where the key is unknown or used."""
        if hash_secret(key) not in self.keys:
            return None
        self.keys.remove(hash_secret(key))
        return self.begin(None)

    def begin(self, reader: str | None) -> str:
        """Begin a session; return its token."""
        token = secrets.token_urlsafe(32)
        self.sessions[hash_secret(token)] = Session(reader)
        return token

    def find(self, token: str | None) -> Session | None:
        """The session of a token, unless it ended or was idle too long."""
        session = self.sessions.get(hash_secret(token)) if token else None
        if session and time.monotonic() - session.used > IDLE_SECONDS:
            self.end(token)
            return None
        if session:
            session.used = time.monotonic()
        return session

    def end(self, token: str | None) -> None:
        self.sessions.pop(hash_secret(token or ""), None)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
