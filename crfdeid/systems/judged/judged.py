"""A CRF whose possible spans are judged once more: boosted trees see what the CRF says of each, which ones
compete with it, what the note has besides, and how training labels its words.

The model is that of the CRF, with ``trees.npz`` and two tables beside it
(:mod:`crfdeid.systems.judged.training` makes them). The trees are plain arrays: scikit-learn learns them,
numpy applies them, and a file of numbers keeps them (no pickle). The spans without overlaps are chosen whose
probabilities have the largest sum, as in minimum-risk decoding. A threshold is for the probability that the
place of a chosen span holds PHI, of whatever type and whatever edges: where the type is in doubt, the place
need not be. The system ``rescored`` joins several CRFs and reads whole texts, note by note; this one reads
arrays of one CRF.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.engine.decoding.chain import Candidates, choose_spans
from crfdeid.errors import ModelError
from crfdeid.feature_extraction.templates import Columns
from crfdeid.feature_extraction.token import Value
from crfdeid.systems.crf import CrfTagger, place_spans
from crfdeid.systems.judged.network import NAMES, NetworkReader, read_network
from crfdeid.systems.judged.rows import (
    SpanRows,
    TokenValues,
    ValueNumbers,
    compute_log_odds,
    trim_candidates,
)
from crfdeid.systems.judged.word_evidence import WordShares, measure_mass, read_shares
from crfdeid.systems.registry import read_options
from crfdeid.systems.tagger import ModelFolder, batch_documents
from crfdeid.systems.threshold import Threshold, list_spans, read_limits
from crfdeid.text.document import Document

TREES, VALUES, SHARES = "trees.npz", "values.json", "word_shares.json.gz"
EFFORT = 2.5  # of a network without compiled loops: the time for each text, as a multiple of a CRF's
DOUBTFUL = 0.01  # a span that is right with less probability is not chosen; one of several types can have it
LEAF = -1


@dataclass(frozen=True)
class TreeOptions:
    """What the systems that judge candidates by trees have in common. ``least`` is the smallest probability
    of a candidate. ``folds`` is the number of folds of the training documents; ``seed`` draws them and is the
    trees' too. ``trees``, ``rate``, ``leaves`` and ``rows`` are number, learning rate, most leaves and fewest
    rows of a leaf of the trees; ``l2`` is the regularization of their leaves' values. Raises
    :class:`ValueError` on values that do not fit."""

    least: float = 0.02
    folds: int = 2
    seed: int = 0
    trees: int = 200
    rate: float = 0.05
    leaves: int = 16
    rows: int = 15
    l2: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.folds, int) or self.folds < 2:
            raise ValueError(f"folds = {self.folds}: wanted a whole number, 2 or more")
        if not 0 < self.least < 1:
            raise ValueError(f"least = {self.least}: wanted a number above 0 and below 1")


class Trees(NamedTuple):
    """The nodes of all trees. A row goes from node n to ``left[n]`` where its column ``feature[n]`` is at
    most ``limit[n]``, else to ``right[n]``; at a leaf, ``feature`` is -1. The log odds are ``base`` [1] plus
    the ``value`` of each tree's leaf. ``roots`` are the first nodes."""

    feature: Ints
    limit: Floats
    left: Ints
    right: Ints
    value: Floats
    roots: Ints
    base: Floats


@dataclass(frozen=True)
class Options(TreeOptions):
    """``inside`` are the observations of a span's first and last token, ``beside`` those of the tokens before
    and after. With ``note_types``, the trees see how probable each type is at the tokens of the whole note
    (:class:`TokenTypes`). ``group`` is a regular expression: documents whose patients begin with the same
    match are in one fold. ``least_owners`` is the number of patients of a word whose shares are kept.
    Weights of the CRF below ``least_weight`` are left out, and its file is compressed. ``copies`` is how
    many copies of a document are used at a time, those with .1, .2, … behind its id: the CRF and the trees
    learn from the first ones, the network from the next ones in each round; 0 stands for all.

    ``network`` are the observations that a small network looks at
    (:mod:`crfdeid.systems.judged.network`); where there are none, there is no network. Its candidates are
    added to the CRF's; ``network_least`` is their smallest probability. ``network_width`` is the number of
    values that it keeps of a token, ``network_rounds`` how often it goes through the training documents. The
    other settings are those of :class:`TreeOptions`."""

    inside: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    note_types: bool = False
    group: str = ""
    least_owners: int = 3
    least_weight: float = 0.0
    copies: int = 0
    network: tuple[str, ...] = ()
    network_width: int = 96
    network_rounds: int = 7
    network_least: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("least_owners", "network_width", "network_rounds"):
            number = getattr(self, name)
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} = {number}: wanted a whole number, 1 or more")
        if not isinstance(self.copies, int) or self.copies < 0:
            raise ValueError(f"copies = {self.copies}: wanted a whole number, 0 or more")
        if not 0 < self.network_least < 1:
            raise ValueError(f"network_least = {self.network_least}: wanted a number above 0 and below 1")
        if not self.least_weight >= 0:
            raise ValueError(f"least_weight = {self.least_weight}: wanted 0 or more")
        try:
            re.compile(self.group)
        except re.error:
            raise ValueError("group: not a regular expression") from None


class View(NamedTuple):
    """How the trees see the possible spans of a batch: ``least`` is the smallest probability that the CRF
    gives one."""

    least: float
    rows: SpanRows
    shares: WordShares
    network: NetworkReader | None = None

    def describe(self, tagger: CrfTagger, batch: Batch) -> tuple[Candidates, Floats]:
        """Return the candidates of the CRF and of the network, and a row [columns] for each; the numbers of
        their types are those of the scheme, sorted."""
        found = find_batch_candidates(tagger, batch, self.least)
        if self.network is None:
            return found, self.rows.describe(tagger, batch, found, self.shares)
        found, columns = self.network.widen(tagger, batch, found)
        rows = self.rows.describe(tagger, batch, found, self.shares)
        return found, np.concatenate([rows, columns], axis=1) if len(columns) else rows

    def list_names(self) -> list[str]:
        """Return the names of the columns."""
        return [*self.rows.list_names(), *(NAMES if self.network else ())]

    def find_members(self, found: Candidates, rows: Floats) -> dict[str, list[float]]:
        """Return what the CRF and the network, if there is one, say of the candidates with these rows."""
        if not self.network or not len(rows):
            return {"CRF": found.probabilities.tolist()}
        return {name: rows[:, place - len(NAMES)].tolist() for place, name in enumerate(("CRF", "network"))}

    def forget(self) -> None:
        """Forget the texts of the batches."""
        self.rows.forget()
        if self.network:
            self.network.forget()


class JudgedTagger(CrfTagger):
    """A loaded model. A threshold is for its spans; its CRF is a :class:`CrfTagger` of the same folder."""

    careful_threshold = 0.08

    def __init__(self, model_folder: ModelFolder) -> None:
        super().__init__(model_folder)
        self.options = read_options(Options, self.config)
        self.trees = read_trees(self.folder / TREES)
        self.effort = EFFORT if self.options.network else 1.0
        values = ValueNumbers((), read_values(self.folder / VALUES))
        network = (
            NetworkReader(*read_network(self.folder), self, self.options.network_least)
            if self.options.network
            else None
        )
        self.view = build_view(self, self.options, values, read_shares(self.folder / SHARES), network)
        self.limits = read_limits(self.config)

    def judge(self, batch: Batch) -> Candidates:
        """Return the candidates of a batch with what the trees say of them."""
        found, rows = self.view.describe(self, batch)
        return found._replace(probabilities=apply_trees(self.trees, rows, self.compiled))

    def forget_texts(self) -> None:
        """Empty what the CRF and the trees' columns remember of texts."""
        super().forget_texts()
        self.view.forget()

    def find_margins(self, document: Document, extra_columns: Sequence[Columns] = ()) -> Floats:
        """Return the log odds of PHI at each token of the chosen spans: a threshold below it covers the
        token."""
        batch = self.batch([document])
        found = self.choose(batch)
        odds = compute_log_odds(found.probabilities)
        margins = np.full(len(batch), compute_log_odds(np.zeros(1))[0])
        tokens, owners = found.expand()
        margins[tokens] = odds[owners]
        return margins

    def choose(self, batch: Batch) -> Candidates:
        """Return the spans of a batch without overlaps that are right in all with the most probability; their
        probabilities are those that their places hold PHI."""
        judged = self.judge(batch)
        limits = np.full(len(self.view.rows.types), DOUBTFUL)
        places = judged._replace(probabilities=measure_mass(judged, len(batch)))
        return places.select(choose_spans(judged, limits))

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return self._tag_spans(documents, self.limits, probabilities)

    def _tag_by_threshold(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        return self._tag_spans(documents, self.limits.override(threshold), probabilities)

    def _tag_spans(
        self, documents: Iterable[Document], threshold: Threshold, probabilities: bool
    ) -> Iterator[Document]:
        types = self.view.rows.types
        limits = threshold.list_limits(types)
        for some in batch_documents(documents):
            batch = self.batch(some)
            found = self.choose(batch)
            kept = found.select(np.flatnonzero(found.probabilities > limits[found.types]))
            yield from place_spans(batch, list_spans(batch, kept, types, probabilities))


def build_view(
    tagger: CrfTagger,
    options: Options,
    values: ValueNumbers,
    shares: WordShares,
    network: NetworkReader | None = None,
) -> View:
    """Make what describes the candidates of a CRF."""
    names = [*dict.fromkeys([*options.inside, *options.beside])]
    observed = TokenValues(names, tagger.pipeline, values)
    types = sorted(tagger.scheme.types)
    rows = SpanRows(observed, options.inside, options.beside, types, options.note_types)
    return View(options.least, rows, shares, network)


def find_batch_candidates(tagger: CrfTagger, batch: Batch, least: float) -> Candidates:
    """Return the possible spans of a batch; the numbers of their types are those of the scheme, sorted."""
    marginals = tagger.span_marginals
    emissions = tagger.decoder.emissions(batch)
    found = marginals.find(emissions, batch.first, batch.stop, least, tagger.compiled)
    types = sorted(tagger.scheme.types)
    number = np.array([types.index(name) for name in marginals.pairs.names] or [0], np.int64)
    return trim_candidates(batch, found._replace(types=number[found.types]))


def read_values(path: Path) -> dict[str, list[Value]]:
    """Read the values of the observations. Raises :class:`ModelError` where the file is missing or another
    one."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): [*values] for name, values in table.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise ModelError(f"{path}: missing, or not the values of a judged model") from None


def apply_trees(trees: Trees, rows: Floats, compiled: bool = False) -> Floats:
    """Return the probability that each row is right. Compiled loops give the same bits."""
    if not len(rows):
        return np.zeros(0)
    if compiled:
        from crfdeid.engine.compiled_math import add_leaves

        odds = add_leaves(np.ascontiguousarray(rows), *trees)
    else:
        odds = sum_leaves(rows, trees)
    return cast(Floats, 1.0 / (1.0 + np.exp(-odds)))


def sum_leaves(rows: Floats, trees: Trees) -> Floats:
    """Return the log odds of each row: the values of the leaves that it reaches, added tree by tree."""
    odds = np.full(len(rows), trees.base[0])
    own = np.arange(len(rows))
    for root in trees.roots.tolist():
        node = np.full(len(rows), root, np.int64)
        while (inner := trees.feature[node] != LEAF).any():
            below = rows[own, np.maximum(trees.feature[node], 0)] <= trees.limit[node]
            node = np.where(inner, np.where(below, trees.left[node], trees.right[node]), node)
        odds += trees.value[node]
    return odds


def read_trees(path: Path) -> Trees:
    """Read the file. Raises :class:`ModelError` where it is missing or another one."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Trees(*(arrays[name] for name in Trees._fields))
    except (OSError, ValueError, KeyError):
        raise ModelError(f"{path}: missing, or not the trees of a rescored model") from None
