"""A linear support vector machine on local context, one token at a time (Sibanda & Uzuner 2006,
section 5; Tafvizi 2011, whose "Mega-deidentifier" is this with the features of five systems).

It is scikit-learn's LinearSVC, which is liblinear (Tafvizi, section 3.1: "about 30 seconds" instead of
LibSVM's hours, "near identical performance").
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.systems.registry import LINEAR, OF_TOKENS, System, Training, read_options
from crfdeid.systems.works.linear import (
    DesignMatrix,
    LinearClassifier,
    LinearTagger,
    build_matrix,
    write_classifier,
)
from crfdeid.text import bio

LOSSES = ("squared_hinge", "hinge")
MULTICLASS = {"one-vs-rest": "ovr", "crammer-singer": "crammer_singer"}


@dataclass(frozen=True)
class Options:
    """``cost`` is C. An error on a token of PHI costs ``phi_cost`` times as much, and ``costs`` times as
    much again for its type (both are 1 by default). ``least`` is how often a feature must occur;
    ``boundaries`` makes separate B- and I- classes, where the papers have types; ``tolerance`` is
    liblinear's; ``loss`` is that of one class against the rest (Crammer and Singer's machine has its own)."""

    multiclass: str = "one-vs-rest"
    cost: float = 1.0
    phi_cost: float = 1.0
    costs: dict[str, float] = field(default_factory=dict)
    least: int = 2
    boundaries: bool = False
    tolerance: float = 0.01
    iterations: int = 1000
    seed: int = 0
    loss: str = "squared_hinge"

    def __post_init__(self) -> None:
        for key, known in (("multiclass", MULTICLASS), ("loss", LOSSES)):
            if (chosen := getattr(self, key)) not in known:
                raise ValueError(f"{key} = {chosen!r}: wanted one of {', '.join(known)}")
        for name, value in {
            "cost": self.cost,
            "tolerance": self.tolerance,
            "phi_cost": self.phi_cost,
            **self.costs,
        }.items():
            if not value > 0:
                raise ValueError(f"{name} = {value}: wanted a number above 0")

    def find_cost(self, label: str) -> float:
        """Return the cost of an error on a token of ``label``, in units of ``cost``."""
        return 1.0 if label == bio.OUTSIDE else self.phi_cost * self.costs.get(label[2:], 1.0)


def train(training: Training) -> None:
    """Fit one classifier on every token of the documents."""
    model = training.model
    options = read_options(Options, model.config)
    check_costs(options, model.scheme.types)
    design = build_matrix(model.pipeline, training.documents, options.least, options.boundaries)
    write_classifier(model.path, fit(design, options, training.on_iteration))


def check_costs(options: Options, types: Collection[str]) -> None:
    """Raise :class:`ConfigurationError` where ``costs`` names a type that the scheme does not have."""
    for type in options.costs:
        if type not in types:
            raise ConfigurationError(
                f"options.costs.{type}: not a type of the scheme{did_you_mean(type, types)}"
            )


def fit(
    design: DesignMatrix, options: Options, on_iteration: Callable[[int, float], None] = lambda *_: None
) -> LinearClassifier:
    """Fit one machine per class. ``on_iteration`` receives, after each class, its number and the share of
    tokens on the wrong side. Ctrl-C works between classes only, not inside liblinear, which fits Crammer
    and Singer's classes at once."""
    costs = np.array([options.find_cost(name) for name in design.names])[design.labels]
    if options.multiclass == "one-vs-rest":
        rows = fit_one_vs_rest(design, options, costs, on_iteration)
    else:
        rows = fit_machine(design.matrix, design.labels, options, costs).coef_
        on_iteration(1, 0.0)
    both = rows if len(rows) > 1 else np.concatenate([-rows, rows])
    return LinearClassifier(design.names, design.features, csr_matrix(both.T))


def fit_one_vs_rest(
    design: DesignMatrix, options: Options, costs: np.ndarray, on_iteration: Callable[[int, float], None]
) -> np.ndarray:
    """Return the weights [classes, features]; of two classes, only the second's row."""
    rows = []
    for number in range(len(design.names)) if len(design.names) > 2 else [1]:
        own = design.labels == number
        rows.append(fit_machine(design.matrix, own, options, costs).coef_[0])
        on_iteration(number + 1, float(((design.matrix @ rows[-1] > 0) != own).mean()))
    return np.array(rows)


def fit_machine(matrix: csr_matrix, labels: np.ndarray, options: Options, costs: np.ndarray) -> LinearSVC:
    """Fit LinearSVC; ``costs`` [tokens] are in units of ``cost``. The intercept is the weight of the
    feature that every token has, as in liblinear itself. The dual solver takes seconds, the primal one
    minutes; the dual one also leaves most weights 0."""
    machine = LinearSVC(
        C=options.cost,
        multi_class=MULTICLASS[options.multiclass],
        loss=options.loss,
        dual=True,
        fit_intercept=False,
        tol=options.tolerance,
        max_iter=options.iterations,
        random_state=options.seed,
    )
    with warnings.catch_warnings():  # a fit that stops early is deterministic too, and the scores show it
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(matrix, labels, costs)


SYSTEM = System(
    Options, train, LinearTagger, settings=("recall_bias",), decoding=OF_TOKENS, explained_by=LINEAR
)
