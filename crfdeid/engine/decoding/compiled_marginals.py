"""Forward-backward in scaled probabilities, compiled by numba: the probability of PHI, and those of spans.

Rows are padded to a multiple of eight labels; the padding has the probability 0. ``alpha`` [tokens, width]
are the forward scores; each token's are scaled by one number, so that they stay near 1. The scale of the
backward scores is arbitrary, because each token's products of both are divided by their sum (its *norm*).
Transitions are laid out as :class:`crfdeid.engine.decoding.links.Links`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.compiled_math import exponentiate
from crfdeid.engine.decoding.links import ROWS
from crfdeid.engine.kept_loops import ARE_KEPT, OPTIONS

FAST = {**OPTIONS, "fastmath": {"contract", "nsz", "reassoc"}}
SMALLEST = -700.0  # the exponential of less is 0 beside the best label's


class Spans(NamedTuple):
    """Spans of a batch, in the order of their sequences: ``sequences``, the tokens ``first`` and ``last``,
    and the numbers of the labels that begin and go on with the type, or -1. ``opens`` [spans, width] is 1
    for the labels after which the label that goes on opens a span."""

    sequences: Ints
    first: Ints
    last: Ints
    begins: Ints
    goes_on: Ints
    opens: Floats


class Work(NamedTuple):
    """Arrays for one sequence: ``alpha`` and ``after`` [tokens, width], which are each token's own factors
    times the backward scores; ``tops``, the largest score of each token, its scale and its norm."""

    alpha: Floats
    after: Floats
    tops: Floats
    scales: Floats
    norms: Floats


@njit(**OPTIONS)
def sum_types(scores, first, stop, links, type_of, least, phi, likely):
    """Fill ``phi`` [tokens] with the probability that a label has a type (``type_of`` [width], -1 for none),
    and ``likely`` with the most probable type where it is at least ``least``; ``phi`` is not a number
    where all labels of a token underflow. ``scores`` [tokens, width] are -inf in the padding."""
    longest = (stop - first).max() if len(first) else 0
    work = make_work(longest, scores.shape[1])
    for s in range(len(first)):
        a, b = first[s], stop[s]
        if run_chain(scores[a:b], links, work, True):
            sum_rows(work.alpha[: b - a], type_of, least, phi[a:b], likely[a:b])
        else:
            phi[a:b] = np.nan


@njit(**OPTIONS)
def sum_rows(marginals, type_of, least, phi, likely):
    """Fill ``phi`` and ``likely`` for tokens with these ``marginals`` [tokens, width]."""
    has_type = (type_of >= 0).astype(np.float64)
    sums = np.zeros(max(type_of.max() + 1, 1))
    for t in range(len(marginals)):
        phi[t] = dot(marginals[t], has_type)
        if phi[t] >= least:
            likely[t] = find_type(marginals[t], type_of, sums)


@njit(**OPTIONS)
def find_type(marginals, type_of, sums):
    """The first of the most probable types; ``sums`` [types] is overwritten."""
    sums[:] = 0.0
    for y in range(len(marginals)):
        if type_of[y] >= 0:
            sums[type_of[y]] += marginals[y]
    return sums.argmax()


@njit(**OPTIONS)
def fill_spans(scores, first, stop, links, spans, found):
    """Fill ``found`` with the probability of each span, where no label of a token underflows."""
    longest = 0
    for q in range(len(spans.sequences)):
        longest = max(longest, stop[spans.sequences[q]] - first[spans.sequences[q]])
    work = make_work(longest, scores.shape[1])
    known, is_finite = np.int64(NONE), False
    for q in range(len(spans.sequences)):
        a, b = first[spans.sequences[q]], stop[spans.sequences[q]]
        if spans.sequences[q] != known:
            known = spans.sequences[q]
            is_finite = run_chain(scores[a:b], links, work, False)
        if is_finite:
            found[q] = find_probability(
                spans.first[q] - a, spans.last[q] - a, spans.begins[q], spans.goes_on[q], spans.opens[q],
                scores[a:b], links.factors, work,
            )  # fmt: skip


@njit(**FAST)
def find_probability(first, last, begin, inside, opens, scores, factors, work):
    """The probability that exactly the tokens ``first`` to ``last`` are a span. The summed scores of the
    labellings that open it there are followed to its end; only two labels are possible at each token."""
    alpha, after, tops, scales, norms = work
    began, going = 0.0, 0.0
    if begin >= 0:
        began = alpha[first, begin]
    if inside >= 0 and first == 0:
        going = alpha[0, inside]
    elif inside >= 0:
        for i in range(len(opens)):
            going += opens[i] * alpha[first - 1, i] * factors[i, inside]
        going *= np.exp(scores[first, inside] - tops[first]) * scales[first]
    for t in range(first + 1, last + 1):
        if inside < 0:
            return 0.0
        onward = going * factors[inside, inside]
        if begin >= 0:
            onward += began * factors[begin, inside]
        began, going = 0.0, onward * np.exp(scores[t, inside] - tops[t]) * scales[t]
    if last == len(scores) - 1:
        return (began + going) / norms[last]
    found = 0.0
    for j in range(len(opens)):
        if j != inside:
            come = 0.0
            if begin >= 0:
                come += began * factors[begin, j]
            if inside >= 0:
                come += going * factors[inside, j]
            found += come * after[last + 1, j]
    return found / norms[last]


@njit(**OPTIONS)
def make_work(longest, width):
    """Arrays for sequences of at most ``longest`` tokens."""
    alpha, after = np.empty((longest, width)), np.empty((longest, width))
    return Work(alpha, after, np.empty(longest), np.empty(longest), np.empty(longest))


@njit(**FAST)
def run_chain(scores, links, work, marginals):
    """Fill the arrays of ``work`` for a sequence; with ``marginals``, alpha becomes the marginals. Return
    whether all sums are finite and positive."""
    exponentiate_rows(scores, work.after, work.tops)
    work.alpha[0] = work.after[0]
    come = np.empty(scores.shape[1])
    return run_forward(len(scores), links, work, come) and run_backward(
        len(scores), False, links, work, come, marginals
    )


@njit(**FAST)
def go_forward(scores, begins, links, work):
    """Fill the arrays of ``work`` with the forward scores of a part of a sequence; ``alpha`` has those of the
    part's first token, except where the sequence ``begins`` with it. Return whether all sums are finite and
    positive."""
    exponentiate_rows(scores, work.after, work.tops)
    if begins:
        work.alpha[0] = work.after[0]
    return run_forward(len(scores), links, work, np.empty(scores.shape[1]))


@njit(**FAST)
def go_back(size, goes_on, links, work):
    """Turn ``alpha`` into the marginals of a part of ``size`` tokens, as :func:`run_backward` does."""
    return run_backward(size, goes_on, links, work, np.empty(work.alpha.shape[1]), True)


@njit(**FAST)
def run_forward(size, links, work, come):
    """Fill ``alpha`` after the first token, and ``scales``: what comes to a token is divided by the sum of
    the token before."""
    base, stay, sources, leaving, targets, coming, from_labels, to_labels, others, _ = links
    alpha, after, _, scales, _ = work
    for t in range(1, size):
        before = alpha[t - 1]
        total = 0.0
        for y in range(len(come)):
            total += before[y]
        if not 0.0 < total < np.inf:
            return False
        add_rows(before, total, base, stay, sources, leaving, come)
        add_sums(before, targets, coming, come)
        for q in range(len(others)):
            come[to_labels[q]] += before[from_labels[q]] * others[q]
        scales[t] = 1.0 / total
        for y in range(len(come)):
            alpha[t, y] = come[y] * after[t, y] * scales[t]
    return True


@njit(**FAST)
def run_backward(size, goes_on, links, work, come, marginals):
    """Multiply ``after`` of ``size`` tokens by the backward scores, and fill ``norms``; where the sequence
    ``goes_on`` after them, ``after`` of the next token is multiplied already."""
    base, stay, sources, leaving, targets, coming, from_labels, to_labels, others, _ = links
    alpha, after, _, _, norms = work
    ones = np.ones(len(come))
    come[:] = 1.0
    scale = 1.0
    for t in range(size - 1, -1, -1):
        if goes_on or t < size - 1:
            behind = after[t + 1]
            total = 0.0
            for y in range(len(come)):
                total += behind[y]
            if not 0.0 < total < np.inf:
                return False
            scale = 1.0 / total
            add_rows(behind, dot(behind, base), ones, stay, targets, coming, come)
            add_sums(behind, sources, leaving, come)
            for q in range(len(others)):
                come[from_labels[q]] += behind[to_labels[q]] * others[q]
        norms[t] = dot(alpha[t], come)
        if not 0.0 < norms[t] < np.inf:
            return False
        for y in range(len(come)):
            after[t, y] *= come[y] * scale
        if marginals:
            share = 1.0 / norms[t]
            for y in range(len(come)):
                alpha[t, y] *= come[y] * share
    return True


@njit(**FAST, forceinline=True)
def dot(one, other):
    found = 0.0
    for y in range(len(one)):
        found += one[y] * other[y]
    return found


@njit(**FAST, forceinline=True)
def add_rows(before, total, base, stay, labels, rows, into):
    """Fill ``into`` with ``total`` times the base, each label's own score times ``stay``, and the rows of
    some labels times their scores, four rows at a time."""
    for k in range(0, len(rows), ROWS):
        a, b, c, d = before[labels[k]], before[labels[k + 1]], before[labels[k + 2]], before[labels[k + 3]]
        if k == 0:
            for y in range(len(into)):
                into[y] = (total * base[y] + before[y] * stay[y]) + (
                    (a * rows[0, y] + b * rows[1, y]) + (c * rows[2, y] + d * rows[3, y])
                )
        else:
            for y in range(len(into)):
                into[y] += (a * rows[k, y] + b * rows[k + 1, y]) + (c * rows[k + 2, y] + d * rows[k + 3, y])


@njit(**FAST, forceinline=True)
def add_sums(before, labels, rows, into):
    """Add to some labels the sums of all scores times the label's row, four rows at a time."""
    for k in range(0, len(rows), ROWS):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for y in range(len(into)):
            a += before[y] * rows[k, y]
            b += before[y] * rows[k + 1, y]
            c += before[y] * rows[k + 2, y]
            d += before[y] * rows[k + 3, y]
        into[labels[k]] += a
        into[labels[k + 1]] += b
        into[labels[k + 2]] += c
        into[labels[k + 3]] += d


@njit(nogil=True, cache=ARE_KEPT, fastmath={"nnan", "nsz"})
def exponentiate_rows(scores, found, tops):
    """Fill ``found`` with the exponentials of the scores, less the largest of each token, which is left in
    ``tops``."""
    width = scores.shape[1]
    rest, powers, is_seen = np.empty(width), np.empty(width), np.empty(width)
    bits = powers.view(np.int64)
    for t in range(len(scores)):
        top = scores[t, 0]
        for y in range(width):
            top = max(top, scores[t, y])
        tops[t] = top
        for y in range(width):
            less = scores[t, y] - top
            is_seen[y] = 1.0 if less > SMALLEST else 0.0
            found[t, y] = max(less, SMALLEST)
        exponentiate(found[t], is_seen, rest, powers, bits)
