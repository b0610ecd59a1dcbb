"""The address of the server, one-time keys, the sessions of cookies, and the browsers that readers use."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass

from crfdeid.review.study.store import Store

IDLE_SECONDS = 12 * 3600.0  # after which an unused session ends
NOTED_SECONDS = 300.0  # how exactly the store knows when a session was last used


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
    def browser_cookie(self) -> str:
        """The cookie by which the browser of a reader with a password is known."""
        return f"{self.cookie}-known"

    @property
    def url(self) -> str:
        name = f"[{self.names[0]}]" if ":" in self.names[0] else self.names[0]
        return f"{'https' if self.secure else 'http'}://{name}:{self.port}/"


@dataclass(frozen=True)
class ProxyIdentity:
    """A reverse proxy that logs people in, and names them in a header of each request. The header counts only
    where the request comes from one of the addresses of ``proxies``."""

    header: str
    proxies: frozenset[str]

    def read_name(self, client: str, values: list[str]) -> str | None:
        """The name in the header's ``values``; None where another machine sent it, or not just one."""
        return values[0] if client in self.proxies and len(values) == 1 and values[0] else None


@dataclass(frozen=True)
class Session:
    """``reader`` is the name that was picked. ``owner`` says whether the session began with the key that the
    program printed when it started, which only who started it has seen."""

    reader: str | None = None
    owner: bool = False


class Sessions:
    """One-time keys, and the sessions that they open. Sessions are in the store and survive a restart; keys
    and tokens are kept as hashes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.keys: dict[str, bool] = {}  # by hash: whether it is the owner's

    def create_key(self, owner: bool = False) -> str:
        key = secrets.token_urlsafe(32)
        self.keys[hash_secret(key)] = owner
        return key

    def redeem(self, key: str) -> str | None:
        """Exchange a key for the token of a new session; None where the key is unknown or used."""
        owner = self.keys.pop(hash_secret(key), None)
        return None if owner is None else self.begin(Session(None, owner))

    def begin(self, session: Session) -> str:
        """Begin a session; return its token."""
        token = secrets.token_urlsafe(32)
        with self.store.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE used < ?", (time.time() - IDLE_SECONDS,))
            row = (hash_secret(token), session.reader, session.owner, time.time())
            connection.execute("INSERT INTO sessions VALUES(?, ?, ?, ?)", row)
        return token

    def find(self, token: str | None) -> Session | None:
        """The session of a token, unless it ended or was idle too long."""
        sql = "SELECT reader, owner, used FROM sessions WHERE token = ?"
        row = self.store.fetch_one(sql, hash_secret(token)) if token else None
        if row is None or token is None:
            return None
        reader, owner, used = row
        if time.time() - used > IDLE_SECONDS:
            self.end(token)
            return None
        if time.time() - used > NOTED_SECONDS:
            self.store.execute(
                "UPDATE sessions SET used = ? WHERE token = ?", time.time(), hash_secret(token)
            )
        return Session(reader, bool(owner))

    def forget_reader(self, token: str | None) -> None:
        """Leave the session open without a name: another reader may come in."""
        self.store.execute("UPDATE sessions SET reader = NULL WHERE token = ?", hash_secret(token or ""))

    def end(self, token: str | None) -> None:
        self.store.execute("DELETE FROM sessions WHERE token = ?", hash_secret(token or ""))

    def remember_browser(self, reader: str) -> str:
        """Return a token by which the reader's browser is known at later logins."""
        token = secrets.token_urlsafe(32)
        self.store.execute("INSERT INTO browsers VALUES(?, ?)", hash_secret(token), reader)
        return token

    def is_known_browser(self, token: str | None, reader: str) -> bool:
        """Whether the reader logged in from the browser before."""
        sql = "SELECT 1 FROM browsers WHERE token = ? AND reader = ?"
        return bool(token) and self.store.fetch_one(sql, hash_secret(token or ""), reader) is not None


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
