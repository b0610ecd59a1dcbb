"""Documents as arrays: the numbers of their tokens' texts, the tokens' offsets, and the sequences that are
labelled together; and in them the *stretches*, runs of tokens without white space between them, because some
values depend only on a stretch's text, and the whole entries of gazetteers.

To find entries, each text has three bits: whether it is an entry by itself, whether it begins a longer entry,
and whether it is the second word of one, in any gazetteer. So one comparison of neighbouring tokens finds
where an entry of several words can begin. There the pair is looked up among the sorted pairs with which
entries begin. A text that is an entry, and such a pair, has a word of bits, one for each gazetteer that has
it; only in these are entries matched word by word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Protocol

import numpy as np

from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import LINE_END, NONE, GrowableArray, TokenVocabulary
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import split_sentences


@dataclass(frozen=True)
class Batch:
    """``texts`` [tokens] are text numbers, and ``flags`` [tokens] are the flags of the texts; ``starts`` and
    ``ends`` [tokens] are offsets in the token's document; ``bounds`` [documents + 1] delimit the
    documents' tokens; sequence i has the tokens from ``first[i]`` to before ``stop[i]``.
    ``extra_columns`` are the values of observations that the caller made, one entry per document, or
    none."""

    documents: Sequence[Document]
    texts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    bounds: np.ndarray
    flags: np.ndarray
    first: np.ndarray
    stop: np.ndarray
    extra_columns: Sequence[Columns] = ()

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def document(self) -> np.ndarray:
        """The index of each token's document, [tokens]."""
        return np.repeat(np.arange(len(self.documents)), np.diff(self.bounds))

    @cached_property
    def sequence(self) -> np.ndarray:
        """The index of each token's sequence, [tokens], -1 outside the sequences."""
        edges = np.column_stack([self.first, self.stop]).ravel()
        numbers = np.full(len(edges) + 1, NONE, np.int32)
        numbers[1::2] = np.arange(len(self.first))
        return np.repeat(numbers, np.diff(edges, prepend=0, append=len(self)))

    @cached_property
    def line_first(self) -> np.ndarray:
        """The first token of each line; its line end is its last token."""
        begins = np.zeros(len(self) + 1, bool)
        begins[self.bounds[:-1]] = True
        begins[1:] |= (self.flags & LINE_END) != 0
        return np.flatnonzero(begins[:-1])

    @cached_property
    def line_stop(self) -> np.ndarray:
        return np.append(self.line_first, len(self))[1:]

    @cached_property
    def line(self) -> np.ndarray:
        """The index of each token's line, [tokens]."""
        return np.repeat(np.arange(len(self.line_first)), self.line_stop - self.line_first)

    def slice(self, first: int, stop: int) -> str:
        """The text from token ``first`` to before token ``stop``, in one document."""
        text = self.documents[self.document[first]].text
        return text[self.starts[first] : self.ends[stop - 1]]

    def tokens(self, number: int) -> list[Token]:
        """The tokens of one document."""
        inside = slice(self.bounds[number], self.bounds[number + 1])
        text = self.documents[number].text
        return [Token(text[a:b], a) for a, b in zip(self.starts[inside].tolist(), self.ends[inside].tolist())]

    def tokenized(self, number: int) -> TokenizedDocument:
        """One document with its tokens."""
        return TokenizedDocument(self.documents[number].text, self.tokens(number))


# A tokenizer of several texts on arrays: the numbers of the tokens' texts, their starts, their ends, and the
# bounds [texts + 1] of the texts' tokens. Numbers are as large as places in memory: look-ups by smaller ones
# take ten times as long.
Scan = Callable[[Sequence[str], TokenVocabulary], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]


class Reader:
    """Makes batches with a pipeline's tokenizer and sequences, and a vocabulary that grows. ``scan`` is a
    compiled tokenizer, if the pipeline's tokenizer has a compiled version."""

    def __init__(self, pipeline: Pipeline, vocabulary: TokenVocabulary, scan: Scan | None = None) -> None:
        self.pipeline, self.vocabulary, self.scan = pipeline, vocabulary, scan or self._scan

    def batch(self, documents: Sequence[Document], extra_columns: Sequence[Columns] = ()) -> Batch:
        """Tokenize documents into arrays; ``extra_columns`` as in :class:`Batch`."""
        texts = [document.text for document in documents]
        numbers, starts, ends, bounds = self.scan(texts, self.vocabulary)
        flags = self.vocabulary.flags.rows[numbers]
        first, stop = self._find_sequences(documents, starts, bounds, flags)
        return Batch(documents, numbers, starts, ends, bounds, flags, first, stop, extra_columns)

    def _scan(
        self, texts: Sequence[str], vocabulary: TokenVocabulary
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A :data:`Scan` with the pipeline's tokenizer."""
        parts = [self.pipeline.tokenize(text) for text in texts]
        tokens = [token for part in parts for token in part]
        numbers = np.array(vocabulary.number_texts([token.text for token in tokens]), np.int64)
        starts = np.array([token.start for token in tokens], np.int64)
        sizes = np.array([len(token.text) for token in tokens], np.int64)
        return numbers, starts, starts + sizes, np.cumsum([0, *map(len, parts)])

    def _find_sequences(
        self, documents: Sequence[Document], starts: np.ndarray, bounds: np.ndarray, flags: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The first token and the end of each sequence, as in
        :func:`crfdeid.text.tokenizer.split_sequences`."""
        unit = self.pipeline.sequence
        if unit == "document":
            first, stop = bounds[:-1], bounds[1:]
        elif unit == "line":
            ends = np.flatnonzero(flags & LINE_END)
            first = np.sort(np.concatenate([bounds[:-1], ends + 1]))
            stop = np.sort(np.concatenate([bounds[1:], ends]))
        else:
            first, stop = self._find_sentences(documents, starts, bounds)
        has_tokens = first < stop
        return first[has_tokens], stop[has_tokens]

    def _find_sentences(
        self, documents: Sequence[Document], starts: np.ndarray, bounds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        first, stop = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for document, begin, end in zip(documents, bounds[:-1], bounds[1:]):
            edges = [edge for _, edge in split_sentences(document.text)]
            stops = begin + np.searchsorted(starts[begin:end], edges)
            first.append(np.append(begin, stops)[: len(stops)])
            stop.append(stops)
        return np.concatenate(first), np.concatenate(stop)


def list_places(starts: Ints, sizes: Ints) -> Ints:
    """Return the places of ranges of these sizes, one range after the other.

    >>> list_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(sizes) - sizes
    places: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return places


def encode_labels(batch: Batch) -> list[str]:
    """The BIO label of each token of a batch, as in :func:`crfdeid.text.bio.encode`."""
    labels = [bio.OUTSIDE] * len(batch)
    for number, document in enumerate(batch.documents):
        begin, end = int(batch.bounds[number]), int(batch.bounds[number + 1])
        free = begin
        for span in document.spans:
            first = begin + int(np.searchsorted(batch.ends[begin:end], span.start, side="right"))
            stop = begin + int(np.searchsorted(batch.starts[begin:end], span.end))
            for index in range(max(first, free), stop):
                labels[index] = f"{'B' if index == max(first, free) else 'I'}-{span.type}"
            free = max(stop, free)
    return labels


def decode_spans(batch: Batch, labels: Sequence[str], path: np.ndarray) -> list[list[Span]]:
    """The spans of each document, from the label number of each token of a batch (``path`` [tokens], -1
    outside the sequences; ``labels`` are the names), as in :func:`crfdeid.text.bio.decode`."""
    found: list[list[Span]] = [[] for _ in batch.documents]
    outside = labels.index(bio.OUTSIDE) if bio.OUTSIDE in labels else NONE
    inside = np.flatnonzero((path != outside) & (path != NONE))
    sequence = np.searchsorted(batch.stop, inside, side="right")
    documents = (np.searchsorted(batch.bounds, inside, side="right") - 1).tolist()
    starts, ends = batch.starts[inside].tolist(), batch.ends[inside].tolist()
    before, last = (NONE, NONE), bio.OUTSIDE
    numbers = path[inside].tolist()
    places = zip(inside.tolist(), documents, sequence.tolist(), starts, ends)
    for number, (index, owner, part, start, end) in zip(numbers, places):
        label = labels[number]
        if label[0] == "I" and last[2:] == label[2:] and before == (part, index - 1):
            start = found[owner].pop().start
        found[owner].append(Span(start, end, label[2:]))
        before, last = (part, index), label
    return found


class Stretches(Protocol):
    """Numbers distinct stretches of two tokens or more."""

    def __len__(self) -> int: ...

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """Return the number of each token's stretch [tokens], -1 for a token by itself; and the first token
        and the end [stretches, 2] of each stretch that is new, in the order of their numbers."""


class PlainStretches:
    """Numbers stretches by their text."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, batch: Batch) -> tuple[Ints, Ints]:
        """As :meth:`Stretches.number`."""
        begins = np.ones(len(batch), bool)
        begins[1:] = batch.ends[:-1] != batch.starts[1:]
        begins[batch.bounds[:-1][np.diff(batch.bounds) > 0]] = True
        first = np.flatnonzero(begins)
        sizes = np.diff(np.append(first, len(batch)))
        found = np.full(len(first), NONE)
        new: list[tuple[int, int]] = []
        many = np.flatnonzero(sizes > 1)
        for place, a, size in zip(many.tolist(), first[many].tolist(), sizes[many].tolist()):
            key = size, batch.slice(a, a + size)
            if key not in self.numbers:
                self.numbers[key] = len(self.numbers)
                new.append((a, a + size))
            found[place] = self.numbers[key]
        return np.repeat(found, sizes), np.array(new, np.int64).reshape(len(new), 2)


ALONE, BEGINS, FOLLOWS = 1, 2, 4  # kinds of texts
AT_ONCE = 63  # gazetteers that have a bit in one word


class GazetteerPhrases:
    """The entries of at most :data:`AT_ONCE` gazetteers, found in batches."""

    def __init__(self, gazetteers: Mapping[str, Gazetteer], vocabulary: TokenVocabulary) -> None:
        self.gazetteers = gazetteers
        self.place = {name: place for place, name in enumerate(gazetteers)}
        self.singles = [(1 << place, gazetteers[name].single) for name, place in self.place.items()]
        self.words: dict[str, int] = {}
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
        """Set the bits of a gazetteer's pairs of words."""
        bit = 1 << self.place[name]
        for first, second, *_ in self.gazetteers[name].longer:
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
        bits = np.zeros(len(lowered), np.int64)
        for bit, single in self.singles:
            bits[np.fromiter(map(single.__contains__, lowered), bool, len(lowered))] |= bit
        self.bits.extend(bits.tolist())
        kinds = np.fromiter(map(self.longer.get, lowered, repeat(0)), np.int8, len(lowered))
        self.kinds.extend((kinds | np.where(bits != 0, np.int8(ALONE), np.int8(0))).tolist())
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
