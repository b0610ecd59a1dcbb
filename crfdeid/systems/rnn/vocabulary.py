"""The words that a recurrent network knows, by number.

    words.txt    one a line; the first is number ``len(RESERVED)``

A word of training that is rarer than ``least`` is taken for an unknown one, so that the vectors of
unknown words are learned. There is one for each way of writing a word (``bigram_counts.FEATURES``,
IdentiFinder's), or with ``unknown = "one"`` one for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import FormatError, ModelError
from crfdeid.files import open_whole, read_text
from crfdeid.systems.hmm import counts as bigram_counts

WORDS = "words.txt"
PADDING, LINE_END, UNKNOWN = 0, 1, 2  # UNKNOWN is the first of as many as there are ways of writing
RESERVED = UNKNOWN + len(bigram_counts.FEATURES)
UNKNOWN_WORDS = ("forms", "one")


@dataclass(frozen=True)
class Words:
    """``known`` in the order of their numbers."""

    known: tuple[str, ...]
    unknown: str = "forms"
    numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {word: n for n, word in enumerate(self.known, RESERVED)})

    def __len__(self) -> int:
        return RESERVED + len(self.known)

    def number(self, word: str) -> int:
        """
        >>> words = Words(("Dr",))
        >>> words.number("Dr") == RESERVED, words.number("Qu") == words.number("Xi")
        (True, True)
        >>> words.number("Qu") == words.number("1990"), words.number("\\r\\n") == LINE_END
        (False, True)
        """
        if word in self.numbers:
            return self.numbers[word]
        if word.isspace():
            return LINE_END
        return UNKNOWN if self.unknown == "one" else UNKNOWN + bigram_counts.feature(word, False)

    def row(self, words: Iterable[str]) -> list[int]:
        return [self.number(word) for word in words]

    def write(self, folder: Path) -> None:
        with open_whole(folder / WORDS) as file:
            file.writelines(f"{word}\n" for word in self.known)


def learned(sequences: Iterable[Sequence[str]], least: int, unknown: str) -> Words:
    """The words that occur ``least`` times or more, sorted."""
    counts = Counter(word for words in sequences for word in words)
    known = sorted(word for word, count in counts.items() if count >= least and not word.isspace())
    return Words(tuple(known), unknown)


def read(folder: Path, unknown: str) -> Words:
    """Raises :class:`ModelError` where the file is missing or no list of words."""
    try:
        lines = read_text(folder / WORDS).split("\n")
    except FormatError:
        raise ModelError(f"{folder / WORDS}: no list of words") from None
    if lines.pop() or not all(lines):
        raise ModelError(f"{folder / WORDS}: damaged: wanted one word a line")
    return Words(tuple(lines), unknown)
