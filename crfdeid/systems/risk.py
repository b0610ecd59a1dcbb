"""Minimum-risk decoding: the spans whose probability is worth the risk, in place of the best label sequence.

The best sequence is right as a whole or not; a score counts spans. So each span is judged by its own
probability, the sum over all labellings that have it: of the spans that are more probable than a threshold,
those without overlaps are chosen whose probabilities exceed the threshold most in sum. The threshold says
what a wrong span costs, as a part of what a wrong and a missed one cost together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfdeid.config import Config
from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.decoding.span_marginals import Candidates, SpanMarginals, choose_spans
from crfdeid.errors import ConfigurationError
from crfdeid.systems.threshold import DEFAULT, Threshold, make_threshold
from crfdeid.text.document import Span
from crfdeid.text.scheme import read_scheme

LIMIT = 0.4  # the threshold of a type that has none; chosen on MEDDOCAN's development part


def read_limits(settings: Config) -> Threshold:
    """Return the configuration's ``span_threshold``."""
    return make_threshold({DEFAULT: LIMIT} | settings.span_threshold)


def check_decode(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the system has no minimum-risk decoding, ``span_threshold`` or
    ``span_mark`` is set without it, or a threshold has no probability or a type that the scheme does not
    have."""
    if settings.decode == "risk" and settings.system != "crf":
        raise ConfigurationError(
            f"decode = 'risk': the system {settings.system} does not have it; wanted crf"
        )
    if settings.decode == "risk" or settings.system in ("rescored", "judged"):
        read_limits(settings).check_scheme(read_scheme(settings.scheme))
    elif settings.span_threshold:
        raise ConfigurationError(
            "span_threshold: only for decode = 'risk', or for the systems rescored and judged"
        )
    if settings.span_mark == "last" and (settings.decode != "risk" or settings.constraints != "none"):
        raise ConfigurationError("span_mark = 'last': only for decode = 'risk' with constraints = 'none'")


class RiskDecoder:
    """Finds the spans of a CRF by their own probabilities."""

    def __init__(self, marginals: SpanMarginals, limits: Threshold) -> None:
        self.marginals, self.limits = marginals, limits.list_limits(marginals.pairs.names)

    def find_spans(
        self, batch: Batch, emissions: np.ndarray, probabilities: bool, compiled: bool
    ) -> list[list[Span]]:
        """Return the spans of each document of a batch with these scores [tokens, labels]."""
        least = float(self.limits.min(initial=1.0))
        found = self.marginals.find(emissions, batch.first, batch.stop, least, compiled)
        kept = found.select(choose_spans(found, self.limits))
        return list_spans(batch, kept, self.marginals.pairs.names, probabilities)


def list_spans(
    batch: Batch, found: Candidates, types: Sequence[str], probabilities: bool
) -> list[list[Span]]:
    """Return the candidates as spans of each document of the batch."""
    spans: list[list[Span]] = [[] for _ in batch.documents]
    starts, ends = batch.starts[found.first].tolist(), batch.ends[found.last].tolist()
    values = np.clip(found.probabilities, 0.0, 1.0).tolist() if probabilities else [None] * len(starts)
    owners = batch.document[found.first].tolist()
    for owner, start, end, kind, value in zip(owners, starts, ends, found.types.tolist(), values):
        spans[owner].append(Span(start, end, types[kind], value))
    return spans
