"""The actions on an open consensus: decide, add, finish, reopen."""

from __future__ import annotations

from crfdeid.review.operations.adjudication import append_action, collect_votes, describe_consensus
from crfdeid.review.operations.mark_validation import describe_span
from crfdeid.review.study import consensus
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import ConflictError, InvalidValueError, NotFoundError, StageError
from crfdeid.review.study.event_log import Action, Entry
from crfdeid.review.study.marks import is_whole_number, parse_span
from crfdeid.review.study.study import Json, Study
from crfdeid.text.document import Document
from crfdeid.text.spans import find_overlap

KINDS = (
    "decide", "decide_agreed", "undecide", "add", "change", "remove", "votes", "done", "reopen", "undo",
    "redo",
)  # fmt: skip


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
    study: Study, document: Document, number: int, entry: Entry[Consensus], body: Json
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
        raise StageError("alone", "one voter alone agrees with nobody: decide each item")
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
