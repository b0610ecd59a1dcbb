"""Exports of a database: rows of patients as CSV, JSON, SQL, XML, a table, or one key and value a line.

A column is ``name|name … = value`` (``lists/columns.txt``), in the notation of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from crfdeid.synthetic.cast import Cast, draw_world
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.frames import Frame, frame_weight, parse_frame
from crfdeid.synthetic.genres import Genre, Pieces, join_sentences
from crfdeid.synthetic.pieces import Piece, join_pieces

Row = list[Pieces]
Column = tuple[tuple[str, ...], Frame]
Writer = Callable[[Sequence[str], Sequence[Row], Random], Pieces]


@cache
def read_columns() -> tuple[Column, ...]:
    """Read the names and the value of every column."""
    rows = (line.split(" = ", 1) for line in read_list("columns"))
    return tuple((tuple(names.split("|")), parse_frame(value, "columns.txt")) for names, value in rows)


def compose_records(genre: Genre, cast: Cast) -> Pieces:
    """Compose an export: some columns, and a row for each of some patients."""
    rng = cast.rng
    _, fewest, most = genre.sections[0]
    columns = choose_columns(rng)
    casing = rng.choice((str, str, str, str.upper, write_title, write_camel))
    names = [casing(rng.choice(labels)) for labels, _ in columns]
    rows = [draw_row([value for _, value in columns], cast) for _ in range(rng.randint(fewest, most))]
    return rng.choice(WRITERS)(names, rows, rng)


def choose_columns(rng: Random) -> list[Column]:
    """Choose the columns of an export: some at random, a run that goes together, or both."""
    known, chance = read_columns(), rng.random()
    columns: list[Column] = []
    if chance < 0.75:
        columns = rng.choices(known, [frame_weight(value) for _, value in known], k=rng.randint(4, 12))
    if chance > 0.4:
        at = rng.randint(0, len(columns))
        columns[at:at] = [
            rng.choice([column for column in known if name in column[0]])
            for name in rng.choice(read_list("column_runs")).split()
        ]
    return list(dict.fromkeys(columns))


def draw_row(values: Sequence[Frame], cast: Cast) -> Row:
    """Fill the columns for a new patient."""
    about = draw_world(cast.rng, cast.world.part)
    other = Cast(about, cast.rng, about.first_note)
    other.numeric = cast.numeric
    return [other.render(value) for value in values]


def write_title(name: str) -> str:
    """Write the name of a column as a title.

    >>> write_title("last_name"), write_camel("last_name")
    ('Last Name', 'lastName')
    """
    return name.replace("_", " ").title()


def write_camel(name: str) -> str:
    """Write the name of a column in one word."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def quote(cell: Pieces, mark: str) -> Pieces:
    """Put the mark on either side of a cell."""
    return [Piece(mark), *cell, Piece(mark)]


def join_cells(cells: Sequence[Pieces], gap: str) -> Pieces:
    """Join cells with the gap between them."""
    return join_sentences(cells, lambda index: gap if index else "")


def write_delimited(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write comma- or tab-separated values; cells that hold the separator are quoted, or all are."""
    gap, always = rng.choice((",", ",", "\t", "|", ";", " | ", ", ")), rng.random() < 0.3

    def cells(row: Row) -> Row:
        return [quote(c, '"') if always or gap.strip(" ") in join_pieces(c) else c for c in row]

    head = [[Piece(gap.join(names))]] if rng.random() < 0.85 else []
    return join_cells([*head, *(join_cells(cells(row), gap) for row in rows)], "\n")


def write_json(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write one JSON object a line, or objects with a key a line; now and then as Python prints them."""
    mark, gap = rng.choice('"""\''), rng.choice((", ", ",", ",\n  "))
    colon = rng.choice((": ", ":"))
    objects = []
    for row in rows:
        pairs = [[Piece(f"{mark}{name}{mark}{colon}"), *quote(c, mark)] for name, c in zip(names, row)]
        objects.append([Piece("{"), *join_cells(pairs, gap), Piece("}")])
    return join_cells(objects, rng.choice(("\n", ",\n")))


def write_sql(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write SQL statements that insert the rows."""
    table = rng.choice(("patients", "patient_demo", "encounter", "dbo.Patient", "visits", "results", "tmp"))
    head = f"INSERT INTO {table} ({', '.join(names)}) VALUES "
    values = [[Piece("("), *join_cells([quote(c, "'") for c in row], ", "), Piece(")")] for row in rows]
    if rng.random() < 0.5:
        return [Piece(head), *join_cells(values, ",\n"), Piece(";")]
    return join_cells([[Piece(head), *value, Piece(";")] for value in values], "\n")


def write_xml(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write an element for each cell."""
    item, gap = rng.choice(("row", "patient", "record", "Patient")), rng.choice(("\n", "", "\n  "))
    tags = [name.replace(" ", "") for name in names]
    elements = [
        join_cells([[Piece(f"<{tag}>"), *c, Piece(f"</{tag}>")] for tag, c in zip(tags, row)], gap)
        for row in rows
    ]
    return join_cells([[Piece(f"<{item}>{gap}"), *e, Piece(f"\n</{item}>")] for e in elements], "\n")


def write_pairs(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write one key and value a line, or all in one line, the rows apart."""
    colon = rng.choice((": ", ":", "=", " = ", "\t", ": ", " -> "))
    gap = rng.choice(("\n", "\n", "; ", " | "))
    width = rng.choice((0, 0, 16, 22))
    return join_cells(
        [
            join_cells([[Piece(f"{name}{colon}".ljust(width)), *c] for name, c in zip(names, row)], gap)
            for row in rows
        ],
        rng.choice(("\n\n", "\n---\n", "\n")),
    )


def write_aligned(names: Sequence[str], rows: Sequence[Row], rng: Random) -> Pieces:
    """Write a table in columns of one width, with or without rules."""
    rule, gap = rng.choice((("-", " "), ("-", "  "), ("", "  "), ("-", " | "), ("", "   ")))
    texts = [names, *([join_pieces(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts)]
    head = [Piece(gap.join(name.ljust(width) for name, width in zip(names, widths)))]
    lines = [head, [Piece(gap.join(rule * width for width in widths))]] if rule else [head]
    for row in rows:
        padded = [[*c, Piece(" " * (w - len(join_pieces(c))))] for c, w in zip(row, widths)]
        lines.append(join_cells(padded, gap))
    return join_cells(lines, "\n")


WRITERS: tuple[Writer, ...] = (
    write_delimited, write_delimited, write_delimited, write_json, write_sql, write_xml, write_pairs,
    write_pairs, write_aligned, write_aligned,
)  # fmt: skip
