"""Why a CRF, or a linear classifier of tokens, gave a token its label.

A label's *emission* at a token is the sum of the weights that the token's features have for this label.
The score of a labelling is the sum of its tokens' emissions and of the weights of its transitions from
each label to the next. So every score is exactly a sum over features, over templates, or over feature
groups (:mod:`crfdeid.explain.model_weights`). A linear classifier has no transitions and no probabilities.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from crfdeid.engine.decoding.chain import run_chain
from crfdeid.errors import DocumentError, show_id
from crfdeid.explain.model_weights import ModelWeights
from crfdeid.feature_extraction.templates import template_of
from crfdeid.text.document import Document, Token
from crfdeid.text.tokenizer import fold_text


@dataclass(frozen=True)
class Candidate:
    """A label that a token could have; its ``probability`` is ``None`` where the model has none. ``into`` and
    ``onward`` are the weights of the transitions from the label before and to the label after in the best
    labelling, ``None`` at an end; ``behind`` is how far the best labelling with this label scores below the
    best labelling of all."""

    label: str
    probability: float | None
    emission: float
    into: float | None
    onward: float | None
    behind: float


@dataclass(frozen=True)
class Explanation:
    """Why a token got its label. ``candidates`` are all labels: first the winner, the label in the best
    labelling, then the others by their probability or emission. ``parts`` [features, candidates] are the
    weights that the token's ``features`` add to each candidate, so that a column sums to the candidate's
    emission. ``before`` and ``after`` are the labels of the neighbour tokens, ``None`` at an end of the
    sequence. ``decisions`` are what the systems below a stack say of the token, by name."""

    token: Token
    number: int
    candidates: tuple[Candidate, ...]
    features: tuple[str, ...]
    groups: tuple[str, ...]
    parts: np.ndarray
    before: str | None
    after: str | None
    decisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.candidates[0].label

    @property
    def has_probabilities(self) -> bool:
        return self.candidates[0].probability is not None

    def sum_by(self, names: Sequence[str]) -> list[tuple[str, np.ndarray]]:
        """Sum the parts by a name for each feature. Names come in the order of how much they separate the
        winner from the first runner-up, in either direction; names that add nothing are left out."""
        totals = {name: np.zeros(self.parts.shape[1]) for name in names}
        for name, row in zip(names, self.parts):
            totals[name] += row
        rows = [(name, row) for name, row in totals.items() if row.any()]
        return sorted(rows, key=lambda item: (-abs(lead(item[1])), item[0]))

    def by_group(self) -> list[tuple[str, np.ndarray]]:
        return self.sum_by(self.groups)

    def by_template(self) -> list[tuple[str, np.ndarray]]:
        return self.sum_by([template_of(feature) for feature in self.features])

    def by_feature(self) -> list[tuple[str, np.ndarray]]:
        return self.sum_by(self.features)


def trace_document(
    weights: ModelWeights, document: Document, notes: Sequence[Document] = ()
) -> DocumentTrace:
    """Follow the model through the document: its tokens, features and scores. ``notes`` are those of the
    patient that a stack of systems sees together, the document among them; without them it sees the document
    only."""
    notes = notes or [document]
    foldings = [fold_text(note.text) for note in notes]
    folded = [folding.fold_document(note) for folding, note in zip(foldings, notes)]
    number = notes.index(document)
    tokenized, sequences = weights.pipeline.tokenize_document(folded[number])
    columns, extractor = weights.find_columns(folded)[number], weights.pipeline.extractor
    rows = (extractor.features(tokenized, sequence, columns) for sequence in sequences)
    traces = [SequenceTrace(weights, s.start, features) for s, features in zip(sequences, rows)]
    tokens = [foldings[number].unfold_token(token) for token in tokenized.tokens]
    decisions = {name: [str(value) for value in columns[name]] for name in weights.decisions}
    return DocumentTrace(document, tokens, traces, decisions)


def lead(row: np.ndarray) -> float:
    """How much more a row [candidates] gives the winner than the first runner-up."""
    return float(row[0] - row[1]) if len(row) > 1 else float(row[0])


class SequenceTrace:
    """The scores of one sequence of a document; ``start`` is the number of its first token."""

    def __init__(self, weights: ModelWeights, start: int, features: Sequence[Sequence[str]]) -> None:
        self.weights, self.start, self.features = weights, start, features
        self.emissions = np.array([weights.feature_weights(row).sum(axis=0) for row in features])

    @cached_property
    def marginals(self) -> np.ndarray:
        """P(the label of token t is y), [tokens, labels]."""
        return run_chain(self.emissions, self.weights.transitions).marginals()

    @cached_property
    def best_scores(self) -> tuple[np.ndarray, np.ndarray]:
        """The scores [tokens, labels] of the best labelling up to each token, and of the best after it."""
        transitions, scores = self.weights.transitions, self.emissions
        before, after = scores.copy(), np.zeros_like(scores)
        for t in range(1, len(scores)):
            before[t] += (before[t - 1][:, None] + transitions).max(axis=0)
        for t in range(len(scores) - 2, -1, -1):
            after[t] = (transitions + scores[t + 1] + after[t + 1]).max(axis=1)
        return before, after

    @cached_property
    def path(self) -> list[int]:
        """The best labelling; ties go to the label with the lowest number, as in CRFsuite."""
        before, _ = self.best_scores
        path = [int(before[-1].argmax())]
        for row in before[-2::-1]:
            path.append(int((row + self.weights.transitions[:, path[-1]]).argmax()))
        return path[::-1]

    @cached_property
    def certainties(self) -> np.ndarray:
        """How sure each label is [tokens, labels]: its probability, or how far its emission is above the best
        of the others."""
        if self.weights.has_probabilities:
            return np.minimum(self.marginals, 1.0)
        ordered = np.sort(self.emissions, axis=1)
        best, second = ordered[:, -1:], ordered[:, -2:-1]
        return self.emissions - np.where(self.emissions == best, second, best)

    def explain(self, token: Token, number: int) -> Explanation:
        at = number - self.start
        winner, certain = self.path[at], self.certainties[at]
        order = sorted(range(len(certain)), key=lambda label: (label != winner, -certain[label], label))
        features = self.features[at]
        return Explanation(
            token,
            number,
            tuple(self.candidate(at, label) for label in order),
            tuple(features),
            tuple(self.weights.group(feature) for feature in features),
            self.weights.feature_weights(features)[:, order],
            self.weights.labels[self.path[at - 1]] if at else None,
            self.weights.labels[self.path[at + 1]] if at + 1 < len(self.path) else None,
        )

    def candidate(self, at: int, label: int) -> Candidate:
        transitions, (before, after) = self.weights.transitions, self.best_scores
        return Candidate(
            self.weights.labels[label],
            float(self.certainties[at, label]) if self.weights.has_probabilities else None,
            float(self.emissions[at, label]),
            float(transitions[self.path[at - 1], label]) if at else None,
            float(transitions[label, self.path[at + 1]]) if at + 1 < len(self.path) else None,
            max(0.0, float(before[-1].max() - before[at, label] - after[at, label])),
        )


class DocumentTrace:
    """A document's tokens and its sequences, labelled by a model. ``decisions`` has what each system below a
    stack says of each token."""

    def __init__(
        self,
        document: Document,
        tokens: Sequence[Token],
        sequences: Sequence[SequenceTrace],
        decisions: Mapping[str, Sequence[str]],
    ) -> None:
        self.document, self.tokens, self.sequences = document, tokens, sequences
        self.decisions = decisions

    @property
    def certainty(self) -> str:
        """The name of the last number of :meth:`label_tokens`."""
        has = all(sequence.weights.has_probabilities for sequence in self.sequences)
        return "probability" if has else "lead"

    def label_tokens(self) -> Iterator[tuple[int, Token, str, float]]:
        """Number, token, label and how sure the label is (:attr:`certainty`), for each token that the model
        labels."""
        for sequence in self.sequences:
            for at, label in enumerate(sequence.path):
                number = sequence.start + at
                certainty = float(sequence.certainties[at, label])
                yield number, self.tokens[number], sequence.weights.labels[label], certainty

    def number_at(self, offset: int) -> int:
        """As :func:`find_number`."""
        return find_number(self.document, self.tokens, offset)

    def explain(self, number: int) -> Explanation:
        """Why token ``number``, from 0, got its label. Raises :class:`DocumentError` where the
        document has no such token, or no sequence contains it."""
        parts = [range(s.start, s.start + len(s.features)) for s in self.sequences]
        sequence = self.sequences[find_sequence(self.document, self.tokens, parts, number)]
        decisions = {name: labels[number] for name, labels in self.decisions.items()}
        return replace(sequence.explain(self.tokens[number], number), decisions=decisions)


def find_number(document: Document, tokens: Sequence[Token], offset: int) -> int:
    """The number of the token that covers ``offset``. Raises :class:`DocumentError` where no token covers
    it."""
    number = bisect_right([token.start for token in tokens], offset) - 1
    if number < 0 or offset >= tokens[number].end:
        end = len(document.text)
        where = "past the end of the text" if offset >= end else "it is white space"
        raise DocumentError(f"{show_id(document.id)}: no token at offset {offset} of {end}: {where}")
    return number


def find_sequence(
    document: Document, tokens: Sequence[Token], sequences: Sequence[range], number: int
) -> int:
    """Which of the sequences has token ``number``. Raises :class:`DocumentError` where the document has no
    such token, or no sequence contains it."""
    where = show_id(document.id)
    if not 0 <= number < len(tokens):
        raise DocumentError(f"{where}: no token {number}; it has {len(tokens)}, from 0")
    for index, part in enumerate(sequences):
        if number in part:
            return index
    raise DocumentError(f"{where}: token {number} is a line end, in no sequence")
