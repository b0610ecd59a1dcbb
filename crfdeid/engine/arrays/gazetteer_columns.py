"""Whole entries of gazetteers in a batch.

Each text has three bits: whether it is an entry by itself, whether it begins a longer entry, and whether it
is the second word of one, in any gazetteer. So one comparison of neighbouring tokens finds where an entry of
several words can begin. There the pair is looked up among the sorted pairs with which entries begin. A text
that is an entry, and such a pair, has a word of bits, one for each gazetteer that has it; only in these are
entries matched word by word.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import NONE, GrowableArray, TokenVocabulary
from crfdeid.text.gazetteer import Gazetteer

ALONE, BEGINS, FOLLOWS = 1, 2, 4  # kinds of texts
AT_ONCE = 63  # gazetteers that have a bit in one word


class GazetteerPhrases:
    """The entries of at most :data:`AT_ONCE` gazetteers, found in batches."""

    def __init__(self, gazetteers: Mapping[str, Gazetteer], vocabulary: TokenVocabulary) -> None:
        self.gazetteers = gazetteers
        self.place = {name: place for place, name in enumerate(gazetteers)}
        self.words: dict[str, int] = {}
        self.alone: dict[str, int] = {}
        self.longer: dict[str, int] = {}
        pairs: dict[int, int] = {}
        for name in gazetteers:
            self._add_gazetteer(name, pairs)
        self.pairs = np.array(sorted(pairs), np.int64)
        self.pair_bits = np.array([pairs[pair] for pair in self.pairs.tolist()], np.int64)
        self.forget(vocabulary)

    def forget(self, vocabulary: TokenVocabulary) -> None:
        """Begin with another vocabulary, which is empty."""
        self.vocabulary = vocabulary
        self.word = GrowableArray(np.int64)
        self.bits = GrowableArray(np.int64)
        self.kinds = GrowableArray(np.int8)
        self.seen = 0
        self.marked: tuple[Batch, list[Ints]] | None = None

    def _add_gazetteer(self, name: str, pairs: dict[int, int]) -> None:
        """Set the bits of a gazetteer's words and pairs of words."""
        bit, gazetteer = 1 << self.place[name], self.gazetteers[name]
        before = {text: self.alone[text] | bit for text in self.alone.keys() & gazetteer.single}
        self.alone |= dict.fromkeys(gazetteer.single, bit) | before
        for first, second, *_ in gazetteer.longer:
            self.longer[first] = self.longer.get(first, 0) | BEGINS
            self.longer[second] = self.longer.get(second, 0) | FOLLOWS
            pair = self._word(first) << 32 | self._word(second)
            pairs[pair] = pairs.get(pair, 0) | bit

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
        """The tokens that are entries in any gazetteer, and their bits; the tokens that, with the next one,
        begin a longer entry, and their bits."""
        if self.marked is None or self.marked[0] is not batch:
            self._add_texts()
            kinds = self.kinds.rows[batch.texts]
            alone = np.flatnonzero(kinds & ALONE)
            pairs = np.flatnonzero(kinds[:-1] & BEGINS & kinds[1:] >> 1)
            of_pairs = self._look_up_pairs(batch, pairs)
            found = of_pairs != 0
            self.marked = batch, [alone, self.bits.rows[batch.texts[alone]], pairs[found], of_pairs[found]]
        return self.marked[1]

    def _look_up_pairs(self, batch: Batch, places: Ints) -> Ints:
        """The bits of the gazetteers with entries that begin with each of ``places`` and the next token."""
        if not len(places):
            return places
        words = self.word.rows
        wanted = words[batch.texts[places]] << 32 | words[batch.texts[places + 1]]
        near = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
        return np.where(self.pairs[near] == wanted, self.pair_bits[near], 0)

    def _add_texts(self) -> None:
        """Look up the texts that are new in the vocabulary."""
        lowered = self.vocabulary.lowered[self.seen :]
        self.word.extend([self.words.get(text, NONE) for text in lowered])
        bits = [self.alone.get(text, 0) for text in lowered]
        self.bits.extend(bits)
        longer = self.longer
        self.kinds.extend([longer.get(t, 0) | (ALONE if own else 0) for t, own in zip(lowered, bits)])
        self.seen = len(self.vocabulary)

    def _find_entries(self, name: str, batch: Batch, places: Ints) -> list[tuple[int, int]]:
        """The index ranges of entries of several tokens, which can begin at ``places``: from the left, the
        longest at each place. (An entry of one token before them never prevents a longer one.)"""
        found: list[tuple[int, int]] = []
        free = 0
        for index in places.tolist():
            if index < free:
                continue
            stop = int(batch.bounds[np.searchsorted(batch.bounds, index, side="right")])
            if length := self._match_longest(name, batch.texts[index:stop]):
                free = index + length
                found.append((index, free))
        return found

    def _match_longest(self, name: str, texts: Ints) -> int:
        """The length of the longest entry of several tokens at the beginning of ``texts``, 0 if there is
        none. An entry begins with the first of them."""
        lowered, gazetteer = self.vocabulary.lowered, self.gazetteers[name]
        longest, *_ = gazetteer.longer_by_first[lowered[texts[0]]]
        return gazetteer.match_longest([lowered[text] for text in texts[: len(longest)].tolist()], 0)
