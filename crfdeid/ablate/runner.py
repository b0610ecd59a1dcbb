"""Run jobs, each in its own process, several at a time.

A result is built in a temporary folder and moved to its place when it is complete. Whatever stops the
runner, finished results stay; the next runner removes what a killed one left incomplete. Children ignore
Ctrl-C: the parent receives it and ends them. A child whose parent is gone ends itself.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from crfdeid.ablate import one_training
from crfdeid.ablate.jobs import Job
from crfdeid.errors import CrfdeidError
from crfdeid.files import hold_output, hold_signals

DONE = "done"
BUILDING = ".building."


class RunError(CrfdeidError):
    """A training that failed."""


@dataclass(frozen=True)
class Running:
    job: Job
    process: BaseProcess


def run_jobs(
    jobs: Sequence[Job], folder: Path, at_once: int, on_iteration: Callable[[Job, int | None], None]
) -> None:
    """Run ``jobs``; their results are built in ``folder``. Calls ``on_iteration`` with the number of each
    iteration of a job, and with ``None`` when the job is done. Raises :class:`RunError` at the first job
    that fails, and :class:`FormatError` where another run works in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running = deque(jobs), dict[Connection, Running]()
    with hold_output(folder), tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder) as building:
        remove_unfinished(folder, building)
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    with hold_signals():  # a process that half began would show a traceback, and not be ended
                        pipe, started = start_job(waiting.popleft(), Path(building) / str(len(waiting)))
                        running[pipe] = started
                for pipe in wait_for_messages(running):
                    iteration = receive_iteration(pipe, running[pipe])
                    on_iteration(running[pipe].job, iteration)
                    if iteration is None:
                        running.pop(pipe).process.join()
        finally:
            for left in running.values():
                left.process.terminate()
                left.process.join()


def remove_unfinished(folder: Path, building: str) -> None:
    """Remove what killed runners left in ``folder``; ``building`` is in use."""
    for left in folder.glob(f"{BUILDING}*"):
        if left != Path(building):
            shutil.rmtree(left, ignore_errors=True)


def start_job(job: Job, building: Path) -> tuple[Connection, Running]:
    """Start a process for the job; returns the end of its pipe that receives."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=run_job, args=(job, building, theirs))
    with block_interrupts():
        process.start()
    theirs.close()
    return ours, Running(job, process)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes that start inside; this process receives it afterwards."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def run_job(job: Job, building: Path, pipe: Connection) -> None:
    """Train in a child process. Sends the number of each iteration, and at the end ``DONE`` or the reason
    why it failed."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        one_training.train_job(job, building, pipe.send)
        if job.folder.exists():
            shutil.rmtree(job.folder)
        job.folder.parent.mkdir(parents=True, exist_ok=True)
        building.rename(job.folder)
        pipe.send(DONE)
    except BrokenPipeError:
        return  # the parent is gone
    except CrfdeidError as error:
        pipe.send(str(error))
    except Exception as error:  # its message could hold text of a note; its type and place cannot
        pipe.send(f"{type(error).__name__} {locate_error(error)}")


def end_with_parent() -> None:
    """Wait for the end of the parent process, and end this one."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def locate_error(error: BaseException) -> str:
    """Return file and line where the error was raised."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""


def wait_for_messages(pipes: Iterable[Connection]) -> list[Connection]:
    """Wait until a child sends a message or ends; returns the pipes of all such children."""
    ready = set(connection.wait(list(pipes)))
    return [pipe for pipe in pipes if pipe in ready]


def receive_iteration(pipe: Connection, running: Running) -> int | None:
    """Return the iteration that a child sends, ``None`` when it is done. Raises :class:`RunError` with the
    reason where it failed."""
    try:
        message = pipe.recv()
    except EOFError:
        running.process.join()
        message = f"its process ended with status {running.process.exitcode}"
    if message == DONE:
        return None
    if isinstance(message, str):
        raise RunError(f"run {running.job.title}: {message}")
    return int(message)
