"""One long piece of work at a time, while the server replies to other requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import StageError
from crfdeid.review.web.middleware import print_location

Item = TypeVar("Item")
Progress = Callable[[Sequence[Item]], Iterable[Item]]


class Jobs:
    """``state`` is none, running, done or failed; ``done`` of ``total`` steps; ``error`` is the reason of a
    failure."""

    def __init__(self) -> None:
        self.state, self.done, self.total, self.error = "none", 0, 0, ""
        self.number, self.lock = 0, threading.Lock()
        self.thread: threading.Thread | None = None

    def begin(self, work: Callable[[Progress[Any]], None]) -> int:
        """Start ``work`` with a function that counts its steps; return the job's number. Raises
        :class:`StageError` while another job runs."""
        with self.lock:
            if self.state == "running":
                raise StageError("running", "a model is being loaded already")
            self.state, self.done, self.total, self.error = "running", 0, 0, ""
            self.number += 1
        self.thread = threading.Thread(target=self.run, args=(work,), daemon=True)
        self.thread.start()
        return self.number

    def run(self, work: Callable[[Progress[Any]], None]) -> None:
        try:
            work(self.count_steps)
            self.state = "done"
        except CrfdeidError as error:
            self.error, self.state = str(error), "failed"
        except Exception as error:
            print_location(error)
            self.error, self.state = "an error in the program; its terminal shows where", "failed"

    def count_steps(self, items: Sequence[Item]) -> Iterator[Item]:
        self.total = len(items)
        for item in items:
            yield item
            self.done += 1

    def describe(self) -> dict[str, Any]:
        return {"state": self.state, "done": self.done, "total": self.total, "fault": self.error}
