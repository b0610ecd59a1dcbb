"""A linear classifier of one token at a time: what ``svm``, ``mega``, ``snow`` and ``multi`` learn.

    names.json    {"labels": [...], "features": [...]}
    weights.npz   data, indices, indptr of a sparse matrix [features, labels]

It is a CRF without transitions, so the fast decoder tags with it: a token's scores are the sums
of its features' rows, and its label is the best of them.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack

from crfdeid.engine.arrays.batch import decode_spans
from crfdeid.engine.crfsuite_file import model_file
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import ModelError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.files import open_whole
from crfdeid.systems.crf import BATCH, batches
from crfdeid.text import bio, scheme
from crfdeid.text.document import Document
from crfdeid.text.spans import trim_spans

NAMES, WEIGHTS = "names.json", "weights.npz"
BIAS = "bias"  # the feature that every token has


@dataclass(frozen=True)
class Linear:
    """``matrix`` [features, labels] holds the weights."""

    labels: list[str]
    features: list[str]
    matrix: csr_matrix

    def biased(self, amount: float) -> Linear:
        """With ``amount`` taken off the score of the label O at every token."""
        if not amount or bio.OUTSIDE not in self.labels:
            return self
        change = np.zeros((1, len(self.labels)))
        change[0, self.labels.index(bio.OUTSIDE)] = -amount
        if BIAS not in self.features:
            return Linear(self.labels, [*self.features, BIAS], vstack([self.matrix, change]).tocsr())
        where = csr_matrix(([1.0], ([self.features.index(BIAS)], [0])), (len(self.features), 1))
        return Linear(self.labels, self.features, (self.matrix + where @ csr_matrix(change)).tocsr())

    def as_weights(self) -> model_file.Weights:
        """The same as a CRF whose transitions weigh nothing."""
        cells = self.matrix.tocoo()
        rows = model_file.make_records(model_file.STATE, cells.row, cells.col, cells.data)
        size = len(self.labels)
        return model_file.Weights(self.labels, self.features, rows, np.zeros((size, size)))


def write(folder: Path, linear: Linear) -> None:
    """Leave the two files in ``folder``; features without a weight are left out."""
    matrix = linear.matrix.tocsr()
    matrix.eliminate_zeros()
    used = np.flatnonzero(np.diff(matrix.indptr))
    matrix = matrix[used]
    names = {"labels": linear.labels, "features": [linear.features[n] for n in used.tolist()]}
    with open_whole(folder / NAMES) as file:
        json.dump(names, file, indent=0)
    arrays = {"data": matrix.data.astype("<f4"), "indices": matrix.indices, "indptr": matrix.indptr}
    with open_whole(folder / WEIGHTS, "wb") as file:
        np.savez_compressed(file, **arrays)


def read(folder: Path) -> Linear:
    """Raises :class:`ModelError` where the files are damaged or do not fit each other."""
    try:
        names = json.loads((folder / NAMES).read_text(encoding="utf-8"))
        with np.load(folder / WEIGHTS, allow_pickle=False) as arrays:
            parts = arrays["data"].astype(float), arrays["indices"], arrays["indptr"]
        labels, features = list(names["labels"]), list(names["features"])
        matrix = csr_matrix(parts, (len(features), len(labels)))
        matrix.check_format()
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise ModelError(f"{folder}: no linear model here, or a damaged one ({NAMES}, {WEIGHTS})") from None
    if not np.isfinite(matrix.data).all():
        raise ModelError(f"{folder / WEIGHTS}: holds weights that are not finite numbers")
    return Linear(labels, features, matrix)


class Tagger(AdaptiveDecoder):
    """A loaded linear classifier of tokens; the setting ``recall_bias`` is its threshold."""

    def __init__(self, folder: Path, pipeline: Pipeline) -> None:
        self.folder, self.scheme = folder, scheme.read_scheme(folder / "scheme.toml")
        self.linear = read(folder).biased(pipeline.config.recall_bias)
        self.labels = self.linear.labels
        super().__init__(self.linear.as_weights(), pipeline)

    def tag(self, document: Document) -> Document:
        return next(self.tag_all([document]))

    def tag_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents with the spans found, in order; some are held at once."""
        for some in batches(documents, BATCH):
            batch = self.batch(some)
            found = decode_spans(batch, self.labels, self.decoder.path(batch))
            yield from (d.with_spans(trim_spans(d.text, s)) for d, s in zip(some, found))

    def scores(self, document: Document) -> np.ndarray:
        """[tokens, labels]: what the threshold of a recall and precision curve is laid on."""
        batch = self.batch([document])
        return self.decoder.emissions(batch)
