"""Learning from the consensus: how good each model was on notes it cannot have seen, and what it says of
open ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from crfdeid.evaluate import error_analysis
from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import Refused, Unknown
from crfdeid.review.study.study import Room, book
from crfdeid.text.document import Document, Span

Table = dict[str, Any]


def curve(room: Room) -> list[Table]:
    """Each model with the notes read when it was loaded, and its strict recall and precision on those whose
    consensus was first done later: it cannot have been trained on them."""
    sql = """SELECT note, min(at) FROM actions WHERE book = 'consensus'
             AND json_extract(action, '$.kind') IN ('done', 'import') GROUP BY note"""
    decided, first = set(room.decided()), dict(room.store.rows(sql))
    points = []
    for name, at, notes_read in room.store.rows("SELECT name, at, notes_read FROM systems ORDER BY number"):
        later = [number for number in sorted(decided) if first[number] > at]
        counts = reduce(add, (against_consensus(room, name, number) for number in later), Counts())
        points.append({
            "name": name,
            "notes_read": notes_read,
            "tested": len(later),
            "recall": counts.recall if counts.tp + counts.fn else None,
            "precision": counts.precision if counts.tp + counts.fp else None,
            "premarks": name == room.premarks,
        })  # fmt: skip
    return points


def against_consensus(room: Room, system: str, number: int) -> Counts:
    gold = room.consensus.entry(BOOK, number).state.spans
    return agreement.f1(gold, room.found(system, number))


def disagreements(room: Room, system: str) -> Table:
    """The open notes where a system differs from what is there now, those with most differences first.
    Raises :class:`Unknown`."""
    names = room.systems()
    if system not in names:
        raise Unknown("no system of this name")
    earlier = names[: names.index(system)]
    decided = set(room.decided())
    rows = []
    for note in room.notes.all:
        if note.number in decided or note.number in room.notes.refused:
            continue
        against, spans = present(room, note.number, earlier)
        if against and (count := differences(room, note.number, spans, room.found(system, note.number))):
            rows.append({"number": note.number, "id": note.id, "against": against, "differences": count})
    return {"notes": sorted(rows, key=lambda row: (-row["differences"], row["number"]))}


def present(room: Room, number: int, earlier: Sequence[str]) -> tuple[str | None, list[Span]]:
    """The union of the readers who have finished the note, else what the system before found."""
    finished = [name for name, done in room.finished(number).items() if done]
    if finished:
        spans = {span for name in finished for span in room.marking.entry(book(name), number).state.spans}
        return "readers", sorted(spans)
    return (earlier[-1], room.found(earlier[-1], number)) if earlier else (None, [])


def differences(room: Room, number: int, ours: Sequence[Span], theirs: Sequence[Span]) -> int:
    try:
        document = room.notes.document(number)
    except Refused:
        return 0
    trimmed = [
        Document("", document.text, tuple(agreement.trimmed(document.text, s))) for s in (ours, theirs)
    ]
    return sum(1 for _ in error_analysis.within(*trimmed))
