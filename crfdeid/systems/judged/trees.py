"""Gradient-boosted trees as plain arrays: scikit-learn learns them, numpy applies them, and a file of numbers
keeps them (no pickle)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from crfdeid.engine.arrays.types import Floats, Ints
from crfdeid.errors import ModelError

LEAF = -1
EDGE = 1e-4  # probabilities are this far from 0 and 1 at least, so that their log odds are finite


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

    def fit_trees(self, rows: Floats, is_right: np.ndarray) -> Trees:
        """Learn trees by these settings; see :func:`fit_trees`."""
        size = self.trees, self.rate, self.leaves, self.rows
        return fit_trees(rows, is_right, *size, self.seed, self.l2)


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


def compute_log_odds(probabilities: Floats) -> Floats:
    """Return the log odds of probabilities, finite ones also of 0 and 1."""
    inside = np.clip(probabilities, EDGE, 1.0 - EDGE)
    return np.log(inside / (1.0 - inside))


def write_trees(path: Path, trees: Trees) -> None:
    """Write the arrays to a file of numpy's format."""
    with path.open("wb") as file:
        np.savez_compressed(file, **trees._asdict())


def read_trees(path: Path) -> Trees:
    """Read the file. Raises :class:`ModelError` where it is missing or another one."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Trees(*(arrays[name] for name in Trees._fields))
    except (OSError, ValueError, KeyError):
        raise ModelError(f"{path}: missing, or not the trees of a rescored model") from None
