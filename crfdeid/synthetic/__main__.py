"""Write notes with gold spans.

python -m crfdeid.synthetic --documents 800 --seed 1 --out corpus/ --format i2b2
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crfdeid import cli, corpora, synthetic
from crfdeid.errors import ConfigurationError
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.genres import read_genres


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.synthetic", description=__doc__.split("\n")[0])
    parse.add_argument("--documents", type=int, default=800, help="how many (default: 800)")
    parse.add_argument("--seed", type=int, default=1, help="the same seed gives the same notes (default: 1)")
    parse.add_argument(
        "--out", type=Path, required=True, help="where to write: a folder, or a file for jsonl and csv"
    )
    parse.add_argument("--format", default="i2b2", help="of the corpus (default: i2b2)")
    parse.add_argument(
        "--part", choices=PARTS, default="all", help="train and test share no names (default: all)"
    )
    parse.add_argument(
        "--genres", nargs="+", default=(), metavar="GENRE", help=f"only these: {', '.join(read_genres())}"
    )
    parse.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    if given.documents < 1:
        raise ConfigurationError(f"--documents {given.documents}: wanted 1 or more")
    documents = synthetic.generate(given.documents, given.seed, given.part, tuple(given.genres))
    shown = cli.progress(documents, "write", given.documents)
    corpora.write(shown, given.out, given.format, given.overwrite)


if __name__ == "__main__":
    cli.run(main)
