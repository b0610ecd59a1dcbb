"""Convert a corpus from any format to any.

    python -m crfdeid.convert corpus/brat corpus/xml --to i2b2
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crfdeid import command, corpora, scheme


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.convert", description=__doc__.split("\n")[0])
    parse.add_argument("source", type=Path, help="a file or folder of documents")
    parse.add_argument("out", type=Path, help="the folder or file to write, as the format has it")
    parse.add_argument("--from", dest="format", metavar="FORMAT", help="of the source (default: detected)")
    parse.add_argument("--to", required=True, metavar="FORMAT", help=", ".join(corpora.FORMATS))
    parse.add_argument("--scheme", help="refuse types that this scheme does not have")
    parse.add_argument("--overwrite", action="store_true", help="replace what is there")
    command.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    documents = command.documents(given.source, given.format, given)
    if given.scheme:
        documents = scheme.read(given.scheme).checked(documents)
    corpora.write(command.progress(documents, "convert"), given.out, given.to, given.overwrite)


if __name__ == "__main__":
    command.run(main)
