"""Words as the rules write and compare them."""

from __future__ import annotations

from collections.abc import Iterable

SUFFIXES = ("s", "es", "ed", "d", "ing", "ly", "er", "al")


def words(text: str) -> frozenset[str]:
    """The words of a text between its white space: how the rules' own short lists are written."""
    return frozenset(text.split())


def stems(word: str) -> Iterable[str]:
    """What a word may be inflected from.

    >>> sorted(stems("stopped")), sorted(stems("carries"))
    (['stop', 'stopp', 'stoppe'], ['carri', 'carrie', 'carry'])
    """
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) > 2:
            stem = word[: -len(suffix)]
            yield stem
            if suffix in ("ed", "ing", "er"):
                yield from (stem[:-1],) if stem[-1] == stem[-2] else (stem + "e",) if suffix == "ing" else ()
            if suffix == "es" and stem[-1] == "i":
                yield stem[:-1] + "y"
