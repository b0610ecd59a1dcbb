"""The notes whose consensus is done, with what every reader and system marked there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from crfdeid.evaluate.matching import Tagged, tagged
from crfdeid.review.measures.measures import Read
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.study import Room, book
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme


@dataclass(frozen=True)
class Judged:
    """A note whose consensus is done, with what every voter marked there."""

    document: Document
    number: int
    words: int
    consensus: Consensus
    votes: dict[str, tuple[Span, ...]]
    scheme: Scheme

    @cached_property
    def gold(self) -> Tagged:
        return tagged(self.document.with_spans(self.consensus.spans), self.scheme)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The label of each token, by voter."""
        return agreement.labels(self.document.text, self.votes)


def judged(room: Room, part: str | None) -> list[Judged]:
    """The notes of a set whose consensus is done. Raises :class:`Refused` where one changed on disk."""
    chosen = {note.number for note in room.part(part)}
    systems = room.systems()
    notes = []
    for number in (n for n in room.decided() if n in chosen):
        readers = [name for name, done in room.finished(number).items() if done]
        votes = {name: room.marking.entry(book(name), number).state.spans for name in readers}
        votes |= {name: tuple(room.found(name, number)) for name in systems if read_by(room, name, number)}
        state = room.consensus.entry(BOOK, number).state
        notes.append(
            Judged(
                room.notes.document(number), number, room.notes.note(number).words, state, votes, room.scheme
            )
        )
    return notes


def read_by(room: Room, system: str, number: int) -> bool:
    return room.store.row("SELECT 1 FROM found WHERE system = ? AND note = ?", system, number) is not None


def read_by_all(notes: Iterable[Judged], team: Iterable[str]) -> list[Judged]:
    names = list(team)
    return [note for note in notes if all(name in note.votes for name in names)]


def as_read(notes: Iterable[Judged], team: Iterable[str]) -> list[Read]:
    """The notes with the union of the team's marks."""
    names = list(team)
    return [
        Read(note.number, note.document.text, note.consensus.spans,
             sorted({span for name in names for span in note.votes[name]}), note.consensus.ambiguous)
        for note in notes
    ]  # fmt: skip
