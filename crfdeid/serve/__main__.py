"""Tag, redact and restore over HTTP.

    crfdeid serve                                              on this machine only, without a key
    crfdeid serve --host 0.0.0.0 --key-file key                for others: they send the key
    curl -s localhost:8750/redact --json '{"notes": [{"text": "Seen by Dr. Ruiz."}]}'

Nothing of a request stays in memory or in a log. docs/serve.md describes every address.
"""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

from crfdeid import cli, policy
from crfdeid.errors import ConfigurationError, show_install
from crfdeid.redact.surrogates.keyed_choice import MIN_KEY_BYTES, read_secret
from crfdeid.serve.dispatcher import Limits
from crfdeid.serve.server import ServeOptions, serve
from crfdeid.serve.workers import Engine
from crfdeid.systems import model

REQUIRED_PACKAGES = ("fastapi", "uvicorn", "prometheus_client")
KEY_VARIABLE = "CRFDEID_API_KEY"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid serve", description=__doc__.split("\n")[0])
    add, limits = parser.add_argument, Limits()
    add("--host", default="127.0.0.1", help="other than this machine's own address needs a key")
    add("--port", type=int, default=8750, help="(default: %(default)s; 0 takes a free one)")
    add(
        "--key-file",
        type=Path,
        help=f"the key that requests must have (default: the variable {KEY_VARIABLE})",
    )
    add("--certificate", type=Path, help="TLS certificate (PEM)")
    add("--private-key", type=Path, help="the certificate's key (PEM)")
    add("--model", default=model.CAREFUL, help="(default: %(default)s)")
    cli.add_threshold_option(parser)
    add("--policy", metavar="NAME", help=f"what counts as PHI: {', '.join(policy.list_shipped())} or a file")
    add("--jobs", type=int, default=1, help="requests that are worked on at once (default: %(default)s)")
    add("--queue", type=int, default=limits.queue, help="requests that wait; more get status 503 "
        "(default: %(default)s)")  # fmt: skip
    add("--largest-body", type=int, default=limits.body, help="bytes of a request (default: %(default)s)")
    add("--timeout", type=float, default=limits.seconds, help="seconds that a request may take, waiting "
        "included (default: %(default)s)")  # fmt: skip
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if missing := [name for name in REQUIRED_PACKAGES if find_spec(name) is None]:
        raise ConfigurationError(f"{', '.join(missing)} not installed: {show_install('serve')}")
    serve(read_options(args))


def read_options(args: argparse.Namespace) -> ServeOptions:
    """Check the options, among them that a model can be used with the policy and the threshold."""
    limits = Limits(args.largest_body, args.timeout, args.queue)
    if args.jobs < 1 or args.queue < 0 or args.largest_body < 1 or args.timeout <= 0:
        raise ConfigurationError("--jobs, --largest-body and --timeout are positive, --queue is 0 or more")
    engine = Engine(args.model, args.policy, tuple(args.threshold or ()))
    engine.load()
    key = read_key(args.key_file)
    return ServeOptions(
        engine, args.host, args.port, key, args.certificate, args.private_key, args.jobs, limits
    )


def read_key(path: Path | None) -> bytes:
    """Read the key of the file or of the environment; empty if there is none. Raises
    :class:`ConfigurationError` for one that is too short, or that others may read."""
    if path:
        return read_secret(path)
    key = os.environ.get(KEY_VARIABLE, "").strip().encode()
    if key and len(key) < MIN_KEY_BYTES:
        raise ConfigurationError(
            f"{KEY_VARIABLE}: a key of {len(key)} bytes; wanted at least {MIN_KEY_BYTES}, such as: openssl "
            "rand -hex 32"
        )
    return key


if __name__ == "__main__":
    cli.run(main)
