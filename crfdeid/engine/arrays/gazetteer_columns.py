"""Whole entries of a gazetteer in a batch.

Most tokens do not begin an entry of several words. A pair of neighbouring tokens is first looked up,
as a pair of numbers, among the sorted pairs with which entries begin; only where it is found are the
entries matched word by word.
"""

from __future__ import annotations

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.vocabulary import NONE, GrowableArray, TokenVocabulary
from crfdeid.text.gazetteer import Gazetteer


class GazetteerPhrases:
    """The entries of a gazetteer, found in batches. ``numbers`` are the numbers of three values: for an entry
    of one token, for the first token of a longer entry, and for its other tokens."""

    def __init__(self, gazetteer: Gazetteer, vocabulary: TokenVocabulary, numbers: np.ndarray) -> None:
        self.gazetteer, self.vocabulary = gazetteer, vocabulary
        self.one, self.begin, self.inside = numbers.tolist()
        self.words: dict[str, int] = {}
        pairs = {
            self._word(entry[0]) << 32 | self._word(entry[1])
            for entries in gazetteer.phrases.values()
            for entry in entries
            if len(entry) > 1
        }
        self.singles = {word for word, entries in gazetteer.phrases.items() if (word,) in entries}
        self.pairs = np.array(sorted(pairs), np.int64)
        self.word, self.single = GrowableArray(np.int64), GrowableArray(np.bool_)
        self.seen = 0
        self.reach = max((len(e) for entries in gazetteer.phrases.values() for e in entries), default=1)

    def _word(self, text: str) -> int:
        return self.words.setdefault(text, len(self.words))

    def column(self, batch: Batch) -> np.ndarray:
        """The value numbers [tokens], for the values of
        :func:`crfdeid.feature_extraction.token.gazetteer_phrase`."""
        self._add_texts()
        found = np.where(self.single.rows[batch.texts], self.one, NONE).astype(np.int32)
        for first, stop in self._find_entries(batch):
            found[first:stop] = self.inside
            found[first] = self.begin
        return found

    def _add_texts(self) -> None:
        """Look up the texts that are new in the vocabulary."""
        lowered = self.vocabulary.lowered[self.seen :]
        self.word.extend([self.words.get(text, NONE) for text in lowered])
        self.single.extend([text in self.singles for text in lowered])
        self.seen = len(self.vocabulary)

    def _find_entries(self, batch: Batch) -> list[tuple[int, int]]:
        """The index ranges of entries of several tokens: from the left, the longest at each place. (An entry
        of one token before them never prevents a longer one.)"""
        found: list[tuple[int, int]] = []
        free = 0
        for index in self._find_candidates(batch):
            if index < free:
                continue
            stop = int(batch.bounds[batch.document[index] + 1])
            here = batch.texts[index : min(index + self.reach, stop)].tolist()
            ahead = [self.vocabulary.lowered[text] for text in here]
            if (length := self._match_longest(ahead)) > 1:
                free = index + length
                found.append((index, free))
        return found

    def _find_candidates(self, batch: Batch) -> list[int]:
        """The indices of tokens that, with the next token, begin an entry of several tokens."""
        words = self.word.rows[batch.texts]
        if not len(self.pairs) or not len(words):
            return []
        index = np.flatnonzero((words[:-1] != NONE) & (words[1:] != NONE))
        pairs = words[index] << 32 | words[index + 1]
        places = np.minimum(np.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        return index[self.pairs[places] == pairs].tolist()

    def _match_longest(self, ahead: list[str]) -> int:
        """The length of the longest entry at the beginning of ``ahead``, 0 if there is none."""
        entries = self.gazetteer.phrases.get(ahead[0], ())
        return max((len(e) for e in entries if tuple(ahead[: len(e)]) == e), default=0)
