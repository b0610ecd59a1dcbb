"""Which key stands for which type: by how often a type is used, and as a reader chose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from string import ascii_lowercase, digits

from crfdeid.review.study.errors import InvalidValueError
from crfdeid.review.study.store import Store

# The types of i2b2 2014 by how often they occur in its training notes (He et al. 2015, table 4).
FREQUENT = (
    "DATE", "DOCTOR", "HOSPITAL", "PATIENT", "AGE", "MEDICALRECORD", "CITY", "STATE", "PHONE", "USERNAME",
    "IDNUM", "PROFESSION", "STREET", "ZIP", "ORGANIZATION", "COUNTRY",
)  # fmt: skip
KEYS = ascii_lowercase + digits


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
