"""Forward-backward in scaled probabilities, compiled by numba: marginals, and the probabilities of spans.

Rows are padded to a multiple of eight labels; the padding has the probability 0. ``alpha`` [tokens, width] is
scaled so that each row sums to 1; the scale of the backward scores is arbitrary, because each token's
products of both are divided by their sum (its *norm*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.decoding.compiled_rows import pad_last
from crfdeid.engine.decoding.hashing import OPTIONS
from crfdeid.engine.training.numba_kernels import exponentiate

FAST = {**OPTIONS, "fastmath": {"contract", "nsz", "reassoc"}}
SMALLEST = -700.0  # the exponential of less is 0 beside the best label's
VECTOR, ROWS = 8, 4  # scores in a vector; rows that are added at once


class Spans(NamedTuple):
    """Spans of a batch, in the order of their sequences: ``sequences``, the tokens ``first`` and ``last``,
    and the numbers of the labels that begin and go on with the type, or -1. ``opens`` [spans, labels] is 1
    for the labels after which the label that goes on opens a span."""

    sequences: Ints
    first: Ints
    last: Ints
    begins: Ints
    goes_on: Ints
    opens: Floats


def pad_factors(factors: Floats) -> Floats:
    """Return exponentials of transitions [labels, labels] with 0 up to a multiple of eight."""
    width = -(-len(factors) // VECTOR) * VECTOR
    found = np.zeros((width, width))
    found[: len(factors)] = pad_last(factors, width, 0.0)
    return found


def compute_marginals(emissions: Floats, first: Ints, stop: Ints, factors: Floats, found: Floats) -> None:
    """Fill ``found`` [tokens, labels] with the marginals of each sequence; not a number where all labels of a
    token underflow. ``factors`` are the exponentials of the transitions."""
    fill_marginals(np.ascontiguousarray(emissions), first, stop, pad_factors(factors), found)


def compute_spans(emissions: Floats, first: Ints, stop: Ints, factors: Floats, spans: Spans) -> Floats:
    """Return the probability of each span, not a number where all labels of a token underflow."""
    found = np.full(len(spans.first), np.nan)
    opens = pad_last(spans.opens, pad_factors(factors).shape[0], 0.0)
    arrays = spans.sequences, spans.first, spans.last, spans.begins, spans.goes_on, opens
    fill_spans(np.ascontiguousarray(emissions), first, stop, pad_factors(factors), *arrays, found)
    return found


@njit(**OPTIONS)
def fill_marginals(emissions, first, stop, factors, found):
    labels, width = emissions.shape[1], len(factors)
    longest = (stop - first).max() if len(first) else 0
    turned = np.ascontiguousarray(factors.T)
    alpha, after = np.empty((longest, width)), np.empty((longest, width))
    tops, scales, norms = np.empty(longest), np.empty(longest), np.empty(longest)
    for s in range(len(first)):
        a, b = first[s], stop[s]
        if run_chain(emissions[a:b], factors, turned, alpha, after, tops, scales, norms, True):
            found[a:b] = alpha[: b - a, :labels]
        else:
            found[a:b] = np.nan


@njit(**OPTIONS)
def fill_spans(
    emissions, first, stop, factors, sequences, first_tokens, last_tokens, begins, goes_on, opens, found
):
    """Fill ``found`` with the probability of each span (:class:`Spans`)."""
    width = len(factors)
    longest = 0
    for q in range(len(sequences)):
        longest = max(longest, stop[sequences[q]] - first[sequences[q]])
    turned = np.ascontiguousarray(factors.T)
    alpha, after = np.empty((longest, width)), np.empty((longest, width))
    tops, scales, norms = np.empty(longest), np.empty(longest), np.empty(longest)
    known, is_finite = np.int64(NONE), False
    for q in range(len(sequences)):
        a, b = first[sequences[q]], stop[sequences[q]]
        own = emissions[a:b]
        if sequences[q] != known:
            known = sequences[q]
            is_finite = run_chain(own, factors, turned, alpha, after, tops, scales, norms, False)
        if is_finite:
            found[q] = find_probability(
                first_tokens[q] - a, last_tokens[q] - a, begins[q], goes_on[q], opens[q],
                own, factors, alpha, after, tops, scales, norms,
            )  # fmt: skip


@njit(**FAST)
def find_probability(
    first, last, begin, inside, opens, emissions, factors, alpha, after, tops, scales, norms
):
    """The probability that exactly the tokens ``first`` to ``last`` are a span. The summed scores of the
    labellings that open it there are followed to its end; only two labels are possible at each token."""
    began, going = 0.0, 0.0
    if begin >= 0:
        began = alpha[first, begin]
    if inside >= 0 and first == 0:
        going = alpha[0, inside] if opens.max() > 0.0 else 0.0
    elif inside >= 0:
        for i in range(len(opens)):
            going += opens[i] * alpha[first - 1, i] * factors[i, inside]
        going *= np.exp(emissions[first, inside] - tops[first]) / scales[first]
    for t in range(first + 1, last + 1):
        if inside < 0:
            return 0.0
        onward = going * factors[inside, inside]
        if begin >= 0:
            onward += began * factors[begin, inside]
        began, going = 0.0, onward * np.exp(emissions[t, inside] - tops[t]) / scales[t]
    if last == len(emissions) - 1:
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


@njit(**FAST)
def run_chain(emissions, factors, turned, alpha, after, tops, scales, norms, marginals):
    """Fill ``alpha``, and ``after``, which are each token's own factors times the backward scores; with
    ``marginals``, alpha becomes the marginals. Return whether all sums are finite and positive."""
    size, width = len(emissions), len(factors)
    real = np.zeros(width)
    real[: emissions.shape[1]] = 1.0
    exponentiate_rows(emissions, real, after, tops)
    come = np.ones(width)
    for t in range(size):
        if t > 0:
            add_rows(alpha, t - 1, factors, come)
        total = 0.0
        for y in range(width):
            alpha[t, y] = come[y] * after[t, y]
        for y in range(width):
            total += alpha[t, y]
        if not 0.0 < total < np.inf:
            return False
        scales[t] = total
        scale = 1.0 / total
        for y in range(width):
            alpha[t, y] *= scale
    come[:] = 1.0
    for t in range(size - 1, -1, -1):
        if t < size - 1:
            add_rows(after, t + 1, turned, come)
        norm, total = 0.0, 0.0
        for y in range(width):
            after[t, y] *= come[y]
        for y in range(width):
            norm += alpha[t, y] * come[y]
            total += after[t, y]
        if not (0.0 < norm < np.inf and 0.0 < total < np.inf):
            return False
        norms[t] = norm
        scale, share = 1.0 / total, 1.0 / norm
        for y in range(width):
            after[t, y] *= scale
        if marginals:
            for y in range(width):
                alpha[t, y] *= come[y] * share
    return True


@njit(**OPTIONS)
def exponentiate_rows(emissions, real, found, tops):
    """Fill ``found`` with the exponentials of the emissions, less the largest of each token, which is left
    in ``tops``."""
    rest, powers = np.empty(len(real)), np.empty(len(real))
    bits = powers.view(np.int64)
    for t in range(len(emissions)):
        top = emissions[t, 0]
        for y in range(1, emissions.shape[1]):
            top = max(top, emissions[t, y])
        tops[t] = top
        row = found[t]
        for y in range(len(real)):
            row[y] = max(emissions[t, y] - top, SMALLEST) if y < emissions.shape[1] else 0.0
        exponentiate(row, real, rest, powers, bits)
        for y in range(emissions.shape[1]):
            row[y] = row[y] if emissions[t, y] - top > SMALLEST else 0.0


@njit(**FAST)
def add_rows(before, t, factors, into):
    """Fill ``into`` with the sums over labels of ``before[t]`` times ``factors``, whose number is a multiple
    of :data:`ROWS`."""
    into[:] = 0.0
    for i in range(0, len(factors), ROWS):
        a, b, c, d = before[t, i], before[t, i + 1], before[t, i + 2], before[t, i + 3]
        for y in range(len(into)):
            into[y] += (
                a * factors[i, y] + b * factors[i + 1, y] + c * factors[i + 2, y] + d * factors[i + 3, y]
            )
