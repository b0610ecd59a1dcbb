"""Creating a study: each note is read once, and its file and fingerprint are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from crfdeid.errors import FormatError, show_id
from crfdeid.redact.run import patients
from crfdeid.review.study.source import Source, Stamp, compute_fingerprint, read_stamp
from crfdeid.review.study.store import Store
from crfdeid.text.document import Document

Progress = Callable[[list[Path]], Iterable[Path]]  # may show progress over the files


def index_notes(
    store: Store, source: Source, sets: int = 1, progress: Progress = iter, patient_from: str | None = None
) -> None:
    """Read all notes once and write their index. Raises :class:`FormatError` where an id occurs twice."""
    found: list[tuple[Document, str, Stamp]] = []
    ids: set[str] = set()
    pattern = patients.compile_pattern(patient_from) if patient_from else None
    for file in progress(source.list_files()):
        name = source.name_file(file)
        stamp = read_stamp(file)
        for document in source.read_notes(file):
            if document.id in ids:
                raise FormatError(f"{file}: {show_id(document.id)} occurs twice")
            ids.add(document.id)
            named = patients.find_patient(document, pattern) if pattern else document
            found.append((named, name, stamp))
    counts = [len(document.text.split()) for document, *_ in found]
    set_names = divide_into_sets([document for document, *_ in found], counts, sets)
    with store.transaction() as connection:
        rows = (
            (number, document.id, document.patient, set_name, name, compute_fingerprint(document.text),
             len(document.text), count, *stamp)
            for number, ((document, name, stamp), count, set_name)
            in enumerate(zip(found, counts, set_names), 1)
        )  # fmt: skip
        connection.executemany("INSERT INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        store.write_setting("source", source.encode())


def divide_into_sets(documents: list[Document], counts: list[int], sets: int) -> list[str]:
    """The name of each note's set, "1" and so on: runs of patients with about equal numbers of words
    (Douglass 2005, section 3.2, had four sets of equal size). ``counts`` are the words of each document."""
    total = max(sum(counts), 1)
    set_of_patient: dict[str, str] = {}
    names, before = [], 0
    for document, count in zip(documents, counts):
        key = document.patient if document.patient is not None else f"\0{document.id}"
        names.append(set_of_patient.setdefault(key, str(min(before * sets // total, sets - 1) + 1)))
        before += count
    return names


def has_study(store: Path) -> bool:
    """Whether the store exists and has content: an interrupted creation leaves an empty file."""
    return store.exists() and store.stat().st_size > 0


def create_study(
    path: Path,
    source: Source,
    scheme: str,
    title: str | None,
    sets: int,
    progress: Progress = iter,
    patient_from: str | None = None,
) -> None:
    """Create a study in a new store at ``path``; ``patient_from`` is a pattern that finds the patient in a
    note's id. Where the notes cannot be read, no store is left."""
    store = Store(path)
    try:
        with store.transaction():
            index_notes(store, source, sets, progress, patient_from)
            store.write_setting("scheme", scheme)
            store.write_setting("title", title or path.stem)
    except BaseException:
        store.close()
        for left in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)
        raise
    store.close()
