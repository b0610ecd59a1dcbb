"""A linear support vector machine on local context, one token at a time (Sibanda & Uzuner 2006,
section 5; Tafvizi 2011, whose "Mega-deidentifier" is this with the features of five systems).

scikit-learn's LinearSVC, which is liblinear (Tafvizi, section 3.1: "about 30 seconds" instead of
LibSVM's hours, "near identical performance").
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from crfdeid import bio, systems
from crfdeid.document import Document
from crfdeid.line import Line
from crfdeid.systems import linear
from crfdeid.systems.linear import Examples, Linear, Tagger

MULTICLASS = {"one-vs-rest": "ovr", "crammer-singer": "crammer_singer"}


@dataclass(frozen=True)
class Options:
    """``cost`` is C; ``phi_cost`` times as much is paid for a token of PHI that is taken for
    something else, and ``costs`` times as much for those of some types (both 1 unless set).
    ``least`` is how often a feature must occur; ``boundaries`` makes B- and I- classes of their
    own, where the papers have types; ``tolerance`` is where liblinear stops."""

    multiclass: str = "one-vs-rest"
    cost: float = 1.0
    phi_cost: float = 1.0
    costs: dict[str, float] = field(default_factory=dict)
    least: int = 2
    boundaries: bool = False
    tolerance: float = 0.01
    iterations: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.multiclass not in MULTICLASS:
            raise ValueError(f"multiclass = {self.multiclass!r}: wanted one of {', '.join(MULTICLASS)}")
        for name, value in {
            "cost": self.cost,
            "tolerance": self.tolerance,
            "phi_cost": self.phi_cost,
            **self.costs,
        }.items():
            if not value > 0:
                raise ValueError(f"{name} = {value}: wanted a number above 0")

    def weight(self, label: str) -> float:
        """What an error on a token of ``label`` costs, in units of ``cost``."""
        return 1.0 if label == bio.OUTSIDE else self.phi_cost * self.costs.get(label[2:], 1.0)


def train(
    line: Line,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Fit on every token of ``documents``; liblinear tells nothing of its iterations."""
    options = systems.options(line.experiment.system, line.experiment.options)
    found = linear.examples(line, documents, options.least, options.boundaries)
    linear.write(folder, fit(found, options))


def fit(found: Examples, options: Options) -> Linear:
    """The machine as weights. The intercept is the weight of the feature that every token has,
    as in liblinear itself. Its dual solver takes seconds where the primal one takes minutes, and
    leaves most weights 0."""
    machine = LinearSVC(
        C=options.cost,
        multi_class=MULTICLASS[options.multiclass],
        class_weight={number: options.weight(name) for number, name in enumerate(found.names)},
        dual=True,
        fit_intercept=False,
        tol=options.tolerance,
        max_iter=options.iterations,
        random_state=options.seed,
    )
    with warnings.catch_warnings():  # where it stops short it is as deterministic, and the scores tell
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(found.matrix, found.labels)
    rows = machine.coef_ if len(machine.coef_) > 1 else np.concatenate([-machine.coef_, machine.coef_])
    return Linear(found.names, found.features, csr_matrix(rows.T))


def load(folder: Path, line: Line) -> Tagger:
    return Tagger(folder, line)
