"""Make a corpus with gold spans of texts whose PHI was taken out, or is marked.

    python -m crfdeid.reidentify notes.jsonl --convention mtsamples --out corpus/ --part train
    python -m crfdeid.reidentify notes.jsonl --convention mtsamples --kind ambiguous --out ambiguous/
    python -m crfdeid.reidentify gold/ --kind out-of-dictionary --out corpus.jsonl --format jsonl

Beside the corpus lies OUT.tokens.csv: which tokens are ambiguous, which are in no list
(offsets, no text). docs/reidentify.md says how they are made and what they are good for.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.corpora import storage
from crfdeid.corpora.token_marks import render_token_marks
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import open_whole
from crfdeid.synthetic.drawing import PARTS
from crfdeid.synthetic.reidentify import convention, source_text, token_marks
from crfdeid.synthetic.reidentify.corpus import KINDS, make_corpus
from crfdeid.synthetic.reidentify.fill import SLOTS
from crfdeid.text.document import Document


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.reidentify", description=__doc__.split("\n")[0])
    parse.add_argument("host", type=Path, help="texts with placeholders, or a corpus with gold spans")
    parse.add_argument("--out", type=Path, required=True, help="folder, or file for jsonl and csv")
    parse.add_argument("--format", default="i2b2", help="of the corpus to write (default: i2b2)")
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the host (default: detected)")
    parse.add_argument("--convention", help="how PHI is hidden; a file or a name (default: gold spans)")
    parse.add_argument("--kind", choices=tuple(KINDS), default="reidentified", help="of names")
    parse.add_argument("--part", choices=PARTS, default="all", help="train and test share no text, no name")
    parse.add_argument("--documents", type=int, metavar="N", help="no more than N of the part")
    parse.add_argument("--seed", type=int, default=1, help="the same seed gives the same bytes (default: 1)")
    parse.add_argument(
        "--doubt", choices=source_text.DOUBT_CHOICES, default="leave",
        help="what may be PHI and no rule settles: leave out its document, cut its line, or keep it",
    )  # fmt: skip
    parse.add_argument("--plain", action="store_true", help="add no head, foot and mentions; keep the lines")
    parse.add_argument("--types", nargs="+", metavar="TYPE", help="label these types alone")
    parse.add_argument("--tokens", type=Path, metavar="FILE", help="default: OUT.tokens.csv")
    parse.add_argument("--overwrite", action="store_true", help="replace what is there")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    if given.documents is not None and given.documents < 1:
        raise ConfigurationError(f"--documents {given.documents}: wanted 1 or more")
    for type in given.types or ():
        if type not in SLOTS:
            raise ConfigurationError(f"--types {type}: no such type{did_you_mean(type, SLOTS)}")
    if given.host.resolve() in (given.out.resolve(), (given.tokens or given.out).resolve()):
        raise ConfigurationError(f"{given.host}: the host itself; --out and --tokens name other places")
    tokens = given.tokens or Path(f"{given.out}.tokens.csv")
    storage.refuse_existing(tokens, given.overwrite)
    read, known = settled(given)
    made = list(make_corpus(given.kind, known, given.seed, given.part, given.plain, given.documents))
    found = token_marks.mark_tokens(made)
    documents = [labelled(one.document, given.types) for one in made]
    corpora.write(documents, given.out, given.format, given.overwrite)
    with open_whole(tokens) as file:
        file.writelines(render_token_marks(found))
    print(f"{len(documents)} documents, {sum(len(one.spans) for one in documents)} spans, in {given.out}")
    if read > len(known):
        print(f"{read - len(known)} of {read} documents were left out: unsettled, set aside or blank")
    print(token_marks.format_table(found, documents))


def settled(args: argparse.Namespace) -> tuple[int, list[source_text.SourceText]]:
    """How many documents there are, and the hosts among them."""
    rules = convention.read_convention(args.convention) if args.convention else None
    documents = list(cli.documents(args.host, args.source, args))
    if rules is None and not any(document.spans for document in documents):
        raise ConfigurationError(f"{args.host}: no gold spans; --convention says how PHI is hidden")
    return len(documents), source_text.read_sources(cli.progress(documents, "read"), rules, args.doubt)


def labelled(document: Document, types: list[str] | None) -> Document:
    return document.with_spans(s for s in document.spans if s.type in types) if types else document
