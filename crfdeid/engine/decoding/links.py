"""The factors of transitions, laid out so that sums over labels are short.

Forward-backward sums each label's score times its factor to each next label. Most transitions never occur
in training, have no weight, and so have the same factor. Those that occur mostly begin or end in a few labels
such as O, or stay in their label. So the sum into a label is a base times the sum of all scores, and a few
additions for the factors that differ from the base.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints

VECTOR, ROWS = 8, 4  # scores in a vector; rows that are added at once
LEAST_SHARE = 1e-5  # of its base, for a factor that is laid out as a difference from it
BUSY = 6  # a label with more differences than a sixth of the labels has a whole row


class Links(NamedTuple):
    """Factors [labels, labels] from row to column. Each is ``base`` [width] of its column plus what differs:
    ``stay`` [width] for a label that follows itself, the rows ``leaving`` [n, width] of the labels
    ``sources`` [n], the columns ``coming`` [m, width] of the labels ``targets`` [m], and ``others`` from
    label ``other_sources`` to label ``other_targets``. n and m are multiples of :data:`ROWS`, not 0, and
    the width one of :data:`VECTOR`; what is added to make them so is 0. ``factors`` [width, width] are
    all of them."""

    base: Floats
    stay: Floats
    sources: Ints
    leaving: Floats
    targets: Ints
    coming: Floats
    other_sources: Ints
    other_targets: Ints
    others: Floats
    factors: Floats


def build_links(transitions: Floats) -> Links:
    """Lay out transitions [labels, labels] from row to column.

    >>> links = build_links(np.log([[2.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 4.0, 1.0]]))
    >>> (links.base * 4)[:3].tolist(), (links.stay * 4)[:3].tolist()
    ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    >>> int(links.sources[0]), (links.leaving[0] * 4)[:3].tolist()
    (2, [0.0, 3.0, 0.0])
    """
    labels = len(transitions)
    width = -(-labels // VECTOR) * VECTOR
    factors = np.exp(transitions - transitions.max())
    base = np.array([choose_base(column) for column in factors.T])
    rest = factors - base
    stay = np.diag(rest).copy()
    np.fill_diagonal(rest, 0.0)
    sources, leaving = _take_busy(rest, width)
    targets, coming = _take_busy(rest.T, width)
    others = np.nonzero(rest)
    wide = np.zeros((width, width))
    wide[:labels, :labels] = factors
    return Links(
        _pad(base, width), _pad(stay, width), sources, leaving, targets, coming,
        others[0].astype(np.uint64), others[1].astype(np.uint64), rest[others], wide,
    )  # fmt: skip


def choose_base(column: Floats) -> float:
    """Return the factor that most labels have, or the least factor where another is so much smaller that it
    would be lost in a difference.

    >>> choose_base(np.array([1.0, 1.0, 4.0, 0.5])), choose_base(np.array([1.0, 1.0, 4.0, 1e-9]))
    (1.0, 1e-09)
    """
    values, counts = np.unique(column, return_counts=True)
    usual, least = float(values[counts.argmax()]), float(values[0])
    return usual if least >= LEAST_SHARE * usual else least


def _take_busy(rest: Floats, width: int) -> tuple[Ints, Floats]:
    """Take the rows with many differences out of ``rest``, which then has 0 there; return the labels and
    their rows."""
    busy = np.flatnonzero(np.count_nonzero(rest, axis=1) > len(rest) // BUSY)
    size = max(-(-len(busy) // ROWS), 1) * ROWS
    labels, rows = np.zeros(size, np.uint64), np.zeros((size, width))
    labels[: len(busy)], rows[: len(busy), : len(rest)] = busy, rest[busy]
    rest[busy] = 0.0
    return labels, rows


def _pad(numbers: Floats, width: int) -> Floats:
    return np.append(numbers, np.zeros(width - len(numbers)))
