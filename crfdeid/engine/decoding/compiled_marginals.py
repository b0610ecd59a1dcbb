"""The loops of :mod:`crfdeid.engine.decoding.marginals`, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

from crfdeid.engine.decoding.hashing import OPTIONS

SMALLEST = -700.0  # the exponential of less is 0 beside the best label's


@njit(**OPTIONS)
def fill_marginals(emissions, first, stop, factors, found):
    """Fill ``found`` [tokens, labels] with the marginals of each sequence; not a number where all labels of a
    token underflow. ``factors`` are the exponentials of the transitions."""
    labels = emissions.shape[1]
    turned = np.ascontiguousarray(factors.T)
    longest = (stop - first).max() if len(first) else 0
    weights, scratch = np.empty((longest, labels)), np.empty((2, labels))
    for s in range(len(first)):
        a, b = first[s], stop[s]
        exponentiate_rows(emissions[a:b], weights)
        is_finite = run_forward(weights, factors, found[a:b], scratch[0])
        if not (is_finite and run_backward(weights, turned, found[a:b], scratch)):
            found[a:b] = np.nan


@njit(**OPTIONS)
def exponentiate_rows(emissions, weights):
    """Fill ``weights`` with the exponentials of the emissions; the largest of each token is 1."""
    for t in range(len(emissions)):
        row, into = emissions[t], weights[t]
        top = row[0]
        for y in range(1, len(row)):
            top = max(top, row[y])
        for y in range(len(row)):
            gap = row[y] - top
            into[y] = np.exp(gap) if gap > SMALLEST else 0.0


@njit(**OPTIONS)
def add_rows(before, factors, into):
    """Fill ``into`` with the sums over labels of ``before`` times ``factors``."""
    into[:] = 0.0
    for i in range(len(before)):
        row, mass = factors[i], before[i]
        for y in range(len(into)):
            into[y] += mass * row[y]


@njit(**OPTIONS)
def run_forward(weights, factors, alpha, come):
    """Fill ``alpha`` with the scaled forward scores; return whether they are all finite."""
    alpha[0] = weights[0]
    for t in range(1, len(alpha)):
        add_rows(alpha[t - 1], factors, come)
        here, row = weights[t], alpha[t]
        total = 0.0
        for y in range(len(row)):
            row[y] = come[y] * here[y]
            total += row[y]
        if not divide_row(row, total):
            return False
    return True


@njit(**OPTIONS)
def divide_row(row, total):
    """Divide a row by its total; return whether the total is positive and finite."""
    if not 0.0 < total < np.inf:
        return False
    scale = 1.0 / total
    for y in range(len(row)):
        row[y] *= scale
    return True


@njit(**OPTIONS)
def run_backward(weights, turned, found, scratch):
    """Turn the forward scores in ``found`` into marginals; return whether they are all finite."""
    beta, after = scratch[0], scratch[1]
    beta[:] = 1.0
    for t in range(len(found) - 1, -1, -1):
        row, here = found[t], weights[t]
        total = 0.0
        for y in range(len(row)):
            row[y] *= beta[y]
            total += row[y]
        if not divide_row(row, total):
            return False
        if t == 0:
            break
        top = 0.0
        for y in range(len(row)):
            after[y] = here[y] * beta[y]
            top = max(top, after[y])
        scale = 1.0 / top
        for y in range(len(row)):
            after[y] *= scale
        add_rows(after, turned, beta)
    return True
