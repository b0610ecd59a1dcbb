"""From a document's text to the feature strings of its sequences: the part of the straight line that
training and tagging share.

    tokenize ─▶ sequences ─▶ observations and templates ─▶ features
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crfdeid.errors import ConfigurationError, TemplateError
from crfdeid.feature_extraction.templates import (
    NO_COLUMNS,
    Columns,
    Tag,
    Template,
    format_template,
    list_names,
    resolve_names,
    split_values,
)
from crfdeid.feature_extraction.token import SEVERAL, Value, is_piece, restrict_words
from crfdeid.text import bio
from crfdeid.text.document import Document, drop_doubled, keep_longest
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import find_tokenizer, split_sequences

REMEMBERED = 200_000  # pairs of offset and token text whose features are kept


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
        """Return the document without doubled and overlapping spans: the longest are kept. Raises
        :class:`DocumentError` on an overlap where ``overlaps`` is ``refuse``."""
        if self.overlaps == "longest":
            return document.with_spans(keep_longest(document.spans))
        document = document.with_spans(drop_doubled(document.spans))
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


@dataclass(frozen=True)
class _Joined:
    title: str
    atoms: Template


class Extractor:
    """Templates with their observations: turns a tokenized document into feature strings. ``tag`` gives
    parts of speech; ``extra`` names the columns that a caller passes with each document. ``lexical`` and
    ``contextual`` hold the observations that the templates use.

    Raises :class:`TemplateError` where a template names an unknown observation, or joins one of several
    values.
    """

    def __init__(
        self,
        templates: Iterable[Template],
        gazetteers: Mapping[str, Gazetteer],
        tag: Tag | None = None,
        extra: Iterable[str] = (),
    ) -> None:
        self.templates = list(dict.fromkeys(templates))
        self.tag, self.extra = tag, frozenset(extra)
        names = [name for name in list_names(self.templates) if name not in self.extra]
        self.lexical, self.contextual = resolve_names(names, gazetteers, tag)
        _refuse_joined_several(self.templates)
        single = [template[0] for template in self.templates if len(template) == 1]
        self.by_offset: dict[int, list[str]] = {}
        for name, offset in single:
            if name in self.lexical:
                self.by_offset.setdefault(offset, []).append(name)
        self.single_contextual = [
            (name, offset) for name, offset in single if name in self.extra or name in self.contextual
        ]
        self.joined = [_Joined(format_template(t), t) for t in self.templates if len(t) > 1]
        self._strings: dict[tuple[int, str], list[str]] = {}
        self._cache: tuple[TokenizedDocument, Columns, Columns] | None = None

    def with_known_words(self, words: Container[str]) -> Extractor:
        """Return this extractor with pieces (prefix, suffix, n-gram) of these lower-case words only."""
        other = copy.copy(self)
        other.lexical = {
            name: restrict_words(observe, words) if is_piece(name) else observe
            for name, observe in self.lexical.items()
        }
        other._strings, other._cache = {}, None
        return other

    def features(
        self, document: TokenizedDocument, sequence: range, extra_columns: Columns = NO_COLUMNS
    ) -> list[list[str]]:
        """Return the feature strings of each token of ``sequence``, in the order of the templates'
        kinds: bias, lexical, contextual, joined. ``extra_columns`` holds the values of ``extra``."""
        rows: list[list[str]] = [["bias"] for _ in sequence]
        self._add_lexical(document, sequence, rows)
        columns = self.columns(document, extra_columns)
        for name, offset in self.single_contextual:
            head = f"{name}[{offset}]="
            add = _add_each if name in SEVERAL else _add_one
            add(rows, head, shift_column(columns[name], sequence, offset))
        for joined in self.joined:
            parts = [shift_column(columns[name], sequence, offset) for name, offset in joined.atoms]
            for row, values in zip(rows, zip(*parts)):
                if None not in values:
                    row.append(f"{joined.title}={'|'.join(values)}")
        return rows

    def _add_lexical(self, document: TokenizedDocument, sequence: range, rows: list[list[str]]) -> None:
        for offset in self.by_offset:
            for row, index in zip(rows, sequence):
                if index + offset in sequence:
                    row += self.strings(offset, document.tokens[index + offset].text)

    def strings(self, offset: int, text: str) -> list[str]:
        """Return the features of a token from the text of the token at ``offset``; they are made once."""
        key = (offset, text)
        if key not in self._strings:
            if len(self._strings) >= REMEMBERED:
                self._strings.clear()
            values = ((name, self.lexical[name](text)) for name in self.by_offset[offset])
            self._strings[key] = [
                f"{name}[{offset}]={one}"
                for name, value in values
                if value is not None
                for one in (value if name in SEVERAL else (value,))
            ]
        return self._strings[key]

    def columns(self, document: TokenizedDocument, extra_columns: Columns = NO_COLUMNS) -> Columns:
        """Return the observations that the templates use, as one value per token of the document. They are
        made once for consecutive calls with the same document."""
        cache = self._cache
        if cache is None or cache[0] is not document or cache[1] is not extra_columns:
            names = {name for name, _ in self.single_contextual}
            names |= {name for joined in self.joined for name, _ in joined.atoms}
            columns = {name: self._column(name, document, extra_columns) for name in sorted(names)}
            self._cache = cache = document, extra_columns, columns
        return cache[2]

    def _column(self, name: str, document: TokenizedDocument, extra_columns: Columns) -> Sequence[Value]:
        if name in self.extra:
            return extra_columns[name]
        if name in self.contextual:
            return self.contextual[name](document)
        observe = self.lexical[name]
        known: dict[str, Value] = {}
        for token in document.tokens:
            if token.text not in known:
                known[token.text] = observe(token.text)
        return [known[token.text] for token in document.tokens]


def _add_one(rows: list[list[str]], head: str, values: Sequence[Value]) -> None:
    for row, value in zip(rows, values):
        if value is not None:
            row.append(f"{head}{value}")


def _add_each(rows: list[list[str]], head: str, values: Sequence[Value]) -> None:
    for row, value in zip(rows, values):
        row += [head + one for one in split_values(value)]


def _refuse_joined_several(templates: Iterable[Template]) -> None:
    for template in templates:
        for name, _ in template:
            if len(template) > 1 and name in SEVERAL:
                title = format_template(template)
                raise TemplateError(f"{title}: {name} gives several values and cannot be joined")


def shift_column(column: Sequence[Value], sequence: range, offset: int) -> list[Value]:
    """Return the values ``offset`` tokens away, ``None`` outside the sequence.

    >>> shift_column(["a", "b", "c"], range(0, 3), 1), shift_column(["a", "b", "c"], range(1, 3), -1)
    (['b', 'c', None], [None, 'b'])
    """
    inside = column[sequence.start : sequence.stop]
    gap: list[Value] = [None] * min(abs(offset), len(inside))
    return [*inside[offset:], *gap] if offset >= 0 else [*gap, *inside[:offset]]
