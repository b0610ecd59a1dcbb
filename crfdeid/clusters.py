"""Learn clusters of words from any text, for the observations ``cluster`` and ``table_…``: no spans needed.

    python -m crfdeid.clusters TEXT --clusters 200 --out clusters.txt
    python -m crfdeid.clusters TEXT --table --out words.txt

Each line of the list has a word and the number of its cluster; of a table, a word, the path to its cluster in
a tree, its frequency and its share of capitals. A word is not in the list where fewer than --documents
documents write it in small letters, or no fewer write it with a first capital: so the list has no names,
except with --names. The same text, options and seed give the same list.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid import cli
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.feature_extraction import cluster_tree, word_clusters

PASSES = 15  # over all words: later passes move few words


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.clusters", description=__doc__.split("\n")[0])
    parser.add_argument("text", type=Path, help="a file or folder of documents")
    parser.add_argument("--out", type=Path, required=True, help="the list to write")
    parser.add_argument("--format", help="of the documents (default: detected)")
    add = parser.add_argument
    add("--clusters", type=cli.natural_number, default=200, help="number of clusters (default: 200)")
    add("--count", type=cli.natural_number, default=5, help="a listed word occurs so often (default: 5)")
    add(
        "--documents",
        type=cli.natural_number,
        default=3,
        help="so many documents write a listed word in small letters (default: 3)",
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
    rows = (
        cluster_tree.table_rows(bigrams, cluster)
        if args.table
        else word_clusters.list_rows(bigrams.words, cluster)
    )
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
        "columns": cluster_tree.COLUMNS if args.table else None,
        "source": args.source,
        "made with": f"python -m crfdeid.clusters {command}",
        "retrieved": args.retrieved,
        "entries": str(entries),
    }
    return [f"# {name}: {' '.join(line.split())}\n" for name, line in lines.items() if line]


if __name__ == "__main__":
    cli.run(main)
