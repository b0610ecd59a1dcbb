"""Turn documents of one format into another.

    python -m crfdeid.convert train/ corpus.jsonl                     formats by name and content
    python -m crfdeid.convert notes.csv notes/ --text-column report --to i2b2
    cat corpus.jsonl | python -m crfdeid.convert - - --from jsonl --to conll

``-`` is standard input or output, for formats that hold a corpus in one file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from crfdeid import bio, command, corpora, scheme
from crfdeid.document import Document
from crfdeid.faults import ConfigurationFault

EPILOG = f"formats: {', '.join(corpora.FORMATS)} (spans and inline are only written)"


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(
        prog="python -m crfdeid.convert", description=__doc__.split("\n")[0], epilog=EPILOG
    )
    parse.add_argument("input", help="a file, a folder, or - for standard input")
    parse.add_argument("output", help="a file, a folder, or - for standard output")
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the input (default: detected)")
    parse.add_argument("--to", metavar="FORMAT", help="of the output (default: by its suffix)")
    parse.add_argument("--encoding", default="utf-8", help="of the input (default: utf-8); output is UTF-8")
    parse.add_argument("--overwrite", action="store_true", help="replace files that exist")
    parse.add_argument("--scheme", help="refuse types that this label scheme lacks")
    parse.add_argument(
        "--overlaps", choices=("keep", "longest"), default="keep", help="drop the shorter of two that overlap"
    )
    for column in ("id", "text", "patient"):
        parse.add_argument(f"--{column}-column", metavar="NAME", help=f"of a table: holds the {column}")
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    target = given.to or by_suffix(given.output)
    documents = prepared(command.progress(source(given), "convert"), given)
    options: dict[str, Any] = {}
    if given.scheme and "scheme" in corpora.named(target).write_options:
        options = {"scheme": scheme.read(given.scheme)}
    if given.output == "-":
        for piece in corpora.streamed(documents, target, **options):
            sys.stdout.buffer.write(piece.encode())
    else:
        corpora.write(documents, given.output, target, given.overwrite, **options)


def by_suffix(output: str) -> str:
    """The format that an output file's name tells."""
    found = corpora.BY_SUFFIX.get(Path(output).suffix.lower())
    if found is None or corpora.FORMATS[found].folder:
        raise ConfigurationFault(f"{output}: its name does not tell its format; --to names it")
    return found


def source(given: argparse.Namespace) -> Iterator[Document]:
    names = ("id_column", "text_column", "patient_column")
    options = {name: value for name in names if (value := getattr(given, name))}
    if given.input != "-":
        return corpora.read(given.input, given.source, given.encoding, **options)
    if not given.source:
        raise ConfigurationFault("standard input has no name to tell its format; --from names it")
    return corpora.parse(sys.stdin.buffer.read(), given.source, given.encoding, **options)


def prepared(documents: Iterable[Document], given: argparse.Namespace) -> Iterator[Document]:
    """The documents, their types checked and their overlaps resolved as asked."""
    labels = scheme.read(given.scheme) if given.scheme else None
    for document in documents:
        if labels:
            labels.check([document])
        yield document.with_spans(bio.longest(document.spans)) if given.overlaps == "longest" else document


if __name__ == "__main__":
    command.run(main)
