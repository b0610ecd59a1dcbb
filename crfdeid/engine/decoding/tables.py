"""The weights of templates of contextual and joined values, by the values of one place.

A value is a small number (a code). A template's values are mixed into one key, and a key has a row of
weights, one for each label. Templates that differ only by a shift, such as ``chunk[-1]``, ``chunk[0]`` and
``chunk[1]``, are one :class:`Pattern`: its key is looked up once at a place, and gives the rows of up to
three tokens around that place.

The :class:`Scorer` here adds the rows up in numpy, for machines without numba and for a single note, where it
would take longer to load numba than to do the work. :mod:`crfdeid.engine.decoding.numba_kernels` has the same
class; the labels of both are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from crfdeid.engine.arrays.batch import Batch, list_places
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE, enlarge
from crfdeid.engine.crfsuite_file import STATE, Weights
from crfdeid.engine.decoding.chain import best_step, label_leads
from crfdeid.feature_extraction.templates import Atom, Template, format_template

# Nearly every token has a value of these, and those of one set have few combinations, in all texts or because
# they stay the same for a line: templates of a set are looked up together.
FREQUENT = (
    frozenset(
        ["line_position", "line_left", "page_position", "shape", "short_shape", "length", "letter_case"]
    ),
    frozenset(["heading", "field"]),
)
COMBINATIONS = 1 << 20  # that a bundle of templates can have, at most
FILLED = 12  # how many times as fast a whole row is added as its weights one by one

Codes = dict[str, dict[str, int]]  # the codes of each observation's values


@dataclass(frozen=True)
class StateWeights:
    """The weights of a model's attributes. ``numbers[head][value]`` is the number of an attribute by its
    template (the head of its name) and its value; attribute a has ``values[ends[a] : ends[a + 1]]`` for the
    labels ``labels[ends[a] : ends[a + 1]]``."""

    numbers: Mapping[str, Mapping[str, int]]
    ends: Ints
    labels: Ints
    values: Floats

    def find_row(self, head: str, size: int) -> Floats:
        """Return the weights of the attribute ``head``, which has no value, as a row of ``size`` labels."""
        row = np.zeros(size)
        if (number := self.numbers.get(head, {}).get("")) is not None:
            inside = slice(*self.ends[number : number + 2].tolist())
            row[self.labels[inside]] = self.values[inside]
        return row

    def gather(self, attributes: Ints) -> tuple[Ints, Ints]:
        """Return how many weights each of the attributes has, and the places of these weights, in order.

        >>> state = StateWeights({}, np.array([0, 2, 2, 5]), np.zeros(5), np.zeros(5))
        >>> [found.tolist() for found in state.gather(np.array([2, 1, 0]))]
        [[3, 0, 2], [2, 3, 4, 0, 1]]
        """
        starts = self.ends[attributes]
        sizes = self.ends[attributes + 1] - starts
        return sizes, list_places(starts, sizes)


def group_by_template(weights: Weights) -> StateWeights:
    """Return the weights of each attribute, by its template and its value."""
    records = weights.records[weights.records["kind"] == STATE]
    records = records[np.argsort(records["source"], kind="stable")]
    ends = np.searchsorted(records["source"], np.arange(len(weights.attributes) + 1)).astype(np.int64)
    labels, values = records["target"].astype(np.int64), records["weight"].astype(np.float64)
    numbers: dict[str, dict[str, int]] = {}
    for number, attribute in enumerate(weights.attributes):
        head, _, value = attribute.partition("=")
        numbers.setdefault(head, {})[value] = number
    return StateWeights(numbers, ends, labels, values)


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


def build_tables(templates: Iterable[Template], state: StateWeights, codes: Codes, labels: int) -> Tables:
    """Build the tables of the templates that have weights in ``state``; give values their codes in
    ``codes``."""
    groups: dict[Template, list[Template]] = {}
    for template in templates:
        if format_template(template) in state.numbers:
            start = template[0][1]
            groups.setdefault(tuple((name, o - start) for name, o in template), []).append(template)
    groups = dict(sorted(groups.items(), key=lambda group: _is_frequent(group[0])))
    attributes: list[int] = []
    patterns = [_build_pattern(own, state, codes, attributes) for own in groups.values()]
    chosen = np.array(attributes, np.int64)
    whole = FILLED * state.gather(chosen)[0] > labels
    number = np.where(whole, np.cumsum(whole) - 1, int(whole.sum()) + np.cumsum(~whole) - 1)
    number = np.append(number, NONE)  # for -1
    patterns = [replace(pattern, rows=number[pattern.rows]) for pattern in patterns]
    rows = _build_rows(state, chosen[whole], chosen[~whole], labels)
    return Tables(patterns, rows, _build_bundles(patterns))


def _is_frequent(template: Template) -> bool:
    return any(names.issuperset(name for name, _ in template) for names in FREQUENT)


def _build_bundles(patterns: Sequence[Pattern]) -> list[Bundle]:
    """Bundle the frequent templates of each set."""
    return [bundle for names in FREQUENT for bundle in _bundle_templates(patterns, names)]


def _bundle_templates(patterns: Sequence[Pattern], names: frozenset[str]) -> list[Bundle]:
    """Bundle the templates of the observations ``names``: those of most parts first, each with the first that
    it fits to."""
    members = [
        (number, shift)
        for number, pattern in enumerate(patterns)
        if names.issuperset(pattern.names)
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
            if both.keys() == atoms.keys() or math.prod(both.values()) <= COMBINATIONS:
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
    templates: Sequence[Template], state: StateWeights, codes: Codes, attributes: list[int]
) -> Pattern:
    """Build a pattern whose rows are places in ``attributes``, to which this adds."""
    names = tuple(name for name, _ in templates[0])
    known = [codes[name] for name in names]
    parts: list[tuple[Ints, Ints]] = []
    for template in templates:
        numbers = state.numbers[format_template(template)]
        owners, mixed = _code_values(list(numbers), known)
        parts.append((owners + len(attributes), mixed))
        attributes += numbers.values()
    mixed = np.concatenate([mixed for _, mixed in parts])
    sizes = mixed.max(axis=0) + 1
    strides = find_strides(sizes)
    keys, place = np.unique(mixed @ strides, return_inverse=True)
    shift = np.repeat(np.arange(len(parts)), [len(owners) for owners, _ in parts])
    rows = np.full((len(keys), len(parts)), NONE)
    rows[place, shift] = np.concatenate([owners for owners, _ in parts])
    offsets = np.array([offset for _, offset in templates[0]], np.int64)
    shifts = np.array([template[0][1] for template in templates], np.int64)
    space = math.prod(sizes.tolist())
    return Pattern(names, offsets - offsets[0], sizes, strides, shifts, keys, rows, space)


def _code_values(texts: Sequence[str], known: Sequence[dict[str, int]]) -> tuple[Ints, Ints]:
    """The codes [splits, parts] of every way to split joined values, and the number of the text of each;
    ``known`` are the codes of each part, to which this adds."""
    parts, bars = len(known), len(known) - 1
    owners: Sequence[int] = range(len(texts))
    split: list[Sequence[str]] = [text.split("|", bars) for text in texts]
    if bars and {text.count("|") for text in texts} != {bars}:  # a value contains the bar
        found = [(number, values) for number in owners for values in split_value(texts[number], parts)]
        owners, split = [number for number, _ in found], [values for _, values in found]
    columns = zip(known, zip(*split))
    coded = [[code.setdefault(value, len(code)) for value in column] for code, column in columns]
    return np.array(owners, np.int64), np.array(coded, np.int64).reshape(parts, -1).T


def _build_rows(state: StateWeights, whole: Ints, others: Ints, labels: int) -> Rows:
    """The rows of attributes: dense ones, and those with few weights."""
    sizes, places = state.gather(whole)
    dense = np.zeros((len(whole), labels))
    dense[np.repeat(np.arange(len(whole)), sizes), state.labels[places]] = state.values[places]
    sizes, places = state.gather(others)
    ends = np.append(0, np.cumsum(sizes))
    return Rows(dense, ends, state.labels[places], state.values[places])


def split_value(text: str, parts: int) -> Iterator[tuple[str, ...]]:
    """Yield every way to split ``text`` into ``parts`` joined values (a value may contain the bar itself).

    >>> list(split_value("a|b", 2)), list(split_value("a||", 2)), list(split_value("a|b", 1))
    ([('a', 'b')], [('a', '|'), ('a|', '')], [('a|b',)])
    >>> list(split_value("a", 2))  # of a damaged model
    []
    """
    if text.count("|") == parts - 1:
        yield tuple(text.split("|"))
        return
    bars = [i for i, character in enumerate(text) if character == "|"]
    for chosen in combinations(bars, parts - 1):
        ends = [-1, *chosen, len(text)]
        yield tuple(text[a + 1 : b] for a, b in zip(ends, ends[1:]))


class Scorer:
    """Computes scores and best paths of batches. ``bias`` [labels] is read again for each batch; ``window``
    is [texts, offsets, ``width``]."""

    def __init__(self, tables: Tables, offsets: Ints, bias: Floats, transitions: Floats) -> None:
        self.tables, self.offsets, self.bias, self.transitions = tables, offsets, bias, transitions
        self.names = tables.names
        self.width = len(bias)
        self.lead = label_leads(transitions)
        self.clear_window(0)

    def clear_window(self, texts: int) -> None:
        """Begin with window rows of zeros."""
        self.window = np.zeros((texts, len(self.offsets), self.width))

    def enlarge_window(self, texts: int) -> None:
        """Make room for this number of texts."""
        self.window = enlarge(self.window, texts)

    def sum_scores(self, batch: Batch, columns: Mapping[str, Ints]) -> Floats:
        """Return the scores [tokens, labels], the bias for tokens outside the sequences."""
        scores = np.tile(self.bias, (len(batch), 1))
        add_window(batch.texts, batch.first, batch.stop, self.offsets, self.window, scores)
        for pattern in self.tables.patterns:
            add_pattern(pattern, self.tables.rows, columns, batch.first, batch.stop, scores)
        return scores

    def score_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> tuple[Floats, Ints]:
        """Return the scores [tokens, labels] and the best labels [tokens]."""
        scores = self.sum_scores(batch, columns)
        return scores, self.find_best_paths(batch, scores.copy())

    def find_paths(self, batch: Batch, columns: Mapping[str, Ints]) -> Ints:
        """Return the best labels [tokens], -1 outside the sequences."""
        return self.find_best_paths(batch, self.sum_scores(batch, columns))

    def find_best_paths(self, batch: Batch, scores: Floats) -> Ints:
        """As :meth:`find_paths`, for the batch's scores, which it overwrites."""
        path = np.full(len(batch), NONE, np.int64)
        for a, b in zip(batch.first.tolist(), batch.stop.tolist()):
            for t in range(a + 1, b):
                scores[t] = best_step(scores[t - 1], self.transitions, self.lead) + scores[t]
            path[b - 1] = scores[b - 1].argmax()
            for t in range(b - 2, a - 1, -1):
                path[t] = (scores[t] + self.transitions[:, path[t + 1]]).argmax()
        return path


def neighbour_pairs(first: Ints, stop: Ints, offset: int) -> tuple[Ints, Ints]:
    """The indices of the tokens that have a neighbour ``offset`` away in their sequence, and of those
    neighbours."""
    begin, end = np.maximum(first, first - offset), np.minimum(stop, stop - offset)
    sizes = np.maximum(end - begin, 0)
    here = list_places(begin, sizes)
    return here, here + offset


def add_window(texts: Ints, first: Ints, stop: Ints, offsets: Ints, window: Floats, scores: Floats) -> None:
    """Add to each token's scores the rows ``window`` [texts, offsets, labels] of the texts around it."""
    for row, offset in enumerate(offsets.tolist()):
        here, there = neighbour_pairs(first, stop, offset)
        scores[here] += window[texts[there], row]


def add_pattern(
    pattern: Pattern, rows: Rows, columns: Mapping[str, Ints], first: Ints, stop: Ints, scores: Floats
) -> None:
    """Add to the scores [tokens, labels] the rows of a pattern; a token has one row for each shift and, where
    the observation has several values, for each value."""
    parts = [columns[name] for name in pattern.names]
    for column in parts[0] if parts[0].ndim == 2 else parts[:1]:
        places, found = find_keys(pattern, [column, *parts[1:]], first, stop)
        sequence = np.searchsorted(stop, places, side="right")
        for shift, row in zip(pattern.shifts.tolist(), pattern.rows[found].T):
            tokens = places - shift
            inside = (row != NONE) & (tokens >= first[sequence]) & (tokens < stop[sequence])
            add_to_tokens(rows, tokens[inside], row[inside], scores)


def find_keys(pattern: Pattern, columns: list[Ints], first: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return the tokens that have a key of the pattern, and the places of their keys; ``columns`` [tokens]
    are the codes of its parts."""
    codes = [shift_codes(c, first, stop, offset) for c, offset in zip(columns, pattern.offsets.tolist())]
    known = np.all([(c >= 0) & (c < size) for c, size in zip(codes, pattern.sizes)], axis=0)
    tokens = np.flatnonzero(known)
    keys = np.zeros(len(tokens), np.int64)
    for stride, code in zip(pattern.strides.tolist(), codes):
        keys += stride * code[tokens]
    found = np.searchsorted(pattern.keys, keys)
    found[found == len(pattern.keys)] = 0
    hits = pattern.keys[found] == keys
    return tokens[hits], found[hits]


def add_to_tokens(rows: Rows, tokens: Ints, numbers: Ints, scores: Floats) -> None:
    """Add to the scores of each of ``tokens``, which are distinct, the row of its number."""
    whole = numbers < len(rows.dense)
    scores[tokens[whole]] += rows.dense[numbers[whole]]
    tokens, numbers = tokens[~whole], numbers[~whole] - len(rows.dense)
    counts = rows.ends[numbers + 1] - rows.ends[numbers]
    before = np.cumsum(counts) - counts
    entries = np.repeat(rows.ends[numbers] - before, counts) + np.arange(int(counts.sum()))
    scores[np.repeat(tokens, counts), rows.labels[entries]] += rows.values[entries]


def shift_codes(codes: Ints, first: Ints, stop: Ints, offset: int) -> Ints:
    """The code ``offset`` tokens away in the same sequence, -1 outside it."""
    found = np.full(len(codes), NONE, np.int64)
    here, there = neighbour_pairs(first, stop, offset)
    found[here] = codes[there]
    return found


def add_blocks(starts: Ints, blocks: Ints, ends: Ints, places: Ints, weights: Floats, rows: Floats) -> None:
    """Add each of ``blocks`` to the row at its start: block b has ``weights[ends[b] : ends[b + 1]]`` for
    these ``places`` of a row."""
    sizes = ends[blocks + 1] - ends[blocks]
    where = list_places(ends[blocks], sizes)
    flat = places[where] + np.repeat(starts * rows.shape[1], sizes)
    np.add.at(rows.reshape(-1), flat, weights[where])
