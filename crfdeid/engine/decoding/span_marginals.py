"""The probability of every span that is at least so probable, and the spans with the least risk.

Given the text, the labels of a CRF are a Markov chain: label j follows label i at token t with the
probability q = factors[i, j] * after[t + 1, j] / (their sum over j), where ``after`` are each token's own
factors times the backward scores. So a span of tokens a to b has the probability that it opens at a, times
that it goes on at each next token, times that it does not go on after b. Spans are followed only as long
as they are probable enough; the sum over the spans that open at a token is at most 1, so they are few.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import run_chain
from crfdeid.engine.decoding.links import Links, build_links
from crfdeid.text import bio

NONE = -1


class LabelPairs(NamedTuple):
    """``names`` of types; the numbers of the labels that begin them and go on with them, or -1."""

    names: Sequence[str]
    begins: Ints
    goes_on: Ints


class Candidates(NamedTuple):
    """Possible spans, sorted by their first token: ``first`` and ``last`` tokens, numbers of their ``types``,
    and ``probabilities``."""

    first: Ints
    last: Ints
    types: Ints
    probabilities: Floats

    def select(self, places: Ints) -> Candidates:
        """Return the candidates at some places."""
        return Candidates(
            self.first[places], self.last[places], self.types[places], self.probabilities[places]
        )


def pair_labels(labels: Sequence[str]) -> LabelPairs:
    """Return the types of the labels, sorted.

    >>> pair_labels(["O", "I-AGE", "B-AGE"])
    LabelPairs(names=['AGE'], begins=array([2]), goes_on=array([1]))
    """
    names = sorted({label[2:] for label in labels if label != bio.OUTSIDE})
    number = {label: i for i, label in enumerate(labels)}
    begins, goes_on = (np.array([number.get(f"{b}-{n}", NONE) for n in names], np.int64) for b in "BI")
    return LabelPairs(names, begins, goes_on)


class SpanMarginals:
    """Finds the spans that are at least as probable as ``least``, for a CRF with these labels and
    ``transitions`` [labels, labels] from row to column. ``least`` is above 0. With ``backward`` the label B
    marks the last token of a span (:func:`crfdeid.text.bio.mark_last`): the spans are those of the reversed
    sequences."""

    def __init__(self, labels: Sequence[str], transitions: Floats, backward: bool = False) -> None:
        self.pairs, self.backward = pair_labels(labels), backward
        self.transitions = transitions = np.ascontiguousarray(transitions.T) if backward else transitions
        self.factors = np.exp(transitions - transitions.max())
        self.outside = labels.index(bio.OUTSIDE) if bio.OUTSIDE in labels else NONE

    @cached_property
    def links(self) -> Links:
        return build_links(self.transitions)

    def find(
        self, emissions: Floats, first: Ints, stop: Ints, least: float, compiled: bool = False
    ) -> Candidates:
        """Return the spans of the sequences from ``first`` to before ``stop``; ``emissions`` [tokens, labels]
        stay as they are."""
        if not self.backward:
            return self._find(emissions, first, stop, least, compiled)
        mirror = np.arange(len(emissions))
        for a, b in zip(first.tolist(), stop.tolist()):
            mirror[a:b] = mirror[a:b][::-1]
        found = self._find(emissions[mirror], first, stop, least, compiled)
        turned = found._replace(first=mirror[found.last], last=mirror[found.first])
        return join_candidates([turned])

    def _find(self, emissions: Floats, first: Ints, stop: Ints, least: float, compiled: bool) -> Candidates:
        if not compiled:
            return join_candidates(
                [
                    self._find_in_sequence(emissions, a, b, least)
                    for a, b in zip(first.tolist(), stop.tolist())
                ]
            )
        from crfdeid.engine.decoding.compiled_span_marginals import find_spans

        found, bad = find_spans(emissions, first, stop, self.links, *self.pairs[1:], self.outside, least)
        again = [self._find_in_sequence(emissions, int(first[s]), int(stop[s]), least) for s in bad]
        return join_candidates([Candidates(*found), *again]) if again else Candidates(*found)

    def _find_in_sequence(self, emissions: Floats, a: int, b: int, least: float) -> Candidates:
        """The spans of one sequence, with logarithms, which never underflow."""
        chain = run_chain(emissions[a:b], self.transitions)
        marginals = chain.marginals()
        after = np.exp(
            chain.emissions + chain.backward - (chain.emissions + chain.backward).max(axis=1)[:, None]
        )
        rows = follow_spans(marginals, after, self.factors, self.pairs, least)
        first, last, types, probabilities = zip(*rows) if rows else ((), (), (), ())
        ints = [np.array(column, np.int64) for column in (first, last, types)]
        return Candidates(ints[0] + a, ints[1] + a, ints[2], np.array(probabilities, np.float64))


def join_candidates(parts: Sequence[Candidates]) -> Candidates:
    """Join candidates of several sequences, sorted by first token, then by last, then by type."""
    if not parts:
        none = np.zeros(0, np.int64)
        return Candidates(none, none, none, np.zeros(0))
    joined = [np.concatenate(column) for column in zip(*parts)]
    order = np.lexsort(joined[2::-1])
    return Candidates(*(column[order] for column in joined))


def follow_spans(
    marginals: Floats, after: Floats, factors: Floats, pairs: LabelPairs, least: float
) -> list[tuple[int, int, int, float]]:
    """Return (first, last, type, probability) of the spans of one sequence. ``marginals`` and ``after`` are
    [tokens, labels]."""
    found: list[tuple[int, int, int, float]] = []

    def go_on(t: int, label: int, inside: int) -> float:
        """The probability that ``inside`` follows ``label`` at t."""
        if label < 0 or inside < 0 or t + 1 == len(marginals):
            return 0.0
        onward = factors[label] * after[t + 1]
        return float(onward[inside] / onward.sum()) if onward[inside] else 0.0

    for number, (begin, inside) in enumerate(zip(pairs.begins.tolist(), pairs.goes_on.tolist())):
        own = [label for label in (begin, inside) if label >= 0]
        for start in np.flatnonzero(marginals[:, own].sum(axis=1) >= least).tolist():
            began = float(marginals[start, begin]) if begin >= 0 else 0.0
            going = float(marginals[start, inside]) if inside >= 0 else 0.0
            if start and going:
                going -= sum(marginals[start - 1, label] * go_on(start - 1, label, inside) for label in own)
                going = max(going, 0.0)
            for t in range(start, len(marginals)):
                if began + going < least:
                    break
                of_begin, of_inside = go_on(t, begin, inside), go_on(t, inside, inside)
                probability = began * (1.0 - of_begin) + going * (1.0 - of_inside)
                if probability >= least:
                    found.append((start, t, number, probability))
                began, going = 0.0, began * of_begin + going * of_inside
    return found


def choose_spans(found: Candidates, limits: Floats) -> Ints:
    """Return the places of the candidates that are kept, in order: none overlap, and the sum of each
    probability less the limit of its type is the largest. So a span is kept where the risk of a wrong
    span is less than that of a missed one: the limit weighs the two. ``limits`` is by type.

    >>> found = Candidates(*np.array([[0, 0, 1], [0, 1, 2], [0, 0, 0]]), np.array([.5, .45, .45]))
    >>> choose_spans(found, np.array([.4])).tolist()
    [0, 2]
    """
    gains = found.probabilities - limits[found.types]
    order = sorted(np.flatnonzero(gains > 0).tolist(), key=lambda place: found.last[place])
    lasts = found.last[order].tolist()
    # up to each candidate: the sum, and the last one kept with its place before
    best, chosen = [0.0], [(NONE, 0)]
    for number, place in enumerate(order):
        free = bisect_right(lasts, int(found.first[place]) - 1, 0, number)
        with_own = best[free] + float(gains[place])
        chosen.append((place, free) if with_own > best[number] else (NONE, number))
        best.append(max(best[number], with_own))
    kept: list[int] = []
    number = len(order)
    while number:
        place, number = chosen[number]
        kept += [place] * (place != NONE)
    return np.array(kept[::-1], np.int64)
