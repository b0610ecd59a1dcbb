"""A reader's marks in one note, and the actions that change them.

Marks never overlap; one that comes later replaces those it touches. Offsets are half-open code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from crfdeid.review.study.errors import Invalid, Unknown
from crfdeid.review.study.event_log import Action, Fold, Summary
from crfdeid.text.document import Span
from crfdeid.text.spans import overlaps

DECISIONS = {"accept": "accepted", "alter": "changed", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Mark:
    """``by``: hand, premark, repeat or import. ``premark``: which one it came from."""

    id: int
    start: int
    end: int
    type: str
    by: str = "hand"
    premark: int | None = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, self.type)


@dataclass(frozen=True)
class Marking:
    """``decisions`` on premarks of ``system`` by their number; ``next`` is the next mark's id."""

    marks: tuple[Mark, ...] = ()
    decisions: Mapping[int, str] = field(default_factory=dict)
    done: bool = False
    next: int = 1
    system: str | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(mark.span for mark in self.marks)

    def mark(self, id: int) -> Mark:
        """Raises :class:`Unknown`."""
        for mark in self.marks:
            if mark.id == id:
                return mark
        raise Unknown(f"no mark {id}")


def placed(marks: Iterable[Mark], new: Mark) -> tuple[Mark, ...]:
    """The marks with ``new``, without those it overlaps or was."""
    kept = [m for m in marks if m.id != new.id and not overlaps(m, new)]
    return tuple(sorted([*kept, new], key=lambda mark: mark.start))


def with_mark(state: Marking, start: int, end: int, type: str, by: str = "hand") -> Marking:
    mark = Mark(state.next, start, end, type, by)
    return replace(state, marks=placed(state.marks, mark), next=state.next + 1)


def apply(state: Marking, action: Action) -> Marking:
    """The marking after the action.

    >>> state = apply(Marking(), {"kind": "add", "start": 12, "end": 16, "type": "PATIENT"})
    >>> state = apply(state, {"kind": "change", "mark": 1, "type": "DOCTOR"})
    >>> state.spans
    (Span(start=12, end=16, type='DOCTOR', probability=None),)
    """
    if state.system is None and action.get("system"):
        state = replace(state, system=action["system"])
    return judged(state, APPLY[action["kind"]](state, action))


def judged(before: Marking, after: Marking) -> Marking:
    """What became of marks that premarks had made is what was decided on these: moved or replaced, it is
    changed; gone, it is rejected."""
    now = {mark.premark: mark for mark in after.marks if mark.premark is not None}
    fates = {}
    for mark in before.marks:
        if mark.premark is None or now.get(mark.premark) == mark:
            continue
        if after.decisions.get(mark.premark) == before.decisions.get(mark.premark):
            overlapped = any(other.span.overlaps(mark.span) for other in after.marks)
            fates[mark.premark] = "changed" if overlapped or mark.premark in now else "rejected"
    return replace(after, decisions={**after.decisions, **fates}) if fates else after


def add(state: Marking, action: Action) -> Marking:
    return with_mark(state, action["start"], action["end"], action["type"])


def add_many(state: Marking, action: Action) -> Marking:
    for start, end, type in action["spans"]:
        state = with_mark(state, start, end, type, action["by"])
    return state


def change(state: Marking, action: Action) -> Marking:
    given = {key: action[key] for key in ("start", "end", "type") if key in action}
    mark = replace(state.mark(action["mark"]), **given)
    return replace(state, marks=placed(state.marks, mark))


def remove(state: Marking, action: Action) -> Marking:
    return replace(state, marks=tuple(mark for mark in state.marks if mark.id != action["mark"]))


def decide(state: Marking, action: Action) -> Marking:
    """Accept, alter or reject a premark; the mark that an earlier decision made goes."""
    number = action["premark"]
    marks = tuple(mark for mark in state.marks if mark.premark != number)
    decisions = {**state.decisions, number: DECISIONS[action["kind"]]}
    state = replace(state, marks=marks, decisions=decisions)
    if action["kind"] == "reject":
        return state
    mark = Mark(state.next, action["start"], action["end"], action["type"], "premark", number)
    return replace(state, marks=placed(state.marks, mark), next=state.next + 1)


def finish(state: Marking, action: Action) -> Marking:
    return replace(state, done=action["kind"] == "done")


APPLY = {
    "add": add, "add_many": add_many, "change": change, "remove": remove, "accept": decide,
    "alter": decide, "reject": decide, "done": finish, "reopen": finish,
}  # fmt: skip


def dump(state: Marking) -> dict[str, Any]:
    marks = [[m.id, m.start, m.end, m.type, m.by, m.premark] for m in state.marks]
    return {"marks": marks, "decisions": state.decisions, "done": state.done, "next": state.next,
            "system": state.system}  # fmt: skip


def load(table: Mapping[str, Any]) -> Marking:
    """The other way; JSON has made texts of the premarks' numbers."""
    decisions = {int(number): decision for number, decision in table["decisions"].items()}
    marks = tuple(Mark(*row) for row in table["marks"])
    return Marking(marks, decisions, table["done"], table["next"], table["system"])


def summary(state: Marking) -> Summary:
    return Summary(state.done, len(state.marks), len(state.decisions))


FOLD: Fold[Marking] = Fold(Marking(), apply, dump, load, summary)


def checked_span(given: Mapping[str, Any], length: int, types: Iterable[str]) -> Span:
    """The span of an action. Raises :class:`Invalid` where it is empty, leaves the text, or has no type."""
    start, end, type = (given.get(key) for key in ("start", "end", "type"))
    if not (whole(start) and whole(end)) or not 0 <= start < end <= length:
        raise Invalid(f"a stretch that is empty or leaves the text of {length} characters")
    if not isinstance(type, str) or type not in types:
        raise Invalid("a type that the scheme does not have")
    return Span(start, end, type)


def whole(value: Any) -> bool:
    """A whole number; JSON's true is none."""
    return isinstance(value, int) and not isinstance(value, bool)
