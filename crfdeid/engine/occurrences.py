"""Which features there are, and how often each occurs in a training set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfdeid.engine import plain
from crfdeid.engine.problem import Problem


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
    kind = np.int32 if len(problem.attributes) * size < 2**31 else np.int64  # sorted in half the memory
    labels = np.repeat(problem.gold.astype(kind), np.diff(problem.direct_ends))
    found = [np.unique(problem.direct * kind(size) + labels, return_counts=True)]
    gold = problem.gold.astype(np.int64)
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
