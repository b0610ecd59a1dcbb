"""Who works in a study: names, roles, passwords (argon2id) where they are needed, and keys for types."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, digits

from argon2 import PasswordHasher

from crfdeid.review.study.errors import InvalidValueError, NotFoundError, StageError
from crfdeid.review.study.store import Store

# The types of i2b2 2014 by how often they occur in its training notes (He et al. 2015, table 4).
FREQUENT = (
    "DATE", "DOCTOR", "HOSPITAL", "PATIENT", "AGE", "MEDICALRECORD", "CITY", "STATE", "PHONE", "USERNAME",
    "IDNUM", "PROFESSION", "STREET", "ZIP", "ORGANIZATION", "COUNTRY",
)  # fmt: skip
KEYS = ascii_lowercase + digits

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


def assign_keys(types: Sequence[str]) -> dict[str, str]:
    """A key for each type: its first letter that is free, else any free letter, else a digit. Frequent types
    choose first.

    >>> assign_keys(["PATIENT", "DOCTOR", "DATE"])
    {'PATIENT': 'p', 'DOCTOR': 'o', 'DATE': 'd'}
    """
    keys: dict[str, str] = {}
    known = [type for type in FREQUENT if type in types]
    for type in [*known, *(type for type in types if type not in known)]:
        candidates = [c for c in type.lower() if c in ascii_lowercase] + list(KEYS)
        if free := [key for key in candidates if key not in keys.values()]:
            keys[type] = free[0]
    return {type: keys[type] for type in types if type in keys}


def read_keys(store: Store, reader: str, types: Sequence[str]) -> dict[str, str]:
    """The reader's keys, or the usual ones."""
    row = store.fetch_one("SELECT keys FROM preferences WHERE reader = ?", reader)
    chosen = json.loads(row[0]) if row else {}
    return chosen if set(chosen) == set(assign_keys(types)) else assign_keys(types)


def write_keys(store: Store, reader: str, keys: object, types: Sequence[str]) -> None:
    """Keep the keys that a reader chose. Raises :class:`InvalidValueError` unless each type has one of its
    own."""
    usual = assign_keys(types)
    if not isinstance(keys, Mapping) or set(keys) != set(usual) or len(set(keys.values())) < len(usual):
        raise InvalidValueError("wanted a key for each type, and no key twice")
    if not all(isinstance(key, str) and len(key) == 1 and key in KEYS for key in keys.values()):
        raise InvalidValueError("a key is a letter from a to z or a digit")
    store.execute("INSERT OR REPLACE INTO preferences VALUES(?, ?)", reader, json.dumps(dict(keys)))
