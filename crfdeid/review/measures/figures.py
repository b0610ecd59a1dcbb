"""All figures of a study: each voter against the consensus, readers against each other, unions, and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np

from crfdeid.evaluate import scores
from crfdeid.evaluate.matching import (
    CRITERIA,
    Criterion,
    ScoredDocument,
    build_scored_document,
    count_matches,
)
from crfdeid.evaluate.scores import Counts
from crfdeid.review.measures import measures
from crfdeid.review.measures.measures import Outcome, Read, Rules
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import Invalid, Unknown
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

Table = dict[str, Any]


@dataclass(frozen=True)
class DecidedNote:
    """A note whose consensus is done, with what every voter marked there."""

    document: Document
    number: int
    words: int
    consensus: Consensus
    votes: dict[str, tuple[Span, ...]]
    scheme: Scheme

    @cached_property
    def gold(self) -> ScoredDocument:
        return build_scored_document(self.document.with_spans(self.consensus.spans), self.scheme)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The label of each token, by voter."""
        return agreement.labels(self.document.text, self.votes)


def judged(study: Study, part: str | None) -> list[DecidedNote]:
    """The notes of a set whose consensus is done. Raises :class:`Refused` where one changed on disk."""
    chosen = {note.number for note in study.part(part)}
    systems = study.systems()
    notes = []
    for number in (n for n in study.decided() if n in chosen):
        readers = [name for name, done in study.finished(number).items() if done]
        votes = {name: study.marking.entry(book(name), number).state.spans for name in readers}
        votes |= {name: tuple(study.found(name, number)) for name in systems if read_by(study, name, number)}
        state = study.consensus.entry(BOOK, number).state
        notes.append(
            DecidedNote(
                study.notes.document(number),
                number,
                study.notes.note(number).words,
                state,
                votes,
                study.scheme,
            )
        )
    return notes


def read_by(study: Study, system: str, number: int) -> bool:
    return study.store.row("SELECT 1 FROM found WHERE system = ? AND note = ?", system, number) is not None


def read_by_all(notes: Iterable[DecidedNote], team: Iterable[str]) -> list[DecidedNote]:
    names = list(team)
    return [note for note in notes if all(name in note.votes for name in names)]


def as_read(notes: Iterable[DecidedNote], team: Iterable[str]) -> list[Read]:
    """The notes with the union of the team's marks."""
    names = list(team)
    return [
        Read(note.number, note.document.text, note.consensus.spans,
             sorted({span for name in names for span in note.votes[name]}), note.consensus.ambiguous)
        for note in notes
    ]  # fmt: skip


def rules(names: str | None) -> Rules:
    """The rules named, all but ``types`` where nothing is. Raises :class:`Invalid`.

    >>> rules("once,part").extra, rules(None).extra, rules("none").once
    (False, True, False)
    """
    if names is None:
        return Rules()
    known = [field.name for field in fields(Rules)]
    chosen = [name for name in names.split(",") if name and name != "none"]
    if [name for name in chosen if name not in known]:
        raise Invalid(f"rules are {', '.join(known)}")
    return Rules(**{name: name in chosen for name in known})


def everything(study: Study, part: str | None = None, names: str | None = None) -> Table:
    """The tables of docs/review_api.md."""
    chosen, notes = rules(names), judged(study, part)
    voters = sorted({name for note in notes for name in note.votes})
    systems = set(study.systems())
    teams = measures.unions([name for name in voters if name not in systems])
    by_size: dict[str, list[Table]] = {"1": [], "2": [], "3": []}
    for team in teams:
        if shared := read_by_all(notes, team):
            table = outcome_table(measures.measure(as_read(shared, team), chosen))
            by_size[str(len(team))].append({"voters": list(team), "notes": len(shared)} | table)
    return {
        "notes": len(notes),
        "instances": sum(len(measures.units(n.document.text, n.consensus.spans, chosen)) for n in notes),
        "rules": {name: getattr(chosen, name) for name in chosen.names},
        "voters": [
            voter(study, notes, name, "system" if name in systems else "reader", chosen) for name in voters
        ],
        "agreement": [found for a, b in agreement.pairs(voters) if (found := agreed(notes, a, b))],
        "unions": by_size,
        "summary": {size: summary(rows) for size, rows in by_size.items()},
        "published": {
            size: {name: dict(zip(("min", "max", "mean"), values)) for name, values in row.items()}
            for size, row in measures.PUBLISHED.items()
        },
    }


def outcome_table(found: Outcome) -> Table:
    counts = found.counts
    return {
        "tp": counts.tp, "fp": counts.fp, "fn": counts.fn,
        "sensitivity": found.sensitivity, "ppv": found.ppv,
    }  # fmt: skip


def summary(rows: list[Table]) -> Table:
    return {name: measures.spread(row[name] for row in rows) for name in ("sensitivity", "ppv")}


def voter(study: Study, notes: list[DecidedNote], name: str, kind: str, chosen: Rules) -> Table:
    read = read_by_all(notes, [name])
    found = measures.measure(as_read(read, [name]), chosen)
    return (
        {"name": name, "kind": kind, "notes": len(read)}
        | outcome_table(found)
        | {"i2b2": official(study, read, name)}
        | pace(study, read, name)
    )


def official(study: Study, read: list[DecidedNote], name: str) -> Table:
    """The i2b2 criteria, micro-averaged."""
    votes = [note.document.with_spans(plain(note.votes[name])) for note in read]
    pairs = [
        (note.gold, build_scored_document(document, study.scheme)) for note, document in zip(read, votes)
    ]
    found = {}
    for criterion in CRITERIA:
        cells = [count_matches(*pair, Criterion(criterion), study.scheme.hipaa).values() for pair in pairs]
        sums = [np.sum([*counts, (0, 0, 0, 0)], axis=0) for counts in cells]
        counts = Counts(*(int(number) for number in scores.count_outcomes(np.array(sums)).sum(axis=0)))
        found[criterion] = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return found


def plain(spans: Iterable[Span]) -> list[Span]:
    """Without probabilities."""
    return [Span(span.start, span.end, span.type) for span in spans]


def pace(study: Study, read: list[DecidedNote], name: str) -> Table:
    """Time per note, of the notes that time was noted down for."""
    rows = study.store.rows("SELECT note, seconds FROM times WHERE reader = ? AND seconds > 0", name)
    spent = {number: seconds for number, seconds in rows}
    timed = [note for note in read if note.number in spent]
    seconds = sum(spent[note.number] for note in timed)
    return {
        "seconds_per_note": seconds / len(timed) if timed else None,
        "words_per_minute": sum(note.words for note in timed) / seconds * 60 if timed else None,
    }


def agreed(notes: list[DecidedNote], first: str, second: str) -> Table | None:
    """F1 and kappa of two voters over the notes that both read, if there are any."""
    if not (shared := read_by_all(notes, (first, second))):
        return None
    pairs: Counter[tuple[str, str]] = Counter()
    for note in shared:
        pairs.update(zip(note.labels[first], note.labels[second]))
    counts = reduce(add, (agreement.f1(note.votes[first], note.votes[second]) for note in shared), Counts())
    return {"a": first, "b": second, "notes": len(shared), "f1": counts.f1, "kappa": agreement.kappa(pairs)}


def mistakes(study: Study, name: str, part: str | None = None, names: str | None = None) -> Table:
    """Every mistake of a voter, in reading order. Raises :class:`Unknown`."""
    read = read_by_all(judged(study, part), [name])
    if not read:
        raise Unknown("nobody of this name has read a note whose consensus is done")
    found = measures.measure(as_read(read, [name]), rules(names)).mistakes
    return {
        "mistakes": [
            {"number": m.note, "start": m.start, "end": m.end, "kind": m.kind, "counted": m.counted}
            for m in sorted(found)
        ]
    }
