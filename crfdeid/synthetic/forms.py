"""Heads and feet as hospital systems print them: some fields, all in one style.

A field is ``label|label … = value`` (``lists/head_fields.txt``). Every system uses other labels, so the
labels vary more than the values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from crfdeid.synthetic import frames
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.frames import Frame, parse_frame
from crfdeid.synthetic.noise import is_token_boundary
from crfdeid.synthetic.pieces import Piece, join_pieces

COLONS = (": ", ": ", ": ", ":", ":", ":  ", " : ", " ", " - ", "\t", " = ", ":\t")
BARE = 0.15  # the share of forms that print only the values, in one line
BARE_GAPS = ("|", " | ", "   ", " / ", "\t", " ", ", ", "  -  ", "", "")
GAPS = ("\n", "\n", "\n", "\n", "   ", "    ", " | ", "; ", ", ", "\t", " / ", "  ")


@cache
def read_fields(kind: str) -> tuple[tuple[tuple[str, ...], Frame], ...]:
    """Read the labels and the value of every field of ``head`` or ``foot``."""
    rows = (line.split(" = ", 1) for line in read_list(f"{kind}_fields"))
    return tuple(
        (tuple(labels.split("|")), parse_frame(value, f"{kind}_fields.txt")) for labels, value in rows
    )


def compose_form(kind: str, cast: Cast) -> list[Piece]:
    """Compose a head or foot of some fields. A head begins with the patient, the record and the date."""
    rng, known = cast.rng, read_fields(kind)
    first = [row for row in known[:8] if rng.random() < 0.35] if kind == "head" else []
    rows = first + rng.choices(known, [frames.frame_weight(value) for _, value in known], k=rng.randint(2, 7))
    colon, gap, per_line = rng.choice(COLONS), rng.choice(GAPS), rng.randint(1, 4)
    label, width = choose_casing(rng), rng.choice((0, 0, 0, 16, 20, 24))
    if rng.random() < BARE:
        label, colon, gap, width, per_line = drop_label, "", rng.choice(BARE_GAPS), 0, 99
    pieces: list[Piece] = []
    for index, (labels, value) in enumerate(dict.fromkeys(rows)):
        labelled = f"{label(rng.choice(labels))}{colon}".ljust(width)
        cell = [Piece(labelled), *cast.render(value)]
        ending = "\n" if index % per_line == 0 else gap or choose_gap(join_pieces(pieces), join_pieces(cell))
        pieces += [Piece(ending if index else ""), *cell]
        if gap != "\n" and width and "\t" not in gap:
            pieces.append(Piece(" " * max(0, width * 2 - len(join_pieces(cell)))))
    return pieces


def choose_gap(before: str, after: str) -> str:
    """Return nothing between two values where a token ends anyway, else a blank.

    >>> choose_gap("4471203", "Ruiz"), choose_gap("RUIZ", "ANA")
    ('', ' ')
    """
    return "" if is_token_boundary(before[-1:], after[:1]) else " "


def drop_label(label: str) -> str:
    """Write nothing in place of a label."""
    return ""


def choose_casing(rng: Random) -> Callable[[str], str]:
    """Choose how all labels are written: as they are, in capitals, or small."""
    return rng.choice((str, str, str, str.upper, str.upper, str.title, str.lower))
