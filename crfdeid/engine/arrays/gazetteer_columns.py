"""Whole entries of gazetteers in a batch.

Each text has three words of bits, with a bit for each gazetteer: whether it is an entry by itself, whether
it begins a longer entry, and whether it is the second word of one. So one comparison of neighbouring tokens
finds where an entry of several words can begin in any gazetteer. There (at two tokens in a hundred) the pair
is looked up among the sorted pairs with which a gazetteer's entries begin; only where it is found are the
entries matched word by word.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE, GrowableArray, TokenVocabulary
from crfdeid.text.gazetteer import Gazetteer

AT_ONCE = 63  # gazetteers that have a bit in one word


class GazetteerPhrases:
    """The entries of at most :data:`AT_ONCE` gazetteers, found in batches."""

    def __init__(self, gazetteers: Mapping[str, Gazetteer], vocabulary: TokenVocabulary) -> None:
        self.gazetteers, self.vocabulary = gazetteers, vocabulary
        self.place = {name: place for place, name in enumerate(gazetteers)}
        self.words: dict[str, int] = {}
        self.alone: dict[str, int] = {}
        self.begins: dict[str, int] = {}
        self.follows: dict[str, int] = {}
        self.pairs = {name: self._add_gazetteer(name) for name in gazetteers}
        self.word = GrowableArray(np.int64)
        self.bits = [GrowableArray(np.int64) for _ in range(3)]
        self.seen = 0
        self.marked: tuple[Batch, list[Ints]] | None = None

    def _add_gazetteer(self, name: str) -> Ints:
        """Set the bits of a gazetteer's words; return its pairs, sorted."""
        bit = 1 << self.place[name]
        pairs: set[int] = set()
        for entry in self.gazetteers[name].entries:
            if len(entry) == 1:
                self.alone[entry[0]] = self.alone.get(entry[0], 0) | bit
            else:
                self.begins[entry[0]] = self.begins.get(entry[0], 0) | bit
                self.follows[entry[1]] = self.follows.get(entry[1], 0) | bit
                pairs.add(self._word(entry[0]) << 32 | self._word(entry[1]))
        return np.array(sorted(pairs), np.int64)

    def _word(self, text: str) -> int:
        return self.words.setdefault(text, len(self.words))

    def column(self, name: str, batch: Batch, numbers: Ints) -> Ints:
        """The value numbers [tokens] of a gazetteer, for the values of
        :func:`crfdeid.feature_extraction.token.gazetteer_phrase`; ``numbers`` are those of an entry of one
        token, of the first token of a longer entry, and of its other tokens."""
        one, begin, inside = numbers.tolist()
        alone, of_alone, places, of_places = self._mark(batch)
        bit = np.int64(1 << self.place[name])
        found = np.full(len(batch), NONE, np.int32)
        found[alone[(of_alone & bit) != 0]] = one
        for first, stop in self._find_entries(name, batch, places[(of_places & bit) != 0]):
            found[first:stop] = inside
            found[first] = begin
        return found

    def _mark(self, batch: Batch) -> list[Ints]:
        """The tokens that are entries in any gazetteer, and their bits; the tokens where a longer entry can
        begin, and their bits."""
        if self.marked is None or self.marked[0] is not batch:
            self._add_texts()
            alone, begins, follows = (array.rows[batch.texts] for array in self.bits)
            pairs = begins[:-1] & follows[1:]
            self.marked = batch, [*_find_set(alone), *_find_set(pairs)]
        return self.marked[1]

    def _add_texts(self) -> None:
        """Look up the texts that are new in the vocabulary."""
        lowered = self.vocabulary.lowered[self.seen :]
        self.word.extend([self.words.get(text, NONE) for text in lowered])
        for array, known in zip(self.bits, (self.alone, self.begins, self.follows)):
            array.extend([known.get(text, 0) for text in lowered])
        self.seen = len(self.vocabulary)

    def _find_entries(self, name: str, batch: Batch, places: Ints) -> list[tuple[int, int]]:
        """The index ranges of entries of several tokens, which can begin at ``places``: from the left, the
        longest at each place. (An entry of one token before them never prevents a longer one.)"""
        found: list[tuple[int, int]] = []
        free = 0
        for index in self._keep_pairs(name, batch, places):
            if index < free:
                continue
            stop = int(batch.bounds[batch.document[index] + 1])
            if (length := self._match_longest(name, batch.texts[index:stop])) > 1:
                free = index + length
                found.append((index, free))
        return found

    def _keep_pairs(self, name: str, batch: Batch, places: Ints) -> list[int]:
        """Those of ``places`` that, with the next token, begin an entry of several tokens."""
        pairs = self.pairs[name]
        if not len(pairs):
            return []
        words = self.word.rows
        wanted = words[batch.texts[places]] << 32 | words[batch.texts[places + 1]]
        near = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
        return places[pairs[near] == wanted].tolist()

    def _match_longest(self, name: str, texts: Ints) -> int:
        """The length of the longest entry at the beginning of ``texts``, 0 if there is none."""
        lowered = self.vocabulary.lowered
        entries = self.gazetteers[name].phrases.get(lowered[texts[0]], ())
        reach = max(map(len, entries), default=0)
        ahead = tuple([lowered[text] for text in texts[:reach].tolist()])
        return max((len(entry) for entry in entries if ahead[: len(entry)] == entry), default=0)


def _find_set(bits: Ints) -> tuple[Ints, Ints]:
    """The places where any bit is set, and the bits there."""
    places = np.flatnonzero(bits)
    return places, bits[places]
