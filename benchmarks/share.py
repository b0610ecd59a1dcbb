"""What --k takes out of a model, and what it costs.

    python benchmarks/share.py [--seeds 1] [--notes 200] [--iterations 40] [--k 0 1 2 3 5 10]

Trains the configuration ``english`` on synthetic notes for each seed and each k (0 is training without --k)
and prints, summed over the seeds, how many words of PHI of 1, 2 to 4, 5 to 9, and 10 patients or more can be
read in the model, how many other words of one patient, and how many long numbers; then strict F1 and the
share of spans that are wholly covered, on 100 notes of the test part.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import devset_measure as measure
import numpy as np

from crfdeid import cli, config
from crfdeid.share import attack, strings
from crfdeid.synthetic import generate
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

EDGES = (1, 2, 5, 10)  # patients
TESTED = 100  # notes
HEAD = "  k  " + "".join(f"{title:>13}" for title in (
    "PHI of 1", "of 2-4", "of 5-9", "of 10+", "others of 1", "numbers", "strict F1", "covered", "attributes",
))  # fmt: skip


def measure_k(k: int, seed: int, args: argparse.Namespace) -> np.ndarray:
    """Return the cells of one training: readable and all strings of six groups, then F1, coverage and the
    number of attributes, each over 1."""
    documents = [fold_document(document) for document in generate(args.notes, seed, "train")]
    settings = config.read("english", min_patients=k)
    settings = replace(settings, crf=settings.crf | {"max_iterations": args.iterations})
    with tempfile.TemporaryDirectory() as place:
        tagger = model.train(documents, settings, Path(place) / "model")
        assert isinstance(tagger, CrfTagger)
        table = count_strings(tagger, documents)
        f1, covered = score(tagger, list(generate(TESTED, seed, "test")))
        return np.array([*table, (f1, 1), (covered, 1), (len(tagger.weights.attributes), 1)], float)


def count_strings(tagger: CrfTagger, documents: Sequence[Document]) -> list[tuple[int, int]]:
    """Return the readable and all strings: words of PHI by :data:`EDGES`, other words of one patient, and
    long numbers."""
    own = strings.count_strings(documents, tagger.pipeline)
    table = strings.count_readable(own, attack.read_model(tagger), EDGES)
    numbers = [sum(column) for column in zip(*table["long numbers"])]
    return [*table["words of PHI"], table["other words"][0], (numbers[0], numbers[1])]


def score(tagger: CrfTagger, gold: Sequence[Document]) -> tuple[float, float]:
    """Return strict F1 and the share of spans that are wholly covered."""
    found = list(tagger.tag_all([document.with_spans(()) for document in gold]))
    caught, count = measure.sum_covered(gold, found)
    return measure.compute_strict_f1(gold, found), caught / count


def format_row(k: int, runs: Sequence[np.ndarray]) -> str:
    """Return the line of one k: strings are summed over the runs, the rest are means."""
    total = np.sum(runs, axis=0)
    cells = [f"{read:.0f}/{count:.0f}" for read, count in total[:-3]]
    f1, covered, attributes = total[-3:, 0] / total[-3:, 1]
    return f"{k or 'no':>3}  " + "".join(
        f"{cell:>13}" for cell in [*cells, f"{f1:.4f}", f"{covered:.4f}", f"{attributes:,.0f}"]
    )


def list_rows(args: argparse.Namespace) -> Iterator[str]:
    yield HEAD
    for k in args.k:
        yield format_row(k, [measure_k(k, seed, args) for seed in range(1, args.seeds + 1)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=cli.natural_number, default=1)
    parser.add_argument("--notes", type=cli.natural_number, default=200)
    parser.add_argument("--iterations", type=cli.natural_number, default=40)
    parser.add_argument("--k", type=cli.natural_number, nargs="+", default=[0, 1, 2, 3, 5, 10])
    for row in list_rows(parser.parse_args(arguments)):
        print(row, flush=True)


if __name__ == "__main__":
    cli.run(main)
