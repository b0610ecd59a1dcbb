"""Emission scores from feature strings, straight from the weights: slow and plain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfdeid.engine.weights import STATE, Weights


class Emissions:
    """Sums the weights of a token's features, for every label."""

    def __init__(self, weights: Weights) -> None:
        records = weights.records[weights.records["kind"] == STATE]
        records = records[np.argsort(records["source"], kind="stable")]
        self.labels = len(weights.labels)
        self.targets, self.weights = records["target"], records["weight"]
        bounds = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).tolist()
        self.slices = {name: slice(a, b) for name, a, b in zip(weights.attributes, bounds, bounds[1:])}

    def of(self, features: Sequence[Sequence[str]]) -> np.ndarray:
        """[tokens, labels]; a feature that the model never saw scores nothing."""
        scores = np.zeros((len(features), self.labels))
        for row, strings in zip(scores, features):
            for found in filter(None, map(self.slices.get, strings)):
                row[self.targets[found]] += self.weights[found]
        return scores
