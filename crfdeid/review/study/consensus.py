"""The consensus of a note: frozen votes, decisions on what they differ in, and what nobody had.

Opening freezes the voters' marks, so that what is decided cannot change under the adjudicator.
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
Row = list[Any]  # start, end, type: a span in JSON


@dataclass(frozen=True)
class Decision:
    """No spans: rejected. ``ambiguous``: nobody is blamed for a mark there."""

    spans: tuple[Span, ...]
    ambiguous: bool = False


@dataclass(frozen=True)
class Consensus:
    """``kinds``: reader or system, by voter. ``extra`` are marks that no voter had."""

    votes: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    extra: Marking = field(default_factory=Marking)
    opened: bool = False
    done: bool = False

    @cached_property
    def items(self) -> list[Item]:
        return agreement.items(self.votes)

    @property
    def undecided(self) -> list[str]:
        return [item.key for item in self.items if item.key not in self.decisions]

    @property
    def readers(self) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind == "reader"]

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """What is PHI as far as it is decided."""
        chosen = (self.decisions[item.key].spans for item in self.items if item.key in self.decisions)
        return tuple(sorted({*(span for spans in chosen for span in spans), *self.extra.spans}))

    @property
    def ambiguous(self) -> list[tuple[int, int]]:
        """The stretches that nobody is blamed for."""
        found = (item for item in self.items if item.key in self.decisions)
        return [(item.start, item.end) for item in found if self.decisions[item.key].ambiguous]


def apply(state: Consensus, action: Action) -> Consensus:
    kind = action["kind"]
    if kind in ("open", "votes"):
        return frozen(state, action)
    if kind == "decide":
        decision = Decision(spans(action["spans"]), bool(action.get("ambiguous")))
        return replace(state, decisions={**state.decisions, action["item"]: decision})
    if kind == "undecide":
        rest = {key: value for key, value in state.decisions.items() if key != action["item"]}
        return replace(state, decisions=rest)
    if kind in ("done", "reopen"):
        return replace(state, done=kind == "done")
    if kind == "import":
        extra = marks.add_many(Marking(), {"spans": action["spans"], "by": "import"})
        return replace(Consensus(), extra=extra, opened=True, done=True)
    return replace(state, extra=marks.apply(state.extra, action))


def frozen(state: Consensus, action: Action) -> Consensus:
    """The votes of ``action``; decisions on items that are still the same stay."""
    votes = {name: spans(rows) for name, rows in action["votes"].items()}
    keys = {item.key for item in agreement.items(votes)}
    kept = {key: decision for key, decision in state.decisions.items() if key in keys}
    return replace(state, votes=votes, kinds=dict(action["kinds"]), decisions=kept, opened=True)


def spans(rows: list[Row]) -> tuple[Span, ...]:
    return tuple(Span(start, end, type) for start, end, type in rows)


def rows(spans: tuple[Span, ...]) -> list[Row]:
    return [[span.start, span.end, span.type] for span in spans]


def dump(state: Consensus) -> dict[str, Any]:
    return {
        "votes": {name: rows(spans) for name, spans in state.votes.items()},
        "kinds": state.kinds,
        "decisions": {key: [rows(d.spans), d.ambiguous] for key, d in state.decisions.items()},
        "extra": marks.dump(state.extra),
        "opened": state.opened,
        "done": state.done,
    }


def load(table: Mapping[str, Any]) -> Consensus:
    return Consensus(
        {name: spans(found) for name, found in table["votes"].items()},
        table["kinds"],
        {key: Decision(spans(found), ambiguous) for key, (found, ambiguous) in table["decisions"].items()},
        marks.load(table["extra"]),
        table["opened"],
        table["done"],
    )


def summary(state: Consensus) -> Summary:
    return Summary(state.done, len(state.items), len(state.items) - len(state.undecided))


FOLD: Fold[Consensus] = Fold(Consensus(), apply, dump, load, summary)
