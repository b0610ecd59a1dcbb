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
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document, Span

Table = dict[str, Any]


def curve(study: Study) -> list[Table]:
    """Each model with the notes read when it was loaded, and its strict recall and precision on those whose
    consensus was first done later: it cannot have been trained on them."""
    sql = """SELECT note, min(at) FROM actions WHERE book = 'consensus'
             AND json_extract(action, '$.kind') IN ('done', 'import') GROUP BY note"""
    decided, first = set(study.decided()), dict(study.store.rows(sql))
    points = []
    for name, at, notes_read in study.store.rows("SELECT name, at, notes_read FROM systems ORDER BY number"):
        later = [number for number in sorted(decided) if first[number] > at]
        counts = reduce(add, (against_consensus(study, name, number) for number in later), Counts())
        points.append({
            "name": name,
            "notes_read": notes_read,
            "tested": len(later),
            "recall": counts.recall if counts.tp + counts.fn else None,
            "precision": counts.precision if counts.tp + counts.fp else None,
            "premarks": name == study.premarks,
        })  # fmt: skip
    return points


def against_consensus(study: Study, system: str, number: int) -> Counts:
    gold = study.consensus.entry(BOOK, number).state.spans
    return agreement.f1(gold, study.found(system, number))


def disagreements(study: Study, system: str) -> Table:
    """The open notes where a system differs from what is there now, those with most differences first.
    Raises :class:`Unknown`."""
    names = study.systems()
    if system not in names:
        raise Unknown("no system of this name")
    earlier = names[: names.index(system)]
    decided = set(study.decided())
    rows = []
    for note in study.notes.all:
        if note.number in decided or note.number in study.notes.refused:
            continue
        against, spans = present(study, note.number, earlier)
        if against and (count := differences(study, note.number, spans, study.found(system, note.number))):
            rows.append({"number": note.number, "id": note.id, "against": against, "differences": count})
    return {"notes": sorted(rows, key=lambda row: (-row["differences"], row["number"]))}


def present(study: Study, number: int, earlier: Sequence[str]) -> tuple[str | None, list[Span]]:
    """The union of the readers who have finished the note, else what the system before found."""
    finished = [name for name, done in study.finished(number).items() if done]
    if finished:
        spans = {span for name in finished for span in study.marking.entry(book(name), number).state.spans}
        return "readers", sorted(spans)
    return (earlier[-1], study.found(earlier[-1], number)) if earlier else (None, [])


def differences(study: Study, number: int, ours: Sequence[Span], theirs: Sequence[Span]) -> int:
    try:
        document = study.notes.document(number)
    except Refused:
        return 0
    trimmed = [
        Document("", document.text, tuple(agreement.trimmed(document.text, s))) for s in (ours, theirs)
    ]
    return sum(1 for _ in error_analysis.compare_spans(*trimmed))
