"""Why a CRF gave a token its label.

A label's *emission* at a token is the sum of the weights that the token's features have for it;
a labelling's score is its tokens' emissions and the weights of going from each label to the next.
So every score parts exactly into features, templates and feature groups
(:mod:`crfdeid.explain.model_weights`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfdeid.engine.decoding.forward_backward import run_chain
from crfdeid.errors import DocumentError
from crfdeid.explain.model_weights import ModelWeights, template_of
from crfdeid.text.document import Document, Token


@dataclass(frozen=True)
class Candidate:
    """A label that a token could have. ``into`` and ``onward`` are the weights of coming from the
    token before and going to the one after as the best labelling labels them, ``None`` at an end;
    ``behind`` is how far the best labelling with this label scores below the best of all."""

    label: str
    probability: float
    emission: float
    into: float | None
    onward: float | None
    behind: float


@dataclass(frozen=True)
class Explanation:
    """Why a token got its label. ``candidates`` are all labels, that of the best labelling first
    and the others by their probability; ``parts`` [features, candidates] are the weights that the
    token's ``features`` add to each, so that a column sums to the candidate's emission. ``before``
    and ``after`` are the labels of the tokens around, ``None`` at an end of the sequence."""

    token: Token
    number: int
    candidates: tuple[Candidate, ...]
    features: tuple[str, ...]
    groups: tuple[str, ...]
    parts: np.ndarray
    before: str | None
    after: str | None

    @property
    def label(self) -> str:
        return self.candidates[0].label

    def summed(self, names: Sequence[str]) -> list[tuple[str, np.ndarray]]:
        """The parts summed by a name for each feature; what sets the winner off most from the
        first runner-up, either way, comes first. Names that add nothing are left out."""
        totals = {name: np.zeros(self.parts.shape[1]) for name in names}
        for name, row in zip(names, self.parts):
            totals[name] += row
        told = [(name, row) for name, row in totals.items() if row.any()]
        return sorted(told, key=lambda item: (-abs(lead(item[1])), item[0]))

    def by_group(self) -> list[tuple[str, np.ndarray]]:
        return self.summed(self.groups)

    def by_template(self) -> list[tuple[str, np.ndarray]]:
        return self.summed([template_of(feature) for feature in self.features])

    def by_feature(self) -> list[tuple[str, np.ndarray]]:
        return self.summed(self.features)


def read(anatomy: ModelWeights, document: Document) -> DocumentTrace:
    """The document as the model reads it."""
    page, sequences = anatomy.pipeline.page(document)
    rows = (anatomy.pipeline.extractor.features(page, sequence) for sequence in sequences)
    stretches = [SequenceTrace(anatomy, s.start, features) for s, features in zip(sequences, rows)]
    return DocumentTrace(document, page.tokens, stretches)


def lead(row: np.ndarray) -> float:
    """How much more a row gives the winner than the first runner-up."""
    return float(row[0] - row[1]) if len(row) > 1 else float(row[0])


class SequenceTrace:
    """One sequence of a document, ``start`` its first token's number."""

    def __init__(self, anatomy: ModelWeights, start: int, features: Sequence[Sequence[str]]) -> None:
        self.anatomy, self.start, self.features = anatomy, start, features
        self.emissions = np.array([anatomy.parts(row).sum(axis=0) for row in features])

    @cached_property
    def marginals(self) -> np.ndarray:
        """P(the label of token t is y), [tokens, labels]."""
        return run_chain(self.emissions, self.anatomy.transitions).marginals()

    @cached_property
    def best(self) -> tuple[np.ndarray, np.ndarray]:
        """The best scores [tokens, labels] of labellings up to each token, and of what follows."""
        moves, scores = self.anatomy.transitions, self.emissions
        before, after = scores.copy(), np.zeros_like(scores)
        for t in range(1, len(scores)):
            before[t] += (before[t - 1][:, None] + moves).max(axis=0)
        for t in range(len(scores) - 2, -1, -1):
            after[t] = (moves + scores[t + 1] + after[t + 1]).max(axis=1)
        return before, after

    @cached_property
    def path(self) -> list[int]:
        """The best labelling; ties go to the lowest label, as in CRFsuite."""
        before, _ = self.best
        path = [int(before[-1].argmax())]
        for row in before[-2::-1]:
            path.append(int((row + self.anatomy.transitions[:, path[-1]]).argmax()))
        return path[::-1]

    def explain(self, token: Token, number: int) -> Explanation:
        at = number - self.start
        winner, marginals = self.path[at], self.marginals[at]
        order = sorted(range(len(marginals)), key=lambda label: (label != winner, -marginals[label], label))
        features = self.features[at]
        return Explanation(
            token,
            number,
            tuple(self.candidate(at, label) for label in order),
            tuple(features),
            tuple(self.anatomy.group(feature) for feature in features),
            self.anatomy.parts(features)[:, order],
            self.anatomy.labels[self.path[at - 1]] if at else None,
            self.anatomy.labels[self.path[at + 1]] if at + 1 < len(self.path) else None,
        )

    def candidate(self, at: int, label: int) -> Candidate:
        moves, (before, after) = self.anatomy.transitions, self.best
        return Candidate(
            self.anatomy.labels[label],
            min(1.0, float(self.marginals[at, label])),
            float(self.emissions[at, label]),
            float(moves[self.path[at - 1], label]) if at else None,
            float(moves[label, self.path[at + 1]]) if at + 1 < len(self.path) else None,
            max(0.0, float(before[-1].max() - before[at, label] - after[at, label])),
        )


class DocumentTrace:
    """A document's tokens and its sequences, labelled by a model."""

    def __init__(self, document: Document, tokens: Sequence[Token], stretches: list[SequenceTrace]) -> None:
        self.document, self.tokens, self.stretches = document, tokens, stretches

    def labelled(self) -> Iterator[tuple[int, Token, str, float]]:
        """Number, token, label and its probability, of each token that the CRF labels."""
        for stretch in self.stretches:
            for at, label in enumerate(stretch.path):
                number = stretch.start + at
                probability = min(1.0, float(stretch.marginals[at, label]))
                yield number, self.tokens[number], stretch.anatomy.labels[label], probability

    def number_at(self, offset: int) -> int:
        """The number of the token that covers ``offset``. Raises :class:`DocumentError` where
        there is none."""
        number = bisect_right([token.start for token in self.tokens], offset) - 1
        if number < 0 or offset >= self.tokens[number].end:
            end = len(self.document.text)
            where = "past its end" if offset >= end else "white space stands there"
            raise DocumentError(f"{self.document.id}: no token at offset {offset} of {end}: {where}")
        return number

    def explain(self, number: int) -> Explanation:
        """Why token ``number``, from 0, got its label. Raises :class:`DocumentError` where the
        document has no such token, or no sequence holds it."""
        if not 0 <= number < len(self.tokens):
            raise DocumentError(f"{self.document.id}: no token {number}; it has {len(self.tokens)}, from 0")
        for stretch in self.stretches:
            if 0 <= number - stretch.start < len(stretch.features):
                return stretch.explain(self.tokens[number], number)
        raise DocumentError(f"{self.document.id}: token {number} is a line end, in no sequence")
