"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line a row: the first column to the left, the others to the right.

    >>> aligned([["", "P"], ["AGE", "0.5"]])
    ['       P', 'AGE  0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for first, *others in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:]))
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    return lines
