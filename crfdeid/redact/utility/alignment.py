"""The longest common subsequence of two texts, and which of their words it pairs.

The lengths come from the bits of long integers, a row of the table in each step (Hyyrö 2004, "Bit-parallel
LCS-length computation revisited"), so that notes of thousands of words take milliseconds. A table that would
be large is parted in two (Hirschberg 1975).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

LARGEST = 2**28  # bits of a table that is kept: 32 MB
Pair = tuple[int, int]


def measure_common(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    >>> measure_common("abcd", "xbdcd"), measure_common("abc", "cba")
    (3, 1)
    """
    *_, row = scan_rows(before, after)
    return len(before) - row.bit_count()


def align(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return the places of a longest common subsequence in both, in order. Equal ends are paired first.

    >>> align("abcd", "xbdcd")
    [(1, 1), (2, 3), (3, 4)]
    """
    start = count_equal(before, after)
    end = count_equal(before[start:][::-1], after[start:][::-1])
    inner = find_pairs(before[start : len(before) - end], after[start : len(after) - end])
    pairs = [(place, place) for place in range(start)] + [(i + start, j + start) for i, j in inner]
    return pairs + [(len(before) - n, len(after) - n) for n in range(end, 0, -1)]


def count_equal(before: Sequence[str], after: Sequence[str]) -> int:
    """Count the equal items at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after)))


def find_pairs(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return the pairs of a longest common subsequence: by a table, in parts if it would be large."""
    if not before or not after:
        return []
    if len(before) * len(after) <= LARGEST or len(after) == 1:
        return trace_pairs(before, after)
    half = len(after) // 2
    cut = find_cut(before, after[:half], after[half:])
    later = find_pairs(before[cut:], after[half:])
    return find_pairs(before[:cut], after[:half]) + [(i + cut, j + half) for i, j in later]


def find_cut(before: Sequence[str], first: Sequence[str], second: Sequence[str]) -> int:
    """Return where to part ``before``, so that its parts have most in common with ``first`` and
    ``second``."""
    ahead, back = count_prefixes(before, first), count_prefixes(before[::-1], second[::-1])[::-1]
    return max(range(len(before) + 1), key=lambda place: ahead[place] + back[place])


def count_prefixes(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """Return the length of the longest common subsequence of each beginning of ``before`` with ``after``.

    >>> count_prefixes("abcd", "bd")
    [0, 0, 1, 1, 2]
    """
    *_, row = scan_rows(before, after)
    bits = f"{row:0{len(before)}b}"[::-1][: len(before)]
    return [0, *accumulate(int(bit == "0") for bit in bits)]


def trace_pairs(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return the pairs on the way back through all rows of the table."""
    rows = list(scan_rows(before, after))
    pairs = []
    i, j = len(before), len(after)
    while i and j:
        if rows[j] >> (i - 1) & 1:
            i -= 1
            continue
        j -= 1
        if rows[j] >> (i - 1) & 1:
            i -= 1
            pairs.append((i, j))
    return pairs[::-1]


def scan_rows(before: Sequence[str], after: Sequence[str]) -> Iterator[int]:
    """Yield a row at the beginning and after each item of ``after``: bit i is 0 where the longest common
    subsequence with ``before[: i + 1]`` is longer than that with ``before[:i]``."""
    places: dict[str, int] = {}
    for place, item in enumerate(before):
        places[item] = places.get(item, 0) | 1 << place
    full = (1 << len(before)) - 1
    row = full
    yield row
    for item in after:
        found = row & places.get(item, 0)
        row = (row + found | row - found) & full
        yield row
