"""The options of the service, and serving: from loaded workers and a bound address to SIGTERM or Ctrl-C."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import ConfigurationError
from crfdeid.network import bind_socket, build_config, check_certificate, is_loopback
from crfdeid.serve.dispatcher import Dispatcher, Limits, Metrics
from crfdeid.serve.guard import GRACE
from crfdeid.serve.workers import Engine, Worker

MOST_CONNECTIONS = 256


@dataclass(frozen=True)
class ServeOptions:
    """``port`` 0 takes a free port; without ``key`` every request is accepted. Raises
    :class:`ConfigurationError` for an address that others can reach without a key, and for a certificate
    that cannot be used."""

    engine: Engine
    host: str = "127.0.0.1"
    port: int = 0
    key: bytes = field(default=b"", repr=False)
    certificate: Path | None = None
    private_key: Path | None = None
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.key:
            raise ConfigurationError(
                f"--host {self.host}: other machines can reach this address; wanted --key-file"
            )
        if bool(self.certificate) != bool(self.private_key):
            raise ConfigurationError("--certificate and --private-key need each other")
        if self.certificate:
            check_certificate(self.certificate, self.private_key)


def serve(options: ServeOptions) -> None:
    """Serve until the process is asked to stop. Raises :class:`ConfigurationError` where the address is taken
    or the model cannot be loaded."""
    import uvicorn

    from crfdeid.serve.app import application

    with bind_socket(options.host, options.port) as listening:
        workers = start_workers(options)
        metrics = Metrics()
        dispatcher = Dispatcher(workers, options.limits.queue, options.limits.seconds, metrics)
        app = application(dispatcher, metrics, options.key, options.limits)
        config = build_config(
            app,
            options.certificate,
            options.private_key,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=int(options.limits.seconds + GRACE) + 1,
        )
        server = uvicorn.Server(config)
        scheme = "https" if options.certificate else "http"
        print(f"Serving at {scheme}://{options.host}:{listening.getsockname()[1]}; Ctrl-C ends.", flush=True)
        try:
            with suppress(KeyboardInterrupt):
                server.run([listening])
        finally:
            dispatcher.close()


def start_workers(options: ServeOptions) -> list[Worker]:
    workers = [Worker(options.engine) for _ in range(options.jobs)]
    try:
        for worker in workers:
            worker.wait()
    except EOFError:
        for worker in workers:
            worker.close()
        raise ConfigurationError("a worker ended before it had loaded the model") from None
    return workers
