"""Convert a corpus from any format to any.

    python -m crfdeid.convert corpus/brat corpus/xml --to i2b2
    python -m crfdeid.convert notes.csv notes.jsonl --to jsonl --id-column note_id --text-column note
    cat corpus.jsonl | python -m crfdeid.convert - - --from jsonl --to conll

``-`` is standard input or output, for formats that hold a corpus in one file of text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError
from crfdeid.text import scheme
from crfdeid.text.document import Document
from crfdeid.text.spans import keep_longest

STANDARD_INPUT = Path("/dev/stdin")


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.convert", description=__doc__.split("\n")[0])
    parse.add_argument("source", help="a file or folder of documents, or - for standard input")
    parse.add_argument("out", help="the folder or file to write, as the format has it, or -")
    parse.add_argument("--from", dest="format", metavar="FORMAT", help="of the source (default: detected)")
    parse.add_argument("--to", required=True, metavar="FORMAT", help=", ".join(corpora.FORMATS))
    parse.add_argument("--scheme", help="refuse types that this scheme does not have")
    parse.add_argument(
        "--overlaps", choices=("keep", "longest"), default="keep", help="longest drops the shorter of two"
    )
    parse.add_argument("--overwrite", action="store_true", help="replace what is there")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    documents = source(given)
    if given.scheme:
        documents = scheme.read(given.scheme).checked(documents)
    if given.overlaps == "longest":
        documents = (document.with_spans(keep_longest(document.spans)) for document in documents)
    documents = cli.progress(documents, "convert")
    if given.out == "-":
        show(documents, given.to)
    else:
        corpora.write(documents, given.out, given.to, given.overwrite)


def source(args: argparse.Namespace) -> Iterable[Document]:
    if args.source != "-":
        return cli.documents(Path(args.source), args.format, args)
    if args.format in (None, "brat", "parquet"):
        raise ConfigurationError("standard input: --from names its format, one that is a single file of text")
    return cli.documents(STANDARD_INPUT, args.format, args)


def show(documents: Iterable[Document], format: str) -> None:
    """Write to standard output, in UTF-8 whatever the terminal's encoding."""
    found = corpora.module(format, "write")
    if not hasattr(found, "render"):
        raise ConfigurationError(f"{format}: cannot be written to standard output; name a file or folder")
    for piece in found.render(documents):
        sys.stdout.buffer.write(piece.encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    cli.run(main)
