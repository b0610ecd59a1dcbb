"""How well a reader, a system, or the union of several did against the consensus (Douglass 2005).

Her rules (section 3.4): an instance counts once, whatever its number of words; an instance found in part
counts as found; extra words around it do not count; the same wrong text counts as one mistake, however often
it was marked; a mark of a term that the adjudicator calls ambiguous is not a mistake. Each rule can be
switched off. Types do not count unless requested: the thesis had none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import NamedTuple

from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import marks
from crfdeid.text.document import Span

# Douglass 2005, table 4.1: minimum, maximum, mean of sensitivity and of positive predictive value.
PUBLISHED = {
    "1": {"sensitivity": (0.63, 0.94, 0.81), "ppv": (0.95, 1.0, 0.98)},
    "2": {"sensitivity": (0.89, 0.98, 0.94), "ppv": (0.95, 0.99, 0.97)},
    "3": {"sensitivity": (0.98, 0.99, 0.98), "ppv": (0.95, 0.99, 0.97)},
}


@dataclass(frozen=True)
class CountingRules:
    """docs/review_api.md explains each rule."""

    once: bool = True
    part: bool = True
    extra: bool = True
    systematic: bool = True
    excused: bool = True
    types: bool = False

    @property
    def names(self) -> list[str]:
        return [field.name for field in fields(self)]


class MarkedNote(NamedTuple):
    """A note's text, its consensus, somebody's marks, and the ambiguous ranges, where marks are excused."""

    number: int
    text: str
    gold: Sequence[Span]
    marked: Sequence[Span]
    ambiguous: Sequence[tuple[int, int]] = ()


class Mistake(NamedTuple):
    """``kind`` is missed or spurious; ``counted`` says whether the rules count it."""

    note: int
    start: int
    end: int
    kind: str
    counted: bool


class NoteOutcome(NamedTuple):
    """The part of one note in an outcome: the number of instances, the missed ones, and each spurious one
    with its text, in small letters, and whether it is excused."""

    instances: int
    missed: tuple[tuple[int, int], ...]
    spurious: tuple[tuple[int, int, str, bool], ...]


@dataclass(frozen=True)
class Outcome:
    counts: Counts
    mistakes: tuple[Mistake, ...]

    @property
    def sensitivity(self) -> float | None:
        return compute_share(self.counts.tp, self.counts.fn)

    @property
    def ppv(self) -> float | None:
        return compute_share(self.counts.tp, self.counts.fp)


def compute_share(right: int, wrong: int) -> float | None:
    return right / (right + wrong) if right + wrong else None


def measure_note(note: MarkedNote, rules: CountingRules) -> NoteOutcome:
    """The part of the outcome that depends on this note alone."""
    instances = split_units(note.text, note.gold, rules)
    missed = tuple((unit.start, unit.end) for unit in instances if not is_found(unit, note, rules))
    spurious = tuple(
        (
            unit.start,
            unit.end,
            " ".join(note.text[unit.start : unit.end].lower().split()),
            rules.excused and is_excused(unit, note),
        )
        for unit in find_spurious(note, rules)
    )
    return NoteOutcome(len(instances), missed, spurious)


def combine_outcomes(outcomes: Iterable[tuple[int, NoteOutcome]], rules: CountingRules) -> Outcome:
    """The outcome of several notes, each with its number: a mistake counts once in all of them."""
    right, mistakes, known_texts = 0, [], set()
    for number, outcome in outcomes:
        right += outcome.instances - len(outcome.missed)
        mistakes += [Mistake(number, start, end, "missed", True) for start, end in outcome.missed]
        for start, end, text, is_excused in outcome.spurious:
            counted = not is_excused and not (rules.systematic and text in known_texts)
            if not is_excused:  # or a later mark of this text would be no mistake
                known_texts.add(text)
            mistakes.append(Mistake(number, start, end, "spurious", counted))
    fn = sum(mistake.kind == "missed" for mistake in mistakes)
    fp = sum(mistake.kind == "spurious" and mistake.counted for mistake in mistakes)
    return Outcome(Counts(right, fp, fn), tuple(mistakes))


def split_units(text: str, spans: Iterable[Span], rules: CountingRules) -> list[Span]:
    """The units that count once: spans as the adjudicator decided them, or without ``once`` their words."""
    instances = join_marks(text, spans, rules.types)
    return instances if rules.once else [word for span in instances for word in split_words(text, span)]


def split_words(text: str, span: Span) -> list[Span]:
    """The words of a span; the span itself where it has none."""
    words = marks.find_words(text[span.start : span.end])
    return [Span(span.start + start, span.start + end, span.type) for start, end in words] or [span]


def join_marks(text: str, spans: Iterable[Span], types: bool = False) -> list[Span]:
    """Join marks that overlap (with ``types``, only those of one type), and trim the punctuation at their
    ends. Spans side by side stay apart: a reader who missed one of two dates missed one.

    >>> spans = [Span(0, 3, "CITY"), Span(0, 8, "CITY"), Span(9, 12, "CITY")]
    >>> [(span.start, span.end) for span in join_marks("New York Rye in May", spans)]
    [(0, 8), (9, 12)]
    """
    merged: list[Span] = []
    latest: dict[str, int] = {}  # the index in ``merged`` of the last mark of a type, or of any type
    for span in sorted(spans):
        start, end = marks.trim(text, span.start, span.end) or (span.start, span.end)
        group = span.type if types else ""
        index = latest.get(group)
        if index is not None and start < merged[index].end:
            last = merged[index]
            merged[index] = Span(last.start, max(last.end, end), last.type)
        else:
            latest[group] = len(merged)
            merged.append(Span(start, end, span.type))
    return merged


def is_found(unit: Span, note: MarkedNote, rules: CountingRules) -> bool:
    """Whether a mark overlaps a unit of the consensus; without ``part``, whether marks cover all of it."""
    touching = [m for m in note.marked if m.overlaps(unit) and (not rules.types or m.type == unit.type)]
    if rules.part:
        return bool(touching)
    covered = {offset for mark in touching for offset in range(mark.start, mark.end)}
    wanted = (n for n in range(unit.start, unit.end) if marks.INNER.match(note.text, n))
    return bool(touching) and all(offset in covered for offset in wanted)


def find_spurious(note: MarkedNote, rules: CountingRules) -> list[Span]:
    """The units of the marks that the consensus does not have."""
    wrong: list[Span] = []
    for mark in join_marks(note.text, note.marked, rules.types):
        touched = [g for g in note.gold if g.overlaps(mark) and (not rules.types or g.type == mark.type)]
        if touched and rules.extra:
            continue
        words = split_words(note.text, mark)
        beyond = [word for word in words if not any(word.overlaps(gold) for gold in touched)]
        if beyond:
            wrong += [mark] if rules.once else beyond
    return wrong


def is_excused(unit: Span, note: MarkedNote) -> bool:
    return any(unit.start < end and start < unit.end for start, end in note.ambiguous)


def list_teams(names: Iterable[str], sizes: Sequence[int] = (1, 2, 3)) -> list[tuple[str, ...]]:
    """All teams of one, two and three readers (tables A.1 to A.3)."""
    ordered = sorted(names)
    return [team for size in sizes for team in combinations(ordered, size)]


def summarize_values(values: Iterable[float | None]) -> dict[str, float] | None:
    """Minimum, maximum and mean, as in table 4.1; None where no value is known."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return {"min": min(known), "max": max(known), "mean": sum(known) / len(known)}
