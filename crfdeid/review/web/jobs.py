"""One long piece of work at a time, beside the server's answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import Stage
from crfdeid.review.web.middleware import tell

Item = TypeVar("Item")
Shown = Callable[[Sequence[Item]], Iterable[Item]]


class Jobs:
    """``state``: none, running, done or failed; ``done`` of ``total`` steps; ``fault`` says why it failed."""

    def __init__(self) -> None:
        self.state, self.done, self.total, self.fault = "none", 0, 0, ""
        self.number, self.lock = 0, threading.Lock()
        self.thread: threading.Thread | None = None

    def begin(self, work: Callable[[Shown], None]) -> int:
        """Start ``work``, which is given a way to show its progress. Raises :class:`Stage` while one runs."""
        with self.lock:
            if self.state == "running":
                raise Stage("running", "a model is being loaded already")
            self.state, self.done, self.total, self.fault = "running", 0, 0, ""
            self.number += 1
        self.thread = threading.Thread(target=self.run, args=(work,), daemon=True)
        self.thread.start()
        return self.number

    def run(self, work: Callable[[Shown], None]) -> None:
        try:
            work(self.shown)
            self.state = "done"
        except CrfdeidError as fault:
            self.fault, self.state = str(fault), "failed"
        except Exception as error:
            tell(error)
            self.fault, self.state = "a fault of the program's own; its terminal says where", "failed"

    def shown(self, items: Sequence[Item]) -> Iterator[Item]:
        self.total = len(items)
        for item in items:
            yield item
            self.done += 1

    def table(self) -> dict[str, Any]:
        return {"state": self.state, "done": self.done, "total": self.total, "fault": self.fault}
