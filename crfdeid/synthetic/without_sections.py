"""Texts without sections: exports of a database, searches that clinicians type, and conversations.

An export has rows of patients as CSV, JSON, SQL, XML, a table, or one key and value a line. A column is
``name|name … = value`` (``lists/columns.txt``), in the notation of frames. A search is a whole frame, or a
name, a topic and a day in any order. A conversation of a patient and a clinician is as it is transcribed:
turns, interjections, few names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import regex

from crfdeid.synthetic import noise
from crfdeid.synthetic.cast import Cast, draw_world
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.frames import Frame, frame_weight, parse_frame
from crfdeid.synthetic.genres import Genre, Pieces, choose_frames, join_sentences, write_sentences
from crfdeid.synthetic.pieces import Piece, join_pieces

Row = list[Pieces]
Column = tuple[tuple[str, ...], Frame]
Writer = Callable[[Sequence[str], Sequence[Row], Random], Pieces]

# Which parts a query has, and how often. The order is free.
KEYWORDS = (
    ("query_who", 0.6), ("query_what", 0.85), ("query_what", 0.2), ("query_when", 0.25),
    ("query_where", 0.12),
)  # fmt: skip

SIDES = ("dialogue_doctor", "dialogue_patient")
PAUSE = regex.compile(r"(?<=[a-z]),? (?=[a-z]{2})")
MARK = regex.compile(r" ?(?<![A-Z0-9])[.,?!](?=\s|$)")
SPACED = regex.compile(r"(?<=[\w'])(?=[,?!](?:\s|$)|\.$|\.(?= [a-z]))")


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


def compose_queries(genre: Genre, cast: Cast) -> Pieces:
    """Compose one search, or some, one a line, each about another patient."""
    rng, part, used = cast.rng, cast.world.part, set[str]()
    _, fewest, most = genre.sections[0]
    count = 1 if rng.random() < 0.5 else rng.randint(fewest + 1, most)
    queries = []
    for frame in choose_frames("queries", count, rng, part, used):
        about = draw_world(rng, part)
        asked = Cast(about, rng, about.first_note)
        line = asked.render(frame) if rng.random() < 0.6 else compose_keywords(asked, used)
        queries.append(vary_query(line, rng))
    lines = join_sentences(queries, lambda index: "\n" if index else "")
    return noise.add_typos(lines, rng, rng.choice((0, 0.01, 0.04)))


def compose_keywords(cast: Cast, used: set[str]) -> Pieces:
    """Compose a search of keywords: who, what, when and where, in any order."""
    rng = cast.rng
    names = [name for name, chance in KEYWORDS if rng.random() < chance] or ["query_who"]
    if rng.random() < 0.6:
        rng.shuffle(names)
    parts = [part for name in names for part in write_sentences(name, 1, cast, used)]
    if rng.random() < 0.25:
        parts = [*write_sentences("query_verb", 1, cast, used), *parts]
    gap = rng.choice((" ", " ", " ", " ", " ", ", ", " - ", "  "))
    return join_sentences(parts, lambda index: gap if index else "")


def vary_query(line: Pieces, rng: Random) -> Pieces:
    """Write a search as people type: mostly without capitals, now and then with a mark at its end."""
    chance = rng.random()
    cased = noise.to_lower(line) if chance < 0.72 else noise.to_upper(line) if chance < 0.76 else line
    asks = rng.random() < 0.05 and not join_pieces(cased).endswith(("?", "."))
    return [*cased, Piece(rng.choice("??.!"))] if asks else cased


def compose_dialogue(genre: Genre, cast: Cast) -> Pieces:
    """Compose a conversation, mostly in lower case; some have no punctuation, or spaces before it."""
    rng, used = cast.rng, set[str]()
    _, fewest, most = genre.sections[0]
    labels = [parse_frame(f"{label} ", "speakers.txt") for label in choose_speakers(rng)]
    end = rng.choice(("\n", "\n", "\n", "\n\n", " "))
    first, pauses = rng.randrange(2), rng.choice((0.0, 0.02, 0.05))
    turns = []
    for number in range(rng.randint(fewest, most)):
        side = (number + first) % 2
        turn = compose_turn(SIDES[side], cast, used)
        turns.append([*cast.render(labels[side]), *add_pauses(turn, rng, pauses)])
    said = join_sentences(turns, lambda index: end if index else "")
    return transcribe(said, rng)


def choose_speakers(rng: Random) -> list[str]:
    """Choose the labels of the two sides."""
    return rng.choice(read_list("speakers")).split(" = ")


def compose_turn(side: str, cast: Cast, used: set[str]) -> Pieces:
    """Compose what one person says: often an interjection first, sometimes nothing else."""
    rng = cast.rng
    chance = rng.random()
    sounds = ", ".join(rng.choices(read_list("interjections"), k=rng.choice((1, 1, 1, 2))))
    opening = [Piece(sounds if rng.random() < 0.4 else sounds[:1].upper() + sounds[1:])]
    if chance < 0.14:
        return [*opening, Piece(rng.choice((".", ".", "", "?", "...")))]
    dictated = side == SIDES[0] and rng.random() < 0.08
    section = rng.choice(("hpi", "plan", "labs", "exam")) if dictated else side
    sentences = write_sentences(section, rng.choice((1, 1, 2, 2, 3, 4)), cast, used)
    said = join_sentences(sentences, lambda index: " " if index else "")
    return [*opening, Piece(rng.choice((", ", ". ", ", ", " "))), *said] if chance < 0.55 else said


def add_pauses(pieces: Pieces, rng: Random, rate: float) -> Pieces:
    """Put "uh" or "you know" between some of the words outside spans."""

    def pause(match: regex.Match[str]) -> str:
        if rng.random() >= rate:
            return match[0]
        sound = rng.choice(("uh", "um", "you know", "like", "i mean", "uh", "er", "well", "hm"))
        return rng.choice((f", {sound}, ", f" {sound} ", f" {sound}, ", f"... {sound} "))

    return noise.edit_outside(pieces, lambda text: PAUSE.sub(pause, text))


def transcribe(pieces: Pieces, rng: Random) -> Pieces:
    """Write a conversation as one of the ways of transcription has it."""
    chance = rng.random()
    if chance < 0.2:
        pieces = noise.edit_outside(pieces, lambda text: SPACED.sub(" ", text))
    elif chance < 0.32:
        pieces = noise.edit_outside(pieces, lambda text: MARK.sub("", text))
    return noise.to_lower(pieces) if rng.random() < 0.65 else pieces
