"""The curve of the threshold: what a model misses and what else it tags, on the development set.

    python benchmarks/thresholds.py [--model english+rules] [--threshold 0.05 ...]
    python benchmarks/thresholds.py --speed

Prints a row for the most probable labels and for each threshold: spans that are not covered completely, as a
number and a share, token precision, strict F1, and notes whose PHI is all covered. ``--speed`` prints the
processor time of tagging, as a multiple of that of the most probable labels (best of several rounds, on texts
that the tagger has seen).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import devset
import devset_measure as measure

from crfdeid import cli
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold, parse_threshold
from crfdeid.text.document import Document

THRESHOLDS = ("0.5", "0.1", "0.05", "0.01", "0.001")
ROUNDS = 2
HEAD = f"{'threshold':<20}{'missed':>8}{'share':>9}{'precision':>11}{'strict F1':>11}{'clean':>7}"


def format_row(name: str, gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return one line of the curve."""
    covered, count = measure.sum_covered(gold, system)
    precision, f1 = measure.compute_precision(gold, system), measure.compute_strict_f1(gold, system)
    share, clean = (count - covered) / count, measure.count_clean(gold, system)
    return f"{name:<20}{count - covered:>8}{share:>9.4f}{precision:>11.3f}{f1:>11.3f}{clean:>7}"


def measure_seconds(tagger: Tagger, bare: Sequence[Document], threshold: Threshold | None) -> float:
    """Return the seconds of processor time that one round takes."""
    start = time.process_time()
    for _ in tagger.tag_all(bare, threshold=threshold):
        pass
    return time.process_time() - start


def measure_speed(
    tagger: Tagger, bare: Sequence[Document], choices: Sequence[Threshold | None]
) -> list[float]:
    """Return the seconds of the best round of each choice; the choices take turns."""
    tagger.compile()
    rounds = [[measure_seconds(tagger, bare, choice) for choice in choices] for _ in range(ROUNDS + 1)]
    return [min(column) for column in zip(*rounds[1:])]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", help="a model folder (default: the shipped model)")
    parser.add_argument("--data", type=Path, default=devset.DATA)
    parser.add_argument("--speed", action="store_true", help="measure the time in place of the errors")
    parser.add_argument("--threshold", nargs="+", default=THRESHOLDS, metavar="T", help="number or file")
    args = parser.parse_args(arguments)
    tagger, gold = model.load(args.model), devset.build_notes(args.data)
    bare = [Document(note.id, note.text) for note in gold]
    choices = [None, *(parse_threshold([value]) for value in args.threshold)]
    names = ["most probable", *args.threshold]
    if args.speed:
        seconds = measure_speed(tagger, bare, choices)
        print(*(f"{name:<20}{spent / seconds[0]:6.2f}" for name, spent in zip(names, seconds)), sep="\n")
        return
    print(f"{len(gold)} notes, {sum(len(note.spans) for note in gold)} spans\n{HEAD}")
    for name, choice in zip(names, choices):
        print(format_row(name, gold, list(tagger.tag_all(bare, threshold=choice))), flush=True)


if __name__ == "__main__":
    cli.run(main)
