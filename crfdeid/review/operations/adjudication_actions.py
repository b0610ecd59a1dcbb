"""The actions on an open consensus: what is decided, added, done, reopened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crfdeid.review.operations.adjudication import table, votes, written
from crfdeid.review.operations.mark_validation import span_table
from crfdeid.review.study import consensus
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.consensus import BOOK, Consensus
from crfdeid.review.study.errors import Conflict, Invalid, Stage, Unknown
from crfdeid.review.study.event_log import Action, Entry
from crfdeid.review.study.marks import checked_span, whole
from crfdeid.review.study.study import Study
from crfdeid.text.document import Document
from crfdeid.text.spans import find_overlap

Table = dict[str, Any]


def act(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Do one action on an open consensus. Raises :class:`Conflict` with the present state, :class:`Stage`,
    :class:`Invalid`, ..."""
    document = study.notes.document(number)
    if not whole(given.get("version")):
        raise Invalid("an action names the version it was made for")
    with study.store.writing():
        entry = study.consensus.entry(BOOK, number)
        if not entry.state.opened:
            raise Stage("none", "the consensus of this note is not opened yet")
        if entry.version != given["version"]:
            conflict = Conflict(entry.version)
            conflict.details["state"] = table(study, number, entry)
            raise conflict
        action = checked(study, document, number, entry, given)
        after = written(study, reader, number, entry.version, action)
        refuse_overlaps(after.state)
    return table(study, number, after)


def checked(
    study: Study, document: Document, number: int, entry: Entry[Consensus], given: Mapping[str, Any]
) -> Action:
    """The action as it is logged: complete, and good for this state."""
    kind, state = given.get("kind"), entry.state
    if kind not in KINDS:
        raise Invalid("no such kind of action")
    if state.done and kind not in ("reopen", "undo", "redo"):
        raise Stage("done", "this consensus is done; reopen it to revise it")
    if kind == "undo" and entry.undo <= 1:  # the first action opened it
        raise Stage("nothing", "there is nothing to take back")
    if kind == "done" and (left := state.undecided):
        raise Stage("undecided", f"{len(left)} items are not decided yet", undecided=len(left))
    if kind == "votes":
        return {"kind": kind} | votes(study, document, number, given)
    if kind in ("decide", "undecide"):
        return {"kind": kind} | decision(study, document, state, given)
    return {"kind": kind} | extra(study, document, state, given)


KINDS = ("decide", "undecide", "add", "change", "remove", "votes", "done", "reopen", "undo", "redo")


def decision(study: Study, document: Document, state: Consensus, given: Mapping[str, Any]) -> Table:
    key, chosen = given.get("item"), given.get("spans", [])
    if key not in [item.key for item in state.items]:
        raise Unknown("no such item")
    if given.get("kind") == "undecide":
        return {"item": key}
    if not isinstance(chosen, list) or not all(isinstance(span, dict) for span in chosen):
        raise Invalid("spans: a list of stretches with their types, empty to reject")
    spans = tuple(checked_span(span, len(document.text), study.scheme.types) for span in chosen)
    return {"item": key, "spans": consensus.rows(spans), "ambiguous": given.get("ambiguous") is True}


def extra(study: Study, document: Document, state: Consensus, given: Mapping[str, Any]) -> Table:
    """The fields of an action on marks that no voter had; of any other kind, none."""
    kind = given["kind"]
    mark = state.extra.mark(given.get("mark")) if kind in ("change", "remove") else None
    found: Table = {"mark": mark.id} if mark else {}
    if kind in ("add", "change"):
        stretch = {key: given[key] for key in ("start", "end", "type") if key in given}
        base = span_table(mark.span) if mark else {}
        found |= span_table(checked_span(base | stretch, len(document.text), study.scheme.types))
    return found


def refuse_overlaps(state: Consensus) -> None:
    """A consensus whose spans overlap could not train a model; the transaction is rolled back."""
    if pair := find_overlap(state.spans):
        last, span = pair
        raise Invalid(f"{span.start}-{span.end} overlaps {last.start}-{last.end}, which is decided already")
