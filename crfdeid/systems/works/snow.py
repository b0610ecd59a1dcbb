"""A sparse network of Winnows, one token at a time, like SNoW's recogniser of entities (Sibanda &
Uzuner 2006, section 4.2; Roth & Yih 2002). That system then uses the relations between entities; this one
does not, because the corpora have none.

Each type has a target node with positive weights (Littlestone 1988). The first example of the target that
has a feature makes a link from the feature to the target. Where a target stays below the threshold at its
own example, the links of the features there are promoted; where it reaches the threshold at another's
example, they are demoted. The target with the highest activation wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from crfdeid.systems.registry import LINEAR, OF_TOKENS, System, Training, read_options
from crfdeid.systems.works.linear import (
    DesignMatrix,
    LinearClassifier,
    LinearTagger,
    build_matrix,
    write_classifier,
)


@dataclass(frozen=True)
class Options:
    """``promotion`` and ``demotion`` are the factors of the weights; ``rounds`` is the number of passes
    through the training documents, in their order. The weight of a new link is three times the threshold
    divided by the mean number of features of a token (SNoW user manual, "Basic Learning Rules").
    ``least`` is how often a feature must occur; ``boundaries`` makes separate B- and I- classes."""

    promotion: float = 1.35
    demotion: float = 0.8
    threshold: float = 4.0
    rounds: int = 5
    least: int = 2
    boundaries: bool = False

    def __post_init__(self) -> None:
        if not (self.promotion > 1 > self.demotion > 0 and self.threshold > 0 and self.rounds >= 1):
            raise ValueError("wanted promotion > 1 > demotion > 0, threshold > 0 and rounds >= 1")


def train(training: Training) -> None:
    """Fit on every token of the documents. ``on_iteration`` receives, after each round, the share of tokens
    at which some target was wrong."""
    model = training.model
    options = read_options(Options, model.config)
    design = build_matrix(model.pipeline, training.documents, options.least, options.boundaries)
    write_classifier(model.path, fit(design, options, training.on_iteration))


def fit(
    design: DesignMatrix, options: Options, on_iteration: Callable[[int, float], None] = lambda *_: None
) -> LinearClassifier:
    """Fit the network to the tokens in order."""
    matrix = design.matrix
    link = 3 * options.threshold * matrix.shape[0] / matrix.sum()
    weights = np.zeros((len(design.features), len(design.names)))
    bounds, labels = matrix.indptr.tolist(), design.labels.tolist()
    for number in range(1, options.rounds + 1):
        wrong = 0
        for begin, end, label in zip(bounds, bounds[1:], labels):
            shown = matrix.indices[begin:end], matrix.data[begin:end]
            wrong += update(weights, *shown, label, link, options)
        on_iteration(number, wrong / len(labels))
    return LinearClassifier(design.names, design.features, csr_matrix(weights))


def update(
    weights: np.ndarray, active: np.ndarray, strength: np.ndarray, label: int, link: float, options: Options
) -> bool:
    """Present one example, the features ``active``, to all targets, the columns of ``weights``. Return
    whether some target was wrong."""
    rows = weights[active]
    if not rows[:, label].all():
        rows[:, label] = np.where(rows[:, label] == 0, link, rows[:, label])
        weights[active, label] = rows[:, label]
    wrong = strength @ rows >= options.threshold
    wrong[label] = not wrong[label]
    if not wrong.any():
        return False
    factor = np.where(wrong, options.demotion, 1.0)
    factor[label] = options.promotion if wrong[label] else 1.0
    weights[active] = rows * factor
    return True


SYSTEM = System(
    Options, train, LinearTagger, settings=("recall_bias",), decoding=OF_TOKENS, explained_by=LINEAR
)
