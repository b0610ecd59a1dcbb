"""Who works in a study: names, roles, and passwords (argon2id) where they are needed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from argon2 import PasswordHasher

from crfdeid.review.study.errors import InvalidValueError, NotFoundError, StageError
from crfdeid.review.study.store import Store

ROLES = ("reader", "adjudicator")
NAME = re.compile(r"[\w][\w .'@-]{0,59}")
SHORTEST_PASSWORD = 10  # characters
# Cyrillic and Greek letters, and the Latin letters that they look like.
CYRILLIC = ("АВСЕНІЈКМОРЅТХУавсеікјморѕтхуԁһԛԝ", "ABCEHIJKMOPSTXYabceikjmopstxydhqw")
GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχ", "ABEZHIKMNOPTYXaikvoptux")
LOOK_ALIKES = str.maketrans(CYRILLIC[0] + GREEK[0], CYRILLIC[1] + GREEK[1])


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
        if not known and fold_name(name) in {fold_name(reader.name) for reader in list_readers(store)}:
            raise StageError("exists", "there is a reader whose name looks the same")
        connection.execute("INSERT OR IGNORE INTO readers VALUES(?, ?, NULL)", (name, role))
    return find_reader(store, name)


def fold_name(name: str) -> str:
    """The name as it looks: without capitals and accents, and with the Latin letter for each Greek or
    Cyrillic one that looks like it.

    >>> fold_name("Ann") == fold_name("\N{CYRILLIC SMALL LETTER A}nn") == fold_name("\u00e4nn")
    True
    """
    plain = unicodedata.normalize("NFKD", name).translate(LOOK_ALIKES).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(letters.replace("_", " ").split())


def set_password(store: Store, name: str, password: str) -> None:
    """Set a password, with which all sessions of the reader end. Raises :class:`NotFoundError`, and
    :class:`InvalidValueError` on a password that is too short."""
    find_reader(store, name)
    if len(password) < SHORTEST_PASSWORD:
        raise InvalidValueError(f"wanted a password of at least {SHORTEST_PASSWORD} characters")
    hash = PasswordHasher().hash(password)
    with store.transaction() as connection:
        connection.execute("UPDATE readers SET password = ? WHERE name = ?", (hash, name))
        sign_out_everywhere(store, name)


def sign_out_everywhere(store: Store, name: str) -> None:
    """End all sessions of a reader, and forget the reader's browsers."""
    with store.transaction() as connection:
        connection.execute("DELETE FROM sessions WHERE reader = ?", (name,))
        connection.execute("DELETE FROM browsers WHERE reader = ?", (name,))
