"""Explain a model: its strongest weights, and why a token of a note got its label.

    crfdeid explain models/mine --label B-PATIENT             the weights
    crfdeid explain models/mine --note note.txt               the note's tokens
    crfdeid explain models/mine --note note.txt --at 41       why this token
    crfdeid explain models/mine --note note.txt --at 41 --html why.html
    crfdeid explain models/rescored --note note.txt           what each member said

Models of crf, two_stage, svm, snow and multi have such weights. Of an hmm the probabilities of a note's
words and classes are shown, and of networks (rnn, transformer) how the probability of a label changes where
a token is hidden: both need --note.

Features contain words of the training documents, and with --note the output contains the note's
text: keep it only where you may keep those. docs/explain.md explains each number.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from crfdeid import cli
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean, looks_like_id
from crfdeid.explain import attribution, model_weights, page
from crfdeid.explain import text as explanation_text
from crfdeid.explain.attribution import DocumentTrace, Explanation
from crfdeid.explain.model_weights import ModelWeights
from crfdeid.systems import model, model_folder, registry
from crfdeid.systems.tagger import group_by_patient
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid explain", description=__doc__.split("\n")[0])
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
    system = model_folder.read_folder(folder).config.system
    explained = registry.find_system(system).explained_by
    if explain_note := NOTES_ONLY.get(explained):
        check_note_only(folder, system, args)
        print("\n".join(explain_note(folder, args)))
        return
    weights = model_weights.load(folder)
    for label in args.label:
        weights.label_number(label)
    trace = attribution.trace_document(weights, *find_notes(args)) if args.note else None
    explanations = explain_tokens(trace, args) if trace else []
    if args.html:
        page.write(args.html, weights, args.label, args.top, trace, explanations, args.runners)
    print(render_text(weights, args, trace, explanations))
    if explained == registry.TREES and args.note:
        print("\n".join(["", "The possible spans as the trees judge them:", *explain_judged(folder, args)]))


def explain_judged(folder: Path, args: argparse.Namespace) -> list[str]:
    """Show how the trees of a judged model score the possible spans of a note."""
    from crfdeid.explain import without_weights
    from crfdeid.systems.judged.judged import JudgedTagger

    tagger = model.load(folder)
    assert isinstance(tagger, JudgedTagger)
    return without_weights.list_judged(tagger, find_notes(args)[0])


def check_note_only(folder: Path, system: str, args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where the options ask for what a system without weights does not
    have."""
    has_tokens = registry.find_system(system).explained_by != registry.CANDIDATES
    refused = ["label", "html", *([] if has_tokens else ["at", "token"])]
    if not args.note or any(getattr(args, name) for name in refused):
        names = [f"--{name}" for name in refused]
        wanted = f"wanted --note, without {', '.join(names[:-1])} and {names[-1]}"
        raise ConfigurationError(f"{folder}: a model of the system {system} is explained by a note; {wanted}")


def explain_candidates(folder: Path, args: argparse.Namespace) -> list[str]:
    """Show how a rescored model and its members score a note."""
    from crfdeid.explain import without_weights
    from crfdeid.systems.judged.rescored import RescoredTagger

    tagger = model.load(folder)
    assert isinstance(tagger, RescoredTagger)
    return without_weights.list_candidates(tagger, find_notes(args)[0])


def explain_hmm(folder: Path, args: argparse.Namespace) -> list[str]:
    """Show how words and the classes before them score a note's tokens."""
    from crfdeid.explain.without_weights import HmmTrace
    from crfdeid.systems.works.hmm import HmmTagger

    tagger = model.load(folder)
    assert isinstance(tagger, HmmTagger)
    trace = HmmTrace(tagger, find_notes(args)[0])
    parts = [trace.explain(number, args.runners) for number in list_numbers(trace.number_at, args)]
    return join_parts(parts or [trace.list_tokens()])


def explain_network(folder: Path, args: argparse.Namespace) -> list[str]:
    """Show which words a network's probabilities of a note's tokens depend on."""
    from crfdeid.explain.without_weights import NetworkTrace

    trace = NetworkTrace(model.load(folder), find_notes(args)[0])
    numbers = list_numbers(trace.number_at, args)
    parts = [trace.explain(number, args.runners, args.top) for number in numbers]
    return join_parts(parts or [trace.list_tokens()])


NOTES_ONLY = {  # what explains systems without weights
    registry.CANDIDATES: explain_candidates,
    registry.WORDS: explain_hmm,
    registry.NETWORK: explain_network,
}


def find_notes(args: argparse.Namespace) -> tuple[Document, list[Document]]:
    """The note, or the document of a corpus that ``--document`` names; and the consecutive notes of its
    patient, which some systems see together."""
    documents = list(cli.read_documents(args.note, args.format, args))
    chosen = find_document(documents, args)
    return chosen, next(notes for notes in group_by_patient(documents) if chosen in notes)


def find_document(documents: Sequence[Document], args: argparse.Namespace) -> Document:
    """The only document, or the one that ``--document`` names."""
    found = {document.id: document for document in documents}
    if args.document is None and len(documents) == 1:
        return documents[0]
    if args.document is None:
        raise DocumentError(f"{args.note}: {len(documents)} documents; choose one with --document ID")
    if args.document not in found:
        meant = did_you_mean(args.document, filter(looks_like_id, found))
        raise DocumentError(f"{args.note}: no document {args.document}{meant}")
    return found[args.document]


def list_numbers(number_at: Callable[[int], int], args: argparse.Namespace) -> list[int]:
    """The numbers of the tokens of ``--at`` and ``--token``, each once."""
    return list(dict.fromkeys([*map(number_at, args.at), *args.token]))


def explain_tokens(trace: DocumentTrace, args: argparse.Namespace) -> list[Explanation]:
    """Explain the tokens of ``--at`` and ``--token``, each once."""
    return [trace.explain(number) for number in list_numbers(trace.number_at, args)]


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
    return "\n".join(join_parts(parts))


def join_parts(parts: Iterable[Iterable[str]]) -> list[str]:
    """The lines of all parts, with two empty lines between parts."""
    lines = [line for part in parts for line in ("", "", *part)]
    return lines[2:]


if __name__ == "__main__":
    cli.run(main)
