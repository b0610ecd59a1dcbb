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
    """A note with its consensus, and the replacements proposed for it. ``versions`` are those of the
    consensus of each decided note of the patient, from which the draft was computed."""

    versions: dict[int, int]
    gold: Document
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class SurrogateEdits:
    """``edits``: replacements by stretch ("12-16"). ``approved``: the fingerprint of the replaced text as it
    was approved."""

    edits: Mapping[str, str] = field(default_factory=dict)
    approved: str | None = None


def apply(state: SurrogateEdits, action: Action) -> SurrogateEdits:
    """
    >>> apply(SurrogateEdits(), {"kind": "edit", "edits": {"12-16": "Moreau"}}).edits
    {'12-16': 'Moreau'}
    """
    if action["kind"] == "edit":
        return replace(state, edits={**state.edits, **action["edits"]})
    return replace(state, approved=action["text"] if action["kind"] == "approve" else None)


def dump(state: SurrogateEdits) -> dict[str, Any]:
    return {"edits": state.edits, "approved": state.approved}


def load(table: Mapping[str, Any]) -> SurrogateEdits:
    return SurrogateEdits(table["edits"], table["approved"])


def summary(state: SurrogateEdits) -> Summary:
    return Summary(state.approved is not None, len(state.edits), 0)


FOLD: Fold[SurrogateEdits] = Fold(SurrogateEdits(), apply, dump, load, summary)
