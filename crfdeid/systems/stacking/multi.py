"""A stack of systems (Tafvizi 2011, chapter 1 and figure 1-2: the Multi-deidentifier "trains an SVM model
on the decisions" of five): each finds PHI by itself, and a linear SVM learns whom to trust, token
by token, with which type.

The systems are models in ``bases/NAME``. What they decide in the training documents is out of fold:
decided by models of the other folds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid import config
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model, registry
from crfdeid.systems.linear import classifier, design_matrix, svm
from crfdeid.systems.model import Tagger
from crfdeid.systems.stacking import cross_fitting
from crfdeid.systems.stacking.base_decisions import columns, listening
from crfdeid.systems.stacking.cross_fitting import Told
from crfdeid.text import scheme
from crfdeid.text.document import Document

BASES = "bases"
NAME = re.compile(r"[a-z][a-z0-9_]*")
SHARED = (
    "scheme",
    "tokenizer",
    "sequence",
    "pos",
    "overlaps",
)  # what a base has from the stack unless it says


@dataclass(frozen=True)
class Options:
    """``bases`` are at least two configurations by name; what they do not say of tokens and schemes is
    the stack's. ``folds`` of the training documents are cut by patients drawn from ``seed``;
    ``cost`` and ``phi_cost`` are those of :class:`crfdeid.systems.linear.svm.Options`."""

    bases: dict[str, dict[str, Any]] = field(default_factory=dict)
    folds: int = 3
    seed: int = 0
    cost: float = 1.0
    phi_cost: float = 1.0

    def __post_init__(self) -> None:
        if len(self.bases) < 2 or not all(isinstance(table, dict) for table in self.bases.values()):
            raise ValueError("bases: wanted two tables of settings or more, [options.bases.NAME]")
        for name in self.bases:
            if not NAME.fullmatch(name):
                raise ValueError(f"bases.{name}: wanted a name of small letters, digits and _")
        if not isinstance(self.folds, int) or self.folds < 2:
            raise ValueError(f"folds = {self.folds}: wanted a whole number, 2 or more")

    @property
    def svm(self) -> svm.Options:
        return svm.Options(cost=self.cost, phi_cost=self.phi_cost, seed=self.seed, least=1, boundaries=True)


class Model:
    """``tag`` knows one document alone; ``tag_all`` lets each system read the others ahead."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read_scheme(folder / "scheme.toml")
        names = settings(pipeline.config)
        self.bases = {name: model.load(folder / BASES / name) for name in names}
        self.told = Told()
        self.last = classifier.Tagger(folder, listening(pipeline, names, self.told))
        self.labels = self.last.labels

    def tag(self, document: Document) -> Document:
        return next(self.tag_all([document]))

    def tag_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents with the spans found, in order; some are held at once."""
        for groups in cross_fitting.together(documents):
            some = [document for group in groups for document in group]
            self.hear(some)
            yield from self.last.tag_all(some)

    def scores(self, document: Document) -> np.ndarray:
        """[tokens, labels], as :meth:`crfdeid.systems.linear.classifier.Tagger.scores`."""
        self.hear([document])
        return self.last.scores(document)

    def hear(self, documents: Sequence[Document]) -> None:
        """Let each system decide on the documents, for the SVM to be told."""
        decided = {name: list(model.tag_all(base, documents)) for name, base in self.bases.items()}
        self.told.columns = columns(self.pipeline, decided)


def train(
    pipeline: Pipeline,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Train each system on the folds and on all documents, and the SVM on what the folds decided."""
    options = registry.options(pipeline.config.system, pipeline.config.options)
    decided: dict[str, Sequence[Document]] = {}
    with cross_fitting.all_or_nothing():
        for name, base in settings(pipeline.config).items():

            def fit(some: Sequence[Document], where: Path, base: Config = base) -> Tagger:
                return model.train(some, base, where, on_iteration)

            decided[name] = cross_fitting.cross_fit(documents, options.folds, options.seed, folder, fit)
            fit(documents, folder / BASES / name)
    told = Told()
    told.columns = columns(pipeline, decided)
    longer = listening(pipeline, decided, told)
    found = design_matrix.of_tokens(longer, documents, options.svm.least, options.svm.boundaries)
    classifier.write(folder, svm.fit(found, options.svm, on_iteration))


def load(folder: Path, pipeline: Pipeline) -> Model:
    return Model(folder, pipeline)


def settings(stack: Config) -> dict[str, Config]:
    """The experiments of the bases, in the order of their names. Raises
    :class:`ConfigurationError` where one is none, or is a stack itself."""
    options = registry.options(stack.system, stack.options)
    shared = {key: getattr(stack, key) for key in SHARED}
    found = {}
    for name in sorted(options.bases):
        table = shared | options.bases[name]
        table["crf"] = config.flatten_keys(table.get("crf", {}))
        found[name] = registry.build_config(table, f"options.bases.{name}")
        if found[name].system == stack.system:
            raise ConfigurationError(f"options.bases.{name}: a {stack.system} in a {stack.system}")
    return found
