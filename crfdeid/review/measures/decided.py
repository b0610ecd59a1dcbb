"""The notes whose consensus is done, each with the figures that depend on it alone. These are kept until an
action changes the note, so that measures after one change need the others only added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from crfdeid.evaluate.matching import CRITERIA, Criterion, build_scored_document, count_matches
from crfdeid.evaluate.scores import Counts
from crfdeid.review.measures import counting
from crfdeid.review.measures.counting import MarkedNote, NoteOutcome, Rules
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.source import read_stamps
from crfdeid.review.study.study import Study, name_book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

Pair = tuple[str, str]
Key = tuple[object, ...]


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
    outcomes: dict[tuple[tuple[str, ...], Rules], NoteOutcome] = field(default_factory=dict)

    def measure_team(self, team: tuple[str, ...], rules: Rules) -> NoteOutcome:
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
    """What a decided note's figures depend on: the versions of its books, and the systems."""
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
