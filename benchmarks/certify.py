"""How often the bounds of certify hold, on samples drawn again and again from populations that are known.

    python benchmarks/certify.py [--resamples 1000] [--model FOLDER] [--share 0.003 0.005 ...]

The populations are made from the notes of the development set (:mod:`devset`): what the model misses in them;
the same share of spans missed, but together, with design effects 3 and 10; and readers who find 80%
of what is missed, with 60 planted leaks. "held" is the share of the samples in which the bound is not below
the truth, where 0.95 was promised; "median" is the bound's median.

    python benchmarks/certify.py --choose [--resamples 1000] [--aim 0.01 ...] [--notes 200]

Lets ``certify choose`` choose a threshold from samples of the notes, and prints how often the chosen one
misses more than the aim in all notes, and the mean of its token precision.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import devset
import devset_measure as measure
import numpy as np

from crfdeid.certify import bounds
from crfdeid.certify.bounds import Clusters
from crfdeid.certify.choose import THRESHOLDS, count_missed
from crfdeid.systems import model

NOTES = 20_000  # of a population that is made
SIZES = (100, 200, 400)
PLANTS, SENSITIVITY = 60, 0.8


class Population(NamedTuple):
    """``misses`` and ``spans`` of each note; readers find the share ``sensitivity`` of what is missed."""

    name: str
    misses: np.ndarray
    spans: np.ndarray
    sensitivity: float = 1.0

    @property
    def truths(self) -> tuple[float, float, float]:
        """The share of notes with a leak, of spans missed, and missed spans in a note."""
        leaking = float((self.misses > 0).mean())
        return leaking, float(self.misses.sum() / self.spans.sum()), float(self.misses.mean())


def read_devset(folder: str) -> Population:
    notes = devset.build_notes()
    found = count_missed(notes, list(model.load(folder).tag_all(notes)))
    return Population("as it is", found.misses.astype(int), found.spans.astype(int))


def make_clustered(
    source: Population, effect: float, rng: np.random.Generator, share: float | None = None
) -> Population:
    """Return notes with the same spans and share missed (or another), whose misses have a design effect: each
    note has a share from a beta distribution (Kish 1965: effect = 1 + (m − 1) ρ)."""
    spans = rng.choice(source.spans, NOTES)
    share = share or source.truths[1]
    rho = (effect - 1) / ((spans**2).sum() / spans.sum() - 1)
    each = rng.beta(share * (1 / rho - 1), (1 - share) * (1 / rho - 1), NOTES)
    return Population(f"design effect {effect:g}", rng.binomial(spans, each), spans)


class Curve(NamedTuple):
    """For each threshold and note [thresholds, notes]: missed spans, masked tokens, and those that are PHI;
    ``spans`` are those of each note."""

    misses: np.ndarray
    right: np.ndarray
    masked: np.ndarray
    spans: np.ndarray

    @property
    def truths(self) -> np.ndarray:
        """The share of the spans that each threshold misses."""
        return self.misses.sum(axis=1) / self.spans.sum()

    @property
    def precisions(self) -> np.ndarray:
        return self.right.sum(axis=1) / self.masked.sum(axis=1)


def read_curve(folder: str) -> Curve:
    """Tag the development set by each threshold that certify choose tries."""
    notes, tagger = devset.build_notes(), model.load(folder)
    rows = []
    for threshold in THRESHOLDS:
        tagged = list(tagger.tag_all(notes, threshold=threshold))
        counted = np.array([measure.count_tokens(*pair) for pair in zip(notes, tagged)])
        rows.append((count_missed(notes, tagged).misses, *counted.T))
    misses, right, masked = (np.array(column) for column in zip(*rows))
    return Curve(misses, right, masked, np.array([len(note.spans) for note in notes]))


def choose_once(curve: Curve, notes: int, aim: float, rng: np.random.Generator) -> int:
    """Draw notes and choose. Return the place of the chosen threshold, -1 for none."""
    drawn = rng.integers(0, len(curve.spans), notes)
    samples = (Clusters(misses[drawn], curve.spans[drawn]) for misses in curve.misses)
    return bounds.pass_in_sequence(map(bounds.bound_clustered_share, samples), aim) - 1


def list_choices(
    curve: Curve, notes: int, aims: Sequence[float], resamples: int, rng: np.random.Generator
) -> Iterator[str]:
    """Yield the curve, and a row for each aim: how often a promise was broken (nothing chosen breaks none),
    and the mean precision of what was chosen."""
    yield "| threshold | missed | token precision |"
    yield "|---|---|---|"
    for row in zip(THRESHOLDS, curve.truths, curve.precisions):
        yield "| {:g} | {:.2%} | {:.3f} |".format(*row)
    yield "\n| aim | notes | broken | nothing chosen | token precision of the chosen | missed by the chosen |"
    yield "|---|---|---|---|---|---|"
    for aim in aims:
        places = np.array([choose_once(curve, notes, aim, rng) for _ in range(resamples)])
        some = places[places >= 0]
        broken, none = np.count_nonzero(curve.truths[some] > aim) / resamples, np.mean(places < 0)
        means = "- | -"
        if len(some):
            means = f"{curve.precisions[some].mean():.3f} | {curve.truths[some].mean():.2%}"
        yield f"| {aim:.2%} | {notes} | {broken:.3f} | {none:.3f} | {means} |"


def bound_sample(found: Clusters, sensitivity: float | None) -> tuple[float, float, float]:
    """Return the three bounds of a sample; corrected where readers have a sensitivity."""
    confidence = 0.95 if sensitivity is None else bounds.split_error(0.95, 2)
    size = len(found.misses)
    made = (
        bounds.bound_share_above(int((found.misses > 0).sum()), size, confidence),
        bounds.bound_clustered_share(found, confidence),
        bounds.bound_clustered_mean(found.misses, np.ones(size), confidence),
    )
    leaking, share, mean = (bounds.correct_for_readers(each, sensitivity or 1.0) for each in made)
    return leaking, share, mean


def draw_bounds(population: Population, size: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw notes, let readers read them, and return the bounds."""
    drawn = rng.integers(0, len(population.spans), size)
    misses, spans = population.misses[drawn], population.spans[drawn]
    if population.sensitivity == 1:
        return bound_sample(Clusters(misses, spans), None)
    found = rng.binomial(misses, population.sensitivity)
    plants = int(rng.binomial(PLANTS, population.sensitivity))
    below = bounds.bound_share_below(plants, PLANTS, bounds.split_error(0.95, 2))
    return bound_sample(Clusters(found, spans - misses + found), below)


def list_rows(populations: Sequence[Population], resamples: int, rng: np.random.Generator) -> Iterator[str]:
    titles = ("notes with a leak", "spans missed", "missed per 1,000 notes")
    forms: tuple[Callable[[float], str], ...] = (
        "{:.2%}".format,
        "{:.2%}".format,
        lambda x: f"{1000 * x:,.0f}",
    )
    yield "| population | notes | bound | truth | held | median |"
    yield "|---|---|---|---|---|---|"
    for population in populations:
        for size in SIZES:
            made = np.array([draw_bounds(population, size, rng) for _ in range(resamples)])
            for title, form, truth, column in zip(titles, forms, population.truths, made.T):
                held, median = float((column >= truth).mean()), form(float(np.median(column)))
                yield f"| {population.name} | {size} | {title} | {form(truth)} | {held:.3f} | {median} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--resamples", type=int, default=300)
    parser.add_argument("--model", default=model.CAREFUL)
    parser.add_argument("--share", type=float, nargs="+", help="design effect 10, with these shares missed")
    parser.add_argument("--choose", action="store_true", help="how often certify choose keeps its promise")
    parser.add_argument("--aim", type=float, nargs="+", default=[0.01, 0.005, 0.003])
    parser.add_argument("--notes", type=int, default=200)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    if args.choose:
        print(*list_choices(read_curve(args.model), args.notes, args.aim, args.resamples, rng), sep="\n")
        return
    source = read_devset(args.model)
    if args.share:
        rare = [make_clustered(source, 10, rng, share) for share in args.share]
        print(*list_rows(rare, args.resamples, rng), sep="\n")
        return
    clustered = [make_clustered(source, effect, rng) for effect in (3, 10)]
    readers = [each._replace(name=f"{each.name}, readers {SENSITIVITY:.0%}", sensitivity=SENSITIVITY)
               for each in (source, clustered[0])]  # fmt: skip
    for row in list_rows([source, *clustered, *readers], args.resamples, rng):
        print(row, flush=True)


if __name__ == "__main__":
    main()
