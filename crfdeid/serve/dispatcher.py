"""Which worker answers which request, which requests wait or are refused, and what is counted of them.

The counts and times are for Prometheus. No label comes from a request: routes and statuses are ours.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from crfdeid.serve.workers import TIMEOUT, Answer, Task, Worker

ROUTES = ("/tag", "/redact", "/restore", "/health", "/metrics", "/openapi.json")
OTHER = "other"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


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
        job = Task(name, request, end - time.monotonic())
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


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = registry = CollectorRegistry()
        self.requests = Counter("crfdeid_requests", "Requests", ["route", "status"], registry=registry)
        self.seconds = Histogram(
            "crfdeid_request_seconds",
            "Time to answer, waiting included",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self.work = {
            name: Counter(f"crfdeid_{name}", f"{name.capitalize()} of done requests", registry=registry)
            for name in ("notes", "characters", "spans")
        }
        self.waiting = Gauge("crfdeid_waiting", "Requests that wait for a worker", registry=registry)
        self.busy = Gauge("crfdeid_busy", "Workers with a request", registry=registry)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        route = path if path in ROUTES else OTHER
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def count_work(self, counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            self.work[name].inc(count)

    def render(self) -> tuple[bytes, str]:
        """Return the metrics as Prometheus reads them, and their media type."""
        from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self.registry), CONTENT_TYPE_LATEST


@dataclass(frozen=True)
class Limits:
    """``body`` bytes of a request; ``seconds`` that it may take with waiting; ``queue`` requests wait."""

    body: int = 4_000_000
    seconds: float = 60.0
    queue: int = 16
