"""Classes of words that occur in similar contexts, learned from any text without gold spans.

The classes are those of the bigram class model (Brown et al. 1992) that gives the text the highest
likelihood. The exchange algorithm finds them (Martin, Liermann & Ney 1998): one word after the other moves
to the class where the likelihood is highest, until no word moves. With f(n) = n log n, N(c, d) the bigrams
of a word of class c and a word of class d, and N(c) the words of class c, it raises

    sum over c, d of f(N(c, d))  -  2 * sum over c of f(N(c))

Only words that several documents write in small letters, and fewer with a first capital, get into the
list, so that it has no names. In the text, each other word counts as its shape. Of text without PHI, names
can be listed too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.feature_extraction.token import DIGIT, OfLowered, Value, short_shape
from crfdeid.text.gazetteer import Gazetteer, read_entries
from crfdeid.text.tokenizer import fine, fold_text

LIST = "clusters"  # the gazetteer of the observation ``cluster``
MARK = "|"  # between a word and its cluster, as in the list mesh_headings
SHAPE = " "  # begins a shape that counts as a word
END = "\f"  # of a text; a folded text has none inside


def observe_cluster(gazetteer: Gazetteer) -> Callable[[str], Value]:
    """Make the observation of a token's cluster: its number in the list, or no value."""
    clusters = {entry[0]: entry[2] for entry in gazetteer.entries if entry[1:2] == (MARK,)}
    return OfLowered(clusters.get)


@dataclass(frozen=True)
class Bigrams:
    """``words`` are the distinct words, the most frequent first; ``counts[i]`` is the number of times that
    word ``right[i]`` follows word ``left[i]``. ``forms`` is how often each token is in the text as it is
    written there."""

    words: Sequence[str]
    left: np.ndarray
    right: np.ndarray
    counts: np.ndarray
    forms: Mapping[str, int]


def count_bigrams(
    texts: Iterable[str], least_count: int, least_documents: int, names: bool = False
) -> Bigrams:
    """Count the bigrams of the texts. A word counts as its shape where it occurs less than ``least_count``
    times, or where less than ``least_documents`` texts write it in small letters, or no fewer texts write
    it with a first capital. With ``names`` capitals do not matter: ``least_documents`` texts have the
    word."""
    numbers: dict[str, int] = {}  # of the forms of words
    spelled = Counter[str]()  # the texts that have a form, in lower case for ``names``
    text: list[int] = []
    for tokens in map(split_words, texts):
        spelled.update({token.lower() for token in tokens} if names else set(tokens))
        text += [numbers.setdefault(token, len(numbers)) for token in tokens]
    forms = list(numbers)
    written = dict(zip(forms, np.bincount(np.array(text, np.int64)).tolist()))
    totals = Counter[str]()
    for form, count in written.items():
        totals[form.lower()] += count

    def is_known(word: str) -> bool:
        most = 0 if names else spelled[word.capitalize()] + 1
        least = max(least_documents, most) if has_letters(word) else 0
        return totals[word] >= least_count and spelled[word] >= least

    known = set(filter(is_known, totals))
    words = [form.lower() if form.lower() in known else SHAPE + short_shape(form) for form in forms]
    return _count_pairs(words, np.array(text, np.int64), written)


def check_list(path: Path) -> None:
    """Raise :class:`FormatError` at a line of the list that is not a word and the number of its cluster."""
    for number, entry in enumerate(read_entries(path), 1):
        if not re.fullmatch(r"[^\W\d_]+\|\d+", entry):
            raise FormatError(f"{path}, entry {number}: wanted a word, {MARK} and the number of its cluster")


def split_words(text: str) -> list[str]:
    """Return the tokens of the folded text, with 0 for each digit, and a mark of the text's end.

    >>> split_words("on 3/14")
    ['on', '0', '/', '00', '\\x0c']
    """
    return [DIGIT.sub("0", token.text) for token in fine(fold_text(text).text)] + [END]


def has_letters(word: str) -> bool:
    return any(map(str.isalpha, word))


def is_listed(word: str) -> bool:
    """Whether the list can have this word: it has letters only, all of them small."""
    return word.isalpha() and word.islower()


def list_rows(words: Sequence[str], cluster: np.ndarray) -> list[str]:
    """Return the rows of the list, sorted.

    >>> list_rows(["the", " Aa", "and", "000"], np.array([7, 2, 7, 3]))
    ['and|7', 'the|7']
    """
    return sorted(f"{word}{MARK}{number}" for word, number in zip(words, cluster) if is_listed(word))


def _count_pairs(names: Sequence[str], text: np.ndarray, forms: Mapping[str, int]) -> Bigrams:
    """Count the bigrams of ``text``, where number ``i`` is the word ``names[i]``."""
    words, word_of = np.unique(np.array(names, object), return_inverse=True)
    text = word_of[text]
    order = np.argsort(-np.bincount(text, minlength=len(words)), kind="stable")
    rank = np.empty(len(words), np.int64)
    rank[order] = np.arange(len(words))
    pairs, counts = np.unique(rank[text[:-1]] * len(words) + rank[text[1:]], return_counts=True)
    return Bigrams(words[order].tolist(), pairs // len(words), pairs % len(words), counts, forms)


def cluster_words(bigrams: Bigrams, clusters: int, seed: int, passes: int) -> Iterator[np.ndarray]:
    """Yield the cluster of each word after each pass over all words: at most ``passes``, less if no word
    moves any more. At first, a random generator with ``seed`` deals the words out. Raises
    :class:`ConfigurationError` where there are no more words than clusters, or none for the list."""
    if not any(map(is_listed, bigrams.words)):
        raise ConfigurationError("no word of the text is frequent enough in small letters")
    if len(bigrams.words) <= clusters:
        raise ConfigurationError(
            f"the text has {len(bigrams.words)} different words; wanted more than the {clusters} clusters"
        )
    first = np.random.default_rng(seed).permutation(len(bigrams.words)) % clusters
    exchange = Exchange(bigrams, first, clusters)
    for _ in range(passes):
        moved = sum(exchange.move(word) for word in range(len(bigrams.words)))
        yield exchange.cluster
        if not moved:
            return


class Exchange:
    """Clusters of words that change word by word. ``pairs[c, d]`` is N(c, d), ``turned`` its transpose;
    ``sizes`` has N(c) as the first words and as the second words of bigrams."""

    def __init__(self, bigrams: Bigrams, cluster: np.ndarray, clusters: int) -> None:
        self.cluster, self.count = cluster, clusters
        same = bigrams.left == bigrams.right
        words = len(bigrams.words)
        self.doubled = np.bincount(bigrams.left[same], bigrams.counts[same], words).astype(np.int64)
        others = bigrams.left[~same], bigrams.right[~same], bigrams.counts[~same]
        self.after = _Neighbours(others[0], others[1], others[2], words)
        self.before = _Neighbours(others[1], others[0], others[2], words)
        self.pairs = np.zeros((clusters, clusters), np.int64)
        np.add.at(self.pairs, (cluster[bigrams.left], cluster[bigrams.right]), bigrams.counts)
        self.turned = self.pairs.T.copy()
        self.sizes = np.stack([self.pairs.sum(1), self.pairs.sum(0)])

    def move(self, word: int) -> bool:
        """Move a word to its best cluster; return whether it left its own."""
        own = self.cluster[word]
        after = self.after.by_cluster(word, self.cluster, self.count)
        before = self.before.by_cluster(word, self.cluster, self.count)
        self._add(word, own, after, before, -1)
        gains = self._gains(after, before, self.doubled[word])
        best = int(np.argmax(gains))
        if gains[best] <= gains[own] + 1e-9 * abs(gains[own]):
            best = own
        self._add(word, best, after, before, 1)
        return best != own

    def _add(self, word: int, cluster: int, after: np.ndarray, before: np.ndarray, sign: int) -> None:
        """Put a word into a cluster, or take it out with ``sign`` -1."""
        doubled = self.doubled[word]
        for pairs, row, column in ((self.pairs, after, before), (self.turned, before, after)):
            pairs[cluster] += sign * row
            pairs[:, cluster] += sign * column
            pairs[cluster, cluster] += sign * doubled
        self.sizes[:, cluster] += sign * (np.array([after.sum(), before.sum()]) + doubled)
        self.cluster[word] = cluster

    def _gains(self, after: np.ndarray, before: np.ndarray, doubled: int) -> np.ndarray:
        """By how much the sum rises where the word comes into each cluster, [clusters]."""
        own = self.pairs.diagonal()
        gains = _rise(own, after + before + doubled) - _rise(own, after) - _rise(own, before)
        for pairs, sizes, found in ((self.turned, self.sizes[0], after), (self.pairs, self.sizes[1], before)):
            near = np.flatnonzero(found)
            gains += _rise(pairs[near], found[near, None]).sum(0) - _rise(sizes, found.sum() + doubled)
        return gains


class _Neighbours:
    """The words that follow each word (or precede it), with their counts."""

    def __init__(self, words: np.ndarray, others: np.ndarray, counts: np.ndarray, size: int) -> None:
        order = np.argsort(words, kind="stable")
        self.others, self.counts = others[order], counts[order]
        self.bounds = np.concatenate([[0], np.cumsum(np.bincount(words, minlength=size))])

    def by_cluster(self, word: int, cluster: np.ndarray, clusters: int) -> np.ndarray:
        """How often a word of each cluster is the neighbour of ``word``, [clusters]."""
        part = slice(self.bounds[word], self.bounds[word + 1])
        found = np.bincount(cluster[self.others[part]], self.counts[part], clusters)
        return found.astype(np.int64)


def _rise(numbers: np.ndarray, added: np.ndarray) -> np.ndarray:
    """f(numbers + added) - f(numbers), with f(n) = n log n."""
    return _f(numbers + added) - _f(numbers)


def rise(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """f(one + other) - f(one) - f(other)."""
    return _rise(one, other) - _f(other)


def _f(numbers: np.ndarray) -> np.ndarray:
    return numbers * np.log(np.maximum(numbers, 1))
