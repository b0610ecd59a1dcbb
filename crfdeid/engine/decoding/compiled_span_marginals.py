"""The probabilities of spans of :mod:`crfdeid.engine.decoding.chain`, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import pad_last
from crfdeid.engine.decoding.compiled_marginals import FAST, make_work, run_chain
from crfdeid.engine.decoding.links import Links
from crfdeid.engine.kept_loops import OPTIONS


def find_spans(
    emissions: Floats,
    first: Ints,
    stop: Ints,
    links: Links,
    begins: Ints,
    goes_on: Ints,
    outside: int,
    least: float,
) -> tuple[tuple[Ints, Ints, Ints, Floats], list[int]]:
    """Return firsts, lasts, types and probabilities of the spans, and the sequences in which all labels of a
    token underflow."""
    scores = pad_last(emissions, len(links.base), -np.inf)
    places, probabilities, is_finite = fill_candidates(
        scores, first, stop, links, begins, goes_on, outside, least
    )
    order = np.lexsort((places[:, 2], places[:, 1], places[:, 0]))
    columns = places[order].T.copy()
    return (columns[0], columns[1], columns[2], probabilities[order]), np.flatnonzero(~is_finite).tolist()


@njit(**OPTIONS)
def fill_candidates(scores, first, stop, links, begins, goes_on, outside, least):
    longest = (stop - first).max() if len(first) else 0
    work = make_work(longest, scores.shape[1])
    alpha, after, factors = work.alpha, work.after, links.factors
    places, probabilities = np.empty((1024, 3), np.int64), np.empty(1024)
    is_finite = np.ones(len(first), np.bool_)
    size = 0
    for s in range(len(first)):
        a, b = first[s], stop[s]
        if not run_chain(scores[a:b], links, work, True):
            is_finite[s] = False
            continue
        for t in range(b - a):
            if outside >= 0 and alpha[t, outside] > 1.0 - least:
                continue
            for k in range(len(begins)):
                began, going = find_opening(alpha, after, factors, t, begins[k], goes_on[k], least)
                if began + going < least:
                    continue
                if size + longest + 1 > len(places):
                    places, probabilities = enlarge(places, probabilities, size, longest)
                size = follow_span(
                    alpha, after, factors, b - a, t, k, begins[k], goes_on[k], began, going, least, a,
                    places, probabilities, size,
                )  # fmt: skip
    return places[:size], probabilities[:size], is_finite


@njit(**OPTIONS)
def enlarge(places, probabilities, size, more):
    longer, own = np.empty((2 * len(places) + more, 3), np.int64), np.empty(2 * len(places) + more)
    longer[:size], own[:size] = places[:size], probabilities[:size]
    return longer, own


@njit(**FAST)
def find_opening(marginals, after, factors, t, begin, inside, least):
    """The probabilities that a span opens at t with ``begin``, and with ``inside``."""
    began, going = 0.0, 0.0
    if begin >= 0:
        began = marginals[t, begin]
    if inside >= 0:
        going = marginals[t, inside]
        if t > 0 and began + going >= least:
            going -= marginals[t - 1, inside] * find_share(after, factors, t, inside, inside)
            if begin >= 0:
                going -= marginals[t - 1, begin] * find_share(after, factors, t, begin, inside)
            going = max(going, 0.0)
    return began, going


@njit(**FAST)
def find_share(after, factors, t, label, inside):
    """The probability of ``inside`` at t after ``label``."""
    total = 0.0
    for j in range(factors.shape[1]):
        total += factors[label, j] * after[t, j]
    own = factors[label, inside] * after[t, inside]
    return own / total if own > 0.0 else 0.0


@njit(**OPTIONS)
def follow_span(
    marginals, after, factors, stop, start, kind, begin, inside, began, going, least, base,
    places, probabilities, size,
):  # fmt: skip
    """Write the spans that open at ``start``; return the number of spans written so far."""
    for t in range(start, stop):
        if began + going < least:
            break
        of_begin, of_inside = 0.0, 0.0
        if inside >= 0 and t + 1 < stop:
            if began > 0.0:
                of_begin = find_share(after, factors, t + 1, begin, inside)
            if going > 0.0:
                of_inside = find_share(after, factors, t + 1, inside, inside)
        probability = began * (1.0 - of_begin) + going * (1.0 - of_inside)
        if probability >= least:
            places[size, 0], places[size, 1], places[size, 2] = base + start, base + t, kind
            probabilities[size] = probability
            size += 1
        began, going = 0.0, began * of_begin + going * of_inside
    return size
