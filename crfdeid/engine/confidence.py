"""How sure the model is of a span: the marginal probability of the whole span, not the
product of its tokens' (which would count their agreement several times)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from crfdeid import bio
from crfdeid.document import Span
from crfdeid.engine.chain import chain, opens
from crfdeid.engine.weights import Weights


class Confidence:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._opens = cache(lambda type: opens(weights.labels, type))

    def given(
        self, spans: Sequence[Span], emissions: np.ndarray, labels: Sequence[str]
    ) -> list[Span]:
        """The spans of a sequence's ``labels``, each with its probability; ``emissions`` are
        the sequence's scores [tokens, labels]."""
        if not spans:
            return []
        scores = chain(emissions, self.weights.transitions)
        return [
            replace(span, probability=self._probability(scores, first, last, span.type))
            for span, (first, last) in zip(spans, bio.stretches(labels))
        ]

    def _probability(self, scores, first: int, last: int, type: str) -> float:
        names = self.weights.labels
        inside = names.index(f"I-{type}") if f"I-{type}" in names else None
        probability = scores.span_probability(first, last, self._opens(type), inside)
        return float(np.clip(probability, 0.0, 1.0))
