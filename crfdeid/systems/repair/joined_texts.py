"""Several texts as one: a search goes through all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from crfdeid.systems.repair.anchors import SEARCH, Anchor

SEPARATOR = "\0"  # of two texts
CURLY = "’"
Place = tuple[int, int]  # the number of a text, and the offset in it


class JoinedTexts:
    """``signs`` are the texts in ASCII, each character in its place, with "?" for one that is not ASCII."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.signs = SEPARATOR.join(texts).encode("ascii", "replace")

    @cached_property
    def curly(self) -> list[bool]:
        """Whether each text has a curly apostrophe."""
        return [CURLY in text for text in self.texts]

    @cached_property
    def anchors(self) -> dict[Anchor, list[Place]]:
        """The places of the first characters of each anchor, in order."""
        places, found = SEARCH.find(self.signs)
        begins = np.cumsum([0, *(len(text) + 1 for text in self.texts)])
        numbers = np.searchsorted(begins, places, side="right") - 1
        located = list(zip(numbers.tolist(), (places - begins[numbers]).tolist()))
        return {
            anchor: [located[index] for index in np.flatnonzero(found & (1 << number)).tolist()]
            for number, anchor in enumerate(SEARCH.anchors)
        }

    def find(self, *anchors: Anchor) -> list[Place]:
        """Return the places of some anchors, in order."""
        return sorted(chain.from_iterable(map(self.anchors.__getitem__, anchors)))
