"""The notes whose consensus is done, with what every reader and system marked there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from crfdeid.evaluate.matching import ScoredDocument, tagged
from crfdeid.review.measures.measures import Read
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme


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
        return tagged(self.document.with_spans(self.consensus.spans), self.scheme)

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
