"""The probability of PHI at each token: forward-backward in scaled probabilities (Rabiner 1989, section
V.A)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.forward_backward import run_chain
from crfdeid.engine.decoding.links import VECTOR, Links, build_links


class Marginals:
    """Sums marginals by type, with ``transitions`` [labels, labels] from row to column."""

    def __init__(self, transitions: Floats) -> None:
        self.transitions = transitions
        self.factors = np.exp(transitions - transitions.max())

    @cached_property
    def links(self) -> Links:
        return build_links(self.transitions)

    def sum_types(
        self,
        scores: Floats,
        first: Ints,
        stop: Ints,
        type_of: Ints,
        least: float = 0.0,
        compiled: bool = False,
    ) -> tuple[Floats, Ints]:
        """As :func:`sum_types`, for the marginals of sequences with these ``scores``, which stay as they
        are: [tokens, labels], or where ``compiled`` [tokens, width of the links]. The probability is 0 for
        tokens outside the sequences."""
        phi, likely = np.zeros(len(scores)), np.full(len(scores), NONE)
        if compiled:
            from crfdeid.engine.decoding import compiled_marginals

            types = np.append(type_of, np.full(-len(type_of) % VECTOR, NONE))
            compiled_marginals.sum_types(scores, first, stop, self.links, types, least, phi, likely)
        else:
            for a, b in zip(first.tolist(), stop.tolist()):
                marginals = compute_sequence(scores[a:b], self.factors)
                phi[a:b], likely[a:b] = sum_types(marginals, type_of, least)
        for bad in np.flatnonzero(np.isnan(phi[first])).tolist():  # all labels of a token underflow
            a, b = int(first[bad]), int(stop[bad])
            marginals = run_chain(scores[a:b, : len(type_of)], self.transitions).marginals()
            phi[a:b], likely[a:b] = sum_types(marginals, type_of, least)
        return phi, likely


def sum_types(marginals: Floats, type_of: Ints, least: float) -> tuple[Floats, Ints]:
    """Return the probability of each token that its label has a type, and the number of its most probable
    type, -1 where that probability is below ``least``. ``type_of`` [labels] is the type of each label, -1
    for none.

    >>> phi, likely = sum_types(np.array([[0.7, 0.1, 0.2], [0.9, 0.1, 0.0]]), np.array([-1, 0, 1]), 0.2)
    >>> phi.round(2).tolist(), likely.tolist()
    ([0.3, 0.1], [1, -1])
    """
    phi: Floats = marginals @ (type_of >= 0).astype(np.float64)
    likely = np.full(len(marginals), NONE)
    rows = np.flatnonzero(phi >= least)
    members = type_of[:, None] == np.arange(max(type_of.max() + 1, 1))
    likely[rows] = (marginals[rows] @ members.astype(np.float64)).argmax(axis=1)
    return phi, likely


def compute_sequence(emissions: Floats, factors: Floats) -> Floats:
    """Return the marginals of one sequence; not a number everywhere where all labels of a token underflow.
    ``factors`` are the exponentials of the transitions.

    >>> compute_sequence(np.log([[1.0, 3.0]]), np.ones((2, 2))).round(2).tolist()
    [[0.25, 0.75]]
    """
    size = len(emissions)
    weights = np.exp(emissions - emissions.max(axis=1, keepdims=True))
    alpha, beta = np.empty_like(weights), np.ones_like(weights)
    alpha[0] = weights[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        for t in range(1, size):
            row = (alpha[t - 1] @ factors) * weights[t]
            alpha[t] = row / row.max()
        for t in range(size - 2, -1, -1):
            row = factors @ (weights[t + 1] * beta[t + 1])
            beta[t] = row / row.max()
        found: Floats = alpha * beta
        found /= found.sum(axis=1, keepdims=True)
    return found if np.isfinite(found).all() else np.full_like(found, np.nan)
