"""Under which address the server is reached, and whose session a cookie is."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

IDLE = 12 * 3600.0  # seconds after which a session that was not used ends


@dataclass(frozen=True)
class Address:
    """Under which names the server is reached."""

    names: tuple[str, ...]
    port: int
    secure: bool = False

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may say in ``Host``.

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
        """Cookies are sent to every port of a host, so that each server has a name of its own. Under TLS no
        neighbouring host can set it (``__Host-``)."""
        return f"{'__Host-' if self.secure else ''}crfdeid-{self.port}"

    @property
    def url(self) -> str:
        name = f"[{self.names[0]}]" if ":" in self.names[0] else self.names[0]
        return f"{'https' if self.secure else 'http'}://{name}:{self.port}/"


def is_loopback(host: str) -> bool:
    """
    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.7")]
    [True, True, True, False, False]
    """
    return host in ("localhost", "::1") or (host.startswith("127.") and only_numbers(host.split(".")))


def only_numbers(parts: Iterable[str]) -> bool:
    return all(part.isdigit() for part in parts)


@dataclass
class Session:
    """``reader`` is the name that was picked. ``used`` is when last (monotonic seconds)."""

    reader: str | None = None
    used: float = field(default_factory=time.monotonic)


class Sessions:
    """One-time keys and the sessions they became. Tokens are kept as hashes."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.sessions: dict[str, Session] = {}

    def new_key(self) -> str:
        key = secrets.token_urlsafe(32)
        self.keys.add(digest(key))
        return key

    def redeem(self, key: str) -> str | None:
        """The token of a new session, if this key was given out and not used yet."""
        if digest(key) not in self.keys:
            return None
        self.keys.remove(digest(key))
        return self.begin(None)

    def begin(self, reader: str | None) -> str:
        token = secrets.token_urlsafe(32)
        self.sessions[digest(token)] = Session(reader)
        return token

    def find(self, token: str | None) -> Session | None:
        session = self.sessions.get(digest(token)) if token else None
        if session and time.monotonic() - session.used > IDLE:
            self.end(token)
            return None
        if session:
            session.used = time.monotonic()
        return session

    def end(self, token: str | None) -> None:
        self.sessions.pop(digest(token or ""), None)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
