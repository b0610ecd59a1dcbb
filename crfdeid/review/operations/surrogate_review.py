"""The surrogates of a note looked at and changed by a person, then written out (Douglass 2005, section 2.4.2
and figure 2-7).

An approval holds for the very text that was approved: should the consensus, or what the patient's other
notes say, change what would be written, the note waits again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from crfdeid.redact.redactor import Replacement
from crfdeid.redact.surrogates import kinds
from crfdeid.review.operations import adjudication, exports
from crfdeid.review.operations.surrogate_proposals import (
    decided_beside,
    drawn,
    is_approved,
    key,
    proposals,
    result,
    same,
)
from crfdeid.review.study import word_boundaries
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Conflict, Invalid, Refused, Stage, Unknown
from crfdeid.review.study.event_log import Action, Entry
from crfdeid.review.study.marks import whole
from crfdeid.review.study.source import fingerprint
from crfdeid.review.study.study import Study
from crfdeid.review.study.surrogates import BOOK, SurrogateDraft, SurrogateEdits

Table = dict[str, Any]
LONGEST = 200  # characters of a replacement
SHORTEST_NAME = 3  # letters; an initial or "de" is no name
KINDS = ("edit", "approve", "reopen", "undo", "redo")


def notes(study: Study, part: str | None) -> Table:
    """The notes whose consensus is done, with what is still to be settled."""
    decided, found = set(study.decided()), []
    for note in (note for note in study.part(part) if note.number in decided):
        row: Table = {"number": note.number, "id": note.id, "spans": 0, "unresolved": 0, "approved": False}
        try:
            chosen = proposals(study, note.number)
            unresolved = sum(not proposal.resolved for proposal, _ in chosen)
            approved = is_approved(study, note.number, study.replacing.entry(BOOK, note.number).state)
            row |= {"spans": len(chosen), "unresolved": unresolved, "approved": approved}
        except Refused:
            pass  # the row says so
        found.append(row | {"refused": study.notes.refused.get(note.number)})
    return {"notes": found}


def view(study: Study, reader: Reader, number: int) -> Table:
    """The proposals of a note with its text, the unresolved on top. Raises :class:`Stage`."""
    document = drawn(study, number).gold
    adjudication.see(study, reader, number)
    return {"text": document.text} | table(study, number, study.replacing.entry(BOOK, number))


def table(study: Study, number: int, entry: Entry[SurrogateEdits]) -> Table:
    chosen = proposals(study, number, entry.state)
    ordered = sorted(chosen, key=lambda pair: (pair[0].resolved, pair[0].start))
    return {
        "number": number,
        "id": study.notes.note(number).id,
        "version": entry.version,
        "approved": is_approved(study, number, entry.state),
        "undo": entry.undo,
        "redo": entry.redo,
        "unresolved": sum(not proposal.resolved for proposal, _ in chosen),
        "proposals": [proposal_table(proposal) | {"edited": edited} for proposal, edited in ordered],
    }


def proposal_table(proposal: Replacement) -> Table:
    names = ("start", "end", "type", "replacement", "resolved", "why", "treatment", "repeat")
    return {name: getattr(proposal, name) for name in names}


def act(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Edit, approve, or take back. Raises :class:`Conflict` with the present state, :class:`Stage`, ..."""
    adjudication.see(study, reader, number)
    with study.store.writing():
        entry = study.replacing.entry(BOOK, number)
        if not whole(given.get("version")) or given.get("kind") not in KINDS:
            raise Invalid("an action names its kind and the version it was made for")
        if entry.version != given["version"]:
            conflict = Conflict(entry.version)
            conflict.details["state"] = table(study, number, entry)
            raise conflict
        after = done(study, reader, number, entry, given)
    return table(study, number, after)


def done(
    study: Study, reader: Reader, number: int, entry: Entry[SurrogateEdits], given: Mapping[str, Any]
) -> Entry[SurrogateEdits]:
    kind = given["kind"]
    if kind == "edit":
        return edited(study, reader, number, given)
    others = study.replacing.alike(BOOK, number, kind) if kind in ("undo", "redo") else []
    action: Table = {"kind": kind}
    if kind == "approve":
        action["text"] = approvable(study, number, entry.state)
    after = append(study, reader, number, entry.version, action)
    for other, version in others:
        append(study, reader, other, version, action)
    return after


def append(study: Study, reader: Reader, number: int, version: int, action: Action) -> Entry[SurrogateEdits]:
    return study.replacing.append(BOOK, number, version, reader.name, action)


def approvable(study: Study, number: int, state: SurrogateEdits) -> str:
    """The fingerprint of what would be written. Raises :class:`Stage` while something is unresolved."""
    left = sum(not proposal.resolved for proposal, _ in proposals(study, number, state))
    if left:
        raise Stage("unresolved", f"{left} replacements are not settled yet", unresolved=left)
    return fingerprint(result(study, number, state).text)


def edited(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Entry[SurrogateEdits]:
    """Change a replacement, ``everywhere`` in all decided notes of the patient where the same text is
    replaced; these are one group, and one undo takes them back."""
    wanted = f"{given.get('start')}-{given.get('end')}"
    found = drawn(study, number)
    own = {key(proposal): proposal for proposal in found.replacements}
    if wanted not in own:
        raise Unknown("no replacement at this stretch")
    text = found.gold.text[own[wanted].start : own[wanted].end]
    replacement = replacing_text(given.get("replacement"), text)
    if kinds.kind_of(own[wanted].type) == kinds.NAME:
        refuse_names(replacement, found)
    if given.get("everywhere") is not True:
        places = {number: [wanted]}
    else:
        places = {
            other: keys for other in decided_beside(study, number) if (keys := same(study, other, text))
        }
    group = uuid.uuid4().hex
    for other, keys in places.items():
        version = study.replacing.entry(BOOK, other).version
        edits = dict.fromkeys(keys, replacement)
        append(study, reader, other, version, {"kind": "edit", "edits": edits, "group": group})
    return study.replacing.entry(BOOK, number)


def replacing_text(given: Any, original: str) -> str:
    """Raises :class:`Invalid` where it cannot be written, or would leave what it replaces."""
    if not isinstance(given, str) or len(given) > LONGEST or not (given.isprintable() or not given):
        raise Invalid(f"a replacement is one line of at most {LONGEST} characters")
    if original.strip().casefold() in given.casefold():
        raise Invalid("this replacement holds what it should replace")
    return given


def refuse_names(replacement: str, found: SurrogateDraft) -> None:
    """Raise :class:`Invalid` where a replacement holds a word of any name of the note, its own among them."""
    named = (p for p in found.replacements if kinds.kind_of(p.type) == kinds.NAME)
    originals = [found.gold.text[p.start : p.end] for p in named]
    parts = {text[start:end] for text in originals for start, end in word_boundaries.words(text)}
    if any(len(part) >= SHORTEST_NAME and any(word_boundaries.repeats(replacement, part)) for part in parts):
        raise Invalid("this replacement holds a name that stands in the note")


def export(study: Study, given: Mapping[str, Any]) -> Table:
    """Write the notes of a set with their surrogates. Raises :class:`Stage` while one of them is not
    approved: nothing half-redacted is written."""
    left, documents = [], []
    for note in study.part(given.get("set")):
        state = study.replacing.entry(BOOK, note.number).state
        try:
            ready = is_approved(study, note.number, state)
        except (Refused, Stage):
            ready = False
        if ready:
            documents.append(result(study, note.number, state))
        else:
            left.append(note.id)
    if left:
        raise Stage("unapproved", f"{len(left)} notes are not approved yet", left=left)
    return {"path": str(exports.write(study, documents, given)), "notes": len(documents)}
