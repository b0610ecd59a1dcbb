"""Creating a study: each note is read once, and its file and fingerprint are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.review.study.source import Source, Stamp, fingerprint, stamp
from crfdeid.review.study.store import Store
from crfdeid.text.document import Document

Progress = Callable[[list[Path]], Iterable[Path]]  # may show progress over the files


def index_notes(store: Store, source: Source, sets: int = 1, progress: Progress = iter) -> None:
    """Read all notes once and write their index."""
    found: list[tuple[Document, str, Stamp]] = []
    seen: set[str] = set()
    for file in progress(source.files()):
        name = file.name if source.path.is_dir() else ""
        now = stamp(file)
        for document in source.read(file):
            if document.id in seen:
                raise FormatError(f"{file}: document {document.id} occurs twice")
            seen.add(document.id)
            found.append((document, name, now))
    counts = [len(document.text.split()) for document, *_ in found]
    parts = divide_into_sets([document for document, *_ in found], counts, sets)
    with store.writing() as connection:
        rows = (
            (number, document.id, document.patient, part, name, fingerprint(document.text),
             len(document.text), count, *now)
            for number, ((document, name, now), count, part) in enumerate(zip(found, counts, parts), 1)
        )  # fmt: skip
        connection.executemany("INSERT INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        store.set("source", source.table())


def divide_into_sets(documents: list[Document], counts: list[int], sets: int) -> list[str]:
    """The name of each note's set, "1" and so on: runs of patients with about equal numbers of words
    (Douglass 2005, section 3.2, had four sets of equal size). ``counts`` are the words of each document."""
    total = max(sum(counts), 1)
    first: dict[str, str] = {}
    parts, before = [], 0
    for document, count in zip(documents, counts):
        key = document.patient if document.patient is not None else f"\0{document.id}"
        part = first.setdefault(key, str(min(before * sets // total, sets - 1) + 1))
        parts.append(part)
        before += count
    return parts


def has_study(store: Path) -> bool:
    """Whether the store exists and has content: an interrupted creation leaves an empty file."""
    return store.exists() and store.stat().st_size > 0


def create_study(
    path: Path, source: Source, scheme: str, title: str | None, sets: int, progress: Progress = iter
) -> None:
    """Create a study in a new store at ``path``. Where the notes cannot be read, no store is left."""
    store = Store(path)
    try:
        with store.writing():
            index_notes(store, source, sets, progress)
            store.set("scheme", scheme)
            store.set("title", title or path.stem)
    except BaseException:
        store.close()
        for left in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)
        raise
    store.close()
