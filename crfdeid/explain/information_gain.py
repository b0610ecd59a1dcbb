"""How much each feature template tells of what is PHI.

Sibanda & Uzuner (2006, section 6.4) rank their features by information gain and leave it at the
name. Here it is Quinlan's (1986, "Induction of decision trees", Machine Learning 1): what knowing
X takes off the entropy of Y,

    gain(Y; X) = H(Y) - H(Y | X) = H(X) + H(Y) - H(X, Y)      in bits, over tokens

where Y is either PHI or not, or the type (no PHI being one more), and X is what a template says
at the token, nothing being one more value. For a group, X is what all its templates say together.

A gain that is counted on a sample grows with the number of X's values, even where X says nothing:
values that occur once foretell their own token. So each gain stands beside the one that is left
when the labels are dealt to the tokens anew, by chance; their difference is ``net``. Where nearly
every token has a value of its own, as for a group of many templates, both are nearly H(Y) and say
little: a group's best template says more.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.explain.model_weights import template_of
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import title
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import is_line_end

TARGETS = ("phi", "type")


@dataclass(frozen=True)
class Observed:
    """A corpus as codes (numbers from 0), one a token, line ends left out: ``targets`` holds PHI or
    not and the type, ``codes`` what each template says, by its name; 0 where it says nothing."""

    targets: Mapping[str, np.ndarray]
    codes: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Gain:
    """What a template or group tells of a target, in bits; ``values`` counts its values."""

    name: str
    values: int
    gain: float
    chance: float

    @property
    def net(self) -> float:
        return self.gain - self.chance


def entropy(codes: np.ndarray) -> float:
    """
    >>> entropy(np.array([0, 0, 1, 1])), entropy(np.array([7, 7]))
    (1.0, 0.0)
    """
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def joint(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One code for each pair of codes.

    >>> joint(np.array([0, 0, 1, 0]), np.array([5, 6, 5, 5])).tolist()
    [0, 1, 2, 0]
    """
    return np.unique(_paired(first, second), return_inverse=True)[1]


def _paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first * (int(second.max(initial=0)) + 1) + second


def information_gain(x: np.ndarray, y: np.ndarray) -> float:
    """Bits that ``x`` takes off the entropy of ``y``; codes from 0, one a token.

    >>> information_gain(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])).__round__(4)
    0.3113
    """
    return max(0.0, entropy(x) + entropy(y) - entropy(_paired(x, y)))


def rank(
    columns: Mapping[str, np.ndarray], target: np.ndarray, seed: int = 0, net: bool = False
) -> list[Gain]:
    """The gain of each column about ``target``, the greatest first (or the greatest ``net``)."""
    dealt = np.random.default_rng(seed).permutation(target)
    found = [
        Gain(name, len(np.unique(x)), information_gain(x, target), information_gain(x, dealt))
        for name, x in columns.items()
    ]
    return sorted(found, key=lambda gain: (-(gain.net if net else gain.gain), gain.name))


def together(codes: Mapping[str, np.ndarray], groups: Mapping[str, str]) -> dict[str, np.ndarray]:
    """What all templates of each group say together; ``groups`` by template."""
    found: dict[str, np.ndarray] = {}
    for name, column in codes.items():
        group = groups[name]
        found[group] = joint(found[group], column) if group in found else column
    return found


def observe(pipeline: Pipeline, documents: Iterable[Document]) -> Observed:
    """What every template of ``line`` says at every token. Overlapping spans raise
    :class:`DocumentError`, or the longest is kept, as the experiment says."""
    columns = {title(template): _Column() for template in pipeline.extractor.templates}
    labels: list[str] = []
    for document in map(pipeline.without_overlaps, documents):
        page, sequences = pipeline.page(document)
        truth = bio.encode(page.tokens, document.spans)
        for sequence in sequences:
            for number, features in zip(sequence, pipeline.extractor.features(page, sequence)):
                if not is_line_end(page.tokens[number]):
                    _add(columns, len(labels), features)
                    labels.append(truth[number])
    types = np.unique([label[2:] for label in labels], return_inverse=True)[1]
    phi = np.array([label != bio.OUTSIDE for label in labels], np.int64)
    codes = {name: column.filled(len(labels)) for name, column in columns.items()}
    return Observed({"phi": phi, "type": types}, codes)


def _add(columns: Mapping[str, _Column], token: int, features: Sequence[str]) -> None:
    for feature in features:
        if (column := columns.get(template_of(feature))) is not None:  # bias has none
            column.add(token, feature)


class _Column:
    """The codes of one template so far, and at which tokens. Several features at a token are
    one value."""

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

    def filled(self, size: int) -> np.ndarray:
        found = np.zeros(size, np.int64)
        found[np.array(self.tokens, np.int64)] = np.array(self.codes, np.int64)
        return found
