"""Tag in several processes: documents go out in lots, and their spans come back in order."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import Path

from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

LOT = 400_000  # characters that go to a process at once
AHEAD = 2  # lots that wait for each other process
MOST = 6  # lots that are held for each process, where some are done before their turn

_tagger: model.Tagger


def tag_all(
    tagger: model.Tagger, folder: Path | str | None, engine: str, documents: Iterable[Document], jobs: int
) -> Iterator[Document]:
    """As :func:`crfdeid.systems.model.tag_all` with ``tagger``, which is the model in ``folder``, in two
    or more processes (``jobs``), of which this is one: it reads and writes, and tags while the others have
    enough to do. The first lot is tagged here: few notes are not worth a process, and what the tagger has
    learned of their texts, processes that are forked from this one know."""
    rest = lots(documents, LOT)
    first, second = next(rest, []), next(rest, None)
    if second is not None and isinstance(tagger, AdaptiveDecoder):
        tagger.compile()
    yield from model.tag_all(tagger, first)
    if second is None:
        return
    waiting: deque[tuple[list[Document], Future[list[tuple[Span, ...]]]]] = deque()
    with _pool(tagger, folder, engine, jobs - 1) as pool:
        try:
            for lot in chain([second], rest):
                busy = sum(not future.done() for _, future in waiting)
                if busy < (jobs - 1) * AHEAD:
                    waiting.append((lot, pool.submit(_tag, lot)))
                else:
                    waiting.append((lot, _done([d.spans for d in model.tag_all(tagger, lot)])))
                while waiting and (waiting[0][1].done() or len(waiting) > jobs * MOST):
                    yield from _joined(*waiting.popleft())
            while waiting:
                yield from _joined(*waiting.popleft())
        finally:
            for _, future in waiting:
                future.cancel()


def _done(spans: list[tuple[Span, ...]]) -> Future[list[tuple[Span, ...]]]:
    """What was tagged here, told as the other processes' answers are."""
    future: Future[list[tuple[Span, ...]]] = Future()
    future.set_result(spans)
    return future


def _pool(tagger: model.Tagger, folder: Path | str | None, engine: str, jobs: int) -> ProcessPoolExecutor:
    """Processes that have the tagger: forked with it where that is safe (a decoder starts no threads),
    or with a model of their own."""
    global _tagger
    if sys.platform == "linux" and isinstance(tagger, AdaptiveDecoder):
        _tagger = tagger
        return ProcessPoolExecutor(jobs, get_context("fork"))
    return ProcessPoolExecutor(jobs, get_context("spawn"), _load, (folder, engine))


def _joined(lot: list[Document], future: Future[list[tuple[Span, ...]]]) -> Iterator[Document]:
    for document, spans in zip(lot, future.result()):
        yield document.with_spans(spans)


def lots(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Consecutive documents, of ``size`` characters together or a little more; notes of one patient
    that follow each other are in one, since some systems look at them together.

    >>> [len(lot) for lot in lots([Document(str(n), "text") for n in range(5)], 8)]
    [2, 2, 1]
    >>> [len(lot) for lot in lots([Document(str(n), "text", patient="1") for n in range(5)], 8)]
    [5]
    """
    lot: list[Document] = []
    held = 0
    for _, notes in groupby(documents, key=lambda document: document.patient or document.id):
        for document in notes:
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


def _tag(documents: list[Document]) -> list[tuple[Span, ...]]:
    return [document.spans for document in model.tag_all(_tagger, documents)]
