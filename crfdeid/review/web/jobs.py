"""One long piece of work at a time, while the server replies to other requests."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import StageError
from crfdeid.review.web.middleware import print_location

Item = TypeVar("Item")
Progress = Callable[[Sequence[Item]], Iterable[Item]]
POLL_SECONDS = 0.2


class StoppedError(CrfdeidError):
    """The work was stopped by who started it."""


class Jobs:
    """``state`` is none, running, done, stopped or failed; ``done`` of ``total`` steps of the ``phase``;
    ``error`` is the reason of a failure, ``result`` what the work found."""

    def __init__(self) -> None:
        self.state, self.phase, self.error, self.number = "none", "", "", 0
        self.done, self.total, self.began = 0, 0, 0.0
        self.result: dict[str, Any] | None = None
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.thread: threading.Thread | None = None

    def begin(self, work: Callable[[Jobs], None]) -> int:
        """Start ``work``, which counts its steps here; return the job's number. Raises :class:`StageError`
        while another job runs."""
        with self.lock:
            if self.state == "running":
                raise StageError("running", "another model is being trained or loaded")
            self.state, self.phase, self.error, self.result = "running", "", "", None
            self.done, self.total, self.began = 0, 0, time.monotonic()
            self.number += 1
            self.stopping.clear()
        self.thread = threading.Thread(target=self.run, args=(work,), daemon=True)
        self.thread.start()
        return self.number

    def run(self, work: Callable[[Jobs], None]) -> None:
        try:
            work(self)
            self.state = "done"
        except StoppedError:
            self.state = "stopped"
        except CrfdeidError as error:
            self.error, self.state = str(error), "failed"
        except Exception as error:
            print_location(error)
            self.error, self.state = "an error in the program; its terminal shows where", "failed"

    def stop(self) -> None:
        """Ask the work to stop: at its next step, or by ending its process."""
        self.stopping.set()

    def close(self) -> None:
        """Stop, and wait until the process of the work has ended."""
        self.stop()
        if self.thread:
            self.thread.join(5)

    def count_steps(self, items: Sequence[Item]) -> Iterator[Item]:
        """Raises :class:`StoppedError`."""
        self.done, self.total = 0, len(items)
        for item in items:
            self.refuse_stopped()
            yield item
            self.done += 1

    def run_process(self, command: list[str]) -> None:
        """Run a command until it ends. Raises :class:`StoppedError`, and :class:`CrfdeidError` with the last
        line that it printed where it fails."""
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                _, printed = wait_for(process, self.refuse_stopped)
            except BaseException:
                process.terminate()
                raise
        if process.returncode:
            lines = printed.strip().splitlines() or [f"the process ended with status {process.returncode}"]
            raise CrfdeidError(lines[-1])

    def refuse_stopped(self) -> None:
        if self.stopping.is_set():
            raise StoppedError("stopped")

    def describe(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.began if self.state == "running" else None
        return {
            "state": self.state, "phase": self.phase, "done": self.done, "total": self.total,
            "seconds": seconds, "fault": self.error, "result": self.result,
        }  # fmt: skip


def wait_for(process: subprocess.Popen[str], check: Callable[[], None]) -> tuple[str, str]:
    """Return the output of the process when it has ended; ``check`` is called now and then meanwhile."""
    while True:
        try:
            return process.communicate(timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            check()
