"""Start the workers, bind the address, serve until SIGTERM or Ctrl-C, and finish what was begun."""

from __future__ import annotations

from contextlib import suppress

import uvicorn

from crfdeid.errors import ConfigurationError
from crfdeid.network import bind_socket, build_config
from crfdeid.serve.app import application
from crfdeid.serve.dispatcher import Dispatcher
from crfdeid.serve.guard import GRACE
from crfdeid.serve.metrics import Metrics
from crfdeid.serve.options import ServeOptions
from crfdeid.serve.workers import Worker

MOST_CONNECTIONS = 256


def serve(options: ServeOptions) -> None:
    """Serve until the process is asked to stop. Raises :class:`ConfigurationError` where the address is taken
    or the model cannot be loaded."""
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
