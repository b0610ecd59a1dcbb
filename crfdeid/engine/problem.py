"""A training set as arrays.

A feature is a value at an offset. So most of a token's attributes depend on the text of
one token in the window alone: they are kept once per distinct text (*window* attributes).
The others (contextual observations, joined templates, the bias) are one attribute or
none per template and token (*direct* attributes).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crfdeid import bio
from crfdeid.document import Document
from crfdeid.line import Line
from crfdeid.templates import shifted, title

NONE = -1


@dataclass(frozen=True)
class Problem:
    """``texts`` [tokens] are identifiers of distinct token texts; ``direct`` [tokens, templates]
    are attributes or -1; ``bounds`` [sequences + 1] delimit the sequences. The window attributes
    of text i at ``offsets[o]`` are ``window[window_ends[o, i] : window_ends[o, i + 1]]``."""

    labels: list[str]
    attributes: list[str]
    gold: np.ndarray
    bounds: np.ndarray
    texts: np.ndarray
    offsets: np.ndarray
    window: np.ndarray
    window_ends: np.ndarray
    direct: np.ndarray

    @property
    def distinct(self) -> int:
        return self.window_ends.shape[1] - 1


class _Numbers(dict):
    """Gives each new key the next number."""

    def __missing__(self, key) -> int:
        self[key] = number = len(self)
        return number


def build(line: Line, documents: Iterable[Document]) -> Problem:
    """Observe all documents. Raises what :meth:`Line.without_overlaps` raises."""
    return _Builder(line).build(documents)


class _Builder:
    def __init__(self, line: Line) -> None:
        self.line, self.extractor = line, line.extractor
        self.labels, self.texts, self.attributes = _Numbers(), _Numbers(), _Numbers()
        self.gold: list[int] = []
        self.bounds = [0]
        self.text_ids: list[np.ndarray] = []
        self.direct: list[np.ndarray] = []

    def build(self, documents: Iterable[Document]) -> Problem:
        for document in documents:
            self.add(self.line.without_overlaps(document))
        offsets = sorted(self.extractor.by_offset)
        window, ends = self.window(offsets)
        return Problem(
            labels=list(self.labels),
            attributes=list(self.attributes),
            gold=np.array(self.gold, np.int32),
            bounds=np.array(self.bounds, np.int64),
            texts=np.concatenate([*self.text_ids, np.zeros(0, np.int32)]),
            offsets=np.array(offsets, np.int64),
            window=window,
            window_ends=ends,
            direct=np.concatenate([*self.direct, np.zeros((0, self.width), np.int32)]),
        )

    @property
    def width(self) -> int:
        return 1 + len(self.extractor.single_contextual) + len(self.extractor.joined)

    def add(self, document: Document) -> None:
        page, sequences = self.line.page(document)
        labels = bio.encode(page.tokens, document.spans)
        for sequence in sequences:
            inside = slice(sequence.start, sequence.stop)
            self.gold += [self.labels[label] for label in labels[inside]]
            texts = [self.texts[token.text] for token in page.tokens[inside]]
            self.text_ids.append(np.array(texts, np.int32))
            self.direct.append(self.direct_of(page, sequence))
            self.bounds.append(len(self.gold))

    def direct_of(self, page, sequence: range) -> np.ndarray:
        columns = self.extractor.columns(page)
        found = np.full((len(sequence), self.width), NONE, np.int32)
        found[:, 0] = self.attributes["bias"]
        templates = [((atom,), title((atom,))) for atom in self.extractor.single_contextual]
        templates += [(joined.atoms, joined.title) for joined in self.extractor.joined]
        for column, (atoms, head) in enumerate(templates, 1):
            parts = [shifted(columns[name], sequence, offset) for name, offset in atoms]
            for row, values in enumerate(zip(*parts)):
                if None not in values:
                    found[row, column] = self.attributes[f"{head}={'|'.join(values)}"]
        return found

    def window(self, offsets: list[int]) -> tuple[np.ndarray, np.ndarray]:
        flat: list[int] = []
        ends = np.zeros((len(offsets), len(self.texts) + 1), np.int64)
        for row, offset in enumerate(offsets):
            ends[row, 0] = len(flat)
            for number, text in enumerate(self.texts, 1):
                flat += [self.attributes[string] for string in self.extractor.strings(offset, text)]
                ends[row, number] = len(flat)
        return np.array(flat, np.int32), ends


@dataclass(frozen=True)
class Pairs:
    """The state features: (attribute, label) pairs, by attribute then label. Those of attribute a
    are ``label[ends[a] : ends[a + 1]]``; ``count`` is how often each occurs in training;
    ``transitions`` [labels, labels] counts label pairs, and ``allowed`` says which are features."""

    label: np.ndarray
    ends: np.ndarray
    count: np.ndarray
    transitions: np.ndarray
    allowed: np.ndarray


def pairs(problem: Problem, minfreq: float, every_state: bool, every_transition: bool) -> Pairs:
    """CRFsuite's features: those that occur at least ``minfreq`` times, or all that could."""
    size = len(problem.labels)
    keys, counts = _counted(problem, size)
    if every_state:
        every = np.arange(len(problem.attributes) * size, dtype=np.int64)
        full = np.zeros(len(every))
        full[keys] = counts
        keys, counts = every, full
    keep = counts >= minfreq
    keys, counts = keys[keep], counts[keep]
    ends = np.searchsorted(keys // size, np.arange(len(problem.attributes) + 1))
    transitions = _transitions(problem, size)
    allowed = transitions >= max(minfreq, 0 if every_transition else 1)
    return Pairs((keys % size).astype(np.int32), ends, counts, transitions, allowed)


def _transitions(problem: Problem, size: int) -> np.ndarray:
    follows = np.ones(len(problem.gold), bool)
    follows[problem.bounds[:-1]] = False
    second = np.flatnonzero(follows)
    counts = np.zeros((size, size))
    np.add.at(counts, (problem.gold[second - 1], problem.gold[second]), 1)
    return counts


def _counted(problem: Problem, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Sorted keys attribute * size + label that occur, and how often."""
    gold = problem.gold.astype(np.int64)
    found = []
    for column in problem.direct.T:
        there = column != NONE
        found.append(np.unique(column[there] * size + gold[there], return_counts=True))
    for row, offset in enumerate(problem.offsets):
        found.append(_counted_window(problem, row, int(offset), gold, size))
    keys = np.concatenate([keys for keys, _ in found])
    counts = np.concatenate([counts for _, counts in found]).astype(float)
    order = np.argsort(keys, kind="stable")
    return keys[order], counts[order]


def _counted_window(problem: Problem, row: int, offset: int, gold: np.ndarray, size: int):
    starts, ends = problem.bounds[:-1], problem.bounds[1:]
    lengths = ends - starts
    position = np.arange(len(gold)) + offset
    inside = (position >= np.repeat(starts, lengths)) & (position < np.repeat(ends, lengths))
    texts = problem.texts[position[inside]].astype(np.int64)
    together, times = np.unique(texts * size + gold[inside], return_counts=True)
    text, label = together // size, together % size
    begin, end = problem.window_ends[row, text], problem.window_ends[row, text + 1]
    repeats = end - begin
    before = np.cumsum(repeats) - repeats
    where = np.repeat(begin - before, repeats) + np.arange(repeats.sum())
    keys = problem.window[where].astype(np.int64) * size + np.repeat(label, repeats)
    unique, inverse = np.unique(keys, return_inverse=True)
    return unique, np.bincount(inverse, np.repeat(times, repeats))
