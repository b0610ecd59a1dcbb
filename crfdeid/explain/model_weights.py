"""The weights of a CRF, or of a linear classifier of tokens, by label, feature, template and feature group.

The score of a labelling is a sum of weights: one for each feature of a token and its label, and one for
each transition from a label to the next (Lafferty, McCallum & Pereira 2001). A feature belongs to a
template, and a template to a feature group: the file in the model's ``features/`` that defines it. The
constant feature ``bias`` is a group by itself. A linear classifier (svm, mega, snow) is a sum in the same
way, with no transitions. The last classifier of a stack (multi), and the second CRF of ``two_stage``, see the
decisions of the systems before them, which are the group ``decisions``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from crfdeid.engine import crfsuite_file
from crfdeid.errors import ModelError, did_you_mean
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.templates import NO_COLUMNS, Columns, template_of
from crfdeid.systems import crf, model, model_folder
from crfdeid.systems.registry import LINEAR, SECOND, SYSTEMS, TREES, WEIGHTS, find_system
from crfdeid.systems.tagger import ModelFolder
from crfdeid.text.document import Document

BIAS, DECISIONS = "bias", "decisions"
FindColumns = Callable[[Sequence[Document]], Sequence[Columns]]


def map_groups(files: Iterable[Path]) -> dict[str, str]:
    """The feature group of each template, by the template's name. A template that several
    files define belongs to the first."""
    groups = {BIAS: BIAS}
    for file in files:
        for template in templates.read_templates(file):
            groups.setdefault(templates.format_template(template), file.stem)
    return groups


@dataclass(frozen=True)
class Weight:
    """A weight, with the feature and its group, or with the labels of a transition."""

    name: str
    value: float
    group: str = ""


class ModelWeights:
    """A model's weights (by default of its CRF file) and pipeline. ``numbers`` are the features'
    numbers by name. ``state`` [features + 1, labels] are their weights, sparse; its last row is empty, for
    features that the model does not have. ``transitions`` [labels, labels] are the weights from row to
    column. ``find_columns`` gives the extra columns of each of a patient's notes, where the pipeline has
    some; ``decisions`` are those of them that are labels of another system."""

    def __init__(
        self,
        model: ModelFolder,
        weights: crfsuite_file.Weights | None = None,
        find_columns: FindColumns = lambda notes: [NO_COLUMNS] * len(notes),
        decisions: Sequence[str] = (),
    ) -> None:
        self.folder, self.config = model.path, model.config
        self.pipeline, self.scheme = model.pipeline, model.scheme
        self.has_probabilities = weights is None
        self.find_columns, self.decisions = find_columns, decisions
        file = weights or crfsuite_file.read(crf.find_weights(model.path))
        self.labels, self.features, self.transitions = file.labels, file.attributes, file.transitions
        self.numbers = {feature: number for number, feature in enumerate(self.features)}
        rows = file.records[file.records["kind"] == crfsuite_file.STATE]
        self.weight_count, self.transition_count = len(rows), len(file.records) - len(rows)
        shape = len(self.features) + 1, len(self.labels)
        self.state = csr_matrix((rows["weight"], (rows["source"], rows["target"])), shape)
        self.groups = map_groups(model.path / "features" / name for name in model.config.features)
        for template in self.pipeline.extractor.templates:
            self.groups.setdefault(templates.format_template(template), DECISIONS)

    def group(self, feature: str) -> str:
        return self.groups[template_of(feature)]

    def strongest_features(self, label: str, top: int, sign: int = 1) -> list[Weight]:
        """The ``top`` features with the greatest weights for ``label``, or against it where ``sign`` is
        -1. Raises :class:`ModelError` where the model does not have the label."""
        column = self.state[:, [self.label_number(label)]].toarray()[:-1, 0]
        order = np.argsort(-sign * column, kind="stable")[:top].tolist()
        chosen = ((self.features[number], float(column[number])) for number in order)
        return [Weight(name, value, self.group(name)) for name, value in chosen if value * sign > 0]

    def strongest_transitions(self, top: int, sign: int = 1, label: str | None = None) -> list[Weight]:
        """The ``top`` transitions with the greatest weights (the least where ``sign`` is -1), of all, or
        only of those from and to ``label``."""
        table = sign * self.transitions
        if label is not None:
            chosen, keep = self.label_number(label), np.zeros(table.shape, bool)
            keep[chosen], keep[:, chosen] = True, True
            table = np.where(keep, table, 0.0)
        found = []
        for place in np.argsort(-table, axis=None, kind="stable")[:top].tolist():
            before, after = divmod(place, len(self.labels))
            if table[before, after] > 0:
                name = f"{self.labels[before]} → {self.labels[after]}"
                found.append(Weight(name, float(self.transitions[before, after])))
        return found

    def label_number(self, name: str) -> int:
        if name not in self.labels:
            raise ModelError(f"{self.folder}: no label {name}{did_you_mean(name, self.labels)}")
        return self.labels.index(name)

    def by_group(self) -> list[tuple[str, int, int, float]]:
        """Each group, its number of features, its number of weights other than 0, and the sum of their
        absolute values; the greatest sum first."""
        owners = np.array([self.group(feature) for feature in self.features])
        found = []
        for group in dict.fromkeys(self.groups.values()):
            rows = self.state[np.flatnonzero(owners == group)]
            found.append((group, rows.shape[0], rows.count_nonzero(), float(abs(rows).sum())))
        return sorted(found, key=lambda row: -row[3])

    def feature_weights(self, features: Sequence[str]) -> np.ndarray:
        """The weights [features, labels] of these features, 0 for features that the model does not have."""
        unknown = len(self.features)
        return self.state[[self.numbers.get(feature, unknown) for feature in features]].toarray()


def load(folder: Path | str) -> ModelWeights:
    """Load the weights of the model in a folder. Raises :class:`ModelError` where the folder is not an intact
    model, or its model is of a system that has none."""
    folder = Path(folder)
    found = model_folder.read_folder(folder)
    explained = find_system(found.config.system).explained_by
    if explained in (WEIGHTS, TREES):
        return ModelWeights(found)
    if explained == SECOND:
        return load_second_stage(folder)
    if explained == LINEAR:
        return load_linear(folder)
    kinds = (WEIGHTS, TREES, SECOND, LINEAR)
    able = [name for name in SYSTEMS if find_system(name).explained_by in kinds]
    raise ModelError(
        f"{folder}: a model of the system {found.config.system}; "
        f"only {', '.join(able)} have weights to explain"
    )


def load_second_stage(folder: Path) -> ModelWeights:
    """Load the weights of the second CRF, which sees the labels of the first."""
    from crfdeid.systems.works.two_stage import FIRST, TwoStageTagger

    tagger = model.load(str(folder))
    assert isinstance(tagger, TwoStageTagger)
    return ModelWeights(tagger.second.model, find_columns=tagger.ask_first, decisions=[FIRST])


def load_linear(folder: Path) -> ModelWeights:
    """Load the weights of a linear classifier, or of that which ends a stack."""
    from crfdeid.systems.works.linear import LinearTagger  # scikit-learn takes a second to import
    from crfdeid.systems.works.multi import MultiTagger

    tagger = model.load(str(folder))
    if isinstance(tagger, MultiTagger):
        decisions = [f"by_{name}" for name in tagger.bases]
        last = tagger.last
        return ModelWeights(last.model, last.classifier.as_weights(), tagger.ask_bases, decisions)
    assert isinstance(tagger, LinearTagger)
    return ModelWeights(tagger.model, tagger.classifier.as_weights())
