"""Whether a word is one of a few names but for a slip or two of the pen.

Douglass 2005, section 5.1.1, looks for misspellings of the most common first names. A slip
is a letter too many, too few, another, or two that changed places. Words that differ by at
most k slips share what is left after taking out at most k letters of each, so candidates
come from one dictionary of such remains.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations

SHORTEST = 5
LONGEST = 13
LONG = 8  # letters from which on two slips are forgiven


def slips(length: int) -> int:
    """How many slips a name of that length is forgiven."""
    return 0 if length < SHORTEST else 1 if length < LONG else 2


def remains(word: str, most: int) -> set[str]:
    """The word without each choice of at most so many of its letters.

    >>> sorted(remains("ana", 1))
    ['aa', 'an', 'ana', 'na']
    """
    places = range(len(word))
    taken = (set(out) for count in range(most + 1) for out in combinations(places, count))
    return {"".join(word[i] for i in places if i not in out) for out in taken}


@cache
def by_remains(names: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        for rest in remains(name, slips(len(name))):
            found.setdefault(rest, []).append(name)
    return found


@lru_cache(50_000)
def close(word: str, names: frozenset[str]) -> str | None:
    """The name that ``word`` is but for its slips; both lowercased, and with the same first letter.

    >>> names = frozenset(["william", "maria"])
    >>> close("willaim", names), close("marria", names), close("malaria", names)
    ('william', 'maria', None)
    """
    if not SHORTEST - 1 <= len(word) <= LONGEST:
        return None
    known = by_remains(names)
    candidates = {name for rest in remains(word, slips(len(word))) for name in known.get(rest, ())}
    near = (n for n in sorted(candidates) if n[0] == word[0] and distance(word, n) <= slips(len(n)))
    return next(near, None)


def distance(one: str, other: str) -> int:
    """Slips between two words (optimal string alignment).

    >>> distance("willaim", "william"), distance("jon", "john"), distance("mary", "mark")
    (1, 1, 1)
    """
    rows = list(_rows(one, other))
    return rows[-1][-1]


def _rows(one: str, other: str) -> Iterator[list[int]]:
    before, row = [], list(range(len(other) + 1))
    yield row
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        yield row
