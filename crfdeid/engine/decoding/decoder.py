"""Label sequences without feature strings.

A feature is a value at an offset, so a token's emission scores are a sum of rows:

- one for each offset of the window, which depends on the text at that offset. It is computed once for
  each distinct text, from the weights of the text's features, and kept;
- one for each contextual or joined template, if the model has a weight for its value. Values are
  small numbers (codes); a joined template mixes the codes of its parts into one key of a table.

A value without a weight costs nothing. Labels are CRFsuite's; ties go to the label with the lowest
number, as in CRFsuite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import repeat
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import Batch, PlainStretches, Reader, Scan, Stretches
from crfdeid.engine.arrays.context_columns import ContextColumns, text_observations
from crfdeid.engine.arrays.types import Scores
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, enlarge, observe_texts
from crfdeid.engine.crfsuite_file import Weights
from crfdeid.engine.decoding import tables
from crfdeid.engine.decoding.tables import (
    Codes,
    StateWeights,
    add_to_tokens,
    build_tables,
    find_keys,
    group_by_template,
)
from crfdeid.feature_extraction.pipeline import Extractor, Pipeline
from crfdeid.feature_extraction.templates import Columns, Template, format_template, split_values
from crfdeid.feature_extraction.token import OF_SHAPE, SEVERAL, Value
from crfdeid.text.document import Document

REMEMBERED = 32_000  # distinct texts whose rows are kept at once
RESERVED = 1 << 24  # numbers of window rows
FORMS = 1024  # forms of texts whose rows are kept, and those of one batch
LONG = 1_000_000  # tokens of a batch whose columns take less memory, and more time
WORTH_COMPILED = 120_000  # characters after which it pays to load the compiled loops


class Decoder:
    """Computes scores and best paths. ``kernels`` is :mod:`crfdeid.engine.decoding.tables` or
    :mod:`crfdeid.engine.decoding.numba_kernels`."""

    def __init__(self, weights: Weights, pipeline: Pipeline, kernels: ModuleType = tables) -> None:
        self.pipeline, self.kernels = pipeline, kernels
        self.labels, self.transitions = weights.labels, weights.transitions
        extractor = pipeline.extractor
        self.offsets = np.array(sorted(extractor.by_offset), np.int64)
        templates: list[Template] = [(atom,) for atom in extractor.single_contextual]
        templates += [joined.atoms for joined in extractor.joined]
        self.codes: Codes = {name: {} for t in templates for name, _ in t}
        state = group_by_template(weights)
        size = len(self.labels)
        self.bias = state.find_row("bias", size)
        of_text = [template for template in templates if is_of_one_text(template, extractor)]
        others = [template for template in templates if template not in of_text]
        self.text_tables = build_tables(of_text, state, self.codes, size)
        own = build_tables(others, state, self.codes, size)
        self.scorer = kernels.Scorer(own, self.offsets, self.bias, self.transitions)
        self.blocks = _Blocks(state, extractor.by_offset, self.scorer.width)
        observations = [
            _Observation(name, extractor.lexical[name], numbers)
            for name, numbers in self.blocks.numbers.items()
        ]
        self.of_form = [one for one in observations if one.name in OF_SHAPE]
        self.of_text = [one for one in observations if one.name not in OF_SHAPE]
        self.names = own.names
        self.columns = ContextColumns(
            extractor.contextual,
            pipeline.gazetteers,
            self._make_vocabulary(),
            self.code,
            *self.choose_arrays(),
        )
        self.forget()

    def forget(self) -> None:
        """Begin with an empty vocabulary (its size is bounded)."""
        self.vocabulary = self._make_vocabulary()
        self.reader = Reader(self.pipeline, self.vocabulary, self._make_scanner())
        self.columns.forget(self.vocabulary)
        row = len(self.offsets), self.scorer.width
        texts = min(REMEMBERED, RESERVED // (row[0] * row[1] + 1))
        self.scorer.clear_window(texts + 1)  # memory that is never written takes no place
        self.known = 0
        self.forms: dict[str, int] = {}
        self.form_rows = np.zeros((64, len(self.offsets), self.scorer.width))

    def _make_vocabulary(self) -> TokenVocabulary:
        names = [*self.names, *self.text_tables.names]
        return TokenVocabulary(text_observations(names, self.pipeline.extractor), self.code)

    def _make_scanner(self) -> Scan | None:
        """A compiled tokenizer, where loops are compiled and the tokenizer has a compiled version."""
        if self.kernels is tables or self.pipeline.tokenizer != "fine":
            return None
        from crfdeid.engine.decoding.scanner import Scanner

        return Scanner()

    def choose_arrays(self) -> tuple[Callable[[], Stretches], Mapping[str, Callable[..., np.ndarray]]]:
        """The stretches, and the compiled observations."""
        if self.kernels is tables:
            return PlainStretches, {}
        from crfdeid.engine.arrays.compiled_columns import COMPILED, CompiledStretches

        return CompiledStretches, COMPILED

    def code(self, name: str, value: Value) -> int:
        """The number of an observation's value, -1 for one without a weight."""
        known: Mapping[Any, int] = self.codes[name]  # it has no tuple and no None
        return known.get(value, NONE)

    def batch(self, documents: Sequence[Document], extra_columns: Sequence[Columns] = ()) -> Batch:
        """Read documents into arrays; ``extra_columns`` has one entry per document, or none."""
        if len(self.vocabulary) > REMEMBERED:
            self.forget()
        return self.reader.batch(documents, extra_columns)

    def emissions(self, batch: Batch) -> np.ndarray:
        """The emission scores [tokens, labels]."""
        return self.scorer.sum_scores(batch, self.observe(batch))

    def path(self, batch: Batch) -> np.ndarray:
        """The label number of each token, -1 outside the sequences."""
        return self.scorer.find_paths(batch, self.observe(batch))

    def score_path(self, batch: Batch) -> tuple[Scores, np.ndarray]:
        """The emission scores [tokens, width of the kernels' rows] and :meth:`path`, in one. Those of a long
        batch are computed when they are asked for, and hold until the next batch."""
        return self.scorer.score_paths(batch, self.observe(batch))

    def observe(self, batch: Batch) -> dict[str, np.ndarray]:
        """The columns of the batch; the window rows of its texts are in the scorer."""
        self._add_rows()
        found = {}
        for name in self.names:
            column = self.columns.column(name, batch)
            found[name] = shrink_codes(column) if len(batch) > LONG else column
        self.columns.forget_batch()
        return found

    def _add_rows(self) -> None:
        """Compute the rows of the texts that are new in the vocabulary."""
        known, size = self.known, len(self.vocabulary)
        if known == size or not len(self.offsets):  # a model of context only
            return
        texts, lowered = self.vocabulary.strings[known:], self.vocabulary.lowered[known:]
        self.scorer.enlarge_window(size)
        rows = self.scorer.window[known:]
        forms = self.vocabulary.forms[known:]
        numbers = self._number_forms(forms)
        np.take(self.form_rows, numbers, axis=0, out=rows[: size - known], mode="clip")  # without a copy
        self._add_blocks(self.of_text, texts, lowered, forms, rows)
        self._add_joined(rows[: size - known])
        self.known = size

    def _number_forms(self, forms: Sequence[str]) -> list[int]:
        """The numbers of forms; computes the rows of those that are new."""
        if len(self.forms) > FORMS:
            self.forms.clear()
        known = len(self.forms)
        new = [like for like in dict.fromkeys(forms) if like not in self.forms]
        self.forms.update(zip(new, range(known, known + len(new))))
        self.form_rows = enlarge(self.form_rows, len(self.forms))
        rows = self.form_rows[known:]
        rows[: len(new)] = 0.0
        self._add_blocks(self.of_form, new, [like.lower() for like in new], new, rows)
        return [self.forms[like] for like in forms]

    def _add_blocks(
        self,
        observations: Iterable[_Observation],
        texts: Sequence[str],
        lowered: Sequence[str],
        forms: Sequence[str],
        rows: np.ndarray,
    ) -> None:
        """Add to the rows of texts the blocks of their values."""
        every = np.arange(len(texts))
        starts, blocks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for name, observe, numbers in observations:
            values, owners = observe_texts(name, observe, texts, lowered, forms), every
            if name in SEVERAL:
                parts = [split_values(own) for own in values]
                owners = np.repeat(every, [len(own) for own in parts])
                values = [one for own in parts for one in own]
            found = np.fromiter(map(numbers.get, values, repeat(NONE)), np.int64, len(values))
            known = np.flatnonzero(found != NONE)
            starts.append(owners[known])
            blocks.append(found[known])
        chosen = np.concatenate(starts), np.concatenate(blocks)
        if len(chosen[0]):
            flat = rows.reshape(len(rows), -1)
            self.kernels.add_blocks(*chosen, self.blocks.ends, self.blocks.places, self.blocks.weights, flat)

    def _add_joined(self, rows: np.ndarray) -> None:
        """Add to the rows [texts, offsets, width] of new texts those of templates of one text."""
        each = np.arange(len(rows))
        values = self.vocabulary.values
        columns = {name: values[name].rows[self.known :][: len(rows)] for name in self.text_tables.names}
        for pattern in self.text_tables.patterns:
            places, found = find_keys(pattern, [columns[name] for name in pattern.names], each, each + 1)
            for shift, row in zip(pattern.shifts.tolist(), pattern.rows[found].T):
                into = rows[:, np.searchsorted(self.offsets, shift), : len(self.labels)]
                add_to_tokens(self.text_tables.rows, places[row != NONE], row[row != NONE], into)


def is_of_one_text(template: Template, extractor: Extractor) -> bool:
    """Whether the value of a template depends only on one text of the window."""
    first = template[0][1]
    return first in extractor.by_offset and all(
        offset == first and name in extractor.lexical for name, offset in template
    )


def shrink_codes(column: np.ndarray) -> np.ndarray:
    """The codes in two bytes each, where they fit."""
    return column.astype(np.int16) if column.max(initial=0) <= np.iinfo(np.int16).max else column


class _Observation(NamedTuple):
    """A lexical observation, and the number of the block of each of its values."""

    name: str
    observe: Callable[[str], Value]
    numbers: Mapping[Any, int]


class _Blocks:
    """A block for each value of each lexical observation: its weights at all offsets, with their places in
    a flat row [offsets * labels]. ``numbers[name][value]`` is the number of a block."""

    def __init__(self, state: StateWeights, by_offset: Mapping[int, Sequence[str]], labels: int) -> None:
        self.numbers: dict[str, dict[str, int]] = {}
        blocks: list[int] = []
        attributes: list[int] = []
        shifts: list[int] = []
        count = 0
        for number, offset in enumerate(sorted(by_offset)):
            for name in by_offset[offset]:
                values = state.numbers.get(format_template(((name, offset),)), {})
                numbers = self.numbers.setdefault(name, {})
                new = [value for value in values if value not in numbers]
                numbers.update(zip(new, range(count, count + len(new))))
                count += len(new)
                blocks += [numbers[value] for value in values]
                attributes += values.values()
                shifts += [number * labels] * len(values)
        order = np.argsort(blocks, kind="stable")
        sizes, places = state.gather(np.array(attributes, np.int64)[order])
        filled = np.bincount(np.array(blocks, np.int64)[order], sizes, count).astype(np.int64)
        self.ends = np.append(0, np.cumsum(filled))
        self.places = state.labels[places] + np.repeat(np.array(shifts, np.int64)[order], sizes)
        self.weights = state.values[places]


class AdaptiveDecoder:
    """The base of taggers that decode with ``weights``: in numpy, which starts at once, and with compiled
    loops after enough text. ``effort`` is the time without compiled loops, as a multiple of a CRF's."""

    effort = 1.0

    def __init__(self, weights: Weights, pipeline: Pipeline) -> None:
        self.weights, self.pipeline = weights, pipeline
        self.compiled, self.seen = False, 0

    @cached_property
    def decoder(self) -> Decoder:
        return Decoder(self.weights, self.pipeline)

    def compile(self) -> None:
        """Continue with compiled loops, if numba is installed. With many notes, best call it before the first
        one."""
        if not self.compiled and find_spec("numba"):
            from crfdeid.engine.decoding.without_scipy import load_numba

            load_numba()
            from crfdeid.engine.decoding import numba_kernels

            self.compiled, self.decoder = True, Decoder(self.weights, self.pipeline, numba_kernels)

    def forget_texts(self) -> None:
        """Begin with an empty vocabulary."""
        if "decoder" in vars(self):
            self.decoder.forget()

    def batch(self, documents: Sequence[Document], extra_columns: Sequence[Columns] = ()) -> Batch:
        """Read documents into arrays for ``decoder``, which this call can replace by the compiled one."""
        self.seen += sum(len(document.text) for document in documents)
        if self.seen * self.effort >= WORTH_COMPILED:
            self.compile()
        return self.decoder.batch(documents, extra_columns)
