"""Which actions on a reader's marks are allowed, and how they are logged: with all offsets and types."""

from __future__ import annotations

from dataclasses import dataclass

from crfdeid.review.study.errors import InvalidValueError, NotFoundError, StageError
from crfdeid.review.study.event_log import Action
from crfdeid.review.study.marks import Marking, is_whole_number, parse_span
from crfdeid.review.study.study import Json
from crfdeid.text.document import Span


def describe_span(span: Span) -> Json:
    return {"start": span.start, "end": span.end, "type": span.type}


def list_undecided(marking: Marking, premarks: list[Span]) -> list[int]:
    """The numbers of the premarks that have no decision yet."""
    return [number for number in range(len(premarks)) if number not in marking.decisions]


@dataclass(frozen=True)
class MarkingContext:
    """The state that an action changes; ``length`` is the note's number of characters."""

    marking: Marking
    premarks: list[Span]
    length: int
    types: tuple[str, ...]

    def parse_span(self, body: Json, base: Span | None = None) -> Json:
        """The span of ``body``; the fields that it does not have come from ``base``. Raises
        :class:`InvalidValueError`."""
        changes = {key: body[key] for key in ("start", "end", "type") if key in body}
        fields = (describe_span(base) if base else {}) | changes
        return describe_span(parse_span(fields, self.length, self.types))

    def parse_premark(self, body: Json) -> int:
        """The number of a premark. Raises :class:`NotFoundError`."""
        number = body.get("premark")
        if not is_whole_number(number) or not 0 <= number < len(self.premarks):
            raise NotFoundError("no such premark")
        return number


def check_action(context: MarkingContext, system: str | None, body: Json) -> Action:
    """The action as it is logged; ``system`` is the one whose premarks the reader sees. Raises
    :class:`InvalidValueError`, :class:`StageError`, :class:`NotFoundError`."""
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in CHECKS:
        raise InvalidValueError("no such kind of action")
    action = {"kind": kind} | CHECKS[kind](context, body)
    if context.premarks and context.marking.system is None:
        action["system"] = system  # later models do not change what this reader sees
    return action


def check_add(context: MarkingContext, body: Json) -> Json:
    return context.parse_span(body)


def check_change(context: MarkingContext, body: Json) -> Json:
    mark = context.marking.find_mark(body.get("mark"))
    return {"mark": mark.id} | context.parse_span(body, mark.span)


def check_doubt(context: MarkingContext, body: Json) -> Json:
    return {"mark": context.marking.find_mark(body.get("mark")).id, "unsure": body.get("unsure") is True}


def check_remove(context: MarkingContext, body: Json) -> Json:
    return {"mark": context.marking.find_mark(body.get("mark")).id}


def check_accept(context: MarkingContext, body: Json) -> Json:
    number = context.parse_premark(body)
    return {"premark": number} | describe_span(context.premarks[number])


def check_alter(context: MarkingContext, body: Json) -> Json:
    number = context.parse_premark(body)
    return {"premark": number} | context.parse_span(body, context.premarks[number])


def check_reject(context: MarkingContext, body: Json) -> Json:
    return {"premark": context.parse_premark(body)}


def check_done(context: MarkingContext, body: Json) -> Json:
    if left := list_undecided(context.marking, context.premarks):
        raise StageError("undecided", f"{len(left)} premarks are not decided yet", undecided=len(left))
    return {}


def check_nothing(context: MarkingContext, body: Json) -> Json:
    return {}


CHECKS = {
    "add": check_add, "change": check_change, "doubt": check_doubt, "remove": check_remove,
    "accept": check_accept, "alter": check_alter, "reject": check_reject, "done": check_done,
    "reopen": check_nothing, "undo": check_nothing, "redo": check_nothing,
}  # fmt: skip
