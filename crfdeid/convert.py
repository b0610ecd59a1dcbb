"""Convert a corpus from any format to any other.

    crfdeid convert corpus/brat corpus/xml --to i2b2
    crfdeid convert notes.csv notes.jsonl --to jsonl --id-column note_id --text-column note
    cat corpus.jsonl | crfdeid convert - - --from jsonl --to conll

``-`` is standard input or output, for formats that hold a corpus in one file of text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError
from crfdeid.text import scheme
from crfdeid.text.document import Document, keep_longest

STANDARD_INPUT = Path("/dev/stdin")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid convert", description=__doc__.split("\n")[0])
    parser.add_argument("source", help="a file or folder of documents, or - for standard input")
    parser.add_argument("out", help="the file to write, or the folder if the name has no suffix, or -")
    parser.add_argument("--from", dest="format", metavar="FORMAT", help="of the source (default: detected)")
    parser.add_argument("--to", required=True, metavar="FORMAT", help=", ".join(corpora.FORMATS))
    cli.add_types_option(parser)
    parser.add_argument("--scheme", help="refuse types that this scheme does not have")
    parser.add_argument(
        "--overlaps", choices=("keep", "longest"), default="keep", help="longest drops the shorter of two"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace existing files")
    cli.add_input_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    output = None if args.out == "-" else choose_output(Path(args.out), args.to, args.to)
    documents: Iterable[Document] = cli.map_types(read_source(args), args)
    if args.scheme:
        documents = scheme.read_scheme(args.scheme).check_each(documents)
    if args.overlaps == "longest":
        documents = (document.with_spans(keep_longest(document.spans)) for document in documents)
    documents = cli.show_progress(documents, "convert")
    if output is None:
        print_corpus(documents, args.to)
    else:
        output.write(documents, args.overwrite)
        print(output, file=sys.stderr)
    cli.report_bad_rows(args.skip_bad)


def read_source(args: argparse.Namespace) -> Iterator[Document]:
    """Yield the documents of the source, which may be standard input."""
    if args.source != "-":
        cli.report_left_out(args.source, cli.build_reading(args, args.format))
        return cli.read_documents(Path(args.source), args.format, args)
    if args.format is None or not corpora.find_format(args.format, "read").is_text_stream:
        raise ConfigurationError("standard input: --from names its format, one that is a single file of text")
    return cli.read_documents(STANDARD_INPUT, args.format, args)


def print_corpus(documents: Iterable[Document], format: str) -> None:
    """Write to standard output, in UTF-8 whatever the terminal's encoding."""
    for piece in corpora.render_corpus(documents, format):
        sys.stdout.buffer.write(piece.encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    cli.run(main)
