"""Run jobs, each in a process of its own, some at a time.

A result is built aside and moved to its place when it is whole, so whatever stops the runner,
what is finished stays; what a killed one left half-built is removed by the next. Children do not
hear Ctrl-C: the parent does, and ends them; one whose parent is gone ends itself.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from crfdeid.ablate import training
from crfdeid.ablate.jobs import Job
from crfdeid.errors import CrfdeidError

DONE = "done"
BUILDING = ".building."
LOCK = ".lock"


class RunError(CrfdeidError):
    """A training that failed."""


@dataclass(frozen=True)
class Running:
    job: Job
    process: BaseProcess


def run_jobs(
    jobs: Sequence[Job], folder: Path, at_once: int, hear: Callable[[Job, int | None], None]
) -> None:
    """Run ``jobs``; results are built in ``folder``. ``hear`` is told of each iteration of a job,
    and ``None`` when it is done. Raises :class:`RunError` at the first that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running = deque(jobs), dict[Connection, Running]()
    with lock_folder(folder), tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder) as building:
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    pipe, started = start_job(waiting.popleft(), Path(building) / str(len(waiting)))
                    running[pipe] = started
                for pipe in connection.wait(list(running)):
                    told = receive_iteration(pipe, running[pipe])
                    hear(running[pipe].job, told)
                    if told is None:
                        running.pop(pipe).process.join()
        finally:
            for left in running.values():
                left.process.terminate()
                left.process.join()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """No other runner works in ``folder`` meanwhile, and nothing is left there of killed ones.
    Raises :class:`RunError` where another does."""
    path = folder / LOCK
    with path.open("w") as lock:  # the system frees it when the process ends, however it does
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{folder}: another ablation is at work there") from None
        for left in folder.glob(f"{BUILDING}*"):
            shutil.rmtree(left, ignore_errors=True)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def start_job(job: Job, building: Path) -> tuple[Connection, Running]:
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=run_job, args=(job, building, theirs))
    with block_interrupts():
        process.start()
    theirs.close()
    return ours, Running(job, process)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Processes started inside never hear Ctrl-C; this one hears it afterwards."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def run_job(job: Job, building: Path, pipe: Connection) -> None:
    """What a child does: tell the number of each iteration, and last that it is done, or why not."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        training.train_job(job, building, pipe.send)
        if job.folder.exists():
            shutil.rmtree(job.folder)
        job.folder.parent.mkdir(parents=True, exist_ok=True)
        building.rename(job.folder)
        pipe.send(DONE)
    except BrokenPipeError:
        return  # the parent is gone
    except CrfdeidError as fault:
        pipe.send(str(fault))
    except Exception as error:  # its message could hold note text; its kind and place cannot
        pipe.send(f"{type(error).__name__} {locate_error(error)}")


def end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def locate_error(error: BaseException) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""


def receive_iteration(pipe: Connection, running: Running) -> int | None:
    """The iteration that a child tells of, ``None`` when it is done."""
    try:
        told = pipe.recv()
    except EOFError:
        running.process.join()
        told = f"its process ended with status {running.process.exitcode}"
    if told == DONE:
        return None
    if isinstance(told, str):
        raise RunError(f"run {running.job.title}: {told}")
    return told
