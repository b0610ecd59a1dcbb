"""Systems whose tokens have no score of their own: a hidden Markov model, several models as one.

Their curve comes from tagging the documents anew at each value of a setting. Between these values a token
counts as found from the value on from which it is always tagged: a best path, or the rest of a rule's span,
can lose a token again at a later value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from crfdeid.systems import model
from crfdeid.systems.bias import Bias
from crfdeid.systems.registry import find_system
from crfdeid.systems.tagger import Tagger, Union
from crfdeid.text.document import Document

THRESHOLD, RECALL_BIAS = "threshold", "recall_bias"
# From the value that finds least to the one that finds most.
SWEEPS = {
    THRESHOLD: (0.999, 0.99, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001),
    RECALL_BIAS: (-4.0, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0),
}


def find_setting(tagger: Tagger) -> str:
    """Return the setting that trades precision for recall: the tagger's, or what all of its parts can
    use; empty where it has none."""
    if tagger.operating_setting:
        return tagger.operating_setting
    if tagger.has_threshold:
        return THRESHOLD
    return RECALL_BIAS if any(map(has_recall_bias, tagger.parts or [tagger])) else ""


def has_recall_bias(tagger: Tagger) -> bool:
    return RECALL_BIAS in find_system(tagger.config.system).settings


def set_bias(tagger: Tagger, value: float) -> Tagger:
    """Return the tagger with another recall bias; of several models, of those that have one."""
    if tagger.parts:
        return Union([set_bias(part, value) if has_recall_bias(part) else part for part in tagger.parts])
    return model.load_model(Bias(value).change_folder(tagger.model))


def list_sweep(setting: str, more: Iterable[float] = ()) -> list[float]:
    """Return the values to try, from the one that finds least to the one that finds most."""
    return sorted({*SWEEPS[setting], *more}, reverse=setting == THRESHOLD)


def tag_sweep(
    tagger: Tagger,
    documents: Sequence[Document],
    values: Iterable[float],
    mark: Callable[[Tagger, Document], np.ndarray],
) -> np.ndarray:
    """Return whether each token is tagged at each value [values, tokens], before repair. ``mark`` returns
    whether a span covers each token of a tagged document."""
    setting = find_setting(tagger)
    rows = []
    for value in values:
        biased = set_bias(tagger, value) if setting == RECALL_BIAS else tagger
        tagged = biased.tag_unrepaired(documents, threshold=value if setting == THRESHOLD else None)
        rows.append(np.concatenate([mark(tagger, document) for document in tagged]))
    return np.array(rows)


def rank_tokens(found: np.ndarray) -> np.ndarray:
    """Return the number of the value from which on each token is tagged at all values; the number of values
    where it is not tagged at the last.

    >>> rank_tokens(np.array([[True, True, False], [False, True, False], [True, True, False]])).tolist()
    [2, 0, 3]
    """
    ranks: np.ndarray = len(found) - np.logical_and.accumulate(found[::-1], axis=0).sum(axis=0)
    return ranks
