"""The inner loops of training, compiled by numba.

Per evaluation: the window attributes of each distinct text become one row of scores an
offset (:func:`rows`); each sequence gathers rows and direct weights, runs forward-backward
in scaled probabilities and adds its expectations (:func:`expectations`); the expectations
on rows go back to the weights of their attributes (:func:`scatter`). Label axes are padded
to a multiple of 8 with zeros so that the loops become vector instructions.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be reordered; infinities and NaN keep their meaning, so divergence is seen.
OPTIONS = {"nogil": True, "cache": True, "fastmath": {"reassoc", "contract", "arcp", "nsz"}}


@njit(**OPTIONS)
def rows(window, ends, first, last, pair_ends, pair_label, weights, scores):
    """Fill ``scores`` [offsets, texts, labels] for the texts from ``first`` to ``last``."""
    for o in range(ends.shape[0]):
        for text in range(first, last):
            row = scores[o, text]
            row[:] = 0.0
            for q in range(ends[o, text], ends[o, text + 1]):
                for k in range(pair_ends[window[q]], pair_ends[window[q] + 1]):
                    row[pair_label[k]] += weights[k]


@njit(**OPTIONS)
def scatter(window, ends, pair_ends, pair_label, expected, gradient):
    """Add the expectations on rows to the gradient of their attributes' weights."""
    for o in range(ends.shape[0]):
        for text in range(ends.shape[1] - 1):
            row = expected[o, text]
            for q in range(ends[o, text], ends[o, text + 1]):
                for k in range(pair_ends[window[q]], pair_ends[window[q] + 1]):
                    gradient[k] += row[pair_label[k]]


@njit(**OPTIONS)
def emit(texts, direct, start, size, t, offsets, scores, pair_ends, pair_label, weights, into):
    """Scores of token ``t`` of the sequence of ``size`` tokens at ``start``."""
    into[:] = 0.0
    for o in range(len(offsets)):
        j = t + offsets[o]
        if 0 <= j < size:
            row = scores[o, texts[start + j]]
            for y in range(len(into)):
                into[y] += row[y]
    for d in range(direct.shape[1]):
        attribute = direct[start + t, d]
        if attribute >= 0:
            for k in range(pair_ends[attribute], pair_ends[attribute + 1]):
                into[pair_label[k]] += weights[k]


@njit(**OPTIONS)
def expectations(
    texts, direct, gold, bounds, first, last, offsets, scores, pair_ends, pair_label, weights,
    transitions, labels, expected, gradient, pair_expected,
):
    """Add the log-likelihood's expectations over the sequences ``first`` to ``last``; return the
    log-likelihood. ``pair_expected`` [labels, labels] lacks the factor exp(transition)."""
    width = scores.shape[2]
    longest = 1
    for s in range(first, last):
        longest = max(longest, bounds[s + 1] - bounds[s])
    factor = np.zeros((labels, width))
    factor_to = np.zeros((labels, width))
    for i in range(labels):
        for j in range(labels):
            factor[i, j] = np.exp(transitions[i, j])
            factor_to[j, i] = factor[i, j]
    emission = np.empty((longest, width))
    alpha = np.empty((longest, width))
    row = np.empty((longest, width))
    scale = np.empty(longest)
    beta = np.empty(width)
    marginal = np.empty(width)
    total = 0.0
    for s in range(first, last):
        start = bounds[s]
        size = bounds[s + 1] - start
        for t in range(size):
            e = emission[t]
            emit(texts, direct, start, size, t, offsets, scores, pair_ends, pair_label, weights, e)
            y = gold[start + t]
            total += e[y]
            if t > 0:
                total += transitions[gold[start + t - 1], y]
            top = e[0]
            for j in range(1, labels):
                top = max(top, e[j])
            total -= top
            for j in range(labels):
                e[j] = np.exp(e[j] - top)
            for j in range(labels, width):
                e[j] = 0.0
        for t in range(size):
            a = alpha[t]
            e = emission[t]
            if t == 0:
                a[:] = e
            else:
                before = alpha[t - 1]
                a[:] = 0.0
                for i in range(labels):
                    q = before[i]
                    f = factor[i]
                    for j in range(width):
                        a[j] += q * f[j]
                for j in range(width):
                    a[j] *= e[j]
            z = 0.0
            for j in range(width):
                z += a[j]
            total -= np.log(z)
            scale[t] = 1.0 / z
            for j in range(width):
                a[j] *= scale[t]
        beta[:] = 1.0
        for t in range(size - 1, -1, -1):
            a = alpha[t]
            e = emission[t]
            r = row[t]
            for j in range(width):
                marginal[j] = a[j] * beta[j]
                r[j] = e[j] * beta[j] * scale[t]
            for o in range(len(offsets)):
                j = t + offsets[o]
                if 0 <= j < size:
                    x = expected[o, texts[start + j]]
                    for y in range(width):
                        x[y] += marginal[y]
            for d in range(direct.shape[1]):
                attribute = direct[start + t, d]
                if attribute >= 0:
                    for k in range(pair_ends[attribute], pair_ends[attribute + 1]):
                        gradient[k] += marginal[pair_label[k]]
            if t > 0:
                beta[:] = 0.0
                for j in range(labels):
                    q = r[j]
                    f = factor_to[j]
                    for i in range(width):
                        beta[i] += q * f[i]
                before = alpha[t - 1]
                for i in range(labels):
                    q = before[i]
                    x = pair_expected[i]
                    for j in range(width):
                        x[j] += q * r[j]
    return total
