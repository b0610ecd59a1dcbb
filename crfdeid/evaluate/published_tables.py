"""The figures that papers printed, as data, and our figures beside them.

Each file of ``configs/published/*.toml`` holds one table: its paper, corpus, split and criterion, and
the numbers as printed, so that 0.9670 keeps its last digit. Columns and rows have this toolkit's
names (P, R, F1; PATIENT), so that our own figures fit in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import Any

from crfdeid import files
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text

FOLDER = "configs/published"
NO_VALUE = "-"
WIDTH = 120  # characters of a line of a table beside ours


@dataclass(frozen=True)
class PublishedTable:
    """One table of a paper. ``rows`` has the cells of each row as printed, one for each of ``columns``;
    ``percent`` lists the columns printed in percent; ``doubts`` has the reason for each row whose
    printed numbers contradict each other or another table."""

    name: str
    title: str
    paper: str
    table: str
    corpus: str
    split: str
    criterion: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]
    percent: tuple[str, ...] = ()
    note: str = ""
    doubts: dict[str, str] = field(default_factory=dict)

    def value(self, row: str, column: str) -> float | None:
        """Return the number of a cell, as a fraction if it is printed in percent; None if the paper has
        no number. Raises :class:`ConfigurationError` on an unknown row or column.

        >>> read_table("he-2015-table-3").value("i2b2 strict", "official F1")
        0.8852
        """
        for name, known in ((row, tuple(self.rows)), (column, self.columns)):
            if name not in known:
                raise ConfigurationError(f"{self.name}: no row or column {name}{did_you_mean(name, known)}")
        cell = self.rows[row][self.columns.index(column)]
        if cell in ("", NO_VALUE):
            return None
        return float(cell) / 100 if column in self.percent else float(cell)


def list_tables() -> list[str]:
    """Return the names of all shipped tables, sorted."""
    return sorted(path.stem for path in files.find_folder(FOLDER).glob("*.toml"))


def read_table(name: str) -> PublishedTable:
    """Read the shipped table of this name, or the file of this path. Raises :class:`ConfigurationError`
    where it is not such a table, or where a row has not one cell for each column."""
    path = files.find_file(FOLDER, name, ".toml")
    try:  # parse_float: keep the digits as printed
        table = tomllib.loads(read_text(path), parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    refuse_unknown_keys(table, str(path))
    columns = tuple(table.pop("columns"))
    rows = {row: tuple(map(str, cells)) for row, cells in table.pop("rows").items()}
    for row, cells in rows.items():
        if len(cells) != len(columns):
            raise ConfigurationError(f"{path}: row {row} has {len(cells)} cells; wanted {len(columns)}")
    percent = tuple(table.pop("percent", ()))
    return PublishedTable(name=path.stem, columns=columns, rows=rows, percent=percent, **table)


def refuse_unknown_keys(table: Mapping[str, Any], where: str) -> None:
    """Raise :class:`ConfigurationError` for a key that is unknown or missing."""
    known = {f.name for f in fields(PublishedTable)} - {"name"}
    for key in table:
        if key not in known:
            raise ConfigurationError(f"{where}: no setting {key}{did_you_mean(key, known)}")
    if missing := sorted(known - {"percent", "note", "doubts"} - table.keys()):
        raise ConfigurationError(f"{where}: {missing[0]} is not set")


def format_beside(
    published: PublishedTable,
    rows: Mapping[str, Mapping[str, float]],
    corpus: str = "not named",
    width: int = WIDTH,
) -> str:
    """Format the paper's table with our figures beside it.

    ``rows`` maps row to column to our number (a fraction, also where the paper prints percent);
    ``corpus`` names the corpus of our figures. Our rows and columns that the paper does not have come
    last; a table wider than ``width`` characters continues below.

    >>> table = read_table("he-2015-table-5")
    >>> print(format_beside(table, {"WI-deId": {"AGE": 0.5}}, "40 invented notes").splitlines()[2])
    ours:  40 invented notes
    """
    our_columns = [column for row in rows.values() for column in row]
    heads = [
        (column, side)
        for column in [*published.columns, *find_additional(published.columns, our_columns)]
        for side, has in (("paper", published.columns), ("ours", our_columns))
        if column in has
    ]
    lines = [["", *(column for column, _ in heads)], ["", *(side for _, side in heads)]]
    for row in [*published.rows, *find_additional(published.rows, rows)]:
        ours = rows.get(row, {})
        lines.append([row, *(format_cell(published, row, column, side, ours) for column, side in heads)])
    table = (line for part in split_columns(lines, width) for line in ["", *align_columns(part)])
    return "\n".join([*format_caption(published, corpus), *table, *format_remarks(published)])


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format the rows of a table: the first column to the left, the others to the right.

    >>> align_columns([["", "P"], ["AGE", "0.5"]])
    ['       P', 'AGE  0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for first, *others in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:]))
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    return lines


def split_columns(lines: Sequence[Sequence[str]], width: int) -> Iterator[list[list[str]]]:
    """Split a table into tables of at most ``width`` characters. Columns that belong together
    (``official P``, ``official R``) stay together, even if they need more.

    >>> [part[0] for part in split_columns([["", "a P", "a R", "b"]], 10)]
    [['', 'a P', 'a R'], ['', 'b']]
    """
    sizes = [max(map(len, column)) for column in zip(*lines)]
    parts: list[list[int]] = [[]]
    for _, group in groupby(range(1, len(sizes)), lambda n: lines[0][n].rpartition(" ")[0] or lines[0][n]):
        columns = list(group)
        if parts[-1] and sizes[0] + sum(2 + sizes[n] for n in [*parts[-1], *columns]) > width:
            parts.append([])
        parts[-1] += columns
    for columns in parts:
        yield [[row[n] for n in [0, *columns]] for row in lines]


def find_additional(known: Container[str], names: Iterable[str]) -> list[str]:
    """Return the names that are not known, each once, in order.

    >>> find_additional(("P", "R"), ["R", "F2", "F1", "F2"])
    ['F2', 'F1']
    """
    return [name for name in dict.fromkeys(names) if name not in known]


def format_cell(
    published: PublishedTable, row: str, column: str, side: str, ours: Mapping[str, float]
) -> str:
    """Format the paper's cell as printed, or our number in the same unit with the same decimals."""
    if side == "ours":
        scale = 100 if is_percent(published, column) else 1
        return (
            f"{ours[column] * scale:z.{count_decimals(published, column)}f}" if column in ours else NO_VALUE
        )
    return (published.rows[row][published.columns.index(column)] if row in published.rows else "") or NO_VALUE


def is_percent(published: PublishedTable, column: str) -> bool:
    """Whether a column is in percent; one that the paper does not have is so where all of them are."""
    known = [column] if column in published.columns else published.columns
    return set(known) <= set(published.percent)


def count_decimals(published: PublishedTable, column: str) -> int:
    """Return the most decimals that a column is printed with; of a column that the paper does not have, the
    most of any."""
    known = [column] if column in published.columns else published.columns
    cells = (row[published.columns.index(name)] for row in published.rows.values() for name in known)
    return max(len(cell.partition(".")[2]) for cell in cells)


def format_caption(published: PublishedTable, corpus: str) -> list[str]:
    """Format the lines above the table."""
    where = ", ".join(filter(None, (published.corpus, published.split, published.criterion)))
    return [
        f"{published.title} ({published.paper}, {published.table})",
        f"paper: {where}",
        f"ours:  {corpus}",
    ]


def format_remarks(published: PublishedTable) -> list[str]:
    """Format the lines below the table: units, the note and the doubts."""
    doubts = [f"the paper's {row}: {reason}" for row, reason in published.doubts.items()]
    remarks = [*([published.note] if published.note else []), *doubts]
    percent = [f"in percent: {', '.join(published.percent)}"] if published.percent else []
    return ["", *percent, *remarks] if percent or remarks else []
