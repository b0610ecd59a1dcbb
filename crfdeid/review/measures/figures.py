"""All figures of a study: each voter against the consensus, voters against each other, unions, and time.

The figures that depend on one note with a finished consensus are kept until an action changes the note, so
that measures after one change need the others only added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from crfdeid.evaluate import scores
from crfdeid.evaluate.matching import CRITERIA, Criterion, build_scored_document, count_matches
from crfdeid.evaluate.scores import Counts
from crfdeid.review.measures import counting
from crfdeid.review.measures.counting import CountingRules, MarkedNote, NoteOutcome, Outcome
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import InvalidValueError, NotFoundError
from crfdeid.review.study.source import read_stamps
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

Pair = tuple[str, str]
Key = tuple[object, ...]


def measure_team(notes: Iterable[DecidedNote], team: Sequence[str], rules: CountingRules) -> Outcome:
    """The union of the team's marks against the consensus, in notes that all of the team have read."""
    members = tuple(team)
    return counting.combine_outcomes(((n.number, n.measure_team(members, rules)) for n in notes), rules)


def parse_rules(names: str | None) -> CountingRules:
    """The rules in a list with commas; for None, all except ``types``. Raises :class:`InvalidValueError`.

    >>> parse_rules("once,part").extra, parse_rules(None).extra, parse_rules("none").once
    (False, True, False)
    """
    if names is None:
        return CountingRules()
    known = [field.name for field in fields(CountingRules)]
    chosen = [name for name in names.split(",") if name and name != "none"]
    if [name for name in chosen if name not in known]:
        raise InvalidValueError(f"rules are {', '.join(known)}")
    return CountingRules(**{name: name in chosen for name in known})


def compute_figures(study: Study, set_name: str | None = None, rule_names: str | None = None) -> Json:
    """The tables of docs/review_api.md."""
    rules, notes = parse_rules(rule_names), read_decided_notes(study, set_name)
    voters = sorted({name for note in notes for name in note.votes})
    systems = set(study.list_systems())
    by_size = measure_teams(notes, [name for name in voters if name not in systems], rules)
    return {
        "notes": len(notes),
        "instances": sum(note.measure_team((), rules).instances for note in notes),
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


def measure_teams(
    notes: Iterable[DecidedNote], readers: list[str], rules: CountingRules
) -> dict[str, list[Json]]:
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
                outcome = describe_outcome(measure_team(shared, team, rules))
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


def describe_voter(
    study: Study, notes: list[DecidedNote], name: str, kind: str, rules: CountingRules
) -> Json:
    voted = select_read_by_all(notes, [name])
    outcome = measure_team(voted, [name], rules)
    return (
        {"name": name, "kind": kind, "notes": len(voted)}
        | describe_outcome(outcome)
        | {"i2b2": score_i2b2(voted, name)}
        | measure_pace(study, voted, name)
    )


def score_i2b2(notes: list[DecidedNote], name: str) -> Json:
    """The i2b2 criteria, micro-averaged."""
    sums = np.array([note.matches[name] for note in notes])  # (notes, criteria, 4)
    results = {}
    for index, criterion in enumerate(CRITERIA):
        outcomes = scores.count_outcomes(sums[:, index]).sum(axis=0)
        counts = Counts(*(int(number) for number in outcomes))
        results[criterion] = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return results


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
    labels: Counter[Pair] = Counter()
    counts = Counts()
    for note in shared:
        in_note, equal = note.pairs[first, second]
        labels.update(in_note)
        counts = counts + equal
    kappa = agreement.compute_kappa(labels)
    return {"a": first, "b": second, "notes": len(shared), "f1": counts.f1, "kappa": kappa}


def list_mistakes(
    study: Study, name: str, set_name: str | None = None, rule_names: str | None = None
) -> Json:
    """Every mistake of a voter, in reading order. Raises :class:`NotFoundError`."""
    voted = select_read_by_all(read_decided_notes(study, set_name), [name])
    if not voted:
        raise NotFoundError("nobody with this name has read a note whose consensus is done")
    texts = {note.number: note.document.text for note in voted}
    mistakes = measure_team(voted, [name], parse_rules(rule_names)).mistakes
    names = ("number", "start", "end", "kind", "counted")
    rows: list[Json] = [dict(zip(names, mistake)) for mistake in sorted(mistakes)]
    return {"mistakes": [row | {"text": texts[row["number"]][row["start"] : row["end"]]} for row in rows]}


@dataclass(frozen=True)
class DecidedNote:
    """A note whose consensus is done, with the spans of every voter. ``outcomes`` are those asked for
    before, by team and rules."""

    document: Document
    number: int
    set_name: str
    words: int
    consensus: Consensus
    votes: dict[str, tuple[Span, ...]]
    scheme: Scheme
    outcomes: dict[tuple[tuple[str, ...], CountingRules], NoteOutcome] = field(default_factory=dict)

    def measure_team(self, team: tuple[str, ...], rules: CountingRules) -> NoteOutcome:
        """The union of the team's marks against the consensus."""
        if (team, rules) not in self.outcomes:
            marks = sorted({span for name in team for span in self.votes[name]})
            consensus = self.consensus
            note = MarkedNote(self.number, self.document.text, consensus.spans, marks, consensus.ambiguous)
            self.outcomes[team, rules] = counting.measure_note(note, rules)
        return self.outcomes[team, rules]

    @cached_property
    def matches(self) -> dict[str, np.ndarray]:
        """By voter, the four statistics of each criterion of i2b2, summed over types, (criteria, 4)."""
        gold = build_scored_document(self.document.with_spans(self.consensus.spans), self.scheme)
        found = {}
        for name, spans in self.votes.items():
            plain = [Span(span.start, span.end, span.type) for span in spans]
            scored = build_scored_document(self.document.with_spans(plain), self.scheme)
            by_criterion = [
                count_matches(gold, scored, Criterion(criterion), self.scheme.hipaa).values()
                for criterion in CRITERIA
            ]
            found[name] = np.array([np.sum([*cells, (0, 0, 0, 0)], axis=0) for cells in by_criterion])
        return found

    @cached_property
    def pairs(self) -> dict[Pair, tuple[Counter[Pair], Counts]]:
        """By pair of voters, how often each pair of labels occurs at a token, and the equal spans."""
        labels = agreement.label_tokens(self.document.text, self.votes)
        return {
            (a, b): (
                Counter(zip(labels[a], labels[b])),
                agreement.count_equal_spans(self.votes[a], self.votes[b]),
            )
            for a, b in agreement.pair_names(self.votes)
        }


def read_decided_notes(study: Study, set_name: str | None) -> list[DecidedNote]:
    """The notes of a set whose consensus is done. Raises :class:`NoteRefusedError` where one changed on
    disk."""
    chosen = {note.number for note in study.find_set(set_name)}
    keys = read_keys(study)
    stamps = read_stamps(study.notes.source)
    notes = []
    for number in study.list_decided():
        if number not in chosen:
            continue
        note = study.notes.find_note(number)
        if stamps.get(note.file) != note.stamp:
            study.notes.read_document(number)
        if number not in study.measured or study.measured[number][0] != keys[number]:
            study.measured[number] = (keys[number], read_decided_note(study, number))
        notes.append(study.measured[number][1])
    return notes


def read_keys(study: Study) -> dict[int, Key]:
    """The inputs of a decided note's figures: the versions of its books, and the systems."""
    systems = tuple(study.list_systems())
    sql = """SELECT note, group_concat(book || char(10) || version, char(10)) FROM
             (SELECT note, book, version FROM states ORDER BY note, book) GROUP BY note"""
    return {number: (versions, systems) for number, versions in study.store.fetch_all(sql)}


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
