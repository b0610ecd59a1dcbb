"""The ways to adapt a model to the notes of a site, and the tagger that each gives.

A model of the systems ``judged`` and ``crf`` is changed in two places, which stay what they are, so that the
adapted model is a model like any other and tags as fast: the weights of its CRF are trained further and held
near the old ones (:mod:`crfdeid.engine.training.prior`), and a few more trees follow the old ones.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.engine.arrays.types import Floats
from crfdeid.engine.crfsuite_file import Weights
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.engine.training import training_set
from crfdeid.engine.training.prior import Prior, train_further
from crfdeid.errors import ConfigurationError
from crfdeid.systems.bias import list_amounts
from crfdeid.systems.crf import CrfTagger, add_amounts
from crfdeid.systems.judged.judged import JudgedTagger, Trees, build_view
from crfdeid.systems.judged.training import Further, describe_all, fit_further, join_trees
from crfdeid.systems.model import join_steps, load_lists
from crfdeid.systems.repeated_lines import RepeatedLines
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.term_lists import Terms
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

CACHED = ("decoder", "confidence", "marginals", "span_marginals")  # of a tagger, made of its weights
ABLE = ("judged", "crf")


@dataclass(frozen=True)
class Way:
    """One way to adapt. ``c2`` is how strongly the weights of the CRF are held; 0 leaves them. ``rounds`` is
    the number of further trees. ``lists``: the lists of the site are applied, where there are some."""

    name: str
    c2: float = 0.0
    rounds: int = 0
    lists: bool = True


SHIPPED = Way("as it is", lists=False)
LISTS = Way("lists")
WEIGHTS = Way("weights", c2=0.03)
BOTH = Way("weights and trees", c2=0.03, rounds=40)
TREES = Way("trees", rounds=40)
WAYS = (SHIPPED, TREES, WEIGHTS, BOTH)

Judged = tuple[Floats, np.ndarray]  # the rows of candidates, and which are right


def list_ways(tagger: CrfTagger, lists: Terms | None = None) -> list[Way]:
    """Return the ways that a model has."""
    ways = [way for way in WAYS if isinstance(tagger, JudgedTagger) or not way.rounds]
    return [SHIPPED, LISTS, *ways[1:]] if lists else ways


def add_lists(tagger: CrfTagger, lists: Terms | None) -> CrfTagger:
    """Return the tagger with the lists of the site, after those that it has."""
    if not lists:
        return tagger
    found, before, apply = copy.copy(tagger), tagger.finish, lists.apply
    found.finish = (lambda note: apply(before(note))) if before else apply
    return found


def place_lines(tagger: CrfTagger, lines: RepeatedLines, lists: Terms | None) -> CrfTagger:
    """Return the tagger with other lines that repeat, which come before the lists that the model has and
    before ``lists``."""
    found = copy.copy(tagger)
    found.finish = join_steps(lines.apply, load_lists(tagger.folder), lists.apply if lists else None)
    return found


def check_model(tagger: Tagger) -> CrfTagger:
    """Return the tagger. Raises :class:`ConfigurationError` where its model cannot be adapted."""
    system = tagger.config.system
    if not isinstance(tagger, CrfTagger) or system not in ABLE:
        raise ConfigurationError(f"adapt: a model of the system {system}; wanted {' or '.join(ABLE)}")
    if tagger.config.min_patients:
        raise ConfigurationError("adapt: a model for sharing would get words of few patients; wanted another")
    return tagger


def train_weights(tagger: CrfTagger, notes: Sequence[Document], c2: float) -> CrfTagger:
    """Return a tagger whose CRF was trained further on ``notes``; with c2 0 the tagger itself."""
    if not c2:
        return tagger
    folded = [fold_document(note) for note in notes]
    amounts = list_amounts(tagger.config)
    learned = add_amounts(tagger.weights, {label: -amount for label, amount in amounts.items()})
    built = training_set.build(tagger.pipeline, folded)
    return replace_weights(tagger, add_amounts(train_further(built, learned, Prior(c2)), amounts))


def replace_weights(tagger: CrfTagger, weights: Weights) -> CrfTagger:
    """Return the tagger with other weights of its CRF."""
    found = copy.copy(tagger)
    for name in CACHED:
        found.__dict__.pop(name, None)
    AdaptiveDecoder.__init__(found, weights, tagger.pipeline)
    if found.risk:
        found.risk = found._build_risk_decoder()
    if isinstance(found, JudgedTagger):
        view = found.view
        network = view.network.bind(found) if view.network else None
        found.view = build_view(found, found.options, view.rows.values.numbers, view.shares, network)
    return found


def judge_candidates(tagger: CrfTagger, notes: Sequence[Document]) -> list[Judged]:
    """Return the rows of the candidates of ``notes``, which the tagger has not seen, and which are right."""
    if not isinstance(tagger, JudgedTagger):
        return []
    folded = [fold_document(note) for note in notes]
    resolved = [tagger.pipeline.resolve_overlaps(note) for note in folded]
    return list(describe_all(tagger, resolved, tagger.view))


def add_trees(tagger: CrfTagger, judged: Sequence[Judged], rounds: int) -> CrfTagger:
    """Return the tagger with trees that were learned of its candidates, after its own."""
    if not rounds or not judged or not isinstance(tagger, JudgedTagger):
        return tagger
    rows, is_right = (np.concatenate(column) for column in zip(*judged))
    found = copy.copy(tagger)
    found.trees = extend_trees(tagger.trees, rows, is_right, rounds)
    return found


def extend_trees(trees: Trees, rows: Floats, is_right: np.ndarray, rounds: int) -> Trees:
    return join_trees(trees, fit_further(trees, rows, is_right, Further(rounds)))


def split_rows(parts: Sequence[Sequence[Judged]], held_out: int) -> Iterator[Judged]:
    """Yield the judged rows of all parts except one."""
    for number, part in enumerate(parts):
        if number != held_out:
            yield from part
