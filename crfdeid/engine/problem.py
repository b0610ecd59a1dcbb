"""A training set as arrays.

A feature is a value at an offset. So most of a token's attributes depend on the text of
one token in the window alone: they are kept once per distinct text (*window* attributes).
The others (contextual observations, joined templates, the bias) are one attribute or
none per template and token (*direct* attributes).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from crfdeid.document import Document
from crfdeid.engine import plain
from crfdeid.engine.batch import Batch, Reader, label_names
from crfdeid.engine.columns import Columns, by_text
from crfdeid.engine.texts import NONE, Texts
from crfdeid.line import Line
from crfdeid.observations import Value
from crfdeid.templates import Template, title

TOGETHER = 20  # documents that are observed at once


@dataclass(frozen=True)
class Problem:
    """``texts`` [tokens] are identifiers of distinct token texts; ``bounds`` [sequences + 1] delimit the
    sequences. The direct attributes of token t are ``direct[direct_ends[t] : direct_ends[t + 1]]``.
    ``offsets`` run down without a gap past 0; the window attributes of text i at ``offsets[o]`` are
    ``window[window_ends[q] : window_ends[q + 1]]`` with q = i * len(offsets) + o."""

    labels: list[str]
    attributes: list[str]
    gold: np.ndarray
    bounds: np.ndarray
    texts: np.ndarray
    offsets: np.ndarray
    window: np.ndarray
    window_ends: np.ndarray
    direct: np.ndarray
    direct_ends: np.ndarray

    @property
    def distinct(self) -> int:
        return (len(self.window_ends) - 1) // len(self.offsets)


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
        self.attributes, self.labels = _Numbers(), _Numbers()
        self.templates: list[Template] = [(atom,) for atom in self.extractor.single_contextual]
        self.templates += [joined.atoms for joined in self.extractor.joined]
        self.names = sorted({name for template in self.templates for name, _ in template})
        self.codes = {name: _Numbers() for name in self.names}
        self.texts = Texts(by_text(self.names, self.extractor), self.code)
        self.reader = Reader(line, self.texts, scanner(line))
        self.columns = Columns(self.extractor.contextual, line.gazetteers, self.texts, self.code)

    def code(self, name: str, value: Value) -> int:
        return NONE if value is None else self.codes[name][value]

    def build(self, documents: Iterable[Document]) -> Problem:
        ready = (self.line.without_overlaps(document) for document in documents)
        parts = [self.observed(batch) for batch in batches(self.reader, ready)]
        gold, sizes, texts, *columns = (_joined(found) for found in zip(*parts))
        bounds = np.cumsum([0, *sizes.tolist()])
        seen = dict(zip(self.names, columns))
        columns = [np.full(len(gold), self.attributes["bias"], np.int32)]
        for template in self.templates:
            columns += self.column(template, seen, bounds)
        direct_ends, direct = listed(columns)
        offsets, window, window_ends = self.window()
        return Problem(
            labels=list(self.labels), attributes=list(self.attributes), gold=gold, bounds=bounds,
            texts=texts, offsets=offsets, window=window, window_ends=window_ends,
            direct=direct, direct_ends=direct_ends,
        )  # fmt: skip

    def observed(self, batch: Batch) -> list[np.ndarray]:
        """Labels, sizes of sequences, texts, and what each observation says, of the tokens that are
        in a sequence."""
        sizes = batch.stop - batch.first
        keep = np.repeat(batch.first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
        names = label_names(batch)
        gold = np.array([self.labels[names[index]] for index in keep.tolist()], np.int32)
        columns = [self.columns.column(name, batch)[..., keep] for name in self.names]
        return [gold, sizes, batch.texts[keep], *columns]

    def column(self, template: Template, seen: dict[str, np.ndarray], bounds: np.ndarray) -> list[np.ndarray]:
        """The attribute of a template at each token; of several where its observation has several
        values."""
        first, stop = bounds[:-1], bounds[1:]
        parts = [seen[name] for name, _ in template]
        offsets = [offset for _, offset in template]
        if parts[0].ndim == 2:
            return [self.attributed(template, [plain.shifted(c, first, stop, offsets[0])]) for c in parts[0]]
        shifted = (plain.shifted(c, first, stop, o) for c, o in zip(parts, offsets))
        return [self.attributed(template, list(shifted))]

    def attributed(self, template: Template, codes: Sequence[np.ndarray]) -> np.ndarray:
        there = np.flatnonzero(np.all([code != NONE for code in codes], axis=0))
        keys, kinds = np.zeros(len(there), np.int64), np.zeros((1, 0), np.int64)
        for code in codes:  # number the combinations seen so far, one part more each time
            size = int(code.max(initial=0)) + 1
            unique, keys = numbered(keys * size + code[there])
            kinds = np.column_stack([kinds[unique // size], unique % size])
        values = [list(self.codes[name]) for name, _ in template]
        head = title(template)
        numbers = [
            self.attributes[f"{head}={'|'.join(v[i] for v, i in zip(values, row))}"] for row in kinds.tolist()
        ]
        found = np.full(len(codes[0]), NONE, np.int32)
        found[there] = np.array(numbers, np.int32)[keys]
        return found

    def window(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        used = [0, *self.extractor.by_offset]
        offsets = range(max(used), min(used) - 1, -1)
        said = {
            name: [observe(text) for text in self.texts.strings]
            for name, observe in self.extractor.lexical.items()
            if any(name in names for names in self.extractor.by_offset.values())
        }
        columns = [[(name, said[name]) for name in self.extractor.by_offset.get(o, ())] for o in offsets]
        flat: list[int] = []
        ends = [0]
        for number in range(len(self.texts)):
            for offset, names in zip(offsets, columns):
                for name, values in names:
                    value = values[number]
                    if value is not None:
                        for one in value if isinstance(value, tuple) else (value,):
                            flat.append(self.attributes[f"{name}[{offset}]={one}"])
                ends.append(len(flat))
        return np.array(offsets), np.array(flat, np.int32), np.array(ends)


def listed(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The attributes of each token one after the other, and where each token's begin and end.

    >>> [part.tolist() for part in listed([np.array([4, 5]), np.array([-1, 6])])]
    [[0, 1, 3], [4, 5, 6]]
    """
    counts = sum((column != NONE).astype(np.int64) for column in columns)
    ends = np.concatenate([[0], np.cumsum(counts)])
    flat, place = np.empty(int(ends[-1]), np.int32), ends[:-1].copy()
    for column in columns:
        there = np.flatnonzero(column != NONE)
        flat[place[there]] = column[there]
        place[there] += 1
    return ends, flat


def numbered(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys in order of first occurrence (tokens near each other then have weights near
    each other), and the number of each key.

    >>> [part.tolist() for part in numbered(np.array([7, 5, 7]))]
    [[7, 5], [0, 1, 0]]
    """
    unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return unique[order], number[inverse]


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """One array of those of all batches; of several values, as many as any batch has."""
    most = max((len(part) for part in parts if part.ndim == 2), default=0)
    if not most:
        return np.concatenate(parts)
    full = [np.full((most, part.shape[-1]), NONE, np.int32) for part in parts]
    for whole, part in zip(full, parts):
        whole[: len(part) if part.ndim == 2 else 1] = part
    return np.concatenate(full, axis=1)


def batches(reader: Reader, documents: Iterable[Document]) -> Iterator[Batch]:
    waiting = iter(documents)
    while some := list(islice(waiting, TOGETHER)):
        yield reader.batch(some)


def scanner(line: Line):
    """The compiled tokenizer, where it is the line's."""
    if line.experiment.tokenizer != "fine":
        return None
    from crfdeid.engine.compiled import Scanner

    return Scanner()


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
    labels = np.repeat(gold, np.diff(problem.direct_ends))
    found = [np.unique(problem.direct * np.int64(size) + labels, return_counts=True)]
    for row, offset in enumerate(problem.offsets.tolist()):
        found.append(_counted_window(problem, row, offset, gold, size))
    keys = np.concatenate([keys for keys, _ in found])
    counts = np.concatenate([counts for _, counts in found]).astype(float)
    order = np.argsort(keys, kind="stable")
    return keys[order], counts[order]


def _counted_window(problem: Problem, row: int, offset: int, gold: np.ndarray, size: int):
    here, there = plain.inside(problem.bounds[:-1], problem.bounds[1:], offset)
    together, times = np.unique(problem.texts[there].astype(np.int64) * size + gold[here], return_counts=True)
    item, label = together // size * len(problem.offsets) + row, together % size
    begin, end = problem.window_ends[item], problem.window_ends[item + 1]
    repeats = end - begin
    before = np.cumsum(repeats) - repeats
    where = np.repeat(begin - before, repeats) + np.arange(int(repeats.sum()))
    keys = problem.window[where].astype(np.int64) * size + np.repeat(label, repeats)
    unique, inverse = np.unique(keys, return_inverse=True)
    return unique, np.bincount(inverse, np.repeat(times, repeats))
