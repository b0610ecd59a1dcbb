"""The weights of templates of contextual and joined values, by the values of one place.

A value is a small number (a code). A template's values are mixed into one key, and a key has a row of
weights, one for each label. Templates that differ only by a shift, such as ``chunk[-1]``, ``chunk[0]`` and
``chunk[1]``, are one :class:`Pattern`: its key is looked up once at a place, and gives the rows of up to
three tokens around that place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.crfsuite_file.model_file import STATE, Weights
from crfdeid.feature_extraction.templates import Atom, Template, format_template

# Nearly every token has a value of these, and they have few: their templates are looked up together.
FREQUENT = frozenset([
    "line_position", "line_left", "page_position", "shape", "short_shape", "length", "letter_case",
])  # fmt: skip
COMBINATIONS = 1 << 20  # that a bundle of templates can have, at most
FILLED = 6  # how many times as fast a whole row is added as its weights one by one

Entry = tuple[np.ndarray, np.ndarray]  # label numbers and their weights
EMPTY: Entry = (np.zeros(0, np.int64), np.zeros(0))
Codes = dict[str, dict[str, int]]  # the codes of each observation's values


def group_by_template(weights: Weights) -> dict[str, dict[str, Entry]]:
    """Return the weights of each attribute, by its template (the head of its name) and its value."""
    records = weights.records[weights.records["kind"] == STATE]
    records = records[np.argsort(records["source"], kind="stable")]
    ends = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).tolist()
    labels, values = records["target"].astype(np.int64), records["weight"].astype(np.float64)
    found: dict[str, dict[str, Entry]] = {}
    for attribute, a, b in zip(weights.attributes, ends, ends[1:]):
        head, _, value = attribute.partition("=")
        found.setdefault(head, {})[value] = labels[a:b], values[a:b]
    return found


def fill_row(entry: Entry, size: int) -> np.ndarray:
    """Return the weights of an entry as a row of ``size`` labels."""
    row = np.zeros(size)
    row[entry[0]] = entry[1]
    return row


@dataclass(frozen=True)
class Rows:
    """Rows of weights. The first are ``dense`` [rows, labels]; row ``len(dense) + r`` has
    ``values[ends[r] : ends[r + 1]]`` for the labels ``labels[ends[r] : ends[r + 1]]``."""

    dense: Floats
    ends: Ints
    labels: Ints
    values: Floats


@dataclass(frozen=True)
class Pattern:
    """Templates that differ only by a shift. Part p is the observation ``names[p]`` at ``offsets[p]``, where
    the first part is at 0; a key is the sum of each part's code times its stride. Row ``rows[k, s]`` for
    ``keys[k]`` (in order), or -1, is that of the token for which the first part has the offset
    ``shifts[s]``. Keys are below ``space``."""

    names: tuple[str, ...]
    offsets: Ints
    sizes: Ints
    strides: Ints
    shifts: Ints
    keys: Ints
    rows: Ints
    space: int


@dataclass(frozen=True)
class Bundle:
    """Templates whose rows are looked up together. ``members`` are pairs of a pattern and a shift, by number.
    A key is the sum over the parts (observation ``names[p]`` at ``offsets[p]``) of the code plus 1, 0 where
    there is none or no member has it, times the stride."""

    names: tuple[str, ...]
    offsets: Ints
    sizes: Ints
    strides: Ints
    members: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Tables:
    """The patterns of a model, and their rows. Those whose templates are in ``bundles`` come last; they can
    be used like the others, too."""

    patterns: Sequence[Pattern]
    rows: Rows
    bundles: Sequence[Bundle] = ()

    @property
    def names(self) -> list[str]:
        """The observations of the patterns, sorted."""
        return sorted({name for pattern in self.patterns for name in pattern.names})


def build_tables(
    templates: Iterable[Template], state: Mapping[str, Mapping[str, Entry]], codes: Codes, labels: int
) -> Tables:
    """Build the tables of the templates that have weights in ``state``; give values their codes in
    ``codes``."""
    groups: dict[Template, list[Template]] = {}
    for template in templates:
        if format_template(template) in state:
            start = template[0][1]
            groups.setdefault(tuple((name, o - start) for name, o in template), []).append(template)
    groups = dict(sorted(groups.items(), key=lambda group: _is_frequent(group[0])))
    entries: list[Entry] = []
    patterns = [_build_pattern(own, state, codes, entries) for own in groups.values()]
    sizes = np.array([len(where) for where, _ in entries], np.int64)
    whole = FILLED * sizes > labels
    number = np.where(whole, np.cumsum(whole) - 1, int(whole.sum()) + np.cumsum(~whole) - 1)
    number = np.append(number, NONE)  # for -1
    patterns = [_renumber_rows(pattern, number) for pattern in patterns]
    return Tables(patterns, _build_rows(entries, whole, labels), _build_bundles(patterns))


def _is_frequent(template: Template) -> bool:
    return all(name in FREQUENT for name, _ in template)


def _build_bundles(patterns: Sequence[Pattern]) -> list[Bundle]:
    """Bundle the frequent templates: those of most parts first, each with the first that it fits to."""
    members = [
        (number, shift)
        for number, pattern in enumerate(patterns)
        if FREQUENT.issuperset(pattern.names)
        for shift in range(len(pattern.shifts))
    ]
    members.sort(key=lambda member: -len(patterns[member[0]].names))
    found: list[tuple[dict[Atom, int], list[tuple[int, int]]]] = []
    for number, shift in members:
        pattern = patterns[number]
        places = (pattern.offsets + pattern.shifts[shift]).tolist()
        own = {(n, o): int(size) + 1 for n, o, size in zip(pattern.names, places, pattern.sizes)}
        for atoms, inside in found:
            both = {atom: max(atoms.get(atom, 0), own.get(atom, 0)) for atom in {**atoms, **own}}
            if math.prod(both.values()) <= COMBINATIONS:
                atoms |= both
                inside.append((number, shift))
                break
        else:
            found.append((own, [(number, shift)]))
    return [_build_bundle(atoms, inside) for atoms, inside in found]


def _build_bundle(atoms: Mapping[Atom, int], members: Sequence[tuple[int, int]]) -> Bundle:
    sizes = np.array(list(atoms.values()), np.int64)
    names, offsets = zip(*atoms)
    return Bundle(names, np.array(offsets, np.int64), sizes, find_strides(sizes), members)


def find_strides(sizes: Ints) -> Ints:
    """Return the strides with which codes below ``sizes`` make a key.

    >>> find_strides(np.array([2, 3, 4])).tolist()
    [12, 4, 1]
    """
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1)


def _build_pattern(
    templates: Sequence[Template],
    state: Mapping[str, Mapping[str, Entry]],
    codes: Codes,
    entries: list[Entry],
) -> Pattern:
    """Build a pattern whose rows are numbers of ``entries``, to which this adds."""
    names = tuple(name for name, _ in templates[0])
    known = [codes[name] for name in names]
    found: dict[tuple[int, ...], list[int]] = {}
    for shift, template in enumerate(templates):
        for text, entry in state[format_template(template)].items():
            for values in split_value(text, len(names)):
                key = tuple([code.setdefault(value, len(code)) for code, value in zip(known, values)])
                found.setdefault(key, [NONE] * len(templates))[shift] = len(entries)
            entries.append(entry)
    mixed = np.array(list(found), np.int64)
    sizes = mixed.max(axis=0) + 1
    strides = find_strides(sizes)
    keys = mixed @ strides
    order = np.argsort(keys)
    offsets = np.array([offset for _, offset in templates[0]], np.int64)
    shifts = np.array([template[0][1] for template in templates], np.int64)
    rows = np.array(list(found.values()), np.int64)[order]
    space = math.prod(sizes.tolist())
    return Pattern(names, offsets - offsets[0], sizes, strides, shifts, keys[order], rows, space)


def _renumber_rows(pattern: Pattern, number: Ints) -> Pattern:
    return Pattern(**{**pattern.__dict__, "rows": number[pattern.rows]})


def _build_rows(entries: Sequence[Entry], whole: np.ndarray, labels: int) -> Rows:
    dense = np.zeros((int(whole.sum()), labels))
    for row, place in zip(dense, np.flatnonzero(whole).tolist()):
        row[entries[place][0]] = entries[place][1]
    others = [entries[place] for place in np.flatnonzero(~whole).tolist()]
    ends = np.cumsum([0, *(len(where) for where, _ in others)])
    where = np.concatenate([EMPTY[0], *(where for where, _ in others)])
    return Rows(dense, ends, where, np.concatenate([EMPTY[1], *(weights for _, weights in others)]))


def split_value(text: str, parts: int) -> Iterator[tuple[str, ...]]:
    """Yield every way to split ``text`` into ``parts`` joined values (a value may contain the bar itself).

    >>> list(split_value("a|b", 2)), list(split_value("a||", 2))
    ([('a', 'b')], [('a', '|'), ('a|', '')])
    """
    if parts == 1 or text.count("|") == parts - 1:
        yield tuple(text.split("|", parts - 1))
        return
    bars = [i for i, character in enumerate(text) if character == "|"]
    for chosen in combinations(bars, parts - 1):
        ends = [-1, *chosen, len(text)]
        yield tuple(text[a + 1 : b] for a, b in zip(ends, ends[1:]))
