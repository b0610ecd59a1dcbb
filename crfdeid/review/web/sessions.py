"""Logging in, one-time keys, sessions of cookies, the browsers that readers use, and the server's address.

Passwords are checked one at a time in a thread of their own, so that a flood of logins stops nobody who is
reading, and whoever guesses has to wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from crfdeid.review.study import accounts
from crfdeid.review.study.accounts import NAME, Reader
from crfdeid.review.study.errors import TooManyAttemptsError, UnauthorizedError
from crfdeid.review.study.store import Store

# Wrong passwords before the first wait, which each further one doubles: for a name from an address, for all
# names together, and in a browser that the reader used before, which has a count of its own.
FREE_ATTEMPTS, FREE_OF_ADDRESS, FREE_OF_BROWSER = 5, 50, 50
LONGEST_WAIT = 300.0  # seconds
MOST_COUNTED = 10_000  # names and addresses whose wrong passwords are counted
MOST_WAITING = 16  # logins whose password waits for its check
MOST_WAITING_OF_ADDRESS = 4
MOST_HEARD = 64  # with the readers' own names, which are heard although their address floods the server
CHECK_SECONDS = 0.06  # about what the check of a password takes
LOGIN_FAILED = "no reader with this name and password"

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
class LoginSession:
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
        return None if owner is None else self.begin(LoginSession(None, owner))

    def begin(self, session: LoginSession) -> str:
        """Begin a session; return its token."""
        token = secrets.token_urlsafe(32)
        with self.store.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE used < ?", (time.time() - IDLE_SECONDS,))
            row = (hash_secret(token), session.reader, session.owner, time.time())
            connection.execute("INSERT INTO sessions VALUES(?, ?, ?, ?)", row)
        return token

    def find(self, token: str | None) -> LoginSession | None:
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
        return LoginSession(reader, bool(owner))

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


class Throttle:
    """Counts attempts that have not succeeded, by key. An attempt counts before its password is checked, so
    that parallel guesses cannot all be free."""

    def __init__(self) -> None:
        self.attempts: dict[Hashable, tuple[int, float]] = {}  # number in a row, and time of the last
        self.lock = threading.Lock()

    def count_attempt(self, free: dict[Hashable, int]) -> None:
        """Count an attempt under each key, which has ``free`` ones. Raises
        :class:`TooManyAttemptsError` where one of the keys has to wait; then nothing is counted."""
        with self.lock:
            waits = [self.find_wait(key, number) for key, number in free.items()]
            if (longest := max(waits)) > 0:
                raise TooManyAttemptsError("too many wrong passwords", seconds=round(longest + 0.5))
            for key in free:
                times, _ = self.attempts.pop(key, (0, 0.0))
                self.attempts[key] = (times + 1, time.monotonic())
            while len(self.attempts) > MOST_COUNTED:
                del self.attempts[next(iter(self.attempts))]  # the oldest

    def find_wait(self, key: Hashable, free: int) -> float:
        """The seconds that the key still has to wait."""
        times, last = self.attempts.get(key, (0, 0.0))
        if times < free:
            return 0.0
        return last + min(2.0 ** min(times - free, 20), LONGEST_WAIT) - time.monotonic()

    def take_back(self, keys: dict[Hashable, int], succeeded: Hashable) -> None:
        """After a right password: forget the attempts of the key that ``succeeded``, and this one of
        the others."""
        with self.lock:
            for key in keys:
                times, last = self.attempts.pop(key, (0, 0.0))
                if key != succeeded and times > 1:
                    self.attempts[key] = (times - 1, last)


class Logins:
    """Checks names and passwords."""

    def __init__(self, store: Store) -> None:
        self.store, self.throttle = store, Throttle()
        self.waiting: Counter[str] = Counter()  # logins that wait for their check, by address
        self.checks = ThreadPoolExecutor(1, "passwords")  # one at a time: each takes 64 MB
        self.checks.submit(make_dummy_hash)

    async def authenticate(
        self, name: str, password: str | None, needed: bool, address: str, is_known_browser: bool
    ) -> Reader:
        """Return the reader whose name and password these are. A reader without a password is admitted unless
        one is ``needed``. Raises :class:`UnauthorizedError`, which does not say whether the name or the
        password was wrong, and :class:`TooManyAttemptsError`."""
        if not NAME.fullmatch(name):
            raise UnauthorizedError(LOGIN_FAILED)
        if is_known_browser:
            own: Hashable = ("browser", address, name)
            keys = {own: FREE_OF_BROWSER}
        else:
            own = (address, name)
            keys = {own: FREE_ATTEMPTS, address: FREE_OF_ADDRESS}
        try:
            self.refuse_crowd(address, is_known_browser)
            self.throttle.count_attempt(keys)
        except TooManyAttemptsError as refusal:
            if is_known_browser:
                raise
            return await self.hear_right_password(name, password, address, refusal)
        reader = await self.wait_for_check(name, password, needed, address)
        if reader is None:
            raise UnauthorizedError(LOGIN_FAILED)
        self.throttle.take_back(keys, own)
        return reader

    async def hear_right_password(
        self, name: str, password: str | None, address: str, refusal: TooManyAttemptsError
    ) -> Reader:
        """Check the password of a reader although the reader's address floods the server; raise ``refusal``
        for a wrong one, and, after the time of a check, for a name that no reader with a password has."""
        own: Hashable = (address, name)
        sql = "SELECT 1 FROM readers WHERE name = ? AND password IS NOT NULL"
        if self.waiting.total() >= MOST_HEARD or not self.store.fetch_one(sql, name):
            await asyncio.sleep(CHECK_SECONDS)
            raise refusal
        self.throttle.count_attempt({own: FREE_ATTEMPTS})
        reader = await self.wait_for_check(name, password, True, address)
        if reader is None:
            raise refusal
        self.throttle.take_back({own: FREE_ATTEMPTS}, own)
        return reader

    async def wait_for_check(
        self, name: str, password: str | None, needed: bool, address: str
    ) -> Reader | None:
        """The result of :meth:`check` when its turn has come."""
        self.waiting[address] += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self.checks, self.check, name, password, needed)
        finally:
            self.waiting[address] -= 1
            self.waiting += Counter()  # without the addresses where nobody waits

    def refuse_crowd(self, address: str, is_known_browser: bool) -> None:
        """Raise :class:`TooManyAttemptsError` where too many logins wait already. A browser that the reader
        used before keeps its place, whatever others do."""
        most = MOST_WAITING * 2 if is_known_browser else MOST_WAITING
        is_busy = not is_known_browser and self.waiting[address] >= MOST_WAITING_OF_ADDRESS
        if is_busy or self.waiting.total() >= most:
            raise TooManyAttemptsError("too many people are logging in; try again", seconds=1)

    def check(self, name: str, password: str | None, needed: bool) -> Reader | None:
        """The reader; None where the name or the password is wrong, after the same time."""
        row = self.store.fetch_one("SELECT password FROM readers WHERE name = ?", name)
        hash = row[0] if row else None
        if row and hash is None and not needed:
            return accounts.find_reader(self.store, name)
        is_right = is_match(hash or make_dummy_hash(), password or "") and hash is not None
        return accounts.find_reader(self.store, name) if is_right else None


@cache
def make_dummy_hash() -> str:
    """The hash for the password of an unknown reader, so that the reply takes equally long."""
    return PasswordHasher().hash("nobody's password")


def is_match(hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(hash, password.encode("utf-8", "surrogatepass"))
    except (VerifyMismatchError, InvalidHashError):
        return False
