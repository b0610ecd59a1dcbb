"""The tokens of documents as a sparse matrix, to which a linear classifier of tokens is fitted."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from crfdeid.errors import DocumentError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns
from crfdeid.text import bio
from crfdeid.text.document import Document

MOST = 2**31 - 1  # features of all tokens: liblinear's indices have 32 bits


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
