"""A text as it is searched: lowercased, without accents and without characters that nobody sees, so
that what was found once is found again however it is written or encoded."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

UNSEEN = ("Mn", "Me", "Cf")  # combining marks; zero-width and soft characters


class Plain(NamedTuple):
    """``places`` are the offsets of the characters in the text as written, of which there are
    ``length``; None where nothing moved."""

    text: str
    places: Sequence[int] | None
    length: int

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` stands in the text as written, with the marks behind it."""
        if self.places is None:
            return start, end
        after = self.places[end] if end < len(self.places) else self.length
        return self.places[start], max(self.places[end - 1] + 1, after)


def plain(text: str) -> Plain:
    r"""
    >>> plain("Jos\u00e9").text, plain("Jose\u0301").text, plain("Smi\u200bth").written(0, 5)
    ('jose', 'jose', (0, 6))
    """
    if text.isascii():
        return Plain(text.lower(), None, len(text))
    odd = {character: bare(character) for character in set(text) if not character.isascii()}
    if all(len(form) == 1 for form in odd.values()):
        return Plain(text.translate({ord(c): form for c, form in odd.items()}).lower(), None, len(text))
    forms = [odd.get(character) if character in odd else character.lower() for character in text]
    places = [at for at, form in enumerate(forms) for _ in form]
    return Plain("".join(forms), places, len(text))


@lru_cache(maxsize=4096)
def bare(character: str) -> str:
    """What of a character is searched: nothing, of one that is not seen."""
    parts = unicodedata.normalize("NFKD", character).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in UNSEEN)
