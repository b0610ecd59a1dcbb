"""All figures of a study: each voter against the consensus, voters against each other, unions, and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from operator import add

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
from crfdeid.review.measures import counting
from crfdeid.review.measures.counting import MarkedNote, Outcome, Rules
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import InvalidValueError, NotFoundError
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme


@dataclass(frozen=True)
class DecidedNote:
    """A note whose consensus is done, with the spans of every voter."""

    document: Document
    number: int
    set_name: str
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
        return agreement.label_tokens(self.document.text, self.votes)


def read_decided_notes(study: Study, set_name: str | None) -> list[DecidedNote]:
    """The notes of a set whose consensus is done. Raises :class:`NoteRefusedError` where one changed on
    disk."""
    chosen = {note.number for note in study.find_set(set_name)}
    return [read_decided_note(study, number) for number in study.list_decided() if number in chosen]


def read_decided_note(study: Study, number: int) -> DecidedNote:
    readers = [name for name, done in study.find_readers(number).items() if done]
    votes = {name: study.marks_log.read_entry(name_book(name), number).state.spans for name in readers}
    for name in study.list_systems():
        if has_tagged(study, name, number):
            votes[name] = tuple(study.read_spans(name, number))
    state = study.consensus_log.read_entry(BOOK, number).state
    note = study.notes.find_note(number)
    document = study.notes.read_document(number)
    return DecidedNote(document, number, note.set_name, note.words, state, votes, study.scheme)


def has_tagged(study: Study, system: str, number: int) -> bool:
    sql = "SELECT 1 FROM found WHERE system = ? AND note = ?"
    return study.store.fetch_one(sql, system, number) is not None


def select_read_by_all(notes: Iterable[DecidedNote], team: Iterable[str]) -> list[DecidedNote]:
    """The notes in which every member of the team has voted."""
    names = list(team)
    return [note for note in notes if all(name in note.votes for name in names)]


def unite_marks(notes: Iterable[DecidedNote], team: Iterable[str]) -> list[MarkedNote]:
    """The notes with the union of the team's marks."""
    names = list(team)
    united = []
    for note in notes:
        marks = sorted({span for name in names for span in note.votes[name]})
        consensus = note.consensus
        united.append(
            MarkedNote(note.number, note.document.text, consensus.spans, marks, consensus.ambiguous)
        )
    return united


def parse_rules(names: str | None) -> Rules:
    """The rules in a list with commas; for None, all except ``types``. Raises :class:`InvalidValueError`.

    >>> parse_rules("once,part").extra, parse_rules(None).extra, parse_rules("none").once
    (False, True, False)
    """
    if names is None:
        return Rules()
    known = [field.name for field in fields(Rules)]
    chosen = [name for name in names.split(",") if name and name != "none"]
    if [name for name in chosen if name not in known]:
        raise InvalidValueError(f"rules are {', '.join(known)}")
    return Rules(**{name: name in chosen for name in known})


def compute_figures(study: Study, set_name: str | None = None, rule_names: str | None = None) -> Json:
    """The tables of docs/review_api.md."""
    rules, notes = parse_rules(rule_names), read_decided_notes(study, set_name)
    voters = sorted({name for note in notes for name in note.votes})
    systems = set(study.list_systems())
    by_size = measure_teams(notes, [name for name in voters if name not in systems], rules)
    texts = ((note.document.text, note.consensus.spans) for note in notes)
    return {
        "notes": len(notes),
        "instances": sum(len(counting.split_units(text, spans, rules)) for text, spans in texts),
        "rules": {name: getattr(rules, name) for name in rules.names},
        "voters": [
            describe_voter(study, notes, name, "system" if name in systems else "reader", rules)
            for name in voters
        ],
        "agreement": [row for a, b in agreement.pair_names(voters) if (row := compare_voters(notes, a, b))],
        "unions": by_size,
        "summary": {size: summarize_teams(rows) for size, rows in by_size.items()},
        "published": {
            size: {name: dict(zip(("min", "max", "mean"), values)) for name, values in row.items()}
            for size, row in counting.PUBLISHED.items()
        },
    }


def measure_teams(notes: Iterable[DecidedNote], readers: list[str], rules: Rules) -> dict[str, list[Json]]:
    """The outcomes of all teams of one, two and three readers, by size, and in each set by itself, as the
    thesis measured each quarter (tables A.1 to A.3). ``whole`` says whether the team read all of the set's
    ``notes``."""
    by_size: dict[str, list[Json]] = {"1": [], "2": [], "3": []}
    sets: dict[str, list[DecidedNote]] = {}
    for note in notes:
        sets.setdefault(note.set_name, []).append(note)
    for name, decided in sets.items():
        for team in counting.list_teams(readers):
            if shared := select_read_by_all(decided, team):
                outcome = describe_outcome(counting.measure_notes(unite_marks(shared, team), rules))
                row = {"voters": list(team), "set": name, "notes": len(shared)}
                by_size[str(len(team))].append(row | {"whole": len(shared) == len(decided)} | outcome)
    return by_size


def describe_outcome(outcome: Outcome) -> Json:
    counts = outcome.counts
    return {
        "tp": counts.tp, "fp": counts.fp, "fn": counts.fn,
        "sensitivity": outcome.sensitivity, "ppv": outcome.ppv,
    }  # fmt: skip


def summarize_teams(rows: list[Json]) -> Json:
    """Table 4.1: over teams that read whole sets, so that a note that two readers share by chance does not
    weigh as much as a quarter."""
    whole = [row for row in rows if row["whole"]]
    return {name: counting.summarize_values(row[name] for row in whole) for name in ("sensitivity", "ppv")}


def describe_voter(study: Study, notes: list[DecidedNote], name: str, kind: str, rules: Rules) -> Json:
    voted = select_read_by_all(notes, [name])
    outcome = counting.measure_notes(unite_marks(voted, [name]), rules)
    return (
        {"name": name, "kind": kind, "notes": len(voted)}
        | describe_outcome(outcome)
        | {"i2b2": score_i2b2(study, voted, name)}
        | measure_pace(study, voted, name)
    )


def score_i2b2(study: Study, notes: list[DecidedNote], name: str) -> Json:
    """The i2b2 criteria, micro-averaged."""
    votes = [note.document.with_spans(drop_probabilities(note.votes[name])) for note in notes]
    pairs = [
        (note.gold, build_scored_document(document, study.scheme)) for note, document in zip(notes, votes)
    ]
    results = {}
    for criterion in CRITERIA:
        cells = [count_matches(*pair, Criterion(criterion), study.scheme.hipaa).values() for pair in pairs]
        sums = [np.sum([*statistics, (0, 0, 0, 0)], axis=0) for statistics in cells]
        counts = Counts(*(int(number) for number in scores.count_outcomes(np.array(sums)).sum(axis=0)))
        results[criterion] = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return results


def drop_probabilities(spans: Iterable[Span]) -> list[Span]:
    return [Span(span.start, span.end, span.type) for span in spans]


def measure_pace(study: Study, notes: list[DecidedNote], name: str) -> Json:
    """Seconds per note and words per minute, over the notes for which the reader's time is known."""
    rows = study.store.fetch_all("SELECT note, seconds FROM times WHERE reader = ? AND seconds > 0", name)
    seconds = {number: value for number, value in rows}
    timed = [note for note in notes if note.number in seconds]
    total = sum(seconds[note.number] for note in timed)
    return {
        "seconds_per_note": total / len(timed) if timed else None,
        "words_per_minute": sum(note.words for note in timed) / total * 60 if timed else None,
    }


def compare_voters(notes: list[DecidedNote], first: str, second: str) -> Json | None:
    """F1 and kappa of two voters over the notes that both read; None if there are no such notes."""
    if not (shared := select_read_by_all(notes, (first, second))):
        return None
    pairs: Counter[tuple[str, str]] = Counter()
    for note in shared:
        pairs.update(zip(note.labels[first], note.labels[second]))
    counts = reduce(
        add, (agreement.count_equal_spans(note.votes[first], note.votes[second]) for note in shared), Counts()
    )
    kappa = agreement.compute_kappa(pairs)
    return {"a": first, "b": second, "notes": len(shared), "f1": counts.f1, "kappa": kappa}


def list_mistakes(
    study: Study, name: str, set_name: str | None = None, rule_names: str | None = None
) -> Json:
    """Every mistake of a voter, in reading order. Raises :class:`NotFoundError`."""
    voted = select_read_by_all(read_decided_notes(study, set_name), [name])
    if not voted:
        raise NotFoundError("nobody with this name has read a note whose consensus is done")
    mistakes = counting.measure_notes(unite_marks(voted, [name]), parse_rules(rule_names)).mistakes
    return {
        "mistakes": [
            {"number": m.note, "start": m.start, "end": m.end, "kind": m.kind, "counted": m.counted}
            for m in sorted(mistakes)
        ]
    }
