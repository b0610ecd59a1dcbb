"""A small network that says how probable each label is at each token, from a wider window than the CRF's.

Each value of an observation has a row of numbers; those of a token are added. Convolutions over the tokens
before and after follow, with gaps that grow, so that few of them see far (Strubell et al. 2017, section 3:
iterated dilated convolutions). Between two of them each token sees the rest of its note: the mean of the
other places of its word, and the mean of all tokens. It learns with scipy's sparse arrays, and numpy applies
it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfdeid.engine.arrays.batch import Batch, list_places
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, enlarge
from crfdeid.engine.decoding.chain import Candidates
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import ModelError
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged.rows import TokenValues, ValueNumbers, Values, trim_candidates

Singles = npt.NDArray[np.float32]

GAPS = (1, 2, 4, 8, 1)  # tokens from the middle of a convolution to its sides
NOTE_SEEN = 3  # convolutions before a token sees its note
MARGIN = sum(GAPS)  # empty tokens before a note: no convolution sees from one note into another
# Tokens of one product: always the same shape, so that the bits of a note do not hang on its batch; and a
# small one, which BLAS does not share among threads: they would wait for each other beside other work.
BLOCK = 32
TOGETHER = 2048  # tokens of the notes that are read at once
LONGEST = 12  # tokens of a possible span after its first
ARRAYS, VALUES = "network.npz", "network.json"  # in the folder of a model
LARGEST = 15  # number of a row in its file, which compresses better than one of a whole byte

NAMES = (
    "the CRF's",
    "the network's",
    "beginning",
    "type inside",
    "any type inside",
    "type at first",
    "type at last",
    "type goes on",
    "type before",
    "best rival inside",
    "outside at first",
)


class Network(NamedTuple):
    """``rows`` [values + 1, width] has zeros at its end, for values that training did not have. ``middle``
    [layers, 3, width, width] are the weights of the tokens before, at and after; ``note`` [2, width, width]
    are the weights of the other places of a word and of the whole note; ``out`` [width, labels]."""

    rows: Singles
    first: Singles
    middle: Singles
    shift: Singles
    note: Singles
    note_shift: Singles
    out: Singles
    last: Singles


class Groups(NamedTuple):
    """``order`` are the tokens by group, ``begins`` [groups] the first of each among them; ``number``
    [tokens] is the group of each token, and ``size`` [tokens, 1] how many tokens that group has."""

    order: Ints
    begins: Ints
    number: Ints
    size: Singles


class NoteGroups(NamedTuple):
    """The tokens by note and word, and by note alone."""

    words: Groups
    notes: Groups


class NetworkReader:
    """Applies a network to batches of ``tagger``. ``values`` are those of the observations that have rows;
    ``least`` is the smallest probability of a candidate."""

    def __init__(self, network: Network, values: Values, tagger: CrfTagger, least: float) -> None:
        self.network, self.least = network, least
        self.values = TokenValues([*values], tagger.pipeline, ValueNumbers((), values))
        self.offset = dict(zip(values, np.cumsum([0, *map(len, values.values())]).tolist()))
        self.forget()

    def bind(self, tagger: CrfTagger) -> NetworkReader:
        """Return the same for batches of another tagger."""
        values = {name: [*own] for name, own in self.values.numbers.numbers.items()}
        return NetworkReader(self.network, values, tagger, self.least)

    def widen(self, decoder: AdaptiveDecoder, batch: Batch, found: Candidates) -> tuple[Candidates, Floats]:
        """Return candidates with those of the network, and what it says of each: the columns
        :data:`NAMES`."""
        shares = self.read(decoder, batch)
        joined, both = join_candidates(found, trim_candidates(batch, find_spans(shares, self.least)))
        return joined, describe_network(shares, joined, both, batch.bounds)

    def read(self, decoder: AdaptiveDecoder, batch: Batch) -> Singles:
        """Return the probabilities of the labels [tokens, 1 + 2 * types]: outside, then the first and the
        later tokens of a span of each type. No span goes on from one document into the next."""
        find, every = self.values.read(decoder, batch), np.arange(len(batch))
        sums = self._sum_texts(decoder.decoder.vocabulary)[batch.texts]
        columns = {name: find(name, every) for name in self.values.contextual}
        self._add(sums, columns, decoder.compiled)
        words = decoder.decoder.vocabulary.lower.rows[batch.texts]
        shares = apply_network(self.network, sums, words, batch.bounds, decoder.compiled)
        begins = batch.bounds[:-1]  # an empty document at the end begins behind all tokens
        shares[begins[begins < len(shares)], 2::2] = 0
        return shares

    def forget(self) -> None:
        """Forget the texts of the batches."""
        self.values.forget()
        self.vocabulary: TokenVocabulary | None = None
        self.known, self.sums = 0, np.zeros((1, self.network.rows.shape[1]), np.float32)

    def _sum_texts(self, vocabulary: TokenVocabulary) -> Singles:
        """Return for each text of the vocabulary the sum of its rows; each is added once."""
        if self.vocabulary is not vocabulary:
            self.vocabulary, self.known = vocabulary, 0
        new = np.arange(self.known, len(vocabulary))
        self.sums = enlarge(self.sums, len(vocabulary))
        self.sums[new] = 0
        columns = {name: self.values.of_text[name].rows[new] for name in self.values.lexical}
        self._add(self.sums[self.known : len(vocabulary)], columns, compiled=False)
        self.known = len(vocabulary)
        return self.sums

    def _add(self, sums: Singles, columns: Mapping[str, Ints], compiled: bool) -> None:
        """Add to each row of ``sums`` the rows of the values of some observations, which are added first.
        Compiled loops give the same bits."""
        rows = self.network.rows
        numbers = [np.where(own >= 0, own + self.offset[name], NONE) for name, own in columns.items()]
        if compiled and numbers:
            from crfdeid.engine.compiled_math import add_rows

            add_rows(sums, rows, np.array(numbers, np.int32))
            return
        found = np.zeros_like(sums)
        for own in numbers:
            known = np.flatnonzero(own >= 0)  # few tokens have a value of most observations
            found[known] += rows[own[known]]
        sums += found


def apply_network(
    network: Network, sums: Singles, words: Ints, bounds: Ints, compiled: bool = False
) -> Singles:
    """Return the probabilities [tokens, labels] from the sums of the tokens' rows [tokens, width]. ``words``
    [tokens] are equal where the lowered texts are; ``bounds`` [documents + 1] delimit the documents. Some
    documents at a time stay in the processor's memory. Compiled loops give the same bits."""
    shares = np.empty((len(sums), len(network.last)), np.float32)
    sides = [np.concatenate(weights, axis=1) for weights in network.middle]
    add: Callable[[Singles, Singles, Singles, int], None] = add_seen
    if compiled:
        from crfdeid.engine import compiled_math

        add = compiled_math.add_seen
    after = np.flatnonzero(np.diff(bounds[1:] // TOGETHER, append=-1)) + 1
    for first, stop in pairwise([0, *after.tolist()]):
        tokens = slice(bounds[first], bounds[stop])
        some = bounds[first : stop + 1] - bounds[first]
        shares[tokens] = apply_to_some(network, sides, sums[tokens], words[tokens], some, add)
    return shares


def apply_to_some(
    network: Network,
    sides: Sequence[Singles],
    sums: Singles,
    words: Ints,
    bounds: Ints,
    add: Callable[[Singles, Singles, Singles, int], None],
) -> Singles:
    """Apply a network to some documents at once; see :func:`apply_network`. ``sides`` are the weights of each
    convolution [width, 3 * width]: for the token after, the token itself and the one before. ``add`` is
    :func:`add_seen` or a compiled loop."""
    places = list_places(bounds[:-1] + MARGIN * np.arange(1, len(bounds)), np.diff(bounds))
    blocks = -(-(len(sums) + MARGIN * len(bounds)) // BLOCK)
    hidden = np.zeros((blocks * BLOCK, sums.shape[1]), np.float32)
    hidden[places] = sums
    hidden += network.first
    np.tanh(hidden, out=hidden)
    seen = np.empty((blocks, BLOCK, 3 * sums.shape[1]), np.float32)
    for layer, (gap, weights, shift) in enumerate(zip(GAPS, sides, network.shift)):
        if layer == NOTE_SEEN:
            add_note(network, hidden, places, group_tokens(words, bounds))
        np.matmul(hidden.reshape(blocks, BLOCK, -1), weights, out=seen)
        add(hidden, seen.reshape(len(hidden), -1), shift, gap)
    scores = hidden.reshape(blocks, BLOCK, -1) @ network.out
    return compute_shares(scores.reshape(len(hidden), -1)[places] + network.last)


def add_seen(hidden: Singles, seen: Singles, shift: Singles, gap: int) -> None:
    """Add what a convolution sees to ``hidden`` [tokens, width]: in ``seen`` [tokens, 3 * width], which
    changes, each token has what it says to the token ``gap`` after it, to itself and to the one before."""
    forward, own, back = np.split(seen, 3, axis=1)
    own[gap:] += forward[:-gap]
    own[:-gap] += back[gap:]
    own += shift
    hidden += np.maximum(own, 0, out=own)


def add_note(network: Network, hidden: Singles, places: Ints, groups: NoteGroups) -> None:
    """Add to ``hidden`` [blocks of tokens, width] what the notes say to the tokens at ``places``."""
    around = np.zeros((len(hidden), 2 * hidden.shape[1]), np.float32)
    around[places] = look_around(hidden[places], groups)
    said = around.reshape(-1, BLOCK, around.shape[1]) @ join_parts(network.note)
    hidden[places] += np.maximum(said.reshape(hidden.shape)[places] + network.note_shift, 0)


def group_tokens(words: Ints, bounds: Ints) -> NoteGroups:
    """Group the tokens of some documents."""
    note = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return NoteGroups(make_groups(note * (int(words.max(initial=0)) + 1) + words), make_groups(note))


def make_groups(keys: Ints) -> Groups:
    """Group the tokens whose keys are equal."""
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    sizes = np.diff(begins, append=len(keys))
    number = np.empty(len(keys), np.int64)
    number[order] = np.repeat(np.arange(len(begins)), sizes)
    return Groups(order, begins, number, sizes[number, None].astype(np.float32))


def sum_groups(values: Singles, groups: Groups) -> Singles:
    """Return for each token the sum of the values [tokens, width] of its group."""
    sums: Singles = np.add.reduceat(values[groups.order], groups.begins, axis=0)
    return sums[groups.number]


def look_around(own: Singles, groups: NoteGroups) -> Singles:
    """Return [tokens, 2 * width]: the mean of the other tokens of each token's word, zeros where there is
    none, and the mean of its note."""
    others = (sum_groups(own, groups.words) - own) / np.maximum(groups.words.size - 1, 1)
    return np.concatenate([others, sum_groups(own, groups.notes) / groups.notes.size], axis=1)


def look_aside(hidden: Singles, gap: int) -> Singles:
    """Return [tokens, 3 * width]: the token ``gap`` before each token, the token itself and the one after it;
    zeros before the first and behind the last of ``hidden`` [tokens, width]."""
    width = hidden.shape[1]
    seen = np.zeros((len(hidden), 3 * width), hidden.dtype)
    seen[gap:, :width] = hidden[:-gap]
    seen[:, width : 2 * width] = hidden
    seen[:-gap, 2 * width :] = hidden[gap:]
    return seen


def look_back(seen: Singles, gap: int) -> Singles:
    """The transpose of :func:`look_aside`: add what belongs to each token."""
    before, own, after = np.split(seen, 3, axis=1)
    hidden = own.copy()
    hidden[:-gap] += before[gap:]
    hidden[gap:] += after[:-gap]
    return hidden


def look_from_note(seen: Singles, groups: NoteGroups) -> Singles:
    """The transpose of :func:`look_around`; ``seen`` changes."""
    others, note = np.split(seen, 2, axis=1)
    others /= np.maximum(groups.words.size - 1, 1)
    note /= groups.notes.size
    return sum_groups(others, groups.words) - others + sum_groups(note, groups.notes)


def join_parts(weights: Singles) -> Singles:
    """The weights [parts, width, width] as one matrix."""
    return weights.reshape(-1, weights.shape[-1])


def compute_shares(scores: Singles) -> Singles:
    """Return the probabilities that belong to scores [..., labels]."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Singles = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def find_spans(shares: Singles, least: float) -> Candidates:
    """Return the possible spans of tokens with these probabilities, at least ``least`` each: the product of
    those that a span begins, goes on, and ends."""
    begins, goes_on = shares[:, 1::2], shares[:, 2::2]
    goes_on = np.concatenate([goes_on, np.zeros((1, goes_on.shape[1]), np.float32)])
    first, types = np.nonzero(begins > least)
    last, product = first, begins[first, types]
    found = []
    for _ in range(LONGEST + 1):
        after = goes_on[last + 1, types]
        ends = product * (1 - after)
        kept = ends > least
        found.append(Candidates(first[kept], last[kept], types[kept], ends[kept].astype(np.float64)))
        longer = product * after > least
        first, last, types = first[longer], last[longer] + 1, types[longer]
        product = (product * after)[longer]
    return Candidates(*(np.concatenate(arrays) for arrays in zip(*found)))


def join_candidates(own: Candidates, found: Candidates) -> tuple[Candidates, Floats]:
    """Return the candidates of both, sorted, each with the mean of its two probabilities, and the two
    probabilities [candidates, 2]."""
    keys = [np.column_stack([each.first, each.last, each.types]) for each in (own, found)]
    joined, back = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    both = np.zeros((len(joined), 2))
    back = back.ravel()
    both[back[: len(own.first)], 0] = own.probabilities
    both[back[len(own.first) :], 1] = found.probabilities
    first, last, types = joined.T
    return Candidates(first, last, types, both.mean(axis=1)), both


def describe_network(shares: Singles, found: Candidates, both: Floats, bounds: Ints) -> Floats:
    """Return the columns :data:`NAMES` of candidates with these two probabilities; ``bounds`` [documents + 1]
    delimit the documents."""
    first, last, type = found.first, found.last, found.types

    def read(tokens: Ints) -> Singles:
        """The probability of each candidate's type at a token."""
        of_type: Singles = shares[tokens, 1 + 2 * type] + shares[tokens, 2 + 2 * type]
        return of_type

    inside = average_inside(shares, found)
    own = np.arange(len(first)), type
    rivals = inside.copy()
    rivals[own] = 0
    after = np.minimum(last + 1, len(shares) - 1)
    is_inside = ~np.isin(first, bounds[:-1])  # a token of the document is before it
    columns = [
        both,
        shares[first, 1 + 2 * type],
        inside[own],
        inside.sum(axis=1),
        read(first),
        read(last),
        np.where(after > last, shares[after, 2 + 2 * type], 0),
        np.where(is_inside, read(np.maximum(first - 1, 0)), 0),
        rivals.max(axis=1),
        shares[first, 0],
    ]
    return np.column_stack(columns)


def average_inside(shares: Singles, found: Candidates) -> Floats:
    """Return the mean probabilities of all types [candidates, types] at the tokens of each candidate."""
    tokens, _ = found.expand()
    sizes = found.last + 1 - found.first
    of_type = (shares[tokens, 1::2] + shares[tokens, 2::2]).astype(np.float64)
    means: Floats = np.add.reduceat(of_type, np.cumsum(sizes) - sizes, axis=0) / sizes[:, None]
    return means


def write_network(folder: Path, network: Network, values: Values) -> None:
    """Write the arrays, each row of ``rows`` as bytes, and the values."""
    scale = np.abs(network.rows).max(axis=1, keepdims=True) / LARGEST
    bytes = np.round(network.rows / np.where(scale, scale, 1)).astype(np.int8)
    halves = {name: array.astype(np.float16) for name, array in network._asdict().items() if name != "rows"}
    with (folder / ARRAYS).open("wb") as file:
        np.savez_compressed(file, rows=bytes, scale=scale.astype(np.float16), **halves)
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    (folder / VALUES).write_text(text + "\n", encoding="utf-8")


def read_network(folder: Path) -> tuple[Network, Values]:
    """Read what :func:`write_network` wrote. Raises :class:`ModelError` where a file is missing or another
    one."""
    try:
        with np.load(folder / ARRAYS, allow_pickle=False) as arrays:
            stored = dict(arrays)
        width = stored["rows"].shape[1]
        earlier = {"note": np.zeros((2, width, width)), "note_shift": np.zeros(width)}  # saw no notes
        found = {name: (earlier | stored)[name].astype(np.float32) for name in Network._fields}
        found["rows"] *= stored["scale"].astype(np.float32)
        values = json.loads((folder / VALUES).read_text(encoding="utf-8"))
        if sum(len(own) for own in values.values()) + 1 != len(found["rows"]):
            raise ValueError(VALUES)
        return Network(**found), values
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise ModelError(f"{folder / ARRAYS}: missing, or not a network of a judged model") from None
