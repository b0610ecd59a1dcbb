"""Numbers however they are grouped: "447-19-02" is "4471902"."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

FEW = 6  # a number of fewer characters is only found as it was written, or with hyphens


def grouped(
    low: str, runs: Sequence[tuple[int, int]], firsts: Sequence[int], at: int, size: int
) -> tuple[int, int] | None:
    """The place in ``low`` of a number of ``size`` characters that begins at ``at`` of its letters and
    digits (of which there are ``runs``, which begin at ``firsts``); None where what stands around or
    within it shows that it is another."""
    first, last = bisect_right(firsts, at) - 1, bisect_right(firsts, at + size - 1) - 1
    start = runs[first][0] + at - firsts[first]
    end = runs[last][0] + at + size - firsts[last]
    for before, after in pairwise(runs[first : last + 1]):
        if not joins(low[before[1] : after[0]], low[before[1] - 1], low[after[0]], size):
            return None
    goes_on = (start > runs[first][0] and alike(low[start - 1], low[start])) or (
        end < runs[last][1] and alike(low[end - 1], low[end])
    )
    return None if goes_on else (start, end)


def joins(gap: str, before: str, after: str, size: int) -> bool:
    """Whether a number may be grouped by ``gap``: by marks, and by a space between digits."""
    if size < FEW:
        return gap == "-"
    spaced = any(c.isspace() for c in gap)
    return len(gap) <= 3 and not (spaced and not (before.isdigit() and after.isdigit()))


def alike(a: str, b: str) -> bool:
    return a.isdigit() == b.isdigit()
