"""The sums of :func:`crfdeid.systems.judged.trees.sum_leaves`, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

from crfdeid.engine.kept_loops import OPTIONS


@njit(**OPTIONS)
def add_leaves(rows, feature, limit, left, right, value, roots, base):
    odds = np.full(len(rows), base[0])
    for row in range(len(rows)):
        for root in roots:
            node = root
            while feature[node] >= 0:  # a leaf has none
                node = left[node] if rows[row, feature[node]] <= limit[node] else right[node]
            odds[row] += value[node]
    return odds
