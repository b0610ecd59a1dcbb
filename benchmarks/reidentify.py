"""Measure what re-identified real reports add to synthetic notes, on held-out re-identified, ambiguous and
out-of-dictionary reports (Sibanda & Uzuner 2006, section 6).

    python benchmarks/reidentify.py [--synthetic N] [--train N] [--test N] [--iterations N]

It trains the English configuration three times: on synthetic notes; on the same notes and as many
further synthetic ones; on the same notes and as many re-identified MTSamples reports. No training
uses the test reports or the names in them. Scores are for whole documents, for the reports' own
text only (heads, feet and mentions come from this project), and for ambiguous and unseen tokens
only; p compares the third model with the second.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from devset_reports import DATA

from crfdeid import cli, config, corpora, synthetic
from crfdeid.evaluate import leakage, paper_counts, scores
from crfdeid.evaluate.matching import Criterion
from crfdeid.evaluate.significance import METRICS, bootstrap, compute_metrics, randomisation_test
from crfdeid.synthetic.reidentify import convention, corpus
from crfdeid.synthetic.reidentify.corpus import KINDS, ReidentifiedDocument
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

SEED = 1
TITLES = ("synthetic", "+ synthetic", "+ re-identified")
RESAMPLES = 2000


def make_documents(
    kind: str, known: Sequence[convention.SourceText], part: str, count: int
) -> list[ReidentifiedDocument]:
    return list(corpus.make_corpus(kind, known, SEED, part, count=count))


def train_tagger(documents: Sequence[Document], iterations: int, folder: Path) -> Tagger:
    """Train the English configuration with fewer iterations."""
    settings = config.read("english")
    table = settings.to_table()
    table["crf"] = table["crf"] | {"max_iterations": iterations}
    return model.train(documents, config.build(table, "benchmark"), folder)


def keep_own_text(documents: Sequence[Document], test: Sequence[ReidentifiedDocument]) -> list[Document]:
    """Keep only the spans that begin in the reports' own text."""
    kept = []
    for document, one in zip(documents, test):
        inside = np.zeros(len(document.text), dtype=bool)
        for start, end in one.source_ranges:
            inside[start:end] = True
        kept.append(document.with_spans(span for span in document.spans if inside[span.start]))
    return kept


def count_matches(
    gold: Sequence[Document], system: Sequence[Document], scheme: Scheme
) -> dict[str, np.ndarray]:
    """Return arrays [document, 3] of tp, fp, fn: for strict spans, and for characters of any type."""
    found = scores.score(gold, system, scheme)
    shown = leakage.measure_leakage(list(zip(gold, system)))
    spans = found.count_by_document(Criterion("strict"))
    return {"spans, strict": spans, "characters": shown.count_characters()}


def compare_models(name: str, counts: Sequence[np.ndarray]) -> Iterator[str]:
    """Yield a line for each metric: the figure of each model with its 95% interval, and p of the difference
    between the last two."""
    intervals = [bootstrap(array, resamples=RESAMPLES) for array in counts]
    before, after = counts[-2:]
    tested = randomisation_test(before, after, resamples=RESAMPLES)
    for metric, values in zip(METRICS, zip(*(compute_metrics(array.sum(axis=0)) for array in counts))):
        ends = [interval[metric] for interval in intervals]
        cells = (f"{value:.3f} ({low:.3f}-{high:.3f})" for value, (low, high) in zip(values, ends))
        yield f"  {name:<29}{metric:<11}{'  '.join(cells)}  {tested[metric].p:.4f}"


def format_table(kind: str, test: Sequence[ReidentifiedDocument], taggers: Sequence[Tagger]) -> str:
    gold = [one.document for one in test]
    known = corpus.mark_tokens(test)
    systems = [[tagger.tag(Document(d.id, d.text)) for d in gold] for tagger in taggers]
    whole = [count_matches(gold, system, taggers[0].scheme) for system in systems]
    own = [
        count_matches(keep_own_text(gold, test), keep_own_text(system, test), taggers[0].scheme)
        for system in systems
    ]
    lines = [f"\n{kind}: {len(gold)} reports, {sum(len(d.spans) for d in gold)} spans"]
    for title, each in (("", whole), ("own text, ", own)):
        for criterion in each[0]:
            lines += compare_models(title + criterion, [counts[criterion] for counts in each])
    for tokens in paper_counts.KINDS:
        chosen = paper_counts.select_marks(known, tokens)
        counts = [paper_counts.count_tokens(gold, system, chosen)[:, 0] for system in systems]
        if size := sum(bool(mark.type) for mark in chosen):
            rows = list(compare_models(f"{size} {tokens} tokens of PHI", counts))
            lines += rows if tokens == "ambiguous" else rows[1:2]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--synthetic", type=int, default=200, help="synthetic notes (default: 200)")
    parser.add_argument("--train", type=int, default=200, help="further documents (default: 200)")
    parser.add_argument("--test", type=int, default=120, help="reports of each kind (default: 120)")
    parser.add_argument("--iterations", type=int, default=60)
    args = parser.parse_args(arguments)
    known = convention.read_sources(corpora.read(args.data), convention.read_convention("mtsamples"))
    notes = list(synthetic.generate(args.synthetic + args.train, SEED, "train"))
    first, more = notes[: args.synthetic], notes[args.synthetic :]
    real = [one.document for one in make_documents("reidentified", known, "train", args.train)]
    taggers: list[Tagger] = []
    with tempfile.TemporaryDirectory() as name:
        for title, documents in zip(TITLES, (first, [*first, *more], [*first, *real])):
            began = time.perf_counter()
            taggers.append(train_tagger(documents, args.iterations, Path(name) / str(len(taggers))))
            seconds = time.perf_counter() - began
            spans = sum(len(document.spans) for document in documents)
            print(f"{title}: {len(documents)} documents, {spans} spans, trained in {seconds:.0f} s")
        print("\n" + " " * 42 + "".join(f"{title:<21}" for title in TITLES) + "p")
        for kind in cli.show_progress(KINDS, "score"):
            print(format_table(kind, make_documents(kind, known, "test", args.test), taggers))


if __name__ == "__main__":
    cli.run(main)
