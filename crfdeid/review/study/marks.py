"""A reader's marks in one note, the actions that change them, and which words a click or a drag marks.

Marks never overlap: a new mark replaces those that it overlaps. Offsets are half-open code points.

The page finds the words of a click while the pointer moves, as here, so that a reader sees the span before it
counts. Douglass 2005, section 2.2: her program took everything between two spaces, so that a click on "wil"
gave "wil,updated".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Any, TypeGuard

import regex

from crfdeid.review.study.errors import InvalidValueError, NotFoundError
from crfdeid.review.study.event_log import Action, Fold, Summary
from crfdeid.text.document import Span, overlaps

WORD = regex.compile(r"""(?:[^\s,;()\[\]{}<>"|=*:]|:(?=//))+""")
INNER = regex.compile(r"[\p{L}\p{M}\p{N}]")
LAST = regex.compile(r"(?r)[\p{L}\p{M}\p{N}]")
BEFORE, AFTER = r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"

DECISIONS = {"accept": "accepted", "alter": "changed", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Mark:
    """``by`` is hand, premark, repeat or import; ``premark`` the number of the premark that it came from.
    ``unsure`` marks are shown to the adjudicator as such."""

    id: int
    start: int
    end: int
    type: str
    by: str = "hand"
    premark: int | None = None
    unsure: bool = False

    @property
    def span(self) -> Span:
        return Span(self.start, self.end, self.type)


@dataclass(frozen=True)
class Marking:
    """A reader's marks in a note. ``decisions`` are those on the premarks of ``system``, by the premark's
    number; ``next_id`` is the id of the next mark."""

    marks: tuple[Mark, ...] = ()
    decisions: Mapping[int, str] = field(default_factory=dict)
    done: bool = False
    next_id: int = 1
    system: str | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(mark.span for mark in self.marks)

    def find_mark(self, id: int | None) -> Mark:
        """Raises :class:`NotFoundError`."""
        for mark in self.marks:
            if mark.id == id:
                return mark
        raise NotFoundError(f"no mark {id}")


def place_mark(marks: Iterable[Mark], new: Mark) -> tuple[Mark, ...]:
    """The marks with ``new``, without its former self and without those that it overlaps."""
    kept = [mark for mark in marks if mark.id != new.id and not overlaps(mark, new)]
    return tuple(sorted([*kept, new], key=lambda mark: mark.start))


def add_mark(state: Marking, start: int, end: int, type: str, by: str = "hand") -> Marking:
    mark = Mark(state.next_id, start, end, type, by)
    return replace(state, marks=place_mark(state.marks, mark), next_id=state.next_id + 1)


def apply_action(state: Marking, action: Action) -> Marking:
    """Return the marking after the action.

    >>> state = apply_action(Marking(), {"kind": "add", "start": 12, "end": 16, "type": "PATIENT"})
    >>> state = apply_action(state, {"kind": "change", "mark": 1, "type": "DOCTOR"})
    >>> state.spans
    (Span(start=12, end=16, type='DOCTOR', probability=None),)
    """
    if state.system is None and action.get("system"):
        state = replace(state, system=action["system"])
    return update_decisions(state, HANDLERS[action["kind"]](state, action))


def update_decisions(before: Marking, after: Marking) -> Marking:
    """Keep the decision on a premark equal to what became of its mark: "changed" where the mark was moved or
    replaced, "rejected" where it was removed."""
    spans_now = {mark.premark: mark.span for mark in after.marks if mark.premark is not None}
    updates = {}
    for mark in before.marks:
        if mark.premark is None or spans_now.get(mark.premark) == mark.span:
            continue
        if after.decisions.get(mark.premark) == before.decisions.get(mark.premark):
            overlapped = any(other.span.overlaps(mark.span) for other in after.marks)
            updates[mark.premark] = "changed" if overlapped or mark.premark in spans_now else "rejected"
    return replace(after, decisions={**after.decisions, **updates}) if updates else after


def apply_add(state: Marking, action: Action) -> Marking:
    return add_mark(state, action["start"], action["end"], action["type"])


def apply_add_many(state: Marking, action: Action) -> Marking:
    for start, end, type in action["spans"]:
        state = add_mark(state, start, end, type, action["by"])
    return state


def apply_change(state: Marking, action: Action) -> Marking:
    changes = {key: action[key] for key in ("start", "end", "type", "unsure") if key in action}
    mark = replace(state.find_mark(action["mark"]), **changes)
    return replace(state, marks=place_mark(state.marks, mark))


def apply_remove(state: Marking, action: Action) -> Marking:
    return replace(state, marks=tuple(mark for mark in state.marks if mark.id != action["mark"]))


def apply_decision(state: Marking, action: Action) -> Marking:
    """Accept, alter or reject a premark; the mark of an earlier decision is removed."""
    number = action["premark"]
    marks = tuple(mark for mark in state.marks if mark.premark != number)
    decisions = {**state.decisions, number: DECISIONS[action["kind"]]}
    state = replace(state, marks=marks, decisions=decisions)
    if action["kind"] == "reject":
        return state
    mark = Mark(state.next_id, action["start"], action["end"], action["type"], "premark", number)
    return replace(state, marks=place_mark(state.marks, mark), next_id=state.next_id + 1)


def apply_finish(state: Marking, action: Action) -> Marking:
    return replace(state, done=action["kind"] == "done")


HANDLERS = {
    "add": apply_add, "add_many": apply_add_many, "change": apply_change, "doubt": apply_change,
    "remove": apply_remove,
    "accept": apply_decision, "alter": apply_decision, "reject": apply_decision,
    "done": apply_finish, "reopen": apply_finish,
}  # fmt: skip


def encode_state(state: Marking) -> dict[str, Any]:
    return {
        "marks": [astuple(mark) for mark in state.marks],
        "decisions": state.decisions,
        "done": state.done,
        "next": state.next_id,
        "system": state.system,
    }


def decode_state(table: Mapping[str, Any]) -> Marking:
    """The inverse of :func:`encode_state`; JSON has made strings of the premarks' numbers."""
    decisions = {int(number): decision for number, decision in table["decisions"].items()}
    marks = tuple(Mark(*row) for row in table["marks"])
    return Marking(marks, decisions, table["done"], table["next"], table["system"])


def summarize(state: Marking) -> Summary:
    return Summary(state.done, len(state.marks), len(state.decisions))


FOLD: Fold[Marking] = Fold(Marking(), apply_action, encode_state, decode_state, summarize)


def parse_span(body: Mapping[str, Any], length: int, types: Iterable[str]) -> Span:
    """The span of an action in a text of ``length`` characters. Raises :class:`InvalidValueError` where it is
    empty, is not inside the text, or has a type that is not in ``types``."""
    start, end, type = (body.get(key) for key in ("start", "end", "type"))
    if not (is_whole_number(start) and is_whole_number(end)) or not 0 <= start < end <= length:
        raise InvalidValueError(f"wanted a span that is not empty, inside the text of {length} characters")
    if not isinstance(type, str) or type not in types:
        raise InvalidValueError("wanted a type that the scheme has")
    return Span(start, end, type)


def is_whole_number(value: Any) -> TypeGuard[int]:
    """Whether a JSON value is a whole number; ``true`` is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def find_word(text: str, offset: int) -> tuple[int, int] | None:
    """The trimmed word around ``offset``, or None.

    >>> text = "visited by other wil,updated (Dr. O'Neil)"
    >>> [text[slice(*find_word(text, offset))] for offset in (18, 22, 30, 35)]
    ['wil', 'updated', 'Dr', "O'Neil"]
    >>> find_word("a  b", 1) is None
    True
    """
    for match in WORD.finditer(text, *find_line(text, offset)):
        if match.start() <= offset < match.end():
            return trim(text, match.start(), match.end())
    return None


def find_line(text: str, offset: int) -> tuple[int, int]:
    """Start and end of the line around ``offset``."""
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, len(text) if end < 0 else end


def find_words(text: str) -> list[tuple[int, int]]:
    """All trimmed words of a text.

    >>> text = "DOB:3/4/61, --"
    >>> [text[start:end] for start, end in find_words(text)]
    ['DOB', '3/4/61']
    """
    words = (trim(text, match.start(), match.end()) for match in WORD.finditer(text))
    return [word for word in words if word]


def trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range without punctuation and white space at its ends; None where it has no letter and no digit.

    >>> trim("(WILL)", 0, 6), trim("...", 0, 3)
    ((1, 5), None)
    """
    first, last = INNER.search(text, start, end), LAST.search(text, start, end)
    return (first.start(), last.end()) if first and last else None


def find_repeats(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where ``wanted`` occurs as whole words, in any letter case and with any white space.

    >>> list(find_repeats("Eva ruiz saw EVA\\nRUIZ, not Eva Ruizek", "Eva Ruiz"))
    [(0, 8), (13, 21)]
    """
    if pieces := wanted.split():
        pattern = BEFORE + r"\s+".join(map(regex.escape, pieces)) + AFTER
        for match in regex.finditer(pattern, text, regex.IGNORECASE):
            yield match.span()
