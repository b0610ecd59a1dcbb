"""Learning from the consensus: how good each model is on notes that it was not trained on, and where it
disagrees with the readers of open notes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from crfdeid.evaluate import error_analysis
from crfdeid.evaluate.scores import Counts
from crfdeid.review.study import agreement
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import NoteRefusedError, NotFoundError
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Document, Span


def build_curve(study: Study) -> list[Json]:
    """Each system with the number of decided notes when it was loaded, and its strict recall and precision on
    the notes decided later: it cannot have been trained on these."""
    sql = """SELECT note, min(at) FROM actions WHERE book = 'consensus'
             AND json_extract(action, '$.kind') IN ('done', 'import') GROUP BY note"""
    decided, decided_at = set(study.list_decided()), dict(study.store.fetch_all(sql))
    points = []
    sql = "SELECT name, at, notes_read FROM systems ORDER BY number"
    for name, loaded_at, notes_read in study.store.fetch_all(sql):
        later = [number for number in sorted(decided) if decided_at[number] > loaded_at]
        counts = reduce(add, (count_against_consensus(study, name, number) for number in later), Counts())
        points.append({
            "name": name,
            "notes_read": notes_read,
            "tested": len(later),
            "recall": counts.recall if counts.tp + counts.fn else None,
            "precision": counts.precision if counts.tp + counts.fp else None,
            "premarks": name == study.premark_system,
        })  # fmt: skip
    return points


def count_against_consensus(study: Study, system: str, number: int) -> Counts:
    gold = study.consensus_log.read_entry(BOOK, number).state.spans
    return agreement.count_equal_spans(gold, study.read_spans(system, number))


def list_disagreements(study: Study, system: str) -> Json:
    """The open notes where a system differs from the marks there now, most differences first. Raises
    :class:`NotFoundError`."""
    names = study.list_systems()
    if system not in names:
        raise NotFoundError("no system with this name")
    earlier = names[: names.index(system)]
    decided = set(study.list_decided())
    rows = []
    for note in study.notes.all:
        if note.number in decided or note.number in study.notes.refused:
            continue
        against, spans = find_present_spans(study, note.number, earlier)
        if against and (count := count_differences(study, note.number, spans, system)):
            rows.append({"number": note.number, "id": note.id, "against": against, "differences": count})
    return {"notes": sorted(rows, key=lambda row: (-row["differences"], row["number"]))}


def find_present_spans(study: Study, number: int, earlier: Sequence[str]) -> tuple[str | None, list[Span]]:
    """The union of the marks of the readers who have finished the note, else the spans of the last of the
    ``earlier`` systems; with the word that names them."""
    finished = [name for name, done in study.find_readers(number).items() if done]
    if finished:
        entries = (study.marks_log.read_entry(name_book(name), number) for name in finished)
        return "readers", sorted({span for entry in entries for span in entry.state.spans})
    return (earlier[-1], study.read_spans(earlier[-1], number)) if earlier else (None, [])


def count_differences(study: Study, number: int, present: Sequence[Span], system: str) -> int:
    try:
        text = study.notes.read_document(number).text
    except NoteRefusedError:
        return 0
    both = (present, study.read_spans(system, number))
    trimmed = [Document("", text, tuple(agreement.trim_punctuation(text, spans))) for spans in both]
    return sum(1 for _ in error_analysis.compare_spans(*trimmed))
