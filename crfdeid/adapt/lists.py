"""The lists of a site, which a model knows without training: staff, wards, clinics, streets, numbers.

    lists/doctor.txt        a file for each type: one entry a line
    lists/hospital.txt
    lists/numbers.txt       MEDICALRECORD: 7 digits, begins with 4
                            ACCOUNT: N2########

In a form of a number, ``#`` is any digit, and every other character is itself. The entries become the list of
terms that is applied to what the model finds (:mod:`crfdeid.systems.term_lists`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.systems.term_lists import Terms, build_list, read_lines
from crfdeid.text.scheme import Scheme

NUMBERS = "numbers"
DIGITS = re.compile(r"(\d+) digits?(?:, (?:begins|begin) with (\d+))?")
LEAST = 4  # digits of a form: fewer are found in any note
STAFF = {"staff": "DOCTOR", "wards": "DEPARTMENT", "sites": "HOSPITAL", "clinics": "HOSPITAL",
         "streets": "STREET"}  # fmt: skip
HEAD = "# The lists of the site, by type: crfdeid adapt --lists"

Entry = tuple[str, str, str]  # where it is, the type, and the term or the pattern


def read_lists(folder: Path, scheme: Scheme) -> list[Entry]:
    """Return the entries of a folder's lists. Raises :class:`ConfigurationError`, which says where, for a
    file whose name is not a type, or a line that is not an entry."""
    paths = sorted(folder.glob("*.txt")) if folder.is_dir() else []
    if not paths:
        raise ConfigurationError(f"{folder}: no lists; wanted a folder with files such as doctor.txt")
    return [entry for path in paths for entry in read_list(path, scheme)]


def build_terms(entries: Sequence[Entry]) -> Terms:
    """Return what finds the entries in a note."""
    return Terms(build_list(entries, is_loose=True))


def render_terms(entries: Sequence[Entry]) -> str:
    """Return the entries in the notation of ``--always``, each once."""
    return "\n".join([HEAD, *dict.fromkeys(f"{type} {term}" for _, type, term in entries)]) + "\n"


def read_list(path: Path, scheme: Scheme) -> Iterator[Entry]:
    """Yield the entries of one list."""
    if path.stem == NUMBERS:
        for where, line in read_lines(path):
            yield read_form(where, line, scheme)
        return
    type = STAFF.get(path.stem.lower(), path.stem.upper())
    check_type(type, str(path), scheme)
    for where, line in read_lines(path):
        if len(re.findall(r"\w", line)) < 2:
            raise ConfigurationError(f"{where}: wanted an entry of two letters or more")
        yield where, type, line


def read_form(where: str, line: str, scheme: Scheme) -> Entry:
    """Return the entry of a form of numbers."""
    type, colon, form = (part.strip() for part in line.partition(":"))
    if not colon:
        raise ConfigurationError(f"{where}: wanted such as MEDICALRECORD: 7 digits, begins with 4")
    check_type(type, where, scheme)
    return where, type, f"/{build_pattern(where, form)}/"


def build_pattern(where: str, form: str) -> str:
    r"""Return the regular expression of a form.

    >>> build_pattern("x", "7 digits, begins with 44"), build_pattern("x", "N2-####")
    ('(?<!\\w)44\\d{5}(?!\\w)', '(?<!\\w)N2\\-\\d\\d\\d\\d(?!\\w)')
    """
    if found := DIGITS.fullmatch(form):
        size, begin = int(found[1]), found[2] or ""
        if size <= len(begin) or size < LEAST:
            raise ConfigurationError(f"{where}: wanted {LEAST} digits or more, and more than it begins with")
        return rf"(?<!\w){begin}\d{{{size - len(begin)}}}(?!\w)"
    if form.count("#") + sum(map(str.isdigit, form)) < LEAST or "#" not in form:
        raise ConfigurationError(f"{where}: wanted a form with {LEAST} digits or more, such as 44-#####-7")
    return rf"(?<!\w){re.escape(form).replace(re.escape('#'), chr(92) + 'd')}(?!\w)"


def check_type(type: str, where: str, scheme: Scheme) -> None:
    """Raise :class:`ConfigurationError` where this is not a type of the scheme."""
    if type not in scheme.types:
        known = {*scheme.types, *(name.upper() for name in STAFF)}
        raise ConfigurationError(f"{where}: not a type of scheme {scheme.name}{did_you_mean(type, known)}")
