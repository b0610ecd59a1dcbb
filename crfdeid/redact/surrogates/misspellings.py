"""Which names of a patient are misspellings of others, and misspelling a surrogate alike.

Douglass 2005 (section 2.4.1) gave "Jenifer" another name than "Jennifer", and had people mend it
by hand (section 4.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

SHORTEST = 4
VOWELS = "aeiou"


class Misspellings:
    """Of folded ``names`` with their counts. The names are ranked (many bear it, listed, often
    met, alphabet); a name that few bear and that is one edit from a better one is a misspelling."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self.roots: dict[str, str] = {}
        right: dict[tuple[str, int], list[str]] = defaultdict(list)  # by first letter and length
        for name in sorted(names, key=lambda name: rank(name, names[name])):
            alike = (root for more in (-1, 0, 1) for root in right.get((name[:1], len(name) + more), ()))
            near = next((root for root in alike if one_edit(name, root)), None)
            if near is None or name_pools.common(name):
                right[name[:1], len(name)].append(name)
            else:
                self.roots[name] = near

    def root(self, name: str) -> str | None:
        return self.roots.get(name)


def rank(name: str, count: int) -> tuple[bool, bool, int, str]:
    listed = name in name_pools.folds("surnames") or name in name_pools.folds("first_names")
    return not name_pools.common(name), not listed, -count, name


def one_edit(a: str, b: str) -> bool:
    """Whether one letter more, less or other, or two that changed places, lie between them.

    >>> one_edit("jenifer", "jennifer"), one_edit("simth", "smith"), one_edit("kim", "tim")
    (True, True, False)
    """
    if min(len(a), len(b)) < SHORTEST or abs(len(a) - len(b)) > 1 or a == b or a[0] != b[0]:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        longer, shorter = (a, b) if len(a) > len(b) else (b, a)
        return longer[start + 1 :] == shorter[start:]
    swapped = a[:start] + a[start + 1 : start + 2] + a[start : start + 1] + a[start + 2 :]
    return a[start + 1 :] == b[start + 1 :] or swapped == b


def misspelt(right: str, name: str, root: str, draws: KeyedChoices, number: int) -> str:
    """``right`` with an edit like the one that makes ``name`` of ``root``."""
    at = 1 + draws.number(len(right) - 1, "misspelt", name, number)
    if len(name) > len(root):
        return right[:at] + right[at] + right[at:]
    if len(name) < len(root):
        return right[:at] + right[at + 1 :]
    unlike = [i for i in range(1, len(right) - 1) if right[i] != right[i + 1]]
    if sorted(name) == sorted(root) and unlike:
        at = draws.choice(unlike, "swapped", name, number)
        return right[:at] + right[at + 1] + right[at] + right[at + 2 :]
    letters = VOWELS if right[at] in VOWELS else "bcdfghklmnprstvw"
    other = draws.choice([letter for letter in letters if letter != right[at]], "letter", name, number)
    return right[:at] + other + right[at + 1 :]
