"""How sure the model is of a span: the marginal probability of the whole span, not the
product of its tokens' (which would count their agreement several times)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.crfsuite_file.model_file import Weights
from crfdeid.engine.decoding.forward_backward import Chain, chain, opens
from crfdeid.text.document import Span


class Confidence:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._opens = cache(lambda type: opens(weights.labels, type))

    def given(self, found: Sequence[Sequence[Span]], batch: Batch, emissions: np.ndarray) -> list[list[Span]]:
        """The spans found in each document of a batch, each with its probability; ``emissions``
        are the batch's scores [tokens, labels]."""
        chains = cache(
            lambda sequence: chain(
                emissions[batch.first[sequence] : batch.stop[sequence]], self.weights.transitions
            )
        )
        return [
            [self._given(span, number, batch, chains) for span in spans] for number, spans in enumerate(found)
        ]

    def _given(self, span: Span, number: int, batch: Batch, chains) -> Span:
        begin, end = batch.bounds[number], batch.bounds[number + 1]
        first = begin + np.searchsorted(batch.starts[begin:end], span.start)
        last = begin + np.searchsorted(batch.ends[begin:end], span.end)
        sequence = int(np.searchsorted(batch.stop, first, side="right"))
        base = batch.first[sequence]
        probability = self._probability(chains(sequence), first - base, last - base, span.type)
        return replace(span, probability=probability)

    def _probability(self, scores: Chain, first: int, last: int, type: str) -> float:
        names = self.weights.labels
        inside = names.index(f"I-{type}") if f"I-{type}" in names else None
        probability = scores.span_probability(first, last, self._opens(type), inside)
        return float(np.clip(probability, 0.0, 1.0))
