"""Find words that are a name with a few typing errors.

An edit changes one letter, adds or removes one, or exchanges two neighbours. There are two ways to look up a
name.

:class:`SimilarNames` is for the names of a patient. Names of six letters may have one edit, names of nine or
more two. Only words that begin or end with the same three letters are compared, so that a text of thousands
of words costs a few comparisons.

:func:`find_close_name` is for the most common first names (Douglass 2005, section 5.1.1). Two words that
differ by at most k edits have something in common: the letters that remain when at most k letters of each are
deleted. So the candidates come from one dictionary of such remains.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import combinations

MIN_LENGTH, MIN_TWO_EDITS = 6, 9
END = 3  # letters at the beginning or end that are equal
SHORTEST = 5  # letters of a name whose misspellings are looked for
LONGEST = 13  # letters of a misspelling: the longest popular name and two more
LONG_NAME = 8  # letters of a name that may have two typos


class SimilarNames:
    """Finds the name that a word may be a misspelling of. ``names`` are folded."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_start: dict[str, list[str]] = defaultdict(list)
        self.by_end: dict[str, list[str]] = defaultdict(list)
        for name in sorted(names):
            if len(name) >= MIN_LENGTH:
                self.by_start[name[:END]].append(name)
                self.by_end[name[-END:]].append(name)

    def find_name(self, word: str) -> str | None:
        """Return the name with the fewest edits to ``word``, or None if each needs too many.

        >>> names = SimilarNames(["wrzeszczynski", "okafor"])
        >>> [names.find_name(word) for word in ("wrzeszcynsky", "okafro", "okapi")]
        ['wrzeszczynski', 'okafor', None]
        """
        start, end = word[:END], word[-END:]
        if start not in self.by_start and end not in self.by_end:
            return None
        near = {*self.by_start.get(start, ()), *self.by_end.get(end, ())}
        found = ((count_edits(word, name), name) for name in near if abs(len(word) - len(name)) <= 2)
        return min(((n, name) for n, name in found if n <= allow_edits(name)), default=(0, None))[1]


def allow_edits(name: str) -> int:
    """The number of edits that a misspelling of ``name`` may have."""
    return 2 if len(name) >= MIN_TWO_EDITS else 1


def count_edits(a: str, b: str) -> int:
    """Count the edits between two words (optimal string alignment).

    >>> count_edits("jenifer", "jennifer"), count_edits("simth", "smith"), count_edits("kim", "tom")
    (1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, above[j - 2] + 1)
            row.append(best)
    return row[-1]


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
        if n[0] == word[0] and count_edits(word, n) <= count_allowed_typos(len(n))
    )
    return next(near, None)
