"""The view and the work of a coordinator: who reads which notes, who has read what and how fast, how far
readers agree, and the log of all actions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from crfdeid.evaluate.scores import Counts
from crfdeid.review.operations.listing import list_assigned, measure_progress
from crfdeid.review.study import accounts, agreement
from crfdeid.review.study.errors import InvalidValueError, NoteRefusedError, NotFoundError
from crfdeid.review.study.marks import is_whole_number
from crfdeid.review.study.note_index import StudyNote, key_patient
from crfdeid.review.study.study import Json, Study, name_book, name_reader
from crfdeid.text.document import Span

MOST_ROWS = 500  # of the log in a reply


class PairInNote(NamedTuple):
    """The spans of two readers in a note, and how often each pair of their labels occurs at a token."""

    first: Sequence[Span]
    second: Sequence[Span]
    labels: Counter[tuple[str, str]]


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


def share_patients(notes: Sequence[StudyNote], readers: Sequence[str], k: int) -> Iterator[tuple[int, str]]:
    """Number and reader of each note that the reader gets: the longest patients first, each to the ``k``
    readers with the fewest words so far."""
    patients: dict[str, list[StudyNote]] = defaultdict(list)
    for note in notes:
        patients[key_patient(note)].append(note)
    words: Counter[str] = Counter()
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


def compare_readers(study: Study, notes: Sequence[StudyNote]) -> list[Json]:
    """How far each two readers agree before any consensus, in the notes that both have finished: F1 of the
    spans, in all and by type, and Cohen's kappa of the tokens. What depends on one note is kept until one of
    its readers changes it."""
    finished: dict[int, dict[str, int]] = defaultdict(dict)
    sql = "SELECT note, book, version FROM states WHERE book LIKE 'reader:%' AND done ORDER BY note, book"
    for number, book, version in study.store.fetch_all(sql):
        finished[number][name_reader(book)] = version
    found: dict[tuple[str, str], list[PairInNote]] = defaultdict(list)
    for note in notes:
        for pair, compared in compare_in_note(study, note.number, finished.get(note.number, {})).items():
            found[pair].append(compared)
    return [describe_pair(*pair, rows) for pair, rows in sorted(found.items())]


def compare_in_note(study: Study, number: int, versions: dict[str, int]) -> dict[tuple[str, str], PairInNote]:
    """Each two readers of a note, by their names; nothing of a note that changed on disk."""
    if len(versions) < 2:
        return {}
    if study.agreed.get(number, (None,))[0] != versions:
        spans = {name: study.marks_log.read_entry(name_book(name), number).state.spans for name in versions}
        try:
            labels = agreement.label_tokens(study.notes.read_document(number).text, spans)
        except NoteRefusedError:
            return {}
        pairs = {
            (a, b): PairInNote(spans[a], spans[b], Counter(zip(labels[a], labels[b])))
            for a, b in agreement.pair_names(versions)
        }
        study.agreed[number] = (versions, pairs)
    return study.agreed[number][1]


def describe_pair(a: str, b: str, notes: Sequence[PairInNote]) -> Json:
    pairs = [(one.first, one.second) for one in notes]
    types = sorted({span.type for both in pairs for one in both for span in one})
    labels: Counter[tuple[str, str]] = Counter()
    for one in notes:
        labels.update(one.labels)
    return {
        "a": a,
        "b": b,
        "notes": len(notes),
        "f1": count_agreed(pairs).f1,
        "kappa": agreement.compute_kappa(labels),
        "by_type": {type: count_agreed(pairs, type).f1 for type in types},
    }


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
