"""A person checks and changes the surrogates of a note, then writes the note (Douglass 2005, section 2.4.2
and figure 2-7).

The replacements are those that :mod:`crfdeid.redact.redactor` proposes, with the person's edits. An approval
holds for one text: where a change of the consensus, or of the patient's other notes, changes what would be
written, the note needs approval again.
"""

from __future__ import annotations

import secrets
import uuid
from dataclasses import replace

from crfdeid.redact.redactor import Redactor, Replacement, apply_replacements
from crfdeid.redact.surrogates import kinds
from crfdeid.review.operations import adjudication, exports
from crfdeid.review.study import marks
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK as CONSENSUS
from crfdeid.review.study.errors import (
    ConflictError,
    InvalidValueError,
    NoteRefusedError,
    NotFoundError,
    StageError,
)
from crfdeid.review.study.event_log import Action, BookEntry
from crfdeid.review.study.marks import is_whole_number
from crfdeid.review.study.note_index import key_patient
from crfdeid.review.study.source import compute_fingerprint
from crfdeid.review.study.study import Json, Study
from crfdeid.review.study.surrogates import BOOK, SurrogateDraft, SurrogateEdits
from crfdeid.text.document import Document

MOST_DRAFTS = 2000  # notes whose drafts stay in memory

LONGEST_REPLACEMENT = 200  # characters
SHORTEST_NAME = 3  # letters; an initial or "de" does not count as a name
KINDS = ("edit", "approve", "reopen", "undo", "redo")


def list_notes(study: Study, set_name: str | None) -> Json:
    """The notes of a set whose consensus is done, with their numbers of unresolved replacements; only the
    notes of patients where something changed since the last time are looked at again."""
    study.notes.find_changes()
    keys, rows = read_keys(study), []
    for note in (note for note in study.find_set(set_name) if note.number in keys):
        number, key = note.number, keys[note.number]
        if study.replaced.get(number, (None,))[0] != key:
            study.replaced[number] = (key, count_replacements(study, number))
        row = {"number": number, "id": note.id, "refused": study.notes.refused.get(number)}
        rows.append(row | study.replaced[number][1])
    return {"notes": rows}


def read_keys(study: Study) -> dict[int, tuple[object, ...]]:
    """The inputs of a decided note's replacements: the consensus of the patient's notes, which of them
    changed on disk, and a person's edits."""
    edits = dict(study.store.fetch_all("SELECT note, version FROM states WHERE book = ?", BOOK))
    sql = "SELECT note, version FROM states WHERE book = ? AND done ORDER BY note"
    decided: dict[int, int] = dict(study.store.fetch_all(sql, CONSENSUS))
    by_patient: dict[str, list[tuple[int, int, str | None]]] = {}
    patients = {number: key_patient(study.notes.find_note(number)) for number in decided}
    for number, version in decided.items():
        row = (number, version, study.notes.refused.get(number))
        by_patient.setdefault(patients[number], []).append(row)
    common = {patient: tuple(rows) for patient, rows in by_patient.items()}
    return {number: (common[patients[number]], edits.get(number)) for number in decided}


def count_replacements(study: Study, number: int) -> Json:
    """The note's spans, how many are unresolved, and whether the note is approved; none of a note that
    changed on disk."""
    try:
        chosen = list_replacements(study, number)
        state = study.surrogates_log.read_entry(BOOK, number).state
        approved = is_approved(study, number, state)
    except NoteRefusedError:
        return {"spans": 0, "unresolved": 0, "approved": False}
    return {"spans": len(chosen), "unresolved": count_unresolved(chosen), "approved": approved}


def count_unresolved(chosen: list[tuple[Replacement, bool]]) -> int:
    return sum(not replacement.resolved for replacement, _ in chosen)


def show_surrogates(study: Study, reader: Reader, number: int) -> Json:
    """The replacements of a note with its text, the unresolved ones first. Raises :class:`StageError`."""
    document = draft_surrogates(study, number).gold
    adjudication.record_viewing(study, reader, number)
    entry = study.surrogates_log.read_entry(BOOK, number)
    return {"text": document.text} | describe_surrogates(study, number, entry)


def describe_surrogates(study: Study, number: int, entry: BookEntry[SurrogateEdits]) -> Json:
    chosen = list_replacements(study, number, entry.state)
    ordered = sorted(chosen, key=lambda pair: (pair[0].resolved, pair[0].start))
    return {
        "number": number,
        "id": study.notes.find_note(number).id,
        "version": entry.version,
        "approved": is_approved(study, number, entry.state),
        "undo": entry.undo,
        "redo": entry.redo,
        "unresolved": count_unresolved(chosen),
        "proposals": [describe_replacement(r) | {"edited": edited} for r, edited in ordered],
    }


def describe_replacement(replacement: Replacement) -> Json:
    names = ("start", "end", "type", "replacement", "resolved", "why", "treatment", "repeat")
    return {name: getattr(replacement, name) for name in names}


def change_surrogates(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Edit, approve, reopen, undo or redo. Raises :class:`ConflictError` with the present state,
    :class:`StageError`, ..."""
    adjudication.record_viewing(study, reader, number)
    with study.store.transaction():
        entry = study.surrogates_log.read_entry(BOOK, number)
        if not is_whole_number(body.get("version")) or body.get("kind") not in KINDS:
            raise InvalidValueError("wanted a kind of action and the version that it changes")
        if entry.version != body["version"]:
            conflict = ConflictError(entry.version)
            conflict.details["state"] = describe_surrogates(study, number, entry)
            raise conflict
        after = do_action(study, reader, number, entry, body)
    return describe_surrogates(study, number, after)


def do_action(
    study: Study, reader: Reader, number: int, entry: BookEntry[SurrogateEdits], body: Json
) -> BookEntry[SurrogateEdits]:
    kind = body["kind"]
    if kind == "edit":
        return edit_replacement(study, reader, number, body)
    others = study.surrogates_log.find_same_group(BOOK, number, kind) if kind in ("undo", "redo") else []
    action: Json = {"kind": kind}
    if kind == "approve":
        action["text"] = fingerprint_result(study, number, entry.state)
    after = append_action(study, reader, number, entry.version, action)
    for other, version in others:
        append_action(study, reader, other, version, action)
    return after


def append_action(
    study: Study, reader: Reader, number: int, version: int, action: Action
) -> BookEntry[SurrogateEdits]:
    return study.surrogates_log.append(BOOK, number, version, reader.name, action)


def fingerprint_result(study: Study, number: int, state: SurrogateEdits) -> str:
    """The fingerprint of the text that would be written. Raises :class:`StageError` while a replacement is
    unresolved."""
    if left := count_unresolved(list_replacements(study, number, state)):
        raise StageError("unresolved", f"{left} replacements are not settled yet", unresolved=left)
    return compute_fingerprint(replace_spans(study, number, state).text)


def edit_replacement(study: Study, reader: Reader, number: int, body: Json) -> BookEntry[SurrogateEdits]:
    """Change a replacement; with ``everywhere``, in all decided notes of the patient where the same text is
    replaced. These edits are one group: one undo removes them."""
    place = f"{body.get('start')}-{body.get('end')}"
    draft = draft_surrogates(study, number)
    by_place = {name_place(replacement): replacement for replacement in draft.replacements}
    if place not in by_place:
        raise NotFoundError("no replacement at this place")
    original = draft.gold.text[by_place[place].start : by_place[place].end]
    replacement = parse_replacement(body.get("replacement"), original)
    if kinds.kind_of(by_place[place].type) == kinds.NAME:
        refuse_names(replacement, draft)
    places = {number: [place]}
    if body.get("everywhere") is True:
        notes = find_decided_siblings(study, number)
        places = {other: found for other in notes if (found := find_same_text(study, other, original))}
    group = uuid.uuid4().hex
    for other, keys in places.items():
        version = study.surrogates_log.read_entry(BOOK, other).version
        edits = dict.fromkeys(keys, replacement)
        append_action(study, reader, other, version, {"kind": "edit", "edits": edits, "group": group})
    return study.surrogates_log.read_entry(BOOK, number)


def parse_replacement(value: object, original: str) -> str:
    """Raises :class:`InvalidValueError` where the replacement is not one line, or contains the original."""
    if (
        not isinstance(value, str)
        or len(value) > LONGEST_REPLACEMENT
        or not (value.isprintable() or not value)
    ):
        raise InvalidValueError(f"a replacement is one line of at most {LONGEST_REPLACEMENT} characters")
    if original.strip().casefold() in value.casefold():
        raise InvalidValueError("this replacement contains the text that it replaces")
    return value


def refuse_names(replacement: str, draft: SurrogateDraft) -> None:
    """Raise :class:`InvalidValueError` where the replacement contains a word of any name in the note."""
    originals = [
        draft.gold.text[r.start : r.end] for r in draft.replacements if kinds.kind_of(r.type) == kinds.NAME
    ]
    words = {text[start:end] for text in originals for start, end in marks.find_words(text)}
    for word in words:
        if len(word) >= SHORTEST_NAME and any(marks.find_repeats(replacement, word)):
            raise InvalidValueError("this replacement contains a name that occurs in the note")


def export_notes(study: Study, body: Json) -> Json:
    """Write the notes of a set with their surrogates. Raises :class:`StageError` while one of them is not
    approved, and then writes nothing."""
    left, documents = [], []
    for note in study.find_set(body.get("set")):
        state = study.surrogates_log.read_entry(BOOK, note.number).state
        try:
            ready = is_approved(study, note.number, state)
        except (NoteRefusedError, StageError):
            ready = False
        if ready:
            documents.append(replace_spans(study, note.number, state))
        else:
            left.append(note.id)
    if left:
        raise StageError("unapproved", f"{len(left)} notes are not approved yet", left=left)
    return {"path": str(exports.write_documents(study, documents, body)), "notes": len(documents)}


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
