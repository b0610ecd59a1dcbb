"""A linear chain on arrays: forward, backward, the probability of a span, the best path and the n best
paths.

Scores are ``emissions`` [tokens, labels] and ``transitions`` [labels, labels] from row to
column, in log space (Lafferty, McCallum & Pereira 2001; Rabiner 1989 for the recursions).

Most labels are pruned in the search for the best path. A label i at token t can be dropped if, for every
next label j, another label m is ahead: ``score[i] + transition[i, j] < score[m] + transition[m, j]``. With
m the best label at t, this holds where ``score[m] - score[i]`` exceeds the largest ``transition[i, j] -
transition[m, j]``. Of 48 labels, fewer than two remain on average. Ties go to the label with the lowest
number, as in CRFsuite. The n best sequences come from list Viterbi (Seshadri & Sundberg 1994): each label
at each token keeps the n best paths that lead to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.crfsuite_file import Weights
from crfdeid.engine.decoding.links import Links, build_links
from crfdeid.text.document import Span


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

        ``opening`` is the table of :func:`opening_scores`; ``inside`` is the label I of the type, ``None`` if
        the model does not have it.
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
    forward[0] = emissions[0]
    for t in range(1, len(emissions)):
        forward[t] = np.logaddexp.reduce(forward[t - 1][:, None] + transitions, axis=0) + emissions[t]
    for t in range(len(emissions) - 2, -1, -1):
        ahead = transitions + emissions[t + 1] + backward[t + 1]
        backward[t] = np.logaddexp.reduce(ahead, axis=1)
    return Chain(emissions, transitions, forward, backward)


def opening_scores(labels: list[str], type: str) -> np.ndarray:
    """The table [labels + 1, labels] with 0 where the transition from the row's label to the column's opens a
    span of ``type``, otherwise -inf; the last row is for the first token. ``B-type`` always opens a span;
    ``I-type`` does so there and after a label of another type, because such a sequence is repaired.

    >>> opening_scores(["O", "B-AGE", "I-AGE"], "AGE")[:, 2].tolist()
    [0.0, -inf, -inf, 0.0]
    """
    table = np.full((len(labels) + 1, len(labels)), -np.inf)
    for column, label in enumerate(labels):
        if label == f"B-{type}":
            table[:, column] = 0.0
        elif label == f"I-{type}":
            table[[row for row, before in enumerate([*labels, ""]) if before[2:] != type], column] = 0.0
    return table


class SpanConfidence:
    """How sure the model is of a span: the marginal probability of the whole span, and not the product of
    its tokens' probabilities, which would count their agreement several times."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._opening = cache(lambda type: opening_scores(weights.labels, type))

    @cached_property
    def links(self) -> Links:
        return build_links(self.weights.transitions)

    def add_probabilities(
        self,
        found: Sequence[Sequence[Span]],
        batch: Batch,
        scores: np.ndarray,
        compiled: bool = False,
    ) -> list[list[Span]]:
        """The spans of each document of a batch, with their probabilities; the batch's ``scores`` are
        [tokens, labels], or where ``compiled`` [tokens, width of the links]."""
        places = [place for number, spans in enumerate(found) for place in _find_tokens(batch, number, spans)]
        types = [span.type for spans in found for span in spans]
        known = self._compute_compiled(batch, scores, places, types) if compiled else [np.nan] * len(types)
        emissions, transitions = scores[:, : len(self.weights.labels)], self.weights.transitions
        chains = cache(lambda s: run_chain(emissions[batch.first[s] : batch.stop[s]], transitions))
        probabilities = iter([
            float(np.clip(p if np.isfinite(p) else self._compute(chains, batch, place, type), 0.0, 1.0))
            for p, place, type in zip(known, places, types)
        ])  # fmt: skip
        return [[replace(span, probability=next(probabilities)) for span in spans] for spans in found]

    def _compute(
        self, chains: Callable[[int], Chain], batch: Batch, place: tuple[int, int, int], type: str
    ) -> float:
        sequence, first, last = place
        base = int(batch.first[sequence])
        inside = self._number(f"I-{type}")
        chain = chains(sequence)
        opening = self._opening(type)
        return chain.span_probability(first - base, last - base, opening, None if inside < 0 else inside)

    def _compute_compiled(
        self,
        batch: Batch,
        scores: np.ndarray,
        places: Sequence[tuple[int, int, int]],
        types: Sequence[str],
    ) -> np.ndarray:
        """The probabilities by compiled loops, not a number where all labels of a token underflow."""
        from crfdeid.engine.decoding.compiled_marginals import Spans, fill_spans

        own = np.array([label[2:] for label in self.weights.labels])
        begins, goes_on = (np.array([self._number(f"{b}-{t}") for t in types], np.int64) for b in "BI")
        opens = np.zeros((len(types), scores.shape[1]))
        opens[:, : len(own)] = [own != type for type in types] or 0.0
        sequences, first, last = np.array(places, np.int64).reshape(-1, 3).T.copy()
        found = np.full(len(types), np.nan)
        spans = Spans(sequences, first, last, begins, goes_on, opens)
        fill_spans(scores, batch.first, batch.stop, self.links, spans, found)
        return found

    def _number(self, label: str) -> int:
        return self.weights.labels.index(label) if label in self.weights.labels else -1


def _find_tokens(batch: Batch, number: int, spans: Sequence[Span]) -> list[tuple[int, int, int]]:
    """The sequence, the first token and the last token of each span of a document."""
    begin, end = batch.bounds[number], batch.bounds[number + 1]
    first = begin + np.searchsorted(batch.starts[begin:end], [span.start for span in spans])
    last = begin + np.searchsorted(batch.ends[begin:end], [span.end for span in spans])
    sequence = np.searchsorted(batch.stop, first, side="right")
    return list(zip(sequence.tolist(), first.tolist(), last.tolist()))


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
