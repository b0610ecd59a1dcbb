"""Run jobs, each in a process of its own, some at a time.

A result is built aside and moved to its place when it is whole, so whatever stops the runner,
what is finished stays and nothing else does. Children do not hear Ctrl-C: the parent does, and
ends them.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from crfdeid.ablation import training
from crfdeid.ablation.jobs import Job
from crfdeid.faults import Fault

DONE = "done"


class RunFault(Fault):
    """A training that failed."""


@dataclass(frozen=True)
class Running:
    job: Job
    process: BaseProcess


def run(jobs: Sequence[Job], folder: Path, at_once: int, hear: Callable[[Job, int | None], None]) -> None:
    """Run ``jobs``; results are built in ``folder``. ``hear`` is told of each iteration of a job,
    and ``None`` when it is done. Raises :class:`RunFault` at the first that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running = deque(jobs), dict[Connection, Running]()
    with tempfile.TemporaryDirectory(prefix=".building.", dir=folder) as building:
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    pipe, started = start(waiting.popleft(), Path(building) / str(len(waiting)))
                    running[pipe] = started
                for pipe in connection.wait(list(running)):
                    told = heard(pipe, running[pipe])
                    hear(running[pipe].job, told)
                    if told is None:
                        running.pop(pipe).process.join()
        finally:
            for left in running.values():
                left.process.terminate()
                left.process.join()


def start(job: Job, building: Path) -> tuple[Connection, Running]:
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(job, building, theirs))
    with without_interrupts():
        process.start()
    theirs.close()
    return ours, Running(job, process)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes started inside never hear Ctrl-C; this one hears it afterwards."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def work(job: Job, building: Path, pipe: Connection) -> None:
    """What a child does: tell the number of each iteration, and last that it is done, or why not."""
    try:
        training.train(job, building, pipe.send)
        if job.folder.exists():
            shutil.rmtree(job.folder)
        job.folder.parent.mkdir(parents=True, exist_ok=True)
        building.rename(job.folder)
        pipe.send(DONE)
    except BrokenPipeError:
        return  # the parent is gone
    except Fault as fault:
        pipe.send(str(fault))
    except Exception as error:  # its message could hold note text; its kind and place cannot
        pipe.send(f"{type(error).__name__} {place(error)}")


def place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""


def heard(pipe: Connection, running: Running) -> int | None:
    """The iteration that a child tells of, ``None`` when it is done."""
    try:
        told = pipe.recv()
    except EOFError:
        running.process.join()
        told = f"its process ended with status {running.process.exitcode}"
    if told == DONE:
        return None
    if isinstance(told, str):
        raise RunFault(f"run {running.job.title}: {told}")
    return told
