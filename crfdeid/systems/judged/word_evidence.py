"""What the trees see of a candidate's words, from training and from the note.

:class:`WordShares` says how often training labels each word: inside spans of a type, as their first or last
word, and beside them. A share is that of the word's occurrences. Words of few owners (patients, or documents
without one) are not kept; like words that training does not have, they have the share :data:`UNKNOWN`.

:class:`TokenTypes` says how probable each type is at each token of a batch: how the same words are labelled
elsewhere in the note, which sure spans are near, and what the note is full of.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import Candidates
from crfdeid.errors import ModelError

PLACES = ("inside", "first", "last", "before", "after")
UNKNOWN = -1.0
SELDOM = 0.05  # the part of one more occurrence that counts, so that a share is never 0
EMPTY = ""  # in place of a word outside the document

Row = Sequence[Any]  # a number, then a list for each place
Words = Sequence[str]  # the lowered texts of a document's tokens
Keys = Iterable[tuple[int, int, int]]  # first token, last token, number of the type


class WordShares:
    """``table[word]`` begins with the number of the word's occurrences. A list for each of :data:`PLACES`
    follows: numbers of types, and how often the word has that place at their spans, in turns.
    ``shares[place]`` [words + 1, types] has a row for other words at its beginning, and then one for each
    word in the order in which their numbers were asked for: one note needs few of them."""

    def __init__(self, table: Mapping[str, Row], types: int) -> None:
        self.table, self.types = table, types
        self.numbers: dict[str, int] = {}
        self.filled = 0
        # Memory that is never written takes no place.
        self.rows = np.zeros((len(PLACES), len(table) + 1, types))
        self.rows[:, 0] = UNKNOWN

    @property
    def words(self) -> list[str]:
        """The words, sorted."""
        return sorted(self.table)

    def number(self, word: str) -> int:
        """The row of a word."""
        if (found := self.numbers.get(word)) is not None:
            return found
        if word not in self.table:
            return 0
        self.numbers[word] = found = len(self.numbers) + 1
        return found

    @property
    def shares(self) -> Floats:
        """The shares of the words that have numbers so far."""
        if self.filled < len(self.numbers):
            self._fill([*islice(self.numbers, self.filled, None)])
        return self.rows[:, : self.filled + 1]

    def _fill(self, new: Sequence[str]) -> None:
        """Compute the rows of words that are numbered since the last time."""
        found = self.rows[:, self.filled + 1 : self.filled + 1 + len(new)]
        total = np.array([self.table[word][0] for word in new], np.float64) + 1
        found[:] = (SELDOM / total)[:, None]
        for place, share in enumerate(found, 1):
            own = [self.table[word][place] for word in new]
            words = np.repeat(np.arange(len(own)), [len(pairs) // 2 for pairs in own])
            pairs = np.array([*chain.from_iterable(own)], np.int64).reshape(-1, 2)
            share[words, pairs[:, 0]] = (pairs[:, 1] + SELDOM) / total[words]
        self.filled += len(new)

    def describe(self, rows: Ints, bounds: Ints, found: Candidates) -> Floats:
        """Return the columns :data:`SHARE_NAMES` of candidates. ``rows`` are those of all tokens, and of one
        token more, in the place of words outside; ``bounds`` [candidates, 2] are those of the documents."""
        inside, first, last, before, after = self.shares
        type = found.types
        nobody = len(rows) - 1
        left = rows[np.where(found.first > bounds[:, 0], found.first - 1, nobody)]
        right = rows[np.where(found.last + 1 < bounds[:, 1], found.last + 1, nobody)]
        begin, end = rows[found.first], rows[found.last]
        sizes = found.last + 1 - found.first
        starts = np.cumsum(sizes) - sizes
        places, owners = found.expand()
        own = inside[rows[places], type[owners]]
        columns = [
            np.minimum.reduceat(own, starts) if len(own) else own,
            np.add.reduceat(own, starts) / sizes if len(own) else own,
            first[begin, type],
            last[end, type],
            before[left, type],
            after[right, type],
            inside[left, type],
            inside[right, type],
            first[begin].sum(axis=1),
            last[end].sum(axis=1),
            before[left].sum(axis=1),
            after[right].sum(axis=1),
            last[left].sum(axis=1),
            first[right].sum(axis=1),
        ]
        return np.column_stack(columns)

    def write(self, path: Path) -> None:
        """Write the counts, compressed: the same counts give the same bytes."""
        whole = {"types": self.types, "words": self.table}
        text = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_bytes(gzip.compress(f"{text}\n".encode(), mtime=0))


SHARE_NAMES = (
    "least inside", "mean inside", "first", "last", "before", "after", "inside of word before",
    "inside of word after", "first of all", "last of all", "before all", "after all", "word before ends",
    "word after begins",
)  # fmt: skip


def count_shares(documents: Iterable[tuple[str, Words, Keys]], types: int, least: int) -> WordShares:
    """Count the shares of the words of ``least`` owners or more. Each document has its owner, the lowered
    texts of its tokens and the keys of its spans."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    occurrences: Counter[str] = Counter()
    counts: dict[str, defaultdict[str, Counter[int]]] = {name: defaultdict(Counter) for name in PLACES}
    for owner, words, keys in documents:
        occurrences.update(words)
        for word in set(words):
            if len(own := owners[word]) < least:
                own.add(owner)
        for key in keys:
            for place, word in place_words(words, key):
                counts[place][word][key[2]] += 1
    table: dict[str, Row] = {
        word: (occurrences[word], *([*chain(*sorted(own[word].items()))] for own in counts.values()))
        for word, owned in owners.items()
        if len(owned) >= least and word
    }
    return WordShares(table, types)


def place_words(words: Words, key: tuple[int, int, int]) -> Iterator[tuple[str, str]]:
    """Yield the words in and beside a span, each with its place.

    >>> list(place_words(["by", "ana", "ruiz"], (1, 2, 0)))
    [('inside', 'ana'), ('inside', 'ruiz'), ('first', 'ana'), ('last', 'ruiz'), ('before', 'by')]
    """
    begin, end, _ = key
    yield from (("inside", word) for word in words[begin : end + 1])
    yield "first", words[begin]
    yield "last", words[end]
    if begin:
        yield "before", words[begin - 1]
    if end + 1 < len(words):
        yield "after", words[end + 1]


def read_compressed(path: Path) -> str:
    """Return the text of a file that :meth:`WordShares.write` wrote."""
    return gzip.decompress(path.read_bytes()).decode("utf-8")


def read_shares(path: Path) -> WordShares:
    """Read the shares. Raises :class:`ModelError` where the file is missing or another one."""
    try:
        table = json.loads(read_compressed(path))
        return WordShares({**table["words"]}, table["types"])
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise ModelError(f"{path}: missing, or not the word shares of a judged model") from None


NONE = -1
SURE = 0.5  # the probability of a type that a token surely has
FAR, FAR_LINES = 60, 20  # tokens and lines; what is farther away counts as so far
MOST_TIMES = 50

ELSEWHERE = ("type", "best of the type", "other types", "best other type", "times")
NEAR = ("type", "tokens to it", "lines to it")
IN_NOTE = ("type in note", "share of type in note", "rival type in note", "all types in note")
AT_ENDS = ("rival type", "its probability", "outside")
NEXT_TO = ("type", "any type")
TYPE_NAMES = (
    *(f"{name} of {end} word elsewhere" for end in ("first", "last") for name in ELSEWHERE),
    *(f"sure span {side}: {name}" for side in ("before", "after") for name in NEAR),
    *IN_NOTE,
    *(f"{name} at {end}" for end in ("first", "last") for name in AT_ENDS),
    *(f"{name} {side}" for side in ("before", "after") for name in NEXT_TO),
)


class TokenTypes(NamedTuple):
    """``tokens`` [covered] are those that a candidate covers; ``shares`` [covered + 1, types] are the
    probabilities of their types, with a row of zeros at its end; ``row`` [tokens] is the row of each token,
    -1 for one that no candidate covers."""

    tokens: Ints
    shares: Floats
    row: Ints

    def read(self, places: Ints, inside: np.ndarray) -> Floats:
        """Return the shares [places, types] at some tokens, zeros where ``inside`` is false."""
        found: Floats = self.shares[self.row[np.where(inside, places, 0)]]
        found[~inside] = 0.0
        return found


def find_token_types(found: Candidates, types: int, size: int) -> TokenTypes:
    """Return the types of the tokens of a batch of ``size`` tokens. Candidates of one type that overlap
    exclude each other, so that their probabilities add up."""
    tokens, owners = found.expand()
    is_covered = np.zeros(size, bool)
    is_covered[tokens] = True
    covered = np.flatnonzero(is_covered)
    row = np.full(size, NONE, np.int64)
    row[covered] = np.arange(len(covered))
    places = row[tokens] * types + found.types[owners]
    shares = np.bincount(places, found.probabilities[owners], (len(covered) + 1) * types)
    return TokenTypes(covered, np.minimum(shares, 1.0).reshape(-1, types), row)


def describe_token_types(batch: Batch, found: Candidates, types: int, lower: Ints, bounds: Ints) -> Floats:
    """Return the columns :data:`TYPE_NAMES` of the candidates. ``lower`` [tokens] are equal numbers for texts
    that are equal in lower case; ``bounds`` [candidates, 2] are those of the documents."""
    known = find_token_types(found, types, len(batch))
    first, last = known.shares[known.row[found.first]], known.shares[known.row[found.last]]
    rivals = [drop_type(shares, found.types) for shares in (first, last)]
    has_left, has_right = found.first > bounds[:, 0], found.last + 1 < bounds[:, 1]
    left, right = known.read(found.first - 1, has_left), known.read(found.last + 1, has_right)
    own = np.arange(len(found.types)), found.types
    return np.column_stack(
        [
            *describe_elsewhere(batch, found, known, lower),
            *describe_near(batch, found, known, bounds),
            *describe_types_of_note(batch, found, known, rivals[0].argmax(axis=1)),
            *(
                column
                for others, shares in zip(rivals, (first, last))
                for column in (others.argmax(axis=1), others.max(axis=1), 1.0 - shares.sum(axis=1))
            ),
            *(column for side in (left, right) for column in (side[own], side.sum(axis=1))),
        ]
    )


def drop_type(shares: Floats, types: Ints) -> Floats:
    """Return the shares [candidates, types] without that of each candidate's own type."""
    others = shares.copy()
    others[np.arange(len(types)), types] = 0.0
    return others


def describe_elsewhere(batch: Batch, found: Candidates, known: TokenTypes, lower: Ints) -> list[Floats]:
    """Return the columns :data:`ELSEWHERE` of the first word, then of the last one. A share is -1 for a word
    that the note has once."""
    keys = batch.document.astype(np.int64) * (int(lower.max(initial=0)) + 1) + lower
    words, group = np.unique(keys[known.tokens], return_inverse=True)
    every = np.sort(keys)
    times: Ints = np.asarray(np.searchsorted(every, words, "right") - np.searchsorted(every, words))
    of_token: Ints = group.ravel()
    total, best, second = summarize_groups(known.shares[:-1], of_token, len(words))
    columns: list[Floats] = []
    own = np.arange(len(found.types)), found.types
    for end in (found.first, found.last):
        place = known.row[end]
        word, shares = of_token[place], known.shares[place]
        others = np.maximum(times[word] - 1, 1)
        mean = (total[word] - shares) / others[:, None]
        highest = np.where(shares >= best[word], second[word], best[word])
        rivals = drop_type(highest, found.types)
        values = mean[own], highest[own], mean.sum(axis=1) - mean[own], rivals.max(axis=1)
        columns += [np.where(times[word] > 1, value, -1.0) for value in values]
        columns.append(np.minimum(times[word], MOST_TIMES))
    return columns


def summarize_groups(shares: Floats, group: Ints, size: int) -> tuple[Floats, Floats, Floats]:
    """Return the sum, the largest and the second largest share of each type [groups, types].

    >>> shares = np.array([[.5], [.2], [.5], [.4]])
    >>> [part.ravel().tolist() for part in summarize_groups(shares, np.array([0, 1, 0, 0]), 2)]
    [[1.4, 0.2], [0.5, 0.2], [0.5, 0.0]]
    """
    if not size:
        return shares, shares, shares
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(size))
    rows = shares[order]
    total, best = np.add.reduceat(rows, starts), np.maximum.reduceat(rows, starts)
    is_best = rows == best[group[order]]
    count = np.cumsum(is_best, axis=0)
    before = (count - is_best)[starts]
    is_first = is_best & (count - before[group[order]] == 1)
    return total, best, np.maximum.reduceat(np.where(is_first, 0.0, rows), starts)


def describe_near(batch: Batch, found: Candidates, known: TokenTypes, bounds: Ints) -> list[Ints]:
    """Return the columns :data:`NEAR` of the last sure token before each candidate, then of the first one
    after it."""
    shares = known.shares[:-1]
    is_sure = shares.max(axis=1, initial=0.0) > SURE
    sure, type = known.tokens[is_sure], shares[is_sure].argmax(axis=1)
    columns = []
    for end, place in (
        (found.first, np.searchsorted(sure, found.first) - 1),
        (found.last, np.searchsorted(sure, found.last, side="right")),
    ):
        inside = (place >= 0) & (place < len(sure))
        place = np.where(inside, place, 0)
        other = sure[place] if len(sure) else np.zeros_like(place)
        inside &= (other >= bounds[:, 0]) & (other < bounds[:, 1])
        lines = np.abs(batch.line[end] - batch.line[other])
        columns += [
            np.where(inside, type[place] if len(type) else NONE, NONE),
            np.where(inside, np.minimum(np.abs(end - other), FAR), FAR),
            np.where(inside, np.minimum(lines, FAR_LINES), FAR_LINES),
        ]
    return columns


def describe_types_of_note(batch: Batch, found: Candidates, known: TokenTypes, rival: Ints) -> list[Floats]:
    """Return the columns :data:`IN_NOTE`: the tokens of the note that probably have the candidate's type,
    their share of those with any type, and the tokens that have the type of its rival."""
    types = known.shares.shape[1]
    owner = batch.document[known.tokens]
    places = (owner[:, None] * types + np.arange(types)).ravel()
    size = len(batch.documents) * types
    total = np.bincount(places, known.shares[:-1].ravel(), size).reshape(-1, types)
    note = batch.document[found.first]
    own, every = total[note, found.types], total.sum(axis=1)[note]
    return [own, own / every, total[note, rival], every]


def measure_mass(found: Candidates, size: int) -> Floats:
    """Return how probable it is that a candidate's tokens are in any span: the mean, over its tokens, of the
    sum of the probabilities of the candidates that have the token. ``size`` is the number of tokens.

    >>> found = Candidates(*np.array([[0, 1, 4], [1, 1, 4], [0, 1, 0]]), np.array([.5, .2, .1]))
    >>> measure_mass(found, 5).tolist()
    [0.6, 0.7, 0.1]
    """
    tokens, owners = found.expand()
    total = np.minimum(np.bincount(tokens, found.probabilities[owners], size), 1.0)
    sums = np.bincount(owners, total[tokens], len(found.first))
    mass: Floats = sums / (found.last + 1 - found.first)
    return mass
