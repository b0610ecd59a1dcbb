"""Find words that are a long name with a few typing errors.

An edit changes one letter, adds or removes one, or exchanges two neighbours. Names of six letters may have
one edit, names of nine or more two. Only words that begin or end with the same three letters are compared, so
that a text of thousands of words costs a few comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

MIN_LENGTH, MIN_TWO_EDITS = 6, 9
END = 3  # letters at the beginning or end that are equal


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
