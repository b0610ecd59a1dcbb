"""How much each feature template says about what is PHI.

Sibanda & Uzuner (2006, section 6.4) rank their features by information gain and do not define it.
Here it is Quinlan's (1986, "Induction of decision trees", Machine Learning 1): how much the
knowledge of X reduces the entropy of Y,

    gain(Y; X) = H(Y) - H(Y | X) = H(X) + H(Y) - H(X, Y)      in bits, over tokens

Y is either PHI or not, or the type (with "no PHI" as one more type). X is the value of a template
at the token (with "no value" as one more value). For a group, X is the values of all its templates.

A gain that is estimated on a sample grows with the number of values of X, even where X says
nothing: a value that occurs once predicts its own token. So beside each gain is the gain by chance,
after the labels are shuffled over the tokens; the difference is ``net``. Where nearly every token
has a different value, as for a group of many templates, both are nearly H(Y) and say little: the
group's best template says more.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import format_template, template_of
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document, is_line_end

TARGETS = ("phi", "type")


@dataclass(frozen=True)
class Observed:
    """A corpus as codes (numbers from 0), one for each token that is not a line end. ``targets`` are PHI or
    not, and the type; ``codes`` are the values of each template by its name, 0 where it has no value."""

    targets: Mapping[str, np.ndarray]
    codes: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Gain:
    """How much a template or group says about a target, in bits. ``values`` is how many values it has,
    ``chance`` its gain about shuffled labels."""

    name: str
    values: int
    gain: float
    chance: float

    @property
    def net(self) -> float:
        return self.gain - self.chance


def entropy(codes: np.ndarray) -> float:
    """The entropy of codes in bits.

    >>> entropy(np.array([0, 0, 1, 1])), entropy(np.array([7, 7]))
    (1.0, 0.0)
    """
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def join_codes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Make one code for each distinct pair of codes.

    >>> join_codes(np.array([0, 0, 1, 0]), np.array([5, 6, 5, 5])).tolist()
    [0, 1, 2, 0]
    """
    return np.unique(_paired(first, second), return_inverse=True)[1]


def _paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first * (int(second.max(initial=0)) + 1) + second


def information_gain(x: np.ndarray, y: np.ndarray) -> float:
    """By how many bits ``x`` reduces the entropy of ``y``; both are codes from 0, one for each token.

    >>> information_gain(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])).__round__(4)
    0.3113
    """
    return max(0.0, entropy(x) + entropy(y) - entropy(_paired(x, y)))


def rank_columns(
    columns: Mapping[str, np.ndarray], target: np.ndarray, seed: int = 0, net: bool = False
) -> list[Gain]:
    """The gain of each column about ``target``, the greatest first (with ``net``, the greatest net gain)."""
    shuffled = np.random.default_rng(seed).permutation(target)
    gains = [
        Gain(name, len(np.unique(x)), information_gain(x, target), information_gain(x, shuffled))
        for name, x in columns.items()
    ]
    return sorted(gains, key=lambda gain: (-(gain.net if net else gain.gain), gain.name))


def join_groups(codes: Mapping[str, np.ndarray], groups: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Join the codes of all templates of each group; ``groups`` is the group of each template."""
    joined: dict[str, np.ndarray] = {}
    for name, column in codes.items():
        group = groups[name]
        joined[group] = join_codes(joined[group], column) if group in joined else column
    return joined


def observe_corpus(pipeline: Pipeline, documents: Iterable[Document]) -> Observed:
    """The values of every template of ``pipeline`` at every token. Overlapping spans raise
    :class:`DocumentError`, or only the longest is kept, as the configuration says."""
    columns = {format_template(template): _Column() for template in pipeline.extractor.templates}
    labels: list[str] = []
    for document in map(pipeline.resolve_overlaps, map(fold_document, documents)):
        tokenized, sequences = pipeline.tokenize_document(document)
        gold = bio.encode(tokenized.tokens, document.spans)
        for sequence in sequences:
            for number, features in zip(sequence, pipeline.extractor.features(tokenized, sequence)):
                if not is_line_end(tokenized.tokens[number]):
                    _add(columns, len(labels), features)
                    labels.append(gold[number])
    types = np.unique([label[2:] for label in labels], return_inverse=True)[1]
    phi = np.array([label != bio.OUTSIDE for label in labels], np.int64)
    codes = {name: column.to_array(len(labels)) for name, column in columns.items()}
    return Observed({"phi": phi, "type": types}, codes)


def _add(columns: Mapping[str, _Column], token: int, features: Sequence[str]) -> None:
    for feature in features:
        if (column := columns.get(template_of(feature))) is not None:  # bias has no column
            column.add(token, feature)


class _Column:
    """The codes of one template so far, and their tokens. Several features at one token are one
    value."""

    def __init__(self) -> None:
        self.tokens, self.codes = array("q"), array("q")
        self.known: dict[tuple[int, str] | str, int] = {}

    def add(self, token: int, feature: str) -> None:
        if self.tokens and self.tokens[-1] == token:
            self.codes[-1] = self._code((self.codes[-1], feature))
        else:
            self.tokens.append(token)
            self.codes.append(self._code(feature))

    def _code(self, value: tuple[int, str] | str) -> int:
        return self.known.setdefault(value, len(self.known) + 1)

    def to_array(self, size: int) -> np.ndarray:
        """The codes [size], 0 at tokens without one."""
        codes = np.zeros(size, np.int64)
        codes[np.array(self.tokens, np.int64)] = np.array(self.codes, np.int64)
        return codes
