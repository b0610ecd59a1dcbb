"""Train a CRF on arrays, to CRFsuite's losses, and leave CRFsuite's model file."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.engine.crfsuite_file import model_file
from crfdeid.engine.training import tied_attributes
from crfdeid.engine.training.feature_counts import count_pairs
from crfdeid.engine.training.lbfgs import Settings, minimise
from crfdeid.engine.training.memory import return_freed_memory
from crfdeid.engine.training.objective import Corpus, Objective
from crfdeid.engine.training.parameters import Features
from crfdeid.engine.training.score_layout import build_layout
from crfdeid.engine.training.training_set import TrainingSet
from crfdeid.engine.training.transition_layout import Transitions, place_labels
from crfdeid.errors import ConfigurationError, Stopped

NAMES = {
    "c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "max_linesearch",
    "feature.minfreq", "feature.possible_states", "feature.possible_transitions",
}  # fmt: skip


def can_train(algorithm: str, settings: dict[str, Any]) -> bool:
    """Whether this engine knows the algorithm and all its settings: those of L-BFGS."""
    return algorithm == "lbfgs" and settings.keys() <= NAMES


def train(
    problem: TrainingSet,
    settings: dict[str, Any],
    path: Path,
    on_iteration: Callable[[int, float], None],
    threads: int = 2,
    start: model_file.Weights | None = None,
) -> None:
    """Fit ``problem`` with CRFsuite's ``settings``, from the weights ``start`` on; write its model
    file to ``path``. Ctrl-C after an iteration writes what there is and raises :class:`Stopped`."""
    with return_freed_memory():
        sets = (
            tied_attributes.leave_untied(problem) if start else tied_attributes.tie_attributes(problem)
        )  # twins begin with the same weight
        found = count_pairs(
            problem,
            sets,
            settings.get("feature.minfreq", 0),
            bool(settings.get("feature.possible_states", False)),
            bool(settings.get("feature.possible_transitions", False)),
        )
        place, width = place_labels(problem.labels)
        laid = build_layout(problem, sets, found, place)
    features = Features(problem.labels, problem.attributes, sets.number, sets.sizes, found)
    refuse_too_large(features, laid.rows, width, threads)
    corpus = Corpus(place[problem.gold], laid, Transitions(found.allowed, place, width))
    del problem, sets, laid  # their bundles are laid out: the memory goes back
    x, stopped = fit_weights(corpus, features, settings, start, on_iteration, threads)
    del corpus  # names of attributes take its memory
    features.write(path, x)
    if stopped:
        raise Stopped


def fit_weights(
    corpus: Corpus,
    features: Features,
    settings: dict[str, Any],
    start: model_file.Weights | None,
    on_iteration: Callable[[int, float], None],
    threads: int,
) -> tuple[np.ndarray, bool]:
    """The variables, and whether Ctrl-C was heard after an iteration."""
    chosen = {name: value for name, value in settings.items() if name in Settings.__dataclass_fields__}
    latest = [np.zeros(len(features)) if start is None else features.started(start)]

    def hear(number: int, loss: float, x: np.ndarray) -> None:
        latest.append(x)
        del latest[:-1]
        on_iteration(number, loss)

    with ThreadPoolExecutor(threads) as pool:
        objective = Objective(corpus, features, settings.get("c2", 1.0), pool, threads)
        try:
            return minimise(objective, latest[0], Settings(**chosen), hear, objective.vectors), False
        except KeyboardInterrupt:
            if not latest[-1].any():
                raise
            return latest[-1], True


def refuse_too_large(features: Features, rows: int, width: int, threads: int) -> None:
    """Raise :class:`ConfigurationError` where the arrays would not fit into the machine's memory."""
    vectors = (20 + threads) * len(features)  # six corrections of two vectors, and those in work
    wanted = 8 * (rows * width * (threads + 1) + vectors + 3 * width * width)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > there:
        raise ConfigurationError(
            f"training needs about {wanted / 1e9:,.1f} GB for {len(features.labels)} labels, "
            f"{rows} rows and {len(features)} features; "
            f"this machine has {there / 1e9:,.1f} GB: raise feature.minfreq, or use fewer types"
        )
