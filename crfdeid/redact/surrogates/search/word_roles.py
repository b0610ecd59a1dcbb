"""What the words of a text can be for a search: each different word is looked at once.

A word can begin a phrase, hold a name beside digits or inside a longer word, or begin a number. The time of a
search is in proportion to the text, however many strings there are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from crfdeid.redact.surrogates.search.text_index import TextIndex

PREFIX = 4  # letters by which a name inside a word is looked up
FEW = 100  # names that are looked for one by one
LETTERS = re.compile(r"[^\W\d_]{2,}")
PARTS = re.compile(r"\d+|\D+")  # of a word


class WordRoles:
    """The roles of the words of a patient's notes. ``firsts`` are the first words of phrases, ``names`` those
    that are found beside digits, ``numbers`` what is found however it is grouped, and ``inner`` the names
    that are found inside words; they are numbered in their order.

    ``beside_digits`` has by word the offsets of names, ``inside`` the numbers of names and their offsets, and
    ``numbers`` the offsets where a number may begin, with its sizes."""

    def __init__(
        self,
        firsts: Collection[str],
        names: Collection[str],
        numbers: Collection[str],
        inner: Sequence[str],
    ) -> None:
        self.beside_digits: dict[str, list[tuple[int, str]]] = {}
        self.inside: dict[str, list[tuple[int, int]]] = {}
        self.numbers: dict[str, list[tuple[int, set[int]]]] = {}
        self._names, self._inner = names, inner
        self._seen: set[str] = set()
        self._sizes: dict[str, set[int]] = defaultdict(set)  # of the numbers that begin with a text
        for number in numbers:
            for length in range(1, len(number) + 1):
                self._sizes[number[:length]].add(len(number))
        self._roles = {*firsts, *self._sizes}
        self.numbers = {word: [(0, sizes)] for word, sizes in self._sizes.items()}
        self._by_prefix: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(inner):
            self._by_prefix[name[:PREFIX]].append(index)

    def find_hits(self, index: TextIndex) -> list[int]:
        """Return the numbers of the words of a text that play a role, in order."""
        self._look_at(index.vocabulary - self._seen)
        return index.find_words(self._roles)

    def find_inside(self, index: TextIndex) -> list[int]:
        """Return the numbers of the words of a text that have a name inside."""
        self._look_at(index.vocabulary - self._seen)
        return index.find_words(self.inside.keys())

    def _look_at(self, words: set[str]) -> None:
        """Keep the roles of new words."""
        self._seen |= words
        for word in self._list_with_names(words):
            if places := list(self._find_inside(word)):
                self.inside[word] = places
        for word in words:
            if not word.isalpha():
                self._look_at_digits(word)

    def _look_at_digits(self, word: str) -> None:
        """Keep the roles of a word that has digits."""
        if word.isdecimal():
            return
        if numbers := list(self._find_numbers(word)):
            self.numbers[word] = numbers
            self._roles.add(word)
        places = [(match.start(), match[0]) for match in LETTERS.finditer(word) if match[0] in self._names]
        if places:
            self.beside_digits[word] = places
            self._roles.add(word)

    def _list_with_names(self, words: Iterable[str]) -> Iterable[str]:
        """Return the words that have a name inside or, where there are many names, all words."""
        if len(self._inner) > FEW:
            return words
        joined, found = "\n".join(["", *words, ""]), set()
        for name in self._inner:
            at = joined.find(name)
            while at >= 0:
                end = joined.index("\n", at)
                found.add(joined[joined.rindex("\n", 0, at) + 1 : end])
                at = joined.find(name, end)
        return found

    def _find_inside(self, word: str) -> Iterator[tuple[int, int]]:
        """Yield the names in a longer word; the places of one name do not overlap."""
        ends: dict[int, int] = {}
        for at in range(len(word) - PREFIX + 1):
            for index in self._by_prefix.get(word[at : at + PREFIX], ()):
                name = self._inner[index]
                if at >= ends.get(index, 0) and len(name) < len(word) and word.startswith(name, at):
                    ends[index] = at + len(name)
                    yield index, at

    def _find_numbers(self, word: str) -> Iterator[tuple[int, set[int]]]:
        """Yield the offsets where a number may begin: a number has whole parts of digits or letters."""
        for match in PARTS.finditer(word):
            if sizes := self._sizes.get(match[0]):
                yield match.start(), sizes
