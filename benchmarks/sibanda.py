"""Tables 2, 3, 7-9 and 11-13 of Sibanda & Uzuner 2006 on corpora made of MTSamples.

    python benchmarks/sibanda.py --out runs/sibanda [--documents 120] [--folds 3] [--iterations 40]

Makes the three corpora, cross-validates the runs of ``configs/sibanda_*.toml`` on each, and
prints words of PHI and Non-PHI beside the paper's. Tables 4 and 5 are of authentic summaries: run
``crfdeid.ablate sibanda_reidentified`` on yours. What is finished in OUT is not trained again.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from devset_reports import DATA

from crfdeid import ablate, command, corpora, hosts, published, subsets
from crfdeid.ablation import jobs, plan, training
from crfdeid.ablation.folds import Part
from crfdeid.ablation.jobs import Row
from crfdeid.document import Document
from crfdeid.experiment import Experiment
from crfdeid.hosts import convention, corpus, marks
from crfdeid.hosts.renaming import NAMES, PLACES
from crfdeid.scores import Counts
from crfdeid.subsets import Mark

SEED = 1
WORD = re.compile(r"\w+")
# Configuration, corpus, and its tables: of all PHI, of names alone, and of some tokens alone.
TABLES = (
    ("sibanda_reidentified", "reidentified", 2, 3, None),
    ("sibanda_ambiguous", "ambiguous", 7, 8, (9, "ambiguous")),
    ("sibanda_dictionary", "out-of-dictionary", 11, 12, (13, "unseen")),
)


def words(documents: Sequence[Document]) -> list[Mark]:
    """Every word, as a token to be scored."""
    return [
        Mark(document.id, *match.span(), "", False, False, "")
        for document in documents
        for match in WORD.finditer(document.text)
    ]


def rows(name: str, documents: Sequence[Document], given: argparse.Namespace, out: Path) -> list[Row]:
    """The configuration's rows on the documents, trained."""

    def change(settings: Experiment) -> Experiment:
        return replace(settings, crf=settings.crf | {"max_iterations": given.iterations})

    planned = replace(plan.read(name, change), folds=given.folds)
    found = jobs.rows(planned, {plan.TRAIN: Part(name, tuple(documents))}, out)
    ablate.train([job for row in found for job in row.jobs], out, given.jobs)
    return found


def sides(row: Row) -> tuple[list[Document], list[Document]]:
    """Gold and system documents of all folds."""
    gold = [document for job in row.jobs for document in job.test.documents]
    return gold, [document for job in row.jobs for document in training.read(job)[0]]


def table(number: int, found: Sequence[Row], marked: Sequence[Mark], corpus_name: str) -> Iterator[str]:
    """The paper's figures, and ours below them."""
    paper = published.read(f"sibanda-uzuner-2006-table-{number}")
    yield f"\n{paper.paper}, {paper.table}: {paper.title}"
    yield f"{'':<34}" + "".join(f"{column:>9}" for column in paper.columns)
    for name in paper.rows:
        yield f"{'paper  ' + name:<34}" + "".join(f"{paper.value(name, c):9.3f}" for c in paper.columns)
    for row in found:
        counts = subsets.count(*sides(row), marked).sum(axis=0)
        for label, total in zip(("PHI", "Non-PHI"), (Counts(*map(int, line)) for line in counts)):
            if total.tp + total.fn:
                figures = (total.precision, total.recall, total.f1)
                shown = figures if paper.columns == ("P", "R", "F1") else figures[1:2]
                yield f"{'ours   ' + row.title + ' ' + label:<34}" + "".join(f"{f:9.3f}" for f in shown)
    yield f"ours: {corpus_name}; {len(marked)} words"


def names_alone(document: Document) -> Document:
    return document.with_spans(span for span in document.spans if span.type in NAMES | PLACES)


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--out", type=Path, required=True, help="folder for the runs")
    parse.add_argument("--data", type=Path, default=DATA)
    parse.add_argument("--documents", type=int, default=120, help="of each corpus (default: 120)")
    parse.add_argument("--folds", type=int, default=3, help="the paper has 10 (default: 3)")
    parse.add_argument("--iterations", type=int, default=40)
    parse.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    given = parse.parse_args(arguments)
    known = hosts.read(corpora.read(given.data), convention.read("mtsamples"))
    for name, kind, all_phi, named, alone in TABLES:
        made = list(corpus.make(kind, known, SEED, count=given.documents))
        gold = [one.document for one in made]
        about = f"{kind} MTSamples, {len(gold)} reports, {given.folds} folds"
        found = rows(name, gold, given, given.out / kind)
        print("\n".join(table(all_phi, found, words(gold), about)))
        if alone:
            chosen = subsets.chosen(marks.marks(made), alone[1])
            print("\n".join(table(alone[0], found, chosen, f"{about}, {alone[1]} tokens alone")))
        people = [names_alone(document) for document in gold]
        found = rows(name, people, given, given.out / f"{kind}-names")
        print("\n".join(table(named, found, words(people), f"{about}, people and places alone")))


if __name__ == "__main__":
    command.run(main)
