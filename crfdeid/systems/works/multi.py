"""A stack of systems (Tafvizi 2011, chapter 1 and figure 1-2: the Multi-deidentifier "trains an SVM model
on the decisions" of five). Each system finds PHI by itself; a linear SVM learns, for each token and type,
which system to trust.

The systems are models in ``bases/NAME``. Their decisions about the training documents are out of fold
(:mod:`crfdeid.systems.works.cross_fitting`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.config import Config, flatten_keys
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns, Template
from crfdeid.feature_extraction.token import Value
from crfdeid.systems import model
from crfdeid.systems.registry import LINEAR, System, Training, build_config, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.systems.works import cross_fitting, svm
from crfdeid.systems.works.linear import LinearTagger, build_matrix, write_classifier
from crfdeid.text import bio
from crfdeid.text.document import Document

BASES = "bases"
NAME = re.compile(r"[a-z][a-z0-9_]*")
SHARED = ("scheme", "tokenizer", "sequence", "pos", "overlaps")  # a base has these from the stack by default


@dataclass(frozen=True)
class Options:
    """``bases`` are at least two configurations by name; the settings of :data:`SHARED` that they do not
    set are the stack's. ``folds`` is the number of folds of the training documents; ``seed`` draws which
    patients are in which fold. ``cost`` and ``phi_cost`` are those of
    :class:`crfdeid.systems.works.svm.Options`."""

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


class MultiTagger(Tagger):
    """The stack. ``tag`` sees one document only; ``tag_all`` lets each system read the next documents."""

    scores_tokens = True
    operating_setting = "recall_bias"

    def __init__(self, model_folder: ModelFolder) -> None:
        super().__init__(model_folder)
        names = build_bases(self.config)
        self.bases = {name: model.load(self.folder / BASES / name) for name in names}
        self.last = LinearTagger(replace(model_folder, pipeline=extend_pipeline(self.pipeline, names)))
        self.labels = self.last.labels
        self.parts = (*self.bases.values(), self.last)

    def score_tokens(self, document: Document) -> np.ndarray:
        """Return the SVM's scores [tokens, labels]."""
        return self.last.score_tokens(document, self.ask_bases([document]))

    def ask_bases(self, documents: Sequence[Document]) -> list[Columns]:
        """Let each system decide, and return the SVM's extra columns of each document."""
        decided = {name: list(base.tag_unrepaired(documents)) for name, base in self.bases.items()}
        return make_columns(self.pipeline, decided)

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        for some in cross_fitting.batch_patients(documents):
            yield from self.last.tag_with_columns(some, self.ask_bases(some))


def train(training: Training) -> None:
    """Train each system on the folds and on all documents, and the SVM on the decisions of the folds."""
    folder, documents = training.model, training.documents
    options = read_options(Options, folder.config)
    decided: dict[str, Sequence[Document]] = {}
    with cross_fitting.all_or_nothing():
        for name, base in build_bases(folder.config).items():
            train_base = partial(_train_base, training, base)
            seed = options.seed
            decided[name] = cross_fitting.cross_fit(documents, options.folds, seed, folder.path, train_base)
            train_base(documents, folder.path / BASES / name)
    columns = make_columns(folder.pipeline, decided)
    longer = extend_pipeline(folder.pipeline, decided)
    design = build_matrix(longer, documents, options.svm.least, options.svm.boundaries, columns)
    write_classifier(folder.path, svm.fit(design, options.svm, training.on_iteration))


def _train_base(training: Training, base: Config, documents: Sequence[Document], folder: Path) -> Tagger:
    return model.train(documents, base, folder, training.on_iteration)


def build_bases(stack: Config) -> dict[str, Config]:
    """Build the configurations of the bases, in the order of their names. Raises
    :class:`ConfigurationError` where one is not a configuration, or is a stack itself."""
    options = read_options(Options, stack)
    shared = {key: getattr(stack, key) for key in SHARED}
    bases = {}
    for name in sorted(options.bases):
        table = shared | options.bases[name]
        table["crf"] = flatten_keys(table.get("crf", {}))
        bases[name] = build_config(table, f"options.bases.{name}")
        if bases[name].system == stack.system:
            raise ConfigurationError(f"options.bases.{name}: a {stack.system} in a {stack.system}")
    return bases


def extend_pipeline(pipeline: Pipeline, names: Iterable[str]) -> Pipeline:
    """Return the SVM's pipeline: the decision of each system here and beside, of each two, and of all,
    and how many say PHI."""
    decisions = [f"by_{name}" for name in names]
    added: list[Template] = [((name, offset),) for name in decisions for offset in (-1, 0, 1)]
    added += [((a, 0), (b, 0)) for a, b in combinations(decisions, 2)]
    added += [
        tuple((name, 0) for name in decisions),
        (("votes", 0),),
        (("most", 0),),
        (("votes", 0), ("most", 0)),
    ]
    added += [((name, -1), (name, 0)) for name in ("votes", "most")]
    return pipeline.with_extra_columns(added, [*decisions, "votes", "most"])


def make_columns(pipeline: Pipeline, decided: Mapping[str, Sequence[Document]]) -> list[Columns]:
    """Return the SVM's extra columns of each document: the decisions as BIO labels of the stack's own
    tokens, the number of votes for PHI, and the type with most votes."""
    columns: list[Columns] = []
    for versions in zip(*decided.values()):
        tokens = pipeline.tokenize(versions[0].text)
        labels = [bio.encode(tokens, document.spans) for document in versions]
        own: dict[str, list[Value]] = {f"by_{name}": [*row] for name, row in zip(decided, labels)}
        own["votes"] = [str(sum(label != bio.OUTSIDE for label in row)) for row in zip(*labels)]
        own["most"] = [find_majority(row) for row in zip(*labels)]
        columns.append(own)
    return columns


def find_majority(labels: Iterable[str]) -> Value:
    """Return the type with most votes, the first by name on a tie; ``None`` without votes.

    >>> find_majority(["B-DATE", "I-DATE", "B-AGE", "O", "O", "O"]), find_majority(["O"])
    ('DATE', None)
    """
    counts = Counter(label[2:] for label in labels if label != bio.OUTSIDE)
    return min(counts, key=lambda type: (-counts[type], type), default=None)


SYSTEM = System(
    Options, train, MultiTagger, needs_features=False, settings=("recall_bias",), explained_by=LINEAR
)
