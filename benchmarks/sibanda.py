"""Tables 2, 3, 7-9 and 11-13 of Sibanda & Uzuner 2006 on corpora made of invented notes, or of MTSamples.

    python benchmarks/sibanda.py --out runs/sibanda [--kinds ambiguous] [--documents N] [--folds N]
    python benchmarks/sibanda.py --out runs/sibanda --data mtsamples.jsonl

Without --data the texts are notes of crfdeid.synthetic, whose gold spans get other names. It makes the three
corpora, cross-validates the runs of ``configs/sibanda_*.toml`` on each, and prints the figures for words of
PHI and Non-PHI beside the paper's. Tables 4 and 5 need authentic summaries: run ``crfdeid ablate
sibanda_reidentified`` on yours. Finished runs in OUT are not trained again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crfdeid import cli, corpora, files, synthetic
from crfdeid.ablate import __main__ as ablate
from crfdeid.corpora.token_marks import TokenMark
from crfdeid.evaluate import paper_counts, published_tables
from crfdeid.evaluate.scores import Counts
from crfdeid.synthetic.reidentify import convention, corpus
from crfdeid.synthetic.reidentify.renaming import NAMES, PLACES
from crfdeid.text.document import Document, Span

SEED = 1
ONE_CLASS = {"PHI"}  # the type of runs that tell PHI from the rest
OF_NAMES = "-of-names"  # runs on the names of the whole corpus: the ablation prints them
WORD = re.compile(r"\w+")
# Configuration, corpus, and its tables: of all PHI, of names only, and of some tokens only.
TABLES = (
    ("sibanda_reidentified", "reidentified", 2, 3, None),
    ("sibanda_ambiguous", "ambiguous", 7, 8, (9, "ambiguous")),
    ("sibanda_dictionary", "out-of-dictionary", 11, 12, (13, "unseen")),
)


def mark_words(documents: Sequence[Document]) -> list[TokenMark]:
    """Mark every word as a token to be scored."""
    return [
        TokenMark(document.id, *match.span(), "", False, False, "")
        for document in documents
        for match in WORD.finditer(document.text)
    ]


def run_configuration(name: str, documents: Sequence[Document], args: argparse.Namespace, out: Path) -> None:
    """Cross-validate the configuration's runs on the documents with ``args.folds`` folds."""
    config, path = out / f"{name}.toml", out / "corpus.jsonl"
    text = files.read_text(files.find_file("configs", name, ".toml"))
    with files.open_whole(config) as file:
        text = re.sub(r"(?m)^folds = \d+$", f"folds = {args.folds}", text)
        file.write(text.replace("10 folds", f"{args.folds} folds"))
    corpora.write(documents, path, "jsonl", overwrite=True)
    settings = ["--set", f"crf.max_iterations={args.iterations}", "--jobs", str(args.jobs)]
    ablate.main([str(config), str(path), "--out", str(out), "--resamples", "0", *settings])


def read_system_documents(documents: Sequence[Document], out: Path) -> dict[str, list[Document]]:
    """Read the system's documents by run: the spans of each come from the fold that held it out."""
    runs: dict[str, dict[str, list[Span]]] = {}
    for path in sorted(out.rglob("spans.jsonl")):
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        title = re.sub(r"\W+folds$", "", path.parent.parent.name)
        if title.endswith(OF_NAMES):
            continue
        runs.setdefault(title, {}).update({row["id"]: [Span(*s) for s in row["spans"]] for row in lines})
    return {title: [d.with_spans(spans[d.id]) for d in documents] for title, spans in runs.items()}


def format_table(
    number: int, gold: Sequence[Document], runs: Mapping[str, list[Document]], marked: Sequence[TokenMark]
) -> Iterator[str]:
    """Yield the paper's figures, and ours below them."""
    paper = published_tables.read_table(f"sibanda-uzuner-2006-table-{number}")
    yield f"\n{paper.paper}, {paper.table}: {paper.title}"
    yield f"{'':<36}" + "".join(f"{column:>9}" for column in paper.columns)
    for name in paper.rows:
        yield f"{'paper  ' + name:<36}" + "".join(f"{paper.value(name, c):9.3f}" for c in paper.columns)
    for title, system in runs.items():
        counts = paper_counts.count_tokens(gold, system, marked).sum(axis=0)
        for label, total in zip(("PHI", "Non-PHI"), (Counts(*map(int, line)) for line in counts)):
            if total.tp + total.fn:
                figures = (total.precision, total.recall, total.f1)
                shown = figures if paper.columns == ("P", "R", "F1") else figures[1:2]
                yield f"{'ours   ' + title + ' ' + label:<36}" + "".join(f"{f:9.3f}" for f in shown)
    yield f"ours: {len(gold)} documents, {len(marked)} words"


def read_texts(data: Path | None, count: int) -> list[convention.SourceText]:
    """Read the texts with their places: reports of MTSamples, or invented notes."""
    if data:
        return convention.read_sources(corpora.read(data), convention.read_convention("mtsamples"))
    return convention.read_sources(synthetic.generate(count, SEED), None)


def keep_names(document: Document) -> Document:
    return document.with_spans(span for span in document.spans if span.type in NAMES | PLACES | ONE_CLASS)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs")
    parser.add_argument("--data", type=Path, help="MTSamples, one report a line (default: invented notes)")
    parser.add_argument("--kinds", nargs="+", choices=tuple(corpus.KINDS), default=tuple(corpus.KINDS))
    parser.add_argument("--documents", type=int, default=120, help="of each corpus (default: 120)")
    parser.add_argument("--folds", type=int, default=3, help="the paper has 10 (default: 3)")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    args = parser.parse_args(arguments)
    known = read_texts(args.data, args.documents)
    texts: list[str] = []
    for name, kind, all_phi, named, alone in (row for row in TABLES if row[1] in args.kinds):
        made = list(corpus.make_corpus(kind, known, SEED, count=args.documents))
        gold = [one.document for one in made]
        people = [keep_names(document) for document in gold]
        for number, documents, out in ((all_phi, gold, kind), (named, people, f"{kind}-names")):
            run_configuration(name, documents, args, args.out / out)
            runs = read_system_documents(documents, args.out / out)
            if documents is people:  # rules, and repair, need no training, and find dates all the same
                runs = {title: [keep_names(d) for d in system] for title, system in runs.items()}
            texts += format_table(number, documents, runs, mark_words(documents))
        if alone:
            chosen = paper_counts.select_marks(corpus.mark_tokens(made), alone[1])
            texts += format_table(alone[0], gold, read_system_documents(gold, args.out / kind), chosen)
    print("\n".join(texts))


if __name__ == "__main__":
    cli.run(main)
