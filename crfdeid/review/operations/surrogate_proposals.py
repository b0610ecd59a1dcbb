"""What :mod:`crfdeid.redact.redactor` proposes for a note of the consensus, with a person's edits,
and the note as it would be written."""

from __future__ import annotations

import secrets
from dataclasses import replace

from crfdeid.redact.redactor import Redactor, Replacement, apply_replacements
from crfdeid.review.study.consensus import BOOK as CONSENSUS
from crfdeid.review.study.errors import Stage
from crfdeid.review.study.source import fingerprint
from crfdeid.review.study.study import Study
from crfdeid.review.study.surrogates import BOOK, SurrogateDraft, SurrogateEdits
from crfdeid.text.document import Document

REMEMBERED = 2000  # notes whose proposals stay in memory


def drawn(study: Study, number: int) -> SurrogateDraft:
    """The proposals for a note, by what all decided notes of the patient say; drawn anew when one of these
    changes. Raises :class:`Stage` where its consensus is not done, :class:`Refused` where the note on disk is
    not what it was."""
    study.notes.document(number)
    versions = decided_beside(study, number)
    if number not in versions:
        raise Stage("none", "the consensus of this note is not done yet")
    found = study.drawn.get(number)
    if found is None or found.versions != versions:
        notes = {other: gold(study, other) for other in versions}
        own = notes.pop(number)
        found = SurrogateDraft(versions, own, tuple(Redactor(secret(study)).propose(own, notes.values())))
        if len(study.drawn) >= REMEMBERED:
            study.drawn.clear()
        study.drawn[number] = found
    return found


def decided_beside(study: Study, number: int) -> dict[int, int]:
    """The patient's notes whose consensus is done, this one among them, with its version; without those that
    are no longer what they were."""
    siblings = study.notes.siblings(number)
    sql = f"""SELECT note, version FROM states WHERE book = ? AND done
              AND note IN ({", ".join(map(str, siblings))}) ORDER BY note"""
    rows = study.store.rows(sql, CONSENSUS)
    return {other: version for other, version in rows if other == number or other not in study.notes.refused}


def gold(study: Study, number: int) -> Document:
    state = study.consensus.entry(CONSENSUS, number).state
    return study.notes.document(number).with_spans(state.spans)


def secret(study: Study) -> bytes:
    """The study's own, drawn once: the same text of a patient is always replaced alike."""
    with study.store.writing():
        if (found := study.store.setting("secret")) is None:
            study.store.set("secret", found := secrets.token_hex(32))
    return bytes.fromhex(found)


def proposals(
    study: Study, number: int, state: SurrogateEdits | None = None
) -> list[tuple[Replacement, bool]]:
    """The proposals with a person's edits, and whether each was edited."""
    edits = (state or study.replacing.entry(BOOK, number).state).edits
    chosen = []
    for proposal in drawn(study, number).replacements:
        edit = edits.get(key(proposal))
        edited = proposal if edit is None else replace(proposal, replacement=edit, resolved=True, why=None)
        chosen.append((edited, edit is not None))
    return chosen


def key(proposal: Replacement) -> str:
    return f"{proposal.start}-{proposal.end}"


def result(study: Study, number: int, state: SurrogateEdits | None = None) -> Document:
    """The note as it would be written."""
    chosen = [proposal for proposal, _ in proposals(study, number, state)]
    return apply_replacements(drawn(study, number).gold, chosen)


def is_approved(study: Study, number: int, state: SurrogateEdits) -> bool:
    return state.approved is not None and state.approved == fingerprint(result(study, number, state).text)


def same(study: Study, number: int, text: str) -> list[str]:
    """The keys of the note's proposals that replace this text, in any case."""
    found = drawn(study, number)
    covered = ((p, found.gold.text[p.start : p.end]) for p in found.replacements)
    return [key(proposal) for proposal, original in covered if original.casefold() == text.casefold()]
