"""Tag in several processes: documents go out in chunks, and their spans come back in order."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from crfdeid.systems import model
from crfdeid.systems.bias import Bias
from crfdeid.systems.tagger import BATCH, Tagger, chunk_documents
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span

if TYPE_CHECKING:  # a run with one process needs none of these
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

CHUNK = BATCH  # characters that go to a process at once
AHEAD = 2  # chunks that wait for each other process
PR_SET_PDEATHSIG = 1  # of prctl(2)
MOST = 6  # chunks that are held for each process, where some are done before their turn

Item = TypeVar("Item")
Result = TypeVar("Result")
Spans = list[tuple[Span, ...]]  # those of each document of a chunk

_tagger: Tagger


def tag_in_processes(
    tagger: Tagger,
    folder: Path | str | None,
    engine: str,
    documents: Iterable[Document],
    jobs: int,
    threshold: Threshold | None = None,
    bias: Bias | None = None,
) -> Iterator[Document]:
    """As :meth:`Tagger.tag_all` with ``tagger``, which is the model in ``folder`` with ``bias``, in
    ``jobs`` processes, two or more. This process is one of them: it reads and writes, and tags while the
    others have enough to do. It tags the first chunk, because few notes are not worth another process; a
    forked process then has what the tagger has cached of their texts."""
    rest = chunk_documents(documents, CHUNK)
    first, second = next(rest, []), next(rest, None)
    if second is not None and tagger.is_fork_safe:
        tagger.compile()
    yield from tagger.tag_all(first, threshold=threshold)
    if second is None:
        return
    far, near = partial(_tag, threshold=threshold), partial(_find_spans, tagger, threshold=threshold)
    with (
        _start_pool(tagger, folder, engine, jobs - 1, bias) as pool,
        closing(share_work(pool, jobs, far, near, chain([second], rest))) as done,
    ):
        for chunk, spans in done:
            yield from (document.with_spans(found) for document, found in zip(chunk, spans))


def share_work(
    pool: Executor,
    jobs: int,
    far: Callable[[Item], Result],
    near: Callable[[Item], Result],
    items: Iterable[Item],
) -> Generator[tuple[Item, Result], None, None]:
    """Yield each item with its result, in order. ``far`` makes results in the ``jobs`` - 1 processes of the
    pool, and ``near`` in this process while the others have enough to do. An error comes when it is its
    item's turn."""
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    try:
        for item in items:
            busy = sum(not future.done() for _, future in waiting)
            is_far = busy < (jobs - 1) * AHEAD
            waiting.append((item, pool.submit(far, item) if is_far else _make_done(near, item)))
            while waiting and (waiting[0][1].done() or len(waiting) > jobs * MOST):
                item, future = waiting.popleft()
                yield item, future.result()
        while waiting:
            item, future = waiting.popleft()
            yield item, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


def _make_done(near: Callable[[Item], Result], item: Item) -> Future[Result]:
    """Make a result in this process, and wrap it as the other processes' answers are."""
    from concurrent.futures import Future

    future: Future[Result] = Future()
    try:
        future.set_result(near(item))
    except Exception as error:
        future.set_exception(error)
    return future


def _start_pool(
    tagger: Tagger, folder: Path | str | None, engine: str, jobs: int, bias: Bias | None
) -> AbstractContextManager[ProcessPoolExecutor]:
    """Start processes that have the tagger: forked with it where that is safe, else with a model of their
    own."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    global _tagger
    if can_fork(tagger):
        _tagger = tagger
        return start_forks(jobs)
    return ProcessPoolExecutor(jobs, get_context("spawn"), _load, (folder, engine, bias))


def can_fork(tagger: Tagger | None) -> bool:
    """Whether forked processes can use the tagger. They have what this process has, and copy only what they
    change."""
    return sys.platform == "linux" and (tagger is None or tagger.is_fork_safe)


@contextmanager
def start_forks(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that have the variables of this one, and end with it. Collections leave the objects of
    now alone: otherwise each process would write to, and so copy, the memory of all of them."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    gc.freeze()
    try:
        with ProcessPoolExecutor(jobs, get_context("fork"), end_with_parent, (os.getpid(),)) as pool:
            yield pool
    finally:
        gc.unfreeze()


def end_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends, also after ``kill -9``. Otherwise it would
    wait forever for work, and hold the locks of its parent's files."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _load(folder: Path | str | None, engine: str, bias: Bias | None) -> None:
    global _tagger
    _tagger = model.load(folder, engine, bias)


def _tag(documents: list[Document], threshold: Threshold | None) -> Spans:
    return _find_spans(_tagger, documents, threshold)


def _find_spans(tagger: Tagger, documents: list[Document], threshold: Threshold | None) -> Spans:
    return [document.spans for document in tagger.tag_all(documents, threshold=threshold)]
