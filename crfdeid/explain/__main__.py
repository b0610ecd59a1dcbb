"""Explain a model: its strongest weights, and why a token of a note got its label.

    python -m crfdeid.explain models/mine --label B-PATIENT             the weights
    python -m crfdeid.explain models/mine --note note.txt               the note's tokens
    python -m crfdeid.explain models/mine --note note.txt --at 41       why this token
    python -m crfdeid.explain models/mine --note note.txt --at 41 --html why.html
    python -m crfdeid.explain models/rescored --note note.txt           what each member said

Models of crf, svm, snow and multi have such weights.

Features contain words of the training documents, and with --note the output contains the note's
text: keep it only where you may keep those. docs/explain.md explains each number.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from crfdeid import cli
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean, looks_like_id
from crfdeid.explain import attribution, model_weights, page
from crfdeid.explain import text as explanation_text
from crfdeid.explain.attribution import DocumentTrace, Explanation
from crfdeid.explain.model_weights import ModelWeights
from crfdeid.systems import model_folder
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.explain", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("model", help="a model folder, or the name of a model that ships")
    add("--label", action="append", default=[], help="such as B-PATIENT (default: all)")
    add("--top", type=positive_number, default=20, help="rows of a list (default: 20)")
    add("--note", type=Path, help="a note, or a corpus")
    add("--format", help="of the note (default: detected)")
    add("--document", metavar="ID", help="which document of a corpus")
    add("--at", type=int, action="append", default=[], metavar="OFFSET",
        help="explain the token that covers this offset")  # fmt: skip
    add("--token", type=int, action="append", default=[], metavar="N",
        help="explain the token with this number, from 0")  # fmt: skip
    add("--runners", type=positive_number, default=2, help="labels beside the winner (default: 2)")
    add("--html", type=Path, metavar="FILE", help="also write an HTML page")
    cli.add_reading_options(parser)
    return parser


def positive_number(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if (args.at or args.token or args.document) and not args.note:
        raise ConfigurationError("--at, --token and --document need --note")
    folder = model_folder.find_folder(args.model)
    if model_folder.read_folder(folder).config.system == "rescored":
        print("\n".join(explain_candidates(folder, args)))
        return
    weights = model_weights.load(folder)
    for label in args.label:
        weights.label_number(label)
    trace = attribution.trace_document(weights, find_document(args)) if args.note else None
    explanations = explain_tokens(trace, args) if trace else []
    if args.html:
        page.write(args.html, weights, args.label, args.top, trace, explanations, args.runners)
    print(render_text(weights, args, trace, explanations))


def explain_candidates(folder: Path, args: argparse.Namespace) -> list[str]:
    """What a rescored model and its members say of a note."""
    from crfdeid.explain import judgement
    from crfdeid.systems import model
    from crfdeid.systems.rescored.rescored import RescoredTagger

    if not args.note or args.at or args.token or args.label or args.html:
        wanted = "wanted --note, without --at, --token, --label and --html"
        raise ConfigurationError(f"{folder}: a rescored model explains the spans of a note; {wanted}")
    tagger = model.load(folder)
    assert isinstance(tagger, RescoredTagger)
    return judgement.list_candidates(tagger, find_document(args))


def find_document(args: argparse.Namespace) -> Document:
    """The note, or the document of a corpus that ``--document`` names."""
    documents = {document.id: document for document in cli.read_documents(args.note, args.format, args)}
    if args.document is None and len(documents) == 1:
        return next(iter(documents.values()))
    if args.document is None:
        raise DocumentError(f"{args.note}: {len(documents)} documents; choose one with --document ID")
    if args.document not in documents:
        meant = did_you_mean(args.document, filter(looks_like_id, documents))
        raise DocumentError(f"{args.note}: no document {args.document}{meant}")
    return documents[args.document]


def explain_tokens(trace: DocumentTrace, args: argparse.Namespace) -> list[Explanation]:
    """Explain the tokens of ``--at`` and ``--token``, each once."""
    numbers = [*(trace.number_at(offset) for offset in args.at), *args.token]
    return [trace.explain(number) for number in dict.fromkeys(numbers)]


def render_text(
    weights: ModelWeights,
    args: argparse.Namespace,
    trace: DocumentTrace | None,
    explanations: list[Explanation],
) -> str:
    """The weights, unless only a note was asked about; then the note's tokens, or their explanations."""
    parts: list[Iterable[str]] = []
    if args.label or not trace:
        parts.append(explanation_text.describe_model(weights, args.label, args.top))
    if trace and not explanations:
        parts.append(explanation_text.list_tokens(trace))
    parts += [explanation_text.explain_token(one, args.runners, args.top) for one in explanations]
    return "\n\n\n".join("\n".join(lines) for lines in parts)


if __name__ == "__main__":
    cli.run(main)
