"""The CRF as a scikit-learn estimator over lists of documents.

It is for scikit-learn's searches and cross-validation; :func:`crfdeid.systems.model.train` trains models
that are stored. sklearn-crfsuite's ``CRF`` does the work inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from sklearn_crfsuite import CRF

from crfdeid import config as configuration
from crfdeid.errors import DocumentError
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import registry
from crfdeid.systems.model_folder import build_pipeline, find_list
from crfdeid.text import bio, gazetteer
from crfdeid.text.document import Document, Span
from crfdeid.text.folding import fold_document, tag_folded


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

    def fit(self, X: Sequence[Document], y: object = None) -> CRFTagger:
        """Train on documents with their spans. Raises :class:`DocumentError` where there are no documents."""
        if not len(X):
            raise DocumentError("no documents to fit")
        self.pipeline_ = self._build_pipeline()
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

    def score(self, X: Sequence[Document], y: object = None) -> float:
        """Return the micro F1 over exact spans and types."""
        total = Counts(0, 0, 0)
        for document, found in zip(X, self.predict(X)):
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

    def _build_pipeline(self) -> Pipeline:
        names = ("features", "tokenizer", "sequence", "overlaps")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        settings = registry.read_config(self.config, **changes)
        groups = [t for group in settings.features for t in templates.read_group(group)]
        wanted = templates.list_gazetteers(groups)
        lists = {name: gazetteer.read_list(find_list(name, settings)) for name in wanted}
        return build_pipeline(settings, groups, lists)
