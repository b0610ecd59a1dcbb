"""Tag in several processes: each has its own model, documents go out in lots and come back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from crfdeid import model
from crfdeid.document import Document

LOT = 400_000  # characters that go to a process at once
AHEAD = 2  # lots that wait for each process

_tagger: model.Tagger


def tag_all(
    folder: Path | str | None, engine: str, documents: Iterable[Document], jobs: int
) -> Iterator[Document]:
    """As :func:`crfdeid.model.tag_all` with the model in ``folder``, in ``jobs`` processes."""
    waiting: deque[Future[list[Document]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _load, (folder, engine)) as pool:
        try:
            for lot in lots(documents):
                waiting.append(pool.submit(_tag, lot))
                if len(waiting) > jobs * AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def lots(documents: Iterable[Document], size: int = LOT) -> Iterator[list[Document]]:
    """Consecutive documents, of about ``size`` characters together.

    >>> [len(lot) for lot in lots([Document(str(n), "text") for n in range(5)], 8)]
    [2, 2, 1]
    """
    lot: list[Document] = []
    held = 0
    for document in documents:
        lot.append(document)
        held += len(document.text)
        if held >= size:
            yield lot
            lot, held = [], 0
    if lot:
        yield lot


def _load(folder: Path | str | None, engine: str) -> None:
    global _tagger
    _tagger = model.load(folder, engine)


def _tag(documents: list[Document]) -> list[Document]:
    return list(model.tag_all(_tagger, documents))
