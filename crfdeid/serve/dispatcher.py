"""Which worker answers which request, and which requests wait or are refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from crfdeid.serve.metrics import Metrics
from crfdeid.serve.workers import TIMEOUT, Answer, Job, Worker


class BusyError(Exception):
    """As many requests wait as may."""


class Dispatcher:
    """Gives each request a free worker, in the order in which they came. ``most`` requests may wait."""

    def __init__(self, workers: Sequence[Worker], most: int, seconds: float, metrics: Metrics) -> None:
        self.workers, self.most, self.seconds, self.metrics = workers, most, seconds, metrics
        self.waiting, self.is_closed = 0, False
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        for worker in workers:
            self.free.put_nowait(worker)
        self.threads = ThreadPoolExecutor(len(workers))

    @property
    def is_full(self) -> bool:
        return self.free.empty() and self.waiting >= self.most

    async def ask(self, name: str, request: dict[str, Any]) -> Answer:
        """Return the answer of a worker. Raises :class:`BusyError` if too many requests wait."""
        end = time.monotonic() + self.seconds
        try:
            worker = await self._take_worker()
        except TimeoutError:
            return Answer(TIMEOUT, b"", {})
        self.metrics.busy.inc()
        job = Job(name, request, end - time.monotonic())
        asked = asyncio.get_running_loop().run_in_executor(self.threads, worker.ask, job)
        asked.add_done_callback(lambda _: self._put_back(worker))  # also where nobody waits any more
        return await asyncio.shield(asked)

    async def _take_worker(self) -> Worker:
        if self.is_full:
            raise BusyError
        self.waiting += 1
        self.metrics.waiting.set(self.waiting)
        try:
            async with asyncio.timeout(self.seconds):
                return await self.free.get()
        finally:
            self.waiting -= 1
            self.metrics.waiting.set(self.waiting)

    def _put_back(self, worker: Worker) -> None:
        self.metrics.busy.dec()
        self.free.put_nowait(worker)

    def close(self) -> None:
        """End the workers after what they do."""
        self.threads.shutdown()
        for worker in self.workers:
            worker.close()
