"""The probability of PHI at each token, and of each span that was found: forward-backward in scaled
probabilities (Rabiner 1989, section V.A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints, Scores
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.crfsuite_file import Weights
from crfdeid.engine.decoding.chain import Chain, run_chain
from crfdeid.engine.decoding.links import VECTOR, Links, build_links
from crfdeid.text.document import Span

PART = 1 << 16  # tokens whose forward scores are kept at once


class Marginals:
    """Sums marginals by type, with ``transitions`` [labels, labels] from row to column."""

    def __init__(self, transitions: Floats) -> None:
        self.transitions = transitions
        self.factors = np.exp(transitions - transitions.max())

    @cached_property
    def links(self) -> Links:
        return build_links(self.transitions)

    def sum_types(
        self,
        scores: Scores,
        first: Ints,
        stop: Ints,
        type_of: Ints,
        least: float = 0.0,
        compiled: bool = False,
    ) -> tuple[Floats, Ints]:
        """As :func:`sum_types`, for the marginals of sequences with these ``scores``, which stay as they
        are: [tokens, labels], or where ``compiled`` [tokens, width of the links]. The probability is 0 for
        tokens outside the sequences."""
        phi, likely = np.zeros(len(scores)), np.full(len(scores), NONE)
        if compiled:
            types = np.append(type_of, np.full(-len(type_of) % VECTOR, NONE))
            for some in list_parts(first, stop):
                tokens = slice(int(first[some.start]), int(stop[some.stop - 1]))
                sums = types, least, phi[tokens], likely[tokens]
                sum_part(scores, first[some], stop[some], self.links, *sums)
        else:
            for a, b in zip(first.tolist(), stop.tolist()):
                marginals = compute_sequence(scores[a:b], self.factors)
                phi[a:b], likely[a:b] = sum_types(marginals, type_of, least)
        for bad in np.flatnonzero(np.isnan(phi[first])).tolist():  # all labels of a token underflow
            a, b = int(first[bad]), int(stop[bad])
            marginals = run_chain(scores[a:b][:, : len(type_of)], self.transitions).marginals()
            phi[a:b], likely[a:b] = sum_types(marginals, type_of, least)
        return phi, likely


def sum_types(marginals: Floats, type_of: Ints, least: float) -> tuple[Floats, Ints]:
    """Return the probability of each token that its label has a type, and the number of its most probable
    type, -1 where that probability is below ``least``. ``type_of`` [labels] is the type of each label, -1
    for none.

    >>> phi, likely = sum_types(np.array([[0.7, 0.1, 0.2], [0.9, 0.1, 0.0]]), np.array([-1, 0, 1]), 0.2)
    >>> phi.round(2).tolist(), likely.tolist()
    ([0.3, 0.1], [1, -1])
    """
    phi: Floats = marginals @ (type_of >= 0).astype(np.float64)
    likely = np.full(len(marginals), NONE)
    rows = np.flatnonzero(phi >= least)
    members = type_of[:, None] == np.arange(max(type_of.max() + 1, 1))
    likely[rows] = (marginals[rows] @ members.astype(np.float64)).argmax(axis=1)
    return phi, likely


def list_parts(first: Ints, stop: Ints) -> Iterator[slice]:
    """Yield the sequences, as many at once as have :data:`PART` tokens together; a longer one is alone."""
    begin = 0
    while begin < len(first):
        end = int(np.searchsorted(stop, first[begin] + PART, side="right"))
        yield slice(begin, max(end, begin + 1))
        begin = max(end, begin + 1)


def sum_part(
    scores: Scores,
    first: Ints,
    stop: Ints,
    links: Links,
    type_of: Ints,
    least: float,
    phi: Floats,
    likely: Ints,
) -> None:
    """Fill ``phi`` and ``likely`` of the tokens from the first sequence to the last, in compiled loops."""
    from crfdeid.engine.decoding import compiled_marginals

    begin, end = int(first[0]), int(stop[-1])
    if end - begin > PART:
        sum_long_sequence(scores, begin, end, links, type_of, least, phi, likely)
    else:
        own = first - begin, stop - begin
        compiled_marginals.sum_types(scores[begin:end], *own, links, type_of, least, phi, likely)


def sum_long_sequence(
    scores: Scores, begin: int, end: int, links: Links, type_of: Ints, least: float, phi: Floats, likely: Ints
) -> None:
    """As :func:`sum_part`, for one sequence of more than a part. Of the forward scores only those of each
    part's first token are kept; on the way back the others are computed again, so that memory does not
    grow."""
    from crfdeid.engine.decoding.compiled_marginals import go_back, go_forward, make_work, sum_rows

    work = make_work(PART + 1, len(type_of))
    firsts: list[Floats] = []
    phi[:] = np.nan  # where all labels of a token underflow
    for at in range(begin, end, PART):
        work.alpha[0] = work.alpha[PART]  # of the token that the last part shares with this one
        if not go_forward(scores[at : min(at + PART + 1, end)], not firsts, links, work):
            return
        firsts.append(work.alpha[0].copy())
    for at in reversed(range(begin, end, PART)):
        stop = min(at + PART, end)
        work.alpha[0] = firsts.pop()
        behind = work.after[0].copy()
        go_forward(scores[at:stop], False, links, work)
        work.after[stop - at] = behind
        if not go_back(stop - at, stop < end, links, work):
            return
        own = slice(at - begin, stop - begin)
        sum_rows(work.alpha[: stop - at], type_of, least, phi[own], likely[own])


def compute_sequence(emissions: Floats, factors: Floats) -> Floats:
    """Return the marginals of one sequence; not a number everywhere where all labels of a token underflow.
    ``factors`` are the exponentials of the transitions.

    >>> compute_sequence(np.log([[1.0, 3.0]]), np.ones((2, 2))).round(2).tolist()
    [[0.25, 0.75]]
    """
    size = len(emissions)
    weights = np.exp(emissions - emissions.max(axis=1, keepdims=True))
    alpha, beta = np.empty_like(weights), np.ones_like(weights)
    alpha[0] = weights[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        for t in range(1, size):
            row = (alpha[t - 1] @ factors) * weights[t]
            alpha[t] = row / row.max()
        for t in range(size - 2, -1, -1):
            row = factors @ (weights[t + 1] * beta[t + 1])
            beta[t] = row / row.max()
        found: Floats = alpha * beta
        found /= found.sum(axis=1, keepdims=True)
    return found if np.isfinite(found).all() else np.full_like(found, np.nan)


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
