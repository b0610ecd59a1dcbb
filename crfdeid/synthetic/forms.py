"""Heads and feet as hospital systems print them: some fields, in one writer's way.

A field is ``label|label … = value`` (``lists/head_fields.txt``); no two systems call it
the same, so the labels vary more than the values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from crfdeid.synthetic import frames
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import listed
from crfdeid.synthetic.frames import Frame, parse
from crfdeid.synthetic.pieces import Piece, plain

COLONS = (": ", ": ", ": ", ":", ":", ":  ", " : ", " ", " - ", "\t", " = ", ":\t")
BARE = 0.15  # forms that print the values alone, in one line
BARE_GAPS = ("|", " | ", "   ", " / ", "\t", " ", ", ", "  -  ")
GAPS = ("\n", "\n", "\n", "\n", "   ", "    ", " | ", "; ", ", ", "\t", " / ", "  ")


@cache
def fields(kind: str) -> tuple[tuple[tuple[str, ...], Frame], ...]:
    """The labels and the value of every field of ``head`` or ``foot``."""
    rows = (line.split(" = ", 1) for line in listed(f"{kind}_fields"))
    return tuple((tuple(labels.split("|")), parse(value, f"{kind}_fields.txt")) for labels, value in rows)


def form(kind: str, cast: Cast) -> list[Piece]:
    """Three to ten fields. Those of a head begin with who, which record and when."""
    rng, known = cast.rng, fields(kind)
    first = [row for row in known[:8] if rng.random() < 0.35] if kind == "head" else []
    rows = first + rng.choices(known, [frames.rate(value) for _, value in known], k=rng.randint(2, 7))
    colon, gap, per_line = rng.choice(COLONS), rng.choice(GAPS), rng.randint(1, 4)
    label, width = casing(rng), rng.choice((0, 0, 0, 16, 20, 24))
    if rng.random() < BARE:
        label, colon, gap, width, per_line = unlabelled, "", rng.choice(BARE_GAPS), 0, 99
    pieces: list[Piece] = []
    for index, (labels, value) in enumerate(dict.fromkeys(rows)):
        ending = "\n" if index % per_line == 0 else gap
        named = f"{label(rng.choice(labels))}{colon}".ljust(width)
        cell = [Piece(named), *cast.render(value)]
        pieces += [Piece(ending if index else ""), *cell]
        if gap != "\n" and width and "\t" not in gap:
            pieces.append(Piece(" " * max(0, width * 2 - len(plain(cell)))))
    return pieces


def unlabelled(label: str) -> str:
    return ""


def casing(rng: Random) -> Callable[[str], str]:
    return rng.choice((str, str, str, str.upper, str.upper, str.title, str.lower))
