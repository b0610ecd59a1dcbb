"""Marked tokens of a corpus: the table that ``crfdeid reidentify`` writes beside it.

The columns are ``document,start,end,type,ambiguous,unseen,where``; there is no text. ``type`` is
empty where the token is not PHI. :mod:`crfdeid.evaluate.paper_counts` scores these tokens.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from crfdeid.errors import FormatError
from crfdeid.files import read_text


class TokenMark(NamedTuple):
    """A token of a document and its properties: half-open offsets, the PHI type (empty for none),
    whether it is ambiguous between PHI and not, whether no list holds it. ``where``: ``host``,
    ``head``, ``foot``, ``mention`` (see :mod:`crfdeid.synthetic.reidentify.corpus`)."""

    document: str
    start: int
    end: int
    type: str
    ambiguous: bool
    unseen: bool
    where: str


def render_token_marks(marks: Iterable[TokenMark]) -> Iterator[str]:
    """Yield the lines of the table, the head first."""
    yield _render_row(TokenMark._fields)
    for mark in marks:
        yield _render_row(int(value) if isinstance(value, bool) else value for value in mark)


def _render_row(values: Iterable[object]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(values)
    return row.getvalue()


def read_token_marks(path: Path | str) -> list[TokenMark]:
    """Read the table of a file. Raises :class:`FormatError` with the line."""
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    if tuple(next(rows, ())) != TokenMark._fields:
        raise FormatError(f"{path}: wanted the columns {', '.join(TokenMark._fields)}")
    return [_parse_row(row, f"{path}, line {number}") for number, row in enumerate(rows, 2)]


def _parse_row(row: list[str], where: str) -> TokenMark:
    try:
        document, start, end, type, ambiguous, unseen, place = row
        mark = TokenMark(document, int(start), int(end), type, bool(int(ambiguous)), bool(int(unseen)), place)
    except ValueError:
        raise FormatError(f"{where}: wanted {', '.join(TokenMark._fields)}, offsets and 0 or 1") from None
    if not 0 <= mark.start < mark.end:
        raise FormatError(f"{where}: {mark.start}-{mark.end} is not a range of characters")
    return mark
