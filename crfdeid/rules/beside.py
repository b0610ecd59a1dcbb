"""What is beside the numbers of a note, so that a rule of numbers is asked only where it can match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key")

LONG_S = "\u017f"  # a pattern that ignores case takes it for an s
LONGEST = 11  # digits: a longer number counts as one of so many


@dataclass(frozen=True)
class Beside:
    """What numbers a rule needs: one of the signs ``next`` directly behind the digits, as :func:`sign_after`
    gives it, one of ``before`` directly before them ("" is the start of the text), or a number of digits in
    ``lengths``, where :data:`LONGEST` is also more. The first of the three that is not empty counts; none:
    all numbers. A note has one of the lowercased ``words``, where there are any."""

    next: Collection[str] = ()
    before: Collection[str] = ()
    lengths: Collection[int] = ()
    words: frozenset[str] = frozenset()


ALL = Beside()


def sign_after(text: str, end: int) -> str:
    """Return the sign at ``end``; a blank with the sign after it, where "0" is any digit.

    >>> [sign_after("3rd 45 mg", end) for end in (1, 3, 6, 9)]
    ['r', ' 0', ' m', '']
    """
    sign = text[end : end + 1]
    if sign != " ":
        return sign
    following = text[end + 1 : end + 2]
    return " 0" if following.isdecimal() else sign + following


def after_blank(signs: str) -> tuple[str, ...]:
    """Return the signs as :func:`sign_after` gives them after a blank."""
    return tuple(f" {sign}" for sign in signs)


def group_by(keys: Iterable[Key], values: Iterable[int]) -> Mapping[Key, list[int]]:
    """Return the values of each key, in order."""
    groups: defaultdict[Key, list[int]] = defaultdict(list)
    for key, value in zip(keys, values):
        groups[key].append(value)
    return dict(groups)


def chain_lists(groups: Mapping[Key, list[int]], keys: Iterable[Key]) -> Iterator[int]:
    """Yield the values of those keys that the groups have."""
    for key in keys:
        yield from groups.get(key, ())
