"""Labels and transitions in an order that vector instructions can use.

Of the transitions between 50 labels, one or two hundred occur in training and have a weight; all
others have the weight 0 and so the factor exp(0) = 1. The sums then need only the differences from 1,
and nearly all of these are in strips: from O to each label, from each label to O, from each label to
itself (I to I), and from B to I of each type, if the labels of one kind are neighbours.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, count
from typing import NamedTuple

import numpy as np

LANES = 8  # numbers that one instruction adds
TINY = 1e-6  # the least factor that is laid out as a difference from 1


def place_labels(labels: list[str]) -> tuple[np.ndarray, int]:
    """The place of each label in a row, and the length of a row. B-AGE and I-AGE have the same place in
    two blocks, whose sizes are multiples of 8.

    >>> [part for part in place_labels(["O", "B-AGE", "I-DATE", "B-DATE"])]
    [array([ 0,  1, 10,  2]), 16]
    """
    parts = [label.partition("-") for label in labels]
    kinds = list(dict.fromkeys(kind for kind, dash, _ in parts if dash))
    types = list(dict.fromkeys(type for _, dash, type in parts if dash))
    block = -(-(1 + len(types)) // LANES) * LANES
    free = chain(range(0, len(kinds) * block, block), count(len(kinds) * block))
    found = [
        kinds.index(kind) * block + 1 + types.index(type) if dash else next(free)
        for kind, dash, type in parts
    ]
    return np.array(found), -(-(max(found, default=0) + 1) // LANES) * LANES


class Strips(NamedTuple):
    """A number for each transition that has a weight: from the hub, to the hub, and from each label to
    itself [width]; the strips of :class:`Structure` [strips, width]; and the few other transitions."""

    from_hub: np.ndarray
    to_hub: np.ndarray
    stay: np.ndarray
    strips: np.ndarray
    others: np.ndarray


class Structure(NamedTuple):
    """How transitions are laid out. The ``hub`` is the place of the label with the most transitions (it is
    O); ``unit`` [width] is 1 there. Strip k has the transitions from ``starts[k] + i`` to ``ends[k] + i``,
    for i below ``lengths[k]``; the others go from ``sources[k]`` to
    ``targets[bounds[k] : bounds[k + 1]]``."""

    hub: int
    unit: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    lengths: np.ndarray
    sources: np.ndarray
    bounds: np.ndarray
    targets: np.ndarray

    def view_strips(self, numbers: np.ndarray) -> Strips:
        """Views of ``numbers``, an array of the size that :func:`build_structure` gives."""
        width, strips = len(self.unit), len(self.starts)
        from_hub, to_hub, stay = numbers[: 3 * width].reshape(3, width)
        rest = numbers[3 * width : (3 + strips) * width].reshape(strips, width)
        return Strips(from_hub, to_hub, stay, rest, numbers[(3 + strips) * width :])


def build_structure(allowed: np.ndarray) -> tuple[Structure, np.ndarray, int]:
    """How the transitions with a weight (``allowed`` [width, width]) are laid out, the index of each
    transition's number [width, width], -1 without a weight, and the number of all numbers."""
    width = len(allowed)
    place = np.arange(width)
    hub = int((allowed.sum(axis=0) + allowed.sum(axis=1)).argmax())
    at = np.full((width, width), -1)
    at[:, hub], at[hub] = width + place, place
    rest = allowed.copy()
    rest[hub], rest[:, hub] = False, False
    stays = place[rest.diagonal()]
    at[stays, stays] = 2 * width + stays
    rest[place, place] = False
    steps = [d for d in range(-width, width, LANES) if np.count_nonzero(rest.diagonal(d)) >= LANES]
    starts, ends = ([max(sign * d, 0) for d in steps] for sign in (-1, 1))
    for number, (start, end) in enumerate(zip(starts, ends)):
        source = place[start : width - end]
        source = source[rest[source, source + (end - start)]]
        at[source, source + (end - start)] = (3 + number) * width + source
        rest[source, source + (end - start)] = False
    first = (3 + len(steps)) * width
    at[rest] = first + np.arange(np.count_nonzero(rest))
    sources, targets = np.flatnonzero(rest.any(axis=1)), np.nonzero(rest)[1]
    bounds = [0, *np.cumsum(rest.sum(axis=1)[sources])]
    lengths = [width - abs(d) for d in steps]
    numbers = (np.array(part, np.uint64) for part in (starts, ends, lengths, sources, bounds, targets))
    return Structure(hub, (place == hub).astype(float), *numbers), at, first + len(targets)


class Factors(NamedTuple):
    """``exp`` of the transitions: ``unseen`` for all, and in ``excess`` the difference from it for those
    that have a weight. ``weights`` [width, width] are the weights themselves."""

    weights: np.ndarray
    structure: Structure
    excess: Strips
    unseen: float

    @property
    def plain(self) -> tuple:
        """The same as plain tuples, for the compiled loops."""
        return self.weights, tuple(self.structure), tuple(self.excess), self.unseen


class Transitions:
    """The transitions that have a weight (``allowed`` [labels, labels]), with the ``places`` [labels] of
    labels in rows of ``width``."""

    def __init__(self, allowed: np.ndarray, places: np.ndarray, width: int) -> None:
        self.sources, self.targets = (places[where] for where in np.nonzero(allowed))
        self.width = width
        self.seen = np.zeros((width, width), bool)
        self.seen[self.sources, self.targets] = True
        self.every = np.zeros((width, width), bool)
        self.every[np.ix_(places, places)] = True
        self.usual = build_structure(self.seen)

    @cached_property
    def full(self) -> tuple[Structure, np.ndarray, int]:
        """The same as ``usual`` for all transitions between labels."""
        return build_structure(self.every)

    def factors(self, weights: np.ndarray) -> Factors:
        """The factors of weights in row order. A factor below :data:`TINY` would be lost in a difference
        from 1: then every transition is laid out, as a difference from 0."""
        table = np.zeros((self.width, self.width))
        table[self.sources, self.targets] = weights
        unseen = 1.0 if (weights > np.log(TINY)).all() else 0.0
        structure, at, size = self.usual if unseen else self.full
        has_factor = self.seen if unseen else self.every
        excess = np.zeros(size)
        with np.errstate(over="ignore"):  # after too long a step the loss is NaN, and the step is cut
            excess[at[has_factor]] = np.exp(table[has_factor]) - unseen
        return Factors(table, structure, structure.view_strips(excess), unseen)

    def expected(self, factors: Factors, counts: np.ndarray) -> np.ndarray:
        """How often each transition with a weight is expected, in row order, from ``counts``, which the
        loops add up without the transitions' factors."""
        at = (self.usual if factors.unseen else self.full)[1]
        with np.errstate(over="ignore"):
            return counts[at[self.sources, self.targets]] * np.exp(
                factors.weights[self.sources, self.targets]
            )
