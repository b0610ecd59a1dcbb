"""How many notes the reading room's order by doubt saves until a model finds a given share of the PHI.

    python benchmarks/review_learning.py [--seeds 3] [--rounds 6] [--step 10] [--pool 200] [--test 60]

Notes, readers and rounds are simulated; trainings, models and the room's own list are real. A round: a model
learns from the notes read so far, its spans become the pre-marks of a study, the first notes of the room's
list are read, and so on; the model is tested on notes of other patients. The first notes are the same for
each order. Notes are synthetic, of the shipped grammar; readers miss nothing. Doubtful notes can be long,
so words are counted too.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

from crfdeid import config, corpora, synthetic
from crfdeid.evaluate.scores import Counts
from crfdeid.review.operations import listing
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.agreement import count_equal_spans
from crfdeid.review.study.source import Source
from crfdeid.review.study.study import Study, create_study, open_study
from crfdeid.systems import model, registry
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document

ORDERS = ("random", "uncertainty", "density")
READER = "reader"


@dataclass(frozen=True)
class Plan:
    """``step`` notes are read in each round; the first round has as many, by chance."""

    rounds: int = 6
    step: int = 10
    pool: int = 200
    test: int = 60
    config: str = config.DEFAULT


class Point(NamedTuple):
    """After a round: the notes and words read, and the strict recall on the test notes."""

    notes: int
    words: int
    recall: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    for name in ("rounds", "step", "pool", "test"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Plan, name))
    parser.add_argument("--config", default=Plan.config)
    args = vars(parser.parse_args())
    seeds, plan = range(1, args.pop("seeds") + 1), Plan(**args)
    curves: dict[str, list[list[Point]]] = {order: [] for order in ORDERS}
    for seed in seeds:
        for order in ORDERS:
            curves[order].append(simulate_order(plan, order, seed))
            print(f"seed {seed}, {order}: recall {curves[order][-1][-1].recall:.3f}", flush=True)
    print("\n".join(render_tables(curves)))


def simulate_order(plan: Plan, order: str, seed: int) -> list[Point]:
    """The points of one order in one pool of notes."""
    pool, test = generate_notes(plan, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpora.write([note.with_spans(()) for note in pool], folder / "notes.jsonl", "jsonl")
        create_study(folder / "study.db", Source(folder / "notes.jsonl", "jsonl"), "i2b2-2014", None, 1)
        study = open_study(folder / "study.db")
        accounts.add_reader(study.store, READER, "reader")
        points = list(read_in_order(study, plan, order, (pool, test), folder))
        study.store.close()
    return points


def generate_notes(plan: Plan, seed: int) -> tuple[list[Document], list[Document]]:
    """The notes to read, and those to test on."""
    return list(synthetic.generate(plan.pool, seed)), list(synthetic.generate(plan.test, 1000 + seed))


def read_in_order(
    study: Study, plan: Plan, order: str, notes: tuple[Sequence[Document], Sequence[Document]], folder: Path
) -> Iterator[Point]:
    """Read, learn and order anew, round after round."""
    pool, test = notes
    read: list[Document] = []
    settings = registry.read_config(plan.config)
    for round in range(plan.rounds):
        chosen = choose_notes(study, order if round else "random", plan.step)
        system_spans.import_marks(study, READER, {n: pool[n - 1].spans for n in chosen})
        read += [pool[n - 1] for n in chosen]
        place = folder / f"model{round}"
        model.train(read, settings, place)
        tagger = model.load(place)
        system_spans.add_system(study, place.name, system_spans.tag_notes(study, tagger), premarks=True)
        yield Point(len(read), sum(len(note.text.split()) for note in read), measure_recall(tagger, test))


def choose_notes(study: Study, order: str, count: int) -> list[int]:
    """The first unread notes of the reading room's list."""
    (reader,) = accounts.list_readers(study.store)
    rows = listing.list_notes(study, reader, None, order)["notes"]
    return [row["number"] for row in rows if not row["done"]][:count]


def measure_recall(tagger: Tagger, test: Sequence[Document]) -> float:
    """Strict recall: equal in start, end and type."""
    counts = (count_equal_spans(gold.spans, tagger.tag(gold).spans) for gold in test)
    return reduce(add, counts, Counts()).recall


def count_until(points: Sequence[Point], recall: float, part: int) -> float | None:
    """The notes (part 0) or words (1) until a recall, on the line between rounds; None where not reached.

    >>> count_until([Point(10, 900, 0.5), Point(20, 1500, 0.7)], 0.6, 0)
    15.0
    """
    for before, after in zip(points, points[1:]):
        if before.recall <= recall <= after.recall:
            share = (recall - before.recall) / (after.recall - before.recall or 1)
            return before[part] + share * (after[part] - before[part])
    return None


def render_tables(curves: dict[str, list[list[Point]]]) -> Iterator[str]:
    """Recall by order and notes read; and what each order needs, seed by seed, for the lowest recall at the
    end of an order, and for that of the random order; each with mean and standard deviation."""
    rounds = [point.notes for point in curves["random"][0]]
    yield "| notes read | " + " | ".join(curves) + " |\n" + "|---" * (1 + len(curves)) + "|"
    for index, notes in enumerate(rounds):
        shown = (summarize([curve[index].recall for curve in found], 3) for found in curves.values())
        yield f"| {notes} | {' | '.join(shown)} |"
    lowest = [min(curve[-1].recall for curve in together) for together in zip(*curves.values())]
    chance = [curve[-1].recall for curve in curves["random"]]
    yield "\n| order | words a note | until all: notes | words | until random: notes | words |"
    yield "|---|---|---|---|---|---|"
    for order, found in curves.items():
        cells: list[list[float | None]] = [[curve[-1].words / curve[-1].notes for curve in found]]
        for recalls in (lowest, chance):
            cells += [[count_until(*one, part) for one in zip(found, recalls)] for part in (0, 1)]
        yield f"| {order} | {' | '.join(summarize(cell, 0) for cell in cells)} |"


def summarize(values: Sequence[float | None], digits: int) -> str:
    """
    >>> summarize([1.0, 3.0, None], 1)
    '2.0 ± 1.4, 1 not reached'
    """
    known = [value for value in values if value is not None]
    if not known:
        return "not reached"
    spread = statistics.stdev(known) if len(known) > 1 else 0.0
    missing = f", {len(values) - len(known)} not reached" if len(known) < len(values) else ""
    return f"{statistics.mean(known):.{digits}f} ± {spread:.{digits}f}{missing}"


if __name__ == "__main__":
    main()
