"""The part of the straight line that training and tagging share: a document's text to
the feature strings of its sequences.

    tokenize ─▶ page ─▶ sequences ─▶ observations and templates ─▶ features
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.templates import Extractor, Template
from crfdeid.text import bio, tokenizer
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.spans import keep_longest
from crfdeid.text.tokenized import TokenizedDocument


class Pipeline:
    """An experiment's tokenizer, sequences, templates and gazetteers, ready to run."""

    def __init__(
        self,
        experiment: Config,
        groups: Sequence[Template],
        gazetteers: Mapping[str, Gazetteer],
    ) -> None:
        self.config, self.gazetteers = experiment, gazetteers
        self.tokenize = tokenizer.find_tokenizer(experiment.tokenizer)
        self.extractor = Extractor(
            groups, templates.lexical(gazetteers), templates.contextual(gazetteers, pos_source(experiment))
        )

    def page(self, document: Document) -> tuple[TokenizedDocument, list[range]]:
        """The document's page, and its sequences as index ranges into the page's tokens."""
        tokens = self.tokenize(document.text)
        return TokenizedDocument(document.text, tokens), tokenizer.split_sequences(
            document.text, tokens, self.config.sequence
        )

    def examples(self, documents: Iterable[Document]) -> Iterator[tuple[list[list[str]], list[str]]]:
        """Features and labels of every sequence: what a CRF is trained on. Overlapping
        spans raise :class:`DocumentError`, or the longest is kept, as the experiment says."""
        for document in map(self.without_overlaps, documents):
            page, sequences = self.page(document)
            labels = bio.encode(page.tokens, document.spans)
            for sequence in sequences:
                yield self.extractor.features(page, sequence), labels[sequence.start : sequence.stop]

    def without_overlaps(self, document: Document) -> Document:
        if self.config.overlaps == "longest":
            return document.with_spans(keep_longest(document.spans))
        bio.refuse_overlaps(document)
        return document

    def cut_spans(self, documents: Iterable[Document]) -> int:
        """Spans that cut a token and are widened to it."""
        return sum(
            bio.count_cut_spans(self.tokenize(document.text), document.spans) for document in documents
        )


def pos_source(experiment: Config):
    """The experiment's part-of-speech tagger, or ``None``."""
    if not experiment.pos:
        return None
    from crfdeid.feature_extraction import part_of_speech

    return part_of_speech.load_tagger(experiment.pos)


def needs_pos(experiment: Config, groups: Sequence[Template]) -> None:
    """Raise :class:`ConfigurationError` where a template asks for ``pos`` and no source is set."""
    if not experiment.pos and any(name == "pos" for template in groups for name, _ in template):
        raise ConfigurationError("the templates use pos, but the setting pos names no source")
