"""A text prepared for search: normalized, and split into the runs of its letters and digits."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

import numpy as np

from crfdeid.lexicon.letters import NormalizedText, normalize
from crfdeid.redact.surrogates.search.search_strings import RUN

Range = tuple[int, int]
ASCII = 128


class TextIndex:
    """``low`` is the normalized text. What else a search asks for is computed when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.normalized: NormalizedText = normalize(text)
        self.low = self.normalized.text

    def find_words(self, wanted: AbstractSet[str]) -> list[int]:
        """Return the numbers of the ``wanted`` words, in order."""
        here = self.vocabulary & wanted
        return [number for number, word in enumerate(self.words) if word in here] if here else []

    @cached_property
    def words(self) -> list[str]:
        """The runs of letters and digits in ``low``, in order."""
        return RUN.findall(self.low)

    @cached_property
    def vocabulary(self) -> set[str]:
        return set(self.words)

    @cached_property
    def runs(self) -> list[Range]:
        """The range of each word in ``low``."""
        edges = np.flatnonzero(np.diff(self._is_in_word, prepend=False, append=False)).tolist()
        return list(zip(edges[::2], edges[1::2]))

    @cached_property
    def places(self) -> np.ndarray:
        """The offset in ``low`` of each letter and digit."""
        return np.flatnonzero(self._is_in_word)

    @cached_property
    def squeezed(self) -> str:
        """The words without what is between them."""
        return self._codes[self._is_in_word].tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each word in ``squeezed``, and its length."""
        return [0, *accumulate(map(len, self.words))]

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.frombuffer(self.low.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def _is_in_word(self) -> np.ndarray:
        """Whether each character of ``low`` is a letter or digit."""
        codes = self._codes
        is_in_word = IS_ALNUM[np.minimum(codes, ASCII)]
        if not self.low.isascii():
            others = np.flatnonzero(codes >= ASCII)
            is_in_word[others] = [self.low[at].isalnum() for at in others.tolist()]
        return is_in_word


IS_ALNUM = np.array([*(chr(code).isalnum() for code in range(ASCII)), False])
