"""How probable each type is at each token of a batch, and what that says of the candidates there: how the
same words are labelled elsewhere in the note, which sure spans are near, and what the note is full of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import Candidates

NONE = -1
SURE = 0.5  # the probability of a type that a token surely has
FAR, FAR_LINES = 60, 20  # tokens and lines; what is farther away counts as so far
MOST_TIMES = 50

ELSEWHERE = ("type", "best of the type", "other types", "best other type", "times")
NEAR = ("type", "tokens to it", "lines to it")
IN_NOTE = ("type in note", "share of type in note", "rival type in note", "all types in note")
AT_ENDS = ("rival type", "its probability", "outside")
NEXT_TO = ("type", "any type")
NAMES = (
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
    """Return the columns :data:`NAMES` of the candidates. ``lower`` [tokens] are equal numbers for texts that
    are equal in lower case; ``bounds`` [candidates, 2] are those of the documents."""
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
