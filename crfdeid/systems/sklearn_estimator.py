"""The CRF as a scikit-learn estimator over lists of documents.

It serves scikit-learn's searches and cross-validation; models that are kept are trained
by :func:`crfdeid.systems.model.train`. sklearn-crfsuite's ``CRF`` does the work inside.
"""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from sklearn_crfsuite import CRF

from crfdeid import config as experiment
from crfdeid.errors import DocumentError
from crfdeid.evaluate.scores import Counts
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import registry
from crfdeid.text import bio, gazetteer
from crfdeid.text.document import Document, Span


class CRFTagger(BaseEstimator):
    """``config`` names a configuration; ``features`` and the others, where they are not
    ``None``, change it. The CRF's settings have sklearn-crfsuite's names.

    ``y`` is ignored throughout: a document carries its own gold spans.
    """

    def __init__(
        self,
        config: str = experiment.DEFAULT,
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

    def fit(self, X: Sequence[Document], y=None) -> CRFTagger:
        """Train on documents with their spans. Raises :class:`DocumentError` if there is none."""
        if not len(X):
            raise DocumentError("no documents to fit")
        self.line_ = self._line()
        examples = list(self.line_.examples(X))
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
        """The spans found in each document."""
        check_is_fitted(self, "crf_")
        return [self._tagged(document) for document in X]

    def score(self, X: Sequence[Document], y=None) -> float:
        """Micro F1 over exact spans and types."""
        total = Counts(0, 0, 0)
        for document, found in zip(X, self.predict(X)):
            gold, system = set(document.spans), set(found)
            total += Counts(len(gold & system), len(system - gold), len(gold - system))
        return total.f1

    def _tagged(self, document: Document) -> tuple[Span, ...]:
        spans: list[Span] = []
        page, sequences = self.line_.page(document)
        for sequence in sequences:
            (labels,) = self.crf_.predict([self.line_.extractor.features(page, sequence)])
            spans += bio.decode(page.tokens[sequence.start : sequence.stop], labels)
        return tuple(spans)

    def _line(self) -> Pipeline:
        names = ("features", "tokenizer", "sequence", "overlaps")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        settings = registry.read_config(self.config, **changes)
        groups = [t for group in settings.features for t in templates.read(templates.find(group))]
        named = templates.gazetteers_named(groups)
        return Pipeline(
            settings,
            groups,
            {name: gazetteer.read_gazetteer(gazetteer.find_gazetteer(name)) for name in named},
        )
