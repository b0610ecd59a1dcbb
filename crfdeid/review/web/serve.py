"""Binding to an address, opening the browser, and running until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import socket
import ssl
import tempfile
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path

import uvicorn

from crfdeid.errors import ConfigurationError
from crfdeid.review.study import accounts
from crfdeid.review.study.study import Study
from crfdeid.review.web.app import application
from crfdeid.review.web.sessions import Address, Sessions, is_loopback

EVERYWHERE = ("0.0.0.0", "::", "")


def check(args: argparse.Namespace) -> None:
    """Refuse an address that others can reach unless what is sent there is encrypted. Raises
    :class:`ConfigurationError`."""
    for path in (args.certificate, args.private_key):
        if path and not path.is_file():
            raise ConfigurationError(f"{path}: no such file")
    if bool(args.certificate) != bool(args.private_key):
        raise ConfigurationError("--certificate and --private-key go together")
    if args.certificate:
        refuse_certificate(args)
    if not is_loopback(args.host) and not args.certificate:
        raise ConfigurationError(
            f"--host {args.host}: others can reach this address; it wants --certificate, --private-key and "
            "a password for every reader (--password NAME)"
        )
    if args.host in EVERYWHERE and not args.name:
        raise ConfigurationError(f"--host {args.host}: --name says by which name browsers reach it")


def refuse_certificate(args: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationError` where the certificate and its key cannot be used."""
    try:  # a password of "" is none: nothing is asked for on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(args.certificate, args.private_key, "")
    except ssl.SSLError:
        raise ConfigurationError(
            f"{args.certificate}, {args.private_key}: wanted a certificate and its key, in PEM, unencrypted"
        ) from None
    except OSError as error:
        raise ConfigurationError(f"{error.filename or args.private_key}: {error.strerror}") from None


def refuse_open_doors(study: Study) -> None:
    """Raise :class:`ConfigurationError` where someone could come in from elsewhere without a password."""
    everyone = accounts.everyone(study.store)
    if study.guarded and not everyone:
        raise ConfigurationError("nobody could log in: --reader NAME --password NAME adds a reader")
    if study.guarded and (open := [reader.name for reader in everyone if not reader.password]):
        raise ConfigurationError(f"without a password: {', '.join(open)}; --password NAME asks for one")


def serve(study: Study, args: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    refuse_open_doors(study)
    os.umask(0o077)  # what is written from now on may hold PHI
    with bound(args.host, args.port) as listening:
        port = listening.getsockname()[1]
        address = Address(names(args), port, bool(args.certificate))
        sessions = Sessions()
        server = uvicorn.Server(configuration(application(study, sessions, address), args))
        with suppress(KeyboardInterrupt), announced(address, sessions, study.guarded, not args.no_browser):
            server.run([listening])


def names(args: argparse.Namespace) -> tuple[str, ...]:
    if args.name:
        return tuple(args.name)
    local = ("127.0.0.1", "localhost", "::1")
    return tuple(dict.fromkeys((args.host, *local))) if is_loopback(args.host) else (args.host,)


def configuration(app: object, args: argparse.Namespace) -> uvicorn.Config:
    """No access log, since it would tell who looked at what; no server header."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        ssl_certfile=args.certificate,
        ssl_keyfile=args.private_key,
    )


def bound(host: str, port: int) -> socket.socket:
    """A listening socket. Raises :class:`ConfigurationError` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:  # the protocol is named, or asyncio leaves Nagle's delay on: 40 ms for every answer
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)  # from now on a browser waits instead of being refused
        return listening
    except (OSError, OverflowError) as error:
        listening.close()
        raise ConfigurationError(
            f"--host {host} --port {port}: {getattr(error, 'strerror', error)}"
        ) from None


class announced:
    """Print the address, or open the browser on it by way of a file that only its owner can read: an
    argument of the browser's command would show the key to everybody on this machine."""

    def __init__(self, address: Address, sessions: Sessions, guarded: bool, browser: bool) -> None:
        self.url = address.url if guarded else f"{address.url}?key={sessions.new_key()}"
        self.browser = browser and not guarded
        self.file: Path | None = None

    def __enter__(self) -> None:
        if self.browser:
            self.file = bridge(self.url)
            opened = webbrowser.open(self.file.as_uri())
            if opened:
                print("Opened in the browser (--no-browser prints the address). Ctrl-C ends.", flush=True)
                return
        print(f"Open {self.url}\nCtrl-C ends.", flush=True)

    def __exit__(self, *_: object) -> None:
        if self.file:
            self.file.unlink(missing_ok=True)


def bridge(url: str) -> Path:
    """A page of mode 0600 that leads to ``url``."""
    descriptor, name = tempfile.mkstemp(prefix="crfdeid-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(url)}">')
    return Path(name)
