"""A CRF's weights by label, feature, template and feature group.

A CRF adds up weights: one for each feature of a token and each label, and one for going from a
label to the next (Lafferty, McCallum & Pereira 2001). A feature belongs to a template, and a
template to a feature group: the file of the model's ``features/`` that holds it. The constant
feature is a group of its own, ``bias``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from crfdeid.engine.crfsuite_file import model_file
from crfdeid.errors import ModelError, did_you_mean
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import crf, model_folder
from crfdeid.text import scheme

BIAS = "bias"


def template_of(feature: str) -> str:
    """
    >>> template_of("lower[-1]|shape[0]=x=1|a"), template_of("bias")
    ('lower[-1]|shape[0]', 'bias')
    """
    return feature.partition("=")[0]


def groups_in(files: Iterable[Path]) -> dict[str, str]:
    """The feature group of each template, by the template's name. A template that several
    files hold counts to the first."""
    found = {BIAS: BIAS}
    for file in files:
        for template in templates.read(file):
            found.setdefault(templates.title(template), file.stem)
    return found


@dataclass(frozen=True)
class Weight:
    """A weight with what it belongs to: a feature and its group, or two labels' names."""

    name: str
    value: float
    group: str = ""


class ModelWeights:
    """A CRF's weights and line. ``numbers`` are the features by name, ``state`` the weights
    [features, labels], sparse, with an empty row at the end for features that the model lacks;
    ``transitions`` those [labels, labels] from row to column."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        self.folder, self.pipeline = folder, pipeline
        self.scheme = scheme.read(folder / "scheme.toml")
        found = model_file.read(folder / crf.CRFSUITE)
        self.labels, self.features, self.transitions = found.labels, found.attributes, found.transitions
        self.numbers = {feature: number for number, feature in enumerate(self.features)}
        rows = found.records[found.records["kind"] == model_file.STATE]
        self.size, self.moves = len(rows), len(found.records) - len(rows)
        shape = len(self.features) + 1, len(self.labels)
        self.state = csr_matrix((rows["weight"], (rows["source"], rows["target"])), shape)
        self.groups = groups_in(folder / "features" / name for name in pipeline.config.features)

    def group(self, feature: str) -> str:
        return self.groups[template_of(feature)]

    def strongest(self, label: str, top: int, sign: int = 1) -> list[Weight]:
        """The features with the greatest weights for ``label``, or against it where ``sign`` is
        -1. Raises :class:`ModelError` on a label that the model does not have."""
        column = self.state[:, [self.label(label)]].toarray()[:-1, 0]
        order = np.argsort(-sign * column, kind="stable")[:top].tolist()
        chosen = ((self.features[number], float(column[number])) for number in order)
        return [Weight(name, value, self.group(name)) for name, value in chosen if value * sign > 0]

    def moved(self, top: int, sign: int = 1, label: str | None = None) -> list[Weight]:
        """The strongest transitions, those from or to ``label`` alone if it is given."""
        table = sign * self.transitions
        if label is not None:
            chosen, keep = self.label(label), np.zeros(table.shape, bool)
            keep[chosen], keep[:, chosen] = True, True
            table = np.where(keep, table, 0.0)
        found = []
        for place in np.argsort(-table, axis=None, kind="stable")[:top].tolist():
            before, after = divmod(place, len(self.labels))
            if table[before, after] > 0:
                name = f"{self.labels[before]} → {self.labels[after]}"
                found.append(Weight(name, float(self.transitions[before, after])))
        return found

    def label(self, name: str) -> int:
        if name not in self.labels:
            raise ModelError(f"{self.folder}: no label {name}{did_you_mean(name, self.labels)}")
        return self.labels.index(name)

    def by_group(self) -> list[tuple[str, int, int, float]]:
        """Group, features, weights that are not 0, and the sum of their sizes; the heaviest first."""
        owners = np.array([self.group(feature) for feature in self.features])
        found = []
        for group in dict.fromkeys(self.groups.values()):
            rows = self.state[np.flatnonzero(owners == group)]
            found.append((group, rows.shape[0], rows.count_nonzero(), float(abs(rows).sum())))
        return sorted(found, key=lambda row: -row[3])

    def parts(self, features: Sequence[str]) -> np.ndarray:
        """The weights [features, labels] of these features, 0 for those the model lacks."""
        unknown = len(self.features)
        return self.state[[self.numbers.get(feature, unknown) for feature in features]].toarray()


def load(folder: Path | str) -> ModelWeights:
    """The CRF in a model's folder. Raises :class:`ModelError` where it is no intact model, or
    of another system."""
    folder = Path(folder)
    line = model_folder.opened(folder)
    if (system := line.config.system) != "crf":
        raise ModelError(f"{folder}: a model of the system {system}; only a crf has weights to explain")
    return ModelWeights(folder, line)
