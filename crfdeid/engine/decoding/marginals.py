"""The probability of each label of each token: forward-backward in scaled probabilities (Rabiner 1989,
section V.A)."""

from __future__ import annotations

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.forward_backward import run_chain


class Marginals:
    """Computes marginals with ``transitions`` [labels, labels] from row to column."""

    def __init__(self, transitions: Floats) -> None:
        self.transitions = transitions
        self.factors = np.exp(transitions - transitions.max())

    def compute(self, emissions: Floats, first: Ints, stop: Ints, compiled: bool = False) -> Floats:
        """Return P(the label of token t is y) [tokens, labels], 0 for tokens outside the sequences.
        ``emissions`` stay as they are."""
        found = np.zeros_like(emissions)
        if compiled:
            from crfdeid.engine.decoding.compiled_marginals import compute_marginals

            compute_marginals(emissions, first, stop, self.factors, found)
        else:
            for a, b in zip(first.tolist(), stop.tolist()):
                found[a:b] = compute_sequence(emissions[a:b], self.factors)
        self._repair_underflow(emissions, first, stop, found)
        return found

    def _repair_underflow(self, emissions: Floats, first: Ints, stop: Ints, found: Floats) -> None:
        """Compute again, with logarithms, the sequences in which all labels of a token underflow."""
        for bad in np.flatnonzero(~np.isfinite(found[first].sum(axis=1))).tolist():
            a, b = int(first[bad]), int(stop[bad])
            found[a:b] = run_chain(emissions[a:b], self.transitions).marginals()


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
