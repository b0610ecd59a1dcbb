"""Train a CRF on arrays, with CRFsuite's losses, and write CRFsuite's model file."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.engine import crfsuite_file
from crfdeid.engine.training import feature_counts
from crfdeid.engine.training.feature_counts import count_pairs
from crfdeid.engine.training.lbfgs import Settings, minimise
from crfdeid.engine.training.objective import Corpus, Features, Objective
from crfdeid.engine.training.score_layout import build_layout
from crfdeid.engine.training.training_set import TrainingSet, return_freed_memory
from crfdeid.engine.training.transition_layout import Transitions, place_labels
from crfdeid.errors import ConfigurationError, Stopped

NAMES = {
    "c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "max_linesearch",
    "feature.minfreq", "feature.possible_states", "feature.possible_transitions",
}  # fmt: skip


def can_train(algorithm: str, settings: dict[str, Any]) -> bool:
    """Whether this engine has the algorithm and all its settings: it has L-BFGS."""
    return algorithm == "lbfgs" and settings.keys() <= NAMES


def train(
    training_set: TrainingSet,
    settings: dict[str, Any],
    path: Path,
    on_iteration: Callable[[int, float], None],
    threads: int = 2,
    start: crfsuite_file.Weights | None = None,
) -> None:
    """Fit ``training_set`` with CRFsuite's ``settings``, starting from the weights ``start``; write its model
    file to ``path``. ``on_iteration`` is called with the number and the loss of each iteration. Ctrl-C
    after an iteration writes the weights of that iteration and raises :class:`Stopped`."""
    with return_freed_memory():
        # Tied attributes must begin with the same weight.
        tie = feature_counts.leave_untied if start else feature_counts.tie_attributes
        sets = tie(training_set)
        pairs = count_pairs(
            training_set,
            sets,
            settings.get("feature.minfreq", 0),
            bool(settings.get("feature.possible_states", False)),
            bool(settings.get("feature.possible_transitions", False)),
        )
        place, width = place_labels(training_set.labels)
        layout = build_layout(training_set, sets, pairs, place)
    features = Features(training_set.labels, training_set.attributes, sets.number, sets.sizes, pairs)
    corrections = settings.get("num_memories", Settings.num_memories)
    refuse_too_large(features, layout.rows, width, threads, corrections)
    corpus = Corpus(place[training_set.gold], layout, Transitions(pairs.allowed, place, width))
    del training_set, sets, layout  # their memory is not needed any more
    x, stopped = fit_weights(corpus, features, settings, start, on_iteration, threads)
    del corpus  # before the names of attributes are made
    features.write(path, x)
    if stopped:
        raise Stopped


def fit_weights(
    corpus: Corpus,
    features: Features,
    settings: dict[str, Any],
    start: crfsuite_file.Weights | None,
    on_iteration: Callable[[int, float], None],
    threads: int,
) -> tuple[np.ndarray, bool]:
    """The variables of the last iteration, and whether Ctrl-C stopped the training."""
    chosen = {name: value for name, value in settings.items() if name in Settings.__dataclass_fields__}
    latest = np.zeros(len(features)) if start is None else features.match_weights(start)

    def report(number: int, loss: float, x: np.ndarray) -> None:
        nonlocal latest
        latest = x
        on_iteration(number, loss)

    with ThreadPoolExecutor(threads) as pool:
        objective = Objective(corpus, features, settings.get("c2", 1.0), pool, threads)
        try:
            return minimise(objective, latest, Settings(**chosen), report, objective.vectors), False
        except KeyboardInterrupt:
            if not latest.any():
                raise
            return latest, True


def refuse_too_large(features: Features, rows: int, width: int, threads: int, corrections: int) -> None:
    """Raise :class:`ConfigurationError` where the arrays would not fit into the machine's memory."""
    vectors = (2 * corrections + 8 + threads) * len(features)  # two for each correction, and working ones
    needed = 8 * (rows * width * (threads + 1) + vectors + 3 * width * width)
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > available:
        raise ConfigurationError(
            f"training needs about {needed / 1e9:,.1f} GB for {len(features.labels)} labels, "
            f"{rows} rows and {len(features)} features; "
            f"this machine has {available / 1e9:,.1f} GB: raise feature.minfreq, or use fewer types"
        )
