"""The CRF as a scikit-learn estimator over lists of documents.

It is for scikit-learn's searches and cross-validation; :func:`crfdeid.systems.model.train` trains models
that are stored. sklearn-crfsuite's ``CRF`` does the work inside.

    search = GridSearchCV(CRFTagger(), {"c2": [0.01, 0.1]}, scoring=make_scorer("token"), n_jobs=2)
    search.fit(notes)

A fitted tagger can be pickled, for joblib and for searches in several processes. The pickle has the CRF and
the settings; templates and gazetteers are read again from their files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from sklearn_crfsuite import CRF

from crfdeid import config as configuration
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean
from crfdeid.evaluate import matching, scores
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import registry
from crfdeid.systems.model_folder import build_pipeline, find_list
from crfdeid.text import bio, gazetteer
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fold_document, tag_folded


class CRFTagger(BaseEstimator):
    """``config`` names a configuration; the settings ``features`` to ``overlaps`` change it where they are
    not ``None``. The CRF's settings have sklearn-crfsuite's names.

    ``y`` is ignored everywhere: a document has its own gold spans.
    """

    def __init__(
        self,
        config: str = configuration.DEFAULT,
        features: Sequence[str] | None = None,
        tokenizer: str | None = None,
        sequence: str | None = None,
        overlaps: str | None = None,
        algorithm: str = "lbfgs",
        c1: float = 0.1,
        c2: float = 0.01,
        max_iterations: int = 100,
        min_freq: float = 0,
        all_possible_transitions: bool = False,
    ) -> None:
        self.config = config
        self.features = features
        self.tokenizer = tokenizer
        self.sequence = sequence
        self.overlaps = overlaps
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.min_freq = min_freq
        self.all_possible_transitions = all_possible_transitions

    def fit(self, X: Sequence[Document], y: Sequence[Sequence[Span]] | None = None) -> CRFTagger:
        """Train on documents with their spans, or with those of ``y``. Raises :class:`DocumentError` where
        there are no documents."""
        X = take_gold(X, y)
        if not len(X):
            raise DocumentError("no documents to fit")
        self.settings_ = self._read_settings()
        self.pipeline_ = make_pipeline(self.settings_)
        examples = list(self.pipeline_.make_examples(map(fold_document, X)))
        self.crf_ = CRF(
            algorithm=self.algorithm,
            c1=self.c1,
            c2=self.c2,
            max_iterations=self.max_iterations,
            min_freq=self.min_freq,
            all_possible_transitions=self.all_possible_transitions,
        )
        self.crf_.fit([features for features, _ in examples], [labels for _, labels in examples])
        return self

    def predict(self, X: Sequence[Document]) -> list[tuple[Span, ...]]:
        """Return the spans found in each document."""
        check_is_fitted(self, "crf_")
        return [document.spans for document in tag_folded(partial(map, self._tag), X)]

    def __getstate__(self) -> dict[str, Any]:
        """The state without the pipeline: it has functions, which no pickle holds."""
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("pipeline_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "settings_" in state:
            self.pipeline_ = make_pipeline(self.settings_)

    def score(self, X: Sequence[Document], y: Sequence[Sequence[Span]] | None = None) -> float:
        """Return the micro F1 over exact spans and types."""
        total = Counts(0, 0, 0)
        for document, found in zip(take_gold(X, y), self.predict(X)):
            gold, system = set(document.spans), set(found)
            total += Counts(len(gold & system), len(system - gold), len(gold - system))
        return total.f1

    def _tag(self, document: Document) -> Document:
        spans: list[Span] = []
        tokenized, sequences = self.pipeline_.tokenize_document(document)
        for sequence in sequences:
            (labels,) = self.crf_.predict([self.pipeline_.extractor.features(tokenized, sequence)])
            spans += bio.decode(tokenized.tokens[sequence.start : sequence.stop], labels)
        return document.with_spans(spans)

    def _read_settings(self) -> configuration.Config:
        names = ("features", "tokenizer", "sequence", "overlaps")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        return registry.read_config(self.config, **changes)


def take_gold(X: Sequence[Document], y: Sequence[Sequence[Span]] | None) -> Sequence[Document]:
    """Return the documents with their gold spans: those of ``y``, where it is given. Raises
    :class:`DocumentError` where it has not one item for each document."""
    if y is None:
        return X
    if len(y) != len(X):
        raise DocumentError(f"{len(X)} documents, and {len(y)} lists of spans; wanted one for each document")
    return [document.with_spans(spans) for document, spans in zip(X, y)]


def make_pipeline(settings: configuration.Config) -> Pipeline:
    """Build the pipeline of the settings from the files of templates and gazetteers."""
    groups = [t for group in settings.features for t in templates.read_group(group)]
    lists = {
        name: gazetteer.read_list(find_list(name, settings)) for name in templates.list_gazetteers(groups)
    }
    return build_pipeline(settings, groups, lists)


@dataclass(frozen=True)
class Scorer:
    """The scorer that scikit-learn calls with an estimator and documents: see :func:`make_scorer`."""

    criterion: str
    measure: str
    type: str

    def __call__(
        self, estimator: CRFTagger, X: Sequence[Document], y: Sequence[Sequence[Span]] | None = None
    ) -> float:
        found = [document.with_spans(spans) for document, spans in zip(X, estimator.predict(X))]
        both = scores.score(list(take_gold(X, y)), found)
        counts = both.micro(matching.Criterion(self.criterion), type=self.type)
        return float(getattr(counts, self.measure))


MEASURES = ("f1", "precision", "recall")


def make_scorer(criterion: str = "strict", measure: str = "f1", type: str = "") -> Scorer:
    """Return a scorer for ``scoring=`` of scikit-learn: a micro-averaged measure by a criterion of i2b2 2014
    (docs/scoring.md), of all types or of one. Raises :class:`ConfigurationError` for an unknown name."""
    for name, known in ((criterion, matching.CRITERIA), (measure, MEASURES)):
        if name not in known:
            raise ConfigurationError(f"{name}: wanted one of {', '.join(known)}{did_you_mean(name, known)}")
    return Scorer(criterion, measure, type)
