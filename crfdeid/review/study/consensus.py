"""The consensus of a note: frozen votes, decisions where they differ, and marks that no voter had.

Opening a consensus freezes the voters' marks, so that they cannot change while the adjudicator decides.
A consensus can be reopened and revised (Douglass 2005, section 2.3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from crfdeid.review.study import agreement, marks
from crfdeid.review.study.agreement import Item
from crfdeid.review.study.event_log import Action, Fold, Summary
from crfdeid.review.study.marks import Marking
from crfdeid.text.document import Span

BOOK = "consensus"
SpanRow = list[Any]  # start, end, type: a span in JSON


@dataclass(frozen=True)
class Decision:
    """No spans reject the item. ``ambiguous`` excuses every mark there from counting as a mistake."""

    spans: tuple[Span, ...]
    ambiguous: bool = False


@dataclass(frozen=True)
class Consensus:
    """``kinds`` is reader or system, by voter. ``decisions`` are by the item's key. ``extra`` holds the marks
    that no voter had."""

    votes: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    extra: Marking = field(default_factory=Marking)
    opened: bool = False
    done: bool = False

    @cached_property
    def items(self) -> list[Item]:
        return agreement.build_items(self.votes)

    @property
    def undecided(self) -> list[str]:
        """The keys of the items that have no decision yet."""
        return [item.key for item in self.items if item.key not in self.decisions]

    @property
    def readers(self) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind == "reader"]

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The PHI as decided so far."""
        chosen = (self.decisions[item.key].spans for item in self.items if item.key in self.decisions)
        return tuple(sorted({*(span for spans in chosen for span in spans), *self.extra.spans}))

    @property
    def ambiguous(self) -> list[tuple[int, int]]:
        """Start and end of each item that was decided to be ambiguous."""
        decided = (item for item in self.items if item.key in self.decisions)
        return [(item.start, item.end) for item in decided if self.decisions[item.key].ambiguous]


def apply_action(state: Consensus, action: Action) -> Consensus:
    """Return the consensus after the action."""
    kind = action["kind"]
    if kind in ("open", "votes"):
        return freeze_votes(state, action)
    if kind == "decide":
        decision = Decision(decode_spans(action["spans"]), bool(action.get("ambiguous")))
        return replace(state, decisions={**state.decisions, action["item"]: decision})
    if kind == "decide_many":
        agreed = {key: Decision(decode_spans(rows)) for key, rows in action["items"].items()}
        return replace(state, decisions={**state.decisions, **agreed})
    if kind == "undecide":
        rest = {key: value for key, value in state.decisions.items() if key != action["item"]}
        return replace(state, decisions=rest)
    if kind in ("done", "reopen"):
        return replace(state, done=kind == "done")
    if kind == "import":
        extra = marks.apply_add_many(Marking(), {"spans": action["spans"], "by": "import"})
        return replace(Consensus(), extra=extra, opened=True, done=True)
    return replace(state, extra=marks.apply_action(state.extra, action))


def freeze_votes(state: Consensus, action: Action) -> Consensus:
    """Take the votes of ``action``, and keep the decisions on items that have not changed."""
    votes = {name: decode_spans(rows) for name, rows in action["votes"].items()}
    keys = {item.key for item in agreement.build_items(votes)}
    kept = {key: decision for key, decision in state.decisions.items() if key in keys}
    return replace(state, votes=votes, kinds=dict(action["kinds"]), decisions=kept, opened=True)


def decode_spans(rows: list[SpanRow]) -> tuple[Span, ...]:
    return tuple(Span(start, end, type) for start, end, type in rows)


def encode_spans(spans: tuple[Span, ...]) -> list[SpanRow]:
    """The spans as JSON, without probabilities."""
    return [[span.start, span.end, span.type] for span in spans]


def encode_state(state: Consensus) -> dict[str, Any]:
    return {
        "votes": {name: encode_spans(spans) for name, spans in state.votes.items()},
        "kinds": state.kinds,
        "decisions": {key: [encode_spans(d.spans), d.ambiguous] for key, d in state.decisions.items()},
        "extra": marks.encode_state(state.extra),
        "opened": state.opened,
        "done": state.done,
    }


def decode_state(table: Mapping[str, Any]) -> Consensus:
    decisions = {
        key: Decision(decode_spans(rows), ambiguous) for key, (rows, ambiguous) in table["decisions"].items()
    }
    return Consensus(
        {name: decode_spans(rows) for name, rows in table["votes"].items()},
        table["kinds"],
        decisions,
        marks.decode_state(table["extra"]),
        table["opened"],
        table["done"],
    )


def summarize(state: Consensus) -> Summary:
    return Summary(state.done, len(state.items), len(state.items) - len(state.undecided))


FOLD: Fold[Consensus] = Fold(Consensus(), apply_action, encode_state, decode_state, summarize)
