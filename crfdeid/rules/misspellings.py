"""Misspellings of the most common first names: Douglass 2005, section 5.1.1.

A typo is an extra, a missing or a wrong letter, or two letters in the wrong order. Two words that differ by
at most k typos have something in common: the letters that remain when at most k letters of each are deleted.
So the candidates come from one dictionary of such remains.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

SHORTEST = 5  # letters of a name whose misspellings are looked for
LONGEST = 13  # letters of a misspelling: the longest popular name and two more
LONG_NAME = 8  # letters of a name that may have two typos


def count_allowed_typos(length: int) -> int:
    """Return the number of typos that a name of that length may have."""
    return 0 if length < SHORTEST else 1 if length < LONG_NAME else 2


def delete_letters(word: str, most: int) -> set[str]:
    """Return the word without each choice of at most ``most`` of its letters.

    >>> sorted(delete_letters("ana", 1))
    ['aa', 'an', 'ana', 'na']
    """
    places = range(len(word))
    taken = (set(out) for count in range(most + 1) for out in combinations(places, count))
    return {"".join(word[i] for i in places if i not in out) for out in taken}


@cache
def index_by_deletions(names: frozenset[str]) -> dict[str, list[str]]:
    """Index the names by what remains of them after deletions."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        for rest in delete_letters(name, count_allowed_typos(len(name))):
            found.setdefault(rest, []).append(name)
    return found


def find_close_name(word: str, names: frozenset[str]) -> str | None:
    """Return the name of which ``word`` is a misspelling, or None. Both are lowercased and have the same
    first letter.

    >>> names = frozenset(["william", "maria"])
    >>> find_close_name("willaim", names), find_close_name("marria", names), find_close_name("malaria", names)
    ('william', 'maria', None)
    """
    if len(word) > LONGEST:
        return None
    known = index_by_deletions(names)
    candidates = {
        name for rest in delete_letters(word, count_allowed_typos(len(word))) for name in known.get(rest, ())
    }
    near = (
        n
        for n in sorted(candidates)
        if n[0] == word[0] and count_typos(word, n) <= count_allowed_typos(len(n))
    )
    return next(near, None)


def count_typos(one: str, other: str) -> int:
    """Count the typos between two words (optimal string alignment).

    >>> count_typos("willaim", "william"), count_typos("jon", "john"), count_typos("mary", "mark")
    (1, 1, 1)
    """
    rows = list(_distance_rows(one, other))
    return rows[-1][-1]


def _distance_rows(one: str, other: str) -> Iterator[list[int]]:
    """Yield the rows of the table of distances between the beginnings of two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    yield row
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        yield row
