"""What a bias by type costs and gains on the development set, without training again.

    python benchmarks/biases.py [--model FOLDER] [--row RECALL=0.3,PROFESSION=-1 …]

A row is a table of biases on top of those that the model has: ``RECALL`` is added to ``recall_bias``, the
number of a type to its ``type_bias``. Without rows every type of the model is tried at -1 and 1, and the
recall bias at -0.3, 0.3 and 0.6. Choose by what is covered at equal precision; differences below 0.001 are
chance.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import devset
import devset_measure as measure
import numpy as np

from crfdeid import cli
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.text import bio
from crfdeid.text.document import Document

RECALL = "RECALL"


def parse_row(row: str) -> dict[str, float]:
    """Return the biases of a row.

    >>> parse_row("RECALL=0.3,PROFESSION=-1")
    {'RECALL': 0.3, 'PROFESSION': -1.0}
    """
    try:
        return {name: float(value) for name, value in (part.split("=") for part in row.split(","))}
    except ValueError:
        raise ConfigurationError(f"--row {row}: wanted TYPE=NUMBER,…") from None


def list_rows(labels: Sequence[str]) -> list[dict[str, float]]:
    """Return the rows that are tried by default."""
    types = sorted({label[2:] for label in labels if label != bio.OUTSIDE})
    recall: list[dict[str, float]] = [{RECALL: bias} for bias in (-0.3, 0.3, 0.6)]
    return [*recall, *({type: bias} for type in types for bias in (-1.0, 1.0))]


def make_bias(row: Mapping[str, float], labels: Sequence[str]) -> np.ndarray:
    """Return what the row adds to the score of each label."""
    return np.array([-row.get(RECALL, 0.0) if y == bio.OUTSIDE else row.get(y[2:], 0.0) for y in labels])


def measure_row(tagger: CrfTagger, gold: Sequence[Document], asked: Sequence[Document]) -> str:
    """Return the figures of the tagger as cells of a table."""
    found, answered = ([*tagger.tag_all([d.with_spans(()) for d in some])] for some in (gold, asked))
    covered, queries = (compute_covered(*pair) for pair in ((gold, found), (asked, answered)))
    precision, f1 = measure.compute_precision(gold, found), measure.compute_strict_f1(gold, found)
    touched = sum(bool(a.spans) for q, a in zip(asked, answered) if not q.spans)
    return f"{covered:.4f} {precision:9.4f} {f1:9.4f} {queries:8.4f} {touched:7}"


def compute_covered(gold: Sequence[Document], system: Sequence[Document]) -> float:
    """Return the share of gold spans that are wholly covered."""
    caught, count = (sum(column) for column in zip(*measure.count_covered(gold, system).values()))
    return caught / count


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a CRF's folder (default: the shipped model)")
    parser.add_argument("--row", type=parse_row, nargs="+", metavar="BIASES", help="biases to try")
    args = parser.parse_args(arguments)
    tagger = model.load(args.model)
    if not isinstance(tagger, CrfTagger):
        raise ConfigurationError(f"{args.model}: the model is not a CRF")
    tagger.compile()
    gold, asked, bias = devset.build_notes(), devset.build_queries(), tagger.decoder.bias.copy()
    print(f"{'':40}covered precision strict F1  queries touched")
    for row in [{}, *(args.row or list_rows(tagger.weights.labels))]:
        tagger.decoder.bias[:] = bias + make_bias(row, tagger.weights.labels)
        name = ", ".join(f"{key} {value:+g}" for key, value in row.items()) or "as it is"
        print(f"{name:40}{measure_row(tagger, gold, asked)}", flush=True)


if __name__ == "__main__":
    cli.run(main)
