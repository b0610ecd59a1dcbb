"""From the marks of readers to what a release still holds: three bounds, as read and corrected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfdeid.certify import bounds
from crfdeid.certify.bounds import ASSUMED_EFFECT, Clusters
from crfdeid.certify.readers import Likeness, NoteCounts
from crfdeid.certify.sampling import Unit, count_patients
from crfdeid.certify.store import SampleStore

FEWEST_HARD = 10  # planted leaks that are hard to see, to measure readers by them


@dataclass(frozen=True)
class Bound:
    """``found`` is what the readers found. ``as_read`` holds if they find all, ``corrected`` holds also if
    they find only as much as of the plants (None without plants)."""

    found: float
    as_read: float
    corrected: float | None


@dataclass(frozen=True)
class Sensitivity:
    """The planted leaks that a reader, or any of them, found, and the lower bound of the share."""

    reader: str
    found: int
    plants: int
    below: float


@dataclass(frozen=True)
class Group:
    """A type or a stratum. The p-values are of "the aim or more is missed", adjusted by Holm for the number
    of all types, or of all strata."""

    name: str
    notes: int
    misses: int
    masked: int
    missed: Bound
    p_as_read: float
    p_corrected: float | None


@dataclass(frozen=True)
class Statement:
    """The results of a sample. Each bound has this ``confidence``: with two looks half of the error each.
    ``together`` is of all readers and plants, ``easy`` and ``hard`` of these plants; ``systems`` are readers
    whose marks come from one of the systems ``compared``. ``patients`` is the number of patients
    that notes name. ``draws`` are the draws that the list of the release has: day, release and store by
    hash."""

    store: SampleStore
    confidence: float
    notes: int
    patients: int
    misses: int
    masked: int
    leaking_notes: int
    design_effect: float
    assumed_effect: float
    readers: tuple[Sensitivity, ...]
    together: Sensitivity
    easy: Sensitivity
    hard: Sensitivity
    systems: tuple[Likeness, ...]
    notes_with_leak: Bound
    spans_missed: Bound
    misses_per_1000_notes: Bound
    types: tuple[Group, ...]
    strata: tuple[Group, ...]
    draws: tuple[Mapping[str, str], ...] = ()
    compared: tuple[str, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether the corrected bound, or without plants the bound as read, is at most the aim. The marks of
        a system show nothing."""
        if self.systems:
            return False
        missed = self.spans_missed
        return (missed.as_read if missed.corrected is None else missed.corrected) <= self.store.aim.aim


@dataclass(frozen=True)
class CountedNotes:
    """The notes that were read, with their counts."""

    units: tuple[Unit, ...]
    counts: tuple[NoteCounts, ...]
    precision: float

    def count_clusters(self, type: str | None = None) -> Clusters:
        """Count missed and all spans by patient: of one type, or of all. Of the masked spans the share
        ``precision`` is PHI."""
        names = sorted({unit.patient for unit in self.units})
        place = {name: number for number, name in enumerate(names)}
        misses, spans = np.zeros(len(names)), np.zeros(len(names))
        for unit, count in zip(self.units, self.counts):
            found = count_type(count.leaks, type)
            misses[place[unit.patient]] += found
            spans[place[unit.patient]] += found + self.precision * count_type(count.masked, type)
        return Clusters(misses, spans)

    def count_notes(self) -> np.ndarray:
        """Count the notes by patient, in the order of :meth:`count_clusters`."""
        names = [unit.patient for unit in self.units]
        return np.array([names.count(name) for name in sorted(set(names))], float)

    def select_stratum(self, name: str) -> CountedNotes:
        kept = [pair for pair in zip(self.units, self.counts) if pair[0].stratum == name]
        return CountedNotes(
            tuple(unit for unit, _ in kept), tuple(count for _, count in kept), self.precision
        )


def count_type(types: Sequence[str], type: str | None) -> int:
    return len(types) if type is None else types.count(type)


@dataclass(frozen=True)
class Method:
    """How bounds are made: ``confidence`` of each, the lower bound of the readers' sensitivity (None without
    plants), and the design effect that few misses are assumed to have."""

    confidence: float
    sensitivity: float | None
    assumed: float

    def make_bound(self, found: float, bound: Callable[[float], float], most: float = 1.0) -> Bound:
        """Make both bounds from ``bound``, a function of the confidence."""
        as_read = min(most, bound(self.confidence))
        if self.sensitivity is None:
            return Bound(found, as_read, None)
        half = bound(bounds.split_error(self.confidence, 2))
        return Bound(found, as_read, min(most, bounds.correct_for_readers(half, self.sensitivity)))

    def bound_spans(self, found: Clusters) -> Bound:
        return self.make_bound(found.share, lambda c: bounds.bound_clustered_share(found, c, self.assumed))

    def find_p_values(self, found: Clusters, aim: float) -> tuple[float, float | None]:
        """The p-values of "``aim`` or more is missed": as read, and corrected for the readers."""
        as_read = self.find_p_value(found, aim, self.confidence)
        if self.sensitivity is None:
            return as_read, None
        half = self.find_p_value(found, aim * self.sensitivity, bounds.split_error(self.confidence, 2))
        return as_read, min(1.0, 2 * half)

    def find_p_value(self, found: Clusters, aim: float, confidence: float) -> float:
        total = float(found.spans.sum())
        if total <= 0 or aim <= 0:
            return 1.0
        size = bounds.find_effective_size(found, confidence, self.assumed)
        plain = bounds.find_p_value(float(found.misses.sum()), total, aim)
        return max(plain, bounds.find_p_value(found.share * size, size, aim))


def make_statement(
    store: SampleStore,
    units: Sequence[Unit],
    counts: Sequence[NoteCounts],
    systems: Sequence[Likeness] = (),
    draws: Sequence[Mapping[str, str]] = (),
    compared: Sequence[str] = (),
) -> Statement:
    """Return the statement for notes that were read. ``systems`` are the readers who are one of the systems
    that they were ``compared`` with."""
    counted = CountedNotes(tuple(units), tuple(counts), store.precision)
    confidence = bounds.split_error(store.aim.confidence, store.aim.looks)
    readers, together, easy, hard = measure_readers(counts, confidence)
    sensitivity = find_sensitivity(together, hard)
    method = Method(confidence, sensitivity, max(ASSUMED_EFFECT, store.aim.effect))
    found, notes = counted.count_clusters(), counted.count_notes()
    leaking, size = sum(bool(count.leaks) for count in counts), len(counts)
    return Statement(
        store, confidence, size, count_patients(units), int(found.misses.sum()),
        sum(len(count.masked) for count in counts), leaking,
        bounds.measure_design_effect(found), bounds.find_design_effect(found, confidence, method.assumed),
        readers, together, easy, hard, tuple(systems),
        method.make_bound(leaking / size, lambda c: bounds.bound_share_above(leaking, size, c)),
        method.bound_spans(found),
        method.make_bound(
            1000 * float(found.misses.sum()) / size,
            lambda c: 1000 * bounds.bound_clustered_mean(found.misses, notes, c, method.assumed),
            float("inf"),
        ),
        compare_types(counted, method, store.aim.aim), compare_strata(counted, method, store.aim.aim),
        tuple(draws), tuple(compared),
    )  # fmt: skip


def find_sensitivity(together: Sensitivity, hard: Sensitivity) -> float | None:
    """Return the lower bound of the share of leaks that the readers find: that of the hard plants, where
    there are enough of them, because a leak is what a system missed. None without plants."""
    if hard.plants >= FEWEST_HARD:
        return min(hard.below, together.below)
    return together.below if together.plants else None


def measure_readers(
    counts: Sequence[NoteCounts], confidence: float
) -> tuple[tuple[Sensitivity, ...], Sensitivity, Sensitivity, Sensitivity]:
    """Return the sensitivity of each reader on the plants, and of all together: on all, on the easy and on
    the hard plants. The bounds have half of the error, because the other half is for the leaks
    (:func:`bounds.split_error`)."""
    half = bounds.split_error(confidence, 2)

    def measure(name: str, plants: Sequence[bool]) -> Sensitivity:
        below = bounds.bound_share_below(sum(plants), len(plants), half)
        return Sensitivity(name, sum(plants), len(plants), below)

    names = sorted({name for count in counts for name in count.readers})
    read = {name: [count for count in counts if name in count.readers] for name in names}
    each = tuple(
        measure(name, [name in found for count in read[name] for found in count.plants]) for name in names
    )
    found = [
        (bool(found), is_hard)
        for count in counts
        for found, is_hard in zip(count.plants, count.hard or [False] * len(count.plants))
    ]
    together = measure("together", [was_found for was_found, _ in found])
    easy = measure("easy", [was_found for was_found, is_hard in found if not is_hard])
    hard = measure("hard", [was_found for was_found, is_hard in found if is_hard])
    return each, together, easy, hard


def compare_types(counted: CountedNotes, method: Method, aim: float) -> tuple[Group, ...]:
    names = sorted({type for count in counted.counts for type in (*count.leaks, *count.masked)})
    return compare_groups({name: (counted, name) for name in names}, method, aim)


def compare_strata(counted: CountedNotes, method: Method, aim: float) -> tuple[Group, ...]:
    names = sorted({unit.stratum for unit in counted.units})
    return compare_groups({name: (counted.select_stratum(name), None) for name in names}, method, aim)


def compare_groups(
    parts: Mapping[str, tuple[CountedNotes, str | None]], method: Method, aim: float
) -> tuple[Group, ...]:
    """Bound the share of missed spans in each part, and adjust the p-values for the number of parts."""
    found = {name: counted.count_clusters(type) for name, (counted, type) in parts.items()}
    values = [method.find_p_values(clusters, aim) for clusters in found.values()]
    as_read = bounds.adjust_holm([value for value, _ in values])
    corrected = bounds.adjust_holm([1.0 if value is None else value for _, value in values])
    return tuple(
        Group(
            name, len(counted.counts), int(clusters.misses.sum()),
            sum(count_type(count.masked, type) for count in counted.counts), method.bound_spans(clusters),
            as_read[number], None if method.sensitivity is None else corrected[number],
        )
        for number, ((name, (counted, type)), clusters) in enumerate(zip(parts.items(), found.values()))
    )  # fmt: skip
