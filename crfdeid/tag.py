"""Find the PHI in notes.

    python -m crfdeid.tag note.txt                              the note's spans
    python -m crfdeid.tag notes/ --out tagged/ --format i2b2    one output a note
    cat note.txt | python -m crfdeid.tag - --format inline      PHI shown in place

Spans go to standard output, or with --out to a folder, one file a note with the
note's stem.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import decode_text
from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document

FORMATS = ("brat", "i2b2", "jsonl", "csv", "inline")


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.tag", description=__doc__.split("\n")[0])
    parse.add_argument("notes", help="a note, a folder of notes, a corpus, or - for standard input")
    parse.add_argument("--out", type=Path, help="folder for the tagged notes (default: standard output)")
    parse.add_argument("--format", choices=FORMATS, help="what to write (default: csv; with --out: i2b2)")
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    parse.add_argument("--model", help="a model folder (default: the one that ships)")
    parse.add_argument("--probabilities", action="store_true", help="give each span its probability")
    parse.add_argument("--overwrite", action="store_true", help="write into a folder that holds files")
    parse.add_argument("--engine", choices=("fast", "crfsuite"), default="fast", help="same labels")
    parse.add_argument("--jobs", type=int, default=1, metavar="N", help="tag in N processes (default: 1)")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    tagger = model.load(given.model, given.engine)
    documents = tagged(tagger, notes(given), given)
    if given.out:
        shown = cli.progress(documents, "tag")
        corpora.write_each(shown, given.out, given.format or "i2b2", overwrite=given.overwrite)
        return
    show(documents, given.format or "csv")


def tagged(tagger: Tagger, documents: Iterator[Document], args: argparse.Namespace) -> Iterator[Document]:
    if args.jobs < 1:
        raise ConfigurationError(f"--jobs {args.jobs}: wanted 1 or more")
    if args.jobs > 1 and not args.probabilities:
        return parallel.tag_in_processes(tagger, args.model, args.engine, documents, args.jobs)
    return tagger.tag_all(documents, args.probabilities)


def show(documents: Iterable[Document], format: str) -> None:
    """Write to standard output, one document after the other; the spans of all as one table."""
    colour = sys.stdout.isatty()
    if format == "csv":
        sys.stdout.writelines(corpora.render_corpus(documents, "csv"))
        return
    for document in documents:
        sys.stdout.write(corpora.show_document(document, format, colour))


def notes(args: argparse.Namespace) -> Iterator[Document]:
    if args.notes != "-":
        return cli.documents(args.notes, args.source, args)
    text = decode_text(sys.stdin.buffer.read(), "standard input", args.encoding)
    if args.source not in (None, "text"):
        raise FormatError("standard input is read as one plain note; --from is for files")
    return iter([Document("-", text)])


if __name__ == "__main__":
    cli.run(main)
