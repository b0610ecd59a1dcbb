"""Write invented notes with gold spans.

python -m crfdeid.synthetic --documents 800 --seed 1 --out corpus/ --format i2b2
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crfdeid import cli, synthetic
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.genres import read_genres


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.synthetic", description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=800, help="number of notes (default: 800)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same notes (default: 1)")
    parser.add_argument("--out", type=Path, required=True, help="a folder, or a file such as notes.jsonl")
    parser.add_argument("--format", help="format of the corpus (default: i2b2)")
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
    output = choose_output(args.out, args.format, "i2b2")
    if args.documents < 1:
        raise ConfigurationError(f"--documents {args.documents}: wanted 1 or more")
    documents = synthetic.generate(args.documents, args.seed, args.part, tuple(args.genres))
    shown = cli.show_progress(documents, "write", args.documents)
    output.write(shown, args.overwrite)
    print(output, file=sys.stderr)


if __name__ == "__main__":
    cli.run(main)
