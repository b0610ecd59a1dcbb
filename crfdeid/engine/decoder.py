"""Label sequences without feature strings.

A feature is a value at an offset, so a token's emission scores are a sum of rows:

- one for each offset of the window and each text there; made once per distinct text, from
  the weights of that text's features, and kept;
- one for each contextual or joined template that has a weight for what it sees. Values are
  told as small numbers (their codes), a joined template looks its pair of numbers up.

What the model has no weight for costs nothing. Labels are CRFsuite's; ties go to the
label with the lowest number, as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from crfdeid.engine.viterbi import Viterbi
from crfdeid.engine.weights import STATE, Weights
from crfdeid.page import Page
from crfdeid.templates import Extractor, Template, title

UNKNOWN = -1
REMEMBERED = 50_000  # distinct texts whose rows are kept at once


class Decoder:
    def __init__(self, weights: Weights, extractor: Extractor) -> None:
        self.weights, self.extractor = weights, extractor
        self.size = len(weights.labels)
        self.state = _state_weights(weights)
        self.attributes = {name: number for number, name in enumerate(weights.attributes)}
        self.offsets = sorted(extractor.by_offset)
        templates: list[Template] = [(atom,) for atom in extractor.single_contextual]
        templates += [joined.atoms for joined in extractor.joined]
        self.codes: dict[str, dict[str, int]] = {name: {} for t in templates for name, _ in t}
        self.lexical = [name for name in self.codes if name in extractor.lexical]
        self.tables = self._tables(templates)
        self.viterbi = Viterbi(weights.transitions)
        self.bias = self._rows(["bias"])[0]
        self._forget()

    def labels(self, page: Page, sequence: range) -> list[str]:
        return self.named(self.viterbi.path(self.emissions(page, sequence)))

    def named(self, path: np.ndarray) -> list[str]:
        return [self.weights.labels[number] for number in path.tolist()]

    def emissions(self, page: Page, sequence: range) -> np.ndarray:
        """Scores [tokens, labels] of the tokens of ``sequence``."""
        texts = self._text_numbers(page, sequence)
        scores = np.tile(self.bias, (len(sequence), 1))
        for row, offset in enumerate(self.offsets):
            here, there = _overlap(len(sequence), offset)
            scores[here] += self.window[texts[there], row]
        columns = self._columns(page, sequence, texts)
        for table in self.tables:
            table.add_to(scores, columns)
        return scores

    def _columns(self, page: Page, sequence: range, texts: np.ndarray) -> dict[str, np.ndarray]:
        """The code of each observation at each token, or -1."""
        found = {name: self.text_codes[texts, i] for i, name in enumerate(self.lexical)}
        for name, codes in self.codes.items():
            if name not in found:
                values = self.extractor.contextual[name](page)[sequence.start : sequence.stop]
                found[name] = np.array([codes.get(value, UNKNOWN) for value in values], np.int64)
        return found

    def _text_numbers(self, page: Page, sequence: range) -> np.ndarray:
        tokens = page.tokens[sequence.start : sequence.stop]
        if len(self.texts) + len(tokens) > REMEMBERED:
            self._forget()
        numbers = [self.texts.get(token.text, UNKNOWN) for token in tokens]
        if UNKNOWN in numbers:
            numbers = [self._text_number(token.text) for token in tokens]
        return np.array(numbers, np.int64)

    def _text_number(self, text: str) -> int:
        """The number of a text; its rows and codes are made when it is new."""
        if text not in self.texts:
            number = self.texts[text] = len(self.texts)
            if number == len(self.window):
                self.window = np.concatenate([self.window, np.zeros_like(self.window)])
                self.text_codes = np.concatenate([self.text_codes, np.zeros_like(self.text_codes)])
            self.window[number] = self._rows(self.extractor.strings(o, text) for o in self.offsets)
            self.text_codes[number] = [
                self.codes[name].get(self.extractor.lexical[name](text), UNKNOWN) for name in self.lexical
            ]
        return self.texts[text]

    def _forget(self) -> None:
        self.texts: dict[str, int] = {}
        self.window = np.zeros((1024, len(self.offsets), self.size))
        self.text_codes = np.zeros((1024, len(self.lexical)), np.int64)

    def _rows(self, groups: Iterator[Sequence[str]] | Sequence[Sequence[str] | str]) -> np.ndarray:
        """Summed weights [groups, labels] of groups of feature strings."""
        rows = []
        for group in groups:
            row = np.zeros(self.size)
            for string in [group] if isinstance(group, str) else group:
                if (number := self.attributes.get(string)) is not None:
                    labels, values = self.state[number]
                    row[labels] += values
            rows.append(row)
        return np.array(rows)

    def _tables(self, templates: Sequence[Template]) -> list[_Table]:
        """A table for each template that has a weight at all."""
        by_head: dict[str, list[str]] = {title(template): [] for template in templates}
        for attribute in self.attributes:
            head, _, values = attribute.partition("=")
            if head in by_head:
                by_head[head].append(values)
        return [self._table(t, values) for t in templates if (values := by_head[title(t)])]

    def _table(self, template: Template, joined: Sequence[str]) -> _Table:
        known = [self.codes[name] for name, _ in template]
        rows: dict[tuple[int, ...], np.ndarray] = {}
        for text in joined:
            row = self._rows([f"{title(template)}={text}"])[0]
            for values in splits(text, len(template)):
                rows[tuple(codes.setdefault(v, len(codes)) for codes, v in zip(known, values))] = row
        return _Table(template, rows)


class _Table:
    """The rows of one template, by the codes of its values mixed into one number."""

    def __init__(self, template: Template, rows: dict[tuple[int, ...], np.ndarray]) -> None:
        self.template = template
        codes = np.array(list(rows), np.int64)
        self.sizes = codes.max(axis=0) + 1
        keys = self._mixed(codes.T)
        order = np.argsort(keys)
        self.keys = keys[order]
        self.rows = np.array(list(rows.values()))[order]

    def _mixed(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        key = np.zeros(len(codes[0]), np.int64)
        for size, code in zip(self.sizes, codes):
            key = key * size + code
        return key

    def add_to(self, scores: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        """Add the row of what the template sees at each token, where there is one."""
        codes = [_shifted(columns[name], offset) for name, offset in self.template]
        known = np.flatnonzero(
            np.all([(code >= 0) & (code < size) for code, size in zip(codes, self.sizes)], axis=0)
        )
        keys = self._mixed([code[known] for code in codes])
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        hits = self.keys[places] == keys
        scores[known[hits]] += self.rows[places[hits]]


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


def _state_weights(weights: Weights) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each attribute its labels and their weights."""
    records = weights.records[weights.records["kind"] == STATE]
    records = records[np.argsort(records["source"], kind="stable")]
    ends = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).tolist()
    return [(records["target"][a:b], records["weight"][a:b]) for a, b in zip(ends, ends[1:])]


def _overlap(size: int, offset: int) -> tuple[slice, slice]:
    """Where tokens have a neighbour ``offset`` away, and where those are.

    >>> _overlap(5, -2), _overlap(1, 2)
    ((slice(2, 5, None), slice(0, 3, None)), (slice(0, 0, None), slice(1, 1, None)))
    """
    here = slice(min(max(-offset, 0), size), max(size - max(offset, 0), 0))
    return here, slice(min(max(offset, 0), size), max(size + min(offset, 0), 0))


def _shifted(codes: np.ndarray, offset: int) -> np.ndarray:
    here, there = _overlap(len(codes), offset)
    found = np.full(len(codes), UNKNOWN)
    found[here] = codes[there]
    return found
