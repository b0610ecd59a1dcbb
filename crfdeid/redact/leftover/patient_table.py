"""The table of known patients: what each column holds, and the cells of one patient.

    patient,first_name,last_name,birth_date,mrn,phone,kin
    7,Ana,Okafor,3/7/1961,4471902,617-555-0148,Chidi Okafor; Ngozi Eze

The table may have a million rows. pandas reads it in chunks into a temporary SQLite database, which SQLite
deletes from its folder as soon as it is open, so that nothing remains even after ``kill -9``. Memory holds
the texts of one patient. No message has text of a cell or of a header.
"""

from __future__ import annotations

import json
import re
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crfdeid.corpora import table
from crfdeid.errors import FormatError
from crfdeid.redact.surrogates import kinds

PATIENT = "patient"  # the column that names the patient of a row
IGNORED = "_"  # begins the names of columns that are not read
ROWS = 20_000  # of the table in memory at once
CACHE = 16_384  # KiB of the database in memory
VALUES = re.compile(r"[;|\n]")  # between two texts of one cell
NUMBERED = re.compile(r"[_.]?\d+$")  # phone_1, phone2; pandas writes phone.1 for a second column phone
COLUMNS = {
    "PATIENT": "name full_name first_name given_name middle_name last_name surname family_name maiden_name "
    "former_name preferred_name nickname alias kin kin_name kin_names next_of_kin mother father spouse "
    "partner child children parent guardian sibling relative relatives emergency_contact contact_name",
    "DOCTOR": "doctor physician gp pcp provider",
    "DATE": "birth_date date_of_birth dob birthday death_date date_of_death dod kin_birth_date",
    "MEDICALRECORD": "mrn medical_record medical_record_number",
    "SSN": "ssn social_security social_security_number",
    "HEALTHPLAN": "health_plan insurance insurance_number policy_number member_id",
    "ACCOUNT": "account account_number",
    "LICENSE": "license licence driver_license license_number",
    "VEHICLE": "vehicle plate license_plate vin",
    "DEVICE": "device device_number serial_number",
    "IDNUM": "id identifier ids number encounter visit case_number accession nhs_number",
    "PHONE": "phone phones telephone tel mobile cell home_phone work_phone cell_phone kin_phone "
    "emergency_phone",
    "FAX": "fax",
    "EMAIL": "email e_mail mail kin_email emails",
    "URL": "url website",
    "USERNAME": "username user_name login",
    "STREET": "street address address_line street_address kin_address addresses",
    "CITY": "city town",
    "STATE": "state",
    "ZIP": "zip zip_code postal_code postcode",
    "COUNTRY": "country",
    "HOSPITAL": "hospital clinic",
    "ORGANIZATION": "employer organization company school",
    "PROFESSION": "profession occupation job",
}
TYPES = {name: type for type, names in COLUMNS.items() for name in (type.lower(), *names.split())}
PARTS = (  # of one name, in the order in which they are written
    ("first_name", "given_name"),
    ("middle_name",),
    ("last_name", "surname", "family_name"),
)  # fmt: skip

Cells = dict[str, list[str]]  # the texts of a patient by type


def find_type(column: str) -> str | None:
    """Return the type of what a column holds; None if its name is not known.

    >>> find_type("Home Phone"), find_type("phone_2"), find_type("MRN"), find_type("blood group")
    ('PHONE', 'PHONE', 'MEDICALRECORD', None)
    """
    name = normalize_name(column)
    return TYPES.get(name) or TYPES.get(NUMBERED.sub("", name))


def normalize_name(column: str) -> str:
    return re.sub(r"[\s\-]+", "_", column.strip().removeprefix("\ufeff").lower())


class PatientTable:
    """The texts of each patient of the CSV table in ``path``, if it is given, and of other sources. Raises
    :class:`FormatError` for a table that cannot be read, without the column ``patient``, or with a column
    whose name is not known."""

    def __init__(self, path: Path | None = None) -> None:
        self._database = sqlite3.connect("", check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self._database.execute(f"PRAGMA cache_size = -{CACHE}")
        self._database.execute("CREATE TABLE cells (patient TEXT, texts TEXT)")
        for rows in read_rows(path) if path else ():
            self._database.executemany("INSERT INTO cells VALUES (?, ?)", rows)
        self._database.execute("CREATE INDEX patients ON cells (patient)")

    def add_facts(self, facts: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """Add the types and texts that are known of patients."""
        rows = ((patient, json.dumps(each)) for patient, each in facts if each)
        self._database.executemany("INSERT INTO cells VALUES (?, ?)", rows)

    def find_cells(self, patient: str | None) -> Cells | None:
        """Return the texts of a patient by type, of all rows; None if the table does not have the patient."""
        if patient is None:
            return None
        found = self._database.execute("SELECT texts FROM cells WHERE patient = ? ORDER BY rowid", [patient])
        rows = [json.loads(texts) for (texts,) in found]
        if not rows:
            return None
        cells: Cells = {}
        for type, text in (each for row in rows for each in row):
            text = lower_name(text) if kinds.kind_of(type) == kinds.NAME else text
            if text not in cells.setdefault(type, []):
                cells[type].append(text)
        return cells


def lower_name(text: str) -> str:
    """Return a name in capitals as it is written elsewhere: the search takes a short text in capitals for an
    acronym, and finds it only in capitals.

    >>> lower_name("ANA"), lower_name("O'NEIL-EZE"), lower_name("McRae"), lower_name("JD")
    ('Ana', "O'Neil-Eze", 'McRae', 'JD')
    """
    return text.title() if text.isupper() and len(text) > 2 else text


def read_rows(path: Path) -> Iterator[Iterator[tuple[str, str]]]:
    """Yield chunks of pairs: a patient, and the types and texts of a row as JSON."""
    first = 2  # the number of the row after the header
    for chunk in table.read_chunks(path, "utf-8", size=ROWS):
        columns = check_columns([str(column) for column in chunk.columns], path)
        rows = chunk.fillna("").itertuples(index=False, name=None)
        yield build_rows(rows, columns, path, first)
        first += len(chunk)


def check_columns(columns: Sequence[str], path: Path) -> list[str]:
    """Return the names of the columns in small letters. Raises :class:`FormatError` at the number of one that
    is not known."""
    names = [normalize_name(column) for column in columns]
    if PATIENT not in names:
        raise FormatError(f"{path}: no column {PATIENT} among the {len(names)} of its header")
    for number, name in enumerate(names, 1):
        if name != PATIENT and not name.startswith(IGNORED) and find_type(name) is None:
            raise FormatError(
                f"{path}: column {number}: its name is not known; wanted one of docs/redaction.md, a type in "
                f"small letters, or {IGNORED} before the name if it is not to be read"
            )
    return names


def build_rows(
    rows: Iterable[Sequence[str]], columns: Sequence[str], path: Path, first: int
) -> Iterator[tuple[str, str]]:
    at, types, parts = columns.index(PATIENT), list_types(columns), list_parts(columns)
    for number, row in enumerate(rows, first):
        if not row[at].strip():
            raise FormatError(f"{path}: row {number}: no patient; wanted one in each row")
        yield row[at].strip(), json.dumps(list(split_row(row, types, parts)))


def list_types(columns: Sequence[str]) -> list[tuple[int, str]]:
    """Return the numbers of the columns that are read, each with its type."""
    types = ((number, find_type(name)) for number, name in enumerate(columns) if name != PATIENT)
    return [(number, type) for number, type in types if type]


def list_parts(columns: Sequence[str]) -> list[int]:
    """Return the numbers of the columns that make the patient's name, in the order in which it is written."""
    return [columns.index(name) for names in PARTS for name in names if name in columns]


def split_row(
    row: Sequence[str], types: Iterable[tuple[int, str]], parts: Iterable[int]
) -> Iterator[tuple[str, str]]:
    """Yield the types and texts of a row, the parts of the patient's name also together.

    >>> list(split_row(["7", "Eze", "Ana", "1; 2"], [(1, "PATIENT"), (2, "PATIENT"), (3, "SSN")], [2, 1]))
    [('PATIENT', 'Eze'), ('PATIENT', 'Ana'), ('SSN', '1'), ('SSN', '2'), ('PATIENT', 'Ana Eze')]
    """
    for number, type in types:
        yield from ((type, text.strip()) for text in VALUES.split(row[number]) if text.strip())
    names = [row[number].strip() for number in parts if row[number].strip()]
    if names:
        yield "PATIENT", " ".join(names)
