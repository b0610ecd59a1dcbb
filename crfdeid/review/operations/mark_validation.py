"""Which actions on a reader's marks are good, and what of them is logged: with all offsets and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crfdeid.review.study.errors import Invalid, Stage, Unknown
from crfdeid.review.study.event_log import Action
from crfdeid.review.study.marks import Marking, checked_span, whole
from crfdeid.text.document import Span

Table = dict[str, Any]


def span_table(span: Span) -> Table:
    return {"start": span.start, "end": span.end, "type": span.type}


def undecided(marking: Marking, premarks: list[Span]) -> list[int]:
    return [number for number in range(len(premarks)) if number not in marking.decisions]


@dataclass(frozen=True)
class Before:
    """What an action meets."""

    marking: Marking
    premarks: list[Span]
    length: int
    types: tuple[str, ...]

    def spanned(self, given: Mapping[str, Any], base: Span | None = None) -> Table:
        """The stretch and type of ``given``, of ``base`` where it names none. Raises :class:`Invalid`."""
        table = {key: given[key] for key in ("start", "end", "type") if key in given}
        return span_table(checked_span((span_table(base) if base else {}) | table, self.length, self.types))

    def premark(self, given: Mapping[str, Any]) -> int:
        number = given.get("premark")
        if not whole(number) or not 0 <= number < len(self.premarks):
            raise Unknown("no such premark")
        return number


def checked(before: Before, system: str | None, given: Mapping[str, Any]) -> Action:
    """The action as it is logged; ``system`` is whose premarks the reader is shown. Raises :class:`Invalid`,
    :class:`Stage`, :class:`Unknown`."""
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in CHECKS:
        raise Invalid("no such kind of action")
    action = {"kind": kind} | CHECKS[kind](before, given)
    if before.premarks and before.marking.system is None:
        action["system"] = system  # later models do not change what this reader was shown
    return action


def check_add(before: Before, given: Mapping[str, Any]) -> Table:
    return before.spanned(given)


def check_change(before: Before, given: Mapping[str, Any]) -> Table:
    mark = before.marking.mark(given.get("mark"))
    return {"mark": mark.id} | before.spanned(given, mark.span)


def check_remove(before: Before, given: Mapping[str, Any]) -> Table:
    return {"mark": before.marking.mark(given.get("mark")).id}


def check_accept(before: Before, given: Mapping[str, Any]) -> Table:
    number = before.premark(given)
    return {"premark": number} | span_table(before.premarks[number])


def check_alter(before: Before, given: Mapping[str, Any]) -> Table:
    number = before.premark(given)
    return {"premark": number} | before.spanned(given, before.premarks[number])


def check_reject(before: Before, given: Mapping[str, Any]) -> Table:
    return {"premark": before.premark(given)}


def check_done(before: Before, given: Mapping[str, Any]) -> Table:
    if left := undecided(before.marking, before.premarks):
        raise Stage("undecided", f"{len(left)} premarks are not looked at yet", undecided=len(left))
    return {}


def nothing(before: Before, given: Mapping[str, Any]) -> Table:
    return {}


CHECKS = {
    "add": check_add, "change": check_change, "remove": check_remove, "accept": check_accept,
    "alter": check_alter, "reject": check_reject, "done": check_done, "reopen": nothing, "undo": nothing,
    "redo": nothing,
}  # fmt: skip
