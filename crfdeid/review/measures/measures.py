"""How well a reader, a system, or the union of several did against the consensus (Douglass 2005).

Her rules (section 3.4): an instance counts once however many words it has; found in part is found; extra
words around it are not punished; the same text wrongly marked again and again is one mistake; who marked
what was ambiguous, and was told to, is not blamed. Each rule can be switched off. Types do not count,
unless asked for: the thesis had none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import NamedTuple

from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import word_boundaries
from crfdeid.text.document import Span

# Douglass 2005, table 4.1: minimum, maximum, mean of sensitivity and of positive predictive value.
PUBLISHED = {
    "1": {"sensitivity": (0.63, 0.94, 0.81), "ppv": (0.95, 1.0, 0.98)},
    "2": {"sensitivity": (0.89, 0.98, 0.94), "ppv": (0.95, 0.99, 0.97)},
    "3": {"sensitivity": (0.98, 0.99, 0.98), "ppv": (0.95, 0.99, 0.97)},
}


@dataclass(frozen=True)
class Rules:
    once: bool = True
    part: bool = True
    extra: bool = True
    systematic: bool = True
    excused: bool = True
    types: bool = False

    @property
    def names(self) -> list[str]:
        return [f.name for f in fields(self)]


class Read(NamedTuple):
    """One note: its text, the consensus, what somebody marked, and stretches nobody is blamed for."""

    number: int
    text: str
    gold: Sequence[Span]
    marked: Sequence[Span]
    ambiguous: Sequence[tuple[int, int]] = ()


class Mistake(NamedTuple):
    """``kind``: missed or spurious. ``counted``: whether the rules count it."""

    note: int
    start: int
    end: int
    kind: str
    counted: bool


@dataclass(frozen=True)
class Outcome:
    counts: Counts
    mistakes: tuple[Mistake, ...]

    @property
    def sensitivity(self) -> float | None:
        return share(self.counts.tp, self.counts.fn)

    @property
    def ppv(self) -> float | None:
        return share(self.counts.tp, self.counts.fp)


def share(right: int, wrong: int) -> float | None:
    return right / (right + wrong) if right + wrong else None


def measure(notes: Iterable[Read], rules: Rules = Rules()) -> Outcome:
    """Counts over the notes, and every mistake.

    >>> text = "Dr. Everard van Tijlen, vent 24/06, vent 24/06"
    >>> gold = [Span(4, 22, "DOCTOR")]
    >>> marked = [Span(0, 11, "DOCTOR"), Span(29, 34, "DATE"), Span(41, 46, "DATE")]
    >>> measure([Read(1, text, gold, marked)]).counts
    Counts(tp=1, fp=1, fn=0)
    >>> measure([Read(1, text, gold, marked)], Rules(once=False, extra=False, systematic=False)).counts
    Counts(tp=1, fp=3, fn=2)
    """
    right, mistakes, known = 0, [], set()
    for note in notes:
        instances = units(note.text, note.gold, rules)
        lost = [unit for unit in instances if not found(unit, note, rules)]
        right += len(instances) - len(lost)
        mistakes += [Mistake(note.number, unit.start, unit.end, "missed", True) for unit in lost]
        for unit in spurious(note, rules):
            wording = " ".join(note.text[unit.start : unit.end].lower().split())
            again = rules.systematic and wording in known
            known.add(wording)
            counted = not again and not (rules.excused and excused(unit, note))
            mistakes.append(Mistake(note.number, unit.start, unit.end, "spurious", counted))
    missed = sum(mistake.kind == "missed" for mistake in mistakes)
    wrong = sum(mistake.kind == "spurious" and mistake.counted for mistake in mistakes)
    return Outcome(Counts(right, wrong, missed), tuple(mistakes))


def units(text: str, spans: Iterable[Span], rules: Rules) -> list[Span]:
    """What counts as one: an instance, or each of its words. Marks of one type with nothing but blanks
    between them are one instance."""
    instances = joined(text, spans, rules.types)
    return instances if rules.once else [word for span in instances for word in its_words(text, span)]


def its_words(text: str, span: Span) -> list[Span]:
    inside = word_boundaries.words(text[span.start : span.end])
    return [Span(span.start + a, span.start + b, span.type) for a, b in inside] or [span]


def joined(text: str, spans: Iterable[Span], types: bool = False) -> list[Span]:
    """Overlapping marks (with ``types``, of one type), and marks of one type side by side in a line, as
    one; outer punctuation trimmed.

    >>> spans = [Span(0, 3, "CITY"), Span(4, 8, "CITY"), Span(12, 15, "DATE")]
    >>> [(span.start, span.end) for span in joined("New York in May", spans)]
    [(0, 8), (12, 15)]
    """
    merged: list[Span] = []
    latest: dict[str, int] = {}  # where the last of a type, or of any type, is in ``merged``
    for span in sorted(spans):
        start, end = word_boundaries.trimmed(text, span.start, span.end) or (span.start, span.end)
        place = latest.get(span.type if types else "")
        last = merged[place] if place is not None else None
        if last and (start < last.end or (span.type == last.type and blank(text[last.end : start]))):
            merged[place] = Span(last.start, max(last.end, end), last.type)
        else:
            latest[span.type if types else ""] = len(merged)
            merged.append(Span(start, end, span.type))
    return merged


def blank(between: str) -> bool:
    return between.isspace() and len(between.splitlines()) == 1 and not between.endswith(("\n", "\r"))


def found(unit: Span, note: Read, rules: Rules) -> bool:
    """Whether a unit of the consensus is touched by a mark, or, without ``part``, wholly covered."""
    touching = [m for m in note.marked if m.overlaps(unit) and (not rules.types or m.type == unit.type)]
    if rules.part:
        return bool(touching)
    covered = {place for mark in touching for place in range(mark.start, mark.end)}
    wanted = (p for p in range(unit.start, unit.end) if word_boundaries.INNER.match(note.text, p))
    return bool(touching) and all(place in covered for place in wanted)


def spurious(note: Read, rules: Rules) -> list[Span]:
    """The units of the marks that the consensus does not have."""
    wrong: list[Span] = []
    for mark in joined(note.text, note.marked, rules.types):
        touched = [g for g in note.gold if g.overlaps(mark) and (not rules.types or g.type == mark.type)]
        if touched and rules.extra:
            continue
        beyond = [w for w in its_words(note.text, mark) if not any(w.overlaps(g) for g in touched)]
        if beyond:
            wrong += [mark] if rules.once else beyond
    return wrong


def excused(unit: Span, note: Read) -> bool:
    return any(unit.start < end and start < unit.end for start, end in note.ambiguous)


def unions(names: Iterable[str], sizes: Sequence[int] = (1, 2, 3)) -> list[tuple[str, ...]]:
    """All teams of one, two and three readers (tables A.1 to A.3)."""
    ordered = sorted(names)
    return [team for size in sizes for team in combinations(ordered, size)]


def spread(values: Iterable[float | None]) -> dict[str, float] | None:
    """Least, greatest and mean, as in table 4.1."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return {"min": min(known), "max": max(known), "mean": sum(known) / len(known)}
