"""The n best label sequences (list Viterbi: Seshadri & Sundberg 1994): each label at each token
keeps the n best ways to come to it."""

from __future__ import annotations

import numpy as np


def best(emissions: np.ndarray, transitions: np.ndarray, n: int) -> list[tuple[float, list[int]]]:
    """The ``n`` best sequences for ``emissions`` [tokens, labels] and ``transitions`` [labels, labels],
    with their scores, the best first; fewer where there are fewer. Of equal ones, those that
    end in the lower label first.

    >>> best(np.array([[0.0, 1.0], [0.5, 0.0]]), np.array([[0.0, 0.0], [0.0, 2.0]]), 2)
    [(3.0, [1, 1]), (1.5, [1, 0])]
    """
    if not len(emissions):
        return [(0.0, [])]
    size = emissions.shape[1]
    scores = emissions[0][None, :]  # [ways, labels]
    back: list[np.ndarray] = []
    for emission in emissions[1:]:
        coming = (scores[:, :, None] + transitions).transpose(1, 0, 2).reshape(-1, size)
        order = np.argsort(-coming, axis=0, kind="stable")[:n]
        back.append(np.array(np.divmod(order, len(scores))))  # the label it came from, and which way
        scores = np.take_along_axis(coming, order, axis=0) + emission
    ends = np.argsort(-scores.T.ravel(), kind="stable")[:n]
    return [(float(scores.T.ravel()[end]), _path(back, *divmod(int(end), len(scores)))) for end in ends]


def _path(back: list[np.ndarray], label: int, way: int) -> list[int]:
    path = [label]
    for pointers in reversed(back):
        label, way = pointers[:, way, label].tolist()
        path.append(label)
    return path[::-1]
