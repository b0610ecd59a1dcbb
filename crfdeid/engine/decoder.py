"""Label sequences without feature strings.

A feature is a value at an offset, so a token's emission scores are a sum of rows:

- one for each offset of the window and each text there; made once per distinct text, from
  the weights of that text's features, and kept;
- one for each contextual or joined template that has a weight for what it sees. Values are
  told as small numbers (their codes), a joined template looks its mixed codes up.

What the model has no weight for costs nothing. Labels are CRFsuite's; ties go to the
label with the lowest number, as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from types import ModuleType

import numpy as np

from crfdeid.document import Document
from crfdeid.engine import plain
from crfdeid.engine.batch import Batch, Reader
from crfdeid.engine.columns import BY_LOWERED_TEXT, Columns
from crfdeid.engine.texts import NONE, Texts, enlarged
from crfdeid.engine.viterbi import leads
from crfdeid.engine.weights import STATE, Weights
from crfdeid.line import Line
from crfdeid.observations import Value
from crfdeid.templates import Template, title

REMEMBERED = 32_000  # distinct texts whose rows are kept at once


class Decoder:
    """``kernels`` is :mod:`crfdeid.engine.plain` or :mod:`crfdeid.engine.compiled`."""

    def __init__(self, weights: Weights, line: Line, kernels: ModuleType = plain) -> None:
        self.line, self.kernels = line, kernels
        self.labels, self.transitions = weights.labels, weights.transitions
        self.lead = leads(weights.transitions)
        extractor = line.extractor
        self.offsets = np.array(sorted(extractor.by_offset), np.int64)
        templates: list[Template] = [(atom,) for atom in extractor.single_contextual]
        templates += [joined.atoms for joined in extractor.joined]
        self.codes: dict[str, dict[str, int]] = {name: {} for t in templates for name, _ in t}
        state = _by_template(weights)
        self.bias = _dense(state.get("bias", {}).get("", _EMPTY), len(self.labels))
        self.blocks = _blocks(state, extractor.by_offset, len(self.labels))
        self.tables = [
            _Table(template, state[title(template)], self.codes, kernels)
            for template in templates
            if title(template) in state
        ]
        self.names = sorted({name for table in self.tables for name, _ in table.template})
        self.forget()

    def forget(self) -> None:
        """Begin with no text known (the tables of texts are bounded)."""
        extractor = self.line.extractor
        coded = [name for name in self.names if name in BY_LOWERED_TEXT or name in extractor.lexical]
        by_text = {name: str.lower for name in coded if name in BY_LOWERED_TEXT} | {
            name: extractor.lexical[name] for name in (*coded, *self.blocks) if name in extractor.lexical
        }
        self.texts = Texts(by_text, coded, self.code)
        compiled = self.kernels is not plain and self.line.experiment.tokenizer == "fine"
        self.reader = Reader(self.line, self.texts, self.kernels.Scanner() if compiled else None)
        self.columns = Columns(extractor.contextual, self.line.gazetteers, self.texts, self.code)
        self.window = np.zeros((1024, len(self.offsets), len(self.labels)))
        self.known = 0

    def code(self, name: str, value: Value) -> int:
        return self.codes[name].get(value, NONE)

    def batch(self, documents: Sequence[Document]) -> Batch:
        if len(self.texts) > REMEMBERED:
            self.forget()
        return self.reader.batch(documents)

    def emissions(self, batch: Batch) -> np.ndarray:
        """Scores [tokens, labels]."""
        self._learn()
        scores = np.tile(self.bias, (len(batch), 1))
        sequences = batch.first, batch.stop
        self.kernels.add_window(batch.texts, *sequences, self.offsets, self.window, scores)
        columns = {name: self.columns.column(name, batch) for name in self.names}
        for table in self.tables:
            table.add_to(scores, columns, *sequences)
        return scores

    def path(self, batch: Batch) -> np.ndarray:
        """The label number of each token, -1 outside the sequences."""
        path = np.full(len(batch), NONE, np.int64)
        sequences = batch.first, batch.stop
        self.kernels.best_paths(self.emissions(batch), *sequences, self.transitions, self.lead, path)
        return path

    def _learn(self) -> None:
        """Make the rows of the texts that came since."""
        self.window = enlarged(self.window, len(self.texts))
        rows = self.window[self.known : len(self.texts)].reshape(-1)
        size = len(self.offsets) * len(self.labels)
        found = [
            (start * size, entry)
            for start, said in enumerate(self.texts.fresh)
            for name, blocks in self.blocks.items()
            if (value := said[name]) is not None
            for one in (value if isinstance(value, tuple) else (value,))
            if (entry := blocks.get(one)) is not None
        ]
        if found:
            sizes = [len(where) for _, (where, _) in found]
            places = np.concatenate([where for _, (where, _) in found])
            places += np.repeat([start for start, _ in found], sizes)
            np.add.at(rows, places, np.concatenate([values for _, (_, values) in found]))
        self.texts.fresh.clear()
        self.known = len(self.texts)


Entry = tuple[np.ndarray, np.ndarray]  # label numbers and their weights
_EMPTY: Entry = (np.zeros(0, np.int64), np.zeros(0))


def _by_template(weights: Weights) -> dict[str, dict[str, Entry]]:
    """The weights of each attribute by the head of its name (its template) and its value."""
    records = weights.records[weights.records["kind"] == STATE]
    records = records[np.argsort(records["source"], kind="stable")]
    ends = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).tolist()
    labels, values = records["target"].astype(np.int64), records["weight"].astype(np.float64)
    found: dict[str, dict[str, Entry]] = {}
    for attribute, a, b in zip(weights.attributes, ends, ends[1:]):
        head, _, value = attribute.partition("=")
        found.setdefault(head, {})[value] = labels[a:b], values[a:b]
    return found


def _blocks(
    state: dict[str, dict[str, Entry]], by_offset: dict[int, list[str]], labels: int
) -> dict[str, dict[str, Entry]]:
    """For each lexical observation and value, its weights at all offsets, and their places in
    a row [offsets, labels] laid flat."""
    parts: dict[str, dict[str, list[Entry]]] = {}
    for number, offset in enumerate(sorted(by_offset)):
        for name in by_offset[offset]:
            for value, (where, weights) in state.get(title(((name, offset),)), {}).items():
                found = parts.setdefault(name, {}).setdefault(value, [])
                found.append((where + number * labels, weights))
    return {
        name: {value: tuple(map(np.concatenate, zip(*found))) for value, found in values.items()}
        for name, values in parts.items()
    }


def _dense(entry: Entry, size: int) -> np.ndarray:
    row = np.zeros(size)
    row[entry[0]] = entry[1]
    return row


class _Table:
    """The rows of one template, by the codes of its values mixed into one number."""

    def __init__(
        self, template: Template, entries: dict[str, Entry], codes: dict[str, dict[str, int]], kernels
    ) -> None:
        self.template, self.kernels = template, kernels
        known = [codes[name] for name, _ in template]
        found = {
            tuple(code.setdefault(v, len(code)) for code, v in zip(known, values)): entry
            for text, entry in entries.items()
            for values in splits(text, len(template))
        }
        mixed = np.array(list(found), np.int64)
        self.sizes = mixed.max(axis=0) + 1
        self.offsets = np.array([offset for _, offset in template], np.int64)
        keys = np.zeros(len(mixed), np.int64)
        for size, column in zip(self.sizes.tolist(), mixed.T):
            keys = keys * size + column
        order = np.argsort(keys)
        entries_found = list(found.values())
        rows = [entries_found[i] for i in order.tolist()]
        self.ends = np.cumsum([0, *(len(labels) for labels, _ in rows)])
        self.labels = np.concatenate([labels for labels, _ in rows])
        self.values = np.concatenate([values for _, values in rows])
        self.places = kernels.places(keys[order])

    def add_to(self, scores: np.ndarray, columns: dict[str, np.ndarray], first, stop) -> None:
        """Add the row of what the template sees at each token, where there is one."""
        parts = [columns[name] for name, _ in self.template]
        several = parts[0] if parts[0].ndim == 2 else [parts[0]]
        for column in several:
            seen = np.array([column, *parts[1:]], np.int32)
            where = seen, self.offsets, self.sizes, first, stop
            self.kernels.add_table(*where, *self.places, self.ends, self.labels, self.values, scores)


def splits(text: str, parts: int) -> Iterator[tuple[str, ...]]:
    """All ways that ``parts`` values could have been joined to ``text`` (a value may hold
    the bar itself).

    >>> list(splits("a|b", 2)), list(splits("a||", 2))
    ([('a', 'b')], [('a', '|'), ('a|', '')])
    """
    bars = [i for i, character in enumerate(text) if character == "|"]
    for chosen in combinations(bars, parts - 1):
        ends = [-1, *chosen, len(text)]
        yield tuple(text[a + 1 : b] for a, b in zip(ends, ends[1:]))
