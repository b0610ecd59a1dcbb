"""A training set as arrays.

A feature is a value at an offset. Most of a token's attributes depend on the text of one token in
the window alone, the others on contextual values and pairs of values; either way a token has few
*bundles* (:mod:`crfdeid.engine.training.bundles`), and a bundle has attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from crfdeid.engine.arrays.batch import Batch, Reader, encode_labels
from crfdeid.engine.arrays.context_columns import ContextColumns, text_observations
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, form
from crfdeid.engine.training.bundles import Bundles, Lists, concatenate, list_rows
from crfdeid.engine.training.memory import return_freed_memory
from crfdeid.engine.training.numbering import (
    AttributeNames,
    add_first,
    list_values,
    merge_spellings,
    number_keys,
)
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Template, each, title
from crfdeid.feature_extraction.token import OF_SHAPE, Value
from crfdeid.text.document import Document

TOGETHER = 20  # documents that are observed at once


@dataclass(frozen=True)
class TrainingSet:
    """``bounds`` [sequences + 1] delimit the sequences, ``gold`` [tokens] are label numbers. Each of
    ``columns`` [tokens] gives each token a bundle, or none: -1; ``bundles`` hold attributes."""

    labels: list[str]
    attributes: AttributeNames
    gold: np.ndarray
    bounds: np.ndarray
    columns: list[np.ndarray]
    bundles: Lists


class _Numbers(dict):
    """Gives each new key the next number."""

    def __missing__(self, key) -> int:
        self[key] = number = len(self)
        return number


def build(pipeline: Pipeline, documents: Iterable[Document]) -> TrainingSet:
    """Observe all documents. Raises what :meth:`Line.without_overlaps` raises."""
    with return_freed_memory():
        return _Builder(pipeline).build(documents)


class _Builder:
    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.extractor = pipeline, pipeline.extractor
        self.attributes, self.labels = AttributeNames(), _Numbers()
        self.templates: list[Template] = [(atom,) for atom in self.extractor.single_contextual]
        self.templates += [joined.atoms for joined in self.extractor.joined]
        self.names = sorted({name for template in self.templates for name, _ in template})
        self.codes = {name: _Numbers() for name in self.names}
        self.texts = TokenVocabulary(text_observations(self.names, self.extractor), self.code)
        self.reader = Reader(pipeline, self.texts, compiled_scanner(pipeline))
        self.columns = ContextColumns(self.extractor.contextual, pipeline.gazetteers, self.texts, self.code)

    def code(self, name: str, value: Value) -> int:
        return NONE if value is None else self.codes[name][value]

    def build(self, documents: Iterable[Document]) -> TrainingSet:
        ready = (self.pipeline.without_overlaps(document) for document in documents)
        parts = [self.observed(batch) for batch in read_batches(self.reader, ready)]
        gold, sizes, texts, *columns = (_joined(found) for found in zip(*parts))
        bounds = np.cumsum([0, *sizes.tolist()])
        seen = dict(zip(self.names, columns))
        del parts, columns
        bundles = Bundles(len(gold))
        bias = self.attributes.add("bias", (), np.zeros((1, 0), np.int64))
        bundles.add(np.full(len(gold), bias, np.int32))
        for template in self.templates:
            for column in self.column(template, seen, bounds):
                bundles.add(column)
        del seen
        found, lists = bundles.columns()
        offsets, window = self.window()
        for place, offset in enumerate(offsets):
            there = shift_codes(texts, bounds, offset)
            number = there.astype(np.int64) * len(offsets) + (len(lists) + place)
            found.append(np.where(there == NONE, NONE, number).astype(np.int32))
        return TrainingSet(
            list(self.labels), self.attributes, gold, bounds, found, concatenate([lists, window])
        )

    def observed(self, batch: Batch) -> list[np.ndarray]:
        """Labels, sizes of sequences, texts, and what each observation says, of the tokens that are
        in a sequence."""
        sizes = batch.stop - batch.first
        keep = np.repeat(batch.first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
        names = encode_labels(batch)
        gold = np.array([self.labels[names[index]] for index in keep.tolist()], np.int32)
        columns = [narrow_type(self.columns.column(name, batch)[..., keep]) for name in self.names]
        return [gold, sizes, batch.texts[keep], *columns]

    def column(self, template: Template, seen: dict[str, np.ndarray], bounds: np.ndarray) -> list[np.ndarray]:
        """The attribute of a template at each token; of several where its observation has several
        values."""
        parts = [shift_codes(seen[name], bounds, offset) for name, offset in template]
        if len(parts) > 1:
            return [self.joined(template, parts)]
        first = self.attributes.add(title(template), *list_values(self.codes[template[0][0]]))
        several = parts[0] if parts[0].ndim == 2 else parts
        return [add_first(codes, first) for codes in several]

    def joined(self, template: Template, codes: Sequence[np.ndarray]) -> np.ndarray:
        there = np.flatnonzero(np.all([code != NONE for code in codes], axis=0))
        keys, kinds = np.zeros(len(there), np.int64), np.zeros((1, 0), np.int32)
        for code in codes:  # number the combinations seen so far, one part more each time
            size = int(code.max(initial=0)) + 1
            unique, keys = number_keys(keys.astype(np.int64) * size + code[there])
            kinds = np.column_stack([kinds[unique // size], (unique % size).astype(np.int32)])
        values = [list(self.codes[name]) for name, _ in template]
        first = self.attributes.add(title(template), values, kinds)
        found = np.full(len(codes[0]), NONE, np.int32)
        found[there] = first + merge_spellings(values, kinds)[keys]
        return found

    def window(self) -> tuple[Sequence[int], Lists]:
        """The offsets that are used, and a bundle for each text at each of them."""
        by_offset = self.extractor.by_offset
        offsets = sorted(by_offset)
        columns = [np.full(len(self.texts) * len(offsets), NONE, np.int32)]
        for name in dict.fromkeys(name for names in by_offset.values() for name in names):
            numbers, codes = self.said(name)
            wide = np.full((len(codes), len(self.texts), len(offsets)), NONE, np.int32)
            for place, offset in enumerate(offsets):
                if name in by_offset[offset]:
                    first = self.attributes.add(f"{name}[{offset}]", *list_values(numbers))
                    wide[:, :, place] = add_first(codes, first)
            columns += list(wide.reshape(len(codes), -1))
        return offsets, list_rows(np.column_stack(columns))

    def said(self, name: str) -> tuple[_Numbers, np.ndarray]:
        """The values of a lexical observation by number, and which of them it has for each text
        [values of a text, texts]."""
        numbers = _Numbers()
        observe, strings = self.extractor.lexical[name], self.texts.strings
        kinds = _Numbers()
        which = [kinds[form(text)] for text in strings] if name in OF_SHAPE else slice(None)
        values = [each(observe(text)) for text in (kinds if name in OF_SHAPE else strings)]
        sizes = np.array([len(own) for own in values], np.int64)
        codes = np.full((max(int(sizes.max(initial=0)), 1), len(values)), NONE, np.int32)
        owners = np.repeat(np.arange(len(values)), sizes)
        places = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        codes[places, owners] = [numbers[one] for own in values for one in own]
        return numbers, codes[:, which]


def shift_codes(codes: np.ndarray, bounds: np.ndarray, offset: int) -> np.ndarray:
    """What stands ``offset`` tokens away in the same sequence, -1 where nothing does; ``codes`` are
    [tokens], or [values, tokens].

    >>> shift_codes(np.array([5, 6, 7]), np.array([0, 2, 3]), 1).tolist()
    [6, -1, -1]
    """
    if offset == 0:
        return codes
    found = np.full_like(codes, NONE)
    if abs(offset) < codes.shape[-1]:
        here = slice(max(-offset, 0), min(-offset, 0) or None)
        there = slice(max(offset, 0), min(offset, 0) or None)
        found[..., here] = codes[..., there]
    for step in range(abs(offset)):  # not across bounds
        edge = bounds[1:] - 1 - step if offset > 0 else bounds[:-1] + step
        inside = (edge >= bounds[:-1]) & (edge < bounds[1:])
        found[..., edge[inside]] = NONE
    return found


def narrow_type(column: np.ndarray) -> np.ndarray:
    """The same numbers in as few bytes as hold them.

    >>> narrow_type(np.array([-1, 200])).dtype
    dtype('int16')
    """
    return column.astype(np.result_type(np.int8, np.min_scalar_type(column.max(initial=0))))


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """One array of those of all batches; of several values, as many as any batch has."""
    most = max((len(part) for part in parts if part.ndim == 2), default=0)
    if not most:
        return np.concatenate(parts)
    full = [np.full((most, part.shape[-1]), NONE, part.dtype) for part in parts]
    for whole, part in zip(full, parts):
        whole[: len(part) if part.ndim == 2 else 1] = part
    return np.concatenate(full, axis=1)


def read_batches(reader: Reader, documents: Iterable[Document]) -> Iterator[Batch]:
    waiting = iter(documents)
    while some := list(islice(waiting, TOGETHER)):
        yield reader.batch(some)


def compiled_scanner(pipeline: Pipeline):
    """The compiled tokenizer, where it is the line's."""
    if pipeline.config.tokenizer != "fine":
        return None
    from crfdeid.engine.decoding.numba_kernels import Scanner

    return Scanner()
