"""Say which rule found what in notes, or what the rules are.

    python -m crfdeid.rules                                  every rule, its type, source and description
    python -m crfdeid.rules note.txt                         a row a span, with the rule that found it
    python -m crfdeid.rules notes/ --model models/rules      with a model's own lists and rules

The rows are CSV, on standard output; those of notes hold their text.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator

from crfdeid import cli
from crfdeid.errors import ConfigurationError
from crfdeid.rules import RULES
from crfdeid.rules.tagger import Rules
from crfdeid.systems import model
from crfdeid.systems.stacking import cross_fitting
from crfdeid.text.document import Document

Row = tuple[object, ...]
RULE_COLUMNS = ("rule", "type", "source", "finds")
SPAN_COLUMNS = ("id", "start", "end", "type", "rule", "source", "text")


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.rules", description=__doc__.split("\n")[0])
    parse.add_argument("notes", nargs="?", help="a note, a folder of notes, or a corpus")
    parse.add_argument(
        "--model", default="rules", help="rules, heuristic, or a model folder (default: rules)"
    )
    parse.add_argument("--from", dest="source", metavar="FORMAT", help="of the notes (default: detected)")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    tagger = model.load(given.model)
    if not isinstance(tagger, Rules):
        raise ConfigurationError(f"{given.model}: a model of the system {tagger.pipeline.config.system},"
                                 " which has no rules")  # fmt: skip
    write = csv.writer(sys.stdout, lineterminator="\n")
    if given.notes is None:
        write.writerow(RULE_COLUMNS)
        write.writerows(rules(tagger))
        return
    write.writerow(SPAN_COLUMNS)
    write.writerows(spans(tagger, cli.documents(given.notes, given.source, given)))


def rules(tagger: Rules) -> Iterator[Row]:
    """The tagger's rules in the order in which they win."""
    for name in RULES:
        if rule := tagger.rules.get(name):
            yield name, rule.type, rule.source, rule.about


def spans(tagger: Rules, documents: Iterable[Document]) -> Iterator[Row]:
    """What is found, as ``crfdeid.tag`` finds it: notes of a patient that follow each other together."""
    for notes in cross_fitting.patients(documents):
        for note, findings in zip(notes, tagger.find_spans(notes)):
            for span, rule in findings:
                yield note.id, span.start, span.end, span.type, rule.name, rule.source, note.text_of(span)
