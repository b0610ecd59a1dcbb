"""Tables 2, 3, 7-9 and 11-13 of Sibanda & Uzuner 2006 on corpora made of MTSamples.

    python benchmarks/sibanda.py --out runs/sibanda [--kinds ambiguous] [--documents N] [--folds N]

Makes the three corpora, cross-validates the runs of ``configs/sibanda_*.toml`` on each, and
prints words of PHI and Non-PHI beside the paper's. Tables 4 and 5 are of authentic summaries: run
``crfdeid.ablate.__main__ sibanda_reidentified`` on yours. What is finished in OUT is not trained again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from devset_reports import DATA

from crfdeid import cli, corpora, files, resources
from crfdeid.ablate import __main__ as ablate
from crfdeid.corpora.token_marks import TokenMark
from crfdeid.evaluate import published_tables, token_subsets
from crfdeid.evaluate.scores import Counts
from crfdeid.synthetic.reidentify import convention, corpus, source_text, token_marks
from crfdeid.synthetic.reidentify.renaming import NAMES, PLACES
from crfdeid.text.document import Document, Span

SEED = 1
WORD = re.compile(r"\w+")
# Configuration, corpus, and its tables: of all PHI, of names alone, and of some tokens alone.
TABLES = (
    ("sibanda_reidentified", "reidentified", 2, 3, None),
    ("sibanda_ambiguous", "ambiguous", 7, 8, (9, "ambiguous")),
    ("sibanda_dictionary", "out-of-dictionary", 11, 12, (13, "unseen")),
)


def words(documents: Sequence[Document]) -> list[TokenMark]:
    """Every word, as a token to be scored."""
    return [
        TokenMark(document.id, *match.span(), "", False, False, "")
        for document in documents
        for match in WORD.finditer(document.text)
    ]


def run(name: str, documents: Sequence[Document], args: argparse.Namespace, out: Path) -> None:
    """Cross-validate the configuration's runs on the documents, with the folds that are wanted."""
    config, path = out / f"{name}.toml", out / "corpus.jsonl"
    text = files.read_text(resources.find_file("configs", name, ".toml"))
    with files.open_whole(config) as file:
        file.write(re.sub(r"(?m)^folds = \d+$", f"folds = {args.folds}", text))
    corpora.write(documents, path, "jsonl", overwrite=True)
    settings = ["--set", f"crf.max_iterations={args.iterations}", "--jobs", str(args.jobs)]
    ablate.main([str(config), str(path), "--out", str(out), "--resamples", "0", *settings])


def found(documents: Sequence[Document], out: Path) -> dict[str, list[Document]]:
    """The system's documents by run: what is found of each in the fold that held it out."""
    runs: dict[str, dict[str, list[Span]]] = {}
    for path in sorted(out.rglob("spans.jsonl")):
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        title = re.sub(r"\W+folds$", "", path.parent.parent.name)
        runs.setdefault(title, {}).update({row["id"]: [Span(*s) for s in row["spans"]] for row in lines})
    return {title: [d.with_spans(spans[d.id]) for d in documents] for title, spans in runs.items()}


def table(
    number: int, gold: Sequence[Document], runs: Mapping[str, list[Document]], marked: Sequence[TokenMark]
) -> Iterator[str]:
    """The paper's figures, and ours below them."""
    paper = published_tables.read_table(f"sibanda-uzuner-2006-table-{number}")
    yield f"\n{paper.paper}, {paper.table}: {paper.title}"
    yield f"{'':<36}" + "".join(f"{column:>9}" for column in paper.columns)
    for name in paper.rows:
        yield f"{'paper  ' + name:<36}" + "".join(f"{paper.value(name, c):9.3f}" for c in paper.columns)
    for title, system in runs.items():
        counts = token_subsets.count_tokens(gold, system, marked).sum(axis=0)
        for label, total in zip(("PHI", "Non-PHI"), (Counts(*map(int, line)) for line in counts)):
            if total.tp + total.fn:
                figures = (total.precision, total.recall, total.f1)
                shown = figures if paper.columns == ("P", "R", "F1") else figures[1:2]
                yield f"{'ours   ' + title + ' ' + label:<36}" + "".join(f"{f:9.3f}" for f in shown)
    yield f"ours: {len(gold)} reports of MTSamples, {len(marked)} words"


def names_alone(document: Document) -> Document:
    return document.with_spans(span for span in document.spans if span.type in NAMES | PLACES)


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--out", type=Path, required=True, help="folder for the runs")
    parse.add_argument("--data", type=Path, default=DATA)
    parse.add_argument("--kinds", nargs="+", choices=tuple(corpus.KINDS), default=tuple(corpus.KINDS))
    parse.add_argument("--documents", type=int, default=120, help="of each corpus (default: 120)")
    parse.add_argument("--folds", type=int, default=3, help="the paper has 10 (default: 3)")
    parse.add_argument("--iterations", type=int, default=40)
    parse.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    given = parse.parse_args(arguments)
    known = source_text.read_sources(corpora.read(given.data), convention.read_convention("mtsamples"))
    texts = []
    for name, kind, all_phi, named, alone in (row for row in TABLES if row[1] in given.kinds):
        made = list(corpus.make_corpus(kind, known, SEED, count=given.documents))
        gold = [one.document for one in made]
        people = [names_alone(document) for document in gold]
        for number, documents, out in ((all_phi, gold, kind), (named, people, f"{kind}-names")):
            run(name, documents, given, given.out / out)
            runs = found(documents, given.out / out)
            if documents is people:  # rules need no training, and find dates all the same
                runs = {title: [names_alone(d) for d in system] for title, system in runs.items()}
            texts += table(number, documents, runs, words(documents))
        if alone:
            chosen = token_subsets.select_marks(token_marks.mark_tokens(made), alone[1])
            texts += table(alone[0], gold, found(gold, given.out / kind), chosen)
    print("\n".join(texts))


if __name__ == "__main__":
    cli.run(main)
