"""The surrogates of a note: what is proposed for it, what a person changed, and whether they approved it
(Douglass 2005, section 2.4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from crfdeid.review.study.event_log import Action, Fold, Summary
from crfdeid.text.document import Document

if TYPE_CHECKING:
    from crfdeid.redact.redactor import Replacement

BOOK = "surrogates"


@dataclass(frozen=True)
class SurrogateDraft:
    """A note with its consensus, and the replacements proposed for it. ``versions`` are the versions of the
    consensus of each decided note of the patient, by the note's number: the draft depends on all of them."""

    versions: dict[int, int]
    gold: Document
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class SurrogateEdits:
    """``edits`` are a person's replacements, by place ("12-16"). ``approved`` is the fingerprint of the
    redacted text that was approved."""

    edits: Mapping[str, str] = field(default_factory=dict)
    approved: str | None = None


def apply_action(state: SurrogateEdits, action: Action) -> SurrogateEdits:
    """
    >>> apply_action(SurrogateEdits(), {"kind": "edit", "edits": {"12-16": "Moreau"}}).edits
    {'12-16': 'Moreau'}
    """
    if action["kind"] == "edit":
        return replace(state, edits={**state.edits, **action["edits"]})
    return replace(state, approved=action["text"] if action["kind"] == "approve" else None)


def encode_state(state: SurrogateEdits) -> dict[str, Any]:
    return {"edits": state.edits, "approved": state.approved}


def decode_state(table: Mapping[str, Any]) -> SurrogateEdits:
    return SurrogateEdits(table["edits"], table["approved"])


def summarize(state: SurrogateEdits) -> Summary:
    return Summary(state.approved is not None, len(state.edits), 0)


FOLD: Fold[SurrogateEdits] = Fold(SurrogateEdits(), apply_action, encode_state, decode_state, summarize)
