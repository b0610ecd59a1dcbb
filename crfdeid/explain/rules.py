"""Show which rule found which span in notes, or list the rules.

    crfdeid rules                                  every rule, its type, source and description
    crfdeid rules note.txt                         one row for each span, with its rule
    crfdeid rules notes/ --model models/rules      with the lists and rules of a model

The rows are CSV, on standard output; rows of notes contain the text of their spans.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator

from crfdeid import cli
from crfdeid.errors import ConfigurationError
from crfdeid.rules import RULES
from crfdeid.rules.tagger import RuleSet
from crfdeid.systems import model
from crfdeid.systems.tagger import group_by_patient
from crfdeid.text.document import Document

Row = tuple[object, ...]
RULE_COLUMNS = ("rule", "type", "source", "finds")
SPAN_COLUMNS = ("id", "start", "end", "type", "rule", "source", "text")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid rules", description=__doc__.split("\n")[0])
    parser.add_argument("notes", nargs="?", help="a note, a folder of notes, or a corpus")
    parser.add_argument(
        "--model", default="rules", help="rules, heuristic, or a model folder (default: rules)"
    )
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    tagger = model.load(args.model)
    if tagger.rules is None:
        system = tagger.config.system
        raise ConfigurationError(f"{args.model}: a model of the system {system}, which has no rules")
    write = csv.writer(sys.stdout, lineterminator="\n")
    if args.notes is None:
        write.writerow(RULE_COLUMNS)
        write.writerows(rule_rows(tagger.rules))
        return
    write.writerow(SPAN_COLUMNS)
    write.writerows(span_rows(tagger.rules, cli.read_documents(args.notes, args.source, args)))


def rule_rows(rules: RuleSet) -> Iterator[Row]:
    """The rules; where spans overlap, the earlier rule wins."""
    for name in RULES:
        if rule := rules.rules.get(name):
            yield name, rule.type, rule.source, rule.about


def span_rows(rules: RuleSet, documents: Iterable[Document]) -> Iterator[Row]:
    """The spans that ``crfdeid.tag`` finds: consecutive notes of one patient are tagged together."""
    for notes in group_by_patient(documents):
        for note, findings in zip(notes, rules.find_spans(notes)):
            for span, rule in findings:
                yield note.id, span.start, span.end, span.type, rule.name, rule.source, note.text_of(span)


if __name__ == "__main__":
    cli.run(main)
