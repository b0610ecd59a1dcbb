"""Recall against precision by threshold, for svm, mega, snow and multi.

    python -m crfdeid.thresholds corpus/test --model models/svm
    python -m crfdeid.thresholds corpus/test --model models/svm --bias 0 0.5 1

``crfdeid.train … --set recall_bias=0.5`` trains a model with the threshold that was chosen; choose it
on documents that are neither trained on nor tested on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from crfdeid import cli
from crfdeid.errors import ConfigurationError, DocumentError, ModelError
from crfdeid.evaluate.published_tables import aligned
from crfdeid.systems import model
from crfdeid.systems.linear import classifier
from crfdeid.systems.model import Tagger
from crfdeid.systems.stacking import multi
from crfdeid.text import bio
from crfdeid.text.document import Document

BIASES = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0)


class Point(NamedTuple):
    """``bias`` is the setting ``recall_bias``; ``recall`` and ``precision`` are of tokens, PHI or not;
    ``alarms`` is the share of the other tokens that are taken for PHI."""

    bias: float
    recall: float
    precision: float
    alarms: float


@dataclass(frozen=True)
class Margins:
    """``margin`` [tokens] is how far the best type of PHI is above O without any bias; ``phi``
    [tokens] is the truth."""

    margin: np.ndarray
    phi: np.ndarray

    def at(self, bias: float) -> Point:
        found = self.margin + bias > 0
        right, wrong = float((found & self.phi).sum()), float((found & ~self.phi).sum())
        return Point(
            bias,
            right / float(self.phi.sum()),
            right / (right + wrong) if right + wrong else 0.0,
            wrong / float((~self.phi).sum()),
        )

    @property
    def area(self) -> float:
        """Under the ROC curve, recall against false alarms."""
        return float(roc_auc_score(self.phi, self.margin))


def scored(tagger: Tagger) -> bool:
    """Whether the system has thresholds."""
    return isinstance(tagger, classifier.Tagger | multi.Model)


def measure(tagger: Tagger, documents: Iterable[Document]) -> Margins:
    """Of the tokens of gold documents. Raises :class:`ConfigurationError` where the system has no
    threshold, :class:`ModelError` where its model knows nothing but PHI, and
    :class:`DocumentError` where there is no token of PHI, or no other."""
    settings = tagger.pipeline.config
    if not isinstance(tagger, classifier.Tagger | multi.Model):
        raise ConfigurationError(f"the system {settings.system} does not score tokens by themselves")
    if bio.OUTSIDE not in tagger.labels:
        raise ModelError(f"{tagger.folder}: was trained on nothing but PHI: there is no threshold")
    parts = [of_document(tagger, document) for document in documents]
    margin, phi = (np.concatenate(column) for column in zip(*parts)) if parts else (np.zeros(0), np.zeros(0))
    if not 0 < phi.sum() < len(phi):
        raise DocumentError("all tokens of the documents are PHI or none is: there is no curve")
    return Margins(margin - settings.recall_bias, phi)


def of_document(tagger: classifier.Tagger | multi.Model, document: Document) -> Sequence[np.ndarray]:
    """Margins and truth of the tokens that are in a sequence and no line end."""
    page, sequences = tagger.pipeline.page(document)
    labels = bio.encode(page.tokens, document.spans)
    here = [i for part in sequences for i in part if not page.tokens[i].text.isspace()]
    scores = tagger.scores(document.with_spans(()))[here]
    outside = tagger.labels.index(bio.OUTSIDE)
    margin = np.delete(scores, outside, axis=1).max(axis=1) - scores[:, outside]
    return margin, np.array([labels[index] != bio.OUTSIDE for index in here], bool)


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.thresholds", description=__doc__.split("\n")[0])
    parse.add_argument("gold", type=Path, help="a corpus with its spans, in any format")
    parse.add_argument("--model", type=Path, required=True, help="a model folder")
    parse.add_argument("--bias", type=float, nargs="+", default=BIASES, metavar="BIAS")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    tagger = model.load(given.model)
    documents = cli.documents(given.gold, None, given)
    found = measure(tagger, cli.progress(documents, "score"))
    own = tagger.pipeline.config.recall_bias
    print(f"{len(found.phi):,} tokens, {int(found.phi.sum()):,} of PHI; the model's recall_bias is {own:g}\n")
    rows = [["recall_bias", "recall", "precision", "false alarms"]]
    for bias in sorted({*given.bias, own}):
        rows.append([f"{bias:g}", *(f"{value:.4f}" for value in found.at(bias)[1:])])
    print("\n".join(aligned(rows)))
    print(f"\narea under the ROC curve {found.area:.4f}")
