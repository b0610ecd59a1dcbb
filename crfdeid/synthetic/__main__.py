"""Write invented notes with gold spans.

crfdeid synthetic --documents 800 --seed 1 --out corpus/ --format i2b2
crfdeid synthetic --written --part train --fills 3 --out written.jsonl
crfdeid synthetic --written --language spanish --out escritos.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from crfdeid import cli, synthetic
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import ENGLISH
from crfdeid.synthetic import written_corpus
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.genres import read_genres
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid synthetic", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--documents", type=int, metavar="N", help="number of notes (default: 800, or all written ones)"
    )
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same notes (default: 1)")
    parser.add_argument("--out", type=Path, required=True, help="a folder, or a file such as notes.jsonl")
    parser.add_argument("--format", help="format of the corpus (default: i2b2)")
    parser.add_argument(
        "--part",
        choices=(*PARTS, "dev"),
        default="all",
        help="train and test share no names, and no hand of the written corpus (default: all)",
    )
    parser.add_argument(
        "--genres",
        nargs="+",
        default=(),
        metavar="GENRE",
        help=f"only these genres: {', '.join(read_genres())}",
    )
    add_written_options(parser)
    parser.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
    return parser


def add_written_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--written",
        action="store_true",
        help="the written corpus (docs/written.md) in place of generated notes; --part can be dev, too",
    )
    parser.add_argument(
        "--fills",
        type=int,
        default=0,
        metavar="N",
        help="with --written: each document N more times, with other people, places, dates and numbers",
    )
    parser.add_argument(
        "--language",
        metavar="NAME",
        default=ENGLISH,
        help=f"with --written: the language of the documents (default: {ENGLISH})",
    )


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    output = choose_output(args.out, args.format, "i2b2")
    documents, count = choose_documents(args)
    output.write(cli.show_progress(documents, "write", count), args.overwrite)
    print(output, file=sys.stderr)


def choose_documents(args: argparse.Namespace) -> tuple[Iterable[Document], int | None]:
    """Return the documents to write, and how many there are if that is known."""
    if args.written:
        if args.fills < 0:
            raise ConfigurationError(f"--fills {args.fills}: wanted 0 or more")
        if args.genres:
            raise ConfigurationError("--genres: only for generated notes, not for --written")
        written = written_corpus.generate_written(args.part, args.seed, args.fills, args.language)
        return islice(written, args.documents), args.documents
    count = 800 if args.documents is None else args.documents
    if count < 1:
        raise ConfigurationError(f"--documents {count}: wanted 1 or more")
    if args.fills:
        raise ConfigurationError("--fills: only with --written")
    if args.language != ENGLISH:
        raise ConfigurationError("--language: only with --written")
    return synthetic.generate(count, args.seed, args.part, tuple(args.genres)), count


if __name__ == "__main__":
    cli.run(main)
