"""Explain a model: its strongest weights, and why a token of a note got its label.

    python -m crfdeid.explain models/mine --label B-PATIENT             the weights
    python -m crfdeid.explain models/mine --note note.txt               the note's tokens
    python -m crfdeid.explain models/mine --note note.txt --at 41       why this token
    python -m crfdeid.explain models/mine --note note.txt --at 41 --html why.html

Features hold words of the documents that the model was trained on, and with --note the output
holds the note's text: keep it where those may be kept. docs/explain.md says what each number means.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from crfdeid import cli
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean
from crfdeid.explain import attribution, model_weights, page
from crfdeid.explain import text as explanation_text
from crfdeid.explain.attribution import DocumentTrace, Explanation
from crfdeid.explain.model_weights import ModelWeights
from crfdeid.systems import model_folder
from crfdeid.text.document import Document


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.explain", description=__doc__.split("\n")[0])
    parse.add_argument("model", help="a model folder, or the name of one that ships")
    parse.add_argument("--label", action="append", default=[], help="such as B-PATIENT (default: all)")
    parse.add_argument("--top", type=natural, default=20, help="rows of a list (default: 20)")
    parse.add_argument("--note", type=Path, help="a note, or a corpus")
    parse.add_argument("--format", help="of the note (default: detected)")
    parse.add_argument("--document", metavar="ID", help="which document of a corpus")
    several = {"type": int, "action": "append", "default": []}
    parse.add_argument("--at", **several, metavar="OFFSET", help="explain the token that covers this offset")
    parse.add_argument("--token", **several, metavar="N", help="explain the token of this number, from 0")
    parse.add_argument("--runners", type=natural, default=2, help="labels beside the winner (default: 2)")
    parse.add_argument("--html", type=Path, metavar="FILE", help="write a page to read")
    cli.add_reading_options(parse)
    return parse


def natural(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    if (given.at or given.token or given.document) and not given.note:
        raise ConfigurationError("--at, --token and --document need --note")
    parts = model_weights.load(model_folder.named(given.model))
    for label in given.label:
        parts.label(label)
    reading = attribution.read(parts, document(given)) if given.note else None
    asked = explained(reading, given) if reading else []
    if given.html:
        page.write(given.html, parts, given.label, given.top, reading, asked, given.runners)
    print(text(parts, given, reading, asked))


def document(args: argparse.Namespace) -> Document:
    """The note; of a corpus, the document that was asked for."""
    found = {document.id: document for document in cli.documents(args.note, args.format, args)}
    if args.document is None and len(found) == 1:
        return next(iter(found.values()))
    if args.document is None:
        raise DocumentError(f"{args.note}: {len(found)} documents; --document ID says which")
    if args.document not in found:
        raise DocumentError(f"{args.note}: no document {args.document}{did_you_mean(args.document, found)}")
    return found[args.document]


def explained(reading: DocumentTrace, args: argparse.Namespace) -> list[Explanation]:
    numbers = [*(reading.number_at(offset) for offset in args.at), *args.token]
    return [reading.explain(number) for number in dict.fromkeys(numbers)]


def text(
    parts: ModelWeights, args: argparse.Namespace, reading: DocumentTrace | None, asked: list[Explanation]
) -> str:
    """The weights, unless a note alone was asked about; then the note's tokens, or those asked for."""
    told: list[Iterable[str]] = []
    if args.label or not reading:
        told.append(explanation_text.model(parts, args.label, args.top))
    if reading and not asked:
        told.append(explanation_text.tokens(reading))
    told += [explanation_text.token(one, args.runners, args.top) for one in asked]
    return "\n\n\n".join("\n".join(lines) for lines in told)


if __name__ == "__main__":
    cli.run(main)
