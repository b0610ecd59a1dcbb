"""Rows of the table NOTE of the OMOP Common Data Model 5.4 as CSV; the names of columns are in any case.

    file ─▶ records ─▶ cells with their places ─▶ passages, fields, codes, masks

``note_text`` is a document whose id is ``note_id``, and ``person_id`` is its patient. A record keeps its
quotes, its line end and the order of its cells.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO

from crfdeid.corpora.format import Format
from crfdeid.corpora.messages import (
    EMPTIED,
    Container,
    Edit,
    Field,
    Message,
    Passage,
    build_reader,
    list_characters,
)
from crfdeid.corpora.storage import open_text
from crfdeid.corpora.table import NULLS
from crfdeid.errors import FormatError, show_id
from crfdeid.text.document import Document

ID, PERSON, TEXT, TITLE = "note_id", "person_id", "note_text", "note_title"
WANTED = (ID, PERSON, TEXT)
DATES = ("note_date", "note_datetime")
IDS = (ID, PERSON, "provider_id", "visit_occurrence_id", "visit_detail_id", "note_event_id")
COLUMNS = (
    ID, PERSON, "note_date", "note_datetime", "note_type_concept_id", "note_class_concept_id", TITLE, TEXT,
    "encoding_concept_id", "language_concept_id", "provider_id", "visit_occurrence_id", "visit_detail_id",
    "note_source_value", "note_event_id", "note_event_field_concept_id",
)  # fmt: skip
CELL = re.compile(r'"((?:[^"]|"")*)"|([^",\t\r\n]*)')
WHOLE = re.compile(r"-?[0-9]{1,18}")
TIME = r"[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9:]{2,6})?"
DATE = re.compile(rf"([12][0-9]{{3}}-[01][0-9]-[0-3][0-9])({TIME})?")
WRITTEN_DATE = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")
QUOTED = re.compile(r'""|.', re.DOTALL)
START = 1 << 12  # bytes of a file that hold the names of its columns
CODE_DIGITS = 15  # hexadecimal; an id is a whole number of 64 bits


class Cell(NamedTuple):
    """A cell, ``source[start:end]`` without its quotes."""

    start: int
    end: int
    is_quoted: bool


def is_note_table(path: Path) -> bool:
    """Whether a CSV file begins with the columns of NOTE."""
    try:
        with open(path, "rb") as file:
            head = file.read(START).decode("utf-8", "replace").lower()
    except OSError:
        return False
    return set(WANTED) <= {*re.findall(r"\w+", head.partition("\n")[0])}


def read_messages(path: Path, encoding: str = "utf-8") -> Iterator[Message]:
    """Yield the header and each row. Raises :class:`FormatError`, which names the row, where a row does not
    fit the header or an id is not a whole number."""
    with open_text(path, encoding) as file:
        records = split_records(file, path)
        header = next(records, "")
        columns = read_columns(header, path)
        yield Message(path.stem, header)
        for number, record in enumerate(records, 1):
            yield parse_row(record, columns, f"{path}, row {number}")


def split_records(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the records with their line ends; a line end in quotes ends none."""
    lines: list[str] = []
    is_open = False
    for line in file:
        lines.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            yield "".join(lines)
            lines = []
    if lines:
        raise FormatError(f"{path}: a quote that does not end; wanted CSV in which quotes are doubled")


def read_columns(header: str, path: Path) -> list[str]:
    """Return the names of the columns in small letters."""
    cells = list_cells(header.removeprefix("\ufeff"), str(path))
    columns = [header.removeprefix("\ufeff")[cell.start : cell.end].strip().lower() for cell in cells]
    if missing := [name for name in WANTED if columns.count(name) != 1]:
        raise FormatError(f"{path}: no column {missing[0]} among the {len(columns)} of its header, or two")
    return columns


def list_cells(record: str, where: str) -> list[Cell]:
    """Return the cells of a record. Raises :class:`FormatError` where it is no CSV."""
    cells, at, end = [], 0, len(record.rstrip("\r\n"))
    while True:
        found = CELL.match(record, at, end)
        if not found or (found.end() < end and record[found.end()] not in ",\t"):
            raise FormatError(f"{where}: no CSV; wanted commas, and quotes around a cell with a quote")
        is_quoted = found[1] is not None
        cells.append(Cell(*found.span(1 if is_quoted else 2), is_quoted))
        if found.end() == end:
            return cells
        at = found.end() + 1


def parse_row(record: str, columns: Sequence[str], where: str) -> Message:
    """Parse a row; an empty line is a message without texts."""
    if not record.strip():
        return Message(where, record)
    cells = list_cells(record, where)
    if len(cells) != len(columns):
        raise FormatError(f"{where}: {len(cells)} cells; wanted {len(columns)}, as in the header")
    by_name = dict(zip(columns, cells))
    id, patient, text = (record[by_name[name].start : by_name[name].end] for name in (ID, PERSON, TEXT))
    if not WHOLE.fullmatch(id) or not (WHOLE.fullmatch(patient) or not patient):
        raise FormatError(f"{where}: its note_id or person_id is not a whole number")
    if text in NULLS:
        raise FormatError(f"{where}: its text is NULL; wanted a text, or nothing for an empty note")
    row = Row(record)
    for name, cell in zip(columns, cells):
        row.add(name, cell)
    passages = [row.passages[name] for name in (TEXT, TITLE) if name in row.passages]
    return Message(id, record, patient or None, passages, row.fields, row.masks, row.codes, row.masked)


class Row:
    """Collects what the cells of a row are."""

    def __init__(self, record: str) -> None:
        self.record = record
        self.passages: dict[str, Passage | Container] = {}
        self.fields: list[Field] = []
        self.codes: list[Field] = []
        self.masks: list[Edit] = []
        self.masked: Counter[str] = Counter()

    def add(self, name: str, cell: Cell) -> None:
        """Add a cell; one of another column, or that does not look as it should, is emptied."""
        text = self.record[cell.start : cell.end]
        if name == TEXT or (name == TITLE and text):
            self.passages[name] = self.build_passage("" if name == TEXT else name, cell)
        elif name in DATES and (found := DATE.fullmatch(text)):
            write = partial(write_date, found[2] or "")
            self.fields.append(Field(found[1], "DATE", cell.start, cell.end, write))
        elif name in IDS and WHOLE.fullmatch(text):
            self.codes.append(Field(f"{name} {text}", "", cell.start, cell.end, write_id))
        elif text and not (name.endswith("_concept_id") and WHOLE.fullmatch(text)):
            self.masks.append(Edit(cell.start, cell.end, ""))
            self.masked[EMPTIED] += 1

    def build_passage(self, address: str, cell: Cell) -> Passage | Container:
        if not cell.is_quoted:
            text = self.record[cell.start : cell.end]
            return Container(address, text, cell.start, cell.end, quote)
        characters = list(list_characters(self.record, cell.start, cell.end, 0, decode))
        return Passage(address, characters, lambda text: text.replace('"', '""'))


def decode(record: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield the characters of a quoted cell, each with the offset of its end."""
    return ((found[0][0], found.end()) for found in QUOTED.finditer(record, start, end))


def quote(text: str) -> str:
    """Return a text as a cell, in quotes if it needs them.

    >>> quote("a b"), quote("a, b")
    ('a b', '"a, b"')
    """
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\t\r\n]', text) else text


def write_date(rest: str, text: str) -> str:
    """Return a date with the time that it had; nothing for what is not a whole date any more."""
    return text + rest if WRITTEN_DATE.fullmatch(text) else ""


def write_id(code: str) -> str:
    """Return a code as a whole number.

    >>> write_id("0f" * 16)
    '67818912035696880'
    """
    return str(int(code[:CODE_DIGITS], 16))


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the header and a row for each document; all cells are quoted. An id that is not a whole number is
    the number of the document, and in ``note_source_value``. Raises :class:`FormatError` for a patient that
    is not a whole number, and for an id that occurs twice."""
    yield build_line(COLUMNS)
    seen: set[str] = set()
    for number, document in enumerate(documents, 1):
        id, patient = document.id, document.patient or ""
        id = id if WHOLE.fullmatch(id) else str(number)
        if patient and not WHOLE.fullmatch(patient):
            raise FormatError(f"{show_id(document.id)}: its patient is not a whole number, as person_id is")
        if id in seen:
            raise FormatError(f"note_id {id}: occurs twice; wanted ids that are all whole numbers, or none")
        seen.add(id)
        cells = {ID: id, PERSON: patient, TEXT: document.text, "note_source_value": document.id}
        yield build_line([cells.get(name, "") for name in COLUMNS])


def build_line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(cells)
    return out.getvalue()


FORMAT = Format(
    "omop",
    (".csv",),
    read=build_reader(read_messages),
    render_corpus=render_corpus,
    has_spans=False,
    read_messages=read_messages,
)
