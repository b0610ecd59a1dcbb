"""Learn clusters of words from any text, for the observations ``cluster`` and ``table_…``: no spans needed.

    crfdeid clusters TEXT --clusters 200 --out clusters.txt
    crfdeid clusters TEXT --table --out words.txt

Each line of the list has a word and the number of its cluster; of a table, a word, the path to its cluster in
a tree, its frequency and its share of capitals. A word is not in the list where fewer than --documents
documents write it in small letters, or no fewer write it with a first capital: so the list has no names,
except with --names. The same text, options and seed give the same list.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from crfdeid import cli
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.feature_extraction import word_clusters
from crfdeid.feature_extraction.word_clusters import Bigrams, is_listed, rise
from crfdeid.text.gazetteer import MARK

PASSES = 15  # over all words: later passes move few words

DIGIT = 2  # bits of the path in each digit of a value
LONGEST = 16  # bits of a path
COLUMNS = "cluster frequency capitals"
MOST = 6  # the share of capitals is from -6 to 6


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid clusters", description=__doc__.split("\n")[0])
    parser.add_argument("text", type=Path, help="a file or folder of documents")
    parser.add_argument("--out", type=Path, required=True, help="the list to write")
    parser.add_argument("--format", help="of the documents (default: detected)")
    add = parser.add_argument
    add("--clusters", type=cli.natural_number, default=200, help="number of clusters (default: 200)")
    add(
        "--count",
        type=cli.natural_number,
        default=5,
        help="a listed word occurs at least this often (default: 5)",
    )
    add(
        "--documents",
        type=cli.natural_number,
        default=3,
        help="a listed word is in lower case in at least this many documents (default: 3)",
    )
    add("--seed", type=cli.natural_number, default=1, help="of the first clusters (default: 1)")
    add("--table", action="store_true", help="write a table of words, with paths, frequencies and capitals")
    add("--names", action="store_true", help="list names too: only for text without PHI")
    add("--source", default="the user's own text", help="the text and its licence, for the head of the list")
    add("--retrieved", metavar="DATE", help="when the text was retrieved, for the head of the list")
    add("--overwrite", action="store_true", help="replace an existing list")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    check_options(args)
    try:
        storage.write_file(learn_list(args), args.out, args.overwrite)
    except OSError as error:
        raise FormatError(f"{args.out}: {error.strerror or error}") from None


def check_options(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where there would be names in the list, or only one cluster."""
    for name, least in (("clusters", 2), ("documents", 1)):
        if getattr(args, name) < least:
            raise ConfigurationError(f"--{name} {getattr(args, name)}: wanted {least} or more")


def learn_list(args: argparse.Namespace) -> Iterator[str]:
    """Read the text, learn, and yield the pieces of the list."""
    documents = cli.show_progress(cli.read_documents(args.text, args.format, args), "read")
    texts = (document.text for document in documents)
    bigrams = word_clusters.count_bigrams(texts, args.count, args.documents, args.names)
    passes = word_clusters.cluster_words(bigrams, args.clusters, args.seed, PASSES)
    *_, cluster = cli.show_progress(passes, "learn", PASSES)
    rows = table_rows(bigrams, cluster) if args.table else word_clusters.list_rows(bigrams.words, cluster)
    yield from format_head(args, len(rows))
    yield from (row + "\n" for row in rows)


def format_head(args: argparse.Namespace, entries: int) -> Iterable[str]:
    """Return the lines that say what the list is, and how to make it again."""
    options = ("clusters", "count", "documents", "seed")
    command = " ".join(f"--{name} {getattr(args, name)}" for name in options)
    command += "".join(f" --{name}" for name in ("table", "names") if getattr(args, name))
    table = "Words: cluster, frequency and share of capitals"
    lines = {
        "title": table if args.table else "Words and the numbers of their clusters",
        "columns": COLUMNS if args.table else None,
        "source": args.source,
        "made with": f"python -m crfdeid.clusters {command}",
        "retrieved": args.retrieved,
        "entries": str(entries),
    }
    return [f"# {name}: {' '.join(line.split())}\n" for name, line in lines.items() if line]


# The tree over the clusters: which of them are alike, as bits. The two clusters whose union costs the least
# likelihood become one, until one is left (Brown et al. 1992, section 3). With f, N(c, d) and N(c) as in
# crfdeid.feature_extraction.word_clusters, the union of a and b changes the likelihood by a sum over the
# other clusters d of r(N(a, d), N(b, d)) + r(N(d, a), N(d, b)), where r(x, y) = f(x + y) - f(x) - f(y), and
# by terms of a and b. The sum is kept for all pairs: a union changes it only for the clusters that it
# joins, so that each step takes time in the square of their number.


def count_pairs(bigrams: Bigrams, cluster: np.ndarray) -> np.ndarray:
    """How often a word of each cluster follows one of each cluster, [clusters, clusters]."""
    size = int(cluster.max()) + 1
    pairs = np.zeros((size, size))
    np.add.at(pairs, (cluster[bigrams.left], cluster[bigrams.right]), bigrams.counts)
    return pairs


def find_paths(pairs: np.ndarray) -> list[str]:
    """Return the bits from the root of the tree to each cluster, ``0`` for the larger part of two."""
    members = [[number] for number in range(len(pairs))]
    paths = [""] * len(pairs)
    union = _Union(pairs.astype(float))
    while len(members) > 1:
        a, b = union.join_best()
        for bit, part in zip("01", sorted((members[a], members[b]), key=lambda part: (-len(part), part))):
            for number in part:
                paths[number] = bit + paths[number]
        members[a] += members.pop(b)
    return paths


class _Union:
    """Clusters that are joined two by two. ``pairs[c, d]`` is N(c, d), and ``sums[a, b]`` the sum
    above over all d, also over a and b."""

    def __init__(self, pairs: np.ndarray) -> None:
        self.pairs = pairs
        self.sums = np.zeros_like(pairs)
        for cluster in range(len(pairs)):
            self.sums += self._terms(cluster)

    def join_best(self) -> tuple[int, int]:
        """Join the two clusters that cost the least; return them, the first of which has the union and the
        second of which is taken out."""
        gains = self._gains()
        np.fill_diagonal(gains, -np.inf)
        a, b = sorted(divmod(int(np.argmax(gains)), len(gains)))
        self.sums -= self._terms(a) + self._terms(b)
        for table in (self.pairs, self.pairs.T):
            table[a] += table[b]
        self.pairs, self.sums = (np.delete(np.delete(t, b, 0), b, 1) for t in (self.pairs, self.sums))
        self.sums += self._terms(a)
        after, before = rise(self.pairs, self.pairs[a]), rise(self.pairs.T, self.pairs.T[a])
        self.sums[a] = self.sums[:, a] = (after + before).sum(1)
        return a, b

    def _terms(self, cluster: int) -> np.ndarray:
        """The terms of d = ``cluster`` for all a and b."""
        first, second = self.pairs[:, cluster], self.pairs[cluster]
        return rise(first[:, None], first) + rise(second[:, None], second)

    def _gains(self) -> np.ndarray:
        """By how much each union changes the likelihood."""
        pairs, own = self.pairs, self.pairs.diagonal()
        a, b = own[:, None], own
        apart = rise(a, pairs.T) + rise(a, pairs) + rise(b, pairs) + rise(b, pairs.T)
        together = rise(a + b, pairs + pairs.T) + rise(a, b) + rise(pairs, pairs.T)
        sizes = [rise(total[:, None], total) for total in (pairs.sum(0), pairs.sum(1))]
        gains: np.ndarray = self.sums - apart + together - sizes[0] - sizes[1]
        return gains


def write_digits(path: str) -> str:
    """Write the first bits of a path with two in each digit; a bit that is missing counts as 0.

    >>> write_digits("01110")
    '130'
    """
    bits = path[:LONGEST]
    pieces = (bits[start : start + DIGIT].ljust(DIGIT, "0") for start in range(0, len(bits), DIGIT))
    return "".join(str(int(piece, 2)) for piece in pieces)


def table_rows(bigrams: Bigrams, cluster: np.ndarray) -> list[str]:
    """Return the rows ``word|path|frequency|capitals`` of a table, sorted: the path of the word's cluster,
    minus the logarithm of the word's share of the text, and :func:`compare_capitals`."""
    paths = [write_digits(path) for path in find_paths(count_pairs(bigrams, cluster))]
    counts = np.bincount(bigrams.left, bigrams.counts, len(bigrams.words))
    classes = (-np.log(np.maximum(counts, 1) / counts.sum())).astype(int).tolist()
    return sorted(
        MARK.join([word, paths[number], str(frequency), str(compare_capitals(word, bigrams.forms))])
        for word, number, frequency in zip(bigrams.words, cluster.tolist(), classes)
        if is_listed(word)
    )


def compare_capitals(word: str, forms: Mapping[str, int]) -> int:
    """The logarithm of how much more frequent a word is with a first capital than in small letters.

    >>> compare_capitals("rosa", {"rosa": 10, "Rosa": 200}), compare_capitals("sano", {"sano": 900})
    (3, -6)
    """
    capital, small = (math.log(forms.get(form, 0) + 0.5) for form in (word.capitalize(), word))
    return max(-MOST, min(MOST, round(capital - small)))


if __name__ == "__main__":
    cli.run(main)
