"""The inner loops of training, compiled by numba.

An evaluation works on parts of the corpus, a few sequences at a time:

1. :func:`emit` sums each token's scores. The window's share comes as one stretch: the text
   at position u gives a row to each of the tokens u - 2 to u + 2, and those rows lie one
   after the other, both in the table of texts and in the part's scores.
2. numpy takes the exponentials.
3. :func:`recur` runs forward-backward in scaled probabilities (Rabiner 1989, section V.A).
   A transition without a weight has the factor exp(0) = 1, so that
   ``sum_i alpha_i f_ij = sum_i alpha_i + sum_i alpha_i (f_ij - 1)``, where the last sum has
   a term for each transition seen in training alone: hundreds, not thousands.
4. :func:`expect` adds the marginals to the expectations on rows, again as stretches.

Before, :func:`rows` makes the rows of the distinct texts; after, :func:`scatter` brings the
expectations on rows back to the weights. An *item* (a token, or a text at an offset) has
attributes; those with many labels are rows of their own, the others (attribute, label) pairs.
Label axes are padded with zeros to a multiple of 8, so that loops over them become vector
instructions; index arrays are unsigned, so that no negative index has to be thought of
(:func:`recur` runs in half the time for it).
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be reordered; infinities and NaN keep their meaning, so divergence is seen.
OPTIONS = {"nogil": True, "cache": True, "fastmath": {"reassoc", "contract", "arcp", "nsz"}}


@njit(**OPTIONS)
def count_pairs(ends, attributes, sizes, counts):
    """Fill ``counts`` [items] with how many pairs the attributes of each item stand for."""
    for item in range(len(counts)):
        for q in range(ends[item], ends[item + 1]):
            counts[item] += sizes[attributes[q]]


@njit(**OPTIONS)
def list_pairs(ends, attributes, sizes, first, label, pairs, labels):
    """Write the pairs of the items' attributes, and their labels, one after the other."""
    place = 0
    for q in range(ends[-1]):
        for k in range(first[attributes[q]], first[attributes[q]] + sizes[attributes[q]]):
            pairs[place] = k
            labels[place] = label[k]
            place += 1


@njit(**OPTIONS)
def add(item, dense_ends, dense, table, sparse_ends, sparse, sparse_label, weights, into):
    """Add to a row of scores the weights of an item's attributes."""
    for q in range(dense_ends[item], dense_ends[item + 1]):
        row = table[dense[q]]
        for y in range(len(into)):
            into[y] += row[y]
    for q in range(sparse_ends[item], sparse_ends[item + 1]):
        into[sparse_label[q]] += weights[sparse[q]]


@njit(**OPTIONS)
def give(item, dense_ends, dense, sparse_ends, sparse, sparse_label, row, table, gradient):
    """Add a row of expectations to those of an item's attributes."""
    for q in range(dense_ends[item], dense_ends[item + 1]):
        into = table[dense[q]]
        for y in range(len(row)):
            into[y] += row[y]
    for q in range(sparse_ends[item], sparse_ends[item + 1]):
        gradient[sparse[q]] += row[sparse_label[q]]


@njit(**OPTIONS)
def rows(first, last, dense_ends, dense, table, sparse_ends, sparse, sparse_label, weights, scores):
    """Fill the rows ``first`` to ``last`` of ``scores`` [texts * offsets, labels]."""
    for item in range(first, last):
        scores[item] = 0.0
        add(item, dense_ends, dense, table, sparse_ends, sparse, sparse_label, weights, scores[item])


@njit(**OPTIONS)
def scatter(dense_ends, dense, sparse_ends, sparse, sparse_label, expected, table, gradient):
    """Give the expectations on rows [texts * offsets, labels] to the attributes of texts."""
    for item in range(len(expected)):
        give(item, dense_ends, dense, sparse_ends, sparse, sparse_label, expected[item], table, gradient)


@njit(**OPTIONS)
def dense_rows(dense, pair_ends, pair_label, weights, table):
    """Fill ``table`` [attributes, labels] with the weights of the attributes ``dense``."""
    for number in range(len(dense)):
        row = table[number]
        for k in range(pair_ends[dense[number]], pair_ends[dense[number] + 1]):
            row[pair_label[k]] = weights[k]


@njit(**OPTIONS)
def scatter_dense(dense, pair_ends, pair_label, expected, gradient):
    """Give the expectations on the rows of :func:`dense_rows` to their weights."""
    for number in range(len(dense)):
        row = expected[number]
        for k in range(pair_ends[dense[number]], pair_ends[dense[number] + 1]):
            gradient[k] += row[pair_label[k]]


@njit(**OPTIONS)
def emit(
    texts, gold, bounds, first, last, ahead, scores, dense_ends, dense, table,
    sparse_ends, sparse, sparse_label, weights, labels, emissions,
):
    """Fill ``emissions`` [rows, labels] with the scores, less each token's highest, of the sequences
    ``first`` to ``last``; each has ``ahead`` spare rows before it and as many as its window needs
    after it. Returns the score of the gold labels less the highest scores."""
    reach = scores.shape[1]
    width = emissions.shape[1]
    total = 0.0
    base = 0
    for s in range(first, last):
        start = bounds[s]
        size = bounds[s + 1] - start
        for t in range(size + reach):
            emissions[base + t, :labels] = 0.0
            emissions[base + t, labels:] = -np.inf
        for u in range(size):
            stretch = scores[texts[start + u]]
            for o in range(reach):
                into = emissions[base + u + o]
                row = stretch[o]
                for y in range(width):
                    into[y] += row[y]
        for t in range(size + reach):
            if t < ahead or t >= ahead + size:
                emissions[base + t] = 0.0
        for t in range(size):
            into = emissions[base + ahead + t]
            add(start + t, dense_ends, dense, table, sparse_ends, sparse, sparse_label, weights, into)
            top = into[0]
            for y in range(1, labels):
                top = max(top, into[y])
            total += into[gold[start + t]] - top
            for y in range(labels):
                into[y] -= top
        base += size + reach
    return total


@njit(**OPTIONS)
def recur(
    gold, bounds, first, last, ahead, reach, transitions, source_ends, targets, excess, unseen,
    emissions, alpha, scale, counts,
):
    """Forward-backward over exponentiated ``emissions``, which become marginals (0 in spare rows).
    Transition k of label i, ``source_ends[i] <= k < source_ends[i + 1]``, leads to ``targets[k]`` with
    the factor ``unseen + excess[k]``; all others have ``unseen``. ``counts[k]`` gets its expectation
    but for the factor. Returns the score of the gold transitions less the log of the summed scores."""
    width = emissions.shape[1]
    labels = len(transitions)
    beta = np.empty(width)
    row = np.empty(width)
    total = 0.0
    base = 0
    for s in range(first, last):
        size = bounds[s + 1] - bounds[s]
        for t in range(size):
            e = emissions[base + ahead + t]
            a = alpha[t]
            a[:] = 1.0
            if t > 0:
                a[:] = unseen
                total += transitions[gold[bounds[s] + t - 1], gold[bounds[s] + t]]
                before = alpha[t - 1]
                for i in range(labels):
                    mass = before[i]
                    for k in range(source_ends[i], source_ends[i + 1]):
                        a[targets[k]] += mass * excess[k]
            z = 0.0
            for y in range(width):
                a[y] *= e[y]
                z += a[y]
            total -= np.log(z)
            scale[t] = 1.0 / z
            for y in range(width):
                a[y] *= scale[t]
        beta[:] = 1.0
        for t in range(size - 1, -1, -1):
            e = emissions[base + ahead + t]
            a = alpha[t]
            z = 0.0
            for y in range(width):
                row[y] = e[y] * beta[y] * scale[t]
                z += row[y]
            for y in range(width):
                e[y] = a[y] * beta[y]
            if t > 0:
                before = alpha[t - 1]
                for i in range(labels):
                    gain = unseen * z
                    mass = before[i]
                    for k in range(source_ends[i], source_ends[i + 1]):
                        after = row[targets[k]]
                        gain += excess[k] * after
                        counts[k] += mass * after
                    beta[i] = gain
        for t in range(ahead):
            emissions[base + t] = 0.0
        for t in range(ahead + size, reach + size):
            emissions[base + t] = 0.0
        base += size + reach
    return total


@njit(**OPTIONS)
def expect(
    texts, bounds, first, last, ahead, dense_ends, dense, sparse_ends, sparse, sparse_label, marginals,
    expected, expected_dense, gradient,
):
    """Add the marginals to the expectations on rows, and on the weights of sparse attributes."""
    reach = expected.shape[1]
    width = marginals.shape[1]
    base = 0
    for s in range(first, last):
        start = bounds[s]
        size = bounds[s + 1] - start
        for u in range(size):
            stretch = expected[texts[start + u]]
            for o in range(reach):
                row = marginals[base + u + o]
                into = stretch[o]
                for y in range(width):
                    into[y] += row[y]
        for t in range(size):
            row = marginals[base + ahead + t]
            item = start + t
            give(item, dense_ends, dense, sparse_ends, sparse, sparse_label, row, expected_dense, gradient)
        base += size + reach
