"""Make a corpus with gold spans from texts whose PHI was taken out, or is marked.

    crfdeid reidentify notes.jsonl --convention mtsamples --out corpus/ --part train
    crfdeid reidentify notes.jsonl --convention mtsamples --kind ambiguous --out ambiguous/
    crfdeid reidentify gold/ --kind out-of-dictionary --out corpus.jsonl --format jsonl

OUT.tokens.csv, beside the corpus, holds the tokens that are ambiguous or in no list (offsets, no text).
docs/reidentify.md explains how the corpora are made and what they measure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crfdeid import cli
from crfdeid.corpora import storage
from crfdeid.corpora.output import choose_output
from crfdeid.corpora.token_marks import render_token_marks
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import open_whole
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.reidentify import convention, corpus
from crfdeid.synthetic.reidentify.corpus import KINDS, make_corpus
from crfdeid.synthetic.reidentify.fill import SLOTS
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid reidentify", description=__doc__.split("\n")[0])
    parser.add_argument("texts", type=Path, help="texts with placeholders, or a corpus with gold spans")
    parser.add_argument("--out", type=Path, required=True, help="a folder, or a file such as notes.jsonl")
    parser.add_argument("--format", help="format of the corpus to write (default: i2b2)")
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", help="format of the texts (default: detected)"
    )
    parser.add_argument(
        "--convention", help="file or name that describes how PHI is hidden (default: gold spans)"
    )
    parser.add_argument(
        "--kind",
        choices=tuple(KINDS),
        default="reidentified",
        help="of the names: re-identified, ambiguous words, words in no list, shuffled syllables, or those "
        "without one name for one person",
    )
    parser.add_argument(
        "--part", choices=PARTS, default="all", help="train and test share no text and no name"
    )
    parser.add_argument("--documents", type=int, metavar="N", help="at most N documents of the part")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same bytes (default: 1)")
    parser.add_argument(
        "--doubt", choices=convention.DOUBT_CHOICES, default="leave",
        help="for text that may be PHI and no rule settles: leave out its document, cut its line, keep it",
    )  # fmt: skip
    parser.add_argument(
        "--plain", action="store_true", help="do not add a head, foot and mentions, and keep the lines"
    )
    parser.add_argument("--types", nargs="+", metavar="TYPE", help="label only these types")
    parser.add_argument(
        "--tokens", type=Path, metavar="FILE", help="file for the marked tokens (default: OUT.tokens.csv)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace existing files")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    output = choose_output(args.out, args.format, "i2b2")
    if args.documents is not None and args.documents < 1:
        raise ConfigurationError(f"--documents {args.documents}: wanted 1 or more")
    for type in args.types or ():
        if type not in SLOTS:
            raise ConfigurationError(f"--types {type}: no such type{did_you_mean(type, SLOTS)}")
    if args.texts.resolve() in (args.out.resolve(), (args.tokens or args.out).resolve()):
        raise ConfigurationError(f"{args.texts}: the input itself; --out and --tokens must name other places")
    tokens = args.tokens or Path(f"{args.out}.tokens.csv")
    storage.refuse_existing(tokens, args.overwrite)
    count, sources = read_settled(args)
    made = list(make_corpus(args.kind, sources, args.seed, args.part, args.plain, args.documents))
    found = corpus.mark_tokens(made)
    documents = [keep_types(one.document, args.types) for one in made]
    output.write(documents, args.overwrite)
    print(output, file=sys.stderr)
    with open_whole(tokens) as file:
        file.writelines(render_token_marks(found))
    print(f"{len(documents)} documents, {sum(len(one.spans) for one in documents)} spans, in {args.out}")
    if count > len(sources):
        print(f"{count - len(sources)} of {count} documents were left out: unsettled, set aside or blank")
    print(corpus.format_table(found, documents))


def read_settled(args: argparse.Namespace) -> tuple[int, list[convention.SourceText]]:
    """Read the documents. Return their number, and those that the convention settles."""
    rules = convention.read_convention(args.convention) if args.convention else None
    documents = list(cli.read_documents(args.texts, args.source, args))
    if rules is None and not any(document.spans for document in documents):
        raise ConfigurationError(f"{args.texts}: no gold spans; --convention must say how PHI is hidden")
    return len(documents), convention.read_sources(cli.show_progress(documents, "read"), rules, args.doubt)


def keep_types(document: Document, types: list[str] | None) -> Document:
    """Drop the spans of other types than ``types``, if any are named."""
    return document.with_spans(s for s in document.spans if s.type in types) if types else document


if __name__ == "__main__":
    cli.run(main)
