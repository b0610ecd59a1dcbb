"""Who works in a study: names, roles, and passwords (argon2id) where they are needed."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from crfdeid.review.study.errors import (
    InvalidValueError,
    NotFoundError,
    StageError,
    TooManyAttemptsError,
    UnauthorizedError,
)
from crfdeid.review.study.store import Store

ROLES = ("reader", "adjudicator")
NAME = re.compile(r"[\w][\w .'@-]{0,59}")
SHORTEST_PASSWORD = 10  # characters
FREE_ATTEMPTS = 5  # wrong passwords before the first wait; each further one doubles the wait
LONGEST_WAIT = 300.0  # seconds
MOST_NAMES = 10_000  # whose wrong passwords are counted
LOGIN_FAILED = "no reader with this name and password"


@dataclass(frozen=True)
class Reader:
    """``role`` is one of :data:`ROLES`; ``has_password`` says whether login needs one."""

    name: str
    role: str
    has_password: bool = False

    def describe(self) -> dict[str, str]:
        return {"name": self.name, "role": self.role}


def list_readers(store: Store) -> list[Reader]:
    """All readers and adjudicators, by name."""
    rows = store.fetch_all("SELECT name, role, password IS NOT NULL FROM readers ORDER BY name")
    return [Reader(name, role, bool(has_password)) for name, role, has_password in rows]


def find_reader(store: Store, name: str) -> Reader:
    """Raises :class:`NotFoundError`."""
    for reader in list_readers(store):
        if reader.name == name:
            return reader
    raise NotFoundError("no reader with this name")


def add_reader(store: Store, name: str, role: str) -> Reader:
    """Add a reader, unless there is one of this name and role. Raises :class:`InvalidValueError` on a name
    that is not allowed, :class:`StageError` on a name that a system has, or a reader with another role."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or name.strip() != name:
        raise InvalidValueError(
            "a reader's name: 1 to 60 letters, digits, spaces and . ' @ - _, beginning with a letter"
        )
    if role not in ROLES:
        raise InvalidValueError(f"a role is one of {', '.join(ROLES)}")
    with store.transaction() as connection:
        if store.fetch_one("SELECT 1 FROM systems WHERE name = ?", name):
            raise StageError("exists", "there is a system with this name already")
        known = store.fetch_one("SELECT role FROM readers WHERE name = ?", name)
        if known and known[0] != role:
            raise StageError("exists", f"there is a reader with this name already, with the role {known[0]}")
        connection.execute("INSERT OR IGNORE INTO readers VALUES(?, ?, NULL)", (name, role))
    return find_reader(store, name)


def set_password(store: Store, name: str, password: str) -> None:
    """Raises :class:`NotFoundError`, and :class:`InvalidValueError` on a password that is too short."""
    find_reader(store, name)
    if len(password) < SHORTEST_PASSWORD:
        raise InvalidValueError(f"wanted a password of at least {SHORTEST_PASSWORD} characters")
    store.execute("UPDATE readers SET password = ? WHERE name = ?", PasswordHasher().hash(password), name)


class PasswordChecker:
    """Checks passwords, and makes a client that guesses them wait."""

    def __init__(self, store: Store) -> None:
        self.store, self.hasher = store, PasswordHasher()
        self.failures: dict[str, tuple[int, float]] = {}  # by name: number in a row, and time of the last
        self.lock = threading.Lock()  # one hash at a time: each takes 64 MB

    @cached_property
    def dummy_hash(self) -> str:
        """What the password of an unknown reader is compared with, so that the reply takes equally long."""
        return self.hasher.hash("nobody's password")

    def authenticate(self, name: str, password: str | None, needed: bool) -> Reader:
        """Return the reader whose name and password these are. A reader without a password is admitted unless
        one is ``needed``. Raises :class:`UnauthorizedError`, which does not say whether the name or the
        password was wrong, and :class:`TooManyAttemptsError`."""
        if not NAME.fullmatch(name):
            raise UnauthorizedError(LOGIN_FAILED)
        self.refuse_guessing(name)
        row = self.store.fetch_one("SELECT password FROM readers WHERE name = ?", name)
        hash = row[0] if row else None
        if row and hash is None and not needed:
            return find_reader(self.store, name)
        if not self.is_match(hash or self.dummy_hash, password or "") or hash is None:
            self.count_failure(name)
            raise UnauthorizedError(LOGIN_FAILED)
        self.failures.pop(name, None)
        return find_reader(self.store, name)

    def count_failure(self, name: str) -> None:
        """Count a wrong password. The oldest of more than :data:`MOST_NAMES` names is forgotten."""
        times, _ = self.failures.pop(name, (0, 0.0))
        self.failures[name] = (times + 1, time.monotonic())
        if len(self.failures) > MOST_NAMES:
            del self.failures[next(iter(self.failures))]

    def refuse_guessing(self, name: str) -> None:
        """Raise :class:`TooManyAttemptsError` while the name has to wait."""
        times, last = self.failures.get(name, (0, 0.0))
        if times >= FREE_ATTEMPTS:
            left = last + min(2.0 ** (times - FREE_ATTEMPTS), LONGEST_WAIT) - time.monotonic()
            if left > 0:
                raise TooManyAttemptsError("too many wrong passwords", seconds=round(left + 0.5))

    def is_match(self, hash: str, password: str) -> bool:
        with self.lock:
            try:
                return self.hasher.verify(hash, password)
            except (VerifyMismatchError, InvalidHashError):
                return False
