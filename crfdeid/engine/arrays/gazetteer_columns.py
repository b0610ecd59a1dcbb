"""Whole entries of a gazetteer in a batch.

Most tokens begin no entry of several words. Those that do are looked at with the token
after them, as a pair of numbers among the sorted pairs that entries begin with; only
what is left is matched word by word.
"""

from __future__ import annotations

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.vocabulary import NONE, GrowableArray, TokenVocabulary
from crfdeid.text.gazetteer import Gazetteer


class Phrases:
    """``numbers`` are those of the values: an entry of one token, the first token of a longer
    one, the others."""

    def __init__(self, gazetteer: Gazetteer, texts: TokenVocabulary, numbers: np.ndarray) -> None:
        self.gazetteer, self.texts = gazetteer, texts
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
        """Value numbers [tokens], as :func:`crfdeid.feature_extraction.token.gazetteer_phrase` has them."""
        self._learn()
        found = np.where(self.single.rows[batch.texts], self.one, NONE).astype(np.int32)
        for first, stop in self._entries(batch):
            found[first:stop] = self.inside
            found[first] = self.begin
        return found

    def _learn(self) -> None:
        """Look up the texts that came since."""
        lowered = self.texts.lowered[self.seen :]
        self.word.extend([self.words.get(text, NONE) for text in lowered])
        self.single.extend([text in self.singles for text in lowered])
        self.seen = len(self.texts)

    def _entries(self, batch: Batch) -> list[tuple[int, int]]:
        """Where entries of several tokens stand, longest first from the left. (An entry of one
        token in front never takes a longer one's place.)"""
        found, free = [], 0
        for index in self._candidates(batch):
            if index < free:
                continue
            stop = int(batch.bounds[batch.document[index] + 1])
            here = batch.texts[index : min(index + self.reach, stop)].tolist()
            ahead = [self.texts.lowered[text] for text in here]
            if (length := self._longest(ahead)) > 1:
                free = index + length
                found.append((index, free))
        return found

    def _candidates(self, batch: Batch) -> list[int]:
        words = self.word.rows[batch.texts]
        if not len(self.pairs) or not len(words):
            return []
        index = np.flatnonzero((words[:-1] != NONE) & (words[1:] != NONE))
        pairs = words[index] << 32 | words[index + 1]
        places = np.minimum(np.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        return index[self.pairs[places] == pairs].tolist()

    def _longest(self, ahead: list[str]) -> int:
        entries = self.gazetteer.phrases.get(ahead[0], ())
        return max((len(e) for e in entries if tuple(ahead[: len(e)]) == e), default=0)
