"""The treatment of a table's other columns, beside its text and ids: dates move, others are dropped or
copied.

A table with real dates beside shifted texts gives the shift away: one subtraction undoes it. So a column of
dates, names, numbers or addresses of people goes out only if an option says what becomes of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from crfdeid.corpora.whole_rows import Header, Row
from crfdeid.errors import ConfigurationError, FormatError, did_you_mean
from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, fold
from crfdeid.lexicon.names import KEPT_TITLES
from crfdeid.lexicon.ordinary import is_listed_name, is_ordinary
from crfdeid.redact.leftover.patient_table import find_type
from crfdeid.redact.run.plan import COLUMN_OPTIONS as OPTIONS
from crfdeid.redact.run.plan import ColumnOptions
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter, Shift
from crfdeid.redact.surrogates.patient import UNDATED
from crfdeid.text.document import Document

NAMES = ("PATIENT", "DOCTOR")  # types of columns of names
NUMBERS = (  # and of columns of what the Safe Harbor calls identifiers
    "MEDICALRECORD", "SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "PHONE", "FAX", "EMAIL",
    "USERNAME", "STREET", "CITY", "ZIP",
)  # fmt: skip
NUMBER_CELL = re.compile(
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}|(?:\+?1[-. ]?)?\(?[0-9]{3}\)?[-. ]?[0-9]{3}[-.][0-9]{4}"
    r"|[^\s@]+@[^\s@]+\.[^\s@]+"
)
DATE_CELL = re.compile(
    r"(?P<day>[12][0-9]{3}(?P<mark>[-/.]?)[01]?[0-9](?P=mark)[0-3]?[0-9]"
    r"|[0-3]?[0-9](?P<other>[-/.])[0-3]?[0-9](?P=other)(?:[12][0-9])?[0-9]{2})"
    r"(?P<time>[T ][0-2]?[0-9]:[0-5][0-9][0-9:.]*(?:\s?[AaPp][Mm])?(?:\s?Z|\s?[+-][0-9:]{2,6})?)?"
)
OF_PEOPLE = "numbers or addresses of people"
MOST_PARTS = 4  # of the name of a person
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


def refuse_open(
    columns: ColumnOptions, header: Header, rows: Iterable[Row], own: Collection[str], where: str
) -> None:
    """Raise :class:`FormatError` where a column of dates or names has no option; ``rows`` are a sample."""
    known, rows = {*own, *columns.dates, *columns.dropped, *columns.copied}, list(rows)
    for number, key in enumerate(header.keys, 1):
        if key not in known and (what := find_content(key, [row.get(key) for row in rows])):
            name = name_column(header, key, number)
            raise FormatError(f"{where}: column {name} has {what}; wanted {OPTIONS} for it")


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
    """Say what a column has that may not go out as it is: most of its cells are dates or names of people, or
    its name says so.

    >>> find_content("at", ["2061-04-02", ""]), find_content("last_name", []), find_content("n", ["20610402"])
    ('dates', 'names', 'dates')
    >>> find_content("ward", ["5W"]), find_content("mg", ["1.5", "2.5"])
    (None, None)
    >>> find_content("SSN", []), find_content("reached at", ["617-555-0148", ""])
    ('numbers or addresses of people', 'numbers or addresses of people')
    """
    type = find_type(name)
    if type in NAMES:
        return "names"
    if type in NUMBERS:
        return OF_PEOPLE
    filled = [cell for cell in cells if cell is not None and cell == cell and cell != ""]
    if type == "DATE" or (filled and 2 * sum(map(is_date, filled)) >= len(filled)):
        return "dates"
    if filled and 2 * sum(map(is_number, filled)) > len(filled):
        return OF_PEOPLE
    return "names" if filled and 2 * sum(map(is_person, filled)) > len(filled) else None


def is_number(cell: object) -> bool:
    """Whether a cell looks like a social security or telephone number, or an e-mail address."""
    return isinstance(cell, str) and NUMBER_CELL.fullmatch(cell.strip()) is not None


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


def is_date(cell: object) -> bool:
    if isinstance(cell, date):
        return True
    found = DATE_CELL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    return found is not None and read_day(found["day"]) is not None


def read_day(text: str) -> date | None:
    """Read a whole day; of two numbers that may both be a month, the first is."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
    if len(numbers) == 1:
        numbers = [int(text[:4]), int(text[4:6]), int(text[6:])]
    if numbers[0] < 1000:
        numbers = [numbers[2], *numbers[:2]]
    year, month, day = numbers
    for first, second in ((month, day), (day, month)):
        try:
            return date(year if year > 99 else 2000 + year, first, second)
        except ValueError:
            continue
    return None


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


def find_day(cell: Any) -> date | None:
    if isinstance(cell, date):
        return cell if cell == cell else None  # a time that is missing in pandas is not itself
    found = DATE_CELL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    return read_day(found["day"]) if found else None


def shift_cell(cell: Any, days: int, month_first: bool = True) -> Any:
    """Return a date, or a text with one day and perhaps a time, ``days`` later.

    >>> shift_cell("2061-04-02 10:15", 14), shift_cell("4/2/2061", 14), shift_cell("20610402", 14)
    ('2061-04-16 10:15', '4/16/2061', '20610416')
    """
    if not isinstance(cell, str):
        return cell + timedelta(days)
    found = DATE_CELL.fullmatch(cell.strip())
    if not found:
        return None
    if found["mark"] == "":
        day = read_day(found["day"])
        moved = f"{day + timedelta(days):%Y%m%d}" if day else None
    else:
        shifter = DateShifter(Shift(round(days / 365.25), days), month_first)
        moved = shifter.shift_text(found["day"], None)
    return None if moved is None else moved + (found["time"] or "")
