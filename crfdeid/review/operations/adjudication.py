"""The work of an adjudicator: compare the marks of several readers, decide, and reopen.

A reader never sees another reader's marks in a note that they still have to read. Therefore only a reader who
has finished the note, or can no longer begin it, sees its consensus; and a consensus opens only when no
reader is in the middle of the note.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from crfdeid.review.operations import questions
from crfdeid.review.operations.marking import describe_span
from crfdeid.review.study import agreement, consensus
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import (
    ConflictError,
    ForbiddenError,
    InvalidValueError,
    NotFoundError,
    StageError,
)
from crfdeid.review.study.event_log import Action, BookEntry
from crfdeid.review.study.marks import is_whole_number, parse_span
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Document, Span, find_overlap

KINDS = (
    "decide", "decide_agreed", "undecide", "add", "change", "remove", "votes", "done", "reopen", "undo",
    "redo",
)  # fmt: skip


def show_consensus(study: Study, reader: Reader, number: int) -> Json:
    """The consensus with the note's text. Raises :class:`ForbiddenError` for a reader who may not see it
    yet."""
    document = study.notes.read_document(number)
    entry = study.consensus_log.read_entry(BOOK, number)
    has_finished = study.find_readers(number).get(reader.name, False)
    if reader.role != "adjudicator" and not (entry.state.done and has_finished):
        raise ForbiddenError("visible only when this note's consensus is done and you have finished the note")
    if not entry.state.opened:
        raise NotFoundError("the consensus of this note is not opened yet")
    record_viewing(study, reader, number)
    return {"text": document.text} | describe_consensus(study, number, entry)


def record_viewing(study: Study, reader: Reader, number: int) -> None:
    """Record that the reader has seen the marks of others, so that they can no longer mark the note. Raises
    :class:`StageError` where they are in the middle of it."""
    if study.find_readers(number).get(reader.name) is False and not study.is_closed(reader, number):
        raise StageError("own", "finish this note as a reader first: here you would see the marks of others")
    sql = "SELECT 1 FROM seen WHERE note = ? AND reader = ?"
    if study.store.fetch_one(sql, number, reader.name) is None:
        study.store.execute("INSERT OR IGNORE INTO seen VALUES(?, ?)", number, reader.name)


def describe_consensus(study: Study, number: int, entry: BookEntry[Consensus]) -> Json:
    note, state = study.notes.find_note(number), entry.state
    doubts = find_doubts(study, number, state)
    return {
        "number": number,
        "id": note.id,
        "patient": note.patient,
        "version": entry.version,
        "done": state.done,
        "undo": max(entry.undo - 1, 0),
        "redo": entry.redo,
        "undecided": len(state.undecided),
        "voters": [{"name": name, "kind": kind} for name, kind in state.kinds.items()],
        "items": [describe_item(item, state, doubts) for item in state.items],
        "questions": questions.list_of_note(study, number),
        "extra": [{"id": mark.id} | describe_span(mark.span) for mark in state.extra.marks],
        "spans": [describe_span(span) for span in state.spans],
    }


def find_doubts(study: Study, number: int, state: Consensus) -> list[tuple[str, Span]]:
    """The marks of which their readers were unsure, each with the reader's name."""
    return [
        (name, mark.span)
        for name in state.readers
        for mark in study.marks_log.read_entry(name_book(name), number).state.marks
        if mark.unsure
    ]


def describe_item(item: agreement.Item, state: Consensus, doubts: Sequence[tuple[str, Span]]) -> Json:
    decision = state.decisions.get(item.key)
    return {
        "key": item.key,
        "start": item.start,
        "end": item.end,
        "agreement": item.agreement,
        "votes": {name: [describe_span(span) for span in spans] for name, spans in item.votes.items()},
        "suggestion": [describe_span(span) for span in item.suggestion],
        "preset": item.preset,
        "unsure": [name for name, span in doubts if span.start < item.end and item.start < span.end],
        "decision": decision
        and {"spans": [describe_span(span) for span in decision.spans], "ambiguous": decision.ambiguous},
    }


def open_consensus(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Open the consensus of a note; return it unchanged where it is open already."""
    document = study.notes.read_document(number)
    with study.store.transaction():
        entry = study.consensus_log.read_entry(BOOK, number)
        if not entry.state.opened:
            action = {"kind": "open"} | collect_votes(study, document, number, body)
            entry = append_action(study, reader, number, entry.version, action)
        record_viewing(study, reader, number)
    return {"text": document.text} | describe_consensus(study, number, entry)


def collect_votes(study: Study, document: Document, number: int, body: Json) -> Json:
    """The marks of the readers and systems that ``body`` names. Without names of readers, all readers of the
    note vote, and all must have finished it."""
    finished = study.find_readers(number)
    names, systems = parse_names(body, "readers"), parse_names(body, "systems") or []
    if names is None and not all(finished.values()):
        waiting = ", ".join(name for name, done in finished.items() if not done)
        raise StageError("unfinished", f"not finished yet by {waiting}; name the readers to go on without")
    names = sorted(finished) if names is None else names
    if absent := [name for name in names if name not in finished]:
        raise NotFoundError(f"{', '.join(absent)}: has not read this note")
    if [name for name in systems if name not in study.list_systems()]:
        raise NotFoundError("no system with this name")
    if not names and not systems:
        raise StageError("unfinished", "nobody has finished this note yet")
    marked = {name: study.marks_log.read_entry(name_book(name), number).state.spans for name in names}
    marked |= {name: tuple(study.read_spans(name, number)) for name in systems}
    trimmed = {
        name: tuple(agreement.trim_punctuation(document.text, spans)) for name, spans in marked.items()
    }
    return {
        "votes": {name: consensus.encode_spans(spans) for name, spans in trimmed.items()},
        "kinds": {name: "system" if name in systems else "reader" for name in marked},
    }


def find_last_voters(study: Study, reader: Reader) -> Json:
    """The systems whose marks the adjudicator compared last, and the readers who had finished that note but
    were left out: what the next note begins with."""
    sql = """SELECT note, action FROM actions WHERE book = ? AND by = ?
             AND json_extract(action, '$.kind') IN ('open', 'votes') ORDER BY at DESC, version DESC LIMIT 1"""
    row = study.store.fetch_one(sql, BOOK, reader.name)
    if row is None:
        return {"systems": [], "left_out": []}
    number, kinds = row[0], json.loads(row[1])["kinds"]
    finished = [name for name, is_done in study.find_readers(number).items() if is_done]
    return {
        "systems": [name for name, kind in kinds.items() if kind == "system"],
        "left_out": [name for name in finished if name not in kinds],
    }


def parse_names(body: Json, key: str) -> list[str] | None:
    names = body.get(key)
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise InvalidValueError(f"{key}: wanted a list of names, or null")
    return None if names is None else list(dict.fromkeys(names))


def append_action(
    study: Study, reader: Reader, number: int, version: int, action: Action
) -> BookEntry[Consensus]:
    """Log an action, and close the note for the readers whose votes it contains."""
    with study.store.transaction() as connection:
        entry = study.consensus_log.append(BOOK, number, version, reader.name, action)
        connection.execute("DELETE FROM closed WHERE note = ?", (number,))
        rows = [(number, name) for name in entry.state.readers]
        connection.executemany("INSERT INTO closed VALUES(?, ?)", rows)
        return entry


def change_consensus(study: Study, reader: Reader, number: int, body: Json) -> Json:
    """Do one action on an open consensus. Raises :class:`ConflictError` with the present state,
    :class:`StageError`, :class:`InvalidValueError`, ..."""
    document = study.notes.read_document(number)
    if not is_whole_number(body.get("version")):
        raise InvalidValueError("wanted the version that the action changes")
    with study.store.transaction():
        entry = study.consensus_log.read_entry(BOOK, number)
        if not entry.state.opened:
            raise StageError("none", "the consensus of this note is not opened yet")
        if entry.version != body["version"]:
            conflict = ConflictError(entry.version)
            conflict.details["state"] = describe_consensus(study, number, entry)
            raise conflict
        action = check_action(study, document, number, entry, body)
        after = append_action(study, reader, number, entry.version, action)
        refuse_overlaps(after.state)
    return describe_consensus(study, number, after)


def check_action(
    study: Study, document: Document, number: int, entry: BookEntry[Consensus], body: Json
) -> Action:
    """The action as it is logged: complete, and allowed in this state."""
    kind, state = body.get("kind"), entry.state
    if kind not in KINDS:
        raise InvalidValueError("no such kind of action")
    if state.done and kind not in ("reopen", "undo", "redo"):
        raise StageError("done", "this consensus is done; reopen it to change it")
    if kind == "undo" and entry.undo <= 1:  # the first action opened it
        raise StageError("nothing", "there is nothing to undo")
    if kind == "done" and (left := state.undecided):
        raise StageError("undecided", f"{len(left)} items are not decided yet", undecided=len(left))
    if kind == "votes":
        return {"kind": kind} | collect_votes(study, document, number, body)
    if kind == "decide_agreed":
        return {"kind": "decide_many", "items": find_agreed(state)}
    if kind in ("decide", "undecide"):
        return {"kind": kind} | parse_decision(study, document, state, body)
    return {"kind": kind} | parse_extra_mark(study, document, state, body)


def find_agreed(state: Consensus) -> Json:
    """The spans of each undecided item on which all voters agree, by the item's key. Raises
    :class:`StageError` where there is none, or only one voter, who agrees with nobody."""
    if len(state.votes) < 2:
        raise StageError("alone", "there is only one voter: decide each item")
    undecided = set(state.undecided)
    agreed = [item for item in state.items if item.key in undecided and item.agreement == "all"]
    if not agreed:
        raise StageError("nothing", "there is no undecided item on which all voters agree")
    return {item.key: consensus.encode_spans(item.suggestion) for item in agreed}


def parse_decision(study: Study, document: Document, state: Consensus, body: Json) -> Json:
    key, chosen = body.get("item"), body.get("spans", [])
    if key not in [item.key for item in state.items]:
        raise NotFoundError("no such item")
    if body.get("kind") == "undecide":
        return {"item": key}
    if not isinstance(chosen, list) or not all(isinstance(span, dict) for span in chosen):
        raise InvalidValueError("spans: wanted a list of spans, empty to reject the item")
    spans = tuple(parse_span(span, len(document.text), study.scheme.types) for span in chosen)
    return {"item": key, "spans": consensus.encode_spans(spans), "ambiguous": body.get("ambiguous") is True}


def parse_extra_mark(study: Study, document: Document, state: Consensus, body: Json) -> Json:
    """The fields of an action on the marks that no voter had; none for any other kind of action."""
    kind = body["kind"]
    mark = state.extra.find_mark(body.get("mark")) if kind in ("change", "remove") else None
    fields: Json = {"mark": mark.id} if mark else {}
    if kind in ("add", "change"):
        changes = {key: body[key] for key in ("start", "end", "type") if key in body}
        base = describe_span(mark.span) if mark else {}
        fields |= describe_span(parse_span(base | changes, len(document.text), study.scheme.types))
    return fields


def refuse_overlaps(state: Consensus) -> None:
    """Raise :class:`InvalidValueError`, which rolls the transaction back: a consensus with overlapping spans
    could not train a model."""
    if pair := find_overlap(state.spans):
        last, span = pair
        raise InvalidValueError(
            f"{span.start}-{span.end} overlaps {last.start}-{last.end}, which is decided already"
        )
