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

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import combinations
from types import ModuleType
from typing import NamedTuple

import numpy as np

from crfdeid.engine.arrays.batch import Batch, Reader
from crfdeid.engine.arrays.context_columns import ContextColumns, text_observations
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, enlarge, form
from crfdeid.engine.crfsuite_file.model_file import STATE, Weights
from crfdeid.engine.decoding import numpy_kernels
from crfdeid.engine.decoding.viterbi import label_leads
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Columns, Template, format_template, split_values
from crfdeid.feature_extraction.token import OF_SHAPE, SEVERAL, Value
from crfdeid.text.document import Document

REMEMBERED = 32_000  # distinct texts whose rows are kept at once
FILLED = 6  # how many times as fast a whole row is added as its weights one by one
WORTH_COMPILED = 120_000  # characters after which it pays to load the compiled loops


class Decoder:
    """Computes scores and best paths. ``kernels`` is :mod:`crfdeid.engine.decoding.numpy_kernels` or
    :mod:`crfdeid.engine.decoding.numba_kernels`."""

    def __init__(self, weights: Weights, pipeline: Pipeline, kernels: ModuleType = numpy_kernels) -> None:
        self.pipeline, self.kernels = pipeline, kernels
        self.labels, self.transitions = weights.labels, weights.transitions
        self.lead = label_leads(weights.transitions)
        extractor = pipeline.extractor
        self.offsets = np.array(sorted(extractor.by_offset), np.int64)
        templates: list[Template] = [(atom,) for atom in extractor.single_contextual]
        templates += [joined.atoms for joined in extractor.joined]
        self.codes: dict[str, dict[str, int]] = {name: {} for t in templates for name, _ in t}
        state = _group_by_template(weights)
        self.bias = _dense_row(state.get("bias", {}).get("", _EMPTY), len(self.labels))
        self.blocks = _Blocks(state, extractor.by_offset, len(self.labels))
        observations = [
            _Observation(name, extractor.lexical[name], numbers)
            for name, numbers in self.blocks.numbers.items()
        ]
        self.of_form = [one for one in observations if one.name in OF_SHAPE]
        self.of_text = [one for one in observations if one.name not in OF_SHAPE]
        self.tables = [
            _Table(template, state[format_template(template)], self.codes, len(self.labels), kernels)
            for template in templates
            if format_template(template) in state
        ]
        self.names = sorted({name for table in self.tables for name, _ in table.template})
        self.forget()

    def forget(self) -> None:
        """Begin with an empty vocabulary (its size is bounded)."""
        extractor = self.pipeline.extractor
        self.vocabulary = TokenVocabulary(text_observations(self.names, extractor), self.code)
        compiled = self.kernels is not numpy_kernels and self.pipeline.tokenizer == "fine"
        self.reader = Reader(self.pipeline, self.vocabulary, self.kernels.Scanner() if compiled else None)
        gazetteers = self.pipeline.gazetteers
        self.columns = ContextColumns(extractor.contextual, gazetteers, self.vocabulary, self.code)
        self.window = np.zeros((1024, len(self.offsets), len(self.labels)))
        self.known = 0
        self.forms: dict[str, list[int]] = {}  # the blocks of each form

    def code(self, name: str, value: Value) -> int:
        """The number of an observation's value, -1 for one without a weight."""
        return self.codes[name].get(value, NONE) if isinstance(value, str) else NONE

    def batch(self, documents: Sequence[Document], extra_columns: Sequence[Columns] = ()) -> Batch:
        """Read documents into arrays; ``extra_columns`` has one entry per document, or none."""
        if len(self.vocabulary) > REMEMBERED:
            self.forget()
        return self.reader.batch(documents, extra_columns)

    def emissions(self, batch: Batch) -> np.ndarray:
        """The emission scores [tokens, labels]."""
        self._add_rows()
        scores = np.tile(self.bias, (len(batch), 1))
        sequences = batch.first, batch.stop
        self.kernels.add_window(batch.texts, *sequences, self.offsets, self.window, scores)
        columns = {name: self.columns.column(name, batch) for name in self.names}
        for table in self.tables:
            table.add_to(scores, columns, *sequences)
        return scores

    def path(self, batch: Batch) -> np.ndarray:
        """The label number of each token, -1 outside the sequences."""
        return self.find_best_path(batch, self.emissions(batch))

    def find_best_path(self, batch: Batch, emissions: np.ndarray) -> np.ndarray:
        """As :meth:`path`, for the batch's emission scores, which it overwrites."""
        path = np.full(len(batch), NONE, np.int64)
        sequences = batch.first, batch.stop
        self.kernels.find_best_paths(emissions, *sequences, self.transitions, self.lead, path)
        return path

    def _add_rows(self) -> None:
        """Compute the rows of the texts that are new in the vocabulary."""
        self.window = enlarge(self.window, len(self.vocabulary))
        starts: list[int] = []
        blocks: list[int] = []
        for start, text in enumerate(self.vocabulary.strings[self.known :]):
            found = [*self._form_blocks(form(text)), *_find_blocks(text, self.of_text)]
            starts += [start] * len(found)
            blocks += found
        if blocks:
            self.blocks.add_to(self.window[self.known : len(self.vocabulary)], starts, blocks)
        self.known = len(self.vocabulary)

    def _form_blocks(self, like: str) -> list[int]:
        if like not in self.forms:
            self.forms[like] = _find_blocks(like, self.of_form)
        return self.forms[like]


Entry = tuple[np.ndarray, np.ndarray]  # label numbers and their weights
_EMPTY: Entry = (np.zeros(0, np.int64), np.zeros(0))


class _Observation(NamedTuple):
    """A lexical observation, and the number of the block of each of its values."""

    name: str
    observe: Callable[[str], Value]
    numbers: dict[str, int]


def _find_blocks(text: str, observations: Iterable[_Observation]) -> list[int]:
    """The numbers of the blocks for the values of a text's observations."""
    found: list[int] = []
    for name, observe, numbers in observations:
        value = observe(text)
        if name in SEVERAL:
            found += [numbers[one] for one in split_values(value) if one in numbers]
        elif isinstance(value, str) and value in numbers:
            found.append(numbers[value])
    return found


def _group_by_template(weights: Weights) -> dict[str, dict[str, Entry]]:
    """The weights of each attribute, by its template (the head of its name) and its value."""
    records = weights.records[weights.records["kind"] == STATE]
    records = records[np.argsort(records["source"], kind="stable")]
    ends = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).tolist()
    labels, values = records["target"].astype(np.int64), records["weight"].astype(np.float64)
    found: dict[str, dict[str, Entry]] = {}
    for attribute, a, b in zip(weights.attributes, ends, ends[1:]):
        head, _, value = attribute.partition("=")
        found.setdefault(head, {})[value] = labels[a:b], values[a:b]
    return found


class _Blocks:
    """A block for each value of each lexical observation: its weights at all offsets, with their places in
    a flat row [offsets * labels]. ``numbers[name][value]`` is the number of a block."""

    def __init__(
        self, state: dict[str, dict[str, Entry]], by_offset: dict[int, list[str]], labels: int
    ) -> None:
        parts: dict[tuple[str, str], list[Entry]] = {}
        for number, offset in enumerate(sorted(by_offset)):
            for name in by_offset[offset]:
                for value, (where, weights) in state.get(format_template(((name, offset),)), {}).items():
                    parts.setdefault((name, value), []).append((where + number * labels, weights))
        self.numbers: dict[str, dict[str, int]] = {}
        for number, (name, value) in enumerate(parts):
            self.numbers.setdefault(name, {})[value] = number
        entries = [entry for found in parts.values() for entry in found]
        self.ends = np.cumsum([0, *(sum(len(where) for where, _ in found) for found in parts.values())])
        self.places = np.concatenate([_EMPTY[0], *(where for where, _ in entries)])
        self.weights = np.concatenate([_EMPTY[1], *(weights for _, weights in entries)])

    def add_to(self, rows: np.ndarray, starts: Sequence[int], blocks: Sequence[int]) -> None:
        """Add each block to the row at its start."""
        chosen = np.array(blocks)
        sizes = self.ends[chosen + 1] - self.ends[chosen]
        before = np.cumsum(sizes) - sizes
        where = np.arange(int(sizes.sum())) + np.repeat(self.ends[chosen] - before, sizes)
        places = self.places[where] + np.repeat(np.array(starts) * rows[0].size, sizes)
        np.add.at(rows.reshape(-1), places, self.weights[where])


def _dense_row(entry: Entry, size: int) -> np.ndarray:
    row = np.zeros(size)
    row[entry[0]] = entry[1]
    return row


class _Table:
    """The rows of one template, by the key that is mixed from the codes of its values."""

    def __init__(
        self,
        template: Template,
        entries: dict[str, Entry],
        codes: dict[str, dict[str, int]],
        labels: int,
        kernels: ModuleType,
    ) -> None:
        self.template, self.kernels = template, kernels
        known = [codes[name] for name, _ in template]
        found = {
            tuple(code.setdefault(v, len(code)) for code, v in zip(known, values)): entry
            for text, entry in entries.items()
            for values in split_value(text, len(template))
        }
        rows = sorted(found.items(), key=lambda row: -len(row[1][0]))  # rows with most weights first
        mixed = np.array([values for values, _ in rows], np.int64)
        self.sizes = mixed.max(axis=0) + 1
        self.offsets = np.array([offset for _, offset in template], np.int64)
        keys = np.zeros(len(mixed), np.int64)
        for size, column in zip(self.sizes.tolist(), mixed.T):
            keys = keys * size + column
        self.ends = np.cumsum([0, *(len(where) for _, (where, _) in rows)])
        self.labels = np.concatenate([where for _, (where, _) in rows])
        self.values = np.concatenate([values for _, (_, values) in rows])
        whole = int(np.count_nonzero(FILLED * np.diff(self.ends) > labels))
        self.dense = np.array([_dense_row(entry, labels) for _, entry in rows[:whole]]).reshape(-1, labels)
        self.index = kernels.index_keys(keys, math.prod(self.sizes.tolist()))

    def add_to(
        self, scores: np.ndarray, columns: dict[str, np.ndarray], first: np.ndarray, stop: np.ndarray
    ) -> None:
        """Add to each token's scores the row of the template's value there, if it has one."""
        parts = [columns[name] for name, _ in self.template]
        several = parts[0] if parts[0].ndim == 2 else [parts[0]]
        for column in several:
            seen = np.array([column, *parts[1:]], np.int32)
            where = seen, self.offsets, self.sizes, first, stop
            rows = self.ends, self.labels, self.values, self.dense
            self.kernels.add_table(*where, *self.index, *rows, scores)


def split_value(text: str, parts: int) -> Iterator[tuple[str, ...]]:
    """Every way to split ``text`` into ``parts`` joined values (a value may contain the bar itself).

    >>> list(split_value("a|b", 2)), list(split_value("a||", 2))
    ([('a', 'b')], [('a', '|'), ('a|', '')])
    """
    bars = [i for i, character in enumerate(text) if character == "|"]
    for chosen in combinations(bars, parts - 1):
        ends = [-1, *chosen, len(text)]
        yield tuple(text[a + 1 : b] for a, b in zip(ends, ends[1:]))


class AdaptiveDecoder:
    """The base of taggers that decode with ``weights``: in numpy, which starts at once, and with compiled
    loops after enough text."""

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
            from crfdeid.engine.decoding import numba_kernels

            self.compiled, self.decoder = True, Decoder(self.weights, self.pipeline, numba_kernels)

    def forget_texts(self) -> None:
        """Begin with an empty vocabulary."""
        if "decoder" in vars(self):
            self.decoder.forget()

    def batch(self, documents: Sequence[Document], extra_columns: Sequence[Columns] = ()) -> Batch:
        """Read documents into arrays for ``decoder``, which this call can replace by the compiled one."""
        self.seen += sum(len(document.text) for document in documents)
        if self.seen >= WORTH_COMPILED:
            self.compile()
        return self.decoder.batch(documents, extra_columns)
