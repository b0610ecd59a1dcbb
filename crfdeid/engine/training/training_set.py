"""A training set as arrays.

A feature is a value at an offset. Most of a token's attributes depend only on the text of one token in
the window, the others on contextual values and pairs of values. Either way a token has few *bundles*
(:mod:`crfdeid.engine.training.bundles`), and a bundle has attributes.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np

from crfdeid.engine.arrays.batch import Batch, Reader, Scan, encode_labels, list_places
from crfdeid.engine.arrays.context_columns import ContextColumns, text_observations
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, form
from crfdeid.engine.training.bundles import Bundles, Lists, concatenate, list_rows
from crfdeid.engine.training.numbering import (
    AttributeNames,
    add_first,
    list_values,
    merge_spellings,
    number_keys,
)
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns, Template, format_template, split_values
from crfdeid.feature_extraction.token import OF_SHAPE, Value
from crfdeid.text.document import Document

BATCH = 20  # documents that are observed at once

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
LEAST = 1 << 16  # bytes of the smallest array that is returned to the system
MOST = 32 << 20  # the threshold to which glibc rises by itself


@dataclass(frozen=True)
class TrainingSet:
    """``gold`` [tokens] are label numbers; ``bounds`` [sequences + 1] delimit the sequences. Each of
    ``columns`` [tokens] is one bundle of each token, or -1; ``bundles`` are the attributes of each bundle.
    ``documents`` [sequences] are the documents of the sequences, by number."""

    labels: list[str]
    attributes: AttributeNames
    gold: np.ndarray
    bounds: np.ndarray
    columns: list[np.ndarray]
    bundles: Lists
    documents: np.ndarray


class _Numbers(dict[str, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def build(
    pipeline: Pipeline, documents: Iterable[Document], extra_columns: Sequence[Columns] = ()
) -> TrainingSet:
    """Observe all documents; ``extra_columns`` has one entry per document, or none. Raises what
    :meth:`Pipeline.resolve_overlaps` raises."""
    with return_freed_memory():
        return _Builder(pipeline).build(documents, extra_columns)


class _Builder:
    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.extractor = pipeline, pipeline.extractor
        self.attributes, self.labels, self.observed = AttributeNames(), _Numbers(), 0
        self.templates: list[Template] = [(atom,) for atom in self.extractor.single_contextual]
        self.templates += [joined.atoms for joined in self.extractor.joined]
        self.names = sorted({name for template in self.templates for name, _ in template})
        self.codes = {name: _Numbers() for name in self.names}
        self.vocabulary = TokenVocabulary(text_observations(self.names, self.extractor), self.code)
        self.reader = Reader(pipeline, self.vocabulary, compiled_scanner(pipeline))
        self.columns = ContextColumns(
            self.extractor.contextual, pipeline.gazetteers, self.vocabulary, self.code
        )

    def code(self, name: str, value: Value) -> int:
        """The number of an observation's value, a new one where it is new; -1 for no value."""
        return self.codes[name][value] if isinstance(value, str) else NONE

    def build(self, documents: Iterable[Document], extra_columns: Sequence[Columns]) -> TrainingSet:
        ready = map(self.pipeline.resolve_overlaps, documents)
        parts = [self.observe(batch) for batch in read_batches(self.reader, ready, extra_columns)]
        gold, sizes, owners, texts, *columns = (_join_batches(arrays) for arrays in zip(*parts))
        bounds = np.cumsum([0, *sizes.tolist()])
        seen = dict(zip(self.names, columns))
        del parts, columns
        bundles = Bundles(len(gold))
        bias = self.attributes.add("bias", (), np.zeros((1, 0), np.int64))
        bundles.add(np.full(len(gold), bias, np.int32))
        for template in self.templates:
            for column in self.template_columns(template, seen, bounds):
                bundles.add(column)
        del seen
        found, lists = bundles.columns()
        offsets, window = self.window_bundles()
        for place, offset in enumerate(offsets):
            neighbour = shift_codes(texts, bounds, offset)
            number = neighbour.astype(np.int64) * len(offsets) + (len(lists) + place)
            found.append(np.where(neighbour == NONE, NONE, number).astype(np.int32))
        return TrainingSet(
            list(self.labels), self.attributes, gold, bounds, found, concatenate([lists, window]), owners
        )

    def observe(self, batch: Batch) -> list[np.ndarray]:
        """Labels, sizes and documents of sequences, text numbers, and the codes of each observation, of the
        tokens that are in a sequence."""
        sizes = batch.stop - batch.first
        keep = list_places(batch.first, sizes)
        names = self.pipeline.mark_spans(encode_labels(batch))
        gold = np.array([self.labels[names[index]] for index in keep.tolist()], np.int32)
        columns = [narrow_type(self.columns.column(name, batch)[..., keep]) for name in self.names]
        owners = batch.document[batch.first] + self.observed
        self.observed += len(batch.documents)
        return [gold, sizes, owners, batch.texts[keep], *columns]

    def template_columns(
        self, template: Template, seen: dict[str, np.ndarray], bounds: np.ndarray
    ) -> list[np.ndarray]:
        """The attribute of a template at each token, or -1; several columns where its observation has
        several values."""
        parts = [shift_codes(seen[name], bounds, offset) for name, offset in template]
        if len(parts) > 1:
            return [self.join_parts(template, parts)]
        first = self.attributes.add(format_template(template), *list_values(self.codes[template[0][0]]))
        several = parts[0] if parts[0].ndim == 2 else parts
        return [add_first(codes, first) for codes in several]

    def join_parts(self, template: Template, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The attribute of a joined template at each token, -1 where a part has no value."""
        tokens = np.flatnonzero(np.all([code != NONE for code in codes], axis=0))
        keys, kinds = np.zeros(len(tokens), np.int64), np.zeros((1, 0), np.int32)
        for (name, _), code in zip(template, codes):  # number the combinations, with one part more each time
            size = len(self.codes[name])
            unique, keys = number_keys(keys.astype(np.int64) * size + code[tokens])
            kinds = np.column_stack([kinds[unique // size], (unique % size).astype(np.int32)])
        values = [list(self.codes[name]) for name, _ in template]
        first = self.attributes.add(format_template(template), values, kinds)
        found = np.full(len(codes[0]), NONE, np.int32)
        found[tokens] = first + merge_spellings(values, kinds)[keys]
        return found

    def window_bundles(self) -> tuple[Sequence[int], Lists]:
        """The offsets that templates use, and a bundle for each text at each of them."""
        by_offset = self.extractor.by_offset
        offsets = sorted(by_offset)
        columns = [np.full(len(self.vocabulary) * len(offsets), NONE, np.int32)]
        for name in dict.fromkeys(name for names in by_offset.values() for name in names):
            numbers, codes = self.observe_texts(name)
            wide = np.full((len(codes), len(self.vocabulary), len(offsets)), NONE, np.int32)
            for place, offset in enumerate(offsets):
                if name in by_offset[offset]:
                    first = self.attributes.add(f"{name}[{offset}]", *list_values(numbers))
                    wide[:, :, place] = add_first(codes, first)
            columns += list(wide.reshape(len(codes), -1))
        return offsets, list_rows(np.column_stack(columns))

    def observe_texts(self, name: str) -> tuple[_Numbers, np.ndarray]:
        """The values of a lexical observation by number, and the numbers of its values for each text
        [values of a text, texts]."""
        numbers = _Numbers()
        observe, strings = self.extractor.lexical[name], self.vocabulary.strings
        kinds = _Numbers()
        which = [kinds[form(text)] for text in strings] if name in OF_SHAPE else slice(None)
        values = [split_values(observe(text)) for text in (kinds if name in OF_SHAPE else strings)]
        sizes = np.array([len(own) for own in values], np.int64)
        codes = np.full((int(sizes.max(initial=1)), len(values)), NONE, np.int32)
        owners = np.repeat(np.arange(len(values)), sizes)
        places = list_places(np.zeros_like(sizes), sizes)
        codes[places, owners] = [numbers[one] for own in values for one in own]
        return numbers, codes[:, which]


def shift_codes(codes: np.ndarray, bounds: np.ndarray, offset: int) -> np.ndarray:
    """The code ``offset`` tokens away in the same sequence, -1 outside it; ``codes`` are [tokens] or
    [values, tokens].

    >>> shift_codes(np.array([5, 6, 7]), np.array([0, 2, 3]), 1).tolist()
    [6, -1, -1]
    """
    if offset == 0:
        return codes
    found = np.full_like(codes, NONE)
    here = slice(max(-offset, 0), min(-offset, 0) or None)
    there = slice(max(offset, 0), min(offset, 0) or None)
    found[..., here] = codes[..., there]
    for step in range(abs(offset)):  # not across bounds
        edge = bounds[1:] - 1 - step if offset > 0 else bounds[:-1] + step
        inside = (edge >= bounds[:-1]) & (edge < bounds[1:])
        found[..., edge[inside]] = NONE
    return found


def narrow_type(column: np.ndarray) -> np.ndarray:
    """The same numbers in the narrowest signed type that holds them.

    >>> narrow_type(np.array([-1, 127])).dtype, narrow_type(np.array([-1, 128])).dtype
    (dtype('int8'), dtype('int16'))
    """
    return column.astype(np.min_scalar_type(-1 - int(column.max(initial=0))))


def _join_batches(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Join the arrays of all batches; arrays [values, tokens] get as many values as the largest."""
    most = max((len(part) for part in parts if part.ndim == 2), default=0)
    if not most:
        return np.concatenate(parts)
    full = [np.full((most, part.shape[-1]), NONE, part.dtype) for part in parts]
    for whole, part in zip(full, parts):
        whole[: len(part) if part.ndim == 2 else 1] = part
    return np.concatenate(full, axis=1)


def read_batches(
    reader: Reader, documents: Iterable[Document], extra_columns: Sequence[Columns] = ()
) -> Iterator[Batch]:
    """Read the documents in batches, each document with its extra columns."""
    waiting, start = iter(documents), 0
    while some := list(islice(waiting, BATCH)):
        yield reader.batch(some, extra_columns[start : start + len(some)])
        start += len(some)


def compiled_scanner(pipeline: Pipeline) -> Scan | None:
    """The compiled tokenizer, if the pipeline's tokenizer has a compiled version."""
    if pipeline.tokenizer != "fine":
        return None
    from crfdeid.engine.decoding.scanner import Scanner

    return Scanner()


@contextmanager
def return_freed_memory() -> Iterator[None]:
    """Return the memory of arrays of 64 kB or more to the system when they are freed, so that the stages
    before training do not add up. (As arrays come and go, glibc raises the size below which it keeps freed
    memory, up to 32 MB. This is faster where equal arrays come again and again, so it is set afterwards.)
    Only for glibc; other systems do not change."""
    _set_threshold(LEAST)
    try:
        yield
    finally:
        _set_threshold(MOST)


def _set_threshold(size: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, size)
            ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 2 * size)
