"""Training of judged models, and of their trees.

The trees learn from candidates of notes that the CRF had not seen: training makes folds, by groups of notes
(``group``), such as those of one writer.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfdeid.config import Config
from crfdeid.corpora.folds import Part, make_folds
from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Floats
from crfdeid.feature_extraction.token import Value
from crfdeid.systems import crf, model, model_folder, registry
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged import word_evidence
from crfdeid.systems.judged.judged import (
    LEAF,
    SHARES,
    TREES,
    VALUES,
    JudgedTagger,
    Options,
    TreeOptions,
    Trees,
    View,
    build_view,
    sum_leaves,
)
from crfdeid.systems.judged.network import NAMES, NetworkReader, write_network
from crfdeid.systems.judged.network_training import keep_first_copies, learn_network
from crfdeid.systems.judged.rows import EDGE, ValueNumbers, compute_log_odds
from crfdeid.systems.judged.word_evidence import WordShares, count_shares
from crfdeid.systems.registry import System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, batch_documents
from crfdeid.systems.works.cross_fitting import all_or_nothing
from crfdeid.text.document import Document


def train(training: Training) -> None:
    """Train the CRF on the folds and on all documents, and the trees on the candidates of the folds."""
    folder = training.model
    options = read_options(Options, folder.config)
    plain = replace(folder.config, system="crf", options={}, span_threshold={})
    documents = [folder.pipeline.resolve_overlaps(document) for document in training.documents]
    values = ValueNumbers([*options.inside, *options.beside])
    parts: list[tuple[Floats, np.ndarray]] = []
    types = sorted(folder.scheme.types)
    with all_or_nothing():
        for rest, held_out in make_group_folds(documents, options):
            with tempfile.TemporaryDirectory(prefix="folds.", dir=folder.path) as name:
                first = keep_first_copies(rest, options.copies)
                tagger = model.train(first, plain, Path(name) / "crf", training.on_iteration)
                assert isinstance(tagger, CrfTagger)
                shares = count_document_shares(tagger, first, options, types)
                network = learn_network(tagger, rest, options, training.on_iteration)
                reader = NetworkReader(*network, tagger, options.network_least) if network else None
                view = build_view(tagger, options, values, shares, reader)
                parts += describe_all(tagger, keep_first_copies(held_out, options.copies), view)
        first = keep_first_copies(documents, options.copies)
        crf.train_with_columns(replace(training, documents=first, model=replace(folder, config=plain)))
    if options.least_weight:
        crfsuite_file.shrink(folder.path / crf.CRFSUITE, options.least_weight)
        model_folder.compress_tables(folder.path)
    rows, is_right = (np.concatenate(column) for column in zip(*parts))
    sorted_values = values.sort()
    renumber_columns(rows, values, sorted_values, options)
    write_trees(folder.path / TREES, fit_options(options, rows, is_right))
    (folder.path / VALUES).write_text(
        json.dumps(sorted_values, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
    whole = CrfTagger(replace(folder, config=plain))
    count_document_shares(whole, first, options, types).write(folder.path / SHARES)
    if network := learn_network(whole, documents, options, training.on_iteration):
        write_network(folder.path, *network)


def make_group_folds(
    documents: Sequence[Document], options: Options
) -> Iterator[tuple[list[Document], list[Document]]]:
    """Yield pairs of the documents to train on and those that are held out. Where there are fewer groups than
    folds, each patient is a group."""
    group = re.compile(options.group)
    patients = [match[0] if (match := group.match(d.owner[1])) else d.owner[1] for d in documents]
    if len(set(patients)) < options.folds:
        patients = [d.owner[1] for d in documents]
    names = [f"{number}" for number in range(len(documents))]  # identifiers of two corpora can be equal
    keyed = [Document(name, "", patient=patient or name) for name, patient in zip(names, patients)]
    for rest, held_out in make_folds(Part("training documents", tuple(keyed)), options.folds, options.seed):
        own = [[documents[int(each.id)] for each in part.documents] for part in (rest, held_out)]
        yield own[0], own[1]


def count_document_shares(
    tagger: CrfTagger, documents: Sequence[Document], options: Options, types: Sequence[str]
) -> WordShares:
    """Count the shares of the words of training documents."""
    least = max(options.least_owners, tagger.config.min_patients)

    def read() -> Iterator[tuple[str, list[str], list[tuple[int, int, int]]]]:
        for some in batch_documents(documents):
            batch = tagger.batch(some)
            lowered = tagger.decoder.vocabulary.lowered
            keys = list_gold_keys(batch, types)
            for number, document in enumerate(some):
                begin, end = int(batch.bounds[number]), int(batch.bounds[number + 1])
                words = [lowered[text] for text in batch.texts[begin:end].tolist()]
                yield str(document.owner), words, [(a - begin, b - begin, t) for a, b, t in keys[number]]

    return count_shares(read(), len(types), least)


def describe_all(
    tagger: CrfTagger, documents: Sequence[Document], view: View
) -> Iterator[tuple[Floats, np.ndarray]]:
    """Yield the rows of the candidates of some documents, and which of them are right."""
    tagger.compile()
    for some in batch_documents(documents):
        batch = tagger.batch(some)
        found, rows = view.describe(tagger, batch)
        if len(found.first):
            gold = {key for keys in list_gold_keys(batch, view.rows.types) for key in keys}
            keys = zip(found.first.tolist(), found.last.tolist(), found.types.tolist())
            yield rows, np.array([key in gold for key in keys], bool)


def list_gold_keys(batch: Batch, types: Sequence[str]) -> list[list[tuple[int, int, int]]]:
    """Return, for each document, the tokens and types of its spans that begin and end with tokens."""
    number = {type: place for place, type in enumerate(types)}
    found = []
    for owner, document in enumerate(batch.documents):
        begin, end = int(batch.bounds[owner]), int(batch.bounds[owner + 1])
        starts = {start: begin + place for place, start in enumerate(batch.starts[begin:end].tolist())}
        ends = {stop: begin + place for place, stop in enumerate(batch.ends[begin:end].tolist())}
        keys = [(starts.get(s.start, -1), ends.get(s.end, -1), number[s.type]) for s in document.spans]
        found.append([key for key in keys if key[0] >= 0 and key[1] >= 0])
    return found


def renumber_columns(
    rows: Floats, values: ValueNumbers, sorted_values: dict[str, list[Value]], options: Options
) -> None:
    """Give the values of observations in ``rows`` their places among the sorted ones."""
    names = [*options.inside, *options.inside, *options.beside, *options.beside]
    after = len(word_evidence.SHARE_NAMES) + (len(word_evidence.TYPE_NAMES) if options.note_types else 0)
    after += len(NAMES) if options.network else 0
    first = rows.shape[1] - after - len(names)
    for place, name in enumerate(names, first):
        new = {value: number for number, value in enumerate(sorted_values[name])}
        order = np.array([new[value] for value in values.numbers[name]] or [0], np.float32)
        known = rows[:, place] >= 0
        rows[known, place] = order[rows[known, place].astype(np.int64)]


def fit_options(options: TreeOptions, rows: Floats, is_right: np.ndarray) -> Trees:
    """Learn trees by the settings of a system; see :func:`fit_trees`."""
    size = options.trees, options.rate, options.leaves, options.rows
    return fit_trees(rows, is_right, *size, options.seed, options.l2)


def fit_trees(
    rows: Floats,
    is_right: np.ndarray,
    number: int,
    rate: float,
    leaves: int,
    least: int,
    seed: int,
    l2: float = 1.0,
) -> Trees:
    """Learn ``number`` trees of at most ``leaves`` leaves with at least ``least`` rows each, which tell the
    right rows [rows, columns] from the wrong ones. ``rate`` is the learning rate, and ``l2`` the
    regularization of the values of leaves."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    if is_right.all() or not is_right.any():  # nothing to tell apart
        none = np.zeros(0, np.int64)
        odds = compute_log_odds(np.array([is_right.mean() if len(is_right) else 0.0]))
        return Trees(none, np.zeros(0), none, none, np.zeros(0), none, odds)
    classifier = HistGradientBoostingClassifier(
        max_iter=number,
        learning_rate=rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=least,
        l2_regularization=l2,
        early_stopping=False,
        random_state=seed,
    ).fit(rows, is_right)
    return join_nodes([own[0].nodes for own in classifier._predictors], classifier._baseline_prediction)


def join_nodes(parts: list[np.ndarray], base: Floats) -> Trees:
    """Join scikit-learn's nodes of several trees."""
    sizes = [len(nodes) for nodes in parts]
    roots = np.cumsum([0, *sizes])[:-1]
    shift = np.repeat(roots, sizes)
    nodes = np.concatenate(parts)
    is_leaf = nodes["is_leaf"].astype(bool)
    return Trees(
        np.where(is_leaf, LEAF, nodes["feature_idx"]).astype(np.int64),
        nodes["num_threshold"].astype(np.float64),
        nodes["left"].astype(np.int64) + shift,
        nodes["right"].astype(np.int64) + shift,
        nodes["value"].astype(np.float64),
        roots.astype(np.int64),
        np.asarray(base, np.float64).reshape(-1),
    )


@dataclass(frozen=True)
class Further:
    """How further trees are learned after those of a model: their number, depth and learning rate, the fewest
    rows of a leaf, and the regularization of its value."""

    rounds: int
    depth: int = 3
    rate: float = 0.1
    least: int = 5
    l2: float = 5.0


def fit_further(trees: Trees, rows: Floats, is_right: np.ndarray, further: Further) -> Trees:
    """Learn trees that correct the log odds of ``trees`` on a few rows: Newton's steps of the logistic loss
    (Friedman et al. 2000, "Additive logistic regression"), one tree each."""
    from sklearn.tree import DecisionTreeRegressor

    odds, right = sum_leaves(rows, trees), is_right.astype(np.float64)
    found: list[Trees] = []
    for number in range(further.rounds):
        chance = 1.0 / (1.0 + np.exp(-odds))
        weights = np.maximum(chance * (1.0 - chance), EDGE)
        tree = DecisionTreeRegressor(
            max_depth=further.depth, min_samples_leaf=further.least, random_state=number
        ).fit(rows, (right - chance) / weights, weights)
        leaf = tree.apply(rows)
        own = tree.tree_
        slope, bend = (np.bincount(leaf, each, own.node_count) for each in (right - chance, weights))
        value = further.rate * slope / (bend + further.l2)
        odds += value[leaf]
        is_leaf = own.children_left == LEAF
        found.append(
            Trees(
                np.where(is_leaf, LEAF, own.feature).astype(np.int64),
                own.threshold.astype(np.float64),
                np.where(is_leaf, 0, own.children_left).astype(np.int64),
                np.where(is_leaf, 0, own.children_right).astype(np.int64),
                value,
                np.zeros(1, np.int64),
                np.zeros(1),
            )
        )
    return join_trees(*found)


def join_trees(*parts: Trees) -> Trees:
    """Join the trees of several parts, whose log odds are added; the base is that of the first."""
    sizes = [len(part.feature) for part in parts]
    starts = np.cumsum([0, *sizes])[:-1]
    shift = np.repeat(starts, sizes)
    columns = [np.concatenate(column) for column in zip(*(part[:5] for part in parts))]
    feature, limit, left, right, value = columns
    roots = np.concatenate([part.roots + start for part, start in zip(parts, starts)])
    base = sum((part.base for part in parts[1:]), parts[0].base)
    return Trees(feature, limit, left + shift, right + shift, value, roots, base)


def write_trees(path: Path, trees: Trees) -> None:
    """Write the arrays to a file of numpy's format."""
    with path.open("wb") as file:
        np.savez_compressed(file, **trees._asdict())


def count_rounds(settings: Config) -> int:
    """How often training goes through the iterations: a CRF, and a network where there is one, for each fold
    and for all documents."""
    options = read_options(Options, settings)
    return (1 + options.folds) * (2 if options.network else 1)


def load_crf(model_folder: ModelFolder) -> CrfTagger:
    """Load the CRF by itself, with the labels of python-crfsuite."""
    return CrfTagger(model_folder, engine="crfsuite")


SYSTEM = System(
    Options,
    train,
    JudgedTagger,
    {"crfsuite": load_crf},
    count_rounds=count_rounds,
    settings=("recall_bias", "type_bias", "min_patients"),
    decoding=("span_threshold", "repair"),  # its trees learn from the biased CRF
    explained_by=registry.TREES,
)
