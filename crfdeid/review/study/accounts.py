"""Who works in a study: names, roles, and passwords (argon2id) where they are needed."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from crfdeid.review.study.errors import Invalid, Stage, Unauthorised, Unknown, Wait
from crfdeid.review.study.store import Store

ROLES = ("reader", "adjudicator")
NAME = re.compile(r"[\w][\w .'@-]{0,59}")
SHORTEST = 10  # characters of a password
PATIENCE = 5  # wrong passwords before one must wait, twice as long each time
LONGEST_WAIT = 300.0
REMEMBERED = 10_000  # names
UNKNOWN = "no reader of this name and password"


@dataclass(frozen=True)
class Reader:
    name: str
    role: str
    password: bool = False

    def table(self) -> dict[str, str]:
        return {"name": self.name, "role": self.role}


def everyone(store: Store) -> list[Reader]:
    rows = store.rows("SELECT name, role, password IS NOT NULL FROM readers ORDER BY name")
    return [Reader(name, role, bool(password)) for name, role, password in rows]


def find(store: Store, name: str) -> Reader:
    """Raises :class:`Unknown`."""
    for reader in everyone(store):
        if reader.name == name:
            return reader
    raise Unknown("no reader of this name")


def add(store: Store, name: str, role: str) -> Reader:
    """Raises :class:`Invalid` on a name that is none, :class:`Stage` on one that is a system's or has another
    role."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or name.strip() != name:
        raise Invalid(
            "a reader's name: 1 to 60 letters, digits, spaces and . ' @ - _, beginning with a letter"
        )
    if role not in ROLES:
        raise Invalid(f"a role is one of {', '.join(ROLES)}")
    with store.writing() as connection:
        if store.row("SELECT 1 FROM systems WHERE name = ?", name):
            raise Stage("exists", "there is a system of this name already")
        known = store.row("SELECT role FROM readers WHERE name = ?", name)
        if known and known[0] != role:
            raise Stage("exists", f"there is a reader of this name already, with the role {known[0]}")
        connection.execute("INSERT OR IGNORE INTO readers VALUES(?, ?, NULL)", (name, role))
    return find(store, name)


def set_password(store: Store, name: str, password: str) -> None:
    find(store, name)
    if len(password) < SHORTEST:
        raise Invalid(f"a password of at least {SHORTEST} characters is wanted")
    store.write("UPDATE readers SET password = ? WHERE name = ?", PasswordHasher().hash(password), name)


class PasswordChecker:
    """Checks passwords, and slows down who guesses."""

    def __init__(self, store: Store) -> None:
        self.store, self.hasher = store, PasswordHasher()
        self.wrong: dict[str, tuple[int, float]] = {}  # times in a row, and when last
        self.lock = threading.Lock()  # one hash at a time: each takes 64 MB

    @cached_property
    def nobody(self) -> str:
        """What the password of an unknown reader is compared with, so that it takes as long."""
        return self.hasher.hash("nobody's password")

    def admit(self, name: str, password: str | None, needed: bool) -> Reader:
        """The reader. A password is checked where the reader has one, and must be there where one is
        ``needed``. Raises :class:`Unauthorised` without saying which of the two was wrong, :class:`Wait`."""
        if not NAME.fullmatch(name):
            raise Unauthorised(UNKNOWN)
        self.refuse_guessing(name)
        row = self.store.row("SELECT password FROM readers WHERE name = ?", name)
        known = row[0] if row else None
        if row and known is None and not needed:
            return find(self.store, name)
        if not self.matches(known or self.nobody, password or "") or known is None:
            self.note_wrong(name)
            raise Unauthorised(UNKNOWN)
        self.wrong.pop(name, None)
        return find(self.store, name)

    def note_wrong(self, name: str) -> None:
        """Names are remembered in the order of their last wrong password, and not without end."""
        times, _ = self.wrong.pop(name, (0, 0.0))
        self.wrong[name] = (times + 1, time.monotonic())
        if len(self.wrong) > REMEMBERED:
            del self.wrong[next(iter(self.wrong))]

    def refuse_guessing(self, name: str) -> None:
        times, last = self.wrong.get(name, (0, 0.0))
        if times >= PATIENCE:
            left = last + min(2.0 ** (times - PATIENCE), LONGEST_WAIT) - time.monotonic()
            if left > 0:
                raise Wait("too many wrong passwords", seconds=round(left + 0.5))

    def matches(self, hash: str, password: str) -> bool:
        with self.lock:
            try:
                return self.hasher.verify(hash, password)
            except (VerifyMismatchError, InvalidHashError):
                return False
