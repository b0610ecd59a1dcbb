"""The words that a recurrent network knows, by number.

    words.txt    one word per line; the first has the number ``RESERVED``

A word that occurs less than ``least`` times in training counts as unknown, so that the vectors of unknown
words are learned. There is one vector for each way of writing a word (IdentiFinder's features,
:data:`crfdeid.systems.works.hmm_counts.FEATURES`), or with ``unknown = "one"`` one for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import FormatError, ModelError
from crfdeid.files import open_whole, read_text
from crfdeid.systems.works.hmm_counts import FEATURES, find_feature

WORDS = "words.txt"
PADDING, LINE_END, UNKNOWN = 0, 1, 2  # UNKNOWN is the first of one number for each way of writing
RESERVED = UNKNOWN + len(FEATURES)
UNKNOWN_WORDS = ("forms", "one")


@dataclass(frozen=True)
class WordNumbers:
    """``known`` are the words in the order of their numbers."""

    known: tuple[str, ...]
    unknown: str = "forms"
    numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {word: n for n, word in enumerate(self.known, RESERVED)})

    def __len__(self) -> int:
        return RESERVED + len(self.known)

    def find_number(self, word: str) -> int:
        """Return the number of a word, known or not.

        >>> words = WordNumbers(("Dr",))
        >>> words.find_number("Dr") == RESERVED, words.find_number("Qu") == words.find_number("Xi")
        (True, True)
        >>> words.find_number("Qu") == words.find_number("1990"), words.find_number("\\r\\n") == LINE_END
        (False, True)
        """
        if word in self.numbers:
            return self.numbers[word]
        if word.isspace():
            return LINE_END
        return UNKNOWN if self.unknown == "one" else UNKNOWN + find_feature(word, False)

    def number_words(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of a sequence of words."""
        return [self.find_number(word) for word in words]

    def add_words(self, words: Iterable[str]) -> WordNumbers:
        """Return these words and others, in sorted order.

        >>> WordNumbers(("Dr", "saw")).add_words(["by", "saw"]).known
        ('Dr', 'by', 'saw')
        """
        return WordNumbers(tuple(sorted({*self.known, *words})), self.unknown)

    def write(self, folder: Path) -> None:
        """Write :data:`WORDS` into ``folder``."""
        with open_whole(folder / WORDS) as file:
            file.writelines(f"{word}\n" for word in self.known)


def learn_words(sequences: Iterable[Sequence[str]], least: int, unknown: str) -> WordNumbers:
    """Number the words that occur ``least`` times or more, in sorted order."""
    counts = Counter(word for words in sequences for word in words)
    known = sorted(word for word, count in counts.items() if count >= least and not word.isspace())
    return WordNumbers(tuple(known), unknown)


def find_frequent(sequences: Iterable[Sequence[str]], least: int, most: int) -> list[str]:
    """Return at most ``most`` words that occur ``least`` times or more, the most frequent first."""
    counts = Counter(word for words in sequences for word in words if not word.isspace())
    frequent = ((word, count) for word, count in counts.items() if count >= least)
    return [word for word, _ in sorted(frequent, key=lambda pair: (-pair[1], pair[0]))[:most]]


def read_words(folder: Path, unknown: str) -> WordNumbers:
    """Read :data:`WORDS`. Raises :class:`ModelError` where the file is missing or damaged."""
    return WordNumbers(tuple(read_lines(folder / WORDS, "word")), unknown)


def read_lines(path: Path, what: str) -> list[str]:
    """Read a file with one ``what`` per line. Raises :class:`ModelError` where it is missing or damaged."""
    try:
        lines = read_text(path).split("\n")
    except FormatError:
        raise ModelError(f"{path}: no list of {what}s") from None
    if lines.pop() or not all(lines):
        raise ModelError(f"{path}: damaged: wanted one {what} per line")
    return lines
