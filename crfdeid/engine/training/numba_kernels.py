"""The inner loops of training, compiled by numba.

An evaluation builds the rows of the table (:mod:`crfdeid.engine.training.score_layout`) from the weights,
then processes the corpus, one sequence after the other (:func:`add_expectations`):

1. :func:`sum_scores` sums each token's scores.
2. :func:`exponentiate_scores` takes their exponentials.
3. :func:`forward` and :func:`backward` work in scaled probabilities (Rabiner 1989, section V.A). A transition
   without a weight has the factor 1, so that
   ``sum_i alpha_i f_ij = sum_i alpha_i + sum_i alpha_i (f_ij - 1)``, where the last sum has a term for
   each transition that occurs in training, laid out in strips
   (:mod:`crfdeid.engine.training.transition_layout`).
4. :func:`scatter_marginals` adds the marginals to the expectations on rows and weights.

In the end, the expectations on rows are added to the weights that the rows are sums of.

Label axes are padded to a multiple of 8, so that loops over them become vector instructions. Numbers that
are used as an index are unsigned, so that the code has no case for a negative index. Where two arrays might
overlap, the compiler makes two versions of a loop; so a loop that writes does not sum, and both versions
give the same bits. Arrays that belong together are passed as plain tuples, in the order of the fields of
their named tuples: compiled code on disk would name the class of a named tuple, and break when it moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crfdeid.engine.compiled_math import exponentiate, prefetch, prefetch_row
from crfdeid.engine.kept_loops import ARE_KEPT

# Sums may be reordered; infinities and NaN keep their meaning, so divergence is seen.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "cache": ARE_KEPT,
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
}
INLINE: dict[str, Any] = OPTIONS | {"forceinline": True}
ONE = np.uint64(1)  # unsigned: the sum of an unsigned and a signed number would be a floating one
ROWS_AHEAD, PAIRS_AHEAD = 4, 64  # how far ahead memory is fetched
SAFE = 200.0  # exp(200), and products of a few such numbers, are far below the largest double
LEAST = -700.0  # exp(-700) is far above the smallest double


@njit(**OPTIONS)
def build_rows(first, last, offset, sums, weights, table):
    """Write the rows ``offset + first`` to ``offset + last`` of the table."""
    row_ends, rows, pair_ends, pairs, labels = sums
    for item in range(first, last):
        row = table[offset + item]
        row[:] = 0.0
        for q in range(row_ends[item], row_ends[item + 1]):
            add_row(table[rows[q]], row)
        for q in range(pair_ends[item], pair_ends[item + 1]):
            row[labels[q]] += weights[pairs[q]]


@njit(**OPTIONS)
def scatter_rows(offset, sums, expected, gradient):
    """Add the expectations on rows to the rows and weights that they are sums of."""
    row_ends, rows, pair_ends, pairs, labels = sums
    for item in range(len(row_ends) - 1):
        row = expected[offset + item]
        for q in range(row_ends[item], row_ends[item + 1]):
            add_row(row, expected[rows[q]])
        for q in range(pair_ends[item], pair_ends[item + 1]):
            gradient[pairs[q]] += row[labels[q]]


@njit(**INLINE)
def add_row(row, into):
    for y in range(len(row)):
        into[y] += row[y]


@njit(**OPTIONS)
def sum_scores(s, start, stop, tokens, table, weights, into):
    """Write into ``into`` the scores of the tokens ``start`` to ``stop``, which are sequence ``s``. Each row
    of the table is read once and stays in the cache while it is added to the tokens that have it."""
    _, shares, rows, ends, holders, pair_ends, pairs, labels = tokens
    into[: stop - start] = 0.0
    last_row, last_pair = len(rows) - 1, len(pairs) - 1
    for q in range(shares[s], shares[s + 1]):
        prefetch_row(table[rows[min(q + ROWS_AHEAD, last_row)]])
        row = table[rows[q]]
        for k in range(ends[q], ends[q + 1]):
            add_row(row, into[holders[k]])
    for t in range(start, stop):
        score = into[t - start]
        for q in range(pair_ends[t], pair_ends[t + 1]):
            prefetch(weights, pairs[min(q + PAIRS_AHEAD, last_pair)])
            score[labels[q]] += weights[pairs[q]]


@njit(**OPTIONS)
def scatter_marginals(s, start, stop, tokens, marginals, expected, gradient):
    """Add the marginals of the tokens to the expectations on the terms of their scores."""
    _, shares, rows, ends, holders, pair_ends, pairs, labels = tokens
    last_row, last_pair = len(rows) - 1, len(pairs) - 1
    for q in range(shares[s], shares[s + 1]):
        prefetch_row(expected[rows[min(q + ROWS_AHEAD, last_row)]])
        add_holders(ends[q], ends[q + 1], holders, marginals, expected[rows[q]])
    for t in range(start, stop):
        marginal = marginals[t - start]
        for q in range(pair_ends[t], pair_ends[t + 1]):
            prefetch(gradient, pairs[min(q + PAIRS_AHEAD, last_pair)])
            gradient[pairs[q]] += marginal[labels[q]]


@njit(**INLINE)
def add_holders(first, last, holders, marginals, into):
    """Add the marginals of holders, four in one pass, because writing takes most of the time."""
    while first + 3 < last:
        one, two = marginals[holders[first]], marginals[holders[first + 1]]
        three, four = marginals[holders[first + 2]], marginals[holders[first + 3]]
        for y in range(len(into)):
            into[y] += (one[y] + two[y]) + (three[y] + four[y])
        first += 4
    while first < last:
        add_row(marginals[holders[first]], into)
        first += 1


@njit(**OPTIONS)
def add_expectations(gold, tokens, table, weights, factors, work, expected, gradient, counts):
    """Add up the expectations of some sequences; return their log-likelihood.
    ``gold`` [tokens] are places of labels, ``tokens``
    :class:`crfdeid.engine.training.score_layout.Tokens`, ``factors``
    :class:`crfdeid.engine.training.transition_layout.Factors`, ``work``
    :class:`crfdeid.engine.training.objective.Work`. ``counts`` (as ``factors.excess``)
    gets the expectations of transitions without their factors."""
    emissions, _, _, _, _, most, _, _, _, _ = work
    bounds = tokens[0]
    likelihood = 0.0
    for s in range(len(bounds) - 1):
        start, stop = bounds[s], bounds[s + 1]
        sum_scores(s, start, stop, tokens, table, weights, emissions)
        most[:] = 0.0
        for t in range(stop - start):
            keep_largest(emissions[t], most)
        score = exponentiate_scores(gold, start, stop, factors, work, not most.max() < SAFE)
        likelihood += score - forward(stop - start, factors, work)
        backward(stop - start, factors, work, counts)
        scatter_marginals(s, start, stop, tokens, emissions, expected, gradient)
    return likelihood


@njit(nogil=True, cache=ARE_KEPT, forceinline=True, fastmath={"nnan", "nsz"})
def keep_largest(row, most):
    """Raise ``most`` to the absolute values of ``row``. (Where a score is NaN the loss is NaN, so the
    result for NaN does not matter.)"""
    for y in range(len(row)):
        most[y] = max(most[y], abs(row[y]))


@njit(**OPTIONS)
def subtract_highest(row, real):
    """Subtract the highest score from all, so that no exponential is too large; return it."""
    top = -np.inf
    for y in range(len(row)):
        if real[y] > 0.0 and not row[y] <= top:  # NaN becomes the highest
            top = row[y]
    for y in range(len(row)):
        row[y] = max(row[y] - top, LEAST) if real[y] > 0.0 else 0.0
    return top


@njit(**INLINE)
def dot(one, other):
    found = 0.0
    for y in range(len(one)):
        found += one[y] * other[y]
    return found


@njit(**INLINE)
def dot_both(row, one, other):
    """The products of ``row`` with two other rows."""
    first = 0.0
    second = 0.0
    for y in range(len(row)):
        first += row[y] * one[y]
        second += row[y] * other[y]
    return first, second


@njit(**OPTIONS)
def exponentiate_scores(gold, start, stop, factors, work, shift):
    """Write over ``work.emissions``, the scores of tokens ``start`` to ``stop``, their exponentials; with
    ``shift``, each token's highest score is subtracted first. Return the score of the gold labels, minus
    what was subtracted."""
    emissions, _, _, _, _, _, rest, powers, bits, real = work
    transitions, _, _, _ = factors
    score = 0.0
    for t in range(start, stop):
        row = emissions[t - start]
        score += row[gold[t]]
        if t > start:
            score += transitions[gold[t - 1], gold[t]]
        if shift:
            score -= subtract_highest(row, real)
        exponentiate(row, real, rest, powers, bits)
    return score


@njit(**OPTIONS)
def forward(size, factors, work):
    """Compute the scaled alpha of a sequence of ``size`` tokens; return the log of the sum over all
    labellings."""
    _, structure, excess, unseen = factors
    hub, unit, starts, ends, lengths, sources, bounds, targets = structure
    from_hub, to_hub, stay, strips, others = excess
    emissions, alpha, scales, _, _, _, _, _, _, _ = work
    log_total = 0.0
    for t in range(size):
        e, a = emissions[t], alpha[t]
        if t == 0:
            a[:] = 1.0
        else:
            before = alpha[t - 1]
            mass = before[hub]
            into_hub = dot(before, to_hub)
            for y in range(len(a)):
                a[y] = (unseen + mass * from_hub[y]) + (before[y] * stay[y] + into_hub * unit[y])
            for d in range(len(starts)):
                i, j, strip = starts[d], ends[d], strips[d]
                for y in range(lengths[d]):
                    a[j + y] += before[i + y] * strip[i + y]
            for k in range(len(sources)):
                source = before[sources[k]]
                for q in range(bounds[k], bounds[k + ONE]):
                    a[targets[q]] += source * others[q]
        z = dot(a, e)
        log_total += np.log(z)
        scale = 1.0 / z
        scales[t] = scale
        for y in range(len(a)):
            a[y] *= e[y] * scale
    return log_total


@njit(**OPTIONS)
def backward(size, factors, work, counts):
    """Compute the scaled beta of a sequence of ``size`` tokens; ``work.emissions`` become marginals, and
    the expectations of transitions are added to ``counts``."""
    _, structure, excess, unseen = factors
    hub, unit, starts, ends, lengths, sources, bounds, targets = structure
    from_hub, to_hub, stay, strips, others = excess
    from_counts, to_counts, stay_counts, strip_counts, other_counts = counts
    emissions, alpha, scales, beta, row, _, _, _, _, real = work
    beta[:] = 1.0
    for t in range(size - 1, -1, -1):
        e, a, scale = emissions[t], alpha[t], scales[t]
        for y in range(len(row)):
            b = beta[y]
            row[y] = e[y] * b * scale
            e[y] = a[y] * b
        if t == 0:
            break
        before = alpha[t - 1]
        mass, after = before[hub], row[hub]
        z, out_of_hub = dot_both(row, real, from_hub)
        for y in range(len(row)):
            from_counts[y] += mass * row[y]
            to_counts[y] += before[y] * after
            stay_counts[y] += before[y] * row[y]
        gain = unseen * z
        for y in range(len(row)):
            beta[y] = (gain + to_hub[y] * after) + (stay[y] * row[y] + out_of_hub * unit[y])
        for d in range(len(starts)):
            i, j, strip, count = starts[d], ends[d], strips[d], strip_counts[d]
            for y in range(lengths[d]):
                beta[i + y] += strip[i + y] * row[j + y]
                count[i + y] += before[i + y] * row[j + y]
        for k in range(len(sources)):
            source = before[sources[k]]
            onward = 0.0
            for q in range(bounds[k], bounds[k + ONE]):
                target = row[targets[q]]
                onward += others[q] * target
                other_counts[q] += source * target
            beta[sources[k]] += onward
