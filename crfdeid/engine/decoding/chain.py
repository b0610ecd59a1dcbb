"""A linear chain on arrays: forward and backward, the best path and the n best paths, the probability of
every span, and the spans with the least risk.

Scores are ``emissions`` [tokens, labels] and ``transitions`` [labels, labels] from row to
column, in log space (Lafferty, McCallum & Pereira 2001; Rabiner 1989 for the recursions).

Most labels are pruned in the search for the best path. A label i at token t can be dropped if, for every
next label j, another label m is ahead: ``score[i] + transition[i, j] < score[m] + transition[m, j]``. With
m the best label at t, this holds where ``score[m] - score[i]`` exceeds the largest ``transition[i, j] -
transition[m, j]``. Of 48 labels, fewer than two remain on average. Ties go to the label with the lowest
number, as in CRFsuite. The n best sequences come from list Viterbi (Seshadri & Sundberg 1994): each label
at each token keeps the n best paths that lead to it.

Given the text, the labels of a CRF are a Markov chain: label j follows label i at token t with the
probability q = factors[i, j] * after[t + 1, j] / (their sum over j), where ``after`` are each token's own
factors times the backward scores. So a span of tokens a to b has the probability that it opens at a, times
that it goes on at each next token, times that it does not go on after b. Spans are followed only as long
as they are probable enough; the sum over the spans that open at a token is at most 1, so they are few.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import list_places
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.links import Links, build_links
from crfdeid.text import bio

NONE = -1
TINY = 1e-200  # a sum of factors, of which the largest is 1, below which digits could be lost


@dataclass(frozen=True)
class Chain:
    """``forward[t, y]`` is the log of the summed scores of all labellings of tokens 0 to t that end in y;
    ``backward[t, y]`` that of all labellings of tokens t + 1 to the end that follow y at t."""

    emissions: np.ndarray
    transitions: np.ndarray
    forward: np.ndarray
    backward: np.ndarray

    @property
    def log_total(self) -> float:
        """The log of the partition function."""
        return float(np.logaddexp.reduce(self.forward[-1]))

    def marginals(self) -> np.ndarray:
        """P(the label of token t is y), [tokens, labels]."""
        return np.exp(self.forward + self.backward - self.log_total)

    def span_probability(self, first: int, last: int, opening: np.ndarray, inside: int | None) -> float:
        """P(tokens ``first`` to ``last`` are exactly one span of a type).

        ``opening`` is the table of :func:`crfdeid.engine.decoding.marginals.opening_scores`; ``inside`` is
        the label I of the type, ``None`` if the model does not have it.
        """
        score = self._score_opening(first, opening)
        for t in range(first + 1, last + 1):
            if inside is None:
                return 0.0
            onward = np.logaddexp.reduce(score + self.transitions[:, inside])
            score = np.full_like(score, -np.inf)
            score[inside] = onward + self.emissions[t, inside]
        return float(np.exp(self._score_end(last, score, inside) - self.log_total))

    def _score_opening(self, first: int, opening: np.ndarray) -> np.ndarray:
        """The log scores [labels] of all labellings of tokens 0 to ``first`` that open a span there."""
        if first == 0:
            return self.forward[0] + opening[-1]
        before = self.forward[first - 1][:, None] + self.transitions + opening[:-1]
        return np.logaddexp.reduce(before, axis=0) + self.emissions[first]

    def _score_end(self, last: int, score: np.ndarray, inside: int | None) -> float:
        """The log score of all labellings in which the span ends at ``last``; ``score`` [labels] are the log
        scores up to there."""
        if last == len(self.emissions) - 1:
            return float(np.logaddexp.reduce(score))
        after = self.transitions + self.emissions[last + 1] + self.backward[last + 1]
        if inside is not None:
            after = after.copy()
            after[:, inside] = -np.inf
        return float(np.logaddexp.reduce(score + np.logaddexp.reduce(after, axis=1)))


def run_chain(emissions: np.ndarray, transitions: np.ndarray) -> Chain:
    """Compute the forward and backward scores of a sequence.

    >>> c = run_chain(np.log([[1.0, 3.0]]), np.zeros((2, 2)))
    >>> c.marginals().round(2).tolist()
    [[0.25, 0.75]]
    """
    forward = np.empty_like(emissions)
    backward = np.zeros_like(emissions)
    top = transitions.max()
    factors = np.exp(transitions - top)
    onward, turned = (transitions, factors, top), (transitions.T, np.ascontiguousarray(factors.T), top)
    forward[0] = emissions[0]
    for t in range(1, len(emissions)):
        forward[t] = add_logs(forward[t - 1], *onward) + emissions[t]
    for t in range(len(emissions) - 2, -1, -1):
        backward[t] = add_logs(emissions[t + 1] + backward[t + 1], *turned)
    return Chain(emissions, transitions, forward, backward)


def add_logs(scores: np.ndarray, transitions: np.ndarray, factors: np.ndarray, top: float) -> np.ndarray:
    """Return for each label the log of the sum of exp(``scores`` + its column of ``transitions``);
    ``factors`` are exp(``transitions`` - ``top``). Where a sum of scaled factors would lose digits, logs
    are added one by one, which takes ten times as long.

    >>> add_logs(np.log([1.0, 3.0]), np.zeros((2, 1)), np.ones((2, 1)), 0.0).round(4).tolist() == [1.3863]
    True
    """
    most = scores.max()
    sums = (np.exp(scores - most)[:, None] * factors).sum(axis=0)
    if (low := ~(sums > TINY)).any():
        sums[low] = 1.0
        found = np.log(sums) + (most + top)
        found[low] = np.logaddexp.reduce(scores[:, None] + transitions[:, low], axis=0)
        return found
    return np.log(sums) + (most + top)


def label_leads(transitions: np.ndarray) -> np.ndarray:
    """The table [m, i] of the most that label i can gain on label m by any next label, for ``transitions``
    [labels, labels] from row to column.

    >>> label_leads(np.array([[0.0, 0.0], [0.0, 2.0]])).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    return np.array([(transitions - row).max(axis=1) for row in transitions])


def best_step(before: np.ndarray, transitions: np.ndarray, lead: np.ndarray) -> np.ndarray:
    """The best score of a transition to each label, from the labels that are not pruned."""
    best = before.argmax()
    alive = (before[best] - before <= lead[best]).nonzero()[0]
    if len(alive) == 1:
        return before[best] + transitions[best]
    return (before[alive, None] + transitions[alive]).max(axis=0)


def find_n_best(emissions: np.ndarray, transitions: np.ndarray, n: int) -> list[tuple[float, list[int]]]:
    """The ``n`` best sequences for ``emissions`` [tokens, labels] and ``transitions`` [labels, labels], with
    their scores, the best first; all of them where fewer exist. Of sequences with equal scores, the one
    that ends in the lower label comes first.

    >>> find_n_best(np.array([[0.0, 1.0], [0.5, 0.0]]), np.array([[0.0, 0.0], [0.0, 2.0]]), 2)
    [(3.0, [1, 1]), (1.5, [1, 0])]
    """
    if not len(emissions):
        return [(0.0, [])]
    size = emissions.shape[1]
    scores = emissions[0][None, :]  # [paths, labels]
    back: list[np.ndarray] = []
    for emission in emissions[1:]:
        coming = (scores[:, :, None] + transitions).transpose(1, 0, 2).reshape(-1, size)
        order = np.argsort(-coming, axis=0, kind="stable")[:n]
        back.append(np.array(np.divmod(order, len(scores))))  # the label before, and which of its paths
        scores = np.take_along_axis(coming, order, axis=0) + emission
    ends = np.argsort(-scores.T.ravel(), kind="stable")[:n]
    return [
        (float(scores.T.ravel()[end]), _follow_path(back, *divmod(int(end), len(scores)))) for end in ends
    ]


def _follow_path(back: list[np.ndarray], label: int, rank: int) -> list[int]:
    path = [label]
    for pointers in reversed(back):
        label, rank = pointers[:, rank, label].tolist()
        path.append(label)
    return path[::-1]


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

    def expand(self) -> tuple[Ints, Ints]:
        """Return the tokens of all candidates, one after the other, and the candidate of each."""
        sizes = self.last + 1 - self.first
        return list_places(self.first, sizes), np.repeat(np.arange(len(sizes)), sizes)


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
