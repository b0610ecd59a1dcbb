"""Measure recall and precision by threshold, for the systems svm, mega, snow and multi.

    python -m crfdeid.thresholds corpus/test --model models/svm
    python -m crfdeid.thresholds corpus/test --model models/svm --bias 0 0.5 1

``crfdeid.train … --set recall_bias=0.5`` trains a model with the threshold that you choose; choose it
on documents that are used neither for training nor for the test.

These systems score each token independently. Tafvizi 2011 (section 7.2.1) leaves "profiling the ROC
curve" and the trade of precision for recall to later work.
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
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.folding import fold_document

BIASES = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0)


class Point(NamedTuple):
    """``bias`` is the setting ``recall_bias``; ``recall`` and ``precision`` are of tokens, PHI or not;
    ``alarms`` is the share of the tokens that are not PHI and are labelled as PHI."""

    bias: float
    recall: float
    precision: float
    alarms: float


@dataclass(frozen=True)
class Margins:
    """``margin`` [tokens] is how far the best type of PHI scores above O, without any bias; ``phi`` [tokens]
    is whether the token is PHI in the gold standard."""

    margin: np.ndarray
    phi: np.ndarray

    def at(self, bias: float) -> Point:
        """Recall, precision and false alarms with the setting ``recall_bias`` = ``bias``."""
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
        """The area under the ROC curve: recall against false alarms."""
        return float(roc_auc_score(self.phi, self.margin))


def has_threshold(tagger: Tagger) -> bool:
    """Whether the system has thresholds."""
    return tagger.scores_tokens


def measure_margins(tagger: Tagger, documents: Iterable[Document]) -> Margins:
    """The margins of the tokens of gold documents. Raises :class:`ConfigurationError` where the system
    has no threshold, :class:`ModelError` where the model's only labels are PHI, and
    :class:`DocumentError` where all tokens are PHI or none is."""
    settings = tagger.config
    if not has_threshold(tagger):
        raise ConfigurationError(f"the system {settings.system} does not score tokens independently")
    if bio.OUTSIDE not in tagger.labels:
        raise ModelError(f"{tagger.folder}: trained only on tokens of PHI: it has no threshold")
    parts = [document_margins(tagger, document) for document in documents]
    margin, phi = (np.concatenate(column) for column in zip(*parts)) if parts else (np.zeros(0), np.zeros(0))
    if not 0 < phi.sum() < len(phi):
        raise DocumentError("all tokens of the documents are PHI, or none is: there is no curve")
    return Margins(margin - settings.recall_bias, phi)


def document_margins(tagger: Tagger, document: Document) -> Sequence[np.ndarray]:
    """Margins, and whether they are PHI, of the tokens that are in a sequence and are not line ends."""
    document = fold_document(document)
    tokenized, sequences = tagger.pipeline.tokenize_document(document)
    labels = bio.encode(tokenized.tokens, document.spans)
    here = [i for sequence in sequences for i in sequence if not tokenized.tokens[i].text.isspace()]
    scores = tagger.score_tokens(document.with_spans(()))[here]
    outside = tagger.labels.index(bio.OUTSIDE)
    margin = np.delete(scores, outside, axis=1).max(axis=1) - scores[:, outside]
    return margin, np.array([labels[index] != bio.OUTSIDE for index in here], bool)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.thresholds", description=__doc__.split("\n")[0])
    parser.add_argument("gold", type=Path, help="a corpus with its spans, in any format")
    parser.add_argument("--model", type=Path, required=True, help="a model folder")
    parser.add_argument(
        "--bias",
        type=float,
        nargs="+",
        default=BIASES,
        metavar="BIAS",
        help="values of recall_bias to measure",
    )
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    tagger = model.load(args.model)
    documents = cli.read_documents(args.gold, None, args)
    margins = measure_margins(tagger, cli.show_progress(documents, "score"))
    own, phi = tagger.config.recall_bias, int(margins.phi.sum())
    print(f"{len(margins.phi):,} tokens, {phi:,} of PHI; the model's recall_bias is {own:g}\n")
    rows = [["recall_bias", "recall", "precision", "false alarms"]]
    for bias in sorted({*args.bias, own}):
        rows.append([f"{bias:g}", *(f"{value:.4f}" for value in margins.at(bias)[1:])])
    print("\n".join(align_columns(rows)))
    print(f"\narea under the ROC curve {margins.area:.4f}")
