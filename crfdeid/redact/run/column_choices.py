"""The treatment of a table's other columns, beside its text and ids: dates move, others are dropped or
copied.

A table with real dates beside shifted texts gives the shift away: one subtraction undoes it. So a column of
dates, names, numbers or addresses of people goes out only if an option says what becomes of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import islice, pairwise
from math import isfinite
from typing import Any
from uuid import UUID

from crfdeid.corpora import table
from crfdeid.corpora.whole_rows import Header, Row
from crfdeid.errors import ConfigurationError, FormatError, did_you_mean
from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, fold, word_set
from crfdeid.lexicon.names import KEPT_TITLES
from crfdeid.lexicon.ordinary import is_known_word, is_listed_name, is_ordinary
from crfdeid.redact.leftover.patient_table import find_type
from crfdeid.redact.run.plan import COLUMN_OPTIONS as OPTIONS
from crfdeid.redact.run.plan import ColumnOptions
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter, Shift, make_date, parser
from crfdeid.redact.surrogates.patient import UNDATED
from crfdeid.rules.numbers import is_contact
from crfdeid.text.document import Document

NAMES = ("PATIENT", "DOCTOR")  # types of columns of names
NUMBERS = (  # and of columns of what the Safe Harbor calls identifiers
    "MEDICALRECORD", "SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "PHONE", "FAX", "EMAIL",
    "USERNAME", "STREET", "CITY", "ZIP",
)  # fmt: skip
ZONE = r"(?:Z|UTC|GMT|[A-Z]{2,4}T|[A-Z][a-z]+/[A-Za-z_/]+|[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2})"
TIME = re.compile(  # behind a day
    r"(?:[T :]\s?[0-2]?[0-9][:.][0-5][0-9](?:[:.][0-9][0-9:.,]*)?(?:\s?[AaPp]\.?[Mm]\.?)?"
    rf"(?:\s?{ZONE})?|Z|[+-][0-9]{{2}}:[0-9]{{2}})$"
)
COMPACT = re.compile(  # a day in digits only, and perhaps a time
    r"(?P<day>[12][0-9]{3}[01][0-9][0-3][0-9])"
    rf"(?P<time>(?:[T ]?[0-2][0-9]:?[0-5][0-9](?::?[0-5][0-9](?:\.[0-9]+)?)?)?(?:\s?{ZONE})?)"
)
NO_DAY = re.compile(  # a cell that says that there is no date: 0000-00-00, 9999-12-31, 12/31/9999
    r"(?:000[01]|9999)([-/.]?)[01][0-9]\1[0-3][0-9]\b.*"
    r"|[0-9]{1,2}[-/.](?:[0-9]{1,2}|[A-Za-z]{3})[-/.](?:000[01]|9999)\b.*"
)
YEARS = range(1850, 2500)  # a day of another year is a placeholder
PLACEHOLDERS = frozenset(  # first and last days of calendars and of types of databases
    date(*day) for day in (
        (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (1970, 1, 1), (2078, 12, 31),
        (2079, 6, 6), (2099, 12, 31), (2100, 1, 1), (2199, 12, 31), (2200, 1, 1), (2262, 4, 11),
        (2299, 12, 31),
    )
)  # fmt: skip
LONGEST = 60  # characters of a cell that is a date
LEAST_DATES = 10  # one date among this many cells makes a column of dates
NAMES_OF_DATES = word_set("date dates datetime timestamp dt dttm dtm dob dod birthday")
NAMES_OF_YEARS = word_set("year years yr yob")
YEAR = re.compile(r"([0-9]{4})(?:\.0*)?")
ROLES = word_set(
    """patient pat pt subject person member guarantor subscriber insured kin contact mother father spouse
    doctor physician provider prov attending referring ordering nurse author surgeon resident clinician
    staff signer user"""
)
ROLES_ALONE = word_set("lname fname mname lastname firstname surname author")  # a name without another word
SAYING = word_set("phone telephone ssn email mrn zip zipcode postcode fax street")
LEAST_NAMES = 3  # one word that is only a name in fewer than this many cells makes a column of names
PLAIN = (str, int, float, Decimal, date, time, timedelta, UUID)  # types of cells that are looked at
BLANKS = frozenset(("", *table.NULLS))
DECIDING = 1000  # filled cells of a column that are looked at
OF_PEOPLE = "numbers or addresses of people"
MOST_PARTS = 4  # of the name of a person
AGE = re.compile(r"(?P<years>[0-9]{1,3})(?:\.[0-9]*)?(?:\s*[A-Za-z/.-]+)*")
MOST_YEARS = 130  # of an age
OLDEST = 89  # years between two dates of a row, of which the first may be a birth date


def check_columns(columns: ColumnOptions, header: Header, own: Collection[str], where: str) -> None:
    """Raise :class:`ConfigurationError` for a column that is not there, that is chosen twice, or that is the
    text, an id or the spans, which are ``own``."""
    chosen = [*columns.dates, *columns.dropped, *columns.copied]
    for column in chosen:
        if column not in header.keys:
            near = did_you_mean(column, header.keys)
            raise ConfigurationError(f"{where}: no column {column}, which an option names{near}")
        if column in own or chosen.count(column) > 1:
            raise ConfigurationError(f"{where}: column {column} has two uses; wanted one of {OPTIONS}")


class OpenColumns:
    """The columns that no option names and that do not make a note, which is ``own``. The first cells of each
    that are filled show whether it may be copied."""

    def __init__(self, columns: ColumnOptions, header: Header, own: Collection[str], where: str) -> None:
        known = {*own, *columns.dates, *columns.dropped, *columns.copied}
        self._where = where
        self._names = {
            key: name_column(header, key, number)
            for number, key in enumerate(header.keys, 1)
            if key not in known
        }
        self._ages = {key for key in self._names if "age" in split_name(key)}
        self._cells: dict[str, list[Any]] = {}

    def refuse(self, rows: Sequence[Row]) -> None:
        """Raise :class:`FormatError` where the next rows show that a column has dates or names."""
        for key, name in self._names.items():
            if key in self._ages and any(is_old_age(row.get(key)) for row in rows):
                raise FormatError(
                    f"{self._where}: column {name} has ages over {OLDEST}; wanted {OPTIONS} for it"
                )
            before = self._cells.get(key, [])
            filled = (cell for row in rows if not is_blank(cell := row.get(key)))
            cells = [*before, *islice(filled, DECIDING - len(before))]
            if len(cells) == len(before) and key in self._cells:
                continue
            self._cells[key] = cells
            if what := find_content(key, cells):
                raise FormatError(f"{self._where}: column {name} has {what}; wanted {OPTIONS} for it")


def is_month_first(columns: ColumnOptions, rows: Iterable[Row]) -> bool:
    """Whether the dates of a sample have the month first: unless more of them prove otherwise."""
    texts = (str(row[column]) for row in rows for column in columns.dates)
    orders = Counter(map(DateShifter.find_order, texts))
    return orders[DateShifter.DAY_FIRST] <= orders[DateShifter.MONTH_FIRST]


def name_column(header: Header, key: str, number: int) -> str:
    """Return the name that a column has in the header, or its number."""
    name = dict(zip(header.keys, header.names))[key]
    return name if name.strip() and name.isprintable() else str(number)


def find_content(name: str, cells: Sequence[Any]) -> str | None:
    """Say what a column has that may not go out as it is: some of its cells are dates, or most are names or
    numbers of people, or its name says so.

    >>> find_content("at", ["2061-04-02", ""]), find_content("last_name", []), find_content("n", ["20610402"])
    ('dates', 'names', 'dates')
    >>> find_content("ward", ["5W"]), find_content("mg", ["1.5", "2.5"])
    (None, None)
    >>> find_content("SSN", []), find_content("reached", ["617-555-0148", ""])
    ('numbers or addresses of people', 'numbers or addresses of people')
    """
    words = split_name(name)
    type = find_type(name) or find_part_type(words)
    if type in NAMES:
        return "names"
    if type in NUMBERS:
        return OF_PEOPLE
    filled = [cell for cell in cells if not is_blank(cell)]
    if not all(isinstance(cell, PLAIN) for cell in filled):
        return "values that are neither texts nor numbers"
    if type == "DATE" or is_name_of_dates(words) or (NAMES_OF_YEARS & {*words} and any(map(is_year, filled))):
        return "dates"
    if filled and LEAST_DATES * sum(map(is_date, filled)) >= len(filled):
        return "dates"
    if filled and 2 * sum(map(is_number, filled)) > len(filled):
        return OF_PEOPLE
    if filled and 2 * sum(map(is_person, filled)) > len(filled):
        return "names"
    return "names" if filled and LEAST_NAMES * sum(map(is_only_name, filled)) > len(filled) else None


def split_name(column: str) -> list[str]:
    """Return the words of the name of a column in small letters.

    >>> split_name("NOTE_DATE"), split_name("chartDate"), split_name("Home Phone 2")
    (['note', 'date'], ['chart', 'date'], ['home', 'phone'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", column)]


def find_part_type(words: Sequence[str]) -> str | None:
    """Return the type of people's data that a part of a column's name says.

    >>> [find_part_type(split_name(name)) for name in ("pat_last_name", "phoneNumber", "drug_name")]
    ['PATIENT', 'PHONE', None]
    """
    if words[-1:] == ["name"] and words[-2:-1] and words[-2] in ROLES:
        return NAMES[0]
    parts = ["_".join(pair) for pair in pairwise(words)]
    types = [find_type(part) for part in parts] + [find_type(word) for word in words if word in SAYING]
    known = (type for type in types if type in (*NAMES, *NUMBERS))
    return NAMES[0] if ROLES_ALONE & {*words} else next(known, None)


def is_name_of_dates(words: Sequence[str]) -> bool:
    """Whether the words of a column's name say that it has dates.

    >>> names = "NOTE_DATE", "chartDate", "created_at", "ADMITDATE", "rate"
    >>> [is_name_of_dates(split_name(name)) for name in names]
    [True, True, True, True, False]
    """
    return (
        bool(NAMES_OF_DATES & {*words})
        or [*words[1:]][-1:] == ["at"]
        or any(word.endswith(("date", "datetime", "timestamp")) and word != "update" for word in words)
    )


def is_blank(cell: object) -> bool:
    """Whether a cell has no value, or a word of databases for none."""
    return cell is None or cell != cell or (isinstance(cell, str) and cell.strip() in BLANKS)


def is_number(cell: object) -> bool:
    """Whether a cell looks like a social security or telephone number, or an e-mail address."""
    return isinstance(cell, str) and is_contact(cell.strip())


def is_person(cell: object) -> bool:
    """Whether a cell looks like the name of a person: two to four words, or one with a title, of which one is
    only a name and none is only another word.

    >>> [is_person(cell) for cell in ("Okafor, Maud", "Dr. Okafor", "White", "Internal Medicine")]
    [True, True, False, False]
    """
    words = [fold(word) for word in WORD.findall(cell)] if isinstance(cell, str) else []
    is_titled = any(word in KEPT_TITLES for word in words)
    credentials = word_lists.load_credentials()
    parts = [word for word in words if len(word) > 1 and word not in KEPT_TITLES and word not in credentials]
    fewest = 1 if is_titled else 2
    return (
        fewest <= len(parts) <= MOST_PARTS
        and any(is_listed_name(part) and not is_ordinary(part) for part in parts)
        and all(is_listed_name(part) or not is_ordinary(part) for part in parts)
    )


def is_year(cell: object) -> bool:
    """Whether a cell is a year, which beside shifted dates shows most of the shift.

    >>> [is_year(cell) for cell in ("2061", 1961.0, 3, "1/2061")]
    [True, True, False, False]
    """
    found = YEAR.fullmatch(str(cell).strip())
    return found is not None and int(found[1]) in YEARS


def is_old_age(cell: object) -> bool:
    """Whether a cell is an age over 89, which the Safe Harbor does not allow.

    >>> [is_old_age(cell) for cell in (93, "90.5 years", "89", "999", "93-5")]
    [True, True, False, False, False]
    """
    found = AGE.fullmatch(str(cell).strip())
    return found is not None and OLDEST < int(found["years"]) <= MOST_YEARS


def is_only_name(cell: object) -> bool:
    """Whether a cell is a single word that is a name of people, of whom most are called so.

    >>> [is_only_name(cell) for cell in ("Okafor", "White", "April", "Maine", "Lisinopril")]
    [True, False, False, False, False]
    """
    words = WORD.findall(cell) if isinstance(cell, str) else []
    word = fold(words[0]) if len(words) == 1 else ""
    return len(word) > 2 and is_listed_name(word) and not is_known_word(word)


def is_date(cell: object) -> bool:
    """Whether a cell is a day, a month of a year, or a sign that there is no date.

    >>> [is_date(cell) for cell in ("02-APR-61", "2061-04", 20610402, "0000-00-00", "1/1280", "1.2.3", 2061)]
    [True, True, True, True, False, False, False]
    """
    if read_day(cell) is not None:
        return True
    text = show_whole(cell) if is_whole(cell) else cell
    if not isinstance(text, str) or len(text) > LONGEST:
        return False
    if NO_DAY.fullmatch(text.strip()):
        return True
    months = [] if text.isdigit() or "." in text else parser.parse_dates(text.strip()) or []
    years = [year.value for each in months if each.find("m") and (year := each.find("y"))]
    return any(year in YEARS for year in years)


def is_whole(cell: object) -> bool:
    """Whether a cell is a whole number, as which some databases keep days: 20610402."""
    return isinstance(cell, (int, float, Decimal)) and isfinite(cell) and cell == cell // 1


def show_whole(cell: Any) -> str:
    return str(int(cell))


def read_day(cell: object) -> date | None:
    """Read the whole day of a cell; of two numbers that may both be a month, the first is."""
    if isinstance(cell, date):
        return cell if cell == cell else None  # a time that is missing in pandas is not itself
    text = show_whole(cell) if is_whole(cell) else cell
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    day, _ = split_time(text.strip())
    if day.isdigit():
        found = COMPACT.fullmatch(day)
        return make_date(int(day[:4]), int(day[4:6]), int(day[6:8])) if found and len(day) == 8 else None
    return DateShifter(Shift(0, 0)).find_note_date([day])


def split_time(text: str) -> tuple[str, str]:
    """Split a cell into its day, and the time of day behind it.

    >>> split_time("02-APR-61 10.15.00 AM"), split_time("20610402101500"), split_time("2061-04-02")
    (('02-APR-61', ' 10.15.00 AM'), ('20610402', '101500'), ('2061-04-02', ''))
    """
    if found := COMPACT.fullmatch(text):
        return found["day"], found["time"]
    at = found.start() if (found := TIME.search(text)) else len(text)
    return text[:at], text[at:]


def find_day(cell: Any) -> date | None:
    """Return the day of a cell, which may move. The first and last days of calendars and of databases mean
    that there is no date. If they moved, everyone who knows them could read the shift from them."""
    day = read_day(cell)
    if day is None or day.year not in YEARS:
        return None
    return None if date(day.year, day.month, day.day) in PLACEHOLDERS else day


def shift_cells(
    row: Row, columns: Iterable[str], days: int, month_first: bool, seen: date | None = None
) -> dict[str, Any]:
    """Return the cells of the date columns, shifted by ``days``. A cell that is not a date is emptied, and so
    is a date which shows an age over 89 on the latest other date of the row or of its note (``seen``), and
    where these have none, on the latest day on which the note may have been written."""
    cells = {column: row[column] for column in columns}
    years = {column: day.year for column, cell in cells.items() if (day := find_day(cell))}

    def is_old(column: str) -> bool:
        others = [year for other, year in years.items() if other != column]
        latest = max([*others, *([seen.year] if seen else [])], default=UNDATED.year)
        return years[column] < latest - OLDEST

    return {
        column: None if column not in years or is_old(column) else shift_cell(cell, days, month_first)
        for column, cell in cells.items()
    }


def find_written_date(redacted: Document, days: int, month_first: bool) -> date | None:
    """Return the date of a note whose dates were moved by ``days``."""
    texts = [redacted.text_of(span) for span in redacted.spans if kinds.kind_of(span.type) == kinds.DATE]
    moved = DateShifter(Shift(0, days), month_first).find_note_date(texts)
    try:
        return moved and moved - timedelta(days)
    except OverflowError:
        return None


def shift_cell(cell: Any, days: int, month_first: bool = True) -> Any:
    """Return a date, or a number or text with a day and perhaps a time, ``days`` later; None for others.

    >>> shift_cell("2061-04-02 10:15", 14), shift_cell("4/2/2061", 14), shift_cell("20610402", 14)
    ('2061-04-16 10:15', '4/16/2061', '20610416')
    >>> shift_cell(20610402, 14), shift_cell("02-APR-61", 14), shift_cell("9999-12-31", 14)
    (20610416, '16-APR-61', None)
    """
    day = find_day(cell)
    if day is None:
        return None
    try:
        moved = day + timedelta(days)
    except OverflowError:
        return None
    if isinstance(cell, date):
        return moved
    if not isinstance(cell, str):
        return type(cell)(int(f"{moved:%Y%m%d}"))
    written, time = split_time(cell.strip())
    if written.isdigit():
        return f"{moved:%Y%m%d}{time}"
    shifter = DateShifter(Shift(round(days / 365.25), days), month_first)
    made = shifter.shift_text(written, date(day.year, day.month, day.day))
    return None if made is None else made + time
