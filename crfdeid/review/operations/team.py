"""What a coordinator sees and does: who reads which notes, who has read what and how fast, how far readers
agree, and the log of all actions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add

from crfdeid.evaluate.scores import Counts
from crfdeid.review.operations.listing import list_assigned, measure_progress
from crfdeid.review.study import accounts, agreement
from crfdeid.review.study.errors import InvalidValueError, NotFoundError
from crfdeid.review.study.marks import is_whole_number
from crfdeid.review.study.note_index import Note, key_patient
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Span

MOST_ROWS = 500  # of the log in a reply


def assign_notes(study: Study, body: Json) -> Json:
    """Give each patient of a set to ``k`` of the readers, so that words are shared evenly; no readers take
    the assignment back. Raises :class:`InvalidValueError`, :class:`NotFoundError`."""
    notes, names, k = study.find_set(body.get("set")), body.get("readers"), body.get("k", 1)
    if not isinstance(names, list) or not is_whole_number(k) or not (1 <= k <= len(names) or not names):
        raise InvalidValueError("wanted readers, and how many of them read each note")
    known = {reader.name for reader in accounts.list_readers(study.store)}
    if not all(isinstance(name, str) and name in known for name in names) or len(set(names)) < len(names):
        raise NotFoundError("no reader with this name, or one named twice")
    with study.store.transaction() as connection:
        rows = [(note.number,) for note in notes]
        connection.executemany("DELETE FROM assignments WHERE note = ?", rows)
        shared = share_patients(notes, names, k) if names else []
        connection.executemany("INSERT INTO assignments VALUES(?, ?)", shared)
    return show_team(study, body.get("set"))


def share_patients(notes: Sequence[Note], readers: Sequence[str], k: int) -> Iterator[tuple[int, str]]:
    """Number and reader of each note that the reader gets: the longest patients first, each to the ``k``
    readers with the fewest words so far."""
    patients: dict[str, list[Note]] = defaultdict(list)
    for note in notes:
        patients[key_patient(note)].append(note)
    words: Counter[str] = Counter(dict.fromkeys(readers, 0))
    count = {patient: sum(note.words for note in own) for patient, own in patients.items()}
    for patient in sorted(patients, key=lambda one: (-count[one], one)):
        for reader in sorted(readers, key=lambda one: (words[one], one))[:k]:
            words[reader] += count[patient]
            yield from ((note.number, reader) for note in patients[patient])


def show_team(study: Study, set_name: str | None) -> Json:
    """Each reader's progress in a set, and how far each two agree in the notes that both have finished."""
    notes = study.find_set(set_name)
    rows = []
    for reader in accounts.list_readers(study.store):
        assigned = list_assigned(study, reader)
        own = notes if assigned is None else [note for note in notes if note.number in assigned]
        progress = measure_progress(study, reader, set_name, own)
        if progress["done"] or progress["seconds"] or reader.role == "reader":
            rows.append(reader.describe() | progress)
    return {"readers": rows, "agreement": compare_readers(study, notes), "assigned": count_assigned(study)}


def count_assigned(study: Study) -> int:
    rows = study.store.fetch_all("SELECT count(*) FROM assignments")
    return int(rows[0][0])


def compare_readers(study: Study, notes: Sequence[Note]) -> list[Json]:
    """F1 of the spans of each two readers, before any consensus: in all, and by type, in the notes that
    both have finished."""
    wanted = {note.number for note in notes}
    sql = "SELECT book, note FROM states WHERE book LIKE 'reader:%' AND done ORDER BY book, note"
    finished: dict[str, set[int]] = defaultdict(set)
    for book, number in study.store.fetch_all(sql):
        if number in wanted:
            finished[book.removeprefix("reader:")].add(number)
    spans = {
        (name, number): study.marks_log.read_entry(name_book(name), number).state.spans
        for name, numbers in finished.items()
        for number in numbers
    }
    rows = []
    for a, b in agreement.pair_names(finished):
        shared = sorted(finished[a] & finished[b])
        if not shared:
            continue
        pairs = [(spans[a, number], spans[b, number]) for number in shared]
        types = sorted({span.type for both in pairs for one in both for span in one})
        by_type = {type: count_agreed(pairs, type).f1 for type in types}
        rows.append({"a": a, "b": b, "notes": len(shared), "f1": count_agreed(pairs).f1, "by_type": by_type})
    return rows


def count_agreed(pairs: Sequence[tuple[Sequence[Span], Sequence[Span]]], type: str | None = None) -> Counts:
    """The equal spans of two readers, of one type or of all."""
    kept = (tuple([span for span in spans if type in (None, span.type)] for spans in both) for both in pairs)
    return reduce(add, (agreement.count_equal_spans(first, second) for first, second in kept), Counts())


def list_actions(study: Study, after: int = 0) -> Json:
    """The log from its ``after``-th action on: who did what in which note and when, without places."""
    sql = """SELECT at, by, book, note, version, json_extract(action, '$.kind') FROM actions
             ORDER BY at, book, note, version LIMIT ? OFFSET ?"""
    names = ("at", "by", "book", "number", "version", "kind")
    rows = [dict(zip(names, row)) for row in study.store.fetch_all(sql, MOST_ROWS, after)]
    (total,) = study.store.fetch_all("SELECT count(*) FROM actions")[0]
    return {"actions": rows, "total": total}
