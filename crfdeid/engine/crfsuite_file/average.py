"""The mean of several CRFs as one CRF.

A CRF scores a labelling by a sum of weights. So where models have the same templates, the mean of their
weights, 0 where a model does not have one, scores with the mean of their scores: a logarithmic opinion pool
(Smith, Cohn & Osborne 2005). It is one CRF: decoding costs what it costs for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from crfdeid.engine.crfsuite_file import model_file
from crfdeid.engine.crfsuite_file.model_file import STATE, TRANSITION, Weights


def average_files(paths: Sequence[Path], path: Path) -> None:
    """Write the mean of the models in the files ``paths`` to the file ``path``."""
    models = [model_file.read(one) for one in paths]
    labels = list(dict.fromkeys(label for model in models for label in model.labels))
    attributes = list(dict.fromkeys(name for model in models for name in model.attributes))
    states = average_rows(models, STATE, attributes, labels)
    transitions = average_rows(models, TRANSITION, labels, labels)
    model_file.write(path, labels, attributes, np.concatenate([states, transitions]))


def average_rows(
    models: Sequence[Weights], kind: int, sources: Iterable[str], labels: Sequence[str]
) -> np.ndarray:
    """Return the rows of one kind with the mean weights, as numbers of ``sources`` and ``labels``."""
    source_number = {name: number for number, name in enumerate(sources)}
    label_number = {name: number for number, name in enumerate(labels)}
    places, values = [], []
    for model in models:
        rows = model.records[model.records["kind"] == kind]
        names = model.attributes if kind == STATE else model.labels
        source = np.array([source_number[name] for name in names], np.int64)[rows["source"]]
        target = np.array([label_number[name] for name in model.labels], np.int64)[rows["target"]]
        places.append(source * len(labels) + target)
        values.append(rows["weight"])
    known, at = np.unique(np.concatenate(places), return_inverse=True)
    means = np.bincount(at, np.concatenate(values), len(known)) / len(models)
    return model_file.make_records(kind, known // len(labels), known % len(labels), means)
