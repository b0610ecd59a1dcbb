"""A text prepared for search: normalized, and split into the runs of its letters and digits."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

from crfdeid.redact.surrogates.search.search_strings import RUN
from crfdeid.redact.surrogates.text_forms import NormalizedText, normalize

Range = tuple[int, int]


class TextIndex:
    """``low`` is the normalized text, and ``words`` its runs of letters and digits, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.normalized: NormalizedText = normalize(text)
        self.low = self.normalized.text
        self.words: list[str] = RUN.findall(self.low)
        self.vocabulary = set(self.words)

    def find_words(self, wanted: AbstractSet[str]) -> list[int]:
        """Return the numbers of the ``wanted`` words, in order."""
        here = self.vocabulary & wanted
        return [number for number, word in enumerate(self.words) if word in here] if here else []

    @cached_property
    def runs(self) -> list[Range]:
        """The range of each word in ``low``."""
        return [match.span() for match in RUN.finditer(self.low)]

    @cached_property
    def squeezed(self) -> str:
        """The words without what is between them."""
        return "".join(self.words)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each word in ``squeezed``, and its length."""
        return [0, *accumulate(map(len, self.words))]
