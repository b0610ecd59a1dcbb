"""A linear classifier of one token at a time: what ``svm``, ``mega``, ``snow`` and ``multi`` learn.

    names.json    {"labels": [...], "features": [...]}
    weights.npz   data, indices, indptr of a sparse matrix [features, labels]

It equals a CRF without transitions, so the fast decoder tags with it: a token's scores are the sum
of the rows of its features, and its label is the one with the highest score.
"""

from __future__ import annotations

import json
import zipfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack

from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.batch import Batch, decode_spans
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import DocumentError, ModelError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns
from crfdeid.files import open_whole
from crfdeid.systems.tagger import ModelFolder, Tagger, batch_documents, batch_with_columns
from crfdeid.text import bio
from crfdeid.text.document import Document, trim_spans

NAMES, WEIGHTS = "names.json", "weights.npz"
BIAS = "bias"  # the feature that every token has

MOST = 2**31 - 1  # features of all tokens: liblinear's indices have 32 bits


@dataclass(frozen=True)
class LinearClassifier:
    """The weights are ``matrix`` [features, labels]."""

    labels: list[str]
    features: list[str]
    matrix: csr_matrix

    def with_bias(self, amount: float) -> LinearClassifier:
        """Subtract ``amount`` from the score of the label O at every token."""
        if not amount or bio.OUTSIDE not in self.labels:
            return self
        change = np.zeros((1, len(self.labels)))
        change[0, self.labels.index(bio.OUTSIDE)] = -amount
        if BIAS not in self.features:
            matrix = vstack([self.matrix, change]).tocsr()
            return LinearClassifier(self.labels, [*self.features, BIAS], matrix)
        where = csr_matrix(([1.0], ([self.features.index(BIAS)], [0])), (len(self.features), 1))
        matrix = (self.matrix + where @ csr_matrix(change)).tocsr()
        return LinearClassifier(self.labels, self.features, matrix)

    def as_weights(self) -> crfsuite_file.Weights:
        """Return the weights of a CRF whose transitions weigh nothing."""
        cells = self.matrix.tocoo()
        rows = crfsuite_file.make_records(crfsuite_file.STATE, cells.row, cells.col, cells.data)
        size = len(self.labels)
        return crfsuite_file.Weights(self.labels, self.features, rows, np.zeros((size, size)))


def write_classifier(folder: Path, classifier: LinearClassifier) -> None:
    """Write the two files into ``folder``, without the features that have no weight."""
    matrix = classifier.matrix.tocsr()
    matrix.eliminate_zeros()
    used = np.flatnonzero(np.diff(matrix.indptr))
    matrix = matrix[used]
    names = {"labels": classifier.labels, "features": [classifier.features[n] for n in used.tolist()]}
    with open_whole(folder / NAMES) as file:
        json.dump(names, file, indent=0)
    arrays = {"data": matrix.data.astype("<f4"), "indices": matrix.indices, "indptr": matrix.indptr}
    with open_whole(folder / WEIGHTS, "wb") as file:
        np.savez_compressed(file, **arrays)


def read_classifier(folder: Path) -> LinearClassifier:
    """Read the two files. Raises :class:`ModelError` where they are damaged or do not fit each other."""
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
    return LinearClassifier(labels, features, matrix)


class LinearTagger(AdaptiveDecoder, Tagger):
    """A loaded linear classifier of tokens; the setting ``recall_bias`` is its threshold."""

    scores_tokens = True
    operating_setting = "recall_bias"
    is_fork_safe = True

    def __init__(self, model: ModelFolder) -> None:
        Tagger.__init__(self, model)
        self.classifier = read_classifier(model.path).with_bias(model.config.recall_bias)
        self.labels = self.classifier.labels
        AdaptiveDecoder.__init__(self, self.classifier.as_weights(), model.pipeline)

    def tag_with_columns(
        self, documents: Sequence[Document], extra_columns: Sequence[Columns]
    ) -> Iterator[Document]:
        """As :meth:`tag_all`; ``extra_columns`` has the values of the pipeline's extra columns, one entry
        per document."""
        for some, columns in batch_with_columns(documents, extra_columns):
            yield from self._tag_batch(self.batch(some, columns))

    def score_tokens(self, document: Document, extra_columns: Sequence[Columns] = ()) -> np.ndarray:
        """Return the scores [tokens, labels], to which a threshold applies."""
        return self.decoder.emissions(self.batch([document], extra_columns))

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        for some in batch_documents(documents):
            yield from self._tag_batch(self.batch(some))

    def _tag_batch(self, batch: Batch) -> Iterator[Document]:
        found = decode_spans(batch, self.labels, self.decoder.path(batch))
        return (d.with_spans(trim_spans(d.text, spans)) for d, spans in zip(batch.documents, found))


@dataclass(frozen=True)
class DesignMatrix:
    """``matrix`` [tokens, features] counts each token's features (with int32 indices, for liblinear);
    ``labels`` [tokens] are indices into ``names``, the classes."""

    matrix: csr_matrix
    labels: np.ndarray
    features: list[str]
    names: list[str]


def build_matrix(
    pipeline: Pipeline,
    documents: Iterable[Document],
    least: int,
    boundaries: bool,
    extra_columns: Sequence[Columns] = (),
) -> DesignMatrix:
    """Build the matrix of every token, with the features that occur ``least`` times or more. With
    ``boundaries`` the classes are BIO labels, else the types (written I-TYPE, so that they decode).
    ``extra_columns`` is that of :meth:`Pipeline.make_examples`. Raises :class:`DocumentError` where spans
    overlap and the pipeline refuses that, or all tokens are of one class."""
    numbers: dict[str, int] = {}
    classes: dict[str, int] = {}
    indices, ends, labels = array("i"), array("q", [0]), array("i")
    for rows, row_labels in pipeline.make_examples(documents, extra_columns):
        for row, label in zip(rows, row_labels):
            indices.extend([numbers.setdefault(feature, len(numbers)) for feature in row])
            ends.append(len(indices))
            name = label if boundaries or label == bio.OUTSIDE else f"I-{label[2:]}"
            labels.append(classes.setdefault(name, len(classes)))
    if len(classes) < 2:
        raise DocumentError("all tokens of the training documents are of one class: nothing to learn")
    if len(indices) > MOST:
        raise DocumentError(
            f"{len(indices)} features of all tokens; liblinear counts to {MOST}: train on fewer"
        )
    found = np.frombuffer(indices, np.int32)
    bounds = np.frombuffer(ends, np.int64).astype(np.int32)
    matrix = csr_matrix((np.ones(len(found)), found, bounds), (len(labels), len(numbers)))
    design = DesignMatrix(matrix, np.frombuffer(labels, np.int32), list(numbers), list(classes))
    return drop_rare_features(design, least)


def drop_rare_features(design: DesignMatrix, least: int) -> DesignMatrix:
    """Return the matrix without the features that occur less than ``least`` times; a feature that a token
    has several times becomes one entry with its count."""
    frequent = np.flatnonzero(np.bincount(design.matrix.indices, minlength=design.matrix.shape[1]) >= least)
    matrix = design.matrix[:, frequent]
    matrix.sum_duplicates()
    features = [design.features[number] for number in frequent.tolist()]
    return DesignMatrix(matrix, design.labels, features, design.names)
