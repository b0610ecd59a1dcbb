"""The replacements that :mod:`crfdeid.redact.redactor` proposes for a note of the consensus, with a person's
edits, and the note as it would be written."""

from __future__ import annotations

import secrets
from dataclasses import replace

from crfdeid.redact.redactor import Redactor, Replacement, apply_replacements
from crfdeid.review.study.consensus import BOOK as CONSENSUS
from crfdeid.review.study.errors import StageError
from crfdeid.review.study.source import compute_fingerprint
from crfdeid.review.study.study import Study
from crfdeid.review.study.surrogates import BOOK, SurrogateDraft, SurrogateEdits
from crfdeid.text.document import Document

MOST_DRAFTS = 2000  # notes whose drafts stay in memory


def draft_surrogates(study: Study, number: int) -> SurrogateDraft:
    """The replacements proposed for a note, from all decided notes of the patient; computed again when one of
    these changes. Raises :class:`StageError` where the note's consensus is not done,
    :class:`NoteRefusedError` where the note changed on disk."""
    study.notes.read_document(number)
    versions = find_decided_siblings(study, number)
    if number not in versions:
        raise StageError("none", "the consensus of this note is not done yet")
    draft = study.drafts.get(number)
    if draft is None or draft.versions != versions:
        study.drafts |= (drafts := draft_patient(study, versions))
        draft = drafts[number]
        while len(study.drafts) > MOST_DRAFTS:
            del study.drafts[next(iter(study.drafts))]  # the oldest
    return draft


def draft_patient(study: Study, versions: dict[int, int]) -> dict[int, SurrogateDraft]:
    """The drafts of all decided notes of a patient: what they have in common is computed once."""
    notes = [read_gold(study, number) for number in versions]
    proposals = Redactor(read_secret(study)).propose(notes)
    return {
        number: SurrogateDraft(versions, gold, tuple(proposed))
        for number, gold, proposed in zip(versions, notes, proposals)
    }


def find_decided_siblings(study: Study, number: int) -> dict[int, int]:
    """The versions of the consensus of the patient's decided notes, by number, including this note; without
    others that changed on disk."""
    siblings = study.notes.find_siblings(number)
    sql = f"""SELECT note, version FROM states WHERE book = ? AND done
              AND note IN ({", ".join(map(str, siblings))}) ORDER BY note"""
    rows = study.store.fetch_all(sql, CONSENSUS)
    return {other: version for other, version in rows if other == number or other not in study.notes.refused}


def read_gold(study: Study, number: int) -> Document:
    """The note with the spans of its consensus."""
    state = study.consensus_log.read_entry(CONSENSUS, number).state
    return study.notes.read_document(number).with_spans(state.spans)


def read_secret(study: Study) -> bytes:
    """The study's secret, created at the first use: with it, the same text of a patient always gets the same
    surrogate."""
    with study.store.transaction():
        if (secret := study.store.read_setting("secret")) is None:
            study.store.write_setting("secret", secret := secrets.token_hex(32))
    return bytes.fromhex(secret)


def list_replacements(
    study: Study, number: int, state: SurrogateEdits | None = None
) -> list[tuple[Replacement, bool]]:
    """The replacements of a note with a person's edits, each with whether it was edited."""
    edits = (state or study.surrogates_log.read_entry(BOOK, number).state).edits
    chosen = []
    for proposed in draft_surrogates(study, number).replacements:
        edit = edits.get(name_place(proposed))
        chosen.append((proposed if edit is None else apply_edit(proposed, edit), edit is not None))
    return chosen


def apply_edit(proposed: Replacement, edit: str) -> Replacement:
    return replace(proposed, replacement=edit, resolved=True, why=None)


def name_place(replacement: Replacement) -> str:
    return f"{replacement.start}-{replacement.end}"


def replace_spans(study: Study, number: int, state: SurrogateEdits | None = None) -> Document:
    """The note as it would be written."""
    chosen = [replacement for replacement, _ in list_replacements(study, number, state)]
    return apply_replacements(draft_surrogates(study, number).gold, chosen)


def is_approved(study: Study, number: int, state: SurrogateEdits) -> bool:
    if state.approved is None:
        return False
    return state.approved == compute_fingerprint(replace_spans(study, number, state).text)


def find_same_text(study: Study, number: int, text: str) -> list[str]:
    """The places of the note's replacements that replace this text, in any letter case."""
    draft = draft_surrogates(study, number)
    originals = ((r, draft.gold.text[r.start : r.end]) for r in draft.replacements)
    return [name_place(r) for r, original in originals if original.casefold() == text.casefold()]
