"""From a document's text to the feature strings of its sequences: the part of the straight line that
training and tagging share.

    tokenize ─▶ sequences ─▶ observations and templates ─▶ features
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.registry import Tag
from crfdeid.feature_extraction.templates import NO_COLUMNS, Columns, Extractor, Template
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.spans import keep_longest
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import find_tokenizer, split_sequences


class Pipeline:
    """A tokenizer, sequences, templates and gazetteers, ready to run. ``tokenizer``, ``sequence``,
    ``overlaps``, ``pos`` and ``span_mark`` are the settings of these names
    (:class:`crfdeid.config.Config`)."""

    def __init__(
        self,
        templates: Sequence[Template] = (),
        gazetteers: Mapping[str, Gazetteer] | None = None,
        *,
        tokenizer: str = "fine",
        sequence: str = "document",
        overlaps: str = "refuse",
        pos: str = "",
        span_mark: str = "first",
    ) -> None:
        self.tokenizer, self.sequence, self.overlaps = tokenizer, sequence, overlaps
        self.span_mark = span_mark
        self.gazetteers = dict(gazetteers or {})
        self.tokenize = find_tokenizer(tokenizer)
        self.extractor = Extractor(templates, self.gazetteers, find_pos_tagger(pos))

    def with_extra_columns(self, templates: Iterable[Template], names: Iterable[str]) -> Pipeline:
        """Return this pipeline with ``templates`` added, which may use extra columns of these names: the
        caller passes their values with each document."""
        longer = copy.copy(self)
        own = self.extractor
        longer.extractor = Extractor([*own.templates, *templates], self.gazetteers, own.tag, names)
        return longer

    def with_known_words(self, words: Container[str]) -> Pipeline:
        """Return this pipeline with pieces (prefix, suffix, n-gram) of these lower-case words only."""
        other = copy.copy(self)
        other.extractor = self.extractor.with_known_words(words)
        return other

    def tokenize_document(self, document: Document) -> tuple[TokenizedDocument, list[range]]:
        """Return the document's tokens, and its sequences as ranges of token indices."""
        tokens = self.tokenize(document.text)
        sequences = split_sequences(document.text, tokens, self.sequence)
        return TokenizedDocument(document.text, tokens), sequences

    def features(self, document: Document, extra_columns: Columns = NO_COLUMNS) -> list[list[list[str]]]:
        """Return the feature strings of each token of each sequence."""
        tokenized, sequences = self.tokenize_document(document)
        return [self.extractor.features(tokenized, sequence, extra_columns) for sequence in sequences]

    def make_examples(
        self, documents: Iterable[Document], extra_columns: Sequence[Columns] = ()
    ) -> Iterator[tuple[list[list[str]], list[str]]]:
        """Yield the features and the labels of every sequence: what a CRF is trained on. ``extra_columns``
        has one entry per document, or none. Raises what :meth:`resolve_overlaps` raises."""
        for number, document in enumerate(map(self.resolve_overlaps, documents)):
            tokenized, sequences = self.tokenize_document(document)
            labels = self.mark_spans(bio.encode(tokenized.tokens, document.spans))
            columns = extra_columns[number] if extra_columns else NO_COLUMNS
            for sequence in sequences:
                features = self.extractor.features(tokenized, sequence, columns)
                yield features, labels[sequence.start : sequence.stop]

    def mark_spans(self, labels: list[str]) -> list[str]:
        """Return BIO labels as the setting ``span_mark`` has them."""
        return bio.mark_last(labels) if self.span_mark == "last" else labels

    def resolve_overlaps(self, document: Document) -> Document:
        """Return the document without overlapping spans: the longest are kept. Raises
        :class:`DocumentError` on an overlap where ``overlaps`` is ``refuse``."""
        if self.overlaps == "longest":
            return document.with_spans(keep_longest(document.spans))
        bio.refuse_overlaps(document)
        return document

    def count_cut_spans(self, documents: Iterable[Document]) -> int:
        """Count the spans that begin or end inside a token, and so are widened to it."""
        return sum(
            bio.count_cut_spans(self.tokenize(document.text), document.spans) for document in documents
        )


def find_pos_tagger(source: str) -> Tag | None:
    """Return the part-of-speech tagger of that name; ``None`` for no name."""
    if not source:
        return None
    from crfdeid.feature_extraction import part_of_speech

    return part_of_speech.load_tagger(source)


def check_pos(source: str, templates: Iterable[Template]) -> None:
    """Raise :class:`ConfigurationError` where a template uses ``pos`` and no source is set."""
    if not source and any(name == "pos" for template in templates for name, _ in template):
        raise ConfigurationError("the templates use pos, but the setting pos names no source")
