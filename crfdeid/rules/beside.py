"""What is beside the numbers of a note, so that a rule of numbers is asked only where it can match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from crfdeid.text.word_cache import remember_words

Key = TypeVar("Key")

LONG_S = "\u017f"  # a pattern that ignores case takes it for an s
SIGNS = 5_000  # pairs of signs whose answer is kept
LONGEST = 11  # digits: a longer number counts as one of so many


@dataclass(frozen=True)
class Beside:
    """What numbers a rule needs: one of the signs ``next`` directly behind the digits (:func:`sign_after`),
    one of ``before`` directly before them (:func:`sign_before`; "" is the start of the text), or a number of
    digits in ``lengths``, where :data:`LONGEST` is also more. The first of the three that is not empty
    counts; none: all numbers. A note has one of the lowercased ``words``, where there are any.

    >>> sorted(Beside(next="-/").next)
    ['-', '/']
    >>> Beside(lengths=[3, 7]) == Beside(lengths=(7, 3))
    True
    """

    next: Collection[str] = ()
    before: Collection[str] = ()
    lengths: Collection[int] = ()
    words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in ("next", "before", "lengths"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))


ALL = Beside()


@remember_words(SIGNS)
def sign_after(two: str) -> str:
    """Return the first of the ``two`` signs after a number; a blank with the sign after it, where "0" is any
    digit. At the end of the text there are fewer.

    >>> [sign_after(two) for two in ("rd", " 4", " m", "")]
    ['r', ' 0', ' m', '']
    """
    sign = two[:1]
    if sign != " ":
        return sign
    return " 0" if two[1:].isdecimal() else two


@remember_words(SIGNS)
def sign_before(two: str) -> str:
    """Return the last of the ``two`` signs before a number; a blank with a blank or a tab before it.

    >>> [sign_before(two) for two in ("x(", "a ", "  ", "\\t ", "")]
    ['(', ' ', '  ', '\\t ', '']
    """
    return two if two in ("  ", "\t ") else two[-1:]


def after_blank(signs: str) -> tuple[str, ...]:
    """Return the signs as :func:`sign_after` gives them after a blank."""
    return tuple(f" {sign}" for sign in signs)


def group_by(keys: Iterable[Key], values: Iterable[int]) -> Mapping[Key, list[int]]:
    """Return the values of each key, in order."""
    groups: dict[Key, list[int]] = {}
    for key, value in zip(keys, values):
        if key in groups:
            groups[key].append(value)
        else:
            groups[key] = [value]
    return groups


def chain_lists(groups: Mapping[Key, list[int]], keys: Collection[Key]) -> list[int]:
    """Return the values of those keys that the groups have. Groups are few.

    >>> chain_lists({"-": [4, 9], "/": [6], "": [12]}, ["/", ".", "-"])
    [4, 9, 6]
    """
    return [value for key, values in groups.items() if key in keys for value in values]
