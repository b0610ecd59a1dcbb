"""Counts and times for Prometheus. No label comes from a request: routes and statuses are ours."""

from __future__ import annotations

from collections.abc import Mapping

ROUTES = ("/tag", "/redact", "/restore", "/health", "/metrics", "/openapi.json")
OTHER = "other"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


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
