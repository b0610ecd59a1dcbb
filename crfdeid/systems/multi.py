"""A stack of systems (Tafvizi 2011, chapter 1 and figure 1-2: the Multi-deidentifier "trains an SVM model
on the decisions" of five): each finds PHI by itself, and a linear SVM learns whom to trust, token
by token, with which type.

The systems are models in ``bases/NAME``. What they decide in the training documents is out of fold:
decided by models of the other folds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from crfdeid import bio, experiment, model, scheme, systems
from crfdeid.document import Document
from crfdeid.experiment import Experiment
from crfdeid.faults import ConfigurationFault
from crfdeid.line import Line
from crfdeid.model import Tagger
from crfdeid.observations import Value
from crfdeid.systems import linear, stages, svm
from crfdeid.systems.stages import Columns, Told
from crfdeid.templates import Template

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
    ``cost`` and ``phi_cost`` are those of :class:`crfdeid.systems.svm.Options`."""

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

    def __init__(self, folder: Path, line: Line) -> None:
        self.folder, self.line = folder, line
        self.scheme = scheme.read(folder / "scheme.toml")
        names = settings(line.experiment)
        self.bases = {name: model.load(folder / BASES / name) for name in names}
        self.told = Told()
        self.last = linear.Tagger(folder, listening(line, names, self.told))

    def tag(self, document: Document) -> Document:
        return next(self.tag_all([document]))

    def tag_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents with the spans found, in order; some are held at once."""
        for groups in stages.together(documents):
            some = [document for group in groups for document in group]
            decided = {name: list(model.tag_all(base, some)) for name, base in self.bases.items()}
            self.told.columns = columns(self.line, decided)
            yield from self.last.tag_all(some)


def train(
    line: Line,
    documents: Sequence[Document],
    folder: Path,
    on_iteration: Callable[[int, float], None],
) -> None:
    """Train each system on the folds and on all documents, and the SVM on what the folds decided."""
    options = systems.options(line.experiment.system, line.experiment.options)
    decided: dict[str, Sequence[Document]] = {}
    with stages.all_or_nothing():
        for name, base in settings(line.experiment).items():

            def fit(some: Sequence[Document], where: Path, base: Experiment = base) -> Tagger:
                return model.train(some, base, where, on_iteration)

            decided[name] = stages.out_of_fold(documents, options.folds, options.seed, folder, fit)
            fit(documents, folder / BASES / name)
    told = Told()
    told.columns = columns(line, decided)
    longer = listening(line, decided, told)
    found = linear.examples(longer, documents, options.svm.least, options.svm.boundaries)
    linear.write(folder, svm.fit(found, options.svm))


def load(folder: Path, line: Line) -> Model:
    return Model(folder, line)


def settings(stack: Experiment) -> dict[str, Experiment]:
    """The experiments of the bases, in the order of their names. Raises
    :class:`ConfigurationFault` where one is none, or is a stack itself."""
    options = systems.options(stack.system, stack.options)
    shared = {key: getattr(stack, key) for key in SHARED}
    found = {}
    for name in sorted(options.bases):
        table = shared | options.bases[name]
        table["crf"] = experiment.flat(table.get("crf", {}))
        found[name] = experiment.build(table, f"options.bases.{name}")
        if found[name].system == stack.system:
            raise ConfigurationFault(f"options.bases.{name}: a {stack.system} in a {stack.system}")
    return found


def listening(line: Line, names: Iterable[str], told: Told) -> Line:
    """The SVM's line: what each system says here and beside, what each two say, what all say, and
    for how many it is PHI."""
    said = [f"by_{name}" for name in names]
    wanted: list[Template] = [((name, offset),) for name in said for offset in (-1, 0, 1)]
    wanted += [((a, 0), (b, 0)) for a, b in combinations(said, 2)]
    wanted += [
        tuple((name, 0) for name in said),
        (("votes", 0),),
        (("most", 0),),
        (("votes", 0), ("most", 0)),
    ]
    wanted += [((name, -1), (name, 0)) for name in ("votes", "most")]
    return stages.listening(line, wanted, [*said, "votes", "most"], told)


def columns(line: Line, decided: Mapping[str, Sequence[Document]]) -> dict[str, Columns]:
    """What the SVM is told of each document, by its text: BIO labels on the stack's own tokens."""
    found: dict[str, Columns] = {}
    for versions in zip(*decided.values()):
        tokens = line.tokenize(versions[0].text)
        labels = [bio.encode(tokens, document.spans) for document in versions]
        found[versions[0].text] = {f"by_{name}": row for name, row in zip(decided, labels)} | {
            "votes": [str(sum(label != bio.OUTSIDE for label in row)) for row in zip(*labels)],
            "most": [most(row) for row in zip(*labels)],
        }
    return found


def most(labels: Iterable[str]) -> Value:
    """The type that most say, the first by name on a tie; nothing where nobody says any.

    >>> most(["B-DATE", "I-DATE", "B-AGE", "O", "O", "O"]), most(["O"])
    ('DATE', None)
    """
    counts = Counter(label[2:] for label in labels if label != bio.OUTSIDE)
    return min(counts, key=lambda type: (-counts[type], type), default=None)
