"""Making a study of notes: each is read once, and its place and fingerprint are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.review.study.source import Source, Stamp, fingerprint, stamp
from crfdeid.review.study.store import Store
from crfdeid.text.document import Document

Shown = Callable[[list[Path]], Iterable[Path]]  # may show progress over the files


def index(store: Store, where: Source, sets: int = 1, shown: Shown = iter) -> None:
    """Read all notes once and write their index; ``shown`` may show progress over the files."""
    found: list[tuple[Document, str, Stamp]] = []
    seen: set[str] = set()
    for file in shown(where.files()):
        name = file.name if where.path.is_dir() else ""
        now = stamp(file)
        for document in where.read(file):
            if document.id in seen:
                raise FormatError(f"{file}: document {document.id} occurs twice")
            seen.add(document.id)
            found.append((document, name, now))
    counts = [len(document.text.split()) for document, *_ in found]
    parts = divided([document for document, *_ in found], counts, sets)
    with store.writing() as connection:
        rows = (
            (number, document.id, document.patient, part, name, fingerprint(document.text),
             len(document.text), count, *now)
            for number, ((document, name, now), count, part) in enumerate(zip(found, counts, parts), 1)
        )  # fmt: skip
        connection.executemany("INSERT INTO notes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        store.set("source", where.table())


def divided(documents: list[Document], counts: list[int], sets: int) -> list[str]:
    """The set of each note, named "1" and so on: runs of patients with about as many words each
    (Douglass 2005, section 3.2, had four sets of equal size)."""
    total = max(sum(counts), 1)
    first: dict[str, str] = {}
    parts, before = [], 0
    for document, count in zip(documents, counts):
        key = document.patient if document.patient is not None else f"\0{document.id}"
        part = first.setdefault(key, str(min(before * sets // total, sets - 1) + 1))
        parts.append(part)
        before += count
    return parts


def make(path: Path, where: Source, scheme: str, title: str | None, sets: int, shown: Shown) -> None:
    """A new study in a store of its own. Where the notes cannot be read, no store is left."""
    store = Store(path)
    try:
        with store.writing():
            index(store, where, sets, shown)
            store.set("scheme", scheme)
            store.set("title", title or path.stem)
    except BaseException:
        store.close()
        for left in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)
        raise
    store.close()
