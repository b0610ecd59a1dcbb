"""Several texts as one: a search goes through all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

SEPARATOR = "\0"  # of two texts: what a search finds does not reach over it
FOLDED = {"\u0130": "i", "\u0131": "i", "\u017f": "s"}  # (?i) takes them for ASCII letters
ZEROS = bytes.maketrans(b"123456789", b"000000000")
MAYBE_ZEROS = bytes.maketrans(b"123456789?", b"0000000000")


class JoinedTexts:
    """``signs`` are the texts as they are, ``folded`` after :func:`fold_case`. ``digits`` are bytes, with "0"
    for every digit, and for every sign outside ASCII, which can be one. A character of a text has the same
    place in all three."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.ends = list(accumulate(len(text) + 1 for text in texts))
        self.signs = SEPARATOR.join(texts)

    @cached_property
    def folded(self) -> str:
        return SEPARATOR.join(map(fold_case, self.texts))

    @cached_property
    def digits(self) -> bytes:
        return SEPARATOR.encode().join(map(show_digits, self.texts))

    def locate(self, places: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the number of the text and the offset in it, for places in order."""
        number = begin = 0
        for place in places:
            while place >= self.ends[number]:
                begin, number = self.ends[number], number + 1
            yield number, place - begin


def show_digits(text: str) -> bytes:
    zeros = ZEROS if text.isascii() else MAYBE_ZEROS
    return text.encode("ascii", "replace").translate(zeros)


def fold_case(text: str) -> str:
    """Return the text in small letters, one for each character: letters that ``(?i)`` takes for each other
    are the same."""
    for sign, letter in () if text.isascii() else FOLDED.items():
        text = text.replace(sign, letter)
    return text.lower()
