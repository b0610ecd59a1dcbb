"""The tokens of documents as a sparse matrix: what a linear classifier of tokens is fitted to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from crfdeid.errors import DocumentError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.text import bio
from crfdeid.text.document import Document

MOST = 2**31 - 1


@dataclass(frozen=True)
class Examples:
    """``matrix`` [tokens, features] counts each token's features (int32 indices, as liblinear
    wants them); ``labels`` [tokens] are numbers of ``names``."""

    matrix: csr_matrix
    labels: np.ndarray
    features: list[str]
    names: list[str]


def of_tokens(pipeline: Pipeline, documents: Iterable[Document], least: int, boundaries: bool) -> Examples:
    """Every token of ``documents``, with the features that occur ``least`` times or more. With
    ``boundaries`` the classes are BIO labels, else the types (written I-TYPE, so that they decode).
    Raises what :meth:`Line.examples` raises, and :class:`DocumentError` where all tokens
    are of one class."""
    numbers: dict[str, int] = {}
    classes: dict[str, int] = {}
    indices, ends, labels = array("i"), array("q", [0]), array("i")
    for rows, said in pipeline.examples(documents):
        for row, label in zip(rows, said):
            indices.extend([numbers.setdefault(feature, len(numbers)) for feature in row])
            ends.append(len(indices))
            name = label if boundaries or label == bio.OUTSIDE else f"I-{label[2:]}"
            labels.append(classes.setdefault(name, len(classes)))
    if len(classes) < 2:
        raise DocumentError("all tokens of the training documents are of one class: nothing to tell apart")
    if len(indices) > MOST:
        raise DocumentError(
            f"{len(indices)} features of all tokens; liblinear counts to {MOST}: train on fewer"
        )
    found = np.frombuffer(indices, np.int32)
    bounds = np.frombuffer(ends, np.int64).astype(np.int32)
    matrix = csr_matrix((np.ones(len(found)), found, bounds), (len(labels), len(numbers)))
    return kept(Examples(matrix, np.frombuffer(labels, np.int32), list(numbers), list(classes)), least)


def kept(all_of_them: Examples, least: int) -> Examples:
    """The examples with frequent features alone, each once a token with its count."""
    matrix = all_of_them.matrix
    often = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= least)
    chosen = matrix[:, often]
    chosen.sum_duplicates()
    features = [all_of_them.features[number] for number in often.tolist()]
    return Examples(chosen, all_of_them.labels, features, all_of_them.names)
