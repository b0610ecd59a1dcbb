"""Short documents of other kinds than reports, written by hand in ``devset_forms``: the genres.

A genre of ``STREAMS`` has three blocks, of first, middle and last lines. Each other genre has documents as
blocks; a line that begins with ``*`` is repeated with other people. The spans of ``year_query`` are years,
seasons and ages under 90, which Safe Harbor does not count.
"""

from __future__ import annotations

from random import Random

import devset_patterns as patterns
from devset_surrogates import Cast

from crfdeid.text.document import Document

STREAMS = {"case_report": " ", "dialogue": "\n"}  # the text between two lines
GENRES = ("case_report", "dialogue", "portal", "hl7", "table", "year_query")
COUNT = 40


def build_genre(name: str, count: int = COUNT) -> list[Document]:
    """Return documents of a genre."""
    return [build_member(name, number) for number in range(count)]


def build_member(name: str, number: int) -> Document:
    rng = Random(f"devset {name} {number}")
    build = build_stream if name in STREAMS else build_block
    return patterns.build_document(f"{name}{number:02}", build(name, number, Cast(rng)))


def build_stream(name: str, number: int, cast: Cast) -> list[patterns.Piece]:
    firsts, middles, lasts = (block.splitlines() for block in patterns.read_blocks(name))
    rng = cast.rng
    lines = [firsts[number % len(firsts)], *rng.sample(middles, rng.randrange(5, 12)), rng.choice(lasts)]
    pieces: list[patterns.Piece] = []
    for line in lines:
        pieces += [*patterns.fill_pattern(patterns.choose_branches(line, rng), cast), (STREAMS[name], None)]
    return pieces


def build_block(name: str, number: int, cast: Cast) -> list[patterns.Piece]:
    blocks = patterns.read_lines(name) if name == "year_query" else patterns.read_blocks(name)
    pieces: list[patterns.Piece] = []
    for line in blocks[number % len(blocks)].splitlines(keepends=True):
        row = line.removeprefix("* ")
        casts = [cast] if row == line else [Cast(cast.rng) for _ in range(cast.rng.randrange(2, 6))]
        for one in casts:
            pieces += patterns.fill_pattern(patterns.choose_branches(row, cast.rng), one)
    return pieces
