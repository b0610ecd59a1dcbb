"""Write invented notes with gold spans.

python -m crfdeid.synthetic --documents 800 --seed 1 --out corpus/ --format i2b2
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crfdeid import cli, corpora, synthetic
from crfdeid.errors import ConfigurationError
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.genres import read_genres


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.synthetic", description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=800, help="number of notes (default: 800)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same notes (default: 1)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write, or file for jsonl and csv")
    parser.add_argument("--format", default="i2b2", help="format of the corpus (default: i2b2)")
    parser.add_argument(
        "--part", choices=PARTS, default="all", help="train and test share no names (default: all)"
    )
    parser.add_argument(
        "--genres",
        nargs="+",
        default=(),
        metavar="GENRE",
        help=f"only these genres: {', '.join(read_genres())}",
    )
    parser.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if args.documents < 1:
        raise ConfigurationError(f"--documents {args.documents}: wanted 1 or more")
    documents = synthetic.generate(args.documents, args.seed, args.part, tuple(args.genres))
    shown = cli.show_progress(documents, "write", args.documents)
    corpora.write(shown, args.out, args.format, args.overwrite)


if __name__ == "__main__":
    cli.run(main)
