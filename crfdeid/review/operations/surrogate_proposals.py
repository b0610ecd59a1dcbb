"""What :mod:`crfdeid.redact.redactor` proposes for a note of the consensus, with a person's edits,
and the note as it would be written."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from crfdeid.redact.redactor import Proposal, Redactor, applied
from crfdeid.review.study.consensus import BOOK as CONSENSUS
from crfdeid.review.study.errors import Stage
from crfdeid.review.study.source import fingerprint
from crfdeid.review.study.study import Room
from crfdeid.review.study.surrogate_edits import BOOK, Replacing
from crfdeid.text.document import Document

REMEMBERED = 2000  # notes whose proposals stay in memory


@dataclass(frozen=True)
class Drawn:
    """A note with its consensus, and what is proposed for it. ``versions`` are those of the consensus of the
    patient's decided notes, which it was drawn from."""

    versions: dict[int, int]
    gold: Document
    proposals: tuple[Proposal, ...]


def drawn(room: Room, number: int) -> Drawn:
    """The proposals for a note, by what all decided notes of the patient say; drawn anew when one of these
    changes. Raises :class:`Stage` where its consensus is not done, :class:`Refused` where the note on disk is
    not what it was."""
    room.notes.document(number)
    versions = decided_beside(room, number)
    if number not in versions:
        raise Stage("none", "the consensus of this note is not done yet")
    found = room.drawn.get(number)
    if found is None or found.versions != versions:
        notes = {other: gold(room, other) for other in versions}
        own = notes.pop(number)
        found = Drawn(versions, own, tuple(Redactor(secret(room)).proposals(own, notes.values())))
        if len(room.drawn) >= REMEMBERED:
            room.drawn.clear()
        room.drawn[number] = found
    return found


def decided_beside(room: Room, number: int) -> dict[int, int]:
    """The patient's notes whose consensus is done, this one among them, with its version; without those that
    are no longer what they were."""
    siblings = room.notes.siblings(number)
    sql = f"""SELECT note, version FROM states WHERE book = ? AND done
              AND note IN ({", ".join(map(str, siblings))}) ORDER BY note"""
    rows = room.store.rows(sql, CONSENSUS)
    return {other: version for other, version in rows if other == number or other not in room.notes.refused}


def gold(room: Room, number: int) -> Document:
    state = room.consensus.entry(CONSENSUS, number).state
    return room.notes.document(number).with_spans(state.spans)


def secret(room: Room) -> bytes:
    """The study's own, drawn once: the same text of a patient is always replaced alike."""
    with room.store.writing():
        if (found := room.store.setting("secret")) is None:
            room.store.set("secret", found := secrets.token_hex(32))
    return bytes.fromhex(found)


def proposals(room: Room, number: int, state: Replacing | None = None) -> list[tuple[Proposal, bool]]:
    """The proposals with a person's edits, and whether each was edited."""
    edits = (state or room.replacing.entry(BOOK, number).state).edits
    chosen = []
    for proposal in drawn(room, number).proposals:
        edit = edits.get(key(proposal))
        edited = proposal if edit is None else replace(proposal, replacement=edit, resolved=True, why=None)
        chosen.append((edited, edit is not None))
    return chosen


def key(proposal: Proposal) -> str:
    return f"{proposal.start}-{proposal.end}"


def result(room: Room, number: int, state: Replacing | None = None) -> Document:
    """The note as it would be written."""
    chosen = [proposal for proposal, _ in proposals(room, number, state)]
    return applied(drawn(room, number).gold, chosen)


def is_approved(room: Room, number: int, state: Replacing) -> bool:
    return state.approved is not None and state.approved == fingerprint(result(room, number, state).text)


def same(room: Room, number: int, text: str) -> list[str]:
    """The keys of the note's proposals that replace this text, in any case."""
    found = drawn(room, number)
    covered = ((p, found.gold.text[p.start : p.end]) for p in found.proposals)
    return [key(proposal) for proposal, original in covered if original.casefold() == text.casefold()]
