"""How much of what programs read in the original notes their released notes still have.

A note and its release are aligned word by word. So each date and age of the original has a place in the
release: there is a date or an age again, or it is lost. An interval is kept to the day if both dates moved by
the same number of days, and to the year if the difference of their years is the same. Dates with one shift
are counted together, so that all pairs of a patient cost no more than the dates. The counts become JSON,
which :mod:`crfdeid.redact.report.kept` shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from math import comb
from operator import add
from typing import Any, NamedTuple

import crfdeid
from crfdeid.errors import show_id
from crfdeid.redact.surrogates.dates import find_nearest, make_date
from crfdeid.redact.utility.alignment import align, measure_common
from crfdeid.redact.utility.content import MEASURE, MEDICAL, NEGATION, READ, Age, Content, Day, read_content
from crfdeid.text.ages import GROUP
from crfdeid.text.document import Document

CENTURIES = {False: (0,), True: (-100, 0, 100)}


class MovedDate(NamedTuple):
    """A date of the original. ``days`` and ``years`` are what it moved by; None where the release has no date
    in its place, or one of the two names no day. ``is_whole``: the original names the day."""

    is_whole: bool
    days: int | None = None
    years: int | None = None


def move_date(before: Day, after: Day | None) -> MovedDate:
    """Compare a date with what is in its place. A year of two digits is of the century in which it moves
    least.

    >>> from datetime import date
    >>> whole, short = Day(2061, date(2061, 3, 7)), Day(1962, date(1962, 3, 7), True)
    >>> move_date(whole, Day(2062)), move_date(whole, short)
    (MovedDate(is_whole=True, days=None, years=1), MovedDate(is_whole=True, days=365, years=1))
    """
    is_whole = before.day is not None
    if after is None:
        return MovedDate(is_whole)
    if before.day is None or after.day is None:
        return MovedDate(is_whole, None, after.year - before.year)
    days = [
        make_date(after.year + more, after.day.month, after.day.day) for more in CENTURIES[after.is_short]
    ]
    nearest = find_nearest(days, before.day) or after.day
    return MovedDate(is_whole, (nearest - before.day).days, nearest.year - before.year)


@dataclass(frozen=True)
class Intervals:
    """``days`` counts the pairs of dates that name a day, ``same_days`` those as many days apart in the
    release; ``years`` counts all pairs, of years too, ``same_years`` those as many days or years apart.

    >>> moved = [MovedDate(True, 7, 0), MovedDate(True, 7, 0), MovedDate(True, 8, 0), MovedDate(False)]
    >>> Intervals.count(moved)
    Intervals(days=3, same_days=1, years=6, same_years=3)
    """

    days: int = 0
    same_days: int = 0
    years: int = 0
    same_years: int = 0

    @classmethod
    def count(cls, dates: Iterable[MovedDate]) -> Intervals:
        """Count the pairs among some dates."""
        moved = Counter(dates)
        days = count_pairs(Counter(date.days for date in moved.elements() if date.days is not None))
        years = count_pairs(Counter(date.years for date in moved.elements() if date.years is not None))
        both = count_pairs(Counter(date[1:] for date in moved.elements() if date.days is not None))
        whole = sum(date.is_whole for date in moved.elements())
        return cls(comb(whole, 2), days, comb(moved.total(), 2), days + years - both)

    def __add__(self, other: Intervals) -> Intervals:
        return Intervals(*(a + b for a, b in zip(self.list_counts(), other.list_counts())))

    def __sub__(self, other: Intervals) -> Intervals:
        return Intervals(*(a - b for a, b in zip(self.list_counts(), other.list_counts())))

    def list_counts(self) -> tuple[int, int, int, int]:
        return self.days, self.same_days, self.years, self.same_years


def count_pairs(groups: Counter[object]) -> int:
    """Count the pairs of members of one group.

    >>> count_pairs(Counter("aabbbc"))
    4
    """
    return sum(comb(count, 2) for count in groups.values())


MEDICINE, NEGATED = "words of medicine", "words of medicine after a negation"
TOGETHER, ALL = "all of the above, in one row", "all words and numbers"
KINDS = {
    MEDICINE: MEDICAL,
    **{kind: (kind,) for kind in (*MEDICAL, MEASURE, NEGATION)},
    TOGETHER: READ,
}  # rows, each with the kinds of items that it counts
ROWS = (MEDICINE, *MEDICAL, MEASURE, NEGATION, NEGATED, TOGETHER, ALL)
PARTS = dict.fromkeys((*MEDICAL, NEGATED), MEDICINE)  # rows that count a part of another row
WIDTH = 10  # years of a band


@dataclass
class Kept:
    """Counts of one kind. ``kept``: items that the release has, too, as often as it has them; ``in_order``:
    items of the longest common subsequence."""

    before: int = 0
    after: int = 0
    kept: int = 0
    in_order: int = 0

    @property
    def new(self) -> int:
        """Items that only the release has."""
        return self.after - self.kept

    def add(self, before: Sequence[str], after: Sequence[str], in_order: int | None = None) -> None:
        """Count the items of one note; ``in_order`` is measured if it is not given."""
        self.before += len(before)
        self.after += len(after)
        self.kept += count_common(before, after)
        self.in_order += measure_common(before, after) if in_order is None else in_order


@dataclass
class Band:
    """Counts of the ages of a band of ten years: those of the original, those in whose place the release has
    an age of the same band, and those that it has as they were."""

    before: int = 0
    same_band: int = 0
    same_age: int = 0


@dataclass(frozen=True)
class NoteCounts:
    """Items that programs read in a note and that its release has not, and the other way round. ``number`` is
    the place of the note among the originals."""

    id: str = field(repr=False)
    number: int
    before: int
    lost: int
    new: int


@dataclass
class Utility:
    """The counts of all notes. ``dates`` are the dates that name a day, ``found_dates`` those in whose place
    the release has one, too. ``missing`` and ``unknown`` count notes that only the original, and only the
    release, has."""

    kinds: dict[str, Kept] = field(default_factory=lambda: {name: Kept() for name in ROWS})
    dates: int = 0
    found_dates: int = 0
    within: Intervals = field(default_factory=Intervals)
    bands: dict[int, Band] = field(default_factory=dict)
    notes: list[NoteCounts] = field(default_factory=list, repr=False)
    unchanged: int = 0
    missing: int = 0
    unknown: int = 0
    _by_patient: dict[tuple[bool, str], list[MovedDate]] = field(default_factory=dict, repr=False)

    def add(self, original: Document, clean: str, number: int, month_first: bool = True) -> None:
        """Compare a note with the text of its release."""
        before, after = read_content(original.text, month_first), read_content(clean, month_first)
        self.unchanged += original.text == clean
        places = dict(align(before.pieces, after.pieces))
        self._add_kinds(before, after, len(places))
        self._add_dates(before, after, places, original.owner)
        for at, age in before.ages.items():
            self._add_age(age, after.ages.get(places.get(at, -1)))
        items, kept = len(before.items), count_common(before.items, after.items)
        self.notes.append(NoteCounts(original.id, number, items, items - kept, len(after.items) - kept))

    def _add_kinds(self, before: Content, after: Content, in_order: int) -> None:
        for name, kinds in KINDS.items():
            self.kinds[name].add(before.list_texts(*kinds), after.list_texts(*kinds))
        self.kinds[NEGATED].add(before.negated, after.negated)
        self.kinds[ALL].add(before.pieces, after.pieces, in_order)

    def _add_dates(
        self, before: Content, after: Content, places: Mapping[int, int], owner: tuple[bool, str]
    ) -> None:
        moved = [move_date(day, after.dates.get(places.get(at, -1))) for at, day in before.dates.items()]
        self.dates += sum(date.is_whole for date in moved)
        self.found_dates += sum(date.days is not None for date in moved)
        self.within += Intervals.count(moved)
        self._by_patient.setdefault(owner, []).extend(moved)

    def _add_age(self, before: Age, after: Age | None) -> None:
        band = self.bands.setdefault(before.band, Band())
        band.before += 1
        band.same_band += after is not None and after.band == before.band
        band.same_age += after == before

    @property
    def between(self) -> Intervals:
        """Intervals between the dates of different notes of a patient."""
        return reduce(add, map(Intervals.count, self._by_patient.values()), Intervals()) - self.within

    def list_changed(self, most: int) -> list[NoteCounts]:
        """Return the notes that lost or gained most, at most ``most``."""
        changed = (note for note in self.notes if note.lost or note.new)
        return sorted(changed, key=lambda note: (-note.lost - note.new, note.number))[:most]


def count_common(before: Sequence[object], after: Sequence[object]) -> int:
    """Count the items that both have, each as often as both have it.

    >>> count_common("aab", "abc")
    2
    """
    return (Counter(before) & Counter(after)).total()


def build_json(found: Utility, most: int, release: str | None = None) -> dict[str, Any]:
    """Build the JSON object of the counts. ``release`` is the hash of the released notes."""
    return {
        "crfdeid": crfdeid.__version__,
        "release": release,
        "documents": {
            "compared": len(found.notes),
            "unchanged": found.unchanged,
            "only_original": found.missing,
            "only_released": found.unknown,
        },
        "read": {
            name: asdict(kept) | {"new": kept.new, "part_of": PARTS.get(name)}
            for name, kept in found.kinds.items()
        },
        "dates": {"before": found.dates, "kept": found.found_dates},
        "intervals": {
            "in_a_note": asdict(found.within),
            "in_two_notes_of_a_patient": asdict(found.between),
        },
        "ages": {name_band(first): asdict(band) for first, band in sorted(found.bands.items())},
        "changed": [
            {"document": show_id(note.id, f"number {note.number}")}
            | {name: getattr(note, name) for name in ("before", "lost", "new")}
            for note in found.list_changed(most)
        ],
    }


def name_band(first: int) -> str:
    """
    >>> name_band(60), name_band(90)
    ('60-69', '90+')
    """
    return f"{first}-{first + WIDTH - 1}" if f"{first}+" != GROUP else GROUP
